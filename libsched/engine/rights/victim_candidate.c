/* victim_candidate.c -- see victim_candidate.h. */
#include "engine/rights/victim_candidate.h"

#include "engine/rights/first_victim.h"
#include "engine/rights/victim_protect.h"
#include "engine/rights/victim_reserved.h"
#include "engine/rights/victim_right.h"
#include "engine/rights/victim_side.h"
#include "engine/rights/victim_unit.h"
#include "engine/rights/victim_verdict.h"
#include "model/jobs/releasing.h"
#include "model/jobs/stops.h"
#include "model/queues/user_queue.h"
#include "model/store/steps.h"
#include "model/demand/job_counts.h"
#include "model/jobs/task_row.h"

/* Returns the smallest group around the leaf group (or the leaf group itself) that its parent
 * group can spare. Returns the root group if there is no such group. */
static uint32_t group_around(const struct columns *k, uint32_t job, uint32_t leaf_group) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job];
    for (uint32_t g = leaf_group;; g = k->c[C_GROUP_PARENT].u32[group_row(k, shape, g)])
        if (g == 0 || victim_unit_spared(k, NULL, job, g)) return g;
}

/* Returns the group that is evicted as a whole if a task of the leaf group is evicted; NO_ROW if
 * only the task is evicted. */
static uint32_t group_to_go(const struct columns *k, uint32_t job, uint32_t leaf_group) {
    uint32_t row = group_row(k, k->c[C_JOB_SHAPE].u32[job], leaf_group);
    if (job_leaf_stands(k, job, leaf_group) > k->c[C_GROUP_MIN].u32[row]) return NO_ROW;
    return group_around(k, job, leaf_group);
}

/* Computes the number of tasks, the cost and the earliest start over all tasks of the group.
 * Therefore the eviction unit is the same for every task from which the search can reach it. */
static void unit_of_group(const struct lsched_cycle *cy, struct victim_unit *u) {
    const struct columns *k = cy->k;
    u->tasks = 0;
    u->cost = 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[u->job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        if (!victim_unit_has_leaf(k, u->group, l)) continue;
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            steps_add(k, 1);
            if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RUNNING) continue;
            u->tasks++;
            u->cost += victim_verdict_task_cost(cy, u->job, t);
            if (k->c[C_TASK_START].i64[t] < u->started) u->started = k->c[C_TASK_START].i64[t];
        }
    }
}

/* Makes the unit all running tasks of its job, whose numbers the verdict has. */
static void take_whole(const struct victim_job *j, struct victim_unit *u) {
    u->group = 0;
    u->tasks = j->tasks;
    u->cost = j->cost;
    u->started = j->first_start;
}

/* Fills an eviction unit that is a group, and returns 1 if it can be evicted. The whole gang is a
 * unit only if the verdict is VERDICT_ALL. A gang whose finished tasks meet its minimum can spare
 * each of its groups separately, therefore the whole gang is not a unit. */
static int unit_of_gang(const struct lsched_cycle *cy, const struct victim_job *j,
                        struct victim_unit *u) {
    if (u->group == 0 && job_stands_done(cy->k, u->job)) return 0;
    if (u->group == 0) {
        take_whole(j, u);
        return j->verdict == VERDICT_ALL;
    }
    unit_of_group(cy, u);
    return 1;
}

/* True if a placement or a nomination of the job is not confirmed yet. Work of other jobs may have
 * been evicted for that decision in this cycle. If a nomination of the job were taken away, the
 * job could fall below its minimum and lose all its decisions. Then that work would have been
 * evicted in vain. */
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

/* See victim_unit.ordinary. */
static uint8_t is_ordinary(const struct lsched_cycle *cy, uint32_t job) {
    return cy->victims->reason != LSCHED_FOR_CONSOLIDATE &&
           cy->victims->reason != LSCHED_FOR_DRAIN && !first_victim_is(cy, job);
}

/* Fills an eviction unit that is a nomination, and returns 1 if it can be taken away. Taking away
 * a confirmed nomination of an earlier cycle stops no work. Therefore a job whose queue is within
 * its guarantee, or a job of the same queue with higher priority, can take the nomination. The
 * gang rule decides which other tasks the gang loses with the nomination. */
