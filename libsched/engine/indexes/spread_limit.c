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

/* True if the domain of the node can have one more task of the leaf group. */
static int domain_allows(const struct columns *k, const struct ask *a, uint32_t node) {
    uint32_t level = k->c[C_GROUP_SPREAD].u32[a->row];
    if (level == NO_ROW) return 1;
    uint32_t topology = k->c[C_GROUP_TOPOLOGY].u32[a->row];
    uint32_t domain = domain_of_node(k, topology, node, level), held = 0;
    if (domain == NO_ROW) return 0;
    for (uint32_t t = first_held(k, a); t != NO_ROW; t = next_held(k, k->c[C_TASK_NEXT].u32[t]))
        held += domain_of_node(k, topology, k->c[C_TASK_NODE].u32[t], level) == domain;
    return held < k->c[C_GROUP_SPREAD_MAX].u32[a->row];
}

int spread_limit_allows(const struct columns *k, const struct ask *a, uint32_t node) {
    uint32_t max = k->c[C_GROUP_NODE_MAX].u32[a->row], held = 0;
    if (!spread_limit_asked(k, a)) return 1;
    assert(ask_is_fresh(a, k));
    for (uint32_t t = max ? first_held(k, a) : NO_ROW; t != NO_ROW && held < max;
         t = next_held(k, k->c[C_TASK_NEXT].u32[t]))
        held += k->c[C_TASK_NODE].u32[t] == node;
    return (max == 0 || held < max) && domain_allows(k, a, node);
}

static int32_t spread_limit_reserve(struct spread_limit *s, const struct columns *k) {
    if (s->level != NO_ROW) {
        s->held = alloc_zero(k->alloc, (s->rows + 1ul) * sizeof *s->held);
        if (!s->held) return LSCHED_E_NOMEM;
    }
    if (s->node_max) {
        s->on_node = alloc_zero(k->alloc, (s->node_rows + 1ul) * sizeof *s->on_node);
        if (!s->on_node) return LSCHED_E_NOMEM;
    }
    return LSCHED_OK;
}

int32_t spread_limit_open(struct spread_limit *s, const struct columns *k, const struct ask *a) {
    assert(ask_is_fresh(a, k));
    *s = (struct spread_limit){.level = k->c[C_GROUP_SPREAD].u32[a->row],
                               .topology = k->c[C_GROUP_TOPOLOGY].u32[a->row],
                               .max = k->c[C_GROUP_SPREAD_MAX].u32[a->row],
                               .rows = table_rows(k, T_DOMAIN),
                               .node_max = k->c[C_GROUP_NODE_MAX].u32[a->row],
                               .node_rows = table_rows(k, T_NODE)};
    if (!spread_limit_asked(k, a)) return LSCHED_OK;
    if (spread_limit_reserve(s, k) != LSCHED_OK) {
        spread_limit_close(s, k);
        return LSCHED_E_NOMEM;
    }
    for (uint32_t t = first_held(k, a); t != NO_ROW; t = next_held(k, k->c[C_TASK_NEXT].u32[t])) {
        uint32_t node = k->c[C_TASK_NODE].u32[t],
                 d = s->held ? domain_of_node(k, s->topology, node, s->level) : NO_ROW;
        if (d != NO_ROW) s->held[d]++;
        if (s->on_node) s->on_node[node]++;
    }
    return LSCHED_OK;
}

void spread_limit_close(struct spread_limit *s, const struct columns *k) {
    if (s->held) alloc_free(k->alloc, s->held, (s->rows + 1ul) * sizeof *s->held);
    if (s->on_node) alloc_free(k->alloc, s->on_node, (s->node_rows + 1ul) * sizeof *s->on_node);
}

int spread_limit_takes(const struct spread_limit *s, const struct columns *k, uint32_t node) {
    if (spread_limit_node_left(s, node) == 0) return 0;
    if (s->level == NO_ROW) return 1;
    uint32_t d = domain_of_node(k, s->topology, node, s->level);
    return d != NO_ROW && s->held[d] < s->max;
}
