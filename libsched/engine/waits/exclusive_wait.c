/* exclusive_wait.c -- see exclusive_wait.h. */
#include "engine/waits/exclusive_wait.h"

#include "model/shapes/domain.h"
#include "model/shapes/leaf.h"
#include "model/shapes/node_rules.h"
#include "model/store/steps.h"

/* One exclusive level. own: 1 if the waiting task has it, so that all tasks of other jobs count. */
struct apart_level {
    uint32_t job, topology, level;
    int own;
};

static int64_t left_node_at(const struct columns *k, const struct apart_level *l, uint32_t node) {
    int64_t at = 0;
    if (k->c[C_NODE_FUTURE].u32[node] == 0) return 0;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        steps_add(k, 1);
        if (k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_RELEASING && !k->c[C_TASK_STUCK].u8[t] &&
            k->c[C_TASK_JOB].u32[t] != l->job && k->c[C_TASK_RELEASE_AT].i64[t] > at &&
            (l->own || rules_exclude_others(k, task_shape(k, t), l->topology, l->level)))
            at = k->c[C_TASK_RELEASE_AT].i64[t];
    }
    return at;
}

static int64_t left_at(const struct columns *k, const struct apart_level *l, uint32_t node) {
    int64_t last = 0;
    if (l->topology == NO_ROW) return left_node_at(k, l, node);
    uint32_t root = domain_of_node(k, l->topology, node, l->level);
    for (uint32_t d = root; d != NO_ROW; d = domain_next(k, root, d))
        for (uint32_t n = domain_first_node(k, d); n != NO_ROW; n = domain_next_node(k, d, n)) {
            int64_t at = left_node_at(k, l, n);
            steps_add(k, 1);
            if (at > last) last = at;
        }
    return last;
}

int64_t exclusive_wait_until(const struct columns *k, uint32_t job, uint32_t shape, uint32_t node) {
    int64_t last = 0;
    if (!meta(k, M_EXCLUSIVE) || !meta(k, M_LEAVING)) return 0;
    for (uint32_t word = 1; word < 2 + LSCHED_TOPOLOGIES_MAX * LSCHED_TOPOLOGY_LEVELS_MAX; word++) {
        struct apart_level l = {job, NO_ROW, NO_ROW, 0};
        if (!meta(k, M_EXCLUSIVE + word)) continue;
        if (word > 1) l.topology = (word - 2) / LSCHED_TOPOLOGY_LEVELS_MAX;
        if (word > 1) l.level = (word - 2) % LSCHED_TOPOLOGY_LEVELS_MAX;
        l.own = rules_exclude_others(k, shape, l.topology, l.level);
        int64_t at = left_at(k, &l, node);
        if (at > last) last = at;
    }
    return last;
}
