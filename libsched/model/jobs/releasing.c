/* releasing.c -- see releasing.h. To evict, to restore and to end cost O(kinds x queue depth +
 * devices), like to place and to release. */
#include "model/jobs/releasing.h"

#include "model/allowances/allowance.h"
#include "model/budgets/eviction_count.h"
#include "model/pressure/memory_pressure.h"
#include "model/told/change_feed.h"
#include "model/queues/nonpreemptible_use.h"
#include "model/resizes/resize.h"
#include "model/shapes/daily_demand.h"
#include "model/devices/resource_part.h"
#include "model/news/queue_news.h"
#include "model/nodes/node.h"
#include "model/queues/queue.h"
#include "model/told/decision.h"
#include "model/jobs/task_row.h"
#include "model/jobs/job_limits.h"

static uint32_t releasing_row(struct columns *k, uint32_t task, int64_t release_at) {
    uint32_t row = task_row_make(k, k->c[C_TASK_JOB].u32[task], k->c[C_TASK_LEAF].u32[task],
                                 k->c[C_TASK_INDEX].u32[task], LSCHED_TASK_RELEASING);
    if (row == NO_ROW) return NO_ROW;
    set_u8(k, C_TASK_EXCESS, row, k->c[C_TASK_EXCESS].u8[task]);
    set_u8(k, C_TASK_IMPORTED, row, k->c[C_TASK_IMPORTED].u8[task]);
    set_u8(k, C_TASK_STRAY, row, k->c[C_TASK_STRAY].u8[task]);
    set_u8(k, C_TASK_OUT, row, task_out_keep(k, task));
    struct hold hold = task_hold(k, task);
    task_set_hold(k, row, &hold);
    set_i64(k, C_TASK_START, row, k->c[C_TASK_START].i64[task]);
    set_i64(k, C_TASK_SINCE, row, k->c[C_TASK_SINCE].i64[task]);
    set_i64(k, C_TASK_RELEASE_AT, row, release_at);
    return row;
}

/* Moves the place on the node, the usage samples and the run from row `from` to row `to`. The
 * node's number of tasks and its free amounts do not change. */
static void swap_place(struct columns *k, uint32_t from, uint32_t to) {
    uint32_t node = k->c[C_TASK_NODE].u32[from], usage = k->c[C_TASK_USAGE].u32[from];
    task_node_unlink(k, from);
    task_node_link(k, to, node);
    uint64_t run = k->c[C_TASK_RUN].u64[from];
    if (run) set_u64(k, C_TASK_RUN, to, run);
    if (run) set_u64(k, C_TASK_RUN, from, 0);
    set_u32(k, C_TASK_USAGE, from, NO_ROW);
    set_u32(k, C_TASK_USAGE, to, usage);
    for (uint32_t u = usage; u != NO_ROW; u = k->c[C_USAGE_NEXT].u32[u])
        set_u32(k, C_USAGE_TASK, u, to);
}

