/* victim_verdict.c -- see victim_verdict.h. */
#include "engine/rights/victim_verdict.h"

#include "base/times.h"
#include "base/wide.h"
#include "engine/policy_hooks/hook_jobs.h"
#include "engine/policy_hooks/hook_victims.h"
#include "engine/state/running_work.h"
#include "engine/rights/victim_right.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/job_cost.h"
#include "model/jobs/soft_limit.h"
#include "model/jobs/stops.h"
#include "model/queues/user_queue.h"
#include "model/store/steps.h"
#include "model/jobs/task_row.h"
#include "model/demand/job_counts.h"

/* Returns the minimum run time, in microseconds, that protects the work of this queue from the
 * current action. */
static int64_t min_runtime(const struct lsched_cycle *cy, uint32_t queue) {
    int own = cy->victims->reason == LSCHED_FOR_PREEMPT || victim_right_is_own(cy, queue);
    return queue_min_runtime(cy->k, queue, own ? C_QUEUE_PREEMPT_MIN : C_QUEUE_RECLAIM_MIN);
}

/* True if the orchestrator refused to stop the job a short while ago. The job is not chosen again
 * before the grace period is over. Otherwise the engine would ask, and the orchestrator would
 * refuse, again and again. Lowers j->until to the end of that time. */
static int victim_verdict_was_refused(const struct lsched_cycle *cy, uint32_t job,
                                      struct victim_job *j) {
    int64_t until = job_cost_refused_until(cy->k, job, cy->now, cycle_eviction(cy)->grace_us);
    if (until && until < j->until) j->until = until;
    return until != 0;
}

/* True if the job was disrupted as often as it allows in the present window. Lowers j->later to
 * the end of the window. */
static int is_spent(const struct lsched_cycle *cy, uint32_t job, struct victim_job *j) {
    if (job_cost_disruptions_left(cy->k, job, cy->now)) return 0;
    int64_t end = job_cost_window_end(cy->k, job);
    if (end < j->later) j->later = end;
    return 1;
}

/* True if a consolidation must not move the job. Held and overdue jobs are not moved, because they
 * would get no new place. */
static int stays_put(const struct lsched_cycle *cy, uint32_t v) {
    return (cy->k->c[C_JOB_FLAGS].u8[v] & (LSCHED_JOB_NON_PREEMPTIBLE | LSCHED_JOB_INTERACTIVE)) ||
           job_is_held_back(cy->k, v) || hook_jobs_stops(cy, v);
}

/* Returns the verdict on a job of the current job's own queue: work of lower priority can be
 * evicted; of equal priority, surplus and jobs whose soft limit is over. A job of higher priority
 * is kept also after its soft limit, because it could evict the current job in turn. firm: 1 if the
 * job is non-preemptible; then only its surplus can be evicted. Lowers j->later to the end of the
 * soft limit. */
static int own_verdict(const struct lsched_cycle *cy, uint32_t v, int firm, struct victim_job *j) {
    const struct victim_search *h = cy->victims;
    int32_t p = cy->k->c[C_JOB_RANK].i32[v];
    if (p > h->priority || (p == h->priority && !h->below_minimum)) return VERDICT_NONE;
    if (p < h->priority) return firm ? VERDICT_SURPLUS : VERDICT_ALL;
    int64_t end = soft_limit_end(cy->k, v);
    if (end <= cy->now) return VERDICT_ALL;
    j->later = end;
    return VERDICT_SURPLUS;
}

/* Returns the verdict that follows from the scope of the action, before the state of the job
 * itself is considered. */
static int scope_verdict(const struct lsched_cycle *cy, uint32_t v, struct victim_job *j) {
    const struct columns *k = cy->k;
    const struct victim_search *h = cy->victims;
    int firm = (k->c[C_JOB_FLAGS].u8[v] & LSCHED_JOB_NON_PREEMPTIBLE) != 0;
    if (v == h->job) return VERDICT_NONE;
    /* in a drain, the orchestrator wants the node to become empty */
    if (h->reason == LSCHED_FOR_DRAIN) return VERDICT_ALL;
    if (h->reason == LSCHED_FOR_CONSOLIDATE) return stays_put(cy, v) ? VERDICT_NONE : VERDICT_ALL;
    int same = h->queue != NO_ROW && queue_same_real(k, k->c[C_JOB_QUEUE].u32[v], h->queue);
    if (same)
        return h->reason != LSCHED_FOR_RECLAIM || h->both ? own_verdict(cy, v, firm, j)
                                                          : VERDICT_NONE;
    if (h->reason != LSCHED_FOR_RECLAIM || (h->stopped && stops_stand(k, v))) return VERDICT_NONE;
    return firm ? VERDICT_SURPLUS : VERDICT_ALL;
}

/* ---- costs ---- */

int64_t victim_verdict_work_lost(const struct lsched_cycle *cy, uint32_t job, int64_t started) {
    const struct columns *k = cy->k;
    uint32_t c = k->c[C_JOB_COST].u32[job];
    int64_t ran = cy->now - started, period = c == NO_ROW ? 0 : k->c[C_COST_CHECKPOINT].i64[c];
    if (ran < 0) ran = 0;
    return period > 0 ? ran % period : ran;
}

int64_t victim_verdict_task_cost(const struct lsched_cycle *cy, uint32_t job, uint32_t task) {
    return victim_verdict_cost_since(cy, job, task, cy->k->c[C_TASK_START].i64[task]);
}

