/* best_again.c -- see best_again.h. */
#include "engine/actions/best_again.h"

#include "engine/actions/act_index.h"
#include "engine/actions/act_state.h"
#include "engine/actions/domain_calls.h"
#include "engine/policy_hooks/hook_nodes.h"
#include "engine/state/cache_check.h"
#include "model/devices/resource_part.h"
#include "model/jobs/refusal.h"
#include "model/nodes/node.h"
#include "model/store/steps.h"

/* True if the scores of an index depend on nothing but its shape and the nodes. */
static int best_again_is_plain(const struct search_key *key) {
    return key->queue == NO_ROW && key->job == NO_ROW && !key->shortage && !key->later &&
           !key->strategy && !key->charge_max && !key->hooks && !key->placed && !key->n_values;
}

/* True if a search for the group would use the index that is remembered, and nothing on which its
 * scores depend has changed. */
static int best_again_asks_same(const lsched_cycle *cy, const struct ask *a, uint32_t domain) {
    const struct again *g = &cy->act->again;
    const struct lsched_cluster *c = cy->c;
    const struct columns *k = cy->k;
    if (!g->index || g->dropped != c->search.dropped || g->domain != domain) return 0;
    const struct search_key *key = &g->index->key;
    return key->shape == a->shape && key->serial == k->c[C_SHAPE_SERIAL].u64[a->shape] &&
           g->structure == k->structure && c->view.valid && c->view.structure == k->structure &&
           !cy->turn.later && !cy->turn.charge_max && cy->policy.look == 0 &&
           resource_part_count(k) == 0 &&
           g->index->version == (cy->policy.place_slot ? cy->policy.place_slot->epoch : 0) &&
           !hook_on(cy, LSCHED_HOOK_FILTER | LSCHED_HOOK_SCORE | LSCHED_HOOK_PLACEMENT) &&
           !refusal_known(k, a->queue, a->shape, 0);
}

/* True if no node but the remembered one has changed. */
static int best_again_alone_changed(lsched_cycle *cy) {
    struct again *g = &cy->act->again;
    const struct touch_log *t = &cy->k->touch;
    if (!touch_log_reaches(t, g->seen)) return 0;
    while (g->seen < t->next && t->rows[g->seen & (t->cap - 1)] == g->node) g->seen++;
    return g->seen == t->next;
}

/* Returns 1 if the remembered node is the best again, 0 if that is not known, or an error. */
static int32_t best_again_holds(lsched_cycle *cy, const struct ask *a, uint32_t domain) {
    const struct again *g = &cy->act->again;
    int64_t score;
    if (!best_again_asks_same(cy, a, domain) || !best_again_alone_changed(cy)) return 0;
    if (cy->k->c[C_NODE_STATE].u8[g->node] != LSCHED_NODE_READY ||
        !node_fits(cy->k, g->node, a->shape))
        return 0;
    /* whether memory moved says nothing about the state, so it must not change what is counted */
    int32_t rc = view_follow_memory(&cy->c->view, cy->k);
    if (rc == LSCHED_OK) rc = hook_nodes_score(cy, &g->index->key, g->node, &score);
    return rc == LSCHED_OK ? score >= g->score : rc;
}

/* Finds the node with the index. */
static int32_t best_again_search(lsched_cycle *cy, const struct ask *a, uint32_t domain,
                                 struct search_index **x, uint32_t *node) {
    struct again *g = &cy->act->again;
    const struct columns *k = cy->k;
    *node = NO_ROW;
    int32_t rc = domain == NO_ROW ? act_best(cy, a, x, node) : act_index(cy, a, x);
    if (rc == LSCHED_OK && domain != NO_ROW) rc = domains_best_node(cy, *x, domain, node);
    g->index = NULL;
    if (rc != LSCHED_OK || !*x || *node == NO_ROW || !best_again_is_plain(&(*x)->key)) return rc;
    int64_t score = (*x)->score[*node];
    if ((*x)->synced != k->touch.next || score == SEARCH_LEAST || (*x)->merit) return rc;
    *g = (struct again){.index = *x,
                        .dropped = cy->c->search.dropped,
                        .structure = k->structure,
                        .seen = k->touch.next,
                        .score = score,
                        .node = *node,
                        .domain = domain};
    return LSCHED_OK;
}

int32_t best_again(lsched_cycle *cy, const struct ask *a, uint32_t domain, struct search_index **x,
                   uint32_t *node) {
    const struct again *g = &cy->act->again;
    *x = NULL;
    int32_t rc = best_again_holds(cy, a, domain);
    if (rc < 0) return rc;
    if (rc == 0) return best_again_search(cy, a, domain, x, node);
    uint32_t again = *node = g->node;
    if (cache_check_due(cy->c)) {
        rc = best_again_search(cy, a, domain, x, node);
        if (rc == LSCHED_OK && !cy->spend.stop) rc = cy->c->check_caches->again(cy, again, *node);
        return rc;
    }
    act_spend(cy, 0); /* stops the cycle if the orchestrator has interrupted it */
    cy->turn.saw_room = 1;
    act_offer_again(cy, a->shape, *node);
    return LSCHED_OK;
}
