/*
 * victim_rules.c -- which work may be disturbed, and what guarantees protect. The rules are in
 * docs/semantics.md, sections 12 (evictions) and 14 (guarantees).
 *
 * E(q, r) is the effective guarantee of queue q for resource kind r, and F(q, r) the fair share,
 * both from the share algorithm; the entitlement is R = max(E, F). Only kinds count that the
 * current job needs and of which some queue has a guarantee. If no queue has a guarantee of a kind
 * that the job needs, all kinds that it needs count. Otherwise a guarantee of GPUs would mean
 * nothing, because every queue uses more CPU cores than its guarantee of cores, which is 0.
 */
#include "base/times.h"
#include "engine/victims/victim_last.h"
#include "engine/victims/victim_parts.h"
#include "engine/victims/victim_side.h"
#include "base/wide.h"
#include "model/jobs/releasing.h"
#include "model/queues/queue.h"
#include "model/store/steps.h"
#include "model/jobs/stops.h"
#include "model/jobs/job_limits.h"
#include "engine/policy_hooks/hook_jobs.h"

uint32_t victim_rules_real_queue(const struct columns *k, uint32_t q) {
    while (k->c[C_QUEUE_FLAGS].u8[q] & (LSCHED_QUEUE_IS_USER | LSCHED_QUEUE_IS_GROUP))
        q = k->c[C_QUEUE_PARENT].u32[q];
    return q;
}

int victim_rules_is_own(const struct lsched_cycle *y, uint32_t queue) {
    return y->search->both &&
           victim_rules_real_queue(y->k, queue) == victim_rules_real_queue(y->k, y->search->queue);
}

int64_t victim_rules_right(const struct lsched_cycle *y, uint32_t queue, uint32_t kind,
                           int guarantee_only) {
    const struct share_tree *s = &y->c->share;
    int64_t guarantee = 0, share = 0;
    if (!s->ops->amounts ||
        s->ops->amounts(s->self, cycle_view(y), queue, kind, &guarantee, &share) != LSCHED_OK)
        return LSCHED_UNLIMITED;
    return guarantee_only || guarantee > share ? guarantee : share;
}

/* Returns the level in the job's path of the lowest queue that is above both the job and the
 * victim; n_path if they have no common queue. */
uint32_t victim_rules_ancestor(const struct lsched_cycle *y, uint32_t victim_queue) {
    const struct victim_search *h = y->search;
    const struct columns *k = y->k;
    for (uint32_t q = victim_queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q])
        for (uint32_t i = 0; i < h->n_path; i++)
            if (h->path[i] == q) return i;
    return h->n_path;
}

/* ---- verdicts ---- */

/* Returns the minimum run time, in microseconds, that the nearest queue from the victim's queue
 * upward sets; 0 if none does. */
static int64_t min_runtime(const struct lsched_cycle *y, uint32_t queue) {
    const struct columns *k = y->k;
    uint32_t column = y->search->reason == LSCHED_FOR_PREEMPT || victim_rules_is_own(y, queue)
                          ? C_QUEUE_PREEMPT_MIN
                          : C_QUEUE_RECLAIM_MIN;
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q])
        if (k->c[column].i64[q]) return k->c[column].i64[q];
    return 0;
}

static int disruptions_left(const struct lsched_cycle *y, uint32_t job) {
    const struct columns *k = y->k;
    uint32_t c = k->c[C_JOB_COST].u32[job];
    if (c == NO_ROW || k->c[C_COST_DISRUPTIONS_MAX].u32[c] == 0) return 1;
    int64_t window = k->c[C_COST_WINDOW].i64[c];
    if (window && y->now - k->c[C_COST_WINDOW_START].i64[c] >= window) return 1;
    return k->c[C_COST_DISRUPTIONS].u32[c] < k->c[C_COST_DISRUPTIONS_MAX].u32[c];
}

/* True if the orchestrator refused to stop the job a short while ago. The job is not chosen again
 * before the grace period is over, or the engine would ask and the orchestrator would refuse for
 * ever. */
static int victim_rules_was_refused(const struct lsched_cycle *y, uint32_t job) {
    uint32_t c = y->k->c[C_JOB_COST].u32[job];
    int64_t at = c == NO_ROW ? 0 : y->k->c[C_COST_REFUSED_AT].i64[c];
    if (at == 0) return 0;
    int64_t until = time_after(at, cycle_eviction(y)->grace_us);
    if (y->now >= until) return 0;
    if (until < y->search->until) y->search->until = until;
    return 1;
}

