/*
 * verify_evictions.c -- see verify_evictions.h.
 *
 * The decision groups of the plan are read backwards (verify_replay.h). Within a group, the
 * evictions are then counted forward, one eviction unit after the other. The eviction unit of a
 * task is one of these:
 *   - the task alone, if its leaf group has more tasks than its minimum
 *   - else the smallest group around the task without which the gang still has its minimum
 *   - else the whole gang
 * verify_protection.h says which sets of eviction units the guarantees allow.
 *
 * A decision that the cycle withdrew is not in the plan. Therefore it is not known how much the
 * queue of that decision, and each queue above it, used before the withdrawal. For the decision
 * groups up to the withdrawal, such a queue counts as one that protects no task and that does not
 * limit the entitlement of the job. Decision groups after the withdrawal are checked in full.
 *
 * The order in which queues get room (put_off.h) is not checked here. An eviction can be
 * unnecessary because the same plan gives room to another job. This is an error only if the job
 * could have used that room. Only a search that regards gangs, affinity rules and limits can decide
 * this. test_right_order_random.c makes this search on clones of the cluster in which the other job
 * did not get the room.
 *
 * Cost: O(state + decisions x (depth x kinds + groups of the job)).
 */
#include "engine/verify_plan/verify_evictions.h"

#include <libsched/algorithm.h>

#include "engine/verify/verify_jobs.h"
#include "engine/verify/verify_node_rules.h"
#include "engine/verify_plan/verify_protection.h"
#include "engine/verify/verify_read.h"
#include "engine/verify_reserved/verify_reserved.h"

static int32_t verify_evictions_bad(struct replay *y, const char *what) {
    struct check *c = y->c;
    uint32_t d = y->plan->row[y->at];
    return check_fail(c, "decision %zu of the plan: %s %s", y->at, NAME(T_DECISION, d), what);
}

/* ---- eviction units ---- */

static void held_of(const struct replay *y, uint32_t job, uint32_t *held) {
    const struct columns *k = y->c->k;
    memset(held, 0, LSCHED_GROUPS_PER_JOB_MAX * sizeof *held);
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        held[k->c[C_LEAF_GROUP].u32[l]] = y->held[l];
}

static int verify_evictions_is_below(const struct columns *k, uint32_t job, uint32_t group,
                                     uint32_t above) {
    while (group > above) group = k->c[C_GROUP_PARENT].u32[verify_group_row(k, job, group)];
    return group == above;
}

/* Returns the group that must be evicted together with one task of the leaf group. Returns 0 for
 * the whole gang, and NO_ROW if the task can be evicted alone. If `whole` is 1, a task that cannot
 * be evicted alone always belongs to the whole gang. */
static uint32_t unit_of(const struct replay *y, uint32_t job, uint32_t leaf_group, int whole) {
    const struct columns *k = y->c->k;
    uint32_t held[LSCHED_GROUPS_PER_JOB_MAX],
        n = k->c[C_JOBSHAPE_N_GROUPS].u32[k->c[C_JOB_SHAPE].u32[job]];
    held_of(y, job, held);
    if (held[leaf_group] > k->c[C_GROUP_MIN].u32[verify_group_row(k, job, leaf_group)])
        return NO_ROW;
    /* The plan stops the whole gang. Therefore the smallest group that it could have stopped
     * instead does not matter. */
    if (whole) return 0;
    for (uint32_t g = leaf_group;; g = k->c[C_GROUP_PARENT].u32[verify_group_row(k, job, g)]) {
        if (g == 0) return 0;
        for (uint32_t leaf = 0; leaf < n; leaf++)
            if (verify_evictions_is_below(k, job, leaf, g)) held[leaf] = 0;
        if (verify_jobs_satisfied(k, job, held)) return g;
    }
}

/* ---- which jobs may be stopped ---- */

static uint32_t real_queue(const struct columns *k, uint32_t q) {
    while (k->c[C_QUEUE_FLAGS].u8[q] & (LSCHED_QUEUE_IS_USER | LSCHED_QUEUE_IS_GROUP))
        q = k->c[C_QUEUE_PARENT].u32[q];
    return q;
}

/* Returns the job for which `job` was marked as stopped, NO_ROW if `job` has no valid mark.
 * model/jobs/stops.h says what such a mark is. */
