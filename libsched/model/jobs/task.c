/* task.c -- see task.h. Place and release cost O(kinds x queue depth + devices). */
#include "model/jobs/task.h"

#include "model/allowances/allowance.h"
#include "model/budgets/eviction_count.h"
#include "model/pressure/memory_pressure.h"
#include "model/told/change_feed.h"
#include "model/queues/nonpreemptible_use.h"
#include "model/resizes/resize.h"
#include "model/shapes/daily_demand.h"
#include "model/devices/resource_part.h"
#include "model/nodes/node.h"
#include "model/queues/queue.h"
#include "model/jobs/refusal.h"
#include "model/told/decision.h"
#include "model/told/decision_life.h"
#include "model/demand/job_counts.h"
#include "model/jobs/task_row.h"
#include "model/jobs/job_limits.h"

/* A group whose tasks are in the index makes the index large enough for so many of its tasks at
 * once; then the index does not divide its buckets task by task. */
#define RESERVED_TASKS 4096u

static int32_t tasks_reserve(struct columns *k, uint32_t job, uint32_t group) {
    if (!task_is_indexed(k, job)) return LSCHED_OK;
    uint32_t n = k->c[C_GROUP_MIN].u32[group_row(k, k->c[C_JOB_SHAPE].u32[job], group)];
    if (n < 2) return LSCHED_OK;
    return index_reserve(k, T_IX_TASK, n < RESERVED_TASKS ? n : RESERVED_TASKS);
}

static uint32_t leaf_get(struct columns *k, uint32_t job, uint32_t group) {
    uint32_t leaf = job_leaf(k, job, group);
    if (leaf != NO_ROW) return leaf;
    if (tasks_reserve(k, job, group) != LSCHED_OK || undo_room(k) != LSCHED_OK) return NO_ROW;
    leaf = row_new_inline(k, T_LEAF, C_LEAF_LINK, COLUMNS, 0);
    if (leaf == NO_ROW) return NO_ROW;
    int fresh = row_is_fresh(k, T_LEAF, leaf);
    fill_u32(k, fresh, C_LEAF_JOB, leaf, job);
    fill_u32(k, fresh, C_LEAF_GROUP, leaf, group);
    fill_u32(k, fresh, C_LEAF_NEXT, leaf, k->c[C_JOB_LEAVES].u32[job]);
    fill_u32(k, fresh, C_LEAF_TASK_FIRST, leaf, NO_ROW);
    fill_u32(k, fresh, C_LEAF_AGAIN_FIRST, leaf, NO_ROW);
    fill_u32(k, fresh, C_LEAF_LEAVING_FIRST, leaf, NO_ROW);
    set_u32(k, C_JOB_LEAVES, job, leaf);
    return leaf;
}

int32_t leaf_try(struct columns *k, uint32_t job, uint32_t group, uint8_t alternative) {
    uint32_t leaf = leaf_get(k, job, group);
    if (leaf == NO_ROW) return LSCHED_E_NOMEM;
    if (k->c[C_LEAF_PLACED].u32[leaf] || k->c[C_LEAF_LEAVING].u32[leaf]) return 0;
    leaf_choose(k, leaf, alternative);
    return 1;
}

/* ---- place ---- */

/* Returns the row for the task that is placed: the row of a task that waits again (the task of
 * the given index, or the latest one), else a new row. */
