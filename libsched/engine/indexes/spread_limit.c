/* spread_limit.c -- see spread_limit.h. */
#include "engine/indexes/spread_limit.h"

#include <assert.h>

#include "model/shapes/domain.h"

/* Returns the first task in the leaf's list, beginning at `task`, that has a node because the
 * task holds room or is nominated. */
static uint32_t next_held(const struct columns *k, uint32_t task) {
    while (task != NO_ROW && k->c[C_TASK_NODE].u32[task] == NO_ROW)
        task = k->c[C_TASK_NEXT].u32[task];
    return task;
}

static uint32_t first_held(const struct columns *k, const struct ask *a) {
    return a->leaf == NO_ROW ? NO_ROW : next_held(k, k->c[C_LEAF_TASK_FIRST].u32[a->leaf]);
}

int spread_limit_allows(const struct columns *k, const struct ask *a, uint32_t node) {
    uint32_t level = k->c[C_GROUP_SPREAD].u32[a->row];
    if (level == NO_ROW) return 1;
    assert(ask_is_fresh(a, k));
    uint32_t topology = k->c[C_GROUP_TOPOLOGY].u32[a->row];
    uint32_t domain = domain_of_node(k, topology, node, level), held = 0;
    if (domain == NO_ROW) return 0;
    for (uint32_t t = first_held(k, a); t != NO_ROW; t = next_held(k, k->c[C_TASK_NEXT].u32[t]))
        held += domain_of_node(k, topology, k->c[C_TASK_NODE].u32[t], level) == domain;
    return held < k->c[C_GROUP_SPREAD_MAX].u32[a->row];
}

int32_t spread_limit_open(struct spread_limit *s, const struct columns *k, const struct ask *a) {
    assert(ask_is_fresh(a, k));
    s->level = k->c[C_GROUP_SPREAD].u32[a->row];
    s->topology = k->c[C_GROUP_TOPOLOGY].u32[a->row];
    s->max = k->c[C_GROUP_SPREAD_MAX].u32[a->row];
    s->rows = table_rows(k, T_DOMAIN);
    s->held = NULL;
    if (s->level == NO_ROW) return LSCHED_OK;
    s->held = alloc_zero(k->alloc, (s->rows + 1ul) * sizeof *s->held);
    if (!s->held) return LSCHED_E_NOMEM;
    for (uint32_t t = first_held(k, a); t != NO_ROW; t = next_held(k, k->c[C_TASK_NEXT].u32[t])) {
        uint32_t d = domain_of_node(k, s->topology, k->c[C_TASK_NODE].u32[t], s->level);
        if (d != NO_ROW) s->held[d]++;
    }
    return LSCHED_OK;
}

void spread_limit_close(struct spread_limit *s, const struct columns *k) {
    if (s->held) alloc_free(k->alloc, s->held, (s->rows + 1ul) * sizeof *s->held);
}

int spread_limit_takes(const struct spread_limit *s, const struct columns *k, uint32_t node) {
    if (s->level == NO_ROW) return 1;
    uint32_t d = domain_of_node(k, s->topology, node, s->level);
    return d != NO_ROW && s->held[d] < s->max;
}