int32_t task_evict(struct columns *k, uint32_t task, const struct evict_spec *s,
                   uint32_t *releasing, uint32_t *decision) {
    evict_news(k);
    assert(k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_RUNNING);
    int32_t rc = resize_task_leaves(k, task);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t row = releasing_row(k, task, s->release_at), leaf = k->c[C_TASK_LEAF].u32[task];
    if (row == NO_ROW) return LSCHED_E_NOMEM;
    /* closes an open decision to pause the task because of memory pressure, or to resume it */
    decision_close(k, task);
    uint32_t node = k->c[C_TASK_NODE].u32[task], shape = task_shape(k, task);
    struct hold hold = task_hold(k, task);
    uint32_t job = k->c[C_TASK_JOB].u32[task];
    struct nonpreemptible_use_note use;
    nonpreemptible_use_begin(k, job, leaf, &use);
    task_charge(k, task, -1);
    if (resource_part_count(k))
        resource_part_give(k, k->c[C_JOB_QUEUE].u32[job], shape, node, &hold);
    swap_place(k, task, row);
    if (k->allowances) k->allowances->moved(k, task, row);
    if (k->warnings) k->warnings->moved(k, task, row);
    task_size_move(k, task, row);
    task_leaf_link(k, row, C_LEAF_LEAVING_FIRST);
    node_coming(k, node, shape, &hold, 1, 1);
    add_u32(k, C_LEAF_PLACED, leaf, -1);
    add_u32(k, C_LEAF_RUNNING, leaf, -1);
    add_u32(k, C_LEAF_LEAVING, leaf, 1);
    nonpreemptible_use_end(k, job, &use);
    set_meta(k, M_LEAVING, meta(k, M_LEAVING) + 1);
    set_u8(k, C_TASK_STATE, task, LSCHED_TASK_NONE);
    set_u8(k, C_TASK_EXCESS, task, 0);
    set_u8(k, C_TASK_IMPORTED, task, 0);
    set_u8(k, C_TASK_STRAY, task, 0);
    set_u8(k, C_TASK_OUT, task, MEMORY_STATE_NORMAL);
    task_set_hold(k, task, &(struct hold){0});
    task_leaf_unlink(k, task, C_LEAF_TASK_FIRST);
    task_leaf_link(k, task, C_LEAF_AGAIN_FIRST);
    if (k->c[C_LEAF_RUNNING].u32[leaf] == 0) job_limits_ended(k, job);
    *releasing = row;
    *decision = NO_ROW;
    if (s->group == 0) return LSCHED_OK;
    struct decision_spec d = {.kind = LSCHED_DECIDE_EVICT,
                              .reason = s->reason,
                              .group = s->group,
                              .for_job = s->for_job,
                              .now = s->now,
                              .at = s->release_at > s->now ? s->release_at : s->now,
                              .cost = s->cost};
    *decision = decision_open(k, row, &d);
    return *decision == NO_ROW ? LSCHED_E_NOMEM : LSCHED_OK;
}

/* First step of both releasing_restore() and releasing_end(): takes the row out of the leaf's
 * list, and its amounts out of the amounts that the node expects to come free. */
static void unlink_releasing(struct columns *k, uint32_t row) {
    uint32_t leaf = k->c[C_TASK_LEAF].u32[row], node = k->c[C_TASK_NODE].u32[row];
    struct hold hold = task_hold(k, row);
    decision_close(k, row);
    if (!k->c[C_TASK_STUCK].u8[row])
        node_coming(k, node, task_shape(k, row), &hold, -1, -1);
    else
        add_u32(k, C_NODE_FUTURE, node, -1);
    /* necessary even if the row was overdue, because the node's list of tasks changes */
    touch_node(k, node);
    task_leaf_unlink(k, row, C_LEAF_LEAVING_FIRST);
    add_u32(k, C_LEAF_LEAVING, leaf, -1);
    set_meta(k, M_LEAVING, meta(k, M_LEAVING) - 1);
}

int32_t releasing_restore(struct columns *k, uint32_t row) {
    uint32_t job = k->c[C_TASK_JOB].u32[row], leaf = k->c[C_TASK_LEAF].u32[row];
    uint32_t task = task_find(k, job, k->c[C_TASK_INDEX].u32[row]),
             queue = k->c[C_JOB_QUEUE].u32[job];
    uint32_t node = k->c[C_TASK_NODE].u32[row];
    struct hold hold = task_hold(k, row);
    assert(task != NO_ROW && k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_NONE);
    int32_t rc = undo_room(k); /* the caller can have released a task since its last undo_room() */
    if (rc == LSCHED_OK) rc = eviction_count_undone(k, row);
    if (rc != LSCHED_OK) return rc;
    unlink_releasing(k, row);
    swap_place(k, row, task);
    if (k->allowances) k->allowances->moved(k, row, task);
    if (k->warnings) k->warnings->moved(k, row, task);
    task_size_move(k, row, task);
    task_leaf_unlink(k, task, C_LEAF_AGAIN_FIRST);
    task_leaf_link(k, task, C_LEAF_TASK_FIRST);
    set_u8(k, C_TASK_STATE, task, LSCHED_TASK_RUNNING);
    set_u8(k, C_TASK_EXCESS, task, k->c[C_TASK_EXCESS].u8[row]);
    set_u8(k, C_TASK_IMPORTED, task, k->c[C_TASK_IMPORTED].u8[row]);
    set_u8(k, C_TASK_STRAY, task, k->c[C_TASK_STRAY].u8[row]);
    set_u8(k, C_TASK_OUT, task, k->c[C_TASK_OUT].u8[row]);
    task_set_hold(k, task, &hold);
    set_i64(k, C_TASK_START, task, k->c[C_TASK_START].i64[row]);
    set_i64(k, C_TASK_SINCE, task, k->c[C_TASK_SINCE].i64[row]);
    struct nonpreemptible_use_note use;
    nonpreemptible_use_begin(k, job, leaf, &use);
    add_u32(k, C_LEAF_PLACED, leaf, 1);
    add_u32(k, C_LEAF_RUNNING, leaf, 1);
    task_charge(k, task, 1);
    nonpreemptible_use_end(k, job, &use);
    job_limits_began(k, task);
    if (k->warnings) k->warnings->runs(k, task);
    evict_news(k); /* its queue uses more again, so other work of the queue can be stopped now */
    /* the actions that stop work learn when they may ask for the task again */
    evict_news_at(k, INT64_MIN);
    resize_look_again(k, task);
    task_row_drop(k, row);
    if (resource_part_count(k) == 0) return LSCHED_OK;
    return resource_part_take(k, queue, task_shape(k, task), node, &hold);
}

