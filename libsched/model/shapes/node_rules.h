/*
 * node_rules.h -- what a task shape says of nodes and of other jobs beyond amounts, devices and
 * selectors: tolerations, terms about the labels of nodes, terms about the labels of jobs.
 * docs/node-rules.md is their text.
 *
 * They are one part of the shape's canonical bytes (SHAPE_PART_RULES), each list sorted by its
 * bytes, so that equal rules are equal shapes whatever their order at submission:
 *     tolerations   key, value, effect, any value, stop after
 *     node terms    weight (0: required), number of rules, each: key, operation, number of values,
 *                   values
 *     job terms     apart, weight (0: required), tree, level ("": the node itself), number of
 *                   labels, each: key, value
 * SHAPE.RULES has a bit for each sort that is there, so a shape without any pays one test.
 *
 * Taints and node terms depend on the class of the node alone: they are asked once per class and
 * shape (search.h). Terms about jobs depend on what runs where: engine/indexes/affinity_rules.h.
 * Costs are linear in what the shape and the node list.
 */
#ifndef LIBSCHED_NODE_RULES_H
#define LIBSCHED_NODE_RULES_H

#include "model/shapes/shape.h"

enum {
    RULES_TOLERATE = 1,
    RULES_NODES = 2,       /* required terms about nodes */
    RULES_NODES_LIKED = 4, /* preferred ones */
    RULES_NEAR = 8,        /* required terms about jobs */
    RULES_APART = 16,
    RULES_JOBS_LIKED = 32, /* preferred ones, either way */
    RULES_BAD = 128        /* the bytes do not decode: never stored */
};
#define RULES_OF_JOBS (RULES_NEAR | RULES_APART | RULES_JOBS_LIKED)

/* The bits of a part, or RULES_BAD. */
uint32_t rules_bits(struct reader part);

/* ---- nodes: a row of TAINTS is their number, then each sorted: key, value, effect, since (0: it
 * does not stop work) ---- */

/* Why a node never takes a task of the shape. */
enum { RULES_ALLOW = 0, RULES_TAINTED = 1, RULES_UNWANTED = 2 };
/* Asked of the node's class; *taint (may be NULL) is the first taint that is not tolerated. */
int rules_judge(const struct columns *k, uint32_t node, uint32_t shape, lsched_taint *taint);
/* Of two nodes that take it the one with more comes first, whatever their scores: taints to avoid
 * count before weights. */
int32_t rules_tier(const struct columns *k, uint32_t node, uint32_t shape);
/* Are there nodes or shapes for which rules_tier says anything but 0. */
int rules_have_tiers(const struct columns *k, uint32_t shape);
/* When a task has to be gone from where it is: its node drains, or a taint stops it. INT64_MIN: at
 * once; LSCHED_NEVER_US: it may stay. */
int64_t rules_task_gone_by(const struct columns *k, uint32_t task);
/* The taints of a node into lists of LIMIT_TAINTS_PER_NODE: how many. since: when those came that
 * stop work. */
uint32_t rules_taints(const struct columns *k, uint32_t node, lsched_taint *list, int64_t *since);
/* Is there a node with a bound on its tasks. O(classes). */
int rules_bound_tasks(const struct columns *k);
/* Has the node a taint that stops work. */
int rules_stop_there(const struct columns *k, uint32_t node);

/* A whole number with an optional sign, and nothing else; 0 if it is none. */
int rules_whole_number(lsched_text t, int64_t *out);
/* One rule about a label that an object has (value) or not (has 0). values: so many texts
 * follow. */
int rules_label_holds(uint32_t operation, int has, lsched_text value, struct reader *values,
                      uint32_t n_values);

/* ---- terms about jobs ---- */

struct job_term {
    uint32_t apart, weight;
    uint32_t topology, level; /* rows; NO_ROW: the node itself */
    struct reader labels;     /* number, keys and values */
};
/* The terms of a shape in turn: *at begins as {NULL}; 0 at the end. */
int rules_next_term(const struct columns *k, uint32_t shape, struct reader *at, uint32_t *left,
                    struct job_term *term);
/* The labels of a job: number, then keys and values, sorted by key. */
struct reader rules_labels_of(const struct columns *k, uint32_t job);
/* Is each label of the first list in the second; both as above. */
int rules_labels_within(struct reader want, struct reader have);

/* Shapes with required terms that keep apart, counted by level: word of COUNTER(APART). 0: all of
 * them. */
uint32_t rules_apart_word(uint32_t topology, uint32_t level);
void rules_count_apart(struct columns *k, uint32_t shape, int sign);
/* A claim that may not stand beside a task that runs, though it was not reckoned with; NO_ROW. */
uint32_t rules_claim_beside(const struct columns *k, uint32_t task);

#endif
