/* resize.c -- see resize.h. */
#include "model/resizes/resize.h"

#include "model/allowances/allowance.h"
#include "model/devices/resource_part.h"
#include "model/nodes/node.h"
#include "model/queues/nonpreemptible_use.h"
#include "model/queues/queue.h"
#include "model/resizes/resize_list.h"
#include "model/told/change_feed.h"
#include "model/told/decision.h"

/* ---- what the task is charged ---- */

/* Charges a running task with another shape. An error leaves a part done: the caller rolls back. */
static int32_t charge_as(struct columns *k, uint32_t row, uint32_t shape) {
    uint32_t task = k->c[C_RESIZE_TASK].u32[row], old = k->c[C_RESIZE_SHAPE].u32[row];
    uint32_t job = k->c[C_TASK_JOB].u32[task], leaf = k->c[C_TASK_LEAF].u32[task],
             node = k->c[C_TASK_NODE].u32[task], queue = k->c[C_JOB_QUEUE].u32[job];
    int64_t more[KINDS_MAX] = {0};
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK || old == shape) return rc;
    assert(k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_RUNNING);
    struct hold hold = task_hold(k, task);
    struct nonpreemptible_use_note use;
    for (uint32_t r = 1; r < (uint32_t)meta(k, M_N_KINDS); r++)
        more[r] = k->c[C_SHAPE_REQ + r].i64[shape] - k->c[C_SHAPE_REQ + r].i64[old];
    nonpreemptible_use_begin(k, job, leaf, &use);
    if (resource_part_count(k)) resource_part_give(k, queue, old, node, &hold);
    if ((rc = undo_room(k)) != LSCHED_OK) return rc; /* the parts can fill half of it */
    task_size_charge(k, task, -1);
    intern_hold(k, T_SHAPE, old); /* the shape is read until the end of this function */
    task_size_set(k, C_RESIZE_SHAPE, row, shape);
    task_size_charge(k, task, 1);
    queue_charge_more(k, queue, more);
    if (k->allowances) k->allowances->priced(k, task);
    nonpreemptible_use_end(k, job, &use);
    shape_drop(k, old);
    node_resize(k, node, more);
    touch_task(k, task);
    evict_news(k);
    if (resource_part_count(k) == 0) return LSCHED_OK;
    rc = undo_room(k);
    return rc == LSCHED_OK ? resource_part_take(k, queue, shape, node, &hold) : rc;
}

/* Removes the row of a task that has, and is to have, what its leaf group requests. */
static void review(struct columns *k, uint32_t row) {
    uint32_t task = k->c[C_RESIZE_TASK].u32[row];
    uint32_t base = leaf_shape(k, k->c[C_TASK_JOB].u32[task],
                               k->c[C_LEAF_GROUP].u32[k->c[C_TASK_LEAF].u32[task]]);
    if (task_size_wants(k, row) || k->c[C_RESIZE_REAL].u32[row] != base) return;
    resize_list_leave(k, row);
    task_size_drop(k, task);
}

/* ---- the wish ---- */

void resize_look_again(struct columns *k, uint32_t task) {
    uint32_t row = task_size_row(k, task);
    if (row == NO_ROW || !task_size_wants(k, row) || k->c[C_TASK_DECISION].u32[task] != NO_ROW ||
        k->c[C_TASK_STATE].u8[task] != LSCHED_TASK_RUNNING)
        return;
    resize_list_enter(k, row, RESIZE_AWAKE);
}

void resize_forget(struct columns *k, uint32_t task) {
    uint32_t row = task_size_row(k, task);
    if (row == NO_ROW) return;
    assert(!resize_is_open(k, task));
    resize_list_leave(k, row);
    task_size_set(k, C_RESIZE_WANT, row, k->c[C_RESIZE_REAL].u32[row]);
    review(k, row);
}

/* Notes why the row waits: nothing is known before the first try. */
static void reason_clear(struct columns *k, uint32_t row) {
    set_u8(k, C_RESIZE_CODE, row, LSCHED_WAIT_NONE);
    set_u8(k, C_RESIZE_RES, row, 0);
    SET_NONE(k, row, C_RESIZE_LIMITING);
    set_i64(k, C_RESIZE_NEED, row, 0);
    set_i64(k, C_RESIZE_HAVE, row, 0);
}

