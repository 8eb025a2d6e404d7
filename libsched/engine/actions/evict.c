/* evict.c -- see evict.h. */
#include "engine/actions/evict.h"

#include "base/times.h"
#include "base/vec.h"
#include "engine/actions/act_state.h"
#include "engine/state/transaction.h"
#include "engine/state/withdraw_decision.h"
#include "engine/rights/victim_last.h"
#include "engine/victims/victim_order.h"
#include "engine/rights/victim_right.h"
#include "engine/victims/victim_saved.h"
#include "engine/rights/victim_side.h"
#include "engine/rights/victim_unit.h"
#include "engine/rights/victim_verdict.h"
#include "engine/rights/checkpoints.h"
#include "engine/waits/nominations.h"
#include "engine/waits/pass.h"
#include "engine/waits/refusal_wait.h"
#include "model/budgets/eviction_count.h"
#include "model/jobs/releasing.h"
#include "model/jobs/stops.h"
#include "model/told/change_feed.h"
#include "model/queues/nonpreemptible_use.h"
#include "model/queues/user_queue.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/job_sizes.h"
#include "model/jobs/job_cost.h"
#include "model/jobs/losses.h"
#include "model/demand/job_counts.h"

int32_t evict_task(lsched_cycle *cy, uint32_t task, int64_t cost, uint32_t reason, uint64_t for_job,
                   uint32_t *releasing) {
    uint32_t decision;
    uint32_t job = cy->k->c[C_TASK_JOB].u32[task];
    int64_t takes = job_cost_release(cy->k, job, cycle_eviction(cy)->release_us),
            writes = checkpoints_time(cy, job, reason);
    struct evict_spec s = {.now = cy->now,
                           .release_at =
                               time_after_at_most(time_after_at_most(cy->now, writes), takes),
                           .cost = cost,
                           .group = cy->turn.group_serial,
                           .for_job = for_job,
                           .reason = (uint8_t)reason};
    uint32_t open = cy->k->c[C_TASK_DECISION].u32[task];
    if (open != NO_ROW) withdraw_decision_note(cy, open, cy->k->c[C_DECISION_GEN].u32[open]);
    uint32_t why = change_feed_because(cy->k, LSCHED_BECAUSE_EVICTION);
    int32_t rc = task_evict(cy->k, task, &s, releasing, &decision);
    change_feed_because(cy->k, why);
    if (rc != LSCHED_OK) return rc;
    future_note(cy->k, s.release_at);
    return cy->decisions.out_of_memory ? LSCHED_E_NOMEM : cycle_fresh_add(cy, decision);
}

static int32_t victim_add(lsched_cycle *cy, const struct victim_unit *u, uint32_t releasing) {
    struct victim_search *h = cy->victims;
    if (!VEC_ROOM(cy->k->alloc, h->victims, h->cap_victims, h->n_victims + 1))
        return LSCHED_E_NOMEM;
    h->victims[h->n_victims++] =
        (struct victim_task){u->job, releasing, h->n_units, 0, u->ground, NO_ROW};
    victim_side_count(cy, u->queue, u->ground, 1);
    return LSCHED_OK;
}

/* Notes for which job the victim's job was stopped, so that the two jobs do not evict each other
 * in turn (stops.h). A job whose tasks only move gets no mark. */
static int32_t mark_victim(lsched_cycle *cy, uint32_t job, uint32_t for_job) {
    struct victim_search *h = cy->victims;
    if (for_job == NO_ROW || (h->reason != LSCHED_FOR_RECLAIM && h->reason != LSCHED_FOR_PREEMPT))
        return LSCHED_OK;
    victim_job_at(h, job)->stamp = 0; /* the verdict on the job must be computed again */
    return h->reason == LSCHED_FOR_PREEMPT ||
                   victim_right_is_own(cy, cy->k->c[C_JOB_QUEUE].u32[job])
               ? stops_pass_on(cy->k, job, for_job)
               : stops_mark(cy->k, job, for_job);
}

