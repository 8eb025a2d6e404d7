/* stale_calls.c -- see stale_calls.h. */
#include "engine/upkeep/stale_calls.h"
#include "base/times.h"
#include "base/vec.h"
#include "engine/waits/pass.h"
#include "engine/state/decision_kinds.h"
#include "engine/state/transaction.h"
#include "engine/state/by_name.h"
#include "engine/actions/act_state.h"
#include "engine/actions/evict.h"

#include "engine/policy_hooks/hook_victims.h"
#include "model/jobs/job_cost.h"
#include "model/demand/job_counts.h"
#include "model/jobs/losses.h"
#include "model/store/steps.h"
#include "engine/state/withdraw_decision.h"

static int64_t grace_of(const lsched_cycle *cy, uint32_t cost) {
    int64_t g = cy->k->c[C_COST_GRACE].i64[cost];
    return g < 0 ? LSCHED_NEVER_US : g > 0 ? g : cycle_eviction(cy)->stale_grace_us;
}

/* True if the gang has run below its minimum for longer than allowed and can be stopped in this
 * cycle. If the allowed time is not over yet, or the orchestrator refused to stop the gang a short
 * time ago, the function asks for a cycle at the end of this time. */
static int stale_calls_is_due(lsched_cycle *cy, uint32_t cost) {
    const struct columns *k = cy->k;
    int64_t since = k->c[C_COST_STALE_SINCE].i64[cost], grace = grace_of(cy, cost);
    steps_add(k, 1);
    if (since == LSCHED_NEVER_US || grace == LSCHED_NEVER_US) return 0;
    uint32_t job = k->c[C_COST_JOB].u32[cost];
    int64_t until = time_after(since, grace),
            spared = job_cost_refused_until(k, job, cy->now, cycle_eviction(cy)->grace_us);
    if (until < spared) until = spared;
    if (until > cy->now) {
        if (until < cy->pass->evict_next) cy->pass->evict_next = until;
        return 0;
    }
    struct job_counts n = job_count(k, job);
    /* the gang is stopped as a whole, which needs as many decisions as it has running tasks */
    return n.running > 0 && n.done == 0 && n.running <= cy->spend.decisions_max;
}

/* Lists the gangs that are due now, in the order of names. */
static int32_t find_stale(lsched_cycle *cy) {
    const struct columns *k = cy->k;
    cy->act->n_stale = cy->act->stale_at = 0;
    cy->act->stale_found = 1;
    for (uint32_t c = 0; c < table_rows(k, T_COST); c++) {
        if (!row_is_live(k, T_COST, c) || !stale_calls_is_due(cy, c)) continue;
        if (!VEC_ROOM(k->alloc, cy->act->stale, cy->act->cap_stale, cy->act->n_stale + 1))
            return LSCHED_E_NOMEM;
        cy->act->stale[cy->act->n_stale++] = k->c[C_COST_JOB].u32[c];
    }
    by_name_sort(k, cy->act->stale, cy->act->n_stale);
    return LSCHED_OK;
}

/* Returns the next gang that is due. Each gang is offered once to an action, in the order of
 * names. Only the first call of an action lists the gangs, because stopping one gang makes no
 * other gang due. */
int32_t call_next_stale(lsched_cycle *cy, uint32_t *job) {
    const struct columns *k = cy->k;
    if (cy->spend.stop || !hook_lets_evict(cy) || !decision_kinds_allow(cy, KINDS_TO_STOP))
        return 0;
    int32_t rc = cy->act->stale_found ? LSCHED_OK : find_stale(cy);
    if (rc != LSCHED_OK) return rc;
    while (cy->act->stale_at < cy->act->n_stale) {
        uint32_t j = cy->act->stale[cy->act->stale_at++],
                 cost = row_is_live(k, T_JOB, j) ? k->c[C_JOB_COST].u32[j] : NO_ROW;
        if (cost == NO_ROW || !stale_calls_is_due(cy, cost)) continue;
        *job = j;
        return 1;
    }
    return 0;
}

/* Evicts all running tasks of a gang below its minimum. The decisions name no job that benefits. */
int32_t call_evict_job(lsched_cycle *cy, uint32_t job) {
    struct columns *k = cy->k;
    if (!row_is_live(k, T_JOB, job)) return LSCHED_E_INVAL;
    uint32_t c = k->c[C_JOB_COST].u32[job];
    if (c == NO_ROW || k->c[C_COST_STALE_SINCE].i64[c] == LSCHED_NEVER_US) return LSCHED_E_STATE;
    /* the next cycle can make enough decisions */
    if (job_count(k, job).running > cy->spend.decisions_left) act_is_full(cy);
    if (cy->spend.stop) return 0;
    int32_t rc = undo_room(k);
    cy->turn.group_serial = meta(k, M_GROUP_SERIAL) + 1;
    if (rc == LSCHED_OK) rc = evict_running(cy, job, NO_ROW, LSCHED_FOR_STALE_GANG, UINT64_MAX);
    if (rc != LSCHED_OK) return rc;
    set_meta(k, M_GROUP_SERIAL, cy->turn.group_serial);
    rc = job_settle_losses(k, job, cy->now, withdraw_decision_note, cy);
    if (rc == LSCHED_OK && cy->decisions.out_of_memory) rc = LSCHED_E_NOMEM;
    return rc == LSCHED_OK ? share_update(&cy->c->share, k, k->c[C_JOB_QUEUE].u32[job]) : rc;
}