int32_t resize_want(struct columns *k, uint32_t task, const int64_t amount[KINDS_MAX],
                    int64_t now) {
    uint32_t shape, row = task_size_row(k, task);
    int32_t rc = size_shape_get(k, task_shape(k, task), amount, &shape);
    if (rc != LSCHED_OK) return rc;
    uint32_t wanted = row == NO_ROW ? task_shape(k, task) : k->c[C_RESIZE_WANT].u32[row];
    if (shape == wanted) {
        shape_drop(k, shape);
        return LSCHED_UNCHANGED;
    }
    if (resize_is_open(k, task)) rc = resize_undo(k, task);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    row = task_size_make(k, task);
    if (row == NO_ROW || undo_room(k) != LSCHED_OK) return LSCHED_E_NOMEM;
    task_size_set(k, C_RESIZE_WANT, row, shape);
    shape_drop(k, shape);
    set_meta(k, M_RESIZE_SERIAL, meta(k, M_RESIZE_SERIAL) + 1);
    set_u64(k, C_RESIZE_SERIAL, row, meta(k, M_RESIZE_SERIAL));
    set_i64(k, C_RESIZE_SINCE, row, now);
    reason_clear(k, row);
    resize_list_leave(k, row);
    resize_look_again(k, task);
    review(k, row);
    return undo_room(k);
}

int resize_grows(const struct columns *k, uint32_t row, int64_t more[KINDS_MAX]) {
    uint32_t want = k->c[C_RESIZE_WANT].u32[row], shape = k->c[C_RESIZE_SHAPE].u32[row];
    int grows = 0;
    for (uint32_t r = 0; r < KINDS_MAX; r++) more[r] = 0;
    for (uint32_t r = 1; r < (uint32_t)meta(k, M_N_KINDS); r++) {
        int64_t d = k->c[C_SHAPE_REQ + r].i64[want] - k->c[C_SHAPE_REQ + r].i64[shape];
        more[r] = d > 0 ? d : 0;
        grows |= d > 0;
    }
    return grows;
}

/* ---- the decision ---- */

int32_t resize_propose(struct columns *k, uint32_t row, uint64_t group, int64_t now,
                       uint32_t *decision) {
    uint32_t task = k->c[C_RESIZE_TASK].u32[row], want = k->c[C_RESIZE_WANT].u32[row],
             real = k->c[C_RESIZE_REAL].u32[row], both;
    int64_t amount[KINDS_MAX] = {0};
    for (uint32_t r = 1; r < (uint32_t)meta(k, M_N_KINDS); r++) {
        int64_t a = k->c[C_SHAPE_REQ + r].i64[want], b = k->c[C_SHAPE_REQ + r].i64[real];
        amount[r] = a > b ? a : b;
    }
    int32_t rc = size_shape_get(k, real, amount, &both);
    if (rc != LSCHED_OK) return rc;
    rc = charge_as(k, row, both);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    shape_drop(k, both);
    resize_list_leave(k, row);
    reason_clear(k, row);
    struct decision_spec d = {.kind = LSCHED_DECIDE_RESIZE, .group = group, .now = now, .at = now};
    *decision = decision_open(k, task, &d);
    return *decision == NO_ROW ? LSCHED_E_NOMEM : undo_room(k);
}

/* A task that is paused resumes when it has room on its devices, but not while a decision about it
 * is open. Room that came in that time is reported again. */
static void resize_settled(struct columns *k, uint32_t task) {
    if (k->c[C_TASK_OUT].u8[task]) node_grew(k, k->c[C_TASK_NODE].u32[task]);
}

void resize_other_settled(struct columns *k, uint32_t task) {
    resize_settled(k, task);
    resize_look_again(k, task);
}

int32_t resize_warn_undo(struct columns *k, uint32_t task) {
    decision_close(k, task);
    resize_other_settled(k, task);
    return LSCHED_OK;
}

int32_t resize_confirm(struct columns *k, uint32_t task) {
    uint32_t row = task_size_row(k, task);
    int32_t rc = charge_as(k, row, k->c[C_RESIZE_WANT].u32[row]);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    decision_done(k, task);
    resize_settled(k, task);
    task_size_set(k, C_RESIZE_REAL, row, k->c[C_RESIZE_WANT].u32[row]);
    review(k, row);
    return undo_room(k);
}

int32_t resize_undo(struct columns *k, uint32_t task) {
    uint32_t row = task_size_row(k, task);
    int32_t rc = charge_as(k, row, k->c[C_RESIZE_REAL].u32[row]);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    decision_close(k, task);
    resize_settled(k, task);
    resize_look_again(k, task);
    return undo_room(k);
}

/* ---- the life of the task ---- */

int32_t resize_task_leaves(struct columns *k, uint32_t task) {
    uint32_t row = task_size_row(k, task);
    if (row == NO_ROW) return LSCHED_OK;
    int32_t rc = resize_is_open(k, task) ? resize_undo(k, task) : undo_room(k);
    if (rc == LSCHED_OK) resize_list_leave(k, row);
    return rc;
}

void resize_task_ends(struct columns *k, uint32_t task) {
    uint32_t row = task_size_row(k, task);
    if (row == NO_ROW) return;
    if (task_size_wants(k, row)) change_feed_note_task(k, LSCHED_CHANGE_RESIZE_ENDED, task);
    resize_list_leave(k, row);
}

void resize_task_gone(struct columns *k, uint32_t task) {
    task_size_drop(k, task);
}
