/* act_index.c -- see act_index.h. */
#include "engine/actions/act_index.h"

#include "engine/actions/act_state.h"
#include "engine/policy_hooks/hook_nodes.h"
#include "engine/state/cache_check.h"
#include "model/jobs/refusal.h"

static int32_t act_index_of(lsched_cycle *cy, const struct search_key *key,
                            const struct search_scorer *scorer, struct search_index **x) {
    int32_t rc = search_get(&cy->c->search, cy->k, &cy->c->view, key, scorer, x);
    /* If the orchestrator has interrupted the cycle, act_spend() stops it here. An index whose
     * update was interrupted offers no nodes, so it must not be compared with a new one below. */
    act_spend(cy, 0);
    if (rc == LSCHED_OK) cy->turn.saw_room |= (*x)->asked > 0;
    if (rc == LSCHED_OK && !cy->spend.stop && cache_check_due(cy->c))
        rc = cy->c->check_caches->index(cy, key, scorer, *x);
    return rc;
}

int32_t act_index(lsched_cycle *cy, const struct ask *a, struct search_index **x) {
    struct search_key key;
    struct search_scorer scorer;
    int32_t rc = hook_nodes_search(cy, a, &key, &scorer);
    if (rc == LSCHED_OK) rc = view_update(&cy->c->view, cy->k, cy->now);
    return rc == LSCHED_OK ? act_index_of(cy, &key, &scorer, x) : rc;
}

/* Sets *x to the index of the room that is free now. A search of the room of later has found no
 * node, so no node has room now either, with two exceptions. Of each amount, a node has the sum of
 * FREE and COMING later, and now the same if COMING is negative, else FREE. So it never has more
 * now, and each comparison that holds now holds later. A device of which all is free has no COMING
 * above 0, because no task on it is releasing. The exceptions are two kinds of shapes for which a
 * node chooses devices before it compares: with more devices to choose from later, it can choose
 * some that are charged more, or end its search without a choice. */
static int32_t act_index_of_now(lsched_cycle *cy, const struct ask *a, struct search_index **x) {
    uint32_t later = cy->turn.later;
    cy->turn.later = 0;
    int32_t rc = act_index(cy, a, x);
    cy->turn.later = later;
    assert(rc != LSCHED_OK || cy->spend.stop || search_best(*x) == NO_ROW ||
           cy->k->c[C_SHAPE_PICKY].u8[a->shape] || shape_charge_varies(cy->k, a->shape));
    return rc;
}

int32_t act_best(lsched_cycle *cy, const struct ask *a, struct search_index **x, uint32_t *node) {
    struct search_key key;
    struct search_scorer scorer;
    struct lsched_cluster *c = cy->c;
    *x = NULL;
    *node = NO_ROW;
    int32_t rc = hook_nodes_search(cy, a, &key, &scorer);
    if (rc == LSCHED_OK) rc = view_update(&c->view, cy->k, cy->now);
    if (rc != LSCHED_OK) return rc;
    if (!search_has(&c->search, &key) && node_scan_serves(cy->k, &key, &scorer)) {
        rc = node_scan_best(&c->scan, &c->search, cy->k, &c->view, &key, &scorer, node);
        int known = rc > 0 && (*node != NO_ROW || key.later);
        if (rc > 0 && *node != NO_ROW) cy->turn.saw_room = 1;
        if (known && c->check_caches) rc = c->check_caches->scan(cy, &key, &scorer, *node);
        if (rc < 0 || (known && *node != NO_ROW)) return rc < 0 ? rc : LSCHED_OK;
        /* The caller learns from an index which nodes could take the task if they were empty. A
         * shape without room has been tried with the room of now, and that index says the same. */
        if (known) return act_index_of_now(cy, a, x);
    }
    rc = act_index_of(cy, &key, &scorer, x);
    if (rc == LSCHED_OK) *node = search_best(*x);
    return rc;
}

void act_offer(lsched_cycle *cy, const struct search_index *x, uint32_t node) {
    int known = node != NO_ROW && x->score[node] != SEARCH_LEAST;
    cy->act->offered =
        (struct offered){x->key.shape, node, x->key.later, known ? x->synced + 1 : 0};
}

void act_offer_again(lsched_cycle *cy, uint32_t shape, uint32_t node) {
    cy->act->offered = (struct offered){shape, node, cy->turn.later, cy->k->touch.next + 1};
}

int act_was_offered(const lsched_cycle *cy, uint32_t shape, uint32_t node) {
    const struct offered *o = &cy->act->offered;
    return o->changes == cy->k->touch.next + 1 && o->node == node && o->shape == shape &&
           o->later == cy->turn.later;
}

int act_index_has_room(const lsched_cycle *cy, const struct ask *a, const struct search_index *x) {
    if (x->key.later) return -1;
    if (x->asked) return 1;
    return x->key.charge_max || refusal_known(cy->k, a->queue, a->shape, 0) ? -1 : 0;
}
