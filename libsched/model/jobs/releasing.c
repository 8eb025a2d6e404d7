/* releasing.c -- see releasing.h. Evict, restore and end cost O(kinds x queue depth + devices),
 * like place and release. */
#include "model/jobs/releasing.h"

#include "model/jobs/memory_pressure.h"
#include "model/queues/nonpreemptible_use.h"
#include "model/shapes/daily_demand.h"
#include "model/devices/resource_part.h"
#include "model/devices/device_mig.h"
#include "model/machine/machine.h"
#include "model/nodes/node.h"
#include "model/shapes/node_rules.h"
#include "model/queues/queue.h"
#include "model/store/steps.h"
#include "model/jobs/task_parts.h"
#include "model/jobs/job_limits.h"

static uint32_t releasing_row(struct columns *k, uint32_t task, int64_t release_at) {
    uint32_t job = k->c[C_TASK_JOB].u32[task];
    if (task_is_indexed(k, job) && index_reserve(k, T_IX_TASK, 1) != LSCHED_OK) return NO_ROW;
    uint32_t row = row_new(k, T_TASK);
    if (row == NO_ROW) return NO_ROW;
    set_u32(k, C_TASK_JOB, row, job);
    set_u32(k, C_TASK_LEAF, row, k->c[C_TASK_LEAF].u32[task]);
    set_u32(k, C_TASK_INDEX, row, k->c[C_TASK_INDEX].u32[task]);
    set_u8(k, C_TASK_STATE, row, LSCHED_TASK_RELEASING);
    if (task_is_indexed(k, job)) index_add(k, T_IX_TASK, row);
    set_u8(k, C_TASK_EXCESS, row, k->c[C_TASK_EXCESS].u8[task]);
    set_u8(k, C_TASK_IMPORTED, row, k->c[C_TASK_IMPORTED].u8[task]);
    set_u8(k, C_TASK_STRAY, row, k->c[C_TASK_STRAY].u8[task]);
    set_u8(k, C_TASK_OUT, row, task_out_keep(k, task));
    struct hold hold = task_hold(k, task);
    task_set_hold(k, row, &hold);
    set_i64(k, C_TASK_START, row, k->c[C_TASK_START].i64[task]);
    set_i64(k, C_TASK_SINCE, row, k->c[C_TASK_SINCE].i64[task]);
    set_i64(k, C_TASK_RELEASE_AT, row, release_at);
    set_u32(k, C_TASK_DECISION, row, NO_ROW);
    set_u32(k, C_TASK_USAGE, row, NO_ROW);
    return row;
}

static void releasing_row_drop(struct columns *k, uint32_t row) {
    if (task_is_indexed(k, k->c[C_TASK_JOB].u32[row])) index_remove(k, T_IX_TASK, row);
    row_free(k, T_TASK, row);
}

/* Hands the place on the node and the usage samples from one row to the other. The node's count
 * of tasks and its free amounts stay the same. */
static void swap_place(struct columns *k, uint32_t from, uint32_t to) {
    uint32_t node = k->c[C_TASK_NODE].u32[from], usage = k->c[C_TASK_USAGE].u32[from];
    task_node_unlink(k, from);
    task_node_link(k, to, node);
    set_u32(k, C_TASK_USAGE, from, NO_ROW);
    set_u32(k, C_TASK_USAGE, to, usage);
    for (uint32_t u = usage; u != NO_ROW; u = k->c[C_USAGE_NEXT].u32[u])
        set_u32(k, C_USAGE_TASK, u, to);
}

