/*
 * verify_evictions.c -- checks the evictions of a plan against the state that it left: each is for
 * a job that gets a place or a nomination in the same decision group, no protected task is
 * stopped, and guarantees hold.
 *
 * The plan is read backwards: what a decision group placed is taken back and what it evicted is
 * charged again. The scratch arrays then say what queues and gangs held before the group. After
 * that the group's evictions are counted forward, one eviction unit after the other. An eviction
 * unit is one task that its leaf group can spare, else the smallest group around the task without
 * which the gang still has its minimum, else the whole gang. A set of eviction units is allowed if
 * the units can be evicted in some order such that, before each eviction, the unit's queue is
 * above its guarantee. The last eviction may take the queue below the guarantee. Tasks that move
 * are charged before and after.
 *
 * A decision that the cycle withdrew is not in the plan. Therefore it is not known what its queue,
 * and the queues above, held before. Where such a queue would protect a task, or deny the job its
 * own entitlement, nothing is checked. Decision groups after the withdrawal are checked in full.
 *
 * The order in which queues get room (put_off.h) is not checked here. Perhaps an eviction would
 * have been spared without a place that the same plan gives to another job. Such an eviction is an
 * error only if the job could have had that room. Only a search that regards gangs, affinity rules
 * and limits can tell. test_right_order_random.c makes that search on clones without the place.
 *
 * Cost: O(state + decisions x (depth x kinds + groups of the job)).
 */
#include <libsched/algorithm.h>

#include "engine/verify/verify.h"
#include "engine/verify/verify_parts.h"

struct replay {
    struct check *c;
    const struct verify_decisions *plan;
    wide_i128 *used; /* use, at [kind * queues + queue] */
    int64_t *right;  /* guarantee, at [kind * queues + queue] */
    uint32_t *held;  /* by row of LEAF: number of tasks that are placed, nominated or done */
    /* by job: group of the eviction unit that is being counted, plus one; 0 if none */
    uint32_t *unit;
    uint32_t *number; /* by job: number of the eviction unit that is being counted */
    /* by job: bit 0 if the job is below its minimum after the group, bit 1 if the group moves some
     * of its tasks */
    uint32_t *whole;
    uint32_t *loses; /* by job: 1 if the plan evicts or moves one of its tasks */
    /* by decision: number of its eviction unit; 0 if none, or if the unit was given back */
    uint32_t *unit_at;
    uint32_t units;
    size_t at; /* position of the current decision */
    /* use of resource parts, at [part * queues + queue], where part is a row of DERIVED, the table
     * of resource parts */
    wide_i128 *parts;
    /* by decision, `words` words each: one bit per row of DERIVED (the table of resource parts),
     * set if the decision's job is entitled to evict because of that resource part */
    uint64_t *entitled;
    size_t words;
    /* by queue: 1 if its use before the group is unknown because of a withdrawn decision */
    uint8_t *unknown;
    size_t withdrawn; /* number of withdrawn decisions that come before the current group */
};

static int32_t verify_evictions_bad(struct replay *y, const char *what) {
    struct check *c = y->c;
    uint32_t d = y->plan->row[y->at];
    return check_fail(c, "decision %zu of the plan: %s %s", y->at, NAME(T_DECISION, d), what);
}

static uint32_t task_at(const struct replay *y, size_t i) {
    return y->c->k->c[C_DECISION_TASK].u32[y->plan->row[i]];
}

static uint32_t kind_at(const struct replay *y, size_t i) {
    return y->c->k->c[C_DECISION_KIND].u8[y->plan->row[i]];
}

static int evicts(const struct replay *y, size_t i) {
    return kind_at(y, i) == LSCHED_EVICT || kind_at(y, i) == LSCHED_MIGRATE;
}

/* Returns how undoing the decision changes what its task is charged: 1 charges the task again, -1
 * takes the charge back, 0 changes nothing. */
static int change_at(const struct replay *y, size_t i) {
    return evicts(y, i) ? 1 : kind_at(y, i) >= LSCHED_SUSPEND ? 0 : -1;
}

static uint64_t group_at(const struct replay *y, size_t i) {
    return y->c->k->c[C_DECISION_GROUP].u64[y->plan->row[i]];
}

