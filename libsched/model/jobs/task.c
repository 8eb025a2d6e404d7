/* task.c -- see task.h. Place and release cost O(kinds x queue depth + devices). */
#include "model/jobs/task.h"

#include "model/jobs/memory_pressure.h"
#include "model/queues/nonpreemptible_use.h"
#include "model/shapes/daily_demand.h"
#include "model/devices/resource_part.h"
#include "model/nodes/node.h"
#include "model/queues/queue.h"
#include "model/jobs/releasing.h"
#include "model/jobs/refusal.h"
#include "model/jobs/task_parts.h"
#include "model/jobs/job_limits.h"

int64_t task_amount(const struct columns *k, uint32_t task, uint32_t kind) {
    struct hold hold = task_hold(k, task);
    if (kind == LSCHED_GPU && hold.mask == 0) return 0;
    return hold_amount(k, k->c[C_TASK_NODE].u32[task], task_shape(k, task), &hold, kind);
}

int64_t leaf_amount(const struct columns *k, uint32_t leaf, uint32_t kind) {
    if (kind == LSCHED_GPU) return k->c[C_LEAF_CHARGE].i64[leaf];
    uint32_t shape = leaf_shape(k, k->c[C_LEAF_JOB].u32[leaf], k->c[C_LEAF_GROUP].u32[leaf]);
    return k->c[C_SHAPE_REQ + kind].i64[shape] * (int64_t)k->c[C_LEAF_PLACED].u32[leaf];
}

void task_charge(struct columns *k, uint32_t task, int sign) {
    uint32_t job = k->c[C_TASK_JOB].u32[task], leaf = k->c[C_TASK_LEAF].u32[task],
             queue = k->c[C_JOB_QUEUE].u32[job];
    uint32_t shape = task_shape(k, task);
    int64_t gpu = task_amount(k, task, LSCHED_GPU),
            more = gpu - k->c[C_SHAPE_REQ + LSCHED_GPU].i64[shape];
    add_i64(k, C_LEAF_CHARGE, leaf, gpu * sign);
    queue_charge(k, queue, shape, gpu, sign);
    demand_add(k, queue, LSCHED_GPU, more * sign);
}

/* Returns 1 if the tasks of the job are in the index. For a small job, a walk through the leaf's
 * list is shorter than an index probe. */
int task_is_indexed(const struct columns *k, uint32_t job) {
    return k->c[C_JOBSHAPE_TASKS].u32[k->c[C_JOB_SHAPE].u32[job]] > LIMIT_LISTED_TASKS;
}

static uint32_t task_row_make(struct columns *k, uint32_t job, uint32_t leaf, uint32_t index) {
    if (undo_room(k) != LSCHED_OK) return NO_ROW;
    if (task_is_indexed(k, job) && index_reserve(k, T_IX_TASK, 1) != LSCHED_OK) return NO_ROW;
    uint32_t t = row_new(k, T_TASK);
    if (t == NO_ROW) return NO_ROW;
    set_u32(k, C_TASK_JOB, t, job);
    set_u32(k, C_TASK_LEAF, t, leaf);
    set_u32(k, C_TASK_INDEX, t, index);
    set_u32(k, C_TASK_NODE, t, NO_ROW);
    set_u32(k, C_TASK_DECISION, t, NO_ROW);
    set_u32(k, C_TASK_USAGE, t, NO_ROW);
    if (task_is_indexed(k, job)) index_add(k, T_IX_TASK, t);
    return t;
}

static void task_row_drop(struct columns *k, uint32_t task) {
    if (task_is_indexed(k, k->c[C_TASK_JOB].u32[task])) index_remove(k, T_IX_TASK, task);
    row_free(k, T_TASK, task);
}