/* Reports the nodes on which the job's tasks are nominated as nodes that gained room, so that the
 * next cycle tries them. A job that moves takes its new places when the last of its old places is
 * free. */
static int32_t releasing_look_again(struct columns *k, uint32_t job) {
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        if (k->c[C_LEAF_NOMINATED].u32[l] == 0) continue;
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_NOMINATED) continue;
            int32_t rc = undo_room(k);
            if (rc != LSCHED_OK) return rc;
            node_grew(k, k->c[C_TASK_NODE].u32[t]);
        }
    }
    return LSCHED_OK;
}

/* Reports the nodes of the group's nominations as nodes that gained room, from decision d on, in
 * the direction of `column`. This is necessary because a nomination can wait for a task on
 * another node to stop, for example because of a queue's limit. */
static int32_t group_looks_again(struct columns *k, uint32_t d, uint64_t group, uint32_t column) {
    for (; d != NO_ROW && k->c[C_DECISION_GROUP].u64[d] == group; d = k->c[column].u32[d]) {
        if (k->c[C_DECISION_KIND].u8[d] != LSCHED_DECIDE_NOMINATE) continue;
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        node_grew(k, k->c[C_TASK_NODE].u32[k->c[C_DECISION_TASK].u32[d]]);
    }
    return LSCHED_OK;
}

int32_t releasing_end(struct columns *k, uint32_t row) {
    evict_news(k);
    int32_t counts = eviction_count_gone(k, row);
    if (counts != LSCHED_OK) return counts;
    uint32_t d = k->c[C_TASK_DECISION].u32[row];
    /* The walks cost O(decisions of the group). Therefore only the end of the job's last
     * releasing task makes them. */
    if (d != NO_ROW && job_releasing(k, k->c[C_TASK_JOB].u32[row]) == 1) {
        uint64_t group = k->c[C_DECISION_GROUP].u64[d];
        int32_t rc = group_looks_again(k, d, group, C_DECISION_PREV);
        if (rc == LSCHED_OK) rc = group_looks_again(k, d, group, C_DECISION_NEXT);
        if (rc == LSCHED_OK) rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
    }
    uint32_t job = k->c[C_TASK_JOB].u32[row], leaf = k->c[C_TASK_LEAF].u32[row];
    uint32_t node = k->c[C_TASK_NODE].u32[row], shape = task_shape(k, row);
    struct hold hold = task_hold(k, row);
    change_feed_note_task(k, LSCHED_CHANGE_GONE, row);
    if (k->allowances) k->allowances->ended(k, row);
    resize_task_ends(k, row);
    decision_done(k, row);
    if (k->warnings) k->warnings->ended(k, row);
    unlink_releasing(k, row);
    task_usage_drop(k, row);
    task_node_unlink(k, row);
    node_give(k, node, shape, &hold);
    daily_demand_review(k, node);
    resize_task_gone(k, row);
    task_row_drop(k, row);
    leaf_review(k, leaf);
    if (job_releasing(k, job)) return LSCHED_OK;
    job_limits_ended(k, job);
    return releasing_look_again(k, job);
}

void releasing_stuck(struct columns *k, uint32_t row) {
    if (k->c[C_TASK_STUCK].u8[row]) return;
    change_feed_note_task(k, LSCHED_CHANGE_OVERDUE, row);
    set_u8(k, C_TASK_STUCK, row, 1);
    struct hold hold = task_hold(k, row);
    node_coming(k, k->c[C_TASK_NODE].u32[row], task_shape(k, row), &hold, -1, 0);
}