int32_t evict_unit(lsched_cycle *cy, const struct victim_unit *u) {
    struct columns *k = cy->k;
    uint64_t for_job =
        cy->victims->job == NO_ROW ? 0 : id_make(k, LSCHED_KIND_JOB, cy->victims->job);
    uint32_t releasing;
    uint32_t reason = victim_right_is_own(cy, u->queue) ? LSCHED_FOR_PREEMPT : cy->victims->reason;
    cy->victims->n_units++;
    int32_t rc = victim_last_note(cy, u);
    if (rc != LSCHED_OK) return rc;
    if (u->nominated) {
        rc = withdraw_decision(cy, u->task, LSCHED_BECAUSE_EVICTION);
        return rc == LSCHED_OK ? mark_victim(cy, u->job, cy->victims->job) : rc;
    }
    if (u->group == NO_ROW) {
        rc = evict_task(cy, u->task, u->cost, reason, for_job, &releasing);
        return rc == LSCHED_OK ? victim_add(cy, u, releasing) : rc;
    }
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[u->job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        if (!victim_unit_has_leaf(k, u->group, l)) continue;
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l], next; t != NO_ROW && rc == LSCHED_OK;
             t = next) {
            next = k->c[C_TASK_NEXT].u32[t];
            if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RUNNING) continue;
            rc = evict_task(cy, t, victim_verdict_cost_in(cy, u, t), reason, for_job, &releasing);
            if (rc == LSCHED_OK) rc = victim_add(cy, u, releasing);
        }
    }
    return rc;
}

int32_t evict_and_requeue(lsched_cycle *cy, const struct victim_unit *u) {
    int32_t rc = evict_unit(cy, u);
    return rc == LSCHED_OK ? job_requeue(cy->k, u->job) : rc;
}

int32_t evict_running(lsched_cycle *cy, uint32_t job, uint32_t only, uint32_t reason,
                      uint64_t most) {
    struct columns *k = cy->k;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l], next; t != NO_ROW && most > 0; t = next) {
            uint32_t releasing;
            next = k->c[C_TASK_NEXT].u32[t];
            if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RUNNING || (only != NO_ROW && t != only))
                continue;
            int32_t rc = undo_room(k);
            if (rc == LSCHED_OK) rc = evict_task(cy, t, 0, reason, 0, &releasing);
            if (rc != LSCHED_OK) return rc;
            cy->counts.evictions++;
            cy->spend.decisions_left--;
            most--;
        }
    }
    return LSCHED_OK;
}

/* ---- the rate of the policy ---- */

uint64_t evict_left(const lsched_cycle *cy) {
    uint64_t most = cycle_eviction(cy)->per_hour;
    if (most == 0) return UINT64_MAX;
    uint64_t spent = eviction_count_in_hour(cy->k, cy->now);
    return most > spent ? most - spent : 0;
}

/* ---- keep or undo a transaction ---- */

static int32_t count_disruption(lsched_cycle *cy, uint32_t job, uint32_t eviction) {
    struct columns *k = cy->k;
    int32_t rc = undo_room(k);
    uint32_t c = rc == LSCHED_OK ? job_cost(k, job) : NO_ROW;
    if (c == NO_ROW) return LSCHED_E_NOMEM;
    return eviction_count_job(k, c, eviction, cy->now, job_count(k, job).placed == 0);
}

/* Counts the evictions of the transaction in the policy's rate per hour. Evictions that the
 * orchestrator asked for do not count. */
