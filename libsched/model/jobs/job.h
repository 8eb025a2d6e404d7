/*
 * job.h -- adds and removes jobs.
 *
 * A LEAF row counts the tasks of one leaf group of a job. The row exists only while the job has
 * task rows. Therefore a job whose tasks all wait for their first start costs one row.
 * Invariants: PLACED is the number of placed and nominated tasks; FRESH is the lowest task index
 * that never had a row; each task with an index below FRESH has a row, which is placed,
 * nominated, done, or in the leaf's list of tasks that wait again.
 */
#ifndef LIBSCHED_JOB_H
#define LIBSCHED_JOB_H

#include "model/arrays/array.h"
#include "model/store/intern.h"

struct job_spec {
    lsched_text name;
    uint64_t tag;
    uint32_t queue;
    int32_t priority;
    uint32_t flags;
    int64_t submit, duration, deadline, restart, checkpoint;
    int64_t delay, grace, window, backoff, release, checkpoint_wait,
        soft_limit; /* less common: in COST */
    /* longest run time in microseconds, stored in WATCH; 0: no limit */
    int64_t limit;
    uint32_t disruptions_max, retries_max;
    const struct bytes *labels;     /* canonical bytes of the labels; NULL: no labels */
    const struct array_spec *array; /* NULL: neither an array nor an element */
    const void *shape_bytes;
    size_t shape_n;
};

int32_t job_add(struct columns *k, const struct job_spec *spec, uint32_t *row);
/* Removes a job. Before the call, the caller has removed the job's task rows (tasks_drop_all in
 * losses.h), and called job_remove_room(), which can return LSCHED_E_NOMEM. The last element of an
 * array takes the array with it. An array with elements that have not ended is not removed. */
void job_remove(struct columns *k, uint32_t job);
int32_t job_remove_room(struct columns *k, uint32_t job);

#endif