static int nominated_unit(const struct lsched_cycle *cy, uint32_t task, struct victim_unit *u) {
    const struct columns *k = cy->k;
    const struct victim_search *h = cy->victims;
    uint32_t job = k->c[C_TASK_JOB].u32[task], d = k->c[C_TASK_DECISION].u32[task];
    int same = queue_same_real(k, k->c[C_JOB_QUEUE].u32[job], h->queue);
    if (job == h->job || k->c[C_DECISION_STATE].u8[d] != LSCHED_DECISION_CONFIRMED) return 0;
    int own = h->reason == LSCHED_FOR_PREEMPT || (h->both && same);
    if (h->reason == LSCHED_FOR_RECLAIM && !own && (same || !victim_side_own_guarantee(cy)))
        return 0;
    if (own && (!same || k->c[C_JOB_RANK].i32[job] >= h->priority)) return 0;
    if (!own && h->stopped && stops_stand(k, job)) return 0;
    if (h->reason == LSCHED_FOR_CONSOLIDATE || job_releasing(k, job) || got_something(k, job))
        return 0;
    *u = (struct victim_unit){.job = job,
                              .queue = k->c[C_JOB_QUEUE].u32[job],
                              .ordinary = is_ordinary(cy, job),
                              .task = task,
                              .group = NO_ROW,
                              .tasks = 1,
                              .nominated = 1,
                              .priority = k->c[C_JOB_RANK].i32[job],
                              .started = k->c[C_DECISION_PROPOSED].i64[d]};
    return 1;
}

static int running_unit(struct lsched_cycle *cy, uint32_t task, struct victim_unit *u) {
    const struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    uint32_t job = k->c[C_TASK_JOB].u32[task];
    const struct victim_job *j = victim_verdict(cy, job);
    if (j->verdict == VERDICT_NONE || (h->by_unit && j->pinned == h->pin_stamp)) return 0;
    *u = (struct victim_unit){.job = job,
                              .queue = k->c[C_JOB_QUEUE].u32[job],
                              .ordinary = is_ordinary(cy, job),
                              .task = task,
                              .group = NO_ROW,
                              .tasks = 1,
                              .priority = k->c[C_JOB_RANK].i32[job],
                              .started = k->c[C_TASK_START].i64[task]};
    uint32_t leaf_group = k->c[C_LEAF_GROUP].u32[k->c[C_TASK_LEAF].u32[task]];
    if (h->reason == LSCHED_FOR_CONSOLIDATE) {
        /* The task continues on another node. If its gang cannot spare it, the whole gang waits
         * meanwhile, therefore the cost of the whole gang counts. */
        int spare = group_to_go(k, job, leaf_group) == NO_ROW;
        u->cost = spare ? victim_verdict_task_cost(cy, job, task) : j->cost;
        return 1;
    }
    u->top = victim_right_levels(cy, u->queue).top;
    u->over = u->over_first = victim_right_over(cy, u->top, NULL);
    u->group = job_satisfied(k, job) ? group_to_go(k, job, leaf_group) : 0;
    if (u->group == NO_ROW)
        u->cost = victim_verdict_task_cost(cy, job, task);
    else if (!unit_of_gang(cy, j, u))
        return 0;
    u->crosses = (uint8_t)victim_protect_cross(cy, u, NULL);
    return 1;
}

int victim_candidate_of(struct lsched_cycle *cy, uint32_t task, struct victim_unit *u) {
    uint8_t state = cy->k->c[C_TASK_STATE].u8[task];
    int is_one = state == LSCHED_TASK_NOMINATED ? nominated_unit(cy, task, u)
                 : state == LSCHED_TASK_RUNNING ? running_unit(cy, task, u)
                                                : 0;
    return is_one && !victim_reserved(cy, u);
}

int victim_candidate_larger(struct lsched_cycle *cy, struct victim_unit *u) {
    const struct columns *k = cy->k;
    if (cy->victims->reason == LSCHED_FOR_CONSOLIDATE) return 0;
    /* around a task, the next larger unit is a group that the parent group can spare; around such
     * a group, it is the whole gang */
    uint32_t leaf_group = k->c[C_LEAF_GROUP].u32[k->c[C_TASK_LEAF].u32[u->task]];
    u->group = u->group == NO_ROW ? group_around(k, u->job, leaf_group) : 0;
    if (!unit_of_gang(cy, victim_verdict(cy, u->job), u) || victim_reserved(cy, u)) return 0;
    u->crosses = (uint8_t)victim_protect_cross(cy, u, NULL);
    return 1;
}

int victim_candidate_whole(struct lsched_cycle *cy, struct victim_unit *u) {
    if (u->nominated || u->group == 0) return 1;
    if (cy->victims->reason == LSCHED_FOR_CONSOLIDATE) return 0;
    const struct victim_job *j = victim_verdict(cy, u->job);
    /* a job whose minimum is met without running tasks can spare all of them */
    if (j->verdict != VERDICT_ALL && !job_stands_done(cy->k, u->job)) return 0;
    take_whole(j, u);
    if (victim_reserved(cy, u)) return 0;
    u->crosses = (uint8_t)victim_protect_cross(cy, u, NULL);
    return 1;
}
