/*
 * explain_context.h -- the data that all files of one explanation read: the job, the amounts of its
 * queues, and the wait reason. Each file of this room and of engine/explain writes some lines of
 * the text, or a piece of one line.
 */
#ifndef LIBSCHED_EXPLAIN_CONTEXT_H
#define LIBSCHED_EXPLAIN_CONTEXT_H

#include "engine/exclusions/explain_print.h"
#include "engine/exclusions/explain_subject.h"
#include "model/jobs/job.h"

/* Amounts of one resource kind for one queue: the job's queue or a queue above it. */
struct right {
    int64_t used,  /* use of the queue */
        core,      /* non-preemptible use of the queue */
        quota,     /* quota of the queue */
        guarantee, /* guarantee of the queue */
        share,     /* fair share of the queue */
        limit;     /* limit of the queue */
};

/* The context of one explanation. */
struct explain {
    struct lsched_cluster *c;
    const struct columns *k;
    struct text_out *o;
    int64_t now;
    uint32_t job, queue;
    /* the job's main resource kind: GPU if the job asks for GPUs, else CPU, memory, or another
     * kind */
    uint32_t kind;
    /* amounts by resource kind for the tasks missing from the job's minimum, or for one more
     * task */
    int64_t need[KINDS_MAX];
    /* the job's queue, then its parent and so on up to the root */
    uint32_t n_path, path[LSCHED_QUEUE_DEPTH_MAX + 1];
    /* 1 if the policy's share algorithm computes guarantees and fair shares for queues */
    int has_rights;
    /* 1 if a cycle can end a task at its job's time limit; many steps ask this for each task */
    int ends_overdue;
    /* resource kinds that the job asks for and for which some queue has a quota, `kind` first; only
     * `kind` if there are none */
    uint32_t n_kinds, kinds[KINDS_MAX];
    /* amounts, indexed by the position in kinds[], then by the position in path[] */
    struct right right[KINDS_MAX][LSCHED_QUEUE_DEPTH_MAX + 1];
    lsched_waiting w;
};

#endif