int32_t task_evict(struct columns *k, uint32_t task, const struct evict_spec *s,
                   uint32_t *releasing, uint32_t *decision) {
    evict_news(k);
    assert(k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_RUNNING);
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t row = releasing_row(k, task, s->release_at), leaf = k->c[C_TASK_LEAF].u32[task];
    if (row == NO_ROW) return LSCHED_E_NOMEM;
    /* the decision to pause the task for memory pressure, or to resume it */
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
    set_u8(k, C_TASK_OUT, task, OUT_NOT);
    task_set_hold(k, task, &(struct hold){0});
    task_leaf_unlink(k, task, C_LEAF_TASK_FIRST);
    task_leaf_link(k, task, C_LEAF_AGAIN_FIRST);
    if (k->c[C_LEAF_RUNNING].u32[leaf] == 0) job_limits_ended(k, job);
    *releasing = row;
    *decision = NO_ROW;
    if (s->group == 0) return LSCHED_OK;
    struct decision_spec d = {.kind = LSCHED_EVICT,
                              .reason = s->reason,
                              .group = s->group,
                              .for_job = s->for_job,
                              .now = s->now,
                              .at = s->release_at > s->now ? s->release_at : s->now,
                              .cost = s->cost};
    *decision = decision_open(k, row, &d);
    return *decision == NO_ROW ? LSCHED_E_NOMEM : LSCHED_OK;
}

/* The common beginning of restore and end: takes the row off the leaf's list and off what the
 * node expects to come free. */
static void unlink_releasing(struct columns *k, uint32_t row) {
    uint32_t leaf = k->c[C_TASK_LEAF].u32[row], node = k->c[C_TASK_NODE].u32[row];
    struct hold hold = task_hold(k, row);
    decision_close(k, row);
    if (!k->c[C_TASK_STUCK].u8[row])
        node_coming(k, node, task_shape(k, row), &hold, -1, -1);
    else
        add_u32(k, C_NODE_FUTURE, node, -1);
    touch_node(k, node); /* the node's tasks change even if the row was overdue */
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
    int32_t rc = undo_room(k); /* a release can precede this call in the same step */
    if (rc != LSCHED_OK) return rc;
    unlink_releasing(k, row);
    swap_place(k, row, task);
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
    releasing_row_drop(k, row);
    if (resource_part_count(k) == 0) return LSCHED_OK;
    return resource_part_take(k, queue, task_shape(k, task), node, &hold);
}

/* Looks again at the nodes on which the job's tasks are nominated. A job that moves takes its new
 * places when the last of its old places is empty. */
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

/* Looks again at the nodes of the group's nominations, from decision d on in one direction. A
 * nomination can wait for a task on another node to stop, for example because of a limit. */
static int32_t group_looks_again(struct columns *k, uint32_t d, uint64_t group, uint32_t column) {
    for (; d != NO_ROW && k->c[C_DECISION_GROUP].u64[d] == group; d = k->c[column].u32[d]) {
        if (k->c[C_DECISION_KIND].u8[d] != LSCHED_NOMINATE) continue;
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        node_grew(k, k->c[C_TASK_NODE].u32[k->c[C_DECISION_TASK].u32[d]]);
    }
    return LSCHED_OK;
}

int32_t releasing_end(struct columns *k, uint32_t row) {
    evict_news(k);
    uint32_t d = k->c[C_TASK_DECISION].u32[row];
    /* The walks cost O(group), so only the last releasing task of a job makes them. */
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
    unlink_releasing(k, row);
    task_usage_drop(k, row);
    task_node_unlink(k, row);
    releasing_row_drop(k, row);
    node_give(k, node, shape, &hold);
    daily_demand_review(k, node);
    leaf_review(k, leaf);
    if (job_releasing(k, job)) return LSCHED_OK;
    job_limits_ended(k, job);
    return releasing_look_again(k, job);
}

