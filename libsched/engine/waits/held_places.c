/* held_places.c -- see held_places.h. */
#include "engine/waits/held_places.h"

#if !defined(LSCHED_NO_PACK)
#include <string.h>

#include "base/vec.h"
#include "engine/indexes/affinity_rules.h"
#include "engine/state/cluster.h"
#include "engine/waits/task_holder.h"
#include "model/jobs/bundle.h"
#include "model/shapes/domain.h"
#include "model/store/steps.h"

void held_places_close(struct held_places *w, struct alloc *alloc) {
    alloc_free(alloc, w->domain, w->cap * sizeof *w->domain);
    alloc_free(alloc, w->nodes, w->cap_nodes * sizeof *w->nodes);
    memset(w, 0, sizeof *w);
}

/* Lets the place be held for at least as long as the other one is. Of two jobs that end at the same
 * time, the first in the order of jobs is told. */
static void held_longer(const struct columns *k, struct held_span *a, const struct held_span *b) {
    if (b->job == NO_ROW) return;
    if (a->job == NO_ROW) {
        *a = *b;
        return;
    }
    if (b->until > a->until || (b->until == a->until && job_before(k, b->job, a->job)))
        a->job = b->job;
    if (b->until > a->until) a->until = b->until;
    a->moves |= b->moves;
    if (b->end < a->end) a->end = b->end;
    if (b->end_if_started < a->end_if_started) a->end_if_started = b->end_if_started;
}

/* Adds what the tasks on the node hold at this exclusive level. */
static void hold_by_tasks(const struct lsched_cycle *cy, uint32_t node, uint32_t topology,
                          uint32_t level, struct held_span *held) {
    const struct columns *k = cy->k;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        lsched_holder h;
        steps_add(k, 1);
        if (!rules_exclude_others(k, task_shape(k, t), topology, level)) continue;
        task_holder_get(cy, t, &h);
        held_longer(k, held,
                    &(struct held_span){h.until_us, h.moves, h.end, h.end_if_started, h.job});
    }
}

/* Adds what tasks in the domain hold, if there are any. */
static int32_t hold_by_domain(struct held_places *w, struct lsched_cycle *cy, uint32_t topology,
                              uint32_t level, uint32_t root, struct held_span *held) {
    struct columns *k = cy->k;
    struct held_place *p = &w->domain[root];
    uint32_t n;
    int32_t rc = affinity_rules_holders(&cy->c->affinity, k, topology, level, root, &n);
    if (rc != LSCHED_OK || n == 0) return rc;
    /* the count has read both logs, so that each later change is a new entry in one of them */
    uint64_t changes = k->touch.next + k->task_touch.next + 1;
    int known = p->changes == changes;
    if (!known) p->held.job = NO_ROW;
    p->changes = changes;
    for (uint32_t d = known ? NO_ROW : root; d != NO_ROW; d = domain_next(k, root, d))
        for (uint32_t i = domain_first_node(k, d); i != NO_ROW; i = domain_next_node(k, d, i)) {
            hold_by_tasks(cy, i, topology, level, &p->held);
            steps_add(k, 1);
        }
    held_longer(k, held, &p->held);
    return LSCHED_OK;
}

static int32_t domains_room(struct held_places *w, const struct columns *k) {
    return VEC_ROOM_ZERO(k->alloc, w->domain, w->cap, table_rows(k, T_DOMAIN)) ? LSCHED_OK
                                                                               : LSCHED_E_NOMEM;
}

int32_t held_places_put(struct held_places *w, struct lsched_cycle *cy, uint32_t node,
                        lsched_holder *h) {
    struct columns *k = cy->k;
    struct held_span held = {.job = NO_ROW};
    if (!meta(k, M_EXCLUSIVE)) return 0;
    int32_t rc = domains_room(w, k);
    if (rc == LSCHED_OK && meta(k, rules_exclusive_word(NO_ROW, NO_ROW)))
        hold_by_tasks(cy, node, NO_ROW, NO_ROW, &held);
    for (uint32_t t = 0; t < table_rows(k, T_TOPOLOGY); t++)
        for (uint32_t l = 0; l < k->c[C_TOPOLOGY_N_LEVELS].u32[t] && rc == LSCHED_OK; l++) {
            uint32_t d = NO_ROW;
            if (meta(k, rules_exclusive_word(t, l))) d = domain_of_node(k, t, node, l);
            if (d != NO_ROW) rc = hold_by_domain(w, cy, t, l, d, &held);
        }
    if (rc != LSCHED_OK || held.job == NO_ROW) return rc;
    memset(h, 0, sizeof *h);
    h->size = sizeof *h;
    h->job = held.job;
    h->from_us = cy->now;
    h->until_us = held.until;
    h->is_away = 1;
    h->moves = held.moves;
    h->end = held.end;
    h->end_if_started = held.end_if_started;
    return 1;
}

/* ---- nodes that became held ---- */

static int32_t list_domain(struct held_places *w, const struct columns *k, uint32_t root) {
    if (w->domain[root].listed == w->lists) return LSCHED_OK;
    w->domain[root].listed = w->lists;
    for (uint32_t d = root; d != NO_ROW; d = domain_next(k, root, d))
        for (uint32_t n = domain_first_node(k, d); n != NO_ROW; n = domain_next_node(k, d, n)) {
            if (!VEC_ROOM(k->alloc, w->nodes, w->cap_nodes, w->n + 1ull)) return LSCHED_E_NOMEM;
            w->nodes[w->n++] = n;
            steps_add(k, 1);
        }
    return LSCHED_OK;
}

/* Lists the nodes of the domains that the task holds. */
static int32_t list_places_of(struct held_places *w, const struct columns *k, uint32_t task) {
    struct reader at = {NULL, NULL, 0};
    uint32_t left = 0, shape = task_shape(k, task);
    struct job_term t;
    int32_t rc = LSCHED_OK;
    if (!(k->c[C_SHAPE_RULES].u8[shape] & RULES_EXCLUSIVE)) return LSCHED_OK;
    while (rc == LSCHED_OK && rules_next_term(k, shape, &at, &left, &t)) {
        if (t.apart != RULE_EXCLUSIVE || t.topology == NO_ROW) continue;
        uint32_t d = domain_of_node(k, t.topology, k->c[C_TASK_NODE].u32[task], t.level);
        if (d != NO_ROW) rc = list_domain(w, k, d);
    }
    return rc;
}

int32_t held_places_spread(struct held_places *w, const struct lsched_cycle *cy,
                           const uint32_t **nodes, uint32_t *n) {
    const struct columns *k = cy->k;
    if (!meta(k, M_EXCLUSIVE)) return LSCHED_OK;
    int32_t rc = domains_room(w, k);
    if (rc != LSCHED_OK || !VEC_ROOM(k->alloc, w->nodes, w->cap_nodes, *n + 1ull))
        return LSCHED_E_NOMEM;
    if (*n && w->nodes != *nodes) memcpy(w->nodes, *nodes, *n * sizeof **nodes);
    w->n = *n;
    w->lists++;
    for (uint32_t i = 0; i < *n && rc == LSCHED_OK; i++) {
        if (!row_is_live(k, T_NODE, w->nodes[i])) continue;
        for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[w->nodes[i]]; t != NO_ROW && rc == LSCHED_OK;
             t = k->c[C_TASK_NODE_NEXT].u32[t]) {
            rc = list_places_of(w, k, t);
            steps_add(k, 1);
        }
    }
    *nodes = w->nodes;
    *n = w->n;
    return rc;
}
#endif
