/*
 * node_rules.h -- what a task shape requires of nodes and of other jobs beyond amounts, devices
 * and selectors: tolerations, affinity rules about the labels of nodes, affinity rules about the
 * labels of jobs. docs/node-rules.md describes them.
 *
 * These rules are one section of the shape's canonical bytes (SHAPE_PART_RULES). Each list is
 * sorted by its bytes. Therefore shapes with equal rules have equal bytes, in whatever order the
 * rules were submitted. Fields of an element:
 *     tolerations   key, value, effect, any_value, stop_after_us
 *     node terms    weight (0: required), number of rules, each: key, operation, number of values,
 *                   values
 *     job terms     apart, weight (0: required), tree, level ("": the node itself), number of
 *                   labels, each: key, value
 * SHAPE.RULES has a bit for each sort that is present, so a shape without rules costs one test.
 *
 * Taints and node affinity depend only on the class of the node, so they are evaluated once per
 * class and shape (search.h). Affinity to jobs depends on which tasks run where:
 * engine/indexes/affinity_rules.h. Costs are linear in the number of rules of the shape and
 * taints of the node.
 */
#ifndef LIBSCHED_NODE_RULES_H
#define LIBSCHED_NODE_RULES_H

#include "model/shapes/shape.h"

enum {
    RULES_TOLERATE = 1,
    RULES_NODES = 2,       /* required node affinity */
    RULES_NODES_LIKED = 4, /* preferred node affinity */
    RULES_NEAR = 8,        /* required affinity to jobs */
    RULES_APART = 16,
    RULES_JOBS_LIKED = 32, /* preferred affinity to jobs, near or apart */
    RULES_BAD = 128        /* the bytes do not decode: never stored */
};
#define RULES_OF_JOBS (RULES_NEAR | RULES_APART | RULES_JOBS_LIKED)

/* Returns the bits for the bytes of SHAPE_PART_RULES, or RULES_BAD. */
uint32_t rules_bits(struct reader part);

/* ---- nodes: a row of TAINTS is the number of taints, then each taint in sorted order: key,
 * value, effect, since (0: the taint does not stop running tasks) ---- */

/* Reasons why a node never takes a task of the shape. */
enum { RULES_ALLOW = 0, RULES_TAINTED = 1, RULES_UNWANTED = 2 };
/* Returns RULES_* for the node's class; *taint (can be NULL) is the first taint that is not
 * tolerated. */
int rules_judge(const struct columns *k, uint32_t node, uint32_t shape, lsched_taint *taint);
/* Returns the tier of a node. Among nodes that take the task, a node of a higher tier comes
 * first, whatever the scores. Taints to avoid count more than weights. */
int32_t rules_tier(const struct columns *k, uint32_t node, uint32_t shape);
/* Returns 1 if rules_tier() can return something other than 0 for the shape. */
int rules_have_tiers(const struct columns *k, uint32_t shape);
/* Returns the time at which a task must be gone from its node, because the node drains or a taint
 * stops the task. INT64_MIN: at once; LSCHED_NEVER_US: the task can stay. */
int64_t rules_task_gone_by(const struct columns *k, uint32_t task);
/* Writes the taints of a node into lists of LIMIT_TAINTS_PER_NODE entries and returns their
 * number. since: the times at which the taints that stop running tasks came. */
uint32_t rules_taints(const struct columns *k, uint32_t node, lsched_taint *list, int64_t *since);
/* Returns 1 if some node has a bound on the number of its tasks. O(classes). */
int rules_bound_tasks(const struct columns *k);
/* Returns 1 if the node has a taint that stops running tasks. */
int rules_stop_there(const struct columns *k, uint32_t node);

/* Parses a whole number with an optional sign and nothing else; returns 0 if the text is not such
 * a number. */
int rules_whole_number(lsched_text t, int64_t *out);
/* Returns 1 if a label rule holds for an object that has the label with this value, or lacks it
 * (has 0). values: a reader at n_values texts. */
int rules_label_holds(uint32_t operation, int has, lsched_text value, struct reader *values,
                      uint32_t n_values);

/* ---- affinity to jobs ---- */

struct job_term {
    uint32_t apart, weight;
    uint32_t topology, level; /* rows; NO_ROW: the node itself */
    struct reader labels;     /* number of labels, then keys and values */
};
/* Reads the next job affinity rule of a shape; *at begins as {NULL}. Returns 0 at the end. */
int rules_next_term(const struct columns *k, uint32_t shape, struct reader *at, uint32_t *left,
                    struct job_term *term);
/* Returns the labels of a job: their number, then keys and values, sorted by key. */
struct reader rules_labels_of(const struct columns *k, uint32_t job);
/* Returns 1 if each label of the first list is in the second; both lists as returned by
 * rules_labels_of(). */
int rules_labels_within(struct reader want, struct reader have);

/* rules_apart_word() returns the word of COUNTER(APART) that counts the shapes with a required
 * rule to keep apart at this level; word 0 counts all of them. rules_count_apart() changes the
 * counts. */
uint32_t rules_apart_word(uint32_t topology, uint32_t level);
void rules_count_apart(struct columns *k, uint32_t shape, int sign);
/* Returns a nominated task that required anti-affinity keeps apart from the given running task,
 * which the nomination did not expect; NO_ROW if there is none. */
uint32_t rules_nominated_beside(const struct columns *k, uint32_t task);

#endif