static uint32_t marked_for(const struct columns *k, uint32_t job) {
    uint32_t cost = k->c[C_JOB_COST].u32[job], q = k->c[C_JOB_QUEUE].u32[job];
    uint64_t word = cost == NO_ROW ? 0 : k->c[C_COST_STOPPED_FOR].u64[cost];
    uint32_t other = (uint32_t)word;
    if (word == 0 || !row_is_live(k, T_JOB, other) || k->c[C_JOB_GEN].u32[other] != word >> 32)
        return NO_ROW;
    q = verify_top_below(k, q, verify_common_ancestor(k, q, k->c[C_JOB_QUEUE].u32[other]));
    return k->c[C_COST_STOPPED_NEWS].u32[cost] == k->c[C_QUEUE_NEWS].u32[q] ? other : NO_ROW;
}

/* Returns 1 if both jobs were stopped for other jobs before this plan. Marks that this plan can
 * have made do not count. If the plan evicts tasks of `job`, the plan can have marked `job`. If the
 * victim is marked for `job`, the plan can have marked the victim. */
static int verify_evictions_takes_turns(const struct replay *y, uint32_t victim, uint32_t job) {
    const struct columns *k = y->c->k;
    uint32_t of = marked_for(k, victim);
    return of != NO_ROW && of != job && !y->job[job].loses && marked_for(k, job) != NO_ROW;
}

/* ---- eviction units that may be evicted ---- */

/* True if the job had run for its soft limit when the decision was made. */
static int is_over_soft_limit(const struct replay *y, uint32_t job) {
    const struct columns *k = y->c->k;
    uint32_t cost = k->c[C_JOB_COST].u32[job];
    int64_t limit = cost == NO_ROW ? 0 : k->c[C_COST_SOFT_LIMIT].i64[cost],
            at = k->c[C_DECISION_PROPOSED].i64[y->plan->row[y->at]];
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; limit && l != NO_ROW;
         l = k->c[C_LEAF_NEXT].u32[l])
        if (k->c[C_LEAF_SINCE].i64[l] && at - k->c[C_LEAF_SINCE].i64[l] >= limit) return 1;
    return 0;
}

/* Checks that the flags, the priorities and the reason of the decision allow the eviction of the
 * unit. `unit` 0 is the whole gang. */
static int32_t check_victim(struct replay *y, uint32_t victim, uint32_t unit, uint32_t job) {
    const struct columns *k = y->c->k;
    uint32_t reason = reason_at(y, y->at);
    int same =
        real_queue(k, k->c[C_JOB_QUEUE].u32[victim]) == real_queue(k, k->c[C_JOB_QUEUE].u32[job]);
    int32_t mine = k->c[C_JOB_RANK].i32[job], theirs = k->c[C_JOB_RANK].i32[victim];
    if (victim == job) return verify_evictions_bad(y, "is stopped for the job that it belongs to");
    if (k->c[C_JOB_FLAGS].u8[job] & LSCHED_JOB_NEVER_PREEMPTS)
        return verify_evictions_bad(y, "is stopped for a job that never preempts");
    if ((k->c[C_JOB_FLAGS].u8[victim] & LSCHED_JOB_NON_PREEMPTIBLE) && unit == 0)
        return verify_evictions_bad(y, "is part of the minimum of a job that must not be stopped");
    if (reason == LSCHED_FOR_CONSOLIDATE)
        return verify_evictions_bad(y, "is stopped, although it should only move");
    if (reason == LSCHED_FOR_RECLAIM && same)
        return verify_evictions_bad(y, "is reclaimed for a job of its own queue");
    if (reason == LSCHED_FOR_RECLAIM && verify_evictions_takes_turns(y, victim, job))
        return verify_evictions_bad(
            y, "is reclaimed for a job that was stopped for the victim's job before");
    if (reason != LSCHED_FOR_PREEMPT) return LSCHED_OK;
    if (!same) return verify_evictions_bad(y, "is preempted for a job of another queue");
    if (theirs > mine || (theirs == mine && unit == 0 && !is_over_soft_limit(y, victim)))
        return verify_evictions_bad(y, "is preempted for a job that does not rank before it");
    return LSCHED_OK;
}

/* Checks a task that moves. The same decision group must nominate the task for the node to which
 * the decision moves it. */
