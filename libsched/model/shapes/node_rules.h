/*
 * node_rules.h -- the rules of a task shape about nodes and other jobs, except amounts, devices
 * and selectors: tolerations, affinity rules about the labels of nodes, and affinity rules about
 * the labels of jobs. docs/node-rules.md describes these rules.
 *
 * These rules are one section of the shape's canonical bytes (SHAPE_PART_RULES). The section has
 * three lists, and the elements of each list are sorted by their bytes. Therefore shapes with
 * equal rules have equal bytes, whatever the order was in which the rules were submitted. Fields
 * of one element of each list:
 *     tolerations   key, value, effect, any_value, stop_after_us
 *     node terms    weight (0: required), number of rules, each: key, operation, number of values,
 *                   values
 *     job terms     apart (RULE_*), weight (0: required), tree, level ("": the node itself), number
 *                   of labels, each: key, value
 * SHAPE.RULES has one bit for each sort of rules that the shape has. Therefore a shape without
 * rules costs one test.
 *
 * Taints and node affinity depend only on the class of the node. Therefore they are evaluated
 * once for each pair of node class and shape (search.h). Affinity to jobs depends on which tasks
 * run on which nodes; engine/indexes/affinity_rules.h evaluates it. Costs are linear in the rules
 * of the shape and the taints of the node.
 */
#ifndef LIBSCHED_NODE_RULES_H
#define LIBSCHED_NODE_RULES_H

#include "model/shapes/shape.h"

enum {
    RULES_TOLERATE = 1,
    RULES_NODES = 2,       /* required node affinity */
    RULES_NODES_LIKED = 4, /* preferred node affinity */
    RULES_NEAR = 8,        /* required rules to be near other jobs */
    RULES_APART = 16,
    RULES_JOBS_LIKED = 32, /* preferred rules to be near other jobs or apart from them */
    RULES_EXCLUSIVE = 64,  /* an exclusive level; the bit RULES_APART is then set, too */
    RULES_BAD = 128        /* the bytes cannot be decoded; this value is never stored */
};
#define RULES_OF_JOBS (RULES_NEAR | RULES_APART | RULES_JOBS_LIKED)

/* Returns the bits (RULES_*) of the sorts of rules in the bytes of SHAPE_PART_RULES, or
 * RULES_BAD. */
uint32_t rules_bits(struct reader part);

/* ---- nodes: a row of TAINTS is the number of taints, then each taint in sorted order: key,
 * value, effect, since (0: the taint does not stop running tasks) ---- */

/* Returns the row of TAINTS with the taints of a node or of one device of a node, NO_ROW if it has
 * none. NODE.TAINTED is the number of the node's devices with taints; if it is 0, no device is
 * looked at. A device that has a taint which a task does not tolerate is no device for the task:
 * the task does not start on it, and a taint with the effect STOP ends the task as on a node. */
static inline uint32_t node_taints_row(const struct columns *k, uint32_t node) {
    return k->c[C_CLASS_TAINTS].u32[k->c[C_NODE_CLASS].u32[node]];
}
static inline uint32_t device_taints_row(const struct columns *k, uint32_t device) {
    return k->c[C_DEVICE_TAINTS].u32[device] - 1u;
}

/* Reasons why a node never takes a task of the shape. */
enum { RULES_ALLOW = 0, RULES_TAINTED = 1, RULES_UNWANTED = 2 };
/* Returns RULES_ALLOW, RULES_TAINTED or RULES_UNWANTED for the node's class. For RULES_TAINTED it
 * sets *taint, unless `taint` is NULL, to the first taint that the shape does not tolerate. */
int rules_judge(const struct columns *k, uint32_t node, uint32_t shape, lsched_taint *taint);
/* Does the same for the taints of one row of TAINTS; never returns RULES_UNWANTED. */
int rules_taints_judge(const struct columns *k, uint32_t row, uint32_t shape, lsched_taint *taint);
/* Returns the number of taints of the row that the shape avoids: their effect is AVOID, and the
 * shape does not tolerate them. */
uint32_t rules_taints_avoided(const struct columns *k, uint32_t row, uint32_t shape);
/* Returns the tier of a node for tasks of the shape. Among nodes on which a task fits, a node of
 * a higher tier is chosen first, whatever the scores of the strategy are. In the tier, taints
 * with the effect "avoid" count more than the weights of preferred affinity. A node that has too
 * few devices without such taints counts as one with such a taint. */