static uint32_t task_row(struct columns *k, uint32_t leaf, const struct place_spec *p) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[p->job];
    uint32_t base = k->c[C_GROUP_BASE].u32[group_row(k, shape, p->group)];
    uint32_t t = k->c[C_LEAF_AGAIN_FIRST].u32[leaf];
    /* a task is not placed twice, so if its index has a row, the row is in this list */
    if (p->index != NO_ROW) t = t == NO_ROW ? NO_ROW : task_find(k, p->job, p->index);
    if (t != NO_ROW) {
        task_leaf_unlink(k, t, C_LEAF_AGAIN_FIRST);
        return t;
    }
    uint32_t index = base + k->c[C_LEAF_FRESH].u32[leaf];
    /* An import can name an index above LEAF.FRESH. Then the tasks with the indexes between get
     * rows in the list of tasks that wait again. */
    while (p->index != NO_ROW && index < p->index) {
        t = task_row_make(k, p->job, leaf, index++, LSCHED_TASK_NONE);
        if (t == NO_ROW) return NO_ROW;
        task_leaf_link(k, t, C_LEAF_AGAIN_FIRST);
    }
    t = task_row_make(k, p->job, leaf, index, LSCHED_TASK_NONE);
    if (t == NO_ROW) return NO_ROW;
    set_u32(k, C_LEAF_FRESH, leaf, index - base + 1);
    return t;
}

/* Returns 1 if the task moves to this place. A task that moves keeps its start time, because the
 * minimum run time counts from its first start. */
static int moves_here(const struct columns *k, uint32_t task, const struct place_spec *p) {
    return p->state == LSCHED_TASK_NOMINATED &&
           releasing_find(k, p->job, k->c[C_TASK_INDEX].u32[task]) != NO_ROW;
}

/* Charges the resource parts and the allowances of the task's queues, if there are any, and tells
 * the warnings. Error:
 * LSCHED_E_NOMEM. */
static int32_t task_place_charge(struct columns *k, const struct place_spec *p, uint32_t task,
                                 uint32_t shape) {
    uint32_t queue = k->c[C_JOB_QUEUE].u32[p->job];
    int32_t rc = LSCHED_OK;
    if (resource_part_count(k)) rc = resource_part_take(k, queue, shape, p->node, &p->hold);
    if (rc == LSCHED_OK && k->allowances) rc = k->allowances->placed(k, task);
    return rc == LSCHED_OK && k->warnings ? k->warnings->placed(k, task) : rc;
}

int32_t task_place(struct columns *k, const struct place_spec *p, uint32_t *task,
                   uint32_t *decision) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t leaf = leaf_get(k, p->job, p->group);
    uint32_t t = leaf == NO_ROW ? NO_ROW : task_row(k, leaf, p);
    if (t == NO_ROW) return LSCHED_E_NOMEM;
    if (k->c[C_LEAF_ALTERNATIVE].u8[leaf] != p->alternative) leaf_choose(k, leaf, p->alternative);
    uint32_t shape = leaf_shape(k, p->job, p->group);
    rc = daily_demand_reserve(k, p->node, shape);
    if (rc != LSCHED_OK) return rc;
    struct nonpreemptible_use_note use;
    nonpreemptible_use_begin(k, p->job, leaf, &use);
    int fresh = row_is_fresh(k, T_TASK, t);
    fill_u8(k, fresh, C_TASK_STATE, t, p->state);
    fill_u8(k, fresh, C_TASK_EXCESS, t, p->excess);
    fill_u8(k, fresh, C_TASK_IMPORTED, t, p->decision_group == 0);
    if (meta(k, M_RULES_HEAD) != NO_ROW) set_meta(k, M_RULES_NEWS, 1);
    task_set_hold(k, t, &p->hold);
    if (p->state != LSCHED_TASK_PROPOSED) set_u16(k, C_TASK_RECUT, t, 0);
    fill_i64(k, fresh, C_TASK_START, t, p->now);
    if (!moves_here(k, t, p)) {
        int64_t since = p->since ? p->since : p->now;
        fill_i64(k, fresh, C_TASK_SINCE, t, p->state == LSCHED_TASK_RUNNING ? since : 0);
    }
    task_leaf_link(k, t, C_LEAF_TASK_FIRST);
    task_node_link(k, t, p->node);
    add_u32(k, C_LEAF_PLACED, leaf, 1);
    if (p->state == LSCHED_TASK_RUNNING) {
        add_u32(k, C_LEAF_RUNNING, leaf, 1);
        job_limits_began(k, t);
        task_row_runs(k, t);
    }
    int nominations = p->state == LSCHED_TASK_NOMINATED;
    if (nominations) {
        add_u32(k, C_LEAF_NOMINATED, leaf, 1);
        set_meta(k, M_NOMINATED, meta(k, M_NOMINATED) + 1);
        node_coming(k, p->node, shape, &p->hold, -1, 1);
    } else {
        node_take(k, p->node, shape, &p->hold);
    }
    task_charge(k, t, 1);
    nonpreemptible_use_end(k, p->job, &use);
    if (task_place_charge(k, p, t, shape) != LSCHED_OK) return LSCHED_E_NOMEM;
    if (p->excess) set_u8(k, C_NODE_EXCESS, p->node, 1);
    *task = t;
    *decision = NO_ROW;
    if (p->decision_group == 0) return LSCHED_OK;
    struct decision_spec d = {.kind = nominations ? LSCHED_DECIDE_NOMINATE : LSCHED_DECIDE_PLACE,
                              .group = p->decision_group,
                              .now = p->now,
                              .at = p->at ? p->at : p->now};
    *decision = decision_open(k, t, &d);
    return *decision == NO_ROW ? LSCHED_E_NOMEM : LSCHED_OK;
}