/* Returns what of the job may be disturbed by the scope of the action, before the state of the job
 * itself is considered. */
static int scope_verdict(const struct lsched_cycle *y, uint32_t v) {
    const struct columns *k = y->k;
    const struct victim_search *h = y->search;
    uint32_t flags = k->c[C_JOB_FLAGS].u8[v];
    int firm = (flags & LSCHED_JOB_NON_PREEMPTIBLE) != 0;
    if (v == h->job || !disruptions_left(y, v)) return VERDICT_NONE;
    /* the orchestrator wants the node empty */
    if (h->reason == LSCHED_FOR_DRAIN) return VERDICT_ALL;
    if (h->reason == LSCHED_FOR_CONSOLIDATE) {
        /* a held or overdue job gets no new place */
        int ends = job_held(k, v) || hook_jobs_stops(y, v);
        return firm || ends || (flags & LSCHED_JOB_INTERACTIVE) ? VERDICT_NONE : VERDICT_ALL;
    }
    int same = h->queue != NO_ROW && victim_rules_real_queue(k, k->c[C_JOB_QUEUE].u32[v]) ==
                                         victim_rules_real_queue(k, h->queue);
    if (h->reason == LSCHED_FOR_RECLAIM && !(h->both && same)) {
        if (same || (h->stopped && stops_stand(k, v))) return VERDICT_NONE;
        return firm ? VERDICT_SURPLUS : VERDICT_ALL;
    }
    int32_t p = k->c[C_JOB_PRIORITY].i32[v];
    if (!same || p > h->priority || (p == h->priority && !h->below_minimum)) return VERDICT_NONE;
    return p == h->priority || firm ? VERDICT_SURPLUS : VERDICT_ALL;
}

/* Returns the weight of a task in milli-GPUs; 32 CPU cores of a task without GPUs weigh as much as
 * one GPU. */
static int64_t weight_milli(const struct columns *k, uint32_t task) {
    int64_t gpu = task_amount(k, task, LSCHED_GPU), cpu = task_amount(k, task, LSCHED_CPU) / 32;
    return gpu > 0 ? gpu : cpu > 0 ? cpu : 1;
}

#define STOP_COST_US INT64_C(60000000) /* cost of any eviction besides lost work, microseconds */

int64_t victim_rules_work_lost(const struct lsched_cycle *y, uint32_t job, int64_t started) {
    const struct columns *k = y->k;
    uint32_t c = k->c[C_JOB_COST].u32[job];
    int64_t ran = y->now - started, period = c == NO_ROW ? 0 : k->c[C_COST_CHECKPOINT].i64[c];
    if (ran < 0) ran = 0;
    return period > 0 ? ran % period : ran;
}

/* Returns the cost of evicting the task in GPU-milliseconds: (lost work + restart cost + one
 * minute) x GPUs. A task without GPUs counts as one GPU per 32 CPU cores. */
static int64_t task_cost(const struct lsched_cycle *y, uint32_t job, uint32_t task) {
    const struct columns *k = y->k;
    uint32_t c = k->c[C_JOB_COST].u32[job];
    int64_t us = STOP_COST_US + victim_rules_work_lost(y, job, k->c[C_TASK_START].i64[task]) +
                 (c == NO_ROW ? 0 : k->c[C_COST_RESTART].i64[c]);
    wide_i128 cost = (wide_i128)us * weight_milli(k, task) / 1000000;
    return cost > INT64_MAX / 65536 ? INT64_MAX / 65536 : (int64_t)cost;
}

static void sum_gang(const struct lsched_cycle *y, uint32_t v, struct victim_job *j) {
    const struct columns *k = y->k;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[v]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            uint8_t state = k->c[C_TASK_STATE].u8[t];
            steps_add(k, 1);
            j->proposed |= state == LSCHED_TASK_PROPOSED;
            if (state != LSCHED_TASK_RUNNING) continue;
            int64_t cost = task_cost(y, v, t);
            j->tasks++;
            j->cost = j->cost > INT64_MAX / 2 - cost ? INT64_MAX / 2 : j->cost + cost;
            if (k->c[C_TASK_SINCE].i64[t] > j->last_start)
                j->last_start = k->c[C_TASK_SINCE].i64[t];
            if (k->c[C_TASK_START].i64[t] < j->first_start)
                j->first_start = k->c[C_TASK_START].i64[t];
        }
    }
}

