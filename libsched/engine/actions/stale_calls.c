/*
 * stale_calls.c -- the calls that find gangs that run below their minimum for longer than allowed,
 * and evict all their tasks (evict_calls.h). Cost: an action reads all jobs once, before the first
 * eviction; evicting a gang costs O(tasks of the job).
 */
#include "base/times.h"
#include "base/vec.h"
#include "engine/state/transaction.h"
#include "engine/state/by_name.h"
#include "engine/actions/evict_calls.h"

#include "engine/policy_hooks/hook_victims.h"
#include "model/jobs/releasing.h"
#include "model/jobs/retry.h"
#include "model/store/steps.h"
#include "engine/state/withdraw_decision.h"

static int64_t grace_of(const lsched_cycle *y, uint32_t cost) {
    int64_t g = y->k->c[C_COST_GRACE].i64[cost];
    return g < 0 ? LSCHED_NEVER_US : g > 0 ? g : cycle_eviction(y)->stale_grace_us;
}

/* True if the gang has run below its minimum for longer than allowed and can be stopped in this
 * cycle. If the allowed time is not over yet, the function asks for a cycle at the end of
 * this time. */
static int stale_calls_is_due(lsched_cycle *y, uint32_t cost) {
    const struct columns *k = y->k;
    int64_t since = k->c[C_COST_STALE_SINCE].i64[cost], grace = grace_of(y, cost);
    steps_add(k, 1);
    if (since == LSCHED_NEVER_US || grace == LSCHED_NEVER_US) return 0;
    if (y->now - since < grace) {
        int64_t until = time_after(since, grace);
        if (until < y->evict_next) y->evict_next = until;
        return 0;
    }
    struct job_counts n = job_count(k, k->c[C_COST_JOB].u32[cost]);
    /* the gang is stopped as a whole, which needs as many decisions as it has running tasks */
    return n.running > 0 && n.done == 0 && n.running <= y->bound;
}

/* Lists the gangs that are due now, in the order of names. */
static int32_t find_stale(lsched_cycle *y) {
    const struct columns *k = y->k;
    y->n_stale = y->stale_at = 0;
    y->stale_found = 1;
    for (uint32_t c = 0; c < table_rows(k, T_COST); c++) {
        if (!row_is_live(k, T_COST, c) || !stale_calls_is_due(y, c)) continue;
        if (!VEC_ROOM(k->alloc, y->stale, y->cap_stale, y->n_stale + 1)) return LSCHED_E_NOMEM;
        y->stale[y->n_stale++] = k->c[C_COST_JOB].u32[c];
    }
    by_name_sort(k, y->stale, y->n_stale);
    return LSCHED_OK;
}

/* Returns the next gang that is due. Each gang is offered once to an action, in the order of
 * names. The first call lists the gangs, which is enough: stopping one gang makes no other gang
 * due. */
int32_t call_next_stale(lsched_cycle *y, uint32_t *job) {
    const struct columns *k = y->k;
    if (y->stop || !hook_lets_evict(y)) return 0;
    int32_t rc = y->stale_found ? LSCHED_OK : find_stale(y);
    if (rc != LSCHED_OK) return rc;
    while (y->stale_at < y->n_stale) {
        uint32_t j = y->stale[y->stale_at++],
                 cost = row_is_live(k, T_JOB, j) ? k->c[C_JOB_COST].u32[j] : NO_ROW;
        if (cost == NO_ROW || !stale_calls_is_due(y, cost)) continue;
        *job = j;
        return 1;
    }
    return 0;
}

/* Evicts all running tasks of a gang below its minimum. The decisions name no job that benefits. */
int32_t call_evict_job(lsched_cycle *y, uint32_t job) {
    struct columns *k = y->k;
    if (!row_is_live(k, T_JOB, job)) return LSCHED_E_INVAL;
    uint32_t c = k->c[C_JOB_COST].u32[job], releasing;
    if (c == NO_ROW || k->c[C_COST_STALE_SINCE].i64[c] == LSCHED_NEVER_US) return LSCHED_E_STATE;
    /* the next cycle has enough decisions */
    if (job_count(k, job).running > y->decisions_left) act_is_full(y);
    if (y->stop) return 0;
    int32_t rc = undo_room(k);
    y->group_serial = meta(k, M_GROUP_SERIAL) + 1;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l], next; t != NO_ROW && rc == LSCHED_OK;
             t = next) {
            next = k->c[C_TASK_NEXT].u32[t];
            if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RUNNING) continue;
            rc = undo_room(k);
            if (rc == LSCHED_OK) rc = evict_task(y, t, 0, LSCHED_FOR_STALE_GANG, 0, &releasing);
            y->evictions++;
            y->decisions_left--;
        }
    }
    if (rc != LSCHED_OK) return rc;
    set_meta(k, M_GROUP_SERIAL, y->group_serial);
    rc = job_settle_losses(k, job, y->now, withdraw_decision_note, y);
    if (rc == LSCHED_OK && y->out_of_memory) rc = LSCHED_E_NOMEM;
    return rc == LSCHED_OK ? share_update(&y->c->share, k, k->c[C_JOB_QUEUE].u32[job]) : rc;
}