void task_confirm(struct columns *k, uint32_t task) {
    if (k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_RUNNING) {
        task_out_settle(k, task, 1);
        return;
    }
    uint8_t state = k->c[C_TASK_STATE].u8[task];
    if (state == LSCHED_TASK_PROPOSED || state == LSCHED_TASK_NOMINATED) refusal_confirmed(k, task);
    /* a confirmed nomination can be taken away, unless its job has proposals */
    if (state == LSCHED_TASK_NOMINATED) evict_news(k);
    if (state == LSCHED_TASK_PROPOSED) {
        set_u8(k, C_TASK_STATE, task, LSCHED_TASK_CONFIRMED);
        /* tasks of a job with proposals are not moved */
        if (meta(k, M_NOMINATED) || job_count(k, k->c[C_TASK_JOB].u32[task]).running) evict_news(k);
    }
    /* When a placement is confirmed, the orchestrator has made the MIG instances of the task. */
    if (k->c[C_TASK_RECUT].u16[task]) set_u16(k, C_TASK_RECUT, task, 0);
    uint32_t d = k->c[C_TASK_DECISION].u32[task];
    if (k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_CHECKPOINT)
        decision_life_due(k, d, (int64_t)meta(k, M_NOW));
    else
        decision_life_end(k, d);
    set_u8(k, C_DECISION_STATE, d, LSCHED_DECISION_CONFIRMED);
}

void task_start(struct columns *k, uint32_t task, int64_t at) {
    evict_news(k);
    refusal_started(k, task);
    set_u64(k, C_TASK_RUN, task, decision_id(k, k->c[C_TASK_DECISION].u32[task]));
    decision_done(k, task);
    set_u8(k, C_TASK_STATE, task, LSCHED_TASK_RUNNING);
    touch_task(k, task);
    if (k->c[C_TASK_RECUT].u16[task]) set_u16(k, C_TASK_RECUT, task, 0);
    set_i64(k, C_TASK_START, task, at);
    if (k->c[C_TASK_SINCE].i64[task] == 0) set_i64(k, C_TASK_SINCE, task, at);
    add_u32(k, C_LEAF_RUNNING, k->c[C_TASK_LEAF].u32[task], 1);
    job_limits_began(k, task);
    task_row_runs(k, task);
    if (k->allowances) k->allowances->started(k, task);
    if (k->warnings) k->warnings->runs(k, task);
}

/* ---- release ---- */

/* Changes the decision of a task from a migration to an eviction, because the task has lost the
 * nomination for its new place. */
static void move_ends(struct columns *k, uint32_t job, uint32_t task) {
    uint32_t releasing = releasing_find(k, job, k->c[C_TASK_INDEX].u32[task]),
             d = releasing == NO_ROW ? NO_ROW : k->c[C_TASK_DECISION].u32[releasing];
    if (d == NO_ROW || k->c[C_DECISION_KIND].u8[d] != LSCHED_DECIDE_MIGRATE) return;
    change_feed_note_decision(k, LSCHED_CHANGE_MOVE_ENDED, releasing);
    set_u8(k, C_DECISION_KIND, d, LSCHED_DECIDE_EVICT);
    eviction_count_move_ended(k, d);
}