const struct victim_job *victim_rules_judge(struct lsched_cycle *y, uint32_t v) {
    struct victim_search *h = y->search;
    const struct columns *k = y->k;
    struct victim_job *j = &h->jobs[v];
    if (j->stamp == h->stamp) return j;
    *j = (struct victim_job){.stamp = h->stamp, .last_start = INT64_MIN, .first_start = INT64_MAX};
    j->verdict = (uint8_t)scope_verdict(y, v);
    if (j->verdict != VERDICT_NONE && victim_rules_was_refused(y, v)) j->verdict = VERDICT_NONE;
    if (j->verdict == VERDICT_NONE) return j;
    sum_gang(y, v, j);
    struct job_counts n = job_count(k, v);
    int64_t least = h->reason == LSCHED_FOR_DRAIN ? 0 : min_runtime(y, k->c[C_JOB_QUEUE].u32[v]);
    int young = j->tasks && y->now - j->last_start < least;
    int64_t ripe = young ? time_after(j->last_start, least) : LSCHED_NEVER_US;
    if (ripe < h->until) h->until = ripe;
    if (h->reason == LSCHED_FOR_CONSOLIDATE && (young || j->proposed || !job_satisfied(k, v)))
        /* the gang rule would withdraw the new nomination at once */
        j->verdict = VERDICT_NONE;
    else if (j->verdict == VERDICT_ALL && h->reason != LSCHED_FOR_CONSOLIDATE &&
             (young || n.running < n.placed))
        /* a gang with tasks that have not started is not evicted as a whole */
        j->verdict = VERDICT_SURPLUS;
    /* an overdue job also loses its tasks that have not started */
    int ends = n.running < n.placed && hook_jobs_stops(y, v);
    if (j->verdict == VERDICT_SURPLUS && (ends || !job_satisfied(k, v)))
        j->verdict = VERDICT_NONE; /* the job has no surplus */
    return j;
}

/* ---- eviction units ---- */

static uint32_t held(const struct columns *k, uint32_t job, uint32_t group) {
    return job_leaf_held(k, job, group);
}

/* Returns the number of members of the leaf group that count towards the minimum when a task is
 * evicted. A nominated task does not count: the gang would run below its minimum until the
 * nominated room is free. */
static uint32_t standing(const struct columns *k, uint32_t job, uint32_t group) {
    return job_leaf_stands(k, job, group);
}

/* True if the job keeps its minimum without the tasks below the group. */
static int stands_without_group(const struct columns *k, uint32_t job, uint32_t without) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job], n = k->c[C_JOBSHAPE_N_GROUPS].u32[shape],
             first = group_row(k, shape, 0), count[LSCHED_GROUPS_PER_JOB_MAX];
    memset(count, 0, sizeof count);
    for (uint32_t g = n; g-- > 0;) {
        int leaf = k->c[C_GROUP_CHILDREN].u32[first + g] == 0;
        uint32_t have = leaf ? standing(k, job, g) : count[g];
        int good = have >= k->c[C_GROUP_MIN].u32[first + g] && g != without;
        if (g == 0) return good;
        if (good) count[k->c[C_GROUP_PARENT].u32[first + g]]++;
    }
    return 0;
}

/* Returns the first group, from the leaf group upward, that its parent group can spare; the root
 * group if there is none. */
static uint32_t group_around(const struct columns *k, uint32_t job, uint32_t leaf_group) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job];
    for (uint32_t g = leaf_group;; g = k->c[C_GROUP_PARENT].u32[group_row(k, shape, g)])
        if (g == 0 || stands_without_group(k, job, g)) return g;
}

/* Returns the group that is evicted with a task of the leaf group; NO_ROW if the task is evicted
 * alone. */
static uint32_t group_to_go(const struct columns *k, uint32_t job, uint32_t leaf_group) {
    uint32_t row = group_row(k, k->c[C_JOB_SHAPE].u32[job], leaf_group);
    if (standing(k, job, leaf_group) > k->c[C_GROUP_MIN].u32[row]) return NO_ROW;
    return group_around(k, job, leaf_group);
}

/* Computes the tasks, the cost and the start of a group, so that the eviction unit is the same
 * from whichever of its tasks it was found. */
