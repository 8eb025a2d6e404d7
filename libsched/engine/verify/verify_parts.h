/*
 * verify_parts.h -- functions that the verifier's files share with each other. All files rely on
 * columns_check() having passed: links and lists are sound, and only values are left to check.
 * Sums are 128 bits wide, because no amount in the columns is believed to be small.
 */
#ifndef LIBSCHED_VERIFY_PARTS_H
#define LIBSCHED_VERIFY_PARTS_H

#include "base/wide.h"
#include "model/store/blocks.h"
#include "model/check/check.h"
#include "model/shapes/shape.h"

/* Checks nodes: free amounts equal the capacity less what tasks hold; node classes and topology
 * domains follow from the labels. */
int32_t verify_nodes(struct check *c);
/* Checks MIG devices: their used slices and instances are those of their tasks, and the tables of
 * MIG profiles allow them. */
int32_t verify_mig(struct check *c);
/* Checks NUMA nodes and network cards: no task holds an amount or a card that is free, and the
 * links between a task's devices are as fast as the task asks. */
int32_t verify_machines(struct check *c);
/* Checks tasks: each is on a node that its shape, devices and topology allow, and agrees with its
 * decision. */
int32_t verify_tasks(struct check *c);
/* Checks device claims: the alternative in use, selectors, and the match and distinct
 * attributes. */
int32_t verify_claims(struct check *c);
/* Checks the counts of leaf groups and gangs, the phases of jobs, and bundles. */
int32_t verify_jobs(struct check *c);
/* verify_queues checks the use and the job counts of queues up the tree, and the totals of the
 * cluster. verify_resource_parts checks the use of resource parts, and which nodes are in which
 * pool. */
int32_t verify_queues(struct check *c);
int32_t verify_resource_parts(struct check *c);
/* Returns what a placed task holds of the resource part in row d of DERIVED (the table of resource
 * parts), in base units. */
int64_t verify_resource_parts_held(const struct columns *k, uint32_t task, uint32_t d);
/* Checks the demand of queues, their non-preemptible use, what they do not lend, and their decayed
 * use. */
int32_t verify_shares(struct check *c);
/* Checks the jobs that have a time limit, held jobs, and jobs whose minimum the policy replaced. */
int32_t verify_limits(struct check *c);

/* Computes the least guarantee of each queue: right[kind * queues + queue] is the amount, or
 * LSCHED_UNLIMITED where no guarantee of the kind is kept. */
void verify_rights(const struct columns *k, int64_t *right);

struct verify_under;
/* The decisions of one plan, after the check that they name live rows and agree with them. */
struct verify_decisions {
    /* by decision: its row; the row of the node to which it moves the task, or NO_ROW */
    uint32_t *row, *to_node;
    size_t n;
    const struct verify_under *under;
};
/* Checks the evictions of the plan: which tasks they stop, for which job, and whether a guarantee
 * protects the tasks. */
int32_t verify_evictions(struct check *c, const struct verify_decisions *plan);

/* Checks labels, taints and affinity rules about jobs: which tasks are on nodes that no longer
 * allow them, and the counts that follow from these rules. */
int32_t verify_rules(struct check *c);
/* True if the node's labels and taints let a task of the shape start on it. */
int verify_welcomes(const struct columns *k, uint32_t node, uint32_t shape);
/* True if the node will have more tasks than its maximum when releasing tasks are gone and
 * nominated tasks have started. With `taken` set, also true if the node has more tasks now. */
int verify_crowd(const struct columns *k, uint32_t node, int taken);
/* True if the task must leave its node: the node drains, or has a taint that stops the task and
 * that the task no longer tolerates. */
int verify_must_leave(const struct columns *k, uint32_t task);

/* Readers of columns that several files of the verifier use. */
static inline uint8_t verify_state_of(const struct columns *k, uint32_t task) {
    return k->c[C_TASK_STATE].u8[task];
}
/* True if the task takes room of its node: an evicted task takes room until it is gone, a
 * nominated task takes none. */
