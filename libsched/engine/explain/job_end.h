/*
 * job_end.h -- how the running work of a job will end: its expected end, its time limit, the
 * allowance that will stop it, and the node that leaves below it. Everything here follows from the
 * columns and from what runs now: the end of other work, a higher amount and a new estimate change
 * the answer. Work that other jobs may stop is told by explain_victim.h.
 *
 * Why one struct for the text of an explanation and for the public record: both tell the same
 * times. Why not a column that is kept by difference: each start and end below an allowance moves
 * the time at which the allowance is spent, and few people ask.
 *
 * Cost: O(tasks of the job + tasks of the allowances on the path of its queue).
 */
#ifndef LIBSCHED_JOB_END_H
#define LIBSCHED_JOB_END_H

#include "engine/exclusions/explain_context.h"

/* Times are LSCHED_NEVER_US, and rows NO_ROW, if there is no such end. */
struct job_end {
    uint32_t running;   /* tasks that run and are not being stopped; 0: nothing else is set */
    int64_t expected;   /* the last of them ends, by the estimate or the limit of the job */
    int64_t limit;      /* the policy stops the job because of its time limit */
    uint32_t allowance; /* row of the allowance that decides, see spent_at */
    int64_t spent_at;   /* all of it is used: not after now if it is spent */
    int64_t spent_stop; /* its work is stopped */
    uint32_t node;      /* the first node of the job's tasks that leaves */
    int64_t leaves, back;
    int64_t soft; /* its soft limit is over: from then on it is a first victim */
};

struct job_end job_end_of(const struct lsched_cluster *c, uint32_t job);
/* Writes a line for the expected end, for the soft limit, for the allowance and for the node that
 * leaves. An end that is surely later than the expected end of the job gets no line. */
void job_end_put(const struct explain *e);

#endif