static int32_t check_move(struct replay *y) {
    const struct columns *k = y->c->k;
    uint32_t d = y->plan->row[y->at], task = task_at(y, y->at), job = k->c[C_TASK_JOB].u32[task],
             flags = k->c[C_JOB_FLAGS].u8[job];
    uint32_t reason = k->c[C_DECISION_REASON].u8[d];
    if (reason == LSCHED_FOR_SPEED && for_at(y, y->at))
        return verify_evictions_bad(y, "moves to run faster, but the decision names a job that "
                                       "benefits");
    if ((reason == LSCHED_FOR_CONSOLIDATE || reason == LSCHED_FOR_SPEED) &&
        (flags & (LSCHED_JOB_NON_PREEMPTIBLE | LSCHED_JOB_INTERACTIVE)))
        return verify_evictions_bad(y, "moves, although its job is interactive or not preemptible");
    for (size_t i = 0; i < y->plan->n; i++) {
        uint32_t other = task_at(y, i);
        if (kind_at(y, i) != LSCHED_DECIDE_NOMINATE || group_at(y, i) != group_at(y, y->at) ||
            k->c[C_TASK_JOB].u32[other] != job ||
            k->c[C_TASK_INDEX].u32[other] != k->c[C_TASK_INDEX].u32[task])
            continue;
        return k->c[C_TASK_NODE].u32[other] == y->plan->to_node[y->at]
                   ? LSCHED_OK
                   : verify_evictions_bad(y, "moves to a node for which it has no nomination");
    }
    return verify_evictions_bad(y, "moves without a nomination in its decision group");
}

static int32_t check_stale(struct replay *y, uint32_t victim) {
    uint32_t held[LSCHED_GROUPS_PER_JOB_MAX];
    held_of(y, victim, held);
    if (for_at(y, y->at))
        return verify_evictions_bad(
            y, "is stopped as part of a stale gang, but the decision names a job that "
               "benefits");
    return y->job[victim].unit == 0 && verify_jobs_satisfied(y->c->k, victim, held)
               ? verify_evictions_bad(
                     y, "is stopped as part of a stale gang, but its gang has its minimum")
               : LSCHED_OK;
}

/* Checks a task that is ended because of its time limit or because it is idle. The decision must
 * name no other job, and the task's job must be held for the same reason. Guarantees, minimum run
 * times and the non-preemptible flag do not protect a task from such an end. */
static int32_t check_end(struct replay *y, uint32_t victim, uint32_t reason) {
    const struct columns *k = y->c->k;
    uint32_t w = k->c[C_JOB_WATCH].u32[victim], held = w == NO_ROW ? 0 : k->c[C_WATCH_HELD].u8[w];
    if (for_at(y, y->at))
        return verify_evictions_bad(
            y, "is stopped because of its own job's limit, but the decision names a job "
               "that benefits");
    return held == (reason == LSCHED_FOR_IDLE ? LSCHED_HELD_IDLE : LSCHED_HELD_TIME_LIMIT)
               ? LSCHED_OK
               : verify_evictions_bad(
                     y,
                     "is stopped because of its own job's limit, but its job is not held for this "
                     "reason");
}

/* Checks an eviction for a drain. The decision group must evict some task of the job that had to
 * leave its node, because the node drains or has a taint that evicts the task. The decision must
 * name no other job. */
static int32_t check_drain(struct replay *y, uint32_t victim) {
    const struct columns *k = y->c->k;
    if (for_at(y, y->at))
        return verify_evictions_bad(
            y, "is stopped because it must leave its node, but the decision names a job "
               "that benefits");
    for (size_t i = 0; i < y->plan->n; i++) {
        uint32_t task = task_at(y, i);
        if (evicts(y, i) && group_at(y, i) == group_at(y, y->at) &&
            k->c[C_TASK_JOB].u32[task] == victim && verify_node_rules_must_leave(k, task))
            return LSCHED_OK;
    }
    return verify_evictions_bad(
        y, "is stopped because it must leave its node, but the node neither drains nor "
           "has a taint that stops it");
}

/* Checks an eviction because of memory pressure on a device. The decision must name no other job,
 * and must not evict the minimum of a non-preemptible job. */
static int32_t check_collision(struct replay *y, uint32_t victim, uint32_t unit) {
    const struct columns *k = y->c->k;
    if (for_at(y, y->at))
        return verify_evictions_bad(
            y, "is stopped because its device ran out of memory, but the decision names a "
               "job that benefits");
    return unit == 0 && (k->c[C_JOB_FLAGS].u8[victim] & LSCHED_JOB_NON_PREEMPTIBLE)
               ? verify_evictions_bad(
                     y,
                     "is stopped because its device ran out of memory, but it must not be stopped")
               : LSCHED_OK;
}

/* True if the decision's task costs something that an allowance pays which is spent, and whose
 * grace was over when the decision was made. */
