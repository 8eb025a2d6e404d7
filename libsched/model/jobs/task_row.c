/* task_row.c -- see task_row.h. */
#include "model/jobs/task_row.h"

#include "model/demand/job_counts.h"
#include "model/news/queue_news.h"
#include "model/nodes/node.h"
#include "model/queues/nonpreemptible_use.h"
#include "model/queues/queue.h"
#include "model/resizes/task_size.h"
#include "model/shapes/node_rules.h"
#include "model/store/row_list.h"
#include "model/store/steps.h"

int64_t task_amount(const struct columns *k, uint32_t task, uint32_t kind) {
    struct hold hold = task_hold(k, task);
    if (kind == LSCHED_GPU && hold.mask == 0) return 0;
    return hold_amount(k, k->c[C_TASK_NODE].u32[task], task_shape(k, task), &hold, kind);
}

int64_t leaf_amount(const struct columns *k, uint32_t leaf, uint32_t kind) {
    if (kind == LSCHED_GPU) return k->c[C_LEAF_CHARGE].i64[leaf];
    uint32_t shape = leaf_shape(k, k->c[C_LEAF_JOB].u32[leaf], k->c[C_LEAF_GROUP].u32[leaf]);
    return k->c[C_SHAPE_REQ + kind].i64[shape] * (int64_t)k->c[C_LEAF_PLACED].u32[leaf] +
           leaf_size_more(k, leaf, kind);
}

void task_charge(struct columns *k, uint32_t task, int sign) {
    uint32_t job = k->c[C_TASK_JOB].u32[task], leaf = k->c[C_TASK_LEAF].u32[task],
             queue = k->c[C_JOB_QUEUE].u32[job];
    uint32_t shape = task_shape(k, task);
    struct hold hold = {.mask = task_device_set(k, task)};
    int64_t gpu = hold.mask ? hold_milli(k, k->c[C_TASK_NODE].u32[task], shape, &hold) : 0,
            more = gpu - k->c[C_SHAPE_REQ + LSCHED_GPU].i64[shape];
    add_i64(k, C_LEAF_CHARGE, leaf, gpu * sign);
    queue_charge(k, queue, shape, gpu, sign);
    demand_add(k, queue, LSCHED_GPU, more * sign);
    if (k->c[C_TASK_SIZE].u32[task]) task_size_charge(k, task, sign);
}

int task_is_indexed(const struct columns *k, uint32_t job) {
    return jobshape_indexes(k, k->c[C_JOB_SHAPE].u32[job]) > LIMIT_LISTED_TASKS;
}

uint32_t task_row_make(struct columns *k, uint32_t job, uint32_t leaf, uint32_t index,
                       uint8_t state) {
    if (undo_room(k) != LSCHED_OK) return NO_ROW;
    if (task_is_indexed(k, job) && index_reserve(k, T_IX_TASK, 1) != LSCHED_OK) return NO_ROW;
    uint32_t t = row_new_inline(k, T_TASK, C_TASK_LINK, COLUMNS, 0);
    if (t == NO_ROW) return NO_ROW;
    int fresh = row_is_fresh(k, T_TASK, t);
    fill_u32(k, fresh, C_TASK_JOB, t, job);
    fill_u32(k, fresh, C_TASK_LEAF, t, leaf);
    fill_u32(k, fresh, C_TASK_INDEX, t, index);
    /* filled before the row is indexed, because the key of a releasing row differs */
    fill_u8(k, fresh, C_TASK_STATE, t, state);
    fill_u32(k, fresh, C_TASK_NODE, t, NO_ROW);
    fill_u32(k, fresh, C_TASK_DECISION, t, NO_ROW);
    fill_u32(k, fresh, C_TASK_USAGE, t, NO_ROW);
    if (task_is_indexed(k, job)) index_add(k, T_IX_TASK, t);
    return t;
}

void task_row_drop(struct columns *k, uint32_t task) {
    if (task_is_indexed(k, k->c[C_TASK_JOB].u32[task])) index_remove(k, T_IX_TASK, task);
    if (k->c[C_TASK_RUN].u64[task]) set_u64(k, C_TASK_RUN, task, 0);
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

static const struct row_list tasks_of_leaf = {C_TASK_NEXT, C_TASK_PREV};
static const struct row_list tasks_of_node = {C_TASK_NODE_NEXT, C_TASK_NODE_PREV};

void task_leaf_link(struct columns *k, uint32_t task, uint32_t column) {
    row_list_push_new(k, tasks_of_leaf, column, k->c[C_TASK_LEAF].u32[task], task,
                      row_is_fresh(k, T_TASK, task));
}

void task_leaf_unlink(struct columns *k, uint32_t task, uint32_t column) {
    row_list_remove(k, tasks_of_leaf, column, k->c[C_TASK_LEAF].u32[task], task);
}

void task_node_link(struct columns *k, uint32_t task, uint32_t node) {
    int fresh = row_is_fresh(k, T_TASK, task);
    fill_u32(k, fresh, C_TASK_NODE, task, node);
    row_list_push_new(k, tasks_of_node, C_NODE_TASK_FIRST, node, task, fresh);
    add_u32(k, C_NODE_TASKS, node, 1);
    touch_task(k, task);
}

void task_node_unlink(struct columns *k, uint32_t task) {
    uint32_t node = k->c[C_TASK_NODE].u32[task];
    row_list_remove(k, tasks_of_node, C_NODE_TASK_FIRST, node, task);
    add_u32(k, C_NODE_TASKS, node, -1);
    set_u32(k, C_TASK_NODE, task, NO_ROW);
    touch_task(k, task);
}

void task_row_runs(struct columns *k, uint32_t task) {
    if (meta(k, M_STOPPERS) == 0) return;
    int64_t at = rules_task_gone_by(k, task);
    struct job_counts n = job_count(k, k->c[C_TASK_JOB].u32[task]);
    /* a job of which a task has not started yet is not stopped as a whole; from now on it can be */
    if (n.running == n.placed) at = INT64_MIN;
    if (at != LSCHED_NEVER_US) evict_news_at(k, at);
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

uint32_t releasing_find(const struct columns *k, uint32_t job, uint32_t index) {
    uint32_t group = job_group_of_task(k, job, index);
    uint32_t leaf = group == NO_ROW ? NO_ROW : job_leaf(k, job, group);
    if (leaf == NO_ROW || k->c[C_LEAF_LEAVING].u32[leaf] == 0) return NO_ROW;
    if (task_is_indexed(k, job)) {
        struct index_key key = index_key_releasing(job, index);
        return index_find(k, T_IX_TASK, &key);
    }
    uint32_t t = k->c[C_LEAF_LEAVING_FIRST].u32[leaf];
    while (t != NO_ROW && k->c[C_TASK_INDEX].u32[t] != index) {
        t = k->c[C_TASK_NEXT].u32[t];
        steps_add(k, 1);
    }
    return t;
}

void task_touch_all(struct columns *k, uint32_t job) {
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        uint32_t lists[2] = {k->c[C_LEAF_TASK_FIRST].u32[l], k->c[C_LEAF_LEAVING_FIRST].u32[l]};
        for (int i = 0; i < 2; i++)
            for (uint32_t t = lists[i]; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t]) touch_task(k, t);
    }
}

uint32_t job_releasing(const struct columns *k, uint32_t job) {
    uint32_t n = 0;
    if (meta(k, M_LEAVING) == 0) return 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        n += k->c[C_LEAF_LEAVING].u32[l];
    return n;
}