uint32_t task_find(const struct columns *k, uint32_t job, uint32_t index) {
    uint32_t group = job_group_of_task(k, job, index);
    uint32_t leaf = group == NO_ROW ? NO_ROW : job_leaf(k, job, group);
    if (leaf == NO_ROW) return NO_ROW;
    if (task_is_indexed(k, job)) {
        struct index_key key = index_key_task(job, index);
        return index_find(k, T_IX_TASK, &key);
    }
    uint32_t lists[2] = {k->c[C_LEAF_TASK_FIRST].u32[leaf], k->c[C_LEAF_AGAIN_FIRST].u32[leaf]};
    for (int i = 0; i < 2; i++)
        for (uint32_t t = lists[i]; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t])
            if (k->c[C_TASK_INDEX].u32[t] == index) return t;
    return NO_ROW;
}

/* ---- lists of a leaf: tasks that hold or are done, and tasks that wait again ---- */

void task_leaf_link(struct columns *k, uint32_t task, uint32_t column) {
    uint32_t leaf = k->c[C_TASK_LEAF].u32[task], first = k->c[column].u32[leaf];
    set_u32(k, C_TASK_NEXT, task, first);
    set_u32(k, C_TASK_PREV, task, NO_ROW);
    if (first != NO_ROW) set_u32(k, C_TASK_PREV, first, task);
    set_u32(k, column, leaf, task);
}

void task_leaf_unlink(struct columns *k, uint32_t task, uint32_t column) {
    uint32_t leaf = k->c[C_TASK_LEAF].u32[task];
    uint32_t next = k->c[C_TASK_NEXT].u32[task], prev = k->c[C_TASK_PREV].u32[task];
    if (next != NO_ROW) set_u32(k, C_TASK_PREV, next, prev);
    if (prev != NO_ROW)
        set_u32(k, C_TASK_NEXT, prev, next);
    else
        set_u32(k, column, leaf, next);
}

void task_node_link(struct columns *k, uint32_t task, uint32_t node) {
    uint32_t first = k->c[C_NODE_TASK_FIRST].u32[node];
    set_u32(k, C_TASK_NODE, task, node);
    set_u32(k, C_TASK_NODE_NEXT, task, first);
    set_u32(k, C_TASK_NODE_PREV, task, NO_ROW);
    if (first != NO_ROW) set_u32(k, C_TASK_NODE_PREV, first, task);
    set_u32(k, C_NODE_TASK_FIRST, node, task);
    add_u32(k, C_NODE_TASKS, node, 1);
    touch_task(k, task);
}

void task_node_unlink(struct columns *k, uint32_t task) {
    uint32_t node = k->c[C_TASK_NODE].u32[task];
    uint32_t next = k->c[C_TASK_NODE_NEXT].u32[task], prev = k->c[C_TASK_NODE_PREV].u32[task];
    if (next != NO_ROW) set_u32(k, C_TASK_NODE_PREV, next, prev);
    if (prev != NO_ROW)
        set_u32(k, C_TASK_NODE_NEXT, prev, next);
    else
        set_u32(k, C_NODE_TASK_FIRST, node, next);
    add_u32(k, C_NODE_TASKS, node, -1);
    set_u32(k, C_TASK_NODE, task, NO_ROW);
    touch_task(k, task);
}