int32_t rules_tier(const struct columns *k, uint32_t node, uint32_t shape);
/* Returns 1 if rules_tier() can return a value other than 0 for the shape. */
int rules_have_tiers(const struct columns *k, uint32_t shape);
/* Returns the time at which a task must be gone from its node, because the node drains, or a taint
 * of the node or of one of its devices stops the task. INT64_MIN: at once; LSCHED_NEVER_US: the
 * task can stay. */
int64_t rules_task_gone_by(const struct columns *k, uint32_t task);
/* Writes the taints of a row of TAINTS to list[] and returns their number; 0 for NO_ROW. Both
 * arrays have LIMIT_TAINTS_PER_NODE entries. since[i]: the time at which taint i came, if it stops
 * running tasks, else 0. */
uint32_t rules_taints(const struct columns *k, uint32_t row, lsched_taint *list, int64_t *since);
/* Returns 1 if any node has a bound on the number of its tasks. Costs O(node classes). */
int rules_bound_tasks(const struct columns *k);
/* Returns 1 if the node or one of its devices has a taint that stops running tasks. */
int rules_stop_there(const struct columns *k, uint32_t node);

/* Parses a whole number with an optional sign and nothing else; returns 0 if the text is not such
 * a number. */
int rules_whole_number(lsched_text t, int64_t *out);
/* Returns 1 if a label rule holds for an object. has: 1 if the object has the label, with the
 * value `value`; 0 if not. values: a reader that stands before the n_values texts of the rule. */
int rules_label_holds(uint32_t operation, int has, lsched_text value, struct reader *values,
                      uint32_t n_values);

/* ---- affinity to jobs ---- */

/* Values of `apart` of a job term. An exclusive level is a required anti-affinity to all jobs but
 * the task's own: the term has no weight and no labels. Its tasks need a domain of the level. */
enum { RULE_NEAR = 0, RULE_APART = 1, RULE_EXCLUSIVE = 2 };
struct job_term {
    uint32_t apart, weight;
    /* row of TOPOLOGY and index of the level; NO_ROW: the rule is about the node itself */
    uint32_t topology, level;
    struct reader labels; /* number of labels, then keys and values */
};
/* Reads the next job affinity rule of a shape into *term and returns 1; returns 0 at the end.
 * Before the first call, the caller sets *at to {NULL}. */
int rules_next_term(const struct columns *k, uint32_t shape, struct reader *at, uint32_t *left,
                    struct job_term *term);
/* Returns a reader of the labels of a job: their number, then keys and values, sorted by key. */
struct reader rules_labels_of(const struct columns *k, uint32_t job);
/* Returns 1 if each label of `want` is in `have`. Both are label lists like those that
 * rules_labels_of() returns. */
int rules_labels_within(struct reader want, struct reader have);

/* rules_apart_word() returns the row of the word of COUNTER(APART) that counts the required
 * anti-affinity rules with labels for this level of this topology; topology NO_ROW: for the node
 * itself. rules_exclusive_word() returns that of COUNTER(EXCLUSIVE), which counts the exclusive
 * levels. The word M_APART counts all rules of both sorts, M_EXCLUSIVE the exclusive levels.
 * rules_count_apart() adds the rules of a shape to these counts (sign 1) or subtracts them
 * (sign -1). */
uint32_t rules_apart_word(uint32_t topology, uint32_t level);
uint32_t rules_exclusive_word(uint32_t topology, uint32_t level);
void rules_count_apart(struct columns *k, uint32_t shape, int sign);
/* True if the shape has this exclusive level; topology NO_ROW: the node itself. */
int rules_exclude_others(const struct columns *k, uint32_t shape, uint32_t topology,
                         uint32_t level);
/* True if a leaf group of the job shape has an exclusive level. */
static inline int rules_job_is_exclusive(const struct columns *k, uint32_t jobshape) {
    return (k->c[C_JOBSHAPE_PINNED].u8[jobshape] & PINNED_EXCLUSIVE) != 0;
}
/* True if the group is a leaf group with an exclusive level. group: row of GROUP. */
static inline int group_is_exclusive(const struct columns *k, uint32_t group) {
    uint32_t shape = k->c[C_GROUP_SHAPE].u32[group];
    return shape != NO_ROW && (k->c[C_SHAPE_RULES].u8[shape] & RULES_EXCLUSIVE);
}
/* Returns a nominated task that, by a required anti-affinity rule, must not be in the same place
 * as the given running task; NO_ROW if there is none. */
uint32_t rules_nominated_beside(const struct columns *k, uint32_t task);

#endif
