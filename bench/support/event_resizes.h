/*
 * event_resizes.h -- the resizes of event_world.h: running tasks of jobs with one task each that are
 * to have another amount of memory.
 *
 * Each function makes a fixed number of calls for each task. Every task of an event world has free
 * memory for event_resize_describe() on its node.
 */
#ifndef LSCHED_BENCH_EVENT_RESIZES_H
#define LSCHED_BENCH_EVENT_RESIZES_H

#include <libsched/libsched.h>

/* True if the task of the job has, and is to have, the amounts that the job requests. */
int event_resize_is_none(const lsched_cluster *c, lsched_id job);
/* Describes a resize that gives the task one GiB more than it has. The resize refers to *amount. */
void event_resize_describe(const lsched_cluster *c, lsched_id job, lsched_amount *amount,
                           lsched_task_resize *resize);
/* Asks for the amounts that the job requests. */
void event_resize_undo(lsched_cluster *c, lsched_id job);
/* Asks for almost all memory of the node for each of the tasks, so that they wait. */
void event_resizes_wait(lsched_cluster *c, const lsched_id *jobs, uint32_t n);

#endif
