/* nominated_tasks.c -- see nominated_tasks.h. */
#include "model/jobs/nominated_tasks.h"

#include "model/allowances/allowance.h"
#include "model/devices/device_mig.h"
#include "model/devices/resource_part.h"
#include "model/told/decision.h"
#include "model/jobs/task.h"
#include "model/jobs/task_row.h"
#include "model/machine/machine.h"
#include "model/told/change_feed.h"
#include "model/nodes/node.h"
#include "model/queues/nonpreemptible_use.h"
#include "model/shapes/group_rules.h"
#include "model/shapes/node_rules.h"
#include "model/store/steps.h"

/* Returns the decision group for nominated tasks of one job that are placed at the same time.
 * These tasks get a new group, because the evictions for which they waited are settled, and
 * because the decisions of a group must be adjacent in the list of open decisions. */
static uint64_t seat_group(struct columns *k, uint32_t job, int64_t now) {
    uint32_t last = (uint32_t)meta(k, M_OPEN_TAIL);
    if (last != NO_ROW && k->c[C_DECISION_KIND].u8[last] == LSCHED_DECIDE_PLACE &&
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
    struct decision_spec d = {.kind = LSCHED_DECIDE_PLACE, .now = now, .at = now};
    struct hold old = task_hold(k, task);
    struct nonpreemptible_use_note use;
    decision_seat(k, task);
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
        /* the new devices can be charged with more or fewer milli-GPUs */
        nonpreemptible_use_begin(k, job, leaf, &use);
        task_charge(k, task, -1);
        task_set_hold(k, task, hold);
        task_charge(k, task, 1);
        nonpreemptible_use_end(k, job, &use);
    }
    task_set_hold(k, task, hold);
    set_u8(k, C_TASK_STATE, task, LSCHED_TASK_PROPOSED);
    touch_task(k, task);
    if (k->allowances) k->allowances->seated(k, task);
    set_i64(k, C_TASK_START, task, now);
    *decision = decision_open(k, task, &d);
    if (*decision == NO_ROW) return LSCHED_E_NOMEM;
    set_u8(k, C_DECISION_SEATED, *decision, 1); /* the task was charged when it was nominated */
    return LSCHED_OK;
}

/* Returns 1 if the room for a nomination will not suffice: the sum of the node's free and
 * expected amounts is below zero for a kind, for a device, or for the number of tasks. */
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

/* Returns 0 if the node will certainly have room for all its nominations: no amount of the node
 * will be below zero, and the node has no MIG devices, NUMA nodes, links, or counts of kinds of
 * work, for which only a look at each task shows if there is room. Returns 1 otherwise. Cost:
 * O(kinds + devices). */
static int may_be_short(const struct columns *k, uint32_t node) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node], n = k->c[C_NODE_N_DEVICES].u8[node];
    if (k->c[C_NODE_FUTURE].u32[node] == 0) return 0;
    if (node_machine(k, node) != NO_ROW || node_places(k, node, DEVICE_LATER) < 0 ||
        k->c[C_NODE_CROWD_FIRST].u32[node] != NO_ROW)
        return 1;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        if (k->c[C_NODE_FREE + r].i64[node] + k->c[C_NODE_COMING + r].i64[node] < 0) return 1;
    for (uint32_t i = 0; i < n; i++) {
        struct device_part then = device_room(k, first + i, DEVICE_LATER);
        if (device_is_mig(k, first + i) || then.milli < 0 || then.memory < 0 || then.sm_count < 0 ||
            then.limit < 0)
            return 1;
    }
    return 0;
}

/* Among the nominations on the node for which there will not be room, returns the one with the
 * latest decision; NO_ROW if there will be room for all. */
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
    uint32_t why = change_feed_because(k, LSCHED_BECAUSE_ROOM);
    decision_tell(k, nominated, tell, user);
    task_release(k, nominated, LSCHED_TASK_NONE);
    change_feed_because(k, why);
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

uint32_t task_nominated_beside(const struct columns *k, uint32_t task) {
    uint32_t claim = rules_nominated_beside(k, task);
    return claim == NO_ROW ? group_rules_nominated_beside(k, task) : claim;
}

int32_t task_trim_nominations(struct columns *k, uint32_t task, int64_t now, withdrawn_fn tell,
                              void *user) {
    if (k->c[C_TASK_STATE].u8[task] != LSCHED_TASK_RUNNING) return LSCHED_OK;
    for (uint32_t t = task_nominated_beside(k, task); t != NO_ROW;
         t = task_nominated_beside(k, task)) {
        int32_t rc = nomination_withdraw(k, t, now, tell, user);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

int64_t nominated_tasks_last_at(const struct columns *k, uint32_t job) {
    int64_t at = 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t])
            if (k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NOMINATED &&
                k->c[C_DECISION_AT].i64[k->c[C_TASK_DECISION].u32[t]] > at)
                at = k->c[C_DECISION_AT].i64[k->c[C_TASK_DECISION].u32[t]];
    return at;
}