static void unit_of_group(const struct lsched_cycle *y, struct victim_unit *u) {
    const struct columns *k = y->k;
    uint32_t shape = k->c[C_JOB_SHAPE].u32[u->job];
    u->tasks = 0;
    u->cost = 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[u->job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        uint32_t g = k->c[C_LEAF_GROUP].u32[l];
        while (g > u->group) g = k->c[C_GROUP_PARENT].u32[group_row(k, shape, g)];
        if (g != u->group) continue;
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            steps_add(k, 1);
            if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RUNNING) continue;
            u->tasks++;
            u->cost += task_cost(y, u->job, t);
            if (k->c[C_TASK_START].i64[t] < u->started) u->started = k->c[C_TASK_START].i64[t];
        }
    }
}

/* Fills an eviction unit that is a group, and returns whether it may be evicted. The whole gang is
 * a unit only if all of the job may be evicted. A gang whose finished tasks meet its minimum can
 * spare each of its groups separately, therefore the whole gang is not a unit. */
static int unit_of_gang(const struct lsched_cycle *y, const struct victim_job *j,
                        struct victim_unit *u) {
    if (u->group == 0 && job_stands_done(y->k, u->job)) return 0;
    if (u->group == 0) {
        u->tasks = j->tasks;
        u->cost = j->cost;
        u->started = j->first_start;
        return j->verdict == VERDICT_ALL;
    }
    unit_of_group(y, u);
    return 1;
}

int64_t victim_unit_amount(const struct columns *k, const struct victim_unit *u, uint32_t r) {
    if (u->group == NO_ROW) return task_amount(k, u->task, r);
    int64_t sum = 0;
    uint32_t shape = k->c[C_JOB_SHAPE].u32[u->job];
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[u->job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        uint32_t g = k->c[C_LEAF_GROUP].u32[l];
        while (g > u->group) g = k->c[C_GROUP_PARENT].u32[group_row(k, shape, g)];
        if (g == u->group) sum += leaf_amount(k, l, r);
    }
    return sum;
}

void victim_unit_amounts(const struct columns *k, const struct victim_unit *u, int64_t *amount) {
    for (uint32_t r = 0; r < KINDS_MAX; r++)
        amount[r] = r && r < meta(k, M_N_KINDS) ? victim_unit_amount(k, u, r) : 0;
}

/* Returns what the queue would hold without the chosen eviction units of the set. */
static int64_t victim_rules_used_without(const struct lsched_cycle *y, uint32_t q, uint32_t r,
                                         const struct victim_set *set) {
    const struct columns *k = y->k;
    int64_t used = k->c[C_QUEUE_USED + r].i64[q];
    for (uint32_t i = 0; set && i < set->n; i++)
        if (set->unit[i].chosen && queue_is_below(k, set->unit[i].queue, q))
            used -= victim_unit_amount(k, &set->unit[i], r);
    return used;
}

/* Returns the highest queue of the victim's side, below the common ancestor. */
static uint32_t top_of(const struct lsched_cycle *y, uint32_t queue) {
    const struct victim_search *h = y->search;
    const struct columns *k = y->k;
    uint32_t top = queue, at = victim_rules_ancestor(y, queue);
    while (at > 0 && k->c[C_QUEUE_PARENT].u32[top] != (at == h->n_path ? NO_ROW : h->path[at]))
        top = k->c[C_QUEUE_PARENT].u32[top];
    return top;
}

/* Returns minus how far the victim's side is above its entitlement, in 64ths of the cluster. At
 * equal cost, work of the side that is farthest above is evicted first. */
int32_t victim_rules_over_right(const struct lsched_cycle *y, uint32_t top,
                                const struct victim_set *set) {
    const struct victim_search *h = y->search;
    const struct columns *k = y->k;
    if (h->reason != LSCHED_FOR_RECLAIM || !h->has_amounts) return 0;
    int64_t most = 0;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t total = (int64_t)meta(k, M_TOTAL_READY + r), right;
        if (!(h->kinds >> r & 1) || total <= 0) continue;
        right = victim_rules_right(y, top, r, 0);
        int64_t used = victim_rules_used_without(y, top, r, set);
        int64_t over = used > right ? (int64_t)((wide_i128)(used - right) * 64 / total) : 0;
        if (over > most) most = over;
    }
    return (int32_t)-most;
}

