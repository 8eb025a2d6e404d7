/*
 * swf_trace.h -- reads logs of batch systems in the Standard Workload Format (SWF 2.2; Feitelson,
 * Parallel Workloads Archive).
 *
 * A line has 18 numbers with blanks between them; -1 means unknown. Lines that begin with ';' are
 * comments. Comments before the first job are the header; those of the form "; Key: value" describe
 * the machine. The reader uses these fields: job number (1), submit time (2), run time (4),
 * requested processors (8), requested time (9), user (12), group (13) and queue (15). If the
 * requested processors are unknown, the reader uses the allocated processors (5). In the header the
 * reader uses MaxProcs, MaxNodes, UnixStartTime and the names of queues ("; Queue: 2 high").
 *
 * A job without a run time or without processors never ran. The reader counts such a job and leaves
 * it out without a check of its other fields. A run time of 0 seconds counts as none, unless the
 * caller asks for such jobs. The reader also counts the jobs that have the number
 * of another job, and the numbers of the fields above that have decimals other than 0.
 */
#ifndef LSCHED_CLI_SWF_TRACE_H
#define LSCHED_CLI_SWF_TRACE_H

#include <stdbool.h>

#include "cli/traces/job_list.h"
#include "cli/support/name_table.h"

/* The field of the log that becomes the queue of a job. */
enum swf_queues { SWF_BY_QUEUE, SWF_BY_USER, SWF_BY_GROUP };

struct swf_trace {
    struct job_list list;
    int64_t max_procs, max_nodes; /* numbers in the header; 0 if the header does not have them */
    int64_t start_us;   /* time of second 0 of the log; 0 if the header does not have it */
    uint64_t never_ran; /* number of jobs that are left out because they never ran */
    uint64_t
        decimals; /* numbers above whose decimals are left out, because SWF has whole seconds */
    uint32_t decimals_line; /* line of the first one */
    int64_t other_procs;    /* a MaxProcs before the last one that differs from it; 0: none */
    uint64_t repeated,      /* number of jobs that have the same job number as an earlier job */
        repeated_first;     /* smallest job number that several jobs have */
    struct name_table queue_names, user_names;
};

/* Reads a log. If `zero_runs` is true, the log also gets the jobs that ran for 0 seconds. Returns 0
 * or a negative error code; after an error, *err has the line, the column and a message. A log
 * without a job that ran is an error. The caller must call swf_free() also after an error. */
int32_t swf_read(const char *text, size_t len, enum swf_queues queues, bool zero_runs,
                 struct swf_trace *out, lsched_error *err);
void swf_free(struct swf_trace *trace);

#endif
