/* evict_begin.c -- see evict_begin.h. */
#include "engine/evictions/evict_begin.h"

#include "engine/evictions/evict_in_place.h"
#include "engine/victims/evict_park.h"
#include "engine/actions/put_off.h"
#include "engine/policy_hooks/hook_victims.h"
#include "engine/policy_hooks/hook_jobs.h"
#include "engine/state/decision_kinds.h"
#include "engine/state/transaction.h"
#include "engine/victims/evict_wake.h"
#include "engine/victims/victim_search.h"
#include "engine/waits/pass.h"
#include "model/jobs/bundle.h"

/* Decides whether the action begins. A stage that combines victims of reclaim and of preempt
 * (`both`) needs a pipeline with these two actions. That stage runs once per pass, as the second
 * stage of the later one of the two. Returns 1, 0 if the action must not begin now, or
 * LSCHED_E_NOMEM. */
static int32_t take_turn(lsched_cycle *cy, uint32_t reason, int both) {
    const uint64_t all = 1u << LSCHED_FOR_RECLAIM | 1u << LSCHED_FOR_PREEMPT;
    struct columns *k = cy->k;
    /* if an earlier cycle began the second stage, that stage continues */
    if (meta(k, M_PASS_STAGE)) return both;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    if (!both) {
        set_meta(k, M_PASS_BEGUN, meta(k, M_PASS_BEGUN) | (1u << reason & all));
        return 1;
    }
    if ((meta(k, M_PASS_BEGUN) & all) != all) return 0;
    set_meta(k, M_PASS_BEGUN, 0);
    pass_second_stage(cy);
    return 1;
}

/* True if the action has bundles to try. Charges one work unit for each bundle, because each
 * bundle is read. */
static int finds_bundles(lsched_cycle *cy, uint32_t reason) {
    if (!hook_lets_evict(cy) || meta(cy->k, M_PARKED_JOBS) + meta(cy->k, M_ACTIVE) == 0) return 0;
    act_spend(cy, table_live(cy->k, T_BUNDLE));
    if (cy->spend.stop) return 0;
    cy->pass->repeats += table_live(cy->k, T_BUNDLE);
    int wakes = evict_wake_any(cy, reason);
    /* In the last round, no start is put off. Therefore no victims are sought in it: work that has
     * just started could be evicted in the same cycle. The next cycle seeks the victims. */
    if (pass_round(cy) == PASS_ROUNDS_MAX) {
        if (wakes) cy->pass->evict_next = cy->now;
        return 0;
    }
    return wakes || meta(cy->k, M_ACTIVE) != 0;
}

/* Computes the order of shares again. later: 1 if the action also uses room that becomes free
 * later, 0 if it uses only room that is free now. */
static int32_t order_shares(lsched_cycle *cy, uint32_t later) {
    struct share_tree *s = &cy->c->share;
    cy->turn.later = later;
    return share_begin(s, cy->k, s->ops, s->self, &cy->c->view);
}

static int32_t open_search(lsched_cycle *cy, uint32_t reason, int both) {
    int32_t rc = victim_search_open(cy, reason);
    if (rc == LSCHED_OK) cy->victims->both = both;
    return rc;
}

/* Tries the bundles where they are parked. Returns 1 if no victims can help any of them; the search
 * is then closed. Returns 0 with a new search if the action must try the bundles, or a negative
 * error code. */
static int32_t ends_in_place(lsched_cycle *cy, uint32_t reason, int both) {
    if (!evict_in_place_may(cy)) return 0;
    int32_t rc = order_shares(cy, 1);
    if (rc == LSCHED_OK) rc = evict_in_place(cy);
    if (rc < 0) return rc;
    victim_search_close(cy);
    int32_t next = rc == 1 ? order_shares(cy, 0) : open_search(cy, reason, both);
    return next == LSCHED_OK ? rc : next;
}

/* Opens the victim search and wakes the bundles for which the action seeks victims. Returns 1, 0
 * if there is no bundle to try, or a negative error code. */
static int32_t begin_search(lsched_cycle *cy, uint32_t reason, int both) {
    put_off_close(cy);
    int32_t rc = view_update_ranked(&cy->c->view, cy->k, cy->now);
    if (rc == LSCHED_OK) rc = open_search(cy, reason, both);
    if (rc == LSCHED_OK) rc = ends_in_place(cy, reason, both);
    if (rc != 0) return rc == 1 ? 0 : rc;
    rc = evict_wake_all(cy);
    if (rc < 0) return rc;
    if (rc > 0 || meta(cy->k, M_ACTIVE) > 0) return 1;
    victim_search_close(cy);
    return 0;
}

int32_t call_evict_begin(lsched_cycle *cy, uint32_t reason) {
    int both = reason == LSCHED_ACT_BOTH;
    if (both) reason = LSCHED_FOR_RECLAIM;
    if (reason < LSCHED_FOR_RECLAIM || reason > LSCHED_FOR_CONSOLIDATE || cy->victims)
        return LSCHED_E_INVAL;
    if (cy->spend.stop || !decision_kinds_allow(cy, decision_kinds_for(reason))) return 0;
    int32_t rc = take_turn(cy, reason, both);
    if (rc == 1) rc = finds_bundles(cy, reason);
    if (rc == 1) rc = begin_search(cy, reason, both);
    if (rc != 1) return rc;
    rc = order_shares(cy, 1);
    return rc == LSCHED_OK ? 1 : rc;
}

int32_t call_evict_end(lsched_cycle *cy) {
    if (!cy->victims) return LSCHED_E_INVAL;
    int32_t rc = evict_park_all(cy);
    if (rc != LSCHED_OK) return rc;
    victim_search_close(cy);
    return order_shares(cy, 0);
}