static uint32_t leaf_get(struct columns *k, uint32_t job, uint32_t group) {
    uint32_t leaf = job_leaf(k, job, group);
    if (leaf != NO_ROW) return leaf;
    leaf = row_new(k, T_LEAF);
    if (leaf == NO_ROW) return NO_ROW;
    set_u32(k, C_LEAF_JOB, leaf, job);
    set_u32(k, C_LEAF_GROUP, leaf, group);
    set_u32(k, C_LEAF_NEXT, leaf, k->c[C_JOB_LEAVES].u32[job]);
    set_u32(k, C_LEAF_TASK_FIRST, leaf, NO_ROW);
    set_u32(k, C_LEAF_AGAIN_FIRST, leaf, NO_ROW);
    set_u32(k, C_LEAF_LEAVING_FIRST, leaf, NO_ROW);
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

/* ---- decisions ---- */

uint32_t decision_open(struct columns *k, uint32_t task, const struct decision_spec *s) {
    uint32_t d = row_new(k, T_DECISION);
    if (d == NO_ROW) return NO_ROW;
    set_u8(k, C_DECISION_KIND, d, s->kind);
    set_u8(k, C_DECISION_STATE, d, LSCHED_DECISION_PROPOSED);
    set_u32(k, C_DECISION_TASK, d, task);
    set_u64(k, C_DECISION_GROUP, d, s->group);
    set_i64(k, C_DECISION_PROPOSED, d, s->now);
    set_i64(k, C_DECISION_AT, d, s->at);
    set_u8(k, C_DECISION_REASON, d, s->reason);
    set_u64(k, C_DECISION_FOR_JOB, d, s->for_job);
    set_i64(k, C_DECISION_COST, d, s->cost);
    uint32_t tail = (uint32_t)meta(k, M_OPEN_TAIL);
    set_u32(k, C_DECISION_NEXT, d, NO_ROW);
    set_u32(k, C_DECISION_PREV, d, tail);
    if (tail != NO_ROW)
        set_u32(k, C_DECISION_NEXT, tail, d);
    else
        set_meta(k, M_OPEN_HEAD, d);
    set_meta(k, M_OPEN_TAIL, d);
    set_meta(k, M_OPEN_COUNT, meta(k, M_OPEN_COUNT) + 1);
    set_u32(k, C_TASK_DECISION, task, d);
    return d;
}

void decision_close(struct columns *k, uint32_t task) {
    uint32_t d = k->c[C_TASK_DECISION].u32[task];
    if (d == NO_ROW) return;
    uint32_t next = k->c[C_DECISION_NEXT].u32[d], prev = k->c[C_DECISION_PREV].u32[d];
    if (next != NO_ROW)
        set_u32(k, C_DECISION_PREV, next, prev);
    else
        set_meta(k, M_OPEN_TAIL, prev);
    if (prev != NO_ROW)
        set_u32(k, C_DECISION_NEXT, prev, next);
    else
        set_meta(k, M_OPEN_HEAD, next);
    set_meta(k, M_OPEN_COUNT, meta(k, M_OPEN_COUNT) - 1);
    set_u32(k, C_TASK_DECISION, task, NO_ROW);
    row_free(k, T_DECISION, d);
}

/* ---- place ---- */

/* Returns the row for the task that is placed: a row that waits again (of the given index, or the
 * latest), else a new row. */
static uint32_t task_row(struct columns *k, uint32_t leaf, const struct place_spec *p) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[p->job];
    uint32_t base = k->c[C_GROUP_BASE].u32[group_row(k, shape, p->group)];
    uint32_t t = k->c[C_LEAF_AGAIN_FIRST].u32[leaf];
    if (p->index != NO_ROW) /* a row of this index waits: a task is not placed twice */
        t = t == NO_ROW ? NO_ROW : task_find(k, p->job, p->index);
    if (t != NO_ROW) {
        task_leaf_unlink(k, t, C_LEAF_AGAIN_FIRST);
        return t;
    }
    uint32_t index = base + k->c[C_LEAF_FRESH].u32[leaf];
    /* An import can name an index beyond the first fresh one. The tasks between wait again. */
    while (p->index != NO_ROW && index < p->index) {
        t = task_row_make(k, p->job, leaf, index++);
        if (t == NO_ROW) return NO_ROW;
        task_leaf_link(k, t, C_LEAF_AGAIN_FIRST);
    }
    t = task_row_make(k, p->job, leaf, index);
    if (t == NO_ROW) return NO_ROW;
    set_u32(k, C_LEAF_FRESH, leaf, index - base + 1);
    return t;
}

/* Returns 1 if the task moves here. A task that moves keeps its age: the protection of young work
 * counts from its first start. */
