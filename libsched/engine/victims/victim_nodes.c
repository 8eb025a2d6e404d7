/*
 * victim_nodes.c -- finds the node where room for one more task costs least. Nodes are in a heap
 * by the cost of their cheapest set of victims. A stored cost is a lower bound as long as nothing
 * was undone (victim_search.h). Therefore the top is computed again until its cost is as low as
 * the stored one.
 */
#include "base/binary_heap.h"
#include "engine/state/transaction.h"
#include "engine/victims/victim_search.h"
#include "engine/indexes/topology_spread.h"
#include "model/shapes/domain.h"
#include "model/nodes/node.h"
#include "model/jobs/refusal.h"
#include "model/store/steps.h"
#include "engine/policy_hooks/hooks.h"

static int before(const struct lsched_cycle *y, uint32_t a, uint32_t b) {
    const struct victim_search *h = y->search;
    if (victim_search_key_before(&h->key[a], &h->key[b])) return 1;
    if (victim_search_key_before(&h->key[b], &h->key[a])) return 0;
    return y->c->view.rank[a] < y->c->view.rank[b];
}

static void stand(const struct lsched_cycle *y, uint32_t node, uint32_t at) {
    y->search->place[node] = at;
}

HEAP_DEFINE(nodes, uint32_t, const struct lsched_cycle *, before, stand)

static void settle(const struct lsched_cycle *y, uint32_t at) {
    nodes_settle(y, y->search->heap, y->search->n_heap, at);
}

/* Finds the nodes that the task shape can use and that the policy's filter keeps. */
static int32_t find_kept(struct lsched_cycle *y, uint32_t group, uint32_t shape) {
    struct victim_search *h = y->search;
    const struct view_cache *v = &y->c->view;
    struct search_key key;
    struct search_scorer scorer;
    uint32_t batch[256], n = 0;
    uint8_t keep[256];
    y->policy_group = group;
    int32_t rc = hooks_search(y, group, &key, &scorer);
    if (rc != LSCHED_OK) return rc;
    if (h->cap_nodes) memset(h->kept, 0, h->cap_nodes); /* else it has no address */
    steps_add(y->k, v->n_ranked);
    for (uint32_t i = 0; i <= v->n_ranked; i++) {
        uint32_t node = i < v->n_ranked ? v->by_rank[i] : NO_ROW;
        if (node != NO_ROW) act_spend(y, 1);
        if (y->stop) return LSCHED_OK; /* the caller builds no heap from an incomplete list */
        if (node != NO_ROW && v->node_ready[node] && node_able(y->k, node, shape) &&
            !refusal_by_node(y->k, y->k->c[C_JOB_QUEUE].u32[y->job], shape, node, 1))
            batch[n++] = node;
        if (n < 256 && i < v->n_ranked) continue;
        memset(keep, 1, sizeof keep);
        rc = n && scorer.keep ? scorer.keep(scorer.user, &key, batch, n, keep) : LSCHED_OK;
        if (rc != LSCHED_OK) return rc;
        for (uint32_t j = 0; j < n; j++) h->kept[batch[j]] = keep[j];
        n = 0;
    }
    return LSCHED_OK;
}

static int32_t evaluate(struct lsched_cycle *y, uint32_t node) {
    struct victim_search *h = y->search;
    int32_t rc = victim_search_evaluate(y, node, h->shape);
    h->key[node] = h->set.key;
    return rc;
}

static int32_t build(struct lsched_cycle *y, uint32_t group, uint32_t shape) {
    struct victim_search *h = y->search;
    const struct view_cache *v = &y->c->view;
    int32_t rc = find_kept(y, group, shape);
    h->shape = shape;
    h->n_heap = 0;
    steps_add(y->k, v->n_ranked);
    for (uint32_t i = 0; i < v->n_ranked && rc == LSCHED_OK && !y->stop; i++) {
        uint32_t node = v->by_rank[i];
        h->place[node] = NO_ROW;
        if (!h->kept[node]) continue;
        rc = evaluate(y, node);
        h->heap[h->n_heap] = node;
        h->place[node] = h->n_heap++;
    }
    nodes_make(y, h->heap, h->n_heap);
    h->synced = touch_seen(y->k);
    h->built = rc == LSCHED_OK && !y->stop;
    return rc;
}

