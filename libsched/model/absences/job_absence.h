/*
 * job_absence.h -- from which nodes absences (nodes/absence.h) keep the tasks of a job.
 *
 * A task may start on a node only if it surely ends before the node is away: by its job's time
 * limit, or by the job's estimate if the job has no limit. A job that has neither does not start on
 * a node that is to leave. The window of a reservation (reservations/reservation.h) does not bar
 * the jobs of its holder. The answer depends on the columns and the time alone.
 *
 * A task that is nominated starts later: when the tasks that are being released have left its node,
 * and its own job has left its old places. job_absence_later() returns that time. Other work is
 * stopped for a nomination only if no absence bars the task at that time.
 *
 * Cost: job_absence_bars() O(1), one comparison without absences; job_absence_later() and
 * job_absence_own() O(tasks that are being released).
 */
#ifndef LIBSCHED_JOB_ABSENCE_H
#define LIBSCHED_JOB_ABSENCE_H

#include "model/store/columns.h"

/* Returns for how long a task of the job runs at most; LSCHED_NEVER_US if nobody knows. */
int64_t job_absence_length(const struct columns *k, uint32_t job);
int job_absence_bars_any(const struct columns *k, uint32_t node, int64_t now, uint32_t job);
/* True if a task of the job that starts now could still run when the node is away. */
static inline int job_absence_bars(const struct columns *k, uint32_t node, int64_t now,
                                   uint32_t job) {
    return meta(k, M_ABSENCES) && job_absence_bars_any(k, node, now, job);
}
/* Returns the time, not before `now`, at which the last releasing task of the job should be gone. A
 * releasing task that is stuck (releasing.h) is not counted. */
int64_t job_absence_own(const struct columns *k, uint32_t job, int64_t now);
/* Returns the time, not before `own`, at which the last releasing task of the node should be gone.
 * A releasing task that is stuck is not counted. */
int64_t job_absence_later(const struct columns *k, uint32_t node, int64_t own);
#endif
