/* checkpoints.c -- see checkpoints.h. */
#include "engine/rights/checkpoints.h"

#include "base/sort.h"
#include "base/times.h"
#include "engine/rights/victim_verdict.h"
#include "engine/state/decision_kinds.h"
#include "engine/state/transaction.h"
#include "model/jobs/job_cost.h"
#include "model/jobs/releasing.h"
#include "model/told/decision.h"
#include "model/told/decision_life.h"

int64_t checkpoints_time(const struct lsched_cycle *cy, uint32_t job, uint32_t reason) {
    int asked = (cy->kinds >> LSCHED_DECIDE_CHECKPOINT & 1) != 0;
    return asked && reason != LSCHED_FOR_COLLISION ? job_cost_checkpoint_wait(cy->k, job) : 0;
}

/* ---- the EVICT that follows ---- */

/* Returns the cost of the EVICT: if the checkpoint is written, only the work since then is lost. */
static int64_t cost_after(const struct lsched_cycle *cy, uint32_t task, uint32_t checkpoint) {
    const struct columns *k = cy->k;
    int64_t cost = k->c[C_DECISION_COST].i64[checkpoint];
    if (cost == 0 || k->c[C_DECISION_STATE].u8[checkpoint] != LSCHED_DECISION_CONFIRMED)
        return cost;
    int64_t since = victim_verdict_cost_since(cy, k->c[C_TASK_JOB].u32[task], task,
                                              k->c[C_DECISION_UNTIL].i64[checkpoint]);
    return since < cost ? since : cost;
}

static int32_t serve_one(struct lsched_cycle *cy, uint32_t checkpoint) {
    struct columns *k = cy->k;
    uint32_t task = k->c[C_DECISION_TASK].u32[checkpoint];
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    int64_t takes = job_cost_release(k, k->c[C_TASK_JOB].u32[task], cycle_eviction(cy)->release_us);
    int64_t at = time_after_at_most(cy->now, takes), cost = cost_after(cy, task, checkpoint);
    uint32_t decision = decision_checkpoint_over(k, task, cy->now, at, cost);
    if (decision == NO_ROW) return LSCHED_E_NOMEM;
    set_i64(k, C_TASK_RELEASE_AT, task, at);
    touch_task(k, task);
    future_note(k, at);
    cy->counts.evictions++;
    return cycle_fresh_add(cy, decision);
}

/* The decisions of an older group come first in a plan. The decisions of one group keep the order
 * of their rows. */
static int checkpoints_goes_first(const struct columns *k, uint32_t a, uint32_t b) {
    uint64_t g = k->c[C_DECISION_GROUP].u64[a], h = k->c[C_DECISION_GROUP].u64[b];
    return g != h ? g < h : a < b;
}
#define EVICT_BEFORE(k, a, b) checkpoints_goes_first(k, a, b)
SORT_IN_PLACE(sort_evictions, uint32_t, const struct columns *, EVICT_BEFORE)

int32_t checkpoints_serve(struct lsched_cycle *cy) {
    int64_t until;
    int32_t rc = LSCHED_OK;
    if (KINDS_TO_STOP & ~cy->kinds) return LSCHED_OK;
    for (uint32_t d; rc == LSCHED_OK;) {
        d = decision_life_first_checkpoint(cy->k, &until);
        if (d == NO_ROW ||
            (until > cy->now && cy->k->c[C_DECISION_STATE].u8[d] != LSCHED_DECISION_CONFIRMED))
            break;
        rc = serve_one(cy, d);
    }
    if (rc == LSCHED_OK && cy->decisions.n_fresh > 1)
        sort_evictions(cy->k, cy->decisions.fresh, cy->decisions.n_fresh);
    return rc;
}

int64_t checkpoints_wake(const struct columns *k) {
    int64_t until;
    (void)decision_life_first_checkpoint(k, &until); /* only the time matters */
    return KINDS_TO_STOP & ~decision_kinds_asked(k) ? LSCHED_NEVER_US : until;
}

/* ---- the CHECKPOINT before ---- */

int32_t checkpoints_begin(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    if (!(cy->kinds >> LSCHED_DECIDE_CHECKPOINT & 1)) return LSCHED_OK;
    for (uint32_t i = 0; i < cy->decisions.n_fresh; i++) {
        uint32_t d = cy->decisions.fresh[i];
        if (k->c[C_DECISION_KIND].u8[d] != LSCHED_DECIDE_EVICT ||
            k->c[C_DECISION_FOLLOWS].u8[d] != LSCHED_CHECKPOINT_NONE)
            continue;
        int64_t takes = checkpoints_time(cy, k->c[C_TASK_JOB].u32[k->c[C_DECISION_TASK].u32[d]],
                                         k->c[C_DECISION_REASON].u8[d]);
        if (takes == 0) continue;
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        set_u8(k, C_DECISION_KIND, d, LSCHED_DECIDE_CHECKPOINT);
        decision_life_begin(k, d, time_after_at_most(cy->now, takes));
        cy->counts.evictions--;
    }
    return LSCHED_OK;
}