static void verify_evictions_charge(struct replay *y, uint32_t task, int sign) {
    const struct columns *k = y->c->k;
    for (uint32_t r = 1; r < verify_kinds(k); r++) {
        wide_i128 amount = sign * verify_amount(k, task, r);
        for (uint32_t q = k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[task]]; q != NO_ROW;
             q = k->c[C_QUEUE_PARENT].u32[q])
            y->used[(size_t)r * table_rows(k, T_QUEUE) + q] += amount;
    }
    for (uint32_t d = 0; d < table_rows(k, T_DERIVED); d++) {
        wide_i128 amount = sign * verify_resource_parts_held(k, task, d);
        for (uint32_t q = k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[task]]; amount && q != NO_ROW;
             q = k->c[C_QUEUE_PARENT].u32[q])
            y->parts[(size_t)d * table_rows(k, T_QUEUE) + q] += amount;
    }
    y->held[k->c[C_TASK_LEAF].u32[task]] += (uint32_t)sign;
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

/* Returns the group that must be evicted together with one task of the leaf group, 0 for the whole
 * gang, NO_ROW if the leaf group can spare the task alone. */
static uint32_t unit_of(const struct replay *y, uint32_t job, uint32_t leaf_group, int whole) {
    const struct columns *k = y->c->k;
    uint32_t held[LSCHED_GROUPS_PER_JOB_MAX],
        n = k->c[C_JOBSHAPE_N_GROUPS].u32[k->c[C_JOB_SHAPE].u32[job]];
    held_of(y, job, held);
    if (held[leaf_group] > k->c[C_GROUP_MIN].u32[verify_group_row(k, job, leaf_group)])
        return NO_ROW;
    /* the whole gang is stopped: which groups it could have spared does not matter */
    if (whole) return 0;
    for (uint32_t g = leaf_group;; g = k->c[C_GROUP_PARENT].u32[verify_group_row(k, job, g)]) {
        if (g == 0) return 0;
        for (uint32_t leaf = 0; leaf < n; leaf++)
            if (verify_evictions_is_below(k, job, leaf, g)) held[leaf] = 0;
        if (verify_satisfied(k, job, held)) return g;
    }
}

/* ---- which jobs may be stopped ---- */

static uint32_t real_queue(const struct columns *k, uint32_t q) {
    while (k->c[C_QUEUE_FLAGS].u8[q] & (LSCHED_QUEUE_IS_USER | LSCHED_QUEUE_IS_GROUP))
        q = k->c[C_QUEUE_PARENT].u32[q];
    return q;
}

static uint32_t common_ancestor(const struct columns *k, uint32_t a, uint32_t b) {
    while (a != b && (a != NO_ROW || b != NO_ROW)) {
        uint32_t da = a == NO_ROW ? 0 : k->c[C_QUEUE_DEPTH].u32[a] + 1,
                 db = b == NO_ROW ? 0 : k->c[C_QUEUE_DEPTH].u32[b] + 1;
        if (da >= db) a = k->c[C_QUEUE_PARENT].u32[a];
        if (db >= da) b = k->c[C_QUEUE_PARENT].u32[b];
    }
    return a;
}

/* Returns the job for which the given job is marked as stopped (model/jobs/stops.h says what a
 * mark is), NO_ROW if no mark is valid. */
static uint32_t marked_for(const struct columns *k, uint32_t job) {
    uint32_t cost = k->c[C_JOB_COST].u32[job], q = k->c[C_JOB_QUEUE].u32[job];
    uint64_t word = cost == NO_ROW ? 0 : k->c[C_COST_STOPPED_FOR].u64[cost];
    uint32_t other = (uint32_t)word;
    if (word == 0 || !row_is_live(k, T_JOB, other) || k->c[C_JOB_GEN].u32[other] != word >> 32)
        return NO_ROW;
    uint32_t common = common_ancestor(k, q, k->c[C_JOB_QUEUE].u32[other]);
    while (q != common && k->c[C_QUEUE_PARENT].u32[q] != common) q = k->c[C_QUEUE_PARENT].u32[q];
    return k->c[C_COST_STOPPED_NEWS].u32[cost] == k->c[C_QUEUE_NEWS].u32[q] ? other : NO_ROW;
}

/* 1 if both jobs were stopped for other jobs before this plan. The plan itself may have made the
 * job's mark if the plan evicts tasks of the job, and the victim's mark if that mark names the
 * job: such marks do not count. */
static int verify_evictions_takes_turns(const struct replay *y, uint32_t victim, uint32_t job) {
    const struct columns *k = y->c->k;
    uint32_t of = marked_for(k, victim);
    return of != NO_ROW && of != job && !y->loses[job] && marked_for(k, job) != NO_ROW;
}

