/* job_states.h -- the states of jobs, and what the states of tasks say. Tasks have the states of
 * the public header. */
#ifndef LIBSCHED_JOB_STATES_H
#define LIBSCHED_JOB_STATES_H

#include <libsched/libsched.h>

/* The state of a job: C_JOB_STATE. */
enum { JOB_NEW = 0, JOB_REFUSED = 1, JOB_QUEUED = 2, JOB_FULL = 3, JOB_LEAVING = 4 };

/* True if a task of the state holds resources of its node. */
static inline int task_holds(uint8_t state) {
    return state >= LSCHED_TASK_PROPOSED && state <= LSCHED_TASK_RELEASING;
}
/* True if a task of the state is a member of its gang that has a place, or a claim on one. */
static inline int task_placed(uint8_t state) {
    return (state >= LSCHED_TASK_PROPOSED && state <= LSCHED_TASK_RUNNING) ||
           state == LSCHED_TASK_NOMINATED;
}

#endif
