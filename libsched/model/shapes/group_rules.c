/* group_rules.c -- see group_rules.h. */
#include "model/shapes/group_rules.h"

#include "model/shapes/domain.h"
#include "model/shapes/shape.h"
#include "model/store/steps.h"

static uint32_t group_of(const struct columns *k, uint32_t task) {
    return k->c[C_LEAF_GROUP].u32[k->c[C_TASK_LEAF].u32[task]];
}

/* True if the tasks are in different domains of the level. */
static int are_apart(const struct columns *k, uint32_t topology, uint32_t level, uint32_t a,
                     uint32_t b) {
    return domain_of_node(k, topology, k->c[C_TASK_NODE].u32[a], level) !=
           domain_of_node(k, topology, k->c[C_TASK_NODE].u32[b], level);
}

/* True if group g is `leaf` or a group above it. */
static int group_holds(const struct columns *k, uint32_t jobshape, uint32_t g, uint32_t leaf) {
    while (leaf != g && leaf != 0) leaf = k->c[C_GROUP_PARENT].u32[group_row(k, jobshape, leaf)];
    return leaf == g;
}

/* True if a group of both tasks requires one domain for them, and they are in two. */
static int breaks_required(const struct columns *k, uint32_t jobshape, uint32_t task,
                           uint32_t claim) {
    for (uint32_t g = group_of(k, task);; g = k->c[C_GROUP_PARENT].u32[group_row(k, jobshape, g)]) {
        uint32_t row = group_row(k, jobshape, g), level = k->c[C_GROUP_REQUIRED].u32[row];
        if (level != NO_ROW && group_holds(k, jobshape, g, group_of(k, claim)) &&
            are_apart(k, k->c[C_GROUP_TOPOLOGY].u32[row], level, task, claim))
            return 1;
        if (g == 0) return 0;
    }
}

/* True if a block of tasks of the leaf group has both tasks, and they are in two domains. */
static int breaks_block(const struct columns *k, uint32_t row, uint32_t task, uint32_t claim) {
    uint32_t base = k->c[C_GROUP_BASE].u32[row];
    for (uint32_t i = 0; i < k->c[C_GROUP_N_SLICES].u8[row]; i++) {
        uint32_t tasks = k->c[C_GROUP_SLICE_TASKS0 + i].u32[row];
        if ((k->c[C_TASK_INDEX].u32[task] - base) / tasks ==
                (k->c[C_TASK_INDEX].u32[claim] - base) / tasks &&
            are_apart(k, k->c[C_GROUP_TOPOLOGY].u32[row], k->c[C_GROUP_SLICE_LEVEL0 + i].u32[row],
                      task, claim))
            return 1;
    }
    return 0;
}

/* True if both tasks are on one node, or in one domain of the spread, that has more tasks of the
 * leaf group than its limit allows. */
static int breaks_limit(const struct columns *k, uint32_t row, uint32_t task, uint32_t claim) {
    uint32_t node = k->c[C_TASK_NODE].u32[task], topology = k->c[C_GROUP_TOPOLOGY].u32[row],
             level = k->c[C_GROUP_SPREAD].u32[row], most = k->c[C_GROUP_NODE_MAX].u32[row],
             on_node = 0, in_domain = 0;
    int same_node = most > 0 && k->c[C_TASK_NODE].u32[claim] == node,
        same_domain = level != NO_ROW && !are_apart(k, topology, level, task, claim);
    if (!same_node && !same_domain) return 0;
    for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[k->c[C_TASK_LEAF].u32[task]]; t != NO_ROW;
         t = k->c[C_TASK_NEXT].u32[t]) {
        steps_add(k, 1);
        if (k->c[C_TASK_NODE].u32[t] == NO_ROW || k->c[C_TASK_IMPORTED].u8[t]) continue;
        on_node += k->c[C_TASK_NODE].u32[t] == node;
        if (same_domain) in_domain += !are_apart(k, topology, level, task, t);
    }
    return (same_node && on_node > most) ||
           (same_domain && in_domain > k->c[C_GROUP_SPREAD_MAX].u32[row]);
}

static int breaks_rule(const struct columns *k, uint32_t jobshape, uint32_t task, uint32_t claim) {
    uint32_t row = group_row(k, jobshape, group_of(k, task));
    if (k->c[C_TASK_LEAF].u32[claim] == k->c[C_TASK_LEAF].u32[task] &&
        (breaks_block(k, row, task, claim) || breaks_limit(k, row, task, claim)))
        return 1;
    return breaks_required(k, jobshape, task, claim);
}

uint32_t group_rules_nominated_beside(const struct columns *k, uint32_t task) {
    uint32_t best = NO_ROW, job = k->c[C_TASK_JOB].u32[task];
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job];
    if (meta(k, M_NOMINATED) == 0 || k->c[C_TASK_IMPORTED].u8[task]) return NO_ROW;
    if (!k->c[C_JOBSHAPE_PINNED].u8[jobshape] &&
        k->c[C_GROUP_NODE_MAX].u32[group_row(k, jobshape, group_of(k, task))] == 0)
        return NO_ROW;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        if (k->c[C_LEAF_NOMINATED].u32[l] == 0) continue;
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            steps_add(k, 1);
            if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_NOMINATED ||
                !breaks_rule(k, jobshape, task, t))
                continue;
            if (best == NO_ROW || k->c[C_DECISION_GROUP].u64[k->c[C_TASK_DECISION].u32[t]] >
                                      k->c[C_DECISION_GROUP].u64[k->c[C_TASK_DECISION].u32[best]])
                best = t;
        }
    }
    return best;
}