/* Returns the resource kinds that any task of the job asks for, one bit each. */
static uint32_t kinds_of(const struct columns *k, uint32_t job) {
    uint32_t bits = 0, n = k->c[C_JOBSHAPE_N_GROUPS].u32[k->c[C_JOB_SHAPE].u32[job]];
    for (uint32_t g = 0; g < n; g++) {
        uint32_t shape = k->c[C_GROUP_SHAPE].u32[verify_group_row(k, job, g)];
        for (uint32_t r = 1; shape != NO_ROW && r < verify_kinds(k); r++)
            bits |= (uint32_t)(k->c[C_SHAPE_REQ + r].i64[shape] > 0) << r;
    }
    return bits;
}

static int is_above_right(const struct replay *y, uint32_t queue, uint32_t kinds) {
    size_t queues = table_rows(y->c->k, T_QUEUE);
    if (y->unknown[queue]) return 1;
    for (uint32_t r = 1; r < verify_kinds(y->c->k); r++)
        if ((kinds >> r & 1) && y->used[queues * r + queue] > y->right[queues * r + queue])
            return 1;
    return 0;
}

/* Returns the lowest queue on the victim's side of the common ancestor that uses no more than its
 * guarantee of every resource kind that the job asks for, or NO_ROW if each queue there uses more.
 * The use includes the tasks of the eviction unit that are charged again at the time of the call.
 * The common ancestor and the queues above it are not checked. */
static uint32_t protected_queue(const struct replay *y, uint32_t victim, uint32_t job) {
    const struct columns *k = y->c->k;
    uint32_t queue = k->c[C_JOB_QUEUE].u32[victim], kinds = kinds_of(k, job),
             common = common_ancestor(k, queue, k->c[C_JOB_QUEUE].u32[job]);
    for (uint32_t q = queue; q != common; q = k->c[C_QUEUE_PARENT].u32[q]) {
        int top = k->c[C_QUEUE_PARENT].u32[q] == common;
        if (y->plan->under->protection == VERIFY_PROTECT_DIVERGENCE && !top) continue;
        if (!is_above_right(y, q, kinds)) return q;
    }
    return NO_ROW;
}

/* ---- resource parts ---- */

static int64_t part_quota(const struct columns *k, uint32_t queue, uint32_t d) {
    for (uint32_t a = k->c[C_QUEUE_AMOUNTS].u32[queue]; a != NO_ROW;
         a = k->c[C_QAMOUNT_NEXT].u32[a])
        if (k->c[C_QAMOUNT_DERIVED].u32[a] == d) return k->c[C_QAMOUNT_QUOTA].i64[a];
    return 0;
}

/* Returns the lowest queue on the victim's side of the common ancestor that uses no more of the
 * resource part than its quota, NO_ROW if each queue there uses more. With `guaranteed` set,
 * queues without a quota of the part are skipped. */
static uint32_t within_part(const struct replay *y, uint32_t victim, uint32_t job, uint32_t d,
                            int guaranteed) {
    const struct columns *k = y->c->k;
    uint32_t queue = k->c[C_JOB_QUEUE].u32[victim],
             common = common_ancestor(k, queue, k->c[C_JOB_QUEUE].u32[job]);
    for (uint32_t q = queue; q != common; q = k->c[C_QUEUE_PARENT].u32[q]) {
        int top = k->c[C_QUEUE_PARENT].u32[q] == common;
        int64_t quota = part_quota(k, q, d);
        if ((y->plan->under->protection == VERIFY_PROTECT_DIVERGENCE && !top) ||
            (guaranteed && !quota) || y->unknown[q])
            continue;
        if (y->parts[(size_t)d * table_rows(k, T_QUEUE) + q] <= quota) return q;
    }
    return NO_ROW;
}

/* Returns the smaller number of those that are not 0. */
static int64_t least_of(int64_t a, int64_t b) {
    return a == 0 || (b > 0 && b < a) ? b : a;
}

/* What the job gets of the resource part in the decision group: `least` with the smallest of its
 * tasks that takes some, `all` with all of its tasks that were not nominated before. */
struct part_got {
    uint32_t job;
    int64_t least;
    wide_i128 all;
};

static struct part_got got_of(const struct replay *y, size_t first, size_t end, uint32_t job,
                              uint32_t d) {
    struct part_got got = {.job = job};
    for (size_t i = first; i < end; i++) {
        if (evicts(y, i) || y->c->k->c[C_TASK_JOB].u32[task_at(y, i)] != job) continue;
        int64_t held = verify_resource_parts_held(y->c->k, task_at(y, i), d);
        got.least = least_of(got.least, held);
        if (!y->c->k->c[C_DECISION_SEATED].u8[y->plan->row[i]]) got.all += held;
    }
    return got;
}