static int moves_here(const struct columns *k, uint32_t task, const struct place_spec *p) {
    return p->state == LSCHED_TASK_NOMINATED &&
           releasing_find(k, p->job, k->c[C_TASK_INDEX].u32[task]) != NO_ROW;
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
    set_u8(k, C_TASK_STATE, t, p->state);
    set_u8(k, C_TASK_EXCESS, t, p->excess);
    set_u8(k, C_TASK_IMPORTED, t, p->decision_group == 0);
    if (meta(k, M_RULES_HEAD) != NO_ROW) set_meta(k, M_RULES_NEWS, 1);
    task_set_hold(k, t, &p->hold);
    if (p->state != LSCHED_TASK_PROPOSED) set_u16(k, C_TASK_RECUT, t, 0);
    set_i64(k, C_TASK_START, t, p->now);
    if (!moves_here(k, t, p))
        set_i64(k, C_TASK_SINCE, t, p->state == LSCHED_TASK_RUNNING ? p->now : 0);
    task_leaf_link(k, t, C_LEAF_TASK_FIRST);
    task_node_link(k, t, p->node);
    add_u32(k, C_LEAF_PLACED, leaf, 1);
    if (p->state == LSCHED_TASK_RUNNING) {
        add_u32(k, C_LEAF_RUNNING, leaf, 1);
        job_limits_began(k, t);
    }
    int nominations = p->state == LSCHED_TASK_NOMINATED;
    if (nominations) {
        add_u32(k, C_LEAF_NOMINATED, leaf, 1);
        set_meta(k, M_NOMINATED, meta(k, M_NOMINATED) + 1);
        node_coming(k, p->node, shape, &p->hold, -1, 1);
    } else {
        node_take(k, p->node, shape, &p->hold);
    }
    uint32_t queue = k->c[C_JOB_QUEUE].u32[p->job];
    task_charge(k, t, 1);
    nonpreemptible_use_end(k, p->job, &use);
    if (resource_part_count(k) &&
        resource_part_take(k, queue, shape, p->node, &p->hold) != LSCHED_OK)
        return LSCHED_E_NOMEM;
    if (p->excess) set_u8(k, C_NODE_EXCESS, p->node, 1);
    *task = t;
    *decision = NO_ROW;
    if (p->decision_group == 0) return LSCHED_OK;
    struct decision_spec d = {.kind = nominations ? LSCHED_NOMINATE : LSCHED_PLACE,
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
    if (state == LSCHED_TASK_PROPOSED) set_u8(k, C_TASK_STATE, task, LSCHED_TASK_CONFIRMED);
    /* A confirmed task has its MIG instance: the orchestrator has made it. */
    if (k->c[C_TASK_RECUT].u16[task]) set_u16(k, C_TASK_RECUT, task, 0);
    set_u8(k, C_DECISION_STATE, k->c[C_TASK_DECISION].u32[task], LSCHED_DECISION_CONFIRMED);
}

void task_start(struct columns *k, uint32_t task, int64_t at) {
    evict_news(k);
    refusal_started(k, task);
    decision_close(k, task);
    set_u8(k, C_TASK_STATE, task, LSCHED_TASK_RUNNING);
    if (k->c[C_TASK_RECUT].u16[task]) set_u16(k, C_TASK_RECUT, task, 0);
    set_i64(k, C_TASK_START, task, at);
    if (k->c[C_TASK_SINCE].i64[task] == 0) set_i64(k, C_TASK_SINCE, task, at);
    add_u32(k, C_LEAF_RUNNING, k->c[C_TASK_LEAF].u32[task], 1);
    job_limits_began(k, task);
}

void task_usage_drop(struct columns *k, uint32_t task) {
    uint32_t u = k->c[C_TASK_USAGE].u32[task];
    while (u != NO_ROW) {
        uint32_t next = k->c[C_USAGE_NEXT].u32[u];
        row_free(k, T_USAGE, u);
        u = next;
    }
    set_u32(k, C_TASK_USAGE, task, NO_ROW);
}

/* ---- release ---- */

/* Turns a migration into an eviction, because the task has lost the nomination on its new
 * place. */
static void move_ends(struct columns *k, uint32_t job, uint32_t task) {
    uint32_t releasing = releasing_find(k, job, k->c[C_TASK_INDEX].u32[task]),
             d = releasing == NO_ROW ? NO_ROW : k->c[C_TASK_DECISION].u32[releasing];
    if (d != NO_ROW && k->c[C_DECISION_KIND].u8[d] == LSCHED_MIGRATE)
        set_u8(k, C_DECISION_KIND, d, LSCHED_EVICT);
}

void task_release(struct columns *k, uint32_t task, uint8_t to) {
    evict_news(k);
    uint32_t leaf = k->c[C_TASK_LEAF].u32[task], job = k->c[C_TASK_JOB].u32[task];
    uint32_t node = k->c[C_TASK_NODE].u32[task], shape = task_shape(k, task);
    uint8_t was = k->c[C_TASK_STATE].u8[task];
    struct hold hold = task_hold(k, task);
    struct nonpreemptible_use_note use;
    assert(task_placed(was));
    nonpreemptible_use_begin(k, job, leaf, &use);
    task_charge(k, task, -1);
    decision_close(k, task);
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
    set_u8(k, C_TASK_OUT, task, OUT_NOT);
    task_set_hold(k, task, &(struct hold){0});
    if (to == LSCHED_TASK_DONE) add_u32(k, C_LEAF_DONE, leaf, 1);
    nonpreemptible_use_end(k, job, &use);
    if (was == LSCHED_TASK_RUNNING && k->c[C_LEAF_RUNNING].u32[leaf] == 0) job_limits_ended(k, job);
    if (to == LSCHED_TASK_DONE) return;
    task_leaf_unlink(k, task, C_LEAF_TASK_FIRST);
    task_leaf_link(k, task, C_LEAF_AGAIN_FIRST);
}

/* Keeps the start of the job's run with another leaf when a leaf is removed. */
static void hand_over_since(struct columns *k, uint32_t job, int64_t since) {
    uint32_t l = k->c[C_JOB_LEAVES].u32[job];
    if (l == NO_ROW || since == 0) return;
    int64_t first = k->c[C_LEAF_SINCE].i64[l];
    if (first == 0 || since < first) set_i64(k, C_LEAF_SINCE, l, since);
}

/* Removes the rows of every leaf that holds nothing and has nothing done, as if it had never
 * begun. */
static int32_t leaf_trim(struct columns *k, uint32_t job) {
    uint32_t prev = NO_ROW, leaf = k->c[C_JOB_LEAVES].u32[job];
    while (leaf != NO_ROW) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        uint32_t next = k->c[C_LEAF_NEXT].u32[leaf];
        if (k->c[C_LEAF_PLACED].u32[leaf] || k->c[C_LEAF_DONE].u32[leaf] ||
            k->c[C_LEAF_LEAVING].u32[leaf]) {
            prev = leaf;
            leaf = next;
            continue;
        }
        for (uint32_t t = k->c[C_LEAF_AGAIN_FIRST].u32[leaf]; t != NO_ROW;) {
            uint32_t after = k->c[C_TASK_NEXT].u32[t];
            rc = undo_room(k);
            if (rc != LSCHED_OK) return rc;
            task_row_drop(k, t);
            t = after;
        }
        if (prev == NO_ROW)
            set_u32(k, C_JOB_LEAVES, job, next);
        else
            set_u32(k, C_LEAF_NEXT, prev, next);
        hand_over_since(k, job, k->c[C_LEAF_SINCE].i64[leaf]);
        row_free(k, T_LEAF, leaf);
        leaf = next;
    }
    return LSCHED_OK;
}

