/*
 * verify_parts.h -- what the verifier's files share with each other. All of them rely on
 * columns_check() having passed: links and lists are sound, so the files check only the values.
 * Sums are 128 bits wide, because no amount in the columns is believed to be small.
 */
#ifndef LIBSCHED_VERIFY_PARTS_H
#define LIBSCHED_VERIFY_PARTS_H

#include "base/wide.h"
#include "model/store/blocks.h"
#include "model/check/check.h"
#include "model/shapes/shape.h"

/* Free amounts equal capacity less what tasks hold; classes and domains follow the labels. */
int32_t verify_nodes(struct check *c);
/* MIG: the slices and instances of devices are those of their tasks, and the tables allow them. */
int32_t verify_mig(struct check *c);
/* NUMA nodes and network cards: free is what no task holds; links are as the tasks ask. */
int32_t verify_machines(struct check *c);
/* Each task is on a node that its shape, devices and topology allow, and its decision agrees. */
int32_t verify_tasks(struct check *c);
int32_t verify_claims(struct check *c); /* alternatives, selectors, match and distinct */
/* Counts of leaves, gangs, phases, bundles. */
int32_t verify_jobs(struct check *c);
/* Use, jobs and totals up the tree; then the use of parts of kinds, and pools. */
int32_t verify_queues(struct check *c);
int32_t verify_derived(struct check *c);
/* What a placed task holds of the quota kind in row d of DERIVED. */
int64_t verify_derived_held(const struct columns *k, uint32_t task, uint32_t d);
/* Demand of queues, their non-preemptible use, what they do not lend, and their decayed use. */
int32_t verify_shares(struct check *c);
/* Jobs that are due, jobs that are held, jobs whose minimum was replaced. */
int32_t verify_limits(struct check *c);

/* The least that each queue is guaranteed: right[kind * queues + queue]; LSCHED_UNLIMITED where no
 * account of the kind is kept. */
void verify_rights(const struct columns *k, int64_t *right);

struct verify_under;
/* A plan whose decisions name live rows and agree with them. */
struct verify_decisions {
    uint32_t *row, *to_node; /* by decision: its row; the row of the node it names, NO_ROW */
    size_t n;
    const struct verify_under *under;
};
/* Checks which tasks the plan stops, for which job, and what guarantees protect. */
int32_t verify_evictions(struct check *c, const struct verify_decisions *plan);

/* Labels, taints and terms about jobs: tasks on nodes that no longer allow them, and the counts
 * that follow. */
int32_t verify_rules(struct check *c);
/* True if the node's labels and taints let a task of the shape start on it. */
int verify_welcomes(const struct columns *k, uint32_t node, uint32_t shape);
/* True if the node has more tasks than its bound allows once leaving tasks have left and claims are
 * met; taken: or has more now. */
int verify_crowd(const struct columns *k, uint32_t node, int taken);
/* True if the task must leave its node: the node drains, or a taint stops the task by now. */
int verify_must_leave(const struct columns *k, uint32_t task);

/* Readers that more than one part needs. */
static inline uint8_t verify_state_of(const struct columns *k, uint32_t task) {
    return k->c[C_TASK_STATE].u8[task];
}
/* True if the task takes room of its node: an evicted task does until it is gone, a claim does
 * not. */
static inline int verify_holds(const struct columns *k, uint32_t task) {
    uint8_t s = verify_state_of(k, task);
    return s == LSCHED_TASK_PROPOSED || s == LSCHED_TASK_CONFIRMED || s == LSCHED_TASK_RUNNING ||
           s == LSCHED_TASK_RELEASING;
}
/* True if the task counts in its gang and its queue: an evicted task does not, a claim does. */
static inline int verify_placed(const struct columns *k, uint32_t task) {
    uint8_t s = verify_state_of(k, task);
    return s == LSCHED_TASK_PROPOSED || s == LSCHED_TASK_CONFIRMED || s == LSCHED_TASK_RUNNING ||
           s == LSCHED_TASK_NOMINATED;
}
/* True if the task holds room on a node or has a claim there. */
static inline int verify_is_on_node(const struct columns *k, uint32_t task) {
    return verify_holds(k, task) || verify_state_of(k, task) == LSCHED_TASK_NOMINATED;
}
static inline uint32_t verify_group_row(const struct columns *k, uint32_t job, uint32_t group) {
    return k->c[C_JOBSHAPE_GROUP_FIRST].u32[k->c[C_JOB_SHAPE].u32[job]] + group;
}
/* The task shape of a task. */
static inline uint32_t verify_shape(const struct columns *k, uint32_t task) {
    uint32_t group = k->c[C_LEAF_GROUP].u32[k->c[C_TASK_LEAF].u32[task]];
    uint32_t row = verify_group_row(k, k->c[C_TASK_JOB].u32[task], group),
             a = k->c[C_LEAF_ALTERNATIVE].u8[k->c[C_TASK_LEAF].u32[task]];
    return group_alternative(k, row, a < k->c[C_GROUP_N_ALTERNATIVES].u32[row] ? a : 0);
}
static inline uint32_t verify_kinds(const struct columns *k) {
    return (uint32_t)meta(k, M_N_KINDS);
}
/* The amount for a message: an amount beyond 64 bits, which is wrong anyway, is cut to the nearest
 * bound. */
static inline long long verify_shown(wide_i128 v) {
    return v > INT64_MAX ? INT64_MAX : v < INT64_MIN ? INT64_MIN : (long long)v;
}
/* What one task of a shape takes of one device, in milli, cores and bytes; may: the shape is
 * allowed on the device (the model is not checked here). */
struct verify_part {
    wide_i128 milli, cores, memory, limit;
    int may;
};
struct verify_part verify_part(const struct columns *k, uint32_t device, uint32_t shape);
/* What a task that has a place, or a claim on one, is charged of a kind. */
wide_i128 verify_amount(const struct columns *k, uint32_t task, uint32_t kind);
/* True if the shape asks for a daily curve of the kind. */
int verify_is_daily(const struct columns *k, uint32_t shape, uint32_t kind);
/* Highest points of the sum of a node's daily curves of a kind: now, and once leaving tasks have
 * left and claims are met. */
struct verify_day {
    int64_t peak, later;
    int claimed; /* some task claims a curve that is not all zero */
};
/* Sums the curves of the node's tasks, and checks that the node stores the same sums. */
int32_t verify_day(struct check *c, uint32_t node, uint32_t kind, struct verify_day *sums);
/* Checks that a node has rows of SHARED exactly where it must; verify_shared checks one of them.
 * marked: a marked task is on the device. */
int32_t verify_shared_node(struct check *c, uint32_t node);
int32_t verify_shared(struct check *c, uint32_t node, uint32_t i, const struct verify_part *held,
                      const struct verify_part *leaving, const struct verify_part *claimed,
                      int marked);
/* True if the root of the job's gang tree has its minimum, counting held[group] tasks per leaf. */
int verify_satisfied(const struct columns *k, uint32_t job, const uint32_t *held);
/* Counts into held[group], for each leaf group, the tasks that hold something or are done. */
void verify_held(const struct columns *k, uint32_t job, uint32_t *held);

#endif