/* Computes the nodes again that have changed since the heap was built. */
static int32_t catch_up(struct lsched_cycle *y) {
    struct victim_search *h = y->search;
    struct touch_log *t = &y->k->touch;
    steps_add(y->k, t->next - h->synced);
    for (uint64_t i = h->synced; i < t->next && !y->stop; i++) {
        uint32_t node = t->rows[i & (t->cap - 1)];
        if (node >= h->cap_nodes || h->place[node] == NO_ROW) continue;
        int32_t rc = evaluate(y, node);
        if (rc != LSCHED_OK) return rc;
        settle(y, h->place[node]);
    }
    if (y->stop) h->built = 0;
    h->synced = touch_seen(y->k);
    return LSCHED_OK;
}

static int32_t ready(struct lsched_cycle *y, uint32_t group, uint32_t shape) {
    struct victim_search *h = y->search;
    const struct touch_log *t = &y->k->touch;
    if (h->built && h->shape == shape && t->cap && t->next - h->synced < t->cap / 2)
        return catch_up(y);
    return build(y, group, shape);
}

/* ---- search ---- */

static int allowed_here(const struct lsched_cycle *y, const struct affinity_rules *rules,
                        uint32_t job, uint32_t group, uint32_t node, uint32_t domain) {
    const struct columns *k = y->k;
    if (!affinity_rules_allow(rules, k, node)) return 0;
    if (domain != NO_ROW && domain_of_node(k, k->c[C_DOMAIN_TOPOLOGY].u32[domain], node,
                                           k->c[C_DOMAIN_LEVEL].u32[domain]) != domain)
        return 0;
    return !topology_spread_asked(k, job, group) || topology_spread_allows(k, job, group, node);
}

/* Finds the cheapest node by looking through all nodes, and computes it again before it returns
 * it. Used where a domain, a spread rule or an affinity rule restricts the nodes. */
static int32_t scan(struct lsched_cycle *y, const struct affinity_rules *rules, uint32_t job,
                    uint32_t group, uint32_t domain, uint32_t *node) {
    struct victim_search *h = y->search;
    for (;;) {
        uint32_t best = NO_ROW;
        steps_add(y->k, h->n_heap);
        for (uint32_t i = 0; i < h->n_heap && !y->stop; i++) {
            uint32_t n = h->heap[i];
            act_spend(y, 1);
            if (h->key[n].impossible || (best != NO_ROW && !before(y, n, best))) continue;
            if (allowed_here(y, rules, job, group, n, domain)) best = n;
        }
        if (best == NO_ROW || h->work_left == 0 || y->stop) return 0;
        struct victim_key was = h->key[best];
        int32_t rc = evaluate(y, best);
        if (rc != LSCHED_OK) return rc;
        settle(y, h->place[best]);
        *node = best;
        if (y->stop) return 0;
        if (!victim_search_key_before(&was, &h->key[best])) return 1;
    }
}

int32_t victim_nodes_best(struct lsched_cycle *y, uint32_t job, uint32_t group, uint32_t domain,
                          uint32_t *node) {
    struct victim_search *h = y->search;
    uint32_t shape = leaf_shape(y->k, job, group);
    if (refusal_everywhere(y->k, y->k->c[C_JOB_QUEUE].u32[job], shape, 1)) return 0;
    int32_t rc = view_update(&y->c->view, y->k, y->now);
    if (rc == LSCHED_OK) rc = ready(y, group, shape);
    if (rc != LSCHED_OK || y->stop) return rc < 0 ? rc : 0;
    struct affinity_rules rules;
    rc = affinity_rules_open(&rules, &y->c->affinity, y->k, job, shape, 1);
    if (rc != LSCHED_OK) return rc;
    if (domain != NO_ROW || rules.n || topology_spread_asked(y->k, job, group))
        return scan(y, &rules, job, group, domain, node);
    while (h->n_heap > 0 && h->work_left > 0 && !y->stop) {
        uint32_t top = h->heap[0];
        if (h->key[top].impossible) return 0;
        struct victim_key was = h->key[top];
        rc = evaluate(y, top);
        if (rc != LSCHED_OK) return rc;
        settle(y, 0);
        *node = top;
        if (y->stop) return 0;
        if (!victim_search_key_before(&was, &h->key[top])) return h->key[top].impossible ? 0 : 1;
    }
    return 0;
}