static int pays_no_more(const struct columns *k, uint32_t d, uint32_t task) {
    for (uint32_t m = k->c[C_TASK_METER].u32[task]; m; m = k->c[C_METER_NEXT].u32[m - 1]) {
        uint32_t a = k->c[C_QUEUE_ALLOWANCE].u32[k->c[C_METER_QUEUE].u32[m - 1]] - 1;
        int64_t at = k->c[C_ALLOWANCE_SPENT_AT].i64[a], grace = k->c[C_ALLOWANCE_GRACE].i64[a];
        if (k->c[C_METER_RATE].i64[m - 1] && at && k->c[C_DECISION_PROPOSED].i64[d] - at >= grace &&
            k->c[C_ALLOWANCE_SPENT].u8[a] == LSCHED_SPENT_END)
            return 1;
    }
    return 0;
}

/* Checks an eviction because an allowance is spent. The decision must name no other job. Some task
 * that the group evicts must be one for which the allowance pays. */
static int32_t check_spent_end(struct replay *y, uint32_t victim) {
    const struct columns *k = y->c->k;
    if (for_at(y, y->at))
        return verify_evictions_bad(y, "is stopped because an allowance is spent, but the decision "
                                       "names a job that benefits");
    for (size_t i = 0; i < y->plan->n; i++) {
        uint32_t task = task_at(y, i);
        if (evicts(y, i) && group_at(y, i) == group_at(y, y->at) &&
            k->c[C_TASK_JOB].u32[task] == victim && pays_no_more(k, y->plan->row[i], task))
            return LSCHED_OK;
    }
    return verify_evictions_bad(y,
                                "is stopped because an allowance is spent, but no allowance that "
                                "pays for it is spent and past its grace");
}

static int ends_itself(uint32_t reason) {
    return reason == LSCHED_FOR_TIME_LIMIT || reason == LSCHED_FOR_IDLE;
}

static int32_t check_eviction(struct replay *y) {
    const struct columns *k = y->c->k;
    uint32_t d = y->plan->row[y->at], task = task_at(y, y->at), victim = k->c[C_TASK_JOB].u32[task],
             group = k->c[C_LEAF_GROUP].u32[k->c[C_TASK_LEAF].u32[task]];
    int32_t rc = LSCHED_OK;
    if (k->c[C_DECISION_REASON].u8[d] == LSCHED_FOR_DRAIN) rc = check_drain(y, victim);
    if (rc != LSCHED_OK) return rc;
    if (for_at(y, y->at) && verify_reserved_protects(k, task, (uint32_t)for_at(y, y->at),
                                                     k->c[C_DECISION_PROPOSED].i64[d]))
        return verify_evictions_bad(y, "is stopped in a window that is reserved for its queue");
    if (kind_at(y, y->at) == LSCHED_DECIDE_MIGRATE) return check_move(y);
    if (k->c[C_DECISION_REASON].u8[d] == LSCHED_FOR_SPEED)
        return verify_evictions_bad(y, "is stopped to run faster, although it should only move");
    uint32_t going = y->job[victim].unit;
    if (going == 0 || !verify_evictions_is_below(k, victim, group, going - 1)) {
        y->job[victim].number = ++y->units;
        uint32_t unit = unit_of(y, victim, group, y->job[victim].whole != 0);
        uint32_t least = y->job[victim].whole == 2 ? unit_of(y, victim, group, 0) : unit;
        uint32_t reason = k->c[C_DECISION_REASON].u8[d];
        rc = reason == LSCHED_FOR_STALE_GANG  ? check_stale(y, victim)
             : reason == LSCHED_FOR_DRAIN     ? LSCHED_OK
             : reason == LSCHED_FOR_COLLISION ? check_collision(y, victim, unit)
             : reason == LSCHED_FOR_ALLOWANCE ? check_spent_end(y, victim)
             : ends_itself(reason)
                 ? check_end(y, victim, reason)
                 : check_victim(y, victim, least, (uint32_t)k->c[C_DECISION_FOR_JOB].u64[d]);
        y->job[victim].unit = unit == NO_ROW ? 0 : unit + 1;
    }
    y->unit_at[y->at] = y->job[victim].number;
    verify_replay_charge(y, task, -1);
    return rc;
}

/* ---- decision groups ---- */

/* Checks that the job for which the task is evicted gets a place or a nomination in the same
 * decision group. If the decision names no job, its reason must be one that needs no job. */
