/* victim_nodes.c -- see victim_nodes.h. */
#include "engine/victims/victim_nodes.h"

#include "base/binary_heap.h"
#include "engine/state/transaction.h"
#include "engine/victims/victim_key.h"
#include "engine/victims/victim_limits.h"
#include "engine/rights/victim_right.h"
#include "engine/victims/victim_saved.h"
#include "engine/victims/victim_set.h"
#include "engine/rights/victim_verdict.h"
#include "engine/indexes/affinity_rules.h"
#include "engine/indexes/spread_limit.h"
#include "model/shapes/domain.h"
#include "model/nodes/node.h"
#include "model/jobs/refusal.h"
#include "model/store/steps.h"
#include "engine/policy_hooks/hook_nodes.h"

static int before(const struct lsched_cycle *cy, uint32_t a, uint32_t b) {
    const struct victim_search *h = cy->victims;
    if (victim_key_before(&h->nodes.key[a], &h->nodes.key[b])) return 1;
    if (victim_key_before(&h->nodes.key[b], &h->nodes.key[a])) return 0;
    return cy->c->view.nodes.mark[a] < cy->c->view.nodes.mark[b];
}

static void stand(const struct lsched_cycle *cy, uint32_t node, uint32_t at) {
    cy->victims->nodes.place[node] = at;
}

HEAP_DEFINE(nodes, uint32_t, const struct lsched_cycle *, before, stand)

static void settle(const struct lsched_cycle *cy, uint32_t at) {
    nodes_settle(cy, cy->victims->nodes.heap, cy->victims->nodes.n, at);
}

/* Finds the nodes that the task shape can use and that the policy's filter keeps. The set of
 * victims says whether the job ends before the node leaves (victim_stay.h). */
static int32_t find_kept(struct lsched_cycle *cy, const struct ask *a) {
    struct victim_search *h = cy->victims;
    const struct view_cache *v = &cy->c->view;
    struct search_key key;
    struct search_scorer scorer;
    uint32_t batch[256], n = 0;
    uint8_t keep[256];
    int32_t rc = hook_nodes_search(cy, a, &key, &scorer);
    if (rc != LSCHED_OK) return rc;
    /* without nodes, `kept` has no address */
    if (h->nodes.cap) memset(h->nodes.kept, 0, h->nodes.cap);
    steps_add(cy->k, v->n_ranked);
    for (uint32_t i = 0; i <= v->n_ranked; i++) {
        uint32_t node = i < v->n_ranked ? v->by_rank[i] : NO_ROW;
        if (node != NO_ROW) act_spend(cy, 1);
        if (cy->spend.stop)
            /* the list of nodes is incomplete now, but the caller builds no heap if the cycle is
             * stopped */
            return LSCHED_OK;
        if (node != NO_ROW && v->node_ready[node] && node_able(cy->k, node, a->shape) &&
            !refusal_by_node(cy->k, a->queue, a->shape, node, 1))
            batch[n++] = node;
        if (n < 256 && i < v->n_ranked) continue;
        memset(keep, 1, sizeof keep);
        cy->turn.lists_all = 1;
        rc = n && scorer.keep ? scorer.keep(scorer.user, &key, batch, n, keep) : LSCHED_OK;
        cy->turn.lists_all = 0;
        if (rc != LSCHED_OK) return rc;
        for (uint32_t j = 0; j < n; j++) h->nodes.kept[batch[j]] = keep[j];
        n = 0;
    }
    return LSCHED_OK;
}

/* ---- the excess of sides ---- */

/* Stores from which sides the `over` of the set's key comes. */
static void find_lead(const struct lsched_cycle *cy, const struct victim_set *set,
                      struct victim_lead *l) {
    int32_t least = INT32_MAX;
    *l = (struct victim_lead){.started = INT64_MIN, .submitted = INT64_MIN};
    if (cy->victims->reason != LSCHED_FOR_RECLAIM || set->key.impossible) return;
    for (uint32_t i = 0; i < set->n; i++) {
        const struct victim_unit *u = &set->unit[i];
        int64_t submitted = cy->k->c[C_JOB_SUBMIT].i64[u->job];
        uint32_t j = 0;
        if (u->started > l->started) l->started = u->started;
        if (submitted > l->submitted) l->submitted = submitted;
        if (u->over_first < least) least = u->over_first;
        while (j < l->n && l->side[j] != u->top) j++;
        if (j == VICTIM_LEADS_MAX || victim_right_is_own(cy, u->queue)) least = INT32_MIN;
        if (j == l->n && j < VICTIM_LEADS_MAX) l->side[l->n++] = u->top;
    }
    if (set->key.over != least) l->n = 0;
}

