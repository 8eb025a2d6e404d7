/* exclusive_room.c -- see exclusive_room.h. */
#include "engine/topology/exclusive_room.h"

#include "model/shapes/domain.h"
#include "model/store/steps.h"

/* What is lowered, and by which rules. */
struct lower {
    const struct columns *k;
    const struct topology_map *m;
    const struct affinity_rules *r;
    const struct exclusive_room *e;
};

/* True if the rule is about domains of the topology of the counts. */
static int is_of_tree(const struct lower *l, uint32_t ask) {
    const struct affinity_plane *p = l->r->ask[ask].plane;
    return p->level != NO_ROW && p->topology == l->m->topology;
}

static void take_from(const struct lower *l, uint32_t domain, int64_t less) {
    for (uint32_t i = domain; less > 0 && i != NO_ROW; i = l->m->parent[i]) l->e->room[i] -= less;
}

static void close_domain(const struct lower *l, uint32_t domain, uint32_t others) {
    const struct topology_map *m = l->m;
    uint32_t from, to, level = topology_map_level(m, domain);
    take_from(l, domain, l->e->room[domain] + (l->e->evicts ? (int64_t)others : 0));
    for (uint32_t deeper = level + 1; deeper < m->n_levels; deeper++) {
        topology_map_below(m, domain, deeper, &from, &to);
        steps_add(l->k, to - from);
        for (uint32_t i = from; i < to; i++) l->e->room[i] = 0;
    }
}

/* Takes the node's room away, unless an earlier rule of the same pass or a domain did so. */
static void close_node(const struct lower *l, uint32_t ask, uint32_t node) {
    uint32_t at = node < l->m->node_rows ? l->m->position[node] : NO_ROW;
    if (at == NO_ROW) return;
    for (uint32_t i = 0; i < l->r->n; i++) {
        const struct affinity_ask *a = &l->r->ask[i];
        if (!affinity_ask_is_exclusive(a) || (i >= ask && !is_of_tree(l, i))) continue;
        uint32_t place = affinity_plane_place(a->plane, l->k, node);
        if (place != NO_ROW && affinity_rules_others(l->r, i, place)) return;
    }
    steps_add(l->k, 1);
    take_from(l, topology_map_deepest(l->m, at), l->e->tasks[at]);
}

static void close_nodes(const struct lower *l, uint32_t ask, uint32_t domain) {
    const struct columns *k = l->k;
    for (uint32_t d = domain; d != NO_ROW; d = domain_next(k, domain, d))
        for (uint32_t n = domain_first_node(k, d); n != NO_ROW; n = domain_next_node(k, d, n))
            close_node(l, ask, n);
}

/* Closes the places that one rule forbids. The order of the places changes no count: each domain
 * loses what it has. */
static void close_places(const struct lower *l, uint32_t ask) {
    const struct affinity_plane *p = l->r->ask[ask].plane;
    const struct affinity_counts *counts = p->level == NO_ROW ? &p->node : &p->domain;
    steps_add(l->k, counts->cap);
    for (uint32_t i = 0; i < counts->cap; i++) {
        uint32_t place = counts->cell[i].row,
                 others = place == NO_ROW ? 0 : affinity_rules_others(l->r, ask, place);
        if (others == 0) continue;
        if (p->level == NO_ROW)
            close_node(l, ask, place);
        else if (!is_of_tree(l, ask))
            close_nodes(l, ask, place);
        else if (place < l->m->domain_rows && l->m->number[place] != NO_ROW)
            close_domain(l, l->m->number[place], others);
    }
}

int32_t exclusive_room_lower(const struct exclusive_room *e, struct columns *k,
                             struct affinity_planes *planes, const struct ask *a, int later) {
    struct affinity_rules r;
    const struct lower l = {k, e->map, &r, e};
    int32_t rc = affinity_rules_open(&r, planes, k, a, later);
    for (int of_tree = 1; of_tree >= 0 && rc == LSCHED_OK; of_tree--)
        for (uint32_t i = 0; i < r.n; i++)
            if (affinity_ask_is_exclusive(&r.ask[i]) && is_of_tree(&l, i) == of_tree)
                close_places(&l, i);
    return rc;
}