/* True if the job, with one of the tasks that it gets in the group, is within the quota of the
 * resource part in each queue on its side of the common ancestor. Its other new tasks are not
 * counted, because tasks beyond the minimum may use room that came free. */
static int verify_evictions_is_within(const struct replay *y, uint32_t victim,
                                      const struct part_got *got, uint32_t d) {
    const struct columns *k = y->c->k;
    uint32_t queue = k->c[C_JOB_QUEUE].u32[got->job],
             common = common_ancestor(k, queue, k->c[C_JOB_QUEUE].u32[victim]);
    if (got->least == 0 || queue == common) return 0;
    for (uint32_t q = queue; q != common; q = k->c[C_QUEUE_PARENT].u32[q])
        if (!y->unknown[q] &&
            y->parts[(size_t)d * table_rows(k, T_QUEUE) + q] - got->all + got->least >
                part_quota(k, q, d))
            return 0;
    return 1;
}

static uint64_t *entitled_word(const struct replay *y, size_t i, uint32_t d) {
    return &y->entitled[i * y->words + d / 64];
}

/* Notes, for each evicted task of the group, because of which resource parts the job is entitled
 * to evict it. The scratch arrays say what is held after the group. Therefore the queues on the
 * job's side are checked with all victims gone and with moved tasks in their new places. */
static void note_entitled(const struct replay *y, size_t first, size_t end) {
    const struct columns *k = y->c->k;
    for (uint32_t d = 0; d < table_rows(k, T_DERIVED); d++) {
        struct part_got got = {.job = NO_ROW};
        for (size_t i = first; i < end; i++) {
            uint64_t id = k->c[C_DECISION_FOR_JOB].u64[y->plan->row[i]];
            uint32_t victim = k->c[C_TASK_JOB].u32[task_at(y, i)], job = (uint32_t)id;
            if (id == 0 || !evicts(y, i) || !row_is_live(k, T_JOB, job)) continue;
            if (got.job != job) got = got_of(y, first, end, job, d);
            *entitled_word(y, i, d) |= (uint64_t)verify_evictions_is_within(y, victim, &got, d)
                                       << d % 64;
        }
    }
}

static int is_entitled(const struct replay *y, size_t i, uint32_t d) {
    return (int)(*entitled_word(y, i, d) >> d % 64 & 1);
}

static int is_guarded(const struct columns *k, uint32_t d) {
    for (uint32_t a = 0; a < table_rows(k, T_QAMOUNT); a++)
        if (row_is_live(k, T_QAMOUNT, a) && k->c[C_QAMOUNT_DERIVED].u32[a] == d &&
            k->c[C_QAMOUNT_QUOTA].i64[a] > 0)
            return 1;
    return 0;
}

/* Returns what the eviction unit of decision i holds of the resource part. *all is the same sum
 * over all evicted tasks of the victim's job if that job is stopped as a whole, else *all equals
 * the returned amount. */
static int64_t part_of_unit(const struct replay *y, size_t first, size_t end, size_t i, uint32_t d,
                            int64_t *all) {
    const struct columns *k = y->c->k;
    uint32_t victim = k->c[C_TASK_JOB].u32[task_at(y, i)];
    int64_t held = 0;
    *all = 0;
    for (size_t j = first; j < end; j++) {
        int own = y->unit_at[j] == y->unit_at[i];
        if (!own &&
            !(y->whole[victim] && evicts(y, j) && k->c[C_TASK_JOB].u32[task_at(y, j)] == victim))
            continue;
        int64_t amount = verify_resource_parts_held(k, task_at(y, j), d);
        *all += amount;
        held += own ? amount : 0;
    }
    return held;
}

/* Returns the queue that forbids the eviction of decision i's unit, NO_ROW if the eviction is
 * allowed. If the unit holds some of a resource part of which any queue has a quota, these parts
 * decide: the job must be entitled to evict because of one of them, and no queue may lose what its
 * quota guarantees of any. If the unit holds no such part, the whole resource kinds decide
 * (protected_queue). Where a job is stopped as a whole, an entitlement to a part that any of its
 * units holds covers all its units: what the job holds above its minimum in other places could not
 * keep running alone. */
static uint32_t stands_against(const struct replay *y, size_t first, size_t end, size_t i,
                               uint32_t job) {
    const struct columns *k = y->c->k;
    uint32_t victim = k->c[C_TASK_JOB].u32[task_at(y, i)], parts = table_rows(k, T_DERIVED),
             decided = 0, entitled = 0;
    for (uint32_t d = 0; d < parts; d++) {
        int64_t all, held;
        if (!is_guarded(k, d)) continue;
        held = part_of_unit(y, first, end, i, d, &all);
        uint32_t within = held ? within_part(y, victim, job, d, 1) : NO_ROW;
        if (within != NO_ROW) return within;
        decided |= held != 0;
        entitled |= all != 0 && within_part(y, victim, job, d, 0) == NO_ROW && is_entitled(y, i, d);
    }
    if (entitled) return NO_ROW;
    return decided ? k->c[C_JOB_QUEUE].u32[victim] : protected_queue(y, victim, job);
}

