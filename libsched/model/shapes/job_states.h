/* job_states.h -- the phases of jobs, and predicates on the states of tasks. The states of tasks
 * are defined in the public header. */
#ifndef LIBSCHED_JOB_STATES_H
#define LIBSCHED_JOB_STATES_H

#include <libsched/libsched.h>

/* Phase of a job: C_JOB_PHASE. */
enum {
    JOB_NEW = 0,
    JOB_REFUSED = 1,
    JOB_QUEUED = 2,
    JOB_FULL = 3,
    JOB_RELEASING = 4,
    JOB_ARRAY = 5
};

/* Returns 1 if a task in this state holds resources of its node. */
static inline int task_holds(uint8_t state) {
    return state >= LSCHED_TASK_PROPOSED && state <= LSCHED_TASK_RELEASING;
}
/* Returns 1 if a task in this state counts as a placed or nominated member of its gang. */
static inline int task_placed(uint8_t state) {
    return (state >= LSCHED_TASK_PROPOSED && state <= LSCHED_TASK_RUNNING) ||
           state == LSCHED_TASK_NOMINATED;
}

#endif
