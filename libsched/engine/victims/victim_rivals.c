/* victim_rivals.c -- see victim_rivals.h. */
#include "engine/victims/victim_rivals.h"

#include "base/vec.h"
#include "engine/indexes/affinity_rules.h"
#include "engine/rights/victim_candidate.h"
#include "engine/state/transaction.h"
#include "model/shapes/domain.h"
#include "model/shapes/leaf.h"
#include "model/store/steps.h"

/* True if the rule, an exclusive level, keeps the task apart from the current job. The caller knows
 * that the task is in the place of the rule. */
static int is_rival(const struct lsched_cycle *cy, const struct affinity_ask *a, uint32_t task) {
    const struct columns *k = cy->k;
    return k->c[C_TASK_JOB].u32[task] != cy->victims->job &&
           k->c[C_TASK_STATE].u8[task] != LSCHED_TASK_RELEASING &&
           (a->kind == AFFINITY_ALONE ||
            rules_exclude_others(k, task_shape(k, task), a->plane->topology, a->plane->level));
}

/* True if an earlier rule has found the task: it keeps the task apart, too, and the task's node is
 * in the place of that rule. */
static int is_found(const struct lsched_cycle *cy, const struct affinity_rules *r, uint32_t ask,
                    uint32_t node, uint32_t task) {
    for (uint32_t i = 0; i < ask; i++) {
        const struct affinity_ask *a = &r->ask[i];
        if (!affinity_ask_is_exclusive(a) || !is_rival(cy, a, task)) continue;
        uint32_t place = affinity_plane_place(a->plane, cy->k, node);
        if (place != NO_ROW &&
            place == affinity_plane_place(a->plane, cy->k, cy->k->c[C_TASK_NODE].u32[task]))
            return 1;
    }
    return 0;
}

/* Adds the rivals on the node `at`, and sets *stays if one of them cannot leave. The rest is read
 * all the same, so that the work does not depend on the order of nodes and tasks. */
static int32_t add_of_node(struct lsched_cycle *cy, const struct affinity_rules *r, uint32_t ask,
                           uint32_t node, uint32_t at, int *stays) {
    struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    struct victim_rivals *v = &h->rivals;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[at]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        struct victim_unit u;
        steps_add(k, 1);
        act_spend(cy, 1);
        if (cy->spend.stop) break;
        if (!is_rival(cy, &r->ask[ask], t) || is_found(cy, r, ask, node, t)) continue;
        /* work on an excluded node found no new place */
        if (!victim_candidate_of(cy, t, &u) || (h->nodes.n_excluded && h->nodes.excluded[at])) {
            *stays = 1;
            continue;
        }
        if (!VEC_ROOM(k->alloc, v->task, v->cap, v->n + 1)) return LSCHED_E_NOMEM;
        v->task[v->n++] = t;
    }
    return LSCHED_OK;
}

static int32_t add_of_place(struct lsched_cycle *cy, const struct affinity_rules *r, uint32_t ask,
                            uint32_t node, uint32_t place, int *stays) {
    const struct columns *k = cy->k;
    int32_t rc = LSCHED_OK;
    if (r->ask[ask].plane->level == NO_ROW) return add_of_node(cy, r, ask, node, place, stays);
    for (uint32_t d = place; d != NO_ROW && rc == LSCHED_OK; d = domain_next(k, place, d))
        for (uint32_t n = domain_first_node(k, d); n != NO_ROW && rc == LSCHED_OK;
             n = domain_next_node(k, d, n)) {
            steps_add(k, 1);
            rc = add_of_node(cy, r, ask, node, n, stays);
        }
    return rc;
}

int32_t victim_rivals_find(struct lsched_cycle *cy, uint32_t node, uint32_t shape) {
    struct victim_search *h = cy->victims;
    struct affinity_rules r;
    const struct ask a = {.job = h->job, .shape = shape};
    h->rivals.n = 0;
    if (!meta(cy->k, M_EXCLUSIVE) || h->job == NO_ROW) return 1;
    int32_t rc = affinity_rules_open(&r, &cy->c->affinity, cy->k, &a, 1);
    int stays = 0;
    for (uint32_t i = 0; i < r.n && rc == LSCHED_OK; i++) {
        if (!affinity_ask_is_exclusive(&r.ask[i])) continue;
        uint32_t place = affinity_plane_place(r.ask[i].plane, cy->k, node);
        if (place != NO_ROW && affinity_rules_others(&r, i, place))
            rc = add_of_place(cy, &r, i, node, place, &stays);
    }
    return rc == LSCHED_OK ? !stays && !cy->spend.stop : rc;
}

void victim_rivals_close(struct lsched_cycle *cy) {
    struct victim_rivals *v = &cy->victims->rivals;
    alloc_free(cy->k->alloc, v->task, v->cap * sizeof *v->task);
}