/* ---- eviction units that may be evicted ---- */

/* Checks that flags, priorities and the reason of the decision allow the eviction of the unit.
 * Unit 0 is the whole gang. */
static int32_t check_victim(struct replay *y, uint32_t victim, uint32_t unit, uint32_t job) {
    const struct columns *k = y->c->k;
    uint32_t reason = k->c[C_DECISION_REASON].u8[y->plan->row[y->at]];
    int same =
        real_queue(k, k->c[C_JOB_QUEUE].u32[victim]) == real_queue(k, k->c[C_JOB_QUEUE].u32[job]);
    int32_t mine = k->c[C_JOB_PRIORITY].i32[job], theirs = k->c[C_JOB_PRIORITY].i32[victim];
    if (victim == job) return verify_evictions_bad(y, "is stopped for its own job");
    if (k->c[C_JOB_FLAGS].u8[job] & LSCHED_JOB_NEVER_PREEMPTS)
        return verify_evictions_bad(y, "is stopped for a job that never preempts");
    if ((k->c[C_JOB_FLAGS].u8[victim] & LSCHED_JOB_NON_PREEMPTIBLE) && unit == 0)
        return verify_evictions_bad(y, "is part of the minimum of a job that may not be stopped");
    if (reason == LSCHED_FOR_CONSOLIDATE)
        return verify_evictions_bad(y, "is stopped where it should only move");
    if (reason == LSCHED_FOR_RECLAIM && same)
        return verify_evictions_bad(y, "is reclaimed for a job of its own queue");
    if (reason == LSCHED_FOR_RECLAIM && verify_evictions_takes_turns(y, victim, job))
        return verify_evictions_bad(
            y, "is reclaimed for a job that was stopped itself, as it was before");
    if (reason != LSCHED_FOR_PREEMPT) return LSCHED_OK;
    if (!same) return verify_evictions_bad(y, "is preempted for a job of another queue");
    if (theirs > mine || (theirs == mine && unit == 0))
        return verify_evictions_bad(y, "is preempted for a job that does not go before it");
    return LSCHED_OK;
}

/* Checks a task that moves: its nomination is in the same decision group, on the node that the
 * decision names. */
static int32_t check_move(struct replay *y) {
    const struct columns *k = y->c->k;
    uint32_t d = y->plan->row[y->at], task = task_at(y, y->at), job = k->c[C_TASK_JOB].u32[task],
             flags = k->c[C_JOB_FLAGS].u8[job];
    if (k->c[C_DECISION_REASON].u8[d] == LSCHED_FOR_CONSOLIDATE &&
        (flags & (LSCHED_JOB_NON_PREEMPTIBLE | LSCHED_JOB_INTERACTIVE)))
        return verify_evictions_bad(y, "moves, and it is interactive or not preemptible");
    for (size_t i = 0; i < y->plan->n; i++) {
        uint32_t other = task_at(y, i);
        if (kind_at(y, i) != LSCHED_NOMINATE || group_at(y, i) != group_at(y, y->at) ||
            k->c[C_TASK_JOB].u32[other] != job ||
            k->c[C_TASK_INDEX].u32[other] != k->c[C_TASK_INDEX].u32[task])
            continue;
        return k->c[C_TASK_NODE].u32[other] == y->plan->to_node[y->at]
                   ? LSCHED_OK
                   : verify_evictions_bad(y, "moves to another node than it has a claim on");
    }
    return verify_evictions_bad(y, "moves without a claim in its group");
}

static int32_t check_stale(struct replay *y, uint32_t victim) {
    uint32_t held[LSCHED_GROUPS_PER_JOB_MAX];
    held_of(y, victim, held);
    if (y->c->k->c[C_DECISION_FOR_JOB].u64[y->plan->row[y->at]])
        return verify_evictions_bad(y, "is of a stale gang and stopped for a job");
    return y->unit[victim] == 0 && verify_satisfied(y->c->k, victim, held)
               ? verify_evictions_bad(y,
                                      "is stopped with a stale gang, but the gang has its minimum")
               : LSCHED_OK;
}

/* Checks a task that is ended because of its own time limit or because it is idle: the decision
 * names no job that gets the room, and the task's job is held for that reason. Guarantees, minimum
 * run times and the non-preemptible flag do not protect against this. */