static inline int verify_holds(const struct columns *k, uint32_t task) {
    uint8_t s = verify_state_of(k, task);
    return s == LSCHED_TASK_PROPOSED || s == LSCHED_TASK_CONFIRMED || s == LSCHED_TASK_RUNNING ||
           s == LSCHED_TASK_RELEASING;
}
/* True if the task counts in its gang and its queue: an evicted task does not count, a nominated
 * task counts. */
static inline int verify_placed(const struct columns *k, uint32_t task) {
    uint8_t s = verify_state_of(k, task);
    return s == LSCHED_TASK_PROPOSED || s == LSCHED_TASK_CONFIRMED || s == LSCHED_TASK_RUNNING ||
           s == LSCHED_TASK_NOMINATED;
}
/* True if the task holds room on a node or has a nomination there. */
static inline int verify_is_on_node(const struct columns *k, uint32_t task) {
    return verify_holds(k, task) || verify_state_of(k, task) == LSCHED_TASK_NOMINATED;
}
static inline uint32_t verify_group_row(const struct columns *k, uint32_t job, uint32_t group) {
    return k->c[C_JOBSHAPE_GROUP_FIRST].u32[k->c[C_JOB_SHAPE].u32[job]] + group;
}
/* Returns the row of the task's shape, in the alternative that its leaf group uses. */
static inline uint32_t verify_shape(const struct columns *k, uint32_t task) {
    uint32_t group = k->c[C_LEAF_GROUP].u32[k->c[C_TASK_LEAF].u32[task]];
    uint32_t row = verify_group_row(k, k->c[C_TASK_JOB].u32[task], group),
             a = k->c[C_LEAF_ALTERNATIVE].u8[k->c[C_TASK_LEAF].u32[task]];
    return group_alternative(k, row, a < k->c[C_GROUP_N_ALTERNATIVES].u32[row] ? a : 0);
}
static inline uint32_t verify_kinds(const struct columns *k) {
    return (uint32_t)meta(k, M_N_KINDS);
}
/* Converts an amount for a message. An amount beyond 64 bits, which is wrong in any case, becomes
 * the nearest 64-bit bound. */
static inline long long verify_shown(wide_i128 v) {
    return v > INT64_MAX ? INT64_MAX : v < INT64_MIN ? INT64_MIN : (long long)v;
}
/* What one task of a shape takes of one device: thousandths of the device, cores, bytes of memory,
 * and bytes of its memory limit. `may` is 1 if the shape is allowed on the device (the model is
 * not checked here). */
struct verify_part {
    wide_i128 milli, cores, memory, limit;
    int may;
};
struct verify_part verify_part(const struct columns *k, uint32_t device, uint32_t shape);
/* Returns what a placed or nominated task is charged of a resource kind, in base units. */
wide_i128 verify_amount(const struct columns *k, uint32_t task, uint32_t kind);
/* True if the shape's demand for the resource kind is daily: a curve over the time of day. */
int verify_is_daily(const struct columns *k, uint32_t shape, uint32_t kind);
/* Highest points of the sum of a node's daily curves of a kind: `peak` now, and `later` when
 * releasing tasks are gone and nominated tasks have started. */
struct verify_day {
    int64_t peak, later;
    int claimed; /* 1 if a nominated task has a curve that is not all zero */
};
/* Sums the daily curves of the node's tasks into *sums, and checks that the node stores the same
 * sums. */
int32_t verify_day(struct check *c, uint32_t node, uint32_t kind, struct verify_day *sums);
/* verify_shared_node checks that a node has rows in SHARED, the table of devices that tasks share,
 * exactly if its devices need them. verify_shared checks device i's row against the sums over its
 * held, releasing and nominated tasks. `marked` is 1 if a task that is marked as excess is on the
 * device. */
int32_t verify_shared_node(struct check *c, uint32_t node);
int32_t verify_shared(struct check *c, uint32_t node, uint32_t i, const struct verify_part *held,
                      const struct verify_part *releasing, const struct verify_part *claimed,
                      int marked);
/* True if the root of the job's gang tree has its minimum if each leaf group has held[group]
 * tasks. */
int verify_satisfied(const struct columns *k, uint32_t job, const uint32_t *held);
/* Counts into held[group], for each leaf group, the tasks that are placed, nominated or done. */
void verify_held(const struct columns *k, uint32_t job, uint32_t *held);

#endif