/* Raises the stored `over` of the node to the least present excess of its sides, and returns 1 if
 * it was lower. If the node has units of several sides, another of its sets can cost least now.
 * Then the key stays a lower bound with the latest start and submission that a set can have. */
static int raise_cost(const struct lsched_cycle *cy, uint32_t node) {
    const struct victim_search *h = cy->victims;
    const struct victim_nodes *nodes = &h->nodes;
    const struct victim_lead *l = &nodes->lead[node];
    struct victim_key *key = &nodes->key[node];
    int32_t over = INT32_MAX;
    for (uint32_t i = 0; i < l->n; i++) {
        int32_t *excess = &nodes->excess[l->side[i]], *seen = excess + h->cap_queues;
        if (*seen != nodes->look) *excess = victim_right_over(cy, l->side[i], NULL);
        *seen = nodes->look;
        if (*excess < over) over = *excess;
    }
    if (l->n == 0 || over <= key->over) return 0;
    key->over = over;
    if (l->n > 1) {
        key->started = l->started;
        key->submitted = l->submitted;
    }
    return 1;
}

/* Called after the cost of the node was computed again and is higher than before. If its side has
 * less excess now, the other nodes of that side cost more, too. They are not computed one by one:
 * that would be all nodes for each 64th of the cluster that the side gives. `next` is the node that
 * would be computed now. Returns 1 if the costs of nodes were raised. */
static int raise_others(struct lsched_cycle *cy, uint32_t node, uint32_t next,
                        const struct victim_key *was) {
    struct victim_nodes *nodes = &cy->victims->nodes;
    if (nodes->key[node].over <= was->over) return 0;
    nodes->look++;
    if (!raise_cost(cy, next)) return 0;
    steps_add(cy->k, nodes->n);
    act_spend(cy, nodes->n);
    for (uint32_t i = 0; i < nodes->n; i++) raise_cost(cy, nodes->heap[i]);
    nodes_make(cy, nodes->heap, nodes->n);
    return 1;
}

/* rivals: 1 if the cost counts the rivals of the node (victim_rivals.h). */
static int32_t evaluate(struct lsched_cycle *cy, uint32_t node, int rivals) {
    struct victim_search *h = cy->victims;
    int32_t rc = LSCHED_OK;
    if (!victim_set_is_found(cy, node, h->nodes.shape, rivals))
        rc = victim_set_find(cy, node, h->nodes.shape, rivals);
    if (rivals && h->nodes.n_raised < h->nodes.cap) h->nodes.raised[h->nodes.n_raised++] = node;
    h->nodes.key[node] = h->set.key;
    find_lead(cy, &h->set, &h->nodes.lead[node]);
    return rc;
}

static int32_t build(struct lsched_cycle *cy, const struct ask *a) {
    struct victim_search *h = cy->victims;
    const struct view_cache *v = &cy->c->view;
    int32_t rc = find_kept(cy, a);
    h->nodes.shape = a->shape;
    h->nodes.limits = h->limits.hash;
    h->nodes.n = 0;
    steps_add(cy->k, v->n_ranked);
    for (uint32_t i = 0; i < v->n_ranked && rc == LSCHED_OK && !cy->spend.stop; i++) {
        uint32_t node = v->by_rank[i];
        h->nodes.place[node] = NO_ROW;
        if (!h->nodes.kept[node]) continue;
        rc = evaluate(cy, node, 0);
        h->nodes.heap[h->nodes.n] = node;
        h->nodes.place[node] = h->nodes.n++;
    }
    nodes_make(cy, h->nodes.heap, h->nodes.n);
    h->nodes.synced = touch_seen(cy->k);
    h->nodes.built = rc == LSCHED_OK && !cy->spend.stop;
    return h->nodes.built && h->limits.hash == 0 ? victim_saved_put(cy) : rc;
}

/* Computes the costs that count rivals again without them, because rivals on other nodes can be
 * gone. */
