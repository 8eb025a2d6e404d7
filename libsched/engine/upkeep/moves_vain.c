/* moves_vain.c -- see moves_vain.h. */
#include "engine/upkeep/moves_vain.h"

#include "base/hash.h"
#include "base/times.h"
#include "engine/actions/act_state.h"
#include "engine/policy_hooks/hook_victims.h"
#include "engine/rights/victim_state.h"
#include "model/jobs/job_cost.h"
#include "model/jobs/refusal.h"
#include "model/store/steps.h"
#include "model/store/timer.h"

/* Returns a hash of all that the search reads beside the columns, and of the latest refresh. The
 * hash is not 0. */
static uint64_t asked(const lsched_cycle *cy) {
    uint64_t h = hash_mix(cy->c->policy.policy.desc.hash, cy->act->moves_max);
    h = hash_mix(hash_mix(h, cy->policy.hooks_off), (uint64_t)cycle_eviction(cy)->release_us);
    h = hash_mix(hash_mix(h, cy->spend.decisions_left), meta(cy->k, M_REFRESHED));
    return h | 1;
}

static int may_remember(const lsched_cycle *cy) {
    return cy->policy.look < 2 && cy->policy.look_placement < 2 && !hook_has_victims(cy) &&
           cy->decisions.n_fresh == 0 && cy->decisions.n_withdrawn == 0;
}

int moves_vain_known(const lsched_cycle *cy) {
    const struct columns *k = cy->k;
    int known = meta(k, M_MOVES_VAIN) == asked(cy) && cy->now < (int64_t)meta(k, M_MOVES_UNTIL) &&
                may_remember(cy) && !cy->c->searches_cold;
    cy->c->searches_skipped += (uint64_t)known;
    return known;
}

/* Returns the earliest time at which a job can be disrupted again that has used up its disruption
 * budget, LSCHED_NEVER_US if there is none. */
static int64_t next_disruption(const lsched_cycle *cy) {
    const struct columns *k = cy->k;
    int64_t next = LSCHED_NEVER_US;
    steps_add(k, table_rows(k, T_COST));
    for (uint32_t c = 0; c < table_rows(k, T_COST); c++) {
        if (!row_is_live(k, T_COST, c) ||
            job_cost_disruptions_left(k, k->c[C_COST_JOB].u32[c], cy->now))
            continue;
        int64_t at = time_after(k->c[C_COST_WINDOW_START].i64[c], k->c[C_COST_WINDOW].i64[c]);
        if (k->c[C_COST_WINDOW].i64[c] && at < next) next = at;
    }
    return next;
}

int32_t moves_vain_note(lsched_cycle *cy) {
    struct columns *k = cy->k;
    if (cy->spend.stop || !may_remember(cy)) return LSCHED_OK;
    int64_t until = next_disruption(cy),
            more[] = {cy->victims->until, refusals_next(k), timer_next(k)};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (more[i] < until) until = more[i];
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    set_meta(k, M_MOVES_VAIN, asked(cy));
    set_meta(k, M_MOVES_UNTIL, (uint64_t)until);
    return LSCHED_OK;
}
