/*
 * stale_calls.c -- gangs that run below their minimum for longer than they may: found and stopped
 * whole, for nobody in particular. evict_calls.h has the calls. A search reads all jobs that have
 * costs; a stop O(tasks of the job).
 */
#include "base/times.h"
#include "engine/act_parts.h"
#include "engine/evict_calls.h"

#include "engine/hook_victims.h"
#include "model/leaving.h"
#include "model/retry.h"
#include "model/steps.h"

static int64_t grace_of(const lsched_cycle *y, uint32_t cost) {
    int64_t g = y->k->c[C_COST_GRACE].i64[cost];
    return g < 0 ? LSCHED_NEVER_US : g > 0 ? g : cycle_eviction(y)->stale_grace_us;
}

/* Gangs that run below their minimum for longer than they may; each is offered once per cycle, in the order of names by the plan's
 * sorting being that of rows: equal for equal histories. */
int32_t call_next_stale(lsched_cycle *y, uint32_t *job) {
    const struct columns *k = y->k;
    if (y->stop || !hook_lets_evict(y)) return 0;
    uint32_t best = NO_ROW;
    steps_add(k, table_rows(k, T_COST));
    for (uint32_t c = 0; c < table_rows(k, T_COST); c++) {
        if (!row_is_live(k, T_COST, c)) continue;
        int64_t since = k->c[C_COST_STALE_SINCE].i64[c], grace = grace_of(y, c);
        if (since == LSCHED_NEVER_US || grace == LSCHED_NEVER_US) continue;
        uint32_t j = k->c[C_COST_JOB].u32[c];
        if (y->now - since < grace) {
            int64_t until = time_after(since, grace);
            if (until < y->evict_next) y->evict_next = until;
            continue;
        }
        struct job_counts n = job_count(k, j);
        if (n.running == 0 || n.done > 0) continue;
        if (n.running > y->bound) continue; /* it goes whole, which no such cycle may do */
        if (best == NO_ROW ||
            text_compare(k, k->c[C_JOB_NAME].u32[j], k->c[C_JOB_NAME].u32[best]) < 0)
            best = j;
    }
    if (best == NO_ROW) return 0;
    *job = best;
    return 1;
}

/* All tasks of a gang that runs below its minimum; for nobody in particular. */
int32_t call_evict_job(lsched_cycle *y, uint32_t job) {
    struct columns *k = y->k;
    if (!row_is_live(k, T_JOB, job)) return LSCHED_E_INVAL;
    uint32_t c = k->c[C_JOB_COST].u32[job], leaving;
    if (c == NO_ROW || k->c[C_COST_STALE_SINCE].i64[c] == LSCHED_NEVER_US) return LSCHED_E_STATE;
    if (job_count(k, job).running > y->decisions_left) act_is_full(y); /* the next cycle's */
    if (y->stop) return 0;
    int32_t rc = undo_room(k);
    y->group_serial = meta(k, M_GROUP_SERIAL) + 1;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l], next; t != NO_ROW && rc == LSCHED_OK;
             t = next) {
            next = k->c[C_TASK_NEXT].u32[t];
            if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RUNNING) continue;
            rc = undo_room(k);
            if (rc == LSCHED_OK) rc = evict_task(y, t, 0, LSCHED_FOR_STALE_GANG, 0, &leaving);
            y->evictions++;
            y->decisions_left--;
        }
    }
    if (rc != LSCHED_OK) return rc;
    set_meta(k, M_GROUP_SERIAL, y->group_serial);
    rc = job_settle_losses(k, job, y->now, cycle_note_withdrawn, y);
    if (rc == LSCHED_OK && y->out_of_memory) rc = LSCHED_E_NOMEM;
    return rc == LSCHED_OK ? share_update(&y->c->share, k, k->c[C_JOB_QUEUE].u32[job]) : rc;
}