static int32_t count_rate(lsched_cycle *cy) {
    const struct columns *k = cy->k;
    const struct victim_search *h = cy->victims;
    if (h->reason == LSCHED_FOR_DRAIN) return LSCHED_OK;
    for (uint32_t i = 0; i < h->n_victims; i++) {
        uint32_t d = k->c[C_TASK_DECISION].u32[h->victims[i].task];
        int32_t rc = eviction_count_hour(cy->k, d, cy->now);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

/* True if the transaction stops only work of the job's own queue, and no queue has a quota of a
 * resource part. */
static int stops_own_work(const lsched_cycle *cy) {
    const struct columns *k = cy->k;
    const struct victim_search *h = cy->victims;
    int stops = 0;
    if (h->reason != LSCHED_FOR_PREEMPT && !h->both) return 0;
    for (uint32_t d = 0; d < LIMIT_RESOURCE_PARTS; d++)
        if (h->quota.guarded[d]) return 0;
    for (uint32_t i = 0; i < h->n_victims; i++) {
        const struct victim_task *v = &h->victims[i];
        if (!queue_same_real(k, k->c[C_JOB_QUEUE].u32[v->job], h->queue)) return 0;
        stops |=
            k->c[C_DECISION_KIND].u8[k->c[C_TASK_DECISION].u32[v->task]] != LSCHED_DECIDE_MIGRATE;
    }
    return stops;
}

int evict_grows(lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    uint32_t queue = h && stops_own_work(cy) ? victim_side_grown(cy) : NO_ROW;
    if (queue == NO_ROW) return 0;
    h->why_queue = queue;
    for (uint32_t r = (uint32_t)meta(cy->k, M_N_KINDS); r-- > 1;) {
        int64_t right = victim_right(cy, queue, r, 0), used = 0;
        for (uint32_t i = 0; i < h->n_path; i++)
            if (h->path[i] == queue) used = h->before[i][r];
        if (!(h->kinds_before >> r & 1) || cy->k->c[C_QUEUE_USED + r].i64[queue] <= right) continue;
        h->why_kind = r;
        h->why_need = h->need[r];
        h->why_have = right > used ? right - used : 0;
    }
    h->why_code = LSCHED_NO_VICTIM_SHARE;
    return 1;
}

/* True if every victim of a consolidation has a new place and no victim's gang is below its
 * minimum. A consolidation must not stop work. */
static int all_moved(const lsched_cycle *cy) {
    const struct columns *k = cy->k;
    const struct victim_search *h = cy->victims;
    for (uint32_t i = 0; i < h->n_victims; i++) {
        uint32_t d = k->c[C_TASK_DECISION].u32[h->victims[i].task];
        if (k->c[C_DECISION_KIND].u8[d] != LSCHED_DECIDE_MIGRATE ||
            !job_satisfied(k, h->victims[i].job))
            return 0;
    }
    return 1;
}

int32_t evict_commit(lsched_cycle *cy) {
    struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    uint32_t last = NO_ROW;
    if (!h) return LSCHED_OK;
    uint64_t evicted = 0;
    if (h->reason == LSCHED_FOR_CONSOLIDATE && !all_moved(cy)) return LSCHED_E_STATE;
    if (cy->turn.job != NO_ROW &&
        (h->n_victims == 0 || nominations_wait_for_nobody(k, cy->turn.job))) {
        int32_t rc = nominations_look_again(cy, cy->turn.job);
        if (rc != LSCHED_OK) return rc;
    }
    for (uint32_t i = 0; i < h->n_victims; i++) {
        uint32_t job = h->victims[i].job;
        if (job == last) continue;
        last = job;
        int32_t rc = count_disruption(cy, job, k->c[C_TASK_DECISION].u32[h->victims[i].task]);
        if (rc == LSCHED_OK) rc = job_settle_losses(k, job, cy->now, withdraw_decision_note, cy);
        if (rc == LSCHED_OK) rc = share_update(&cy->c->share, k, k->c[C_JOB_QUEUE].u32[job]);
        if (rc == LSCHED_OK && cy->decisions.out_of_memory) rc = LSCHED_E_NOMEM;
        if (rc != LSCHED_OK) return rc;
    }
    /* the gang rule can have turned a move into an eviction */
    for (uint32_t i = 0; i < h->n_victims; i++) {
        uint32_t d = k->c[C_TASK_DECISION].u32[h->victims[i].task];
        int moves = k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_MIGRATE;
        cy->counts.moves += (uint64_t)moves;
        evicted += (uint64_t)!moves;
        int32_t rc = moves ? LSCHED_OK : mark_victim(cy, h->victims[i].job, h->job);
        if (rc != LSCHED_OK) return rc;
    }
    cy->counts.evictions += evicted;
    int32_t rc = count_rate(cy);
    if (rc != LSCHED_OK) return rc;
    h->n_victims = h->n_units = h->move.next = 0;
    h->others.known = h->others.whole_known = h->excess.known = 0;
    victim_saved_forget(h);
    return LSCHED_OK;
}

void evict_keep_group(lsched_cycle *cy) {
    refusal_wait_commit(cy);
    cy->spend.decisions_left -= cy->decisions.n_fresh - cy->turn.fresh_mark;
    set_meta(cy->k, M_GROUP_SERIAL, cy->turn.group_serial);
}

int32_t evict_keep_turn(lsched_cycle *cy, uint32_t job) {
    struct columns *k = cy->k;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        leaf_review(k, l); /* drops an alternative that was chosen but not used */
    int32_t rc = evict_commit(cy);
    if (rc != LSCHED_OK) return rc;
    cy->pass->ended++;
    evict_keep_group(cy);
    job_set_stale(k, job, LSCHED_NEVER_US);
    rc = job_sizes_settle(k, job);
    if (rc == LSCHED_OK) rc = job_requeue(k, job);
    cy->turn.job = NO_ROW;
    return rc;
}

void evict_settle(lsched_cycle *cy) {
    if (!undo_settle(cy->k)) return;
    /* each withdrawal was followed by writes, so its position was before the end of the log */
    size_t last = cy->k->undo_n - 1;
    for (uint32_t i = cy->decisions.n_withdrawn; i-- > 0;) {
        if (cy->decisions.withdrawn[i].at <= last) break;
        cy->decisions.withdrawn[i].at = last;
    }
}

int evict_stops_work(const lsched_cycle *cy) {
    uint32_t n = cy->decisions.n_withdrawn;
    return cy->victims->n_victims > 0 ||
           (n > 0 && cy->decisions.withdrawn[n - 1].at >= cy->turn.mark);
}

int evict_leaves_free_room(const lsched_cycle *cy) {
    return cy->victims && cy->victims->is_planned && !evict_stops_work(cy);
}

void evict_roll_back(lsched_cycle *cy, size_t mark, uint32_t fresh) {
    struct victim_search *h = cy->victims;
    undo_rollback(cy->k, mark);
    cy->decisions.n_fresh = fresh;
    size_t at = cy->k->undo_n;
    gang_domains_forget(&cy->act->pins);
    while (cy->decisions.n_withdrawn > 0 &&
           cy->decisions.withdrawn[cy->decisions.n_withdrawn - 1].at >= at) {
        cy->decisions.n_withdrawn--;
        if (h) h->nodes.built = 0;
    }
    if (!h) return;
    victim_order_drop(h);
    uint32_t n = h->n_victims; /* the victims that the rollback undid are at the end of the list */
    while (n > 0 && !(row_is_live(cy->k, T_TASK, h->victims[n - 1].task) &&
                      cy->k->c[C_TASK_STATE].u8[h->victims[n - 1].task] == LSCHED_TASK_RELEASING))
        n--;
    /* costs can be lower now than the costs stored in the heap */
    if (n < h->n_victims) h->nodes.built = 0;
    for (uint32_t i = n; i < h->n_victims; i++)
        victim_side_count(cy, cy->k->c[C_JOB_QUEUE].u32[h->victims[i].job], h->victims[i].ground,
                          -1);
    h->n_victims = n;
    h->n_units = n ? h->victims[n - 1].unit : 0;
    if (h->move.next > n) h->move.next = n;
}

int evict_blocks_growth(const lsched_cycle *cy, uint32_t job, int64_t *until) {
    const struct columns *k = cy->k;
    uint32_t c = k->c[C_JOB_COST].u32[job];
    if (c == NO_ROW || k->c[C_COST_SHRUNK_AT].i64[c] == 0 || !job_satisfied(k, job)) return 0;
    int64_t least = 0;
    for (uint32_t q = k->c[C_JOB_QUEUE].u32[job]; q != NO_ROW && least == 0;
         q = k->c[C_QUEUE_PARENT].u32[q])
        least = k->c[C_QUEUE_RECLAIM_MIN].i64[q] > k->c[C_QUEUE_PREEMPT_MIN].i64[q]
                    ? k->c[C_QUEUE_RECLAIM_MIN].i64[q]
                    : k->c[C_QUEUE_PREEMPT_MIN].i64[q];
    *until = time_after(k->c[C_COST_SHRUNK_AT].i64[c], least);
    return cy->now < *until;
}