static int32_t check_end(struct replay *y, uint32_t victim, uint32_t reason) {
    const struct columns *k = y->c->k;
    uint32_t w = k->c[C_JOB_WATCH].u32[victim], held = w == NO_ROW ? 0 : k->c[C_WATCH_HELD].u8[w];
    if (k->c[C_DECISION_FOR_JOB].u64[y->plan->row[y->at]])
        return verify_evictions_bad(y, "ends for its own sake, and is stopped for a job");
    return held == (reason == LSCHED_FOR_IDLE ? LSCHED_HELD_IDLE : LSCHED_HELD_TIME_LIMIT)
               ? LSCHED_OK
               : verify_evictions_bad(y, "ends for its own sake, and its job is not held for that");
}

/* Checks an eviction for a drain: the decision group stops some task of the job that had to leave
 * its node, because the node drains or has a taint that stops the task. The decision names no job
 * that gets the room. */
static int32_t check_drain(struct replay *y, uint32_t victim) {
    const struct columns *k = y->c->k;
    if (k->c[C_DECISION_FOR_JOB].u64[y->plan->row[y->at]])
        return verify_evictions_bad(y, "has to leave its node, and is stopped for a job");
    for (size_t i = 0; i < y->plan->n; i++) {
        uint32_t task = task_at(y, i);
        if (evicts(y, i) && group_at(y, i) == group_at(y, y->at) &&
            k->c[C_TASK_JOB].u32[task] == victim && verify_must_leave(k, task))
            return LSCHED_OK;
    }
    return verify_evictions_bad(y, "has to leave its node, which neither drains nor stops it");
}

/* Checks an eviction for memory pressure on a device: the decision names no job that gets the
 * room, and the eviction does not take the minimum of a non-preemptible job. */
static int32_t check_collision(struct replay *y, uint32_t victim, uint32_t unit) {
    const struct columns *k = y->c->k;
    if (k->c[C_DECISION_FOR_JOB].u64[y->plan->row[y->at]])
        return verify_evictions_bad(y, "gives way on a device, and is stopped for a job");
    return unit == 0 && (k->c[C_JOB_FLAGS].u8[victim] & LSCHED_JOB_NON_PREEMPTIBLE)
               ? verify_evictions_bad(y, "gives way on a device, and may not be stopped")
               : LSCHED_OK;
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
    if (kind_at(y, y->at) == LSCHED_MIGRATE) return check_move(y);
    uint32_t going = y->unit[victim];
    if (going == 0 || !verify_evictions_is_below(k, victim, group, going - 1)) {
        y->number[victim] = ++y->units;
        uint32_t unit = unit_of(y, victim, group, y->whole[victim] != 0);
        uint32_t least = y->whole[victim] == 2 ? unit_of(y, victim, group, 0) : unit;
        uint32_t reason = k->c[C_DECISION_REASON].u8[d];
        rc = reason == LSCHED_FOR_STALE_GANG  ? check_stale(y, victim)
             : reason == LSCHED_FOR_DRAIN     ? LSCHED_OK
             : reason == LSCHED_FOR_COLLISION ? check_collision(y, victim, unit)
             : ends_itself(reason)
                 ? check_end(y, victim, reason)
                 : check_victim(y, victim, least, (uint32_t)k->c[C_DECISION_FOR_JOB].u64[d]);
        y->unit[victim] = unit == NO_ROW ? 0 : unit + 1;
    }
    y->unit_at[y->at] = y->number[victim];
    verify_evictions_charge(y, task, -1);
    return rc;
}

/* ---- protection ---- */

static void charge_unit(struct replay *y, size_t first, size_t end, uint32_t unit, int sign) {
    for (size_t i = first; i < end; i++)
        if (y->unit_at[i] == unit) verify_evictions_charge(y, task_at(y, i), sign);
}

/* Charges the eviction unit of decision i again if that unit can have been evicted last. Returns 1
 * if the unit was charged again, else 0. */
static int verify_evictions_give_back(struct replay *y, size_t first, size_t end, size_t i) {
    const struct columns *k = y->c->k;
    uint32_t d = y->plan->row[i], victim = k->c[C_TASK_JOB].u32[task_at(y, i)],
             unit = y->unit_at[i];
    charge_unit(y, first, i + 1, unit, 1);
    if (y->plan->under->protection != VERIFY_PROTECT_NONE &&
        k->c[C_DECISION_REASON].u8[d] == LSCHED_FOR_RECLAIM &&
        stands_against(y, first, end, i, (uint32_t)k->c[C_DECISION_FOR_JOB].u64[d]) != NO_ROW) {
        charge_unit(y, first, i + 1, unit, -1);
        /* units of this job that were evicted before cannot be given back either */
        y->number[victim] = UINT32_MAX;
        return 0;
    }
    for (size_t j = first; j <= i; j++)
        if (y->unit_at[j] == unit) y->unit_at[j] = 0;
    return 1;
}

