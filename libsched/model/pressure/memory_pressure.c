/* memory_pressure.c -- see memory_pressure.h. */
#include "model/pressure/memory_pressure.h"

#include "model/devices/device.h"
#include "model/nodes/node.h"
#include "model/resizes/resize.h"
#include "model/store/steps.h"
#include "model/told/decision.h"

/* ---- reports ---- */

uint32_t memory_pressure_find(const struct columns *k, uint32_t node, uint32_t device) {
    for (uint32_t c = 0; table_live(k, T_COLLISION) && c < table_rows(k, T_COLLISION); c++)
        if (row_is_live(k, T_COLLISION, c) && k->c[C_COLLISION_NODE].u32[c] == node &&
            k->c[C_COLLISION_DEVICE].u32[c] == device)
            return c;
    return NO_ROW;
}

int memory_pressure_is_due(const struct columns *k) {
    if (table_live(k, T_COLLISION) == 0) return 0;
    uint32_t c = 0, n = table_rows(k, T_COLLISION);
    while (c < n && !(row_is_live(k, T_COLLISION, c) && k->c[C_COLLISION_FRESH].u8[c])) c++;
    steps_add(k, c);
    return c < n;
}

static int64_t memory_pressure_limits(const struct columns *k, uint32_t node, uint32_t device);

int32_t memory_pressure_note(struct columns *k, const struct memory_pressure_spec *s) {
    int64_t limits = memory_pressure_limits(k, s->node, s->device);
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t c = memory_pressure_find(k, s->node, s->device);
    if (c == NO_ROW) {
        c = row_new(k, T_COLLISION);
        if (c == NO_ROW) return LSCHED_E_NOMEM;
        set_u32(k, C_COLLISION_NODE, c, s->node);
        set_u32(k, C_COLLISION_DEVICE, c, s->device);
        set_i64(k, C_COLLISION_CEILING, c, limits);
    }
    if (limits < k->c[C_COLLISION_CEILING].i64[c]) set_i64(k, C_COLLISION_CEILING, c, limits);
    set_u8(k, C_COLLISION_FRESH, c, 1);
    set_u64(k, C_COLLISION_JOB, c, s->job);
    set_u32(k, C_COLLISION_INDEX, c, s->index);
    set_i64(k, C_COLLISION_NEED, c, s->need);
    set_i64(k, C_COLLISION_AT, c, s->at);
    return LSCHED_OK;
}

static int has_anybody_out(const struct columns *k, uint32_t node, uint32_t device) {
    uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node];
    while (t != NO_ROW && (k->c[C_TASK_OUT].u8[t] == MEMORY_STATE_NORMAL ||
                           !device_set_has(task_device_set(k, t), device)))
        t = k->c[C_TASK_NODE_NEXT].u32[t];
    return t != NO_ROW;
}

int32_t memory_pressure_tidy(struct columns *k) {
    for (uint32_t c = 0; table_live(k, T_COLLISION) && c < table_rows(k, T_COLLISION); c++) {
        if (!row_is_live(k, T_COLLISION, c) || k->c[C_COLLISION_FRESH].u8[c] ||
            has_anybody_out(k, k->c[C_COLLISION_NODE].u32[c], k->c[C_COLLISION_DEVICE].u32[c]))
            continue;
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        row_free(k, T_COLLISION, c);
    }
    return LSCHED_OK;
}

void memory_pressure_forget(struct columns *k, uint32_t node) {
    for (uint32_t c = 0; table_live(k, T_COLLISION) && c < table_rows(k, T_COLLISION); c++)
        if (row_is_live(k, T_COLLISION, c) && k->c[C_COLLISION_NODE].u32[c] == node)
            row_free(k, T_COLLISION, c);
}

/* ---- limits ---- */

/* Returns the memory limit of a task on a device, in bytes. If the memory of the device is
 * unknown, returns the charged milli-GPUs instead. */
static int64_t memory_pressure_limit_of(const struct columns *k, uint32_t task, uint32_t device) {
    struct device_part part;
    uint32_t d = k->c[C_NODE_DEVICE_FIRST].u32[k->c[C_TASK_NODE].u32[task]] + device;
    device_need(k, d, task_shape(k, task), &part);
    return k->c[C_DEVICE_MEM].i64[d] ? part.limit : part.milli;
}