/* True if a decision of the job is not confirmed yet, so that work may have been evicted for it in
 * this cycle. Taking the job's nominations could leave the job below its minimum. The job would
 * then lose what it got, and that work would have been evicted in vain. */
static int got_something(const struct columns *k, uint32_t job) {
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            uint8_t state = k->c[C_TASK_STATE].u8[t];
            steps_add(k, 1);
            if ((state == LSCHED_TASK_NOMINATED || state == LSCHED_TASK_PROPOSED) &&
                k->c[C_DECISION_STATE].u8[k->c[C_TASK_DECISION].u32[t]] !=
                    LSCHED_DECISION_CONFIRMED)
                return 1;
        }
    return 0;
}

/* Fills an eviction unit that is a nomination, and returns whether it may be taken away. Taking a
 * nomination that was confirmed in an earlier cycle stops no work. Therefore a job with a
 * guarantee of the room, or with higher priority in the same queue, takes it. The gang rule
 * decides what else the gang loses. */
static int nominated_unit(const struct lsched_cycle *y, uint32_t task, struct victim_unit *u) {
    const struct columns *k = y->k;
    const struct victim_search *h = y->search;
    uint32_t job = k->c[C_TASK_JOB].u32[task], d = k->c[C_TASK_DECISION].u32[task];
    int same = victim_rules_real_queue(k, k->c[C_JOB_QUEUE].u32[job]) ==
               victim_rules_real_queue(k, h->queue);
    if (job == h->job || k->c[C_DECISION_STATE].u8[d] != LSCHED_DECISION_CONFIRMED) return 0;
    int own = h->reason == LSCHED_FOR_PREEMPT || (h->both && same);
    if (h->reason == LSCHED_FOR_RECLAIM && !own && (same || !h->guarantee[0])) return 0;
    if (own && (!same || k->c[C_JOB_PRIORITY].i32[job] >= h->priority)) return 0;
    if (!own && h->stopped && stops_stand(k, job)) return 0;
    if (h->reason == LSCHED_FOR_CONSOLIDATE || job_releasing(k, job) || got_something(k, job))
        return 0;
    *u = (struct victim_unit){.job = job,
                              .queue = k->c[C_JOB_QUEUE].u32[job],
                              .task = task,
                              .group = NO_ROW,
                              .tasks = 1,
                              .nominated = 1,
                              .priority = k->c[C_JOB_PRIORITY].i32[job],
                              .started = k->c[C_DECISION_PROPOSED].i64[d]};
    return 1;
}

/* A guarantee is a promise to a queue, while priorities and costs compare work with work.
 * Therefore this test comes before priorities and costs. */
int victim_rules_cross(const struct lsched_cycle *y, const struct victim_unit *u,
                       const struct victim_set *set) {
    const struct victim_search *h = y->search;
    const struct columns *k = y->k;
    if (h->reason != LSCHED_FOR_RECLAIM || !h->has_amounts) return 0;
    if (!h->guaranteed && !h->parts_pending) return 0;
    /* the number of victims comes first */
    if (cycle_eviction(y)->victims == POLICY_VICTIMS_FEWEST) return 0;
    if (victim_rules_is_own(y, u->queue)) return 0;
    uint32_t at = victim_rules_ancestor(y, u->queue), end = at == h->n_path ? NO_ROW : h->path[at];
    if (at == 0) return 0;
    int64_t amount[KINDS_MAX];
    int whole_path = cycle_eviction(y)->protection == POLICY_PROTECT_PATH;
    struct victim_levels levels = {whole_path ? u->queue : top_of(y, u->queue), end, at};
    if (victim_parts_decide(y, u)) return victim_parts_cross(y, u, set, &levels);
    victim_unit_amounts(k, u, amount);
    for (uint32_t q = levels.from; q != end; q = k->c[C_QUEUE_PARENT].u32[q])
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
            if ((h->kinds >> r & 1) && amount[r] > 0 &&
                victim_rules_used_without(y, q, r, set) - h->pending[(size_t)q * KINDS_MAX + r] -
                        (u->chosen ? 0 : amount[r]) <
                    victim_rules_right(y, q, r, 1))
                return 1;
    return 0;
}

/* Fills the cost of an eviction unit: of a single task, or of the group that is evicted with it. */
static int unit_of_task(struct lsched_cycle *y, uint32_t task, const struct victim_job *j,
                        struct victim_unit *u) {
    if (u->group != NO_ROW) return unit_of_gang(y, j, u);
    u->cost = task_cost(y, u->job, task);
    return 1;
}