static int32_t check_beneficiary(struct replay *y, size_t first, size_t end) {
    const struct columns *k = y->c->k;
    uint64_t id = for_at(y, y->at);
    uint32_t job = (uint32_t)id, reason = reason_at(y, y->at);
    if (id == 0) {
        if (reason == LSCHED_FOR_STALE_GANG || reason == LSCHED_FOR_CONSOLIDATE ||
            reason == LSCHED_FOR_DRAIN || reason == LSCHED_FOR_COLLISION ||
            reason == LSCHED_FOR_ALLOWANCE || reason == LSCHED_FOR_SPEED || ends_itself(reason))
            return LSCHED_OK;
        return verify_evictions_bad(y, "is stopped for nobody");
    }
    if (!row_is_live(k, T_JOB, job) ||
        (uint32_t)(id >> 32 & LIMIT_GENERATION_MAX) != k->c[C_JOB_GEN].u32[job])
        return verify_evictions_bad(y, "is stopped for a job that does not exist any more");
    for (size_t i = first; i < end; i++)
        if (!evicts(y, i) && job_at(y, i) == job) return LSCHED_OK;
    return verify_evictions_bad(y, "is stopped for a job that gets no place in the plan");
}

/* Finds the decisions that were withdrawn in the given group or a later one. Marks the queue of
 * each such decision and all queues above it as unknown, because their use before the withdrawal
 * cannot be computed. */
static void forget_withdrawn(struct replay *y, uint64_t group) {
    const struct columns *k = y->c->k;
    const struct verify_under *u = y->plan->under;
    for (; y->withdrawn > 0 && u->withdrawn[y->withdrawn - 1].group >= group; y->withdrawn--) {
        uint32_t q = u->withdrawn[y->withdrawn - 1].queue;
        if (!row_is_live(k, T_QUEUE, q)) continue;
        for (; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) y->unknown[q] = 1;
    }
}

/* Checks one decision group: the decisions `first` to `end` - 1 of the plan. Before the call, the
 * scratch arrays hold the use of queues and the tasks of gangs after the group. After the call,
 * they hold those before the group. */
static int32_t check_group(struct replay *y, size_t first, size_t end) {
    const struct columns *k = y->c->k;
    int32_t rc = LSCHED_OK;
    forget_withdrawn(y, group_at(y, first));
    verify_protection_note(y, first, end);
    for (size_t i = first; i < end; i++) {
        uint32_t held[LSCHED_GROUPS_PER_JOB_MAX], job = job_at(y, i);
        held_of(y, job, held);
        y->job[job].whole = !verify_jobs_satisfied(k, job, held);
    }
    /* bit 1: the group stops the job's tasks and starts them on other nodes */
    for (size_t i = first; i < end; i++)
        if (kind_at(y, i) == LSCHED_DECIDE_MIGRATE) y->job[job_at(y, i)].whole |= 2;
    for (size_t i = first; i < end; i++)
        if (kind_at(y, i) == LSCHED_DECIDE_RESIZE)
            verify_replay_resize(y, task_at(y, i));
        else if (!k->c[C_DECISION_SEATED].u8[y->plan->row[i]])
            verify_replay_charge(y, task_at(y, i), change_at(y, i));
    for (y->at = first; y->at < end && rc == LSCHED_OK; y->at++) {
        if (!evicts(y, y->at)) continue;
        rc = check_beneficiary(y, first, end);
        if (rc == LSCHED_OK) rc = check_eviction(y);
    }
    if (rc == LSCHED_OK) rc = verify_protection_check(y, first, end);
    for (size_t i = first; i < end && rc == LSCHED_OK; i++) y->job[job_at(y, i)].unit = 0;
    return rc;
}

static int32_t verify_evictions_check_groups(struct replay *y) {
    for (size_t end = y->plan->n; end > 0;) {
        size_t first = end - 1;
        while (first > 0 && group_at(y, first - 1) == group_at(y, first)) first--;
        int32_t rc = check_group(y, first, end);
        if (rc != LSCHED_OK) return rc;
        end = first;
    }
    return LSCHED_OK;
}

int32_t verify_evictions(struct check *c, const struct verify_decisions *plan) {
    struct replay y = {.c = c, .plan = plan};
    size_t first = 0;
    while (first < plan->n && !evicts(&y, first)) first++;
    if (first == plan->n) return LSCHED_OK;
    int32_t rc = verify_replay_open(&y);
    if (rc != LSCHED_OK) return rc;
    rc = verify_evictions_check_groups(&y);
    verify_replay_close(&y);
    return rc;
}