void releasing_stuck(struct columns *k, uint32_t row) {
    if (k->c[C_TASK_STUCK].u8[row]) return;
    set_u8(k, C_TASK_STUCK, row, 1);
    struct hold hold = task_hold(k, row);
    node_coming(k, k->c[C_TASK_NODE].u32[row], task_shape(k, row), &hold, -1, 0);
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

uint32_t job_releasing(const struct columns *k, uint32_t job) {
    uint32_t n = 0;
    if (meta(k, M_LEAVING) == 0) return 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        n += k->c[C_LEAF_LEAVING].u32[l];
    return n;
}

/* ---- nominations ---- */

/* Returns the decision group for nominated tasks of one job that are placed at the same time.
 * These tasks get a group of their own, because the evictions for which they waited are settled,
 * and decisions of a group must be adjacent in the list of open decisions. */
static uint64_t seat_group(struct columns *k, uint32_t job, int64_t now) {
    uint32_t last = (uint32_t)meta(k, M_OPEN_TAIL);
    if (last != NO_ROW && k->c[C_DECISION_KIND].u8[last] == LSCHED_PLACE &&
        k->c[C_DECISION_PROPOSED].i64[last] == now &&
        k->c[C_TASK_JOB].u32[k->c[C_DECISION_TASK].u32[last]] == job)
        return k->c[C_DECISION_GROUP].u64[last];
    uint64_t group = meta(k, M_GROUP_SERIAL) + 1;
    set_meta(k, M_GROUP_SERIAL, group);
    return group;
}

int32_t task_seat(struct columns *k, uint32_t task, const struct hold *hold, int64_t now,
                  uint32_t *decision) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t node = k->c[C_TASK_NODE].u32[task], shape = task_shape(k, task),
             leaf = k->c[C_TASK_LEAF].u32[task], job = k->c[C_TASK_JOB].u32[task],
             queue = k->c[C_JOB_QUEUE].u32[job];
    struct decision_spec d = {.kind = LSCHED_PLACE, .now = now, .at = now};
    struct hold old = task_hold(k, task);
    struct nonpreemptible_use_note use;
    decision_close(k, task);
    d.group = seat_group(k, job, now);
    node_coming(k, node, shape, &old, 1, -1);
    node_take(k, node, shape, hold);
    add_u32(k, C_LEAF_NOMINATED, leaf, -1);
    set_meta(k, M_CLAIM_LOST, 1);
    set_meta(k, M_NOMINATED, meta(k, M_NOMINATED) - 1);
    if (resource_part_count(k) && hold->mask != old.mask) {
        resource_part_give(k, queue, shape, node, &old);
        rc = resource_part_take(k, queue, shape, node, hold);
        if (rc != LSCHED_OK) return rc;
    }
    if (hold_milli(k, node, shape, &old) != hold_milli(k, node, shape, hold)) {
        /* the new devices can be charged more, or less */
        nonpreemptible_use_begin(k, job, leaf, &use);
        task_charge(k, task, -1);
        task_set_hold(k, task, hold);
        task_charge(k, task, 1);
        nonpreemptible_use_end(k, job, &use);
    }
    task_set_hold(k, task, hold);
    set_u8(k, C_TASK_STATE, task, LSCHED_TASK_PROPOSED);
    set_i64(k, C_TASK_START, task, now);
    *decision = decision_open(k, task, &d);
    if (*decision == NO_ROW) return LSCHED_E_NOMEM;
    set_u8(k, C_DECISION_SEATED, *decision, 1); /* the task was charged when it was nominated */
    return LSCHED_OK;
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

static void tell_of(struct columns *k, uint32_t task, withdrawn_fn tell, void *user) {
    uint32_t d = k->c[C_TASK_DECISION].u32[task];
    if (d != NO_ROW && tell) tell(user, d, k->c[C_DECISION_GEN].u32[d]);
}

/* Returns 1 if the room of a nomination will be short: the node's free and expected amount of a
 * kind, of a device, or of task places is below zero. */
static int nomination_is_short(const struct columns *k, uint32_t task) {
    uint32_t node = k->c[C_TASK_NODE].u32[task], shape = task_shape(k, task);
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        if (k->c[C_SHAPE_REQ + r].i64[shape] &&
            k->c[C_NODE_FREE + r].i64[node] + k->c[C_NODE_COMING + r].i64[node] < 0)
            return 1;
    if (node_places(k, node, DEVICE_LATER) < 0) return 1;
    struct hold hold = task_hold(k, task);
    return devices_short(k, node, shape, &hold) || machine_short(k, task);
}

/* Returns 1 if some nomination on the node can be short. 0 is certain: no amount of the node will
 * be below zero, and the node has no property that only its tasks show. O(kinds + devices). */
static int may_be_short(const struct columns *k, uint32_t node) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node], n = k->c[C_NODE_N_DEVICES].u8[node];
    if (k->c[C_NODE_FUTURE].u32[node] == 0) return 0;
    if (node_machine(k, node) != NO_ROW || node_places(k, node, DEVICE_LATER) < 0) return 1;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        if (k->c[C_NODE_FREE + r].i64[node] + k->c[C_NODE_COMING + r].i64[node] < 0) return 1;
    for (uint32_t i = 0; i < n; i++) {
        struct device_part then = device_room(k, first + i, DEVICE_LATER);
        if (device_is_mig(k, first + i) || then.milli < 0 || then.memory < 0 || then.cores < 0 ||
            then.limit < 0)
            return 1;
    }
    return 0;
}

