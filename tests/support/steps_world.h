/* steps_world.h -- a cluster of equal nodes with the queue "q", and one cycle of it: for tests that
 * count steps (lsched_plan_info.steps) and need nothing but the public interface. */
#ifndef LSCHED_TESTS_STEPS_WORLD_H
#define LSCHED_TESTS_STEPS_WORLD_H

#include <libsched/libsched.h>

/* Fails the test if the code is an error; prints the message of steps_err. */
void steps_must(int32_t code);
extern lsched_error steps_err;

/* Nodes "n0", "n1" and so on with 8 cores each, and the queue "q". */
lsched_cluster *steps_world(uint32_t nodes);
void steps_node_add(lsched_cluster *c, const char *name);
lsched_id steps_queue_add(lsched_cluster *c, const char *name, uint32_t flags);
/* Submits a job of one task with so many milli-cores. user: "" for none. */
void steps_submit_as(lsched_cluster *c, const char *name, int64_t cpu, const char *queue,
                     const char *user);
/* Submits a job of one core to the queue "q". */
void steps_submit(lsched_cluster *c, const char *name);
/* Reports that the task of the job started and ended. */
void steps_end_task(lsched_cluster *c, const char *job);
lsched_plan_info steps_cycle(lsched_cluster *c, int64_t now_us);

#endif