int64_t victim_verdict_cost_since(const struct lsched_cycle *cy, uint32_t job, uint32_t task,
                                  int64_t started) {
    const struct columns *k = cy->k;
    uint32_t c = k->c[C_JOB_COST].u32[job];
    int64_t us = VICTIM_STOP_COST_US + (c == NO_ROW ? 0 : k->c[C_COST_RESTART].i64[c]) +
                 victim_verdict_work_lost(cy, job, started);
    wide_i128 cost = (wide_i128)us * running_work_weight(k, task) / 1000000;
    return cost > INT64_MAX / 65536 ? INT64_MAX / 65536 : (int64_t)cost;
}

int64_t victim_verdict_cost_in(const struct lsched_cycle *cy, const struct victim_unit *u,
                               uint32_t task) {
    if (!hook_has_victims(cy)) return victim_verdict_task_cost(cy, u->job, task);
    return u->cost / (u->tasks ? u->tasks : 1);
}

static void sum_gang(const struct lsched_cycle *cy, uint32_t v, struct victim_job *j) {
    const struct columns *k = cy->k;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[v]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            uint8_t state = k->c[C_TASK_STATE].u8[t];
            steps_add(k, 1);
            j->proposed |= state == LSCHED_TASK_PROPOSED;
            if (state != LSCHED_TASK_RUNNING) continue;
            int64_t cost = victim_verdict_task_cost(cy, v, t);
            j->tasks++;
            j->cost = j->cost > INT64_MAX / 2 - cost ? INT64_MAX / 2 : j->cost + cost;
            if (k->c[C_TASK_SINCE].i64[t] > j->last_start)
                j->last_start = k->c[C_TASK_SINCE].i64[t];
            if (k->c[C_TASK_START].i64[t] < j->first_start)
                j->first_start = k->c[C_TASK_START].i64[t];
        }
    }
}

/* ---- the verdict ---- */

/* True if a task of the job started less than the minimum run time ago. Lowers j->until to the end
 * of that time. */
static int is_young(const struct lsched_cycle *cy, uint32_t v, struct victim_job *j) {
    const struct victim_search *h = cy->victims;
    int64_t least =
        h->reason == LSCHED_FOR_DRAIN ? 0 : min_runtime(cy, cy->k->c[C_JOB_QUEUE].u32[v]);
    if (!j->tasks || cy->now - j->last_start >= least) return 0;
    int64_t ripe = time_after(j->last_start, least);
    if (ripe < j->until) j->until = ripe;
    return 1;
}

/* Returns the final verdict: the verdict j->verdict of the scope, restricted by the state of the
 * job. */
static int state_verdict(const struct lsched_cycle *cy, uint32_t v, struct victim_job *j) {
    const struct columns *k = cy->k;
    struct job_counts n = job_count(k, v);
    int young = is_young(cy, v, j), starts = n.running < n.placed;
    if (cy->victims->reason == LSCHED_FOR_CONSOLIDATE)
        /* for such a job, the gang rule would withdraw the new nomination at once */
        return young || j->proposed || !job_satisfied(k, v) ? VERDICT_NONE : j->verdict;
    /* a gang with tasks that have not started is not evicted as a whole */
    if (j->verdict == VERDICT_ALL && !young && !starts) return VERDICT_ALL;
    /* an overdue job with tasks that have not started is left to the action that stops overdue
     * jobs */
    int ends = starts && hook_jobs_stops(cy, v);
    return ends || !job_satisfied(k, v) ? VERDICT_NONE : VERDICT_SURPLUS;
}

static void find_verdict(const struct lsched_cycle *cy, uint32_t v, struct victim_job *j) {
    *j = (struct victim_job){.stamp = cy->victims->stamp,
                             .last_start = INT64_MIN,
                             .first_start = INT64_MAX,
                             .until = LSCHED_NEVER_US,
                             .later = LSCHED_NEVER_US};
    j->verdict = (uint8_t)scope_verdict(cy, v, j);
    if (j->verdict != VERDICT_NONE && (is_spent(cy, v, j) || victim_verdict_was_refused(cy, v, j)))
        j->verdict = VERDICT_NONE;
    if (j->verdict == VERDICT_NONE) return;
    sum_gang(cy, v, j);
    j->verdict = (uint8_t)state_verdict(cy, v, j);
}

/* A verdict that was computed for another job of the context lowers the times, too. */
const struct victim_job *victim_verdict(struct lsched_cycle *cy, uint32_t v) {
    struct victim_search *h = cy->victims;
    struct victim_job *j = victim_job_at(h, v);
    if (j->stamp != h->stamp) find_verdict(cy, v, j);
    if (j->until < h->until) h->until = j->until;
    if (j->later < h->later) h->later = j->later;
    return j;
}

int32_t victim_verdict_open(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    if (h->jobs) return LSCHED_OK;
    size_t blocks = table_rows(cy->k, T_JOB) / VICTIM_JOBS_BLOCK * 9 / 8 + 1ul;
    h->jobs_bytes = blocks * (VICTIM_JOBS_BLOCK * sizeof *h->jobs + 1);
    h->jobs = alloc_new(cy->k->alloc, h->jobs_bytes);
    if (!h->jobs) return LSCHED_E_NOMEM;
    h->cleared = memset(h->jobs + blocks * VICTIM_JOBS_BLOCK, 0, blocks);
    return LSCHED_OK;
}

int32_t victim_verdict_grow(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    size_t rows = h->jobs_bytes / (VICTIM_JOBS_BLOCK * sizeof *h->jobs + 1) * VICTIM_JOBS_BLOCK;
    if (!h->jobs || table_rows(cy->k, T_JOB) <= rows) return LSCHED_OK;
    victim_verdict_close(cy);
    h->jobs = NULL;
    return victim_verdict_open(cy);
}

void victim_verdict_close(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    alloc_free(cy->k->alloc, h->jobs, h->jobs_bytes);
}