int victim_unit_of(struct lsched_cycle *y, uint32_t task, struct victim_unit *u) {
    const struct columns *k = y->k;
    struct victim_search *h = y->search;
    if (k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_NOMINATED) return nominated_unit(y, task, u);
    if (k->c[C_TASK_STATE].u8[task] != LSCHED_TASK_RUNNING) return 0;
    uint32_t job = k->c[C_TASK_JOB].u32[task];
    const struct victim_job *j = victim_rules_judge(y, job);
    if (j->verdict == VERDICT_NONE || (h->by_unit && j->pinned == h->pin_stamp)) return 0;
    *u = (struct victim_unit){.job = job,
                              .queue = k->c[C_JOB_QUEUE].u32[job],
                              .task = task,
                              .group = NO_ROW,
                              .tasks = 1,
                              .priority = k->c[C_JOB_PRIORITY].i32[job],
                              .started = k->c[C_TASK_START].i64[task]};
    uint32_t leaf_group = k->c[C_LEAF_GROUP].u32[k->c[C_TASK_LEAF].u32[task]];
    if (h->reason == LSCHED_FOR_CONSOLIDATE) {
        /* the task continues elsewhere; if its gang needs it, the whole gang waits for it */
        int spare = group_to_go(k, job, leaf_group) == NO_ROW;
        u->cost = spare ? task_cost(y, job, task) : j->cost;
        return 1;
    }
    u->top = top_of(y, u->queue);
    u->over = u->over_first = victim_rules_over_right(y, u->top, NULL);
    u->group = job_satisfied(k, job) ? group_to_go(k, job, leaf_group) : 0;
    if (!unit_of_task(y, task, j, u)) return 0;
    u->crosses = (uint8_t)victim_rules_cross(y, u, NULL);
    return 1;
}

int victim_rules_larger_unit(struct lsched_cycle *y, struct victim_unit *u) {
    const struct columns *k = y->k;
    if (y->search->reason == LSCHED_FOR_CONSOLIDATE) return 0;
    /* the next larger eviction unit is the group that its parent can spare, then the whole gang */
    uint32_t leaf_group = k->c[C_LEAF_GROUP].u32[k->c[C_TASK_LEAF].u32[u->task]];
    u->group = u->group == NO_ROW ? group_around(k, u->job, leaf_group) : 0;
    if (!unit_of_gang(y, victim_rules_judge(y, u->job), u)) return 0;
    u->crosses = (uint8_t)victim_rules_cross(y, u, NULL);
    return 1;
}

/* ---- protection ---- */

/* True if `used` is above the entitlement. Above a guarantee, any amount counts; above a fair
 * share, `used` must exceed it by the factor `saturation` of the policy. */
static int victim_rules_is_above(const struct lsched_cycle *y, int64_t used, int64_t right,
                                 int guarantee_only) {
    int64_t saturation = cycle_eviction(y)->saturation_milli;
    if (guarantee_only || right == LSCHED_UNLIMITED) return used > right;
    return used > right && (wide_i128)used * 1000 > (wide_i128)right * saturation;
}

uint32_t victim_rules_kinds_above(const struct lsched_cycle *y, uint32_t q, int guarantee_only,
                                  uint32_t kinds, const int64_t *less) {
    uint32_t above = 0;
    for (uint32_t r = 1; r < meta(y->k, M_N_KINDS); r++) {
        int64_t used = y->k->c[C_QUEUE_USED + r].i64[q] - (less ? less[r] : 0);
        if ((kinds >> r & 1) && used > 0 &&
            victim_rules_is_above(y, used, victim_rules_right(y, q, r, guarantee_only),
                                  guarantee_only))
            above |= 1u << r;
    }
    return above;
}

/* True if the queue holds more than its entitlement of some kind that counts. less: amounts of the
 * victim's job that are evicted before the tested unit, or NULL. last: a unit that was evicted and
 * is treated as if it were evicted later, or NULL. */
