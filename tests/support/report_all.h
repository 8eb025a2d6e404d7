/*
 * report_all.h -- the same event for each task of a job, as an orchestrator reports those of a
 * gang: one call for each task, in the order of the tasks.
 */
#ifndef LSCHED_TESTS_REPORT_ALL_H
#define LSCHED_TESTS_REPORT_ALL_H

#include <libsched/libsched.h>

/* Returns the code of the first call that failed; a number that is not negative if none did. */
static inline int32_t report_all(lsched_cluster *c, lsched_id job, uint32_t tasks, uint32_t event,
                                 int64_t at_us, lsched_error *err) {
    int32_t rc = LSCHED_OK;
    for (uint32_t t = 0; t < tasks && rc >= 0; t++) {
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.event = event;
        e.job = job;
        e.task_index = t;
        e.at_us = at_us;
        rc = lsched_tasks_report(c, &e, 1, sizeof e, NULL, NULL, err);
    }
    return rc;
}

#endif