/* Writes the error: which queue forbids the last eviction that has no allowed order. */
static int32_t say_protected(struct replay *y, size_t first, size_t end) {
    const struct columns *k = y->c->k;
    struct check *c = y->c;
    uint32_t d = y->plan->row[y->at], victim = k->c[C_TASK_JOB].u32[task_at(y, y->at)],
             job = (uint32_t)k->c[C_DECISION_FOR_JOB].u64[d];
    charge_unit(y, first, end, y->unit_at[y->at], 1);
    uint32_t q = stands_against(y, first, end, y->at, job);
    return check_fail(c, "decision %zu of the plan: %s is stopped for %s, though %s %s", y->at,
                      NAME(T_DECISION, d), NAME(T_JOB, job),
                      NAME(T_QUEUE, q == NO_ROW ? k->c[C_JOB_QUEUE].u32[victim] : q),
                      "holds no more than it is guaranteed");
}

/* Checks that there is an order of the evictions in which the queue of each eviction unit is above
 * its guarantee before the unit is evicted. The order is built from its end: a unit that can have
 * been evicted last is charged again, which only makes more of the other units possible. Units of
 * one job are evicted in the order of the plan. */
static int32_t check_order(struct replay *y, size_t first, size_t end) {
    for (int found = 1; found;) {
        size_t left = 0;
        found = 0;
        for (size_t i = first; i < end; i++)
            y->number[y->c->k->c[C_TASK_JOB].u32[task_at(y, i)]] = 0;
        for (size_t i = end; i-- > first;) {
            if (y->unit_at[i] == 0) continue;
            y->at = i;
            if (y->number[y->c->k->c[C_TASK_JOB].u32[task_at(y, i)]] == UINT32_MAX ||
                !verify_evictions_give_back(y, first, end, i))
                left++;
            else
                found = 1;
        }
        if (left == 0) return LSCHED_OK;
        for (size_t i = first; i < end && !found; i++)
            if (y->unit_at[i]) y->at = i;
    }
    return say_protected(y, first, end);
}

/* ---- decision groups ---- */

/* Checks that the job for which the task is evicted gets a place or a nomination in the same
 * decision group, or that the reason needs no such job. */
static int32_t check_beneficiary(struct replay *y, size_t first, size_t end) {
    const struct columns *k = y->c->k;
    uint64_t id = k->c[C_DECISION_FOR_JOB].u64[y->plan->row[y->at]];
    uint32_t job = (uint32_t)id, reason = k->c[C_DECISION_REASON].u8[y->plan->row[y->at]];
    if (id == 0) {
        if (reason == LSCHED_FOR_STALE_GANG || reason == LSCHED_FOR_CONSOLIDATE ||
            reason == LSCHED_FOR_DRAIN || reason == LSCHED_FOR_COLLISION || ends_itself(reason))
            return LSCHED_OK;
        return verify_evictions_bad(y, "is stopped for nobody");
    }
    if (!row_is_live(k, T_JOB, job) ||
        (uint32_t)(id >> 32 & LIMIT_GENERATION_MAX) != k->c[C_JOB_GEN].u32[job])
        return verify_evictions_bad(y, "is stopped for a job that is gone");
    for (size_t i = first; i < end; i++)
        if (!evicts(y, i) && k->c[C_TASK_JOB].u32[task_at(y, i)] == job) return LSCHED_OK;
    return verify_evictions_bad(y, "is stopped for a job that gets nothing");
}

/* Marks the queues of decisions that were withdrawn in the given group or after it, and all queues
 * above them, as unknown: their use before the withdrawal cannot be computed. */
static void forget_withdrawn(struct replay *y, uint64_t group) {
    const struct columns *k = y->c->k;
    const struct verify_under *u = y->plan->under;
    for (; y->withdrawn > 0 && u->withdrawn[y->withdrawn - 1].group >= group; y->withdrawn--) {
        uint32_t q = u->withdrawn[y->withdrawn - 1].queue;
        if (!row_is_live(k, T_QUEUE, q)) continue;
        for (; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) y->unknown[q] = 1;
    }
}

/* Checks the decision group that consists of the decisions first to end - 1. Before the call the
 * scratch arrays say what was held after the group, and after the call what was held before it. */
