/* spare_calls.c -- see spare_calls.h. */
#include "engine/actions/spare_calls.h"

#include "engine/queues/lending.h"
#include "engine/rights/victim_last.h"
#include "engine/victims/victim_order.h"
#include "engine/waits/supply_claims.h"
#include "engine/rights/victim_right.h"
#include "engine/rights/victim_side.h"
#include "model/jobs/releasing.h"
#include "model/demand/job_counts.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/task_row.h"
#include "model/jobs/nominated_tasks.h"
#include "model/queues/queue.h"

/* True if all limits hold when the victim runs again. Only the queues that are above the victim
 * and also above the job are checked, because the job can have used up the room below the limits
 * of these queues. In the other queues on the victim's path, the use is again the same as before
 * the eviction. */
static int limits_hold(const lsched_cycle *cy, uint32_t queue) {
    const struct columns *k = cy->k;
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        if (!queue_is_below(k, k->c[C_JOB_QUEUE].u32[cy->turn.job], q)) continue;
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
            if (k->c[C_QUEUE_USED + r].i64[q] > k->c[C_QUEUE_LIMIT_NOW + r].i64[q]) return 0;
        for (uint32_t a = k->c[C_QUEUE_AMOUNTS].u32[q]; a != NO_ROW;
             a = k->c[C_QAMOUNT_NEXT].u32[a])
            if (k->c[C_QAMOUNT_USED].i64[a] > k->c[C_QAMOUNT_LIMIT_NOW].i64[a]) return 0;
        if (k->c[C_QUEUE_JOBS_MAX].u32[q] &&
            k->c[C_QUEUE_JOBS_HELD].u32[q] > k->c[C_QUEUE_JOBS_MAX].u32[q])
            return 0;
    }
    return 1;
}

/* True if the job's side is still within its entitlement when this victim runs again. The test is
 * needed because victims in other branches can have been allowed only because this victim was
 * gone. */
static int rights_hold(lsched_cycle *cy, uint32_t queue) {
    return victim_right_ancestor(cy, queue) >= cy->victims->n_path ||
           victim_side_short(cy) == NO_ROW;
}

/* True if the job has a nomination on the node, and the node will use more of a resource kind than
 * it has. A node takes no task before such an excess is over, also if the task asks for nothing of
 * that kind; so the end of the excess belongs to the room of the job. */
static int has_excess_later(const lsched_cycle *cy, uint32_t node) {
    const struct columns *k = cy->k;
    uint32_t r = 1;
    while (r < meta(k, M_N_KINDS) &&
           k->c[C_NODE_FREE + r].i64[node] + k->c[C_NODE_COMING + r].i64[node] >= 0)
        r++;
    if (r == meta(k, M_N_KINDS)) return 0;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t])
        if (k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NOMINATED &&
            k->c[C_TASK_JOB].u32[t] == cy->turn.job)
            return 1;
    return 0;
}

/* Lets the victims [first, end), which form one eviction unit, run again. Returns 1, or 0 if the
 * unit cannot run again: there is no room, its job would be below its minimum, a limit or a
 * lend limit would be exceeded, or the job's side would be above its entitlement. */
static int32_t restore_unit(lsched_cycle *cy, uint32_t first, uint32_t end) {
    struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    uint32_t job = h->victims[first].job;
    int fits = 1;
    size_t mark = undo_mark(k);
    for (uint32_t i = first; i < end && fits; i++) {
        int32_t rc = undo_room(k);
        uint32_t releasing = h->victims[i].task, node = k->c[C_TASK_NODE].u32[releasing];
        uint32_t index = k->c[C_TASK_INDEX].u32[releasing];
        if (rc == LSCHED_OK) rc = releasing_restore(k, releasing);
        if (rc != LSCHED_OK) return rc;
        fits = !supply_claims_lack(k, cy->turn.job) && !node_nominations_short(k, node) &&
               !has_excess_later(cy, node) &&
               task_nominated_beside(k, task_find(k, job, index)) == NO_ROW;
    }
    uint32_t queue = k->c[C_JOB_QUEUE].u32[job];
    if (!fits || !job_satisfied(k, job) || !limits_hold(cy, queue) || !lending_holds(cy) ||
        !rights_hold(cy, queue)) {
        undo_rollback(k, mark);
        return 0;
    }
    int32_t rc = job_requeue(k, job);
    return rc == LSCHED_OK ? 1 : rc;
}

/* Removes the victims that run again from the list of victims, and their evictions from the new
 * decisions. */
static void forget_restored(lsched_cycle *cy) {
    struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    uint32_t n = 0, d = cy->turn.fresh_mark;
    for (uint32_t i = 0; i < h->n_victims; i++)
        if (h->victims[i].moved != UINT32_MAX) h->victims[n++] = h->victims[i];
    h->n_victims = n;
    for (uint32_t i = cy->turn.fresh_mark; i < cy->decisions.n_fresh; i++)
        if (row_is_live(k, T_DECISION, cy->decisions.fresh[i]))
            cy->decisions.fresh[d++] = cy->decisions.fresh[i];
    cy->decisions.n_fresh = d;
}

int32_t call_spare(lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    if (!h) return LSCHED_E_INVAL;
    int32_t spared = 0;
    for (uint32_t end = h->n_victims, first; h->n_units > 1 && end > 0; end = first) {
        for (first = end - 1; first > 0 && h->victims[first - 1].unit == h->victims[end - 1].unit;)
            first--;
        int32_t rc = restore_unit(cy, first, end);
        if (rc < 0) return rc;
        spared += rc;
        if (rc) victim_last_forget(h, h->victims[first].unit);
        for (uint32_t i = first; rc && i < end; i++) {
            struct victim_task *v = &h->victims[i];
            v->moved = UINT32_MAX;
            victim_side_count(cy, cy->k->c[C_JOB_QUEUE].u32[v->job], v->ground, -1);
        }
    }
    if (spared) victim_order_drop(h);
    if (spared) forget_restored(cy);
    return spared;
}
