/*
 * job_marks.h -- marks on jobs for one walk, which looks at each job once however often it meets
 * the tasks of the job.
 *
 * A mark is the number of the walk, so that a walk begins without clearing the marks of the last
 * one. Walks do not overlap. The marks are scratch: no decision reads those of an earlier walk.
 * Cost: O(1) for each call, but for memory that grows with the rows of jobs. Why not a column: a
 * mark would be written to the undo log, and undone with a transaction.
 */
#ifndef LIBSCHED_JOB_MARKS_H
#define LIBSCHED_JOB_MARKS_H

#include "model/store/columns.h"

struct job_marks {
    uint64_t *walk; /* by row of JOB: the latest walk that met the job */
    uint32_t cap;
    uint64_t now;
};

/* Makes room for the jobs of the cluster. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t job_marks_reserve(struct job_marks *m, struct columns *k);
/* Begins a walk. There is room for all jobs. */
static inline void job_marks_begin(struct job_marks *m) {
    m->now++;
}
/* Marks the job. True if the walk has not met the job before. */
static inline int job_marks_first(struct job_marks *m, uint32_t job) {
    int first = m->walk[job] != m->now;
    m->walk[job] = m->now;
    return first;
}
void job_marks_drop(struct job_marks *m, struct columns *k);

#endif