static int exceeds(const struct lsched_cycle *y, uint32_t q, int guarantee_only,
                   const struct victim_set *set, const int64_t *less,
                   const struct victim_last *last) {
    const struct victim_search *h = y->search;
    int64_t gone[KINDS_MAX] = {0};
    if (last && !queue_is_below(y->k, last->queue, q)) last = NULL;
    for (uint32_t r = 1; r < meta(y->k, M_N_KINDS); r++)
        if (h->kinds >> r & 1)
            gone[r] = y->k->c[C_QUEUE_USED + r].i64[q] - victim_rules_used_without(y, q, r, set) +
                      h->pending[(size_t)q * KINDS_MAX + r] + (less ? less[r] : 0) -
                      (last ? last->amount[r] : 0);
    return victim_rules_kinds_above(y, q, guarantee_only, h->kinds, gone) != 0;
}

void victim_rules_surplus(const struct columns *k, uint32_t job, uint32_t group, int64_t *amount) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job];
    memset(amount, 0, KINDS_MAX * sizeof *amount);
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        uint32_t g = k->c[C_LEAF_GROUP].u32[l], have = held(k, job, g), up = g,
                 min = k->c[C_GROUP_MIN].u32[group_row(k, shape, g)];
        while (up > group) up = k->c[C_GROUP_PARENT].u32[group_row(k, shape, up)];
        if (up != group) continue;
        uint32_t placed = k->c[C_LEAF_PLACED].u32[l];
        for (uint32_t r = 1; have > min && placed && r < meta(k, M_N_KINDS); r++)
            amount[r] += (int64_t)wide_mul_div((uint64_t)leaf_amount(k, l, r), have - min, placed,
                                               LSCHED_AMOUNT_MAX);
    }
}

/* Returns the queue's dominant share divided by its weight: use / cluster total x 1000 / weight,
 * as a fixed-point number with 30 fractional bits. */
int64_t victim_rules_dominant(const struct lsched_cycle *y, uint32_t q, const int64_t *more,
                              const struct victim_set *set, const struct victim_unit *without) {
    const struct columns *k = y->k;
    int64_t most = 0;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t total = (int64_t)meta(k, M_TOTAL_READY + r), weight;
        if (total <= 0) continue;
        wide_i128 used = victim_rules_used_without(y, q, r, set);
        if (more) used += more[r];
        if (without) used -= victim_unit_amount(k, without, r);
        weight = k->c[C_QUEUE_WEIGHT_NOW + r].i64[q];
        if (used <= 0) continue;
        if (weight <= 0) return INT64_MAX;
        wide_i128 share = (used << 30) / total * 1000 / weight;
        if (share > most) most = share > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)share;
    }
    return most;
}

/* Returns the ground on which an eviction unit may be evicted by what its side holds; SIDE_NONE if
 * it may not. Then *at is the queue that protects it. */
static enum side_ground ground_of(const struct lsched_cycle *y, const struct victim_set *set,
                                  const struct victim_levels *levels, const int64_t *less,
                                  const struct victim_last *last, uint32_t *at) {
    uint32_t top = levels->from;
    for (uint32_t q = levels->from; q != levels->end; q = y->k->c[C_QUEUE_PARENT].u32[q]) {
        *at = top = q;
        if (!exceeds(y, q, 1, set, less, last)) return SIDE_NONE;
    }
    if (exceeds(y, top, 0, set, less, last)) return SIDE_SHARE;
    if (victim_side_guaranteed(y, levels->at, set)) return SIDE_GUARANTEE;
    y->search->lacks_guarantee = 1;
    return SIDE_NONE;
}

/* The eviction unit that is tested, and the levels of queues that it is tested against. */
struct asked {
    const struct victim_unit *unit;
    const struct victim_set *set;
    const struct victim_levels *levels;
    uint32_t top;
};

/* True if the eviction unit `last`, which was evicted before, may also be evicted after the tested
 * unit and the chosen units of the set. */
static int may_be_last(const struct lsched_cycle *y, const struct victim_last *last,
                       const struct asked *a) {
    const struct columns *k = y->k;
    int64_t amount[KINDS_MAX];
    uint32_t queue = a->unit->queue;
    victim_unit_amounts(k, a->unit, amount);
    for (uint32_t q = a->levels->from == a->top ? a->top : last->queue; q != a->levels->end;
         q = k->c[C_QUEUE_PARENT].u32[q])
        if (!exceeds(y, q, 1, a->set, queue_is_below(k, queue, q) ? amount : NULL, last)) return 0;
    return last->ground != SIDE_SHARE || exceeds(y, a->top, 0, a->set, amount, last);
}

/* True if the set evicts more of the job than its eviction unit `but`. Units of one job keep their
 * order. */
