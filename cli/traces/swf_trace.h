/*
 * swf_trace.h -- logs of batch systems in the Standard Workload Format (SWF 2.2; Feitelson,
 * Parallel Workloads Archive).
 *
 * Lines of 18 numbers with blanks between them, -1 for what is unknown; lines that begin with ';'
 * are comments, and those of the form "; Key: value" before the first job say what the machine was.
 * Read are: number (1), submission (2), running time (4), processors (8, requested; 5, allocated,
 * where that is unknown), requested time (9), user (12), group (13), queue (15); of the header
 * MaxProcs, MaxNodes, UnixStartTime, Computer and the names of queues ("; Queue: 2 high").
 *
 * A job without a running time or without processors never ran: it is counted and left out, before
 * its other fields are looked at. Several jobs may have one number: they are counted, too.
 */
#ifndef LSCHED_CLI_SWF_TRACE_H
#define LSCHED_CLI_SWF_TRACE_H

#include "cli/traces/job_list.h"
#include "cli/support/name_table.h"

/* What becomes a queue of the cluster. */
enum swf_queues { SWF_BY_QUEUE, SWF_BY_USER, SWF_BY_GROUP };

struct swf_trace {
    struct job_list list;
    int64_t max_procs, max_nodes; /* 0: the header does not say */
    int64_t start_us;             /* of second 0; 0: the header does not say */
    lsched_text computer;         /* points into the text; empty: the header names none */
    uint64_t never_ran;
    uint64_t repeated, repeated_first; /* jobs with the number of another one; the least number */
    struct name_table queue_names, user_names;
};

/* Returns 0 or a negative code with err filled (line, column, message); swf_free() is due in any
 * case. At least one job is required. */
int32_t swf_read(const char *text, size_t len, enum swf_queues queues, struct swf_trace *out,
                 lsched_error *err);
void swf_free(struct swf_trace *trace);

#endif
