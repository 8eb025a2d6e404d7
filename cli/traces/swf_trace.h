/*
 * swf_trace.h -- reads logs of batch systems in the Standard Workload Format (SWF 2.2; Feitelson,
 * Parallel Workloads Archive).
 *
 * A line has 18 numbers with blanks between them; -1 means unknown. Lines that begin with ';' are
 * comments. Comments of the form "; Key: value" before the first job describe the machine. The
 * reader uses these fields: number (1), submission (2), running time (4), processors (8,
 * requested; 5, allocated, if 8 is unknown), requested time (9), user (12), group (13), queue
 * (15). From the header it uses MaxProcs, MaxNodes, UnixStartTime, Computer and the names of
 * queues ("; Queue: 2 high").
 *
 * A job without a running time or without processors never ran. Such a job is counted and left out
 * before its other fields are checked. Jobs that share a number with another job are counted too.
 */
#ifndef LSCHED_CLI_SWF_TRACE_H
#define LSCHED_CLI_SWF_TRACE_H

#include "cli/traces/job_list.h"
#include "cli/support/name_table.h"

/* The field of the log that decides the queue of a job. */
enum swf_queues { SWF_BY_QUEUE, SWF_BY_USER, SWF_BY_GROUP };

struct swf_trace {
    struct job_list list;
    int64_t max_procs, max_nodes; /* 0: not in the header */
    int64_t start_us;             /* time of second 0; 0: not in the header */
    lsched_text computer;         /* points into the text; empty: not in the header */
    uint64_t never_ran;
    /* repeated: jobs that have the number of another job; repeated_first: the least such number */
    uint64_t repeated, repeated_first;
    struct name_table queue_names, user_names;
};

/* Returns 0 or a negative code with err filled (line, column, message). The caller must call
 * swf_free() in every case. At least one job is required. */
int32_t swf_read(const char *text, size_t len, enum swf_queues queues, struct swf_trace *out,
                 lsched_error *err);
void swf_free(struct swf_trace *trace);

#endif