static int goes_on(const struct victim_set *set, uint32_t job, const struct victim_unit *but) {
    for (uint32_t i = 0; set && i < set->n; i++)
        if (set->unit[i].chosen && set->unit[i].job == job && &set->unit[i] != but) return 1;
    return 0;
}

/* Finds the largest chosen eviction unit of the set below the queue that can be treated as evicted
 * last. Returns 1, or 0 if there is none. */
static int last_of_set(const struct lsched_cycle *y, const struct asked *a, uint32_t queue,
                       struct victim_last *last) {
    const struct columns *k = y->k;
    *last = (struct victim_last){.job = NO_ROW};
    for (uint32_t i = 0; a->set && i < a->set->n; i++) {
        const struct victim_unit *u = &a->set->unit[i];
        struct victim_last other;
        steps_add(k, 1);
        if (!u->chosen || u->job == a->unit->job || !queue_is_below(k, u->queue, queue) ||
            goes_on(a->set, u->job, u) || !victim_last_of(y, u, &other))
            continue;
        if (last->job == NO_ROW || other.size > last->size) *last = other;
    }
    return last->job != NO_ROW;
}

/* Returns the ground on which the eviction unit may be evicted, by what the victim's side and the
 * job's side hold of whole resource kinds; SIDE_NONE if it may not. */
static enum side_ground kinds_allow(struct lsched_cycle *y, const struct victim_unit *u,
                                    const struct victim_set *set,
                                    const struct victim_levels *levels, uint32_t top) {
    const struct columns *k = y->k;
    const struct asked a = {u, set, levels, top};
    int64_t surplus[KINDS_MAX], *less = u->group != NO_ROW ? surplus : NULL;
    uint32_t at = top, ignored;
    struct victim_last here;
    if (!victim_side_within(y, levels->at, set)) return SIDE_NONE;
    if (less) victim_rules_surplus(k, u->job, u->group, surplus);
    enum side_ground ground = ground_of(y, set, levels, less, NULL, &at);
    if (ground) return ground;
    const struct victim_last *last = victim_last_below(y, at);
    if (last && last->job != u->job && !goes_on(set, last->job, NULL)) {
        ground = ground_of(y, set, levels, less, last, &ignored);
        if (ground && may_be_last(y, last, &a)) return ground;
    }
    if (!last_of_set(y, &a, at, &here)) return SIDE_NONE;
    ground = ground_of(y, set, levels, less, &here, &ignored);
    return ground && may_be_last(y, &here, &a) ? ground : SIDE_NONE;
}

/* Returns the ground under a share algorithm without guarantees: SIDE_FREE if the victim's side
 * without the eviction unit stays at least as large as the job's side with the job, otherwise
 * SIDE_NONE. */
static enum side_ground dominant_allows(const struct lsched_cycle *y, const struct victim_unit *u,
                                        const struct victim_set *set, uint32_t top, uint32_t at) {
    if (!y->c->share.ops->dominant) return SIDE_NONE;
    int64_t after = victim_side_dominant(y, at, set);
    int may = after < INT64_MAX && victim_rules_dominant(y, top, NULL, set, u) >= after;
    return may ? SIDE_FREE : SIDE_NONE;
}

enum side_ground victim_rules_allow(struct lsched_cycle *y, const struct victim_unit *u,
                                    const struct victim_set *set) {
    const struct victim_search *h = y->search;
    const struct columns *k = y->k;
    if (h->reason != LSCHED_FOR_RECLAIM || victim_rules_is_own(y, u->queue)) return SIDE_FREE;
    uint32_t at = victim_rules_ancestor(y, u->queue), end = at == h->n_path ? NO_ROW : h->path[at];
    if (at == 0) return SIDE_NONE;
    uint32_t top = u->queue;
    while (k->c[C_QUEUE_PARENT].u32[top] != end) top = k->c[C_QUEUE_PARENT].u32[top];
    if (!h->has_amounts) return dominant_allows(y, u, set, top, at);
    int whole_path = cycle_eviction(y)->protection == POLICY_PROTECT_PATH;
    struct victim_levels levels = {whole_path ? u->queue : top, end, at};
    if (!victim_parts_decide(y, u)) return kinds_allow(y, u, set, &levels, top);
    enum side_ground ground = victim_parts_allow(y, u, set, &levels);
    return ground && victim_parts_protect(y, u, set, &levels) ? SIDE_NONE : ground;
}