static int32_t lower_raised(struct lsched_cycle *cy) {
    struct victim_nodes *n = &cy->victims->nodes;
    for (; n->n_raised > 0 && !cy->spend.stop; n->n_raised--) {
        uint32_t node = n->raised[n->n_raised - 1];
        int32_t rc = evaluate(cy, node, 0);
        if (rc != LSCHED_OK) return rc;
        if (n->place[node] != NO_ROW) settle(cy, n->place[node]);
    }
    return LSCHED_OK;
}

/* Computes the costs of the nodes again that have changed since the heap was last current. */
static int32_t catch_up(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    struct touch_log *t = &cy->k->touch;
    if (t->next != h->nodes.synced && h->nodes.n_raised) {
        int32_t rc = lower_raised(cy);
        if (rc != LSCHED_OK) return rc;
    }
    steps_add(cy->k, t->next - h->nodes.synced);
    for (uint64_t i = h->nodes.synced; i < t->next && !cy->spend.stop; i++) {
        uint32_t node = t->rows[i & (t->cap - 1)];
        if (node >= h->nodes.cap || h->nodes.place[node] == NO_ROW) continue;
        int32_t rc = evaluate(cy, node, 0);
        if (rc != LSCHED_OK) return rc;
        settle(cy, h->nodes.place[node]);
    }
    if (cy->spend.stop) h->nodes.built = 0;
    h->nodes.synced = touch_seen(cy->k);
    return LSCHED_OK;
}

static int log_reaches_back(const struct lsched_cycle *cy) {
    const struct touch_log *t = &cy->k->touch;
    return t->cap && t->next - cy->victims->nodes.synced < t->cap / 2;
}

/* Brings kept costs up to date (victim_saved.h), without a charge. */
static int32_t catch_up_saved(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    const struct cycle_spend was = cy->spend;
    uint64_t work = h->work_left;
    int32_t rc = LSCHED_OK;
    cy->spend.budget = UINT64_MAX;
    if (log_reaches_back(cy)) {
        rc = catch_up(cy);
    } else {
        for (uint32_t i = 0; i < h->nodes.n && rc == LSCHED_OK; i++)
            rc = evaluate(cy, h->nodes.heap[i], 0);
        nodes_make(cy, h->nodes.heap, h->nodes.n);
        h->nodes.synced = touch_seen(cy->k);
        h->nodes.built = !cy->spend.stop;
    }
    h->set_of.node = NO_ROW; /* no charge may depend on the nodes that were computed here */
    cy->spend.budget = was.budget;
    cy->spend.spent = was.spent;
    h->work_left = work;
    return rc;
}

static int32_t ready(struct lsched_cycle *cy, const struct ask *a) {
    struct victim_search *h = cy->victims;
    victim_limits_look(cy, a->shape);
    /* a limit that leaves more than before can make a node cheaper */
    if (h->nodes.built && h->nodes.shape == a->shape && h->nodes.limits == h->limits.hash &&
        log_reaches_back(cy))
        return catch_up(cy);
    h->set_of.node = NO_ROW;
    h->nodes.n_raised = 0;
    if (h->limits.hash || !victim_saved_get(cy, a->shape)) return build(cy, a);
    return h->nodes.built ? catch_up_saved(cy) : LSCHED_OK;
}

/* ---- search ---- */

static int allowed_here(const struct lsched_cycle *cy, const struct affinity_rules *rules,
                        const struct ask *a, uint32_t node, uint32_t domain) {
    const struct columns *k = cy->k;
    if (!affinity_rules_allow(rules, k, node)) return 0;
    if (domain != NO_ROW && domain_of_node(k, k->c[C_DOMAIN_TOPOLOGY].u32[domain], node,
                                           k->c[C_DOMAIN_LEVEL].u32[domain]) != domain)
        return 0;
    return spread_limit_allows(k, a, node);
}

/* Finds the cheapest node by reading all nodes of the heap. The costs count no rivals until a node
 * is the cheapest; that, too, makes them lower bounds. The cost of that node is computed
 * again before the function returns it. Used if a domain, a spread rule or an affinity rule
 * excludes nodes. */