static int memory_pressure_is_active(const struct columns *k, uint32_t task, uint32_t device) {
    return task_holds(k->c[C_TASK_STATE].u8[task]) && !task_is_out(k, task) &&
           device_set_has(task_device_set(k, task), device);
}

/* Returns the sum of the limits of all tasks on one device of the node that are placed or
 * releasing and not out (paused or swapped out). */
static int64_t memory_pressure_limits(const struct columns *k, uint32_t node, uint32_t device) {
    int64_t sum = 0; /* at most 1000 tasks and the imported tasks, so far below 2^62 */
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        if (!memory_pressure_is_active(k, t, device)) continue;
        int64_t limit = memory_pressure_limit_of(k, t, device);
        sum = sum > LSCHED_AMOUNT_MAX - limit ? LSCHED_AMOUNT_MAX : sum + limit;
    }
    return sum;
}

int memory_pressure_lets_back(const struct columns *k, uint32_t task) {
    uint32_t node = k->c[C_TASK_NODE].u32[task];
    DEVICE_SET_EACH(m, task_device_set(k, task)) {
        uint32_t device = m.at, c = memory_pressure_find(k, node, device);
        int64_t others = memory_pressure_limits(k, node, device);
        if (c == NO_ROW || others == 0) continue;
        if (k->c[C_COLLISION_FRESH].u8[c] ||
            others + memory_pressure_limit_of(k, task, device) >= k->c[C_COLLISION_CEILING].i64[c])
            return 0;
    }
    return 1;
}

/* ---- pausing, swapping out and resuming a task ---- */

int32_t task_go_out(struct columns *k, uint32_t task, uint32_t kind, uint64_t group, int64_t now,
                    uint32_t *decision) {
    uint8_t out = k->c[C_TASK_OUT].u8[task];
    int32_t rc = resize_task_leaves(k, task);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    if (decision_warns(k, task)) decision_close(k, task);
    assert(k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_RUNNING &&
           k->c[C_TASK_DECISION].u32[task] == NO_ROW &&
           (kind == LSCHED_DECIDE_RESUME) == (out != 0));
    struct decision_spec d = {.kind = (uint8_t)kind,
                              .reason = LSCHED_FOR_COLLISION,
                              .group = group,
                              .now = now,
                              .at = now};
    *decision = decision_open(k, task, &d);
    if (*decision == NO_ROW) return LSCHED_E_NOMEM;
    set_u8(k, C_TASK_OUT, task,
           (uint8_t)(kind == LSCHED_DECIDE_RESUME  ? out | MEMORY_STATE_RETURNING
                     : kind == LSCHED_DECIDE_PAUSE ? MEMORY_STATE_PAUSED
                                                   : MEMORY_STATE_SWAPPED));
    return LSCHED_OK;
}

void task_out_settle(struct columns *k, uint32_t task, int done) {
    uint8_t out = k->c[C_TASK_OUT].u8[task];
    int back = (out & MEMORY_STATE_RETURNING) != 0;
    uint32_t node = k->c[C_TASK_NODE].u32[task];
    decision_close(k, task);
    DEVICE_SET_EACH(m, !back && !done ? task_device_set(k, task) : 0u) {
        uint32_t c = memory_pressure_find(k, node, m.at);
        /* the next cycle looks for another task to pause or swap out */
        if (c != NO_ROW) set_u8(k, C_COLLISION_FRESH, c, 1);
    }
    /* The task is not out if it has resumed, or if it could not be paused or swapped out.
     * Otherwise the task is out. */
    set_u8(k, C_TASK_OUT, task,
           (uint8_t)(back == done ? MEMORY_STATE_NORMAL : out & ~MEMORY_STATE_RETURNING));
    resize_look_again(k, task);
}

uint8_t task_out_keep(const struct columns *k, uint32_t task) {
    uint8_t out = k->c[C_TASK_OUT].u8[task];
    if (out == MEMORY_STATE_NORMAL) return MEMORY_STATE_NORMAL;
    if (k->c[C_TASK_DECISION].u32[task] == NO_ROW) return out;
    return out & MEMORY_STATE_RETURNING ? (uint8_t)(out & ~MEMORY_STATE_RETURNING)
                                        : MEMORY_STATE_NORMAL;
}