/* Releases the tasks of a gang below its minimum that the orchestrator has not confirmed. claims:
 * 1 to release nominated tasks instead, confirmed ones included, because the gang is below its
 * minimum even with them. */
static int32_t withdraw_proposed(struct columns *k, uint32_t job, int nominations,
                                 withdrawn_fn tell, void *user) {
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        /* If all placed tasks of the leaf run, there is nothing to release. */
        if (k->c[C_LEAF_PLACED].u32[l] == k->c[C_LEAF_RUNNING].u32[l]) continue;
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;) {
            int32_t rc = undo_room(k);
            if (rc != LSCHED_OK) return rc;
            uint32_t next = k->c[C_TASK_NEXT].u32[t];
            uint32_t d = k->c[C_TASK_DECISION].u32[t];
            int nominated = k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NOMINATED;
            if (nominated ? nominations
                          : (d != NO_ROW && k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RUNNING &&
                             k->c[C_DECISION_STATE].u8[d] == LSCHED_DECISION_PROPOSED)) {
                if (tell) tell(user, d, k->c[C_DECISION_GEN].u32[d]);
                task_release(k, t, LSCHED_TASK_NONE);
            }
            t = next;
        }
    }
    return LSCHED_OK;
}

int32_t job_settle_losses(struct columns *k, uint32_t job, int64_t now, withdrawn_fn tell,
                          void *user) {
    int32_t rc = LSCHED_OK;
    if (!job_stands(k, job)) rc = withdraw_proposed(k, job, 0, tell, user);
    int satisfied = job_satisfied(k, job);
    if (rc == LSCHED_OK && !satisfied) rc = withdraw_proposed(k, job, 1, tell, user);
    if (rc == LSCHED_OK) rc = leaf_trim(k, job);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    int stale = !satisfied && job_count(k, job).placed > 0;
    uint32_t cost = stale ? job_cost(k, job) : k->c[C_JOB_COST].u32[job];
    if (stale && cost == NO_ROW) return LSCHED_E_NOMEM;
    if (stale && k->c[C_COST_STALE_SINCE].i64[cost] == LSCHED_NEVER_US)
        set_i64(k, C_COST_STALE_SINCE, cost, now);
    if (!stale && cost != NO_ROW) set_i64(k, C_COST_STALE_SINCE, cost, LSCHED_NEVER_US);
    return job_requeue(k, job);
}