/* Returns the nomination with the latest decision among those whose room will be short; NO_ROW if
 * there is none. */
static uint32_t latest_short(const struct columns *k, uint32_t node) {
    uint32_t best = NO_ROW;
    if (!may_be_short(k, node)) return NO_ROW;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        steps_add(k, 1);
        if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_NOMINATED || !nomination_is_short(k, t))
            continue;
        uint64_t a = k->c[C_DECISION_GROUP].u64[k->c[C_TASK_DECISION].u32[t]];
        uint64_t b =
            best == NO_ROW ? 0 : k->c[C_DECISION_GROUP].u64[k->c[C_TASK_DECISION].u32[best]];
        if (a > b) best = t;
    }
    return best;
}

int node_nominations_short(const struct columns *k, uint32_t node) {
    return latest_short(k, node) != NO_ROW;
}

static int32_t nomination_withdraw(struct columns *k, uint32_t nominated, int64_t now,
                                   withdrawn_fn tell, void *user) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t job = k->c[C_TASK_JOB].u32[nominated];
    tell_of(k, nominated, tell, user);
    task_release(k, nominated, LSCHED_TASK_NONE);
    return job_settle_losses(k, job, now, tell, user);
}

int32_t node_trim_nominations(struct columns *k, uint32_t node, int64_t now, withdrawn_fn tell,
                              void *user) {
    if (k->c[C_NODE_FUTURE].u32[node] == 0 || meta(k, M_NOMINATED) == 0) return LSCHED_OK;
    for (uint32_t t = latest_short(k, node); t != NO_ROW; t = latest_short(k, node)) {
        int32_t rc = nomination_withdraw(k, t, now, tell, user);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

int32_t task_trim_nominations(struct columns *k, uint32_t task, int64_t now, withdrawn_fn tell,
                              void *user) {
    if (k->c[C_TASK_STATE].u8[task] != LSCHED_TASK_RUNNING) return LSCHED_OK;
    for (uint32_t t = rules_nominated_beside(k, task); t != NO_ROW;
         t = rules_nominated_beside(k, task)) {
        int32_t rc = nomination_withdraw(k, t, now, tell, user);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

/* ---- decision groups ---- */

/* Undoes one decision and settles its gang. The decision itself is not reported through
 * `tell`. */
static int32_t undo_one(struct columns *k, uint32_t d, int64_t now, withdrawn_fn tell, void *user) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t task = k->c[C_DECISION_TASK].u32[d], job = k->c[C_TASK_JOB].u32[task];
    if (k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_RUNNING) {
        task_out_settle(k, task, 0);
        return LSCHED_OK;
    }
    if (k->c[C_TASK_STATE].u8[task] != LSCHED_TASK_RELEASING) {
        task_release(k, task, LSCHED_TASK_NONE);
        return job_settle_losses(k, job, now, tell, user);
    }
    uint32_t node = k->c[C_TASK_NODE].u32[task],
             moved = task_find(k, job, k->c[C_TASK_INDEX].u32[task]);
    /* The task runs on in its old place, so its new place is given back. */
    if (k->c[C_TASK_STATE].u8[moved] != LSCHED_TASK_NONE) {
        tell_of(k, moved, tell, user);
        task_release(k, moved, LSCHED_TASK_NONE);
        rc = undo_room(k);
    }
    int held = k->c[C_DECISION_REASON].u8[d] == LSCHED_FOR_TIME_LIMIT ||
               k->c[C_DECISION_REASON].u8[d] == LSCHED_FOR_IDLE;
    if (rc == LSCHED_OK) rc = releasing_restore(k, task);
    /* A job whose eviction for a time limit or for idleness is undone is not held any more. */
    if (rc == LSCHED_OK && held && job_releasing(k, job) == 0) job_unhold(k, job);
    if (rc == LSCHED_OK) rc = job_settle_losses(k, job, now, tell, user);
    if (rc == LSCHED_OK) rc = node_trim_nominations(k, node, now, tell, user);
    return rc == LSCHED_OK ? task_trim_nominations(k, moved, now, tell, user) : rc;
}

/* Position of a decision group in the list of open decisions, where the decisions of a group are
 * adjacent: the decision before the group. */
struct place_in_list {
    uint32_t before, gen; /* before: NO_ROW if the group is first */
};

static struct place_in_list releasing_place_of(const struct columns *k, uint32_t d, uint64_t group,
                                               int *mixed) {
    uint32_t at = d;
    for (uint32_t s = d; s != NO_ROW && k->c[C_DECISION_GROUP].u64[s] == group;
         s = k->c[C_DECISION_NEXT].u32[s])
        *mixed |= k->c[C_DECISION_KIND].u8[s] != LSCHED_PLACE;
    for (; at != NO_ROW && k->c[C_DECISION_GROUP].u64[at] == group;
         at = k->c[C_DECISION_PREV].u32[at])
        *mixed |= k->c[C_DECISION_KIND].u8[at] != LSCHED_PLACE;
    return (struct place_in_list){at, at == NO_ROW ? 0 : k->c[C_DECISION_GEN].u32[at]};
}

/* Returns the first decision of the group that is still proposed, NO_ROW if there is none.
 * Undoing one decision can remove others, even the one before the group. In that case the whole
 * list is searched. */
static uint32_t first_proposed(const struct columns *k, const struct place_in_list *p,
                               uint64_t group) {
    int sure = p->before == NO_ROW || (row_is_live(k, T_DECISION, p->before) &&
                                       k->c[C_DECISION_GEN].u32[p->before] == p->gen);
    uint32_t d = sure && p->before != NO_ROW ? k->c[C_DECISION_NEXT].u32[p->before]
                                             : (uint32_t)meta(k, M_OPEN_HEAD);
    for (; d != NO_ROW; d = k->c[C_DECISION_NEXT].u32[d]) {
        steps_add(k, 1);
        int of_group = k->c[C_DECISION_GROUP].u64[d] == group;
        if (of_group && k->c[C_DECISION_STATE].u8[d] == LSCHED_DECISION_PROPOSED) return d;
        if (!of_group && sure) return NO_ROW;
    }
    return NO_ROW;
}

int32_t decision_reject(struct columns *k, uint32_t d, int64_t now, withdrawn_fn tell, void *user) {
    uint64_t group = k->c[C_DECISION_GROUP].u64[d];
    int mixed = 0;
    struct place_in_list at = releasing_place_of(k, d, group, &mixed);
    int32_t rc = undo_one(k, d, now, tell, user);
    while (rc == LSCHED_OK && mixed) {
        uint32_t s = first_proposed(k, &at, group);
        if (s == NO_ROW) break;
        if (tell) tell(user, s, k->c[C_DECISION_GEN].u32[s]);
        rc = undo_one(k, s, now, tell, user);
    }
    return rc;
}