static int32_t check_group(struct replay *y, size_t first, size_t end) {
    const struct columns *k = y->c->k;
    int32_t rc = LSCHED_OK;
    forget_withdrawn(y, group_at(y, first));
    note_entitled(y, first, end);
    for (size_t i = first; i < end; i++) {
        uint32_t held[LSCHED_GROUPS_PER_JOB_MAX], job = k->c[C_TASK_JOB].u32[task_at(y, i)];
        held_of(y, job, held);
        y->whole[job] = !verify_satisfied(k, job, held);
    }
    /* the job is stopped as a whole and starts again elsewhere */
    for (size_t i = first; i < end; i++)
        if (kind_at(y, i) == LSCHED_MIGRATE) y->whole[k->c[C_TASK_JOB].u32[task_at(y, i)]] |= 2;
    for (size_t i = first; i < end; i++)
        if (!k->c[C_DECISION_SEATED].u8[y->plan->row[i]])
            verify_evictions_charge(y, task_at(y, i), change_at(y, i));
    for (y->at = first; y->at < end && rc == LSCHED_OK; y->at++) {
        if (!evicts(y, y->at)) continue;
        rc = check_beneficiary(y, first, end);
        if (rc == LSCHED_OK) rc = check_eviction(y);
    }
    if (rc == LSCHED_OK) rc = check_order(y, first, end);
    for (size_t i = first; i < end && rc == LSCHED_OK; i++)
        y->unit[k->c[C_TASK_JOB].u32[task_at(y, i)]] = 0;
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

static void load(struct replay *y) {
    const struct columns *k = y->c->k;
    size_t queues = table_rows(k, T_QUEUE);
    for (uint32_t q = 0; q < queues; q++)
        for (uint32_t r = 1; r < verify_kinds(k); r++)
            y->used[queues * r + q] = k->c[C_QUEUE_USED + r].i64[q];
    for (uint32_t a = 0; a < table_rows(k, T_QAMOUNT); a++)
        if (row_is_live(k, T_QAMOUNT, a))
            y->parts[queues * k->c[C_QAMOUNT_DERIVED].u32[a] + k->c[C_QAMOUNT_QUEUE].u32[a]] =
                k->c[C_QAMOUNT_USED].i64[a];
    for (uint32_t l = 0; l < table_rows(k, T_LEAF); l++)
        y->held[l] = k->c[C_LEAF_PLACED].u32[l] + k->c[C_LEAF_DONE].u32[l];
    verify_rights(k, y->right);
}

int32_t verify_evictions(struct check *c, const struct verify_decisions *plan) {
    const struct columns *k = c->k;
    struct replay y = {.c = c, .plan = plan};
    size_t any = 0, amounts = (size_t)table_rows(k, T_QUEUE) * verify_kinds(k),
           leaves = table_rows(k, T_LEAF), jobs = table_rows(k, T_JOB);
    for (size_t i = 0; i < plan->n; i++) any += (size_t)evicts(&y, i);
    if (any == 0) return LSCHED_OK;
    size_t parts = (size_t)table_rows(k, T_QUEUE) * table_rows(k, T_DERIVED);
    y.words = (table_rows(k, T_DERIVED) + 63u) / 64;
    size_t bytes = (amounts + parts) * sizeof *y.used + amounts * sizeof *y.right +
                   plan->n * y.words * sizeof *y.entitled +
                   (leaves + 4 * jobs + plan->n) * sizeof(uint32_t) + sizeof *y.used +
                   table_rows(k, T_QUEUE);
    y.used = alloc_zero(k->alloc, bytes);
    if (!y.used) return check_nomem(c);
    y.parts = y.used + amounts;
    y.right = (int64_t *)(void *)(y.parts + parts);
    y.entitled = (uint64_t *)(void *)(y.right + amounts);
    y.held = (uint32_t *)(void *)(y.entitled + plan->n * y.words);
    y.unit = y.held + leaves;
    y.number = y.unit + jobs;
    y.whole = y.number + jobs;
    y.loses = y.whole + jobs;
    y.unit_at = y.loses + jobs;
    y.unknown = (uint8_t *)(y.unit_at + plan->n);
    y.withdrawn = plan->under->n_withdrawn;
    for (size_t i = 0; i < plan->n; i++)
        if (evicts(&y, i)) y.loses[k->c[C_TASK_JOB].u32[task_at(&y, i)]] = 1;
    load(&y);
    int32_t rc = verify_evictions_check_groups(&y);
    alloc_free(k->alloc, y.used, bytes);
    return rc;
}