static int32_t scan(struct lsched_cycle *cy, const struct affinity_rules *rules,
                    const struct ask *a, uint32_t domain, uint32_t *node) {
    struct victim_search *h = cy->victims;
    struct victim_key was = {0};
    for (uint32_t last = NO_ROW;;) {
        uint32_t best = NO_ROW;
        steps_add(cy->k, h->nodes.n);
        for (uint32_t i = 0; i < h->nodes.n && !cy->spend.stop; i++) {
            uint32_t n = h->nodes.heap[i];
            act_spend(cy, 1);
            if (h->nodes.key[n].impossible || (best != NO_ROW && !before(cy, n, best))) continue;
            if (allowed_here(cy, rules, a, n, domain)) best = n;
        }
        if (best == NO_ROW || h->work_left == 0 || cy->spend.stop) return 0;
        if (last != NO_ROW && raise_others(cy, last, best, &was)) {
            last = NO_ROW;
            continue;
        }
        was = h->nodes.key[best];
        int32_t rc = evaluate(cy, best, (int)rules->excludes);
        if (rc != LSCHED_OK) return rc;
        settle(cy, h->nodes.place[best]);
        *node = best;
        if (cy->spend.stop) return 0;
        if (!victim_key_before(&was, &h->nodes.key[best])) return 1;
        last = best;
    }
}

int32_t victim_nodes_best(struct lsched_cycle *cy, const struct ask *a, uint32_t domain,
                          uint32_t *node) {
    struct victim_search *h = cy->victims;
    if (refusal_everywhere(cy->k, a->queue, a->shape, 1)) return 0;
    int32_t rc = view_update_ranked(&cy->c->view, cy->k, cy->now);
    if (rc == LSCHED_OK) rc = ready(cy, a);
    if (rc != LSCHED_OK || cy->spend.stop) return rc < 0 ? rc : 0;
    struct affinity_rules rules;
    rc = affinity_rules_open(&rules, &cy->c->affinity, cy->k, a, 1);
    if (rc != LSCHED_OK) return rc;
    rules.clears = 1; /* the set of victims has what an exclusive level forbids */
    if (domain != NO_ROW || rules.n || spread_limit_asked(cy->k, a))
        return scan(cy, &rules, a, domain, node);
    while (h->nodes.n > 0 && h->work_left > 0 && !cy->spend.stop) {
        uint32_t top = h->nodes.heap[0];
        if (h->nodes.key[top].impossible) return 0;
        struct victim_key was = h->nodes.key[top];
        rc = evaluate(cy, top, 0);
        if (rc != LSCHED_OK) return rc;
        settle(cy, 0);
        *node = top;
        if (cy->spend.stop) return 0;
        if (!victim_key_before(&was, &h->nodes.key[top]))
            return h->nodes.key[top].impossible ? 0 : 1;
        raise_others(cy, top, h->nodes.heap[0], &was);
    }
    return 0;
}

/* ---- memory ---- */

int32_t victim_nodes_ready(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    struct victim_nodes *n = &h->nodes;
    struct alloc *a = cy->k->alloc;
    int32_t rc = victim_verdict_open(cy);
    if (rc != LSCHED_OK || n->cap) return rc;
    n->cap = table_rows(cy->k, T_NODE);
    if (n->cap == 0) return LSCHED_OK;
    n->key = alloc_new(a, n->cap * sizeof *n->key);
    n->lead = alloc_new(a, n->cap * sizeof *n->lead);
    n->heap = alloc_new(a, n->cap * 3ul * sizeof *n->heap);
    n->kept = alloc_zero(a, n->cap * 3ul);
    n->excess = alloc_zero(a, (h->cap_queues + 1) * 2ul * sizeof *n->excess);
    if (!n->key || !n->lead || !n->excess || !n->heap || !n->kept) return LSCHED_E_NOMEM;
    n->excluded = n->kept + n->cap;
    n->unsupplied = n->excluded + n->cap;
    n->place = n->heap + n->cap;
    n->raised = n->place + n->cap;
    return LSCHED_OK;
}

void victim_nodes_close(struct lsched_cycle *cy) {
    struct victim_nodes *n = &cy->victims->nodes;
    struct alloc *a = cy->k->alloc;
    alloc_free(a, n->key, n->cap * sizeof *n->key);
    alloc_free(a, n->lead, n->cap * sizeof *n->lead);
    alloc_free(a, n->excess, (cy->victims->cap_queues + 1) * 2ul * sizeof *n->excess);
    alloc_free(a, n->heap, n->cap * 3ul * sizeof *n->heap);
    alloc_free(a, n->kept, n->cap * 3ul);
}

void victim_nodes_exclude_none(struct lsched_cycle *cy) {
    struct victim_nodes *n = &cy->victims->nodes;
    if (n->n_excluded == 0) return;
    memset(n->excluded, 0, n->cap);
    n->n_excluded = 0;
    n->built = 0;
}