void task_release(struct columns *k, uint32_t task, uint8_t to) {
    evict_news(k);
    uint32_t leaf = k->c[C_TASK_LEAF].u32[task], job = k->c[C_TASK_JOB].u32[task];
    uint32_t node = k->c[C_TASK_NODE].u32[task], shape = task_shape(k, task);
    uint8_t was = k->c[C_TASK_STATE].u8[task];
    struct hold hold = task_hold(k, task);
    struct nonpreemptible_use_note use;
    assert(task_placed(was));
    if (k->allowances) k->allowances->ended(k, task);
    resize_task_ends(k, task);
    nonpreemptible_use_begin(k, job, leaf, &use);
    task_charge(k, task, -1);
    decision_close(k, task);
    if (k->warnings) k->warnings->ended(k, task);
    if (was == LSCHED_TASK_RUNNING && to == LSCHED_TASK_NONE)
        change_feed_note_task(k, LSCHED_CHANGE_LOST, task);
    task_usage_drop(k, task);
    task_node_unlink(k, task);
    if (was == LSCHED_TASK_NOMINATED) {
        move_ends(k, job, task);
        add_u32(k, C_LEAF_NOMINATED, leaf, -1);
        set_meta(k, M_CLAIM_LOST, 1);
        set_meta(k, M_NOMINATED, meta(k, M_NOMINATED) - 1);
        node_coming(k, node, shape, &hold, 1, -1);
    } else {
        node_give(k, node, shape, &hold);
    }
    daily_demand_review(k, node);
    if (resource_part_count(k))
        resource_part_give(k, k->c[C_JOB_QUEUE].u32[job], shape, node, &hold);
    add_u32(k, C_LEAF_PLACED, leaf, -1);
    if (was == LSCHED_TASK_RUNNING) add_u32(k, C_LEAF_RUNNING, leaf, -1);
    set_u8(k, C_TASK_STATE, task, to);
    set_i64(k, C_TASK_SINCE, task, 0);
    set_u8(k, C_TASK_EXCESS, task, 0);
    set_u8(k, C_TASK_IMPORTED, task, 0);
    set_u8(k, C_TASK_STRAY, task, 0);
    set_u8(k, C_TASK_OUT, task, MEMORY_STATE_NORMAL);
    if (k->c[C_TASK_RUN].u64[task]) set_u64(k, C_TASK_RUN, task, 0);
    task_set_hold(k, task, &(struct hold){0});
    if (to == LSCHED_TASK_DONE) add_u32(k, C_LEAF_DONE, leaf, 1);
    resize_task_gone(k, task);
    nonpreemptible_use_end(k, job, &use);
    if (was == LSCHED_TASK_RUNNING && k->c[C_LEAF_RUNNING].u32[leaf] == 0) job_limits_ended(k, job);
    if (to == LSCHED_TASK_DONE) return;
    task_leaf_unlink(k, task, C_LEAF_TASK_FIRST);
    task_leaf_link(k, task, C_LEAF_AGAIN_FIRST);
}

void task_end_waiting(struct columns *k, uint32_t task) {
    assert(k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_NONE);
    uint32_t job = k->c[C_TASK_JOB].u32[task], leaf = k->c[C_TASK_LEAF].u32[task];
    struct nonpreemptible_use_note use;
    nonpreemptible_use_begin(k, job, leaf, &use);
    task_leaf_unlink(k, task, C_LEAF_AGAIN_FIRST);
    task_leaf_link(k, task, C_LEAF_TASK_FIRST);
    set_u8(k, C_TASK_STATE, task, LSCHED_TASK_DONE);
    add_u32(k, C_LEAF_DONE, leaf, 1);
    nonpreemptible_use_end(k, job, &use);
}
