/*
 * verify_parts.h -- the verifier's files among each other. All rely on columns_check() having
 * passed: links and lists are sound, so these ask only whether what they carry is right. Sums are
 * 128 bits wide: no amount in the columns is believed to be small.
 */
#ifndef LIBSCHED_VERIFY_PARTS_H
#define LIBSCHED_VERIFY_PARTS_H

#include "base/wide.h"
#include "model/store/blocks.h"
#include "model/check/check.h"
#include "model/shapes/shape.h"

/* What is free is what there is less what tasks hold; classes and domains follow the labels. */
int32_t verify_nodes(struct check *c);
/* MIG: slices and instances of devices are those of their tasks, and what the tables allow. */
int32_t verify_mig(struct check *c);
/* NUMA nodes and network cards: what is free is what nobody has; links are as asked for. */
int32_t verify_machines(struct check *c);
/* A task is where its shape, devices and topology let it be, and its decision agrees. */
int32_t verify_tasks(struct check *c);
int32_t verify_claims(struct check *c); /* alternatives, selectors, match and distinct */
/* Counts of leaves, gangs, phases, bundles. */
int32_t verify_jobs(struct check *c);
/* Use, jobs and totals up the tree; then the use of parts of kinds, and pools. */
int32_t verify_queues(struct check *c);
int32_t verify_derived(struct check *c);
/* What a task that is placed holds of row d of DERIVED. */
int64_t verify_derived_held(const struct columns *k, uint32_t task, uint32_t d);
/* What queues are asked for, hold for sure, keep and remember. */
int32_t verify_shares(struct check *c);
/* Who is due, who is held, whose minimum was replaced. */
int32_t verify_limits(struct check *c);

/* What queues are guaranteed at least: right[kind * queues + queue], LSCHED_UNLIMITED where
 * nobody keeps account. */
void verify_rights(const struct columns *k, int64_t *right);

struct verify_under;
/* A plan whose decisions name live rows and agree with them. */
struct verify_decisions {
    uint32_t *row, *to_node; /* by decision: its row; the row of the node it names, NO_ROW */
    size_t n;
    const struct verify_under *under;
};
/* Who is stopped, for whom, and what guarantees protect. */
int32_t verify_evictions(struct check *c, const struct verify_decisions *plan);

/* Labels, taints and terms about jobs: who is where they do not want it, and the counts that hang
 * on them. */
int32_t verify_rules(struct check *c);
/* Do the node's labels and taints let a task of the shape start there. */
int verify_welcomes(const struct columns *k, uint32_t node, uint32_t shape);
/* Are more tasks there than its bound allows: when what leaves has left and claims are met; taken:
 * or now. */
int verify_crowd(const struct columns *k, uint32_t node, int taken);
/* Has the task to leave its node: it drains, or a taint stops it by now. */
int verify_must_leave(const struct columns *k, uint32_t task);

/* Readers that more than one part needs. */
static inline uint8_t verify_state_of(const struct columns *k, uint32_t task) {
    return k->c[C_TASK_STATE].u8[task];
}
/* Does the row take room of its node: what was evicted does until it is gone, a claim does not. */
static inline int verify_holds(const struct columns *k, uint32_t task) {
    uint8_t s = verify_state_of(k, task);
    return s == LSCHED_TASK_PROPOSED || s == LSCHED_TASK_CONFIRMED || s == LSCHED_TASK_RUNNING ||
           s == LSCHED_TASK_RELEASING;
}
/* Does it count in its gang and its queue: what was evicted does not, a claim does. */
static inline int verify_placed(const struct columns *k, uint32_t task) {
    uint8_t s = verify_state_of(k, task);
    return s == LSCHED_TASK_PROPOSED || s == LSCHED_TASK_CONFIRMED || s == LSCHED_TASK_RUNNING ||
           s == LSCHED_TASK_NOMINATED;
}
/* Is it on a node, in whatever sense. */
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
/* For messages: what does not fit is cut, as it is wrong anyway. */
static inline long long verify_shown(wide_i128 v) {
    return v > INT64_MAX ? INT64_MAX : v < INT64_MIN ? INT64_MIN : (long long)v;
}
/* What one task of a shape takes of one device, of milli, cores, and bytes; may: it is allowed
 * there, its model aside. */
struct verify_part {
    wide_i128 milli, cores, memory, limit;
    int may;
};
struct verify_part verify_part(const struct columns *k, uint32_t device, uint32_t shape);
/* What a task that has a place, or a claim on one, is charged of a kind. */
wide_i128 verify_amount(const struct columns *k, uint32_t task, uint32_t kind);
/* Does the shape ask for a curve of the kind over the day; and what the node's tasks come to of
 * it. */
int verify_is_daily(const struct columns *k, uint32_t shape, uint32_t kind);
struct verify_day {
    int64_t peak, later; /* of what is held, and when what leaves has left and claims are met */
    int claimed;         /* some task claims a curve that is not all zero */
};
/* Sums of curves, and that the node keeps just these. */
int32_t verify_day(struct check *c, uint32_t node, uint32_t kind, struct verify_day *sums);
/* The rows of SHARED: that they are where they must be; and one of them. marked: a marked task is
 * on the device. */
int32_t verify_shared_node(struct check *c, uint32_t node);
int32_t verify_shared(struct check *c, uint32_t node, uint32_t i, const struct verify_part *held,
                      const struct verify_part *leaving, const struct verify_part *claimed,
                      int marked);
/* Does the root of the job's gang tree stand, counting per leaf what is in held[group]. */
int verify_satisfied(const struct columns *k, uint32_t job, const uint32_t *held);
/* Per leaf group: tasks that hold something or are done. */
void verify_held(const struct columns *k, uint32_t job, uint32_t *held);

#endif