int32_t tasks_drop_all(struct columns *k, uint32_t job, withdrawn_fn tell, void *user) {
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW;) {
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;) {
            int32_t rc = undo_room(k);
            if (rc != LSCHED_OK) return rc;
            uint32_t next = k->c[C_TASK_NEXT].u32[t], d = k->c[C_TASK_DECISION].u32[t];
            if (d != NO_ROW && tell) tell(user, d, k->c[C_DECISION_GEN].u32[d]);
            if (task_placed(k->c[C_TASK_STATE].u8[t])) {
                task_release(k, t, LSCHED_TASK_NONE);
            } else {
                struct nonpreemptible_use_note use;
                nonpreemptible_use_begin(k, job, l, &use);
                task_leaf_unlink(k, t, C_LEAF_TASK_FIRST);
                task_row_drop(k, t);
                add_u32(k, C_LEAF_DONE, l, -1);
                nonpreemptible_use_end(k, job, &use);
            }
            t = next;
        }
        while (k->c[C_LEAF_LEAVING_FIRST].u32[l] != NO_ROW) {
            int32_t rc = undo_room(k);
            if (rc != LSCHED_OK) return rc;
            uint32_t t = k->c[C_LEAF_LEAVING_FIRST].u32[l], d = k->c[C_TASK_DECISION].u32[t];
            if (d != NO_ROW && tell) tell(user, d, k->c[C_DECISION_GEN].u32[d]);
            rc = releasing_end(k, t);
            if (rc != LSCHED_OK) return rc;
        }
        l = k->c[C_LEAF_NEXT].u32[l];
    }
    return leaf_trim(k, job);
}
