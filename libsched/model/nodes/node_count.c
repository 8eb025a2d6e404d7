/* node_count.c -- see node_count.h. */
#include "model/nodes/node_count.h"

#include "model/shapes/daily_demand.h"
#include "model/nodes/node.h"
#include "model/devices/contention.h"
#include "model/devices/device_select.h"

static int64_t by_amount(const struct columns *k, uint32_t node, uint32_t shape, uint32_t kind,
                         enum device_when when) {
    struct daily_room m;
    if (when != DEVICE_EMPTY && k->c[C_NODE_FREE + kind].i64[node] < 0) return 0;
    daily_room_of(k, node, kind, when, &m);
    int64_t fit = daily_room_count(k, shape, kind, &m), later;
    if (when != DEVICE_NOW || k->c[C_NODE_FUTURE].u32[node] == 0) return fit;
    daily_room_of(k, node, kind, DEVICE_LATER, &m);
    later = daily_room_count(k, shape, kind, &m);
    return later < fit ? later : fit;
}

/* Returns the number of tasks for which the node's amounts and its bound on tasks suffice.
 * Devices are not checked. */
static int64_t by_amounts(const struct columns *k, uint32_t node, uint32_t shape,
                          enum device_when when) {
    int64_t fit = LSCHED_TASKS_PER_JOB_MAX;
    uint32_t devices = k->c[C_SHAPE_DEVICES].u32[shape];
    /* what is free counts as it stands if no task there has a daily curve or comes or goes */
    int plain = when == DEVICE_NOW && !shape_is_daily(k, shape) &&
                k->c[C_NODE_DAY].u32[node] == 0 && k->c[C_NODE_FUTURE].u32[node] == 0;
    for (uint32_t r = 1; r < (uint32_t)meta(k, M_N_KINDS) && fit > 0; r++) {
        int64_t request = k->c[C_SHAPE_REQ + r].i64[shape], free = k->c[C_NODE_FREE + r].i64[node];
        if (request == 0 || (r == LSCHED_GPU && devices)) continue;
        int64_t most = !plain ? by_amount(k, node, shape, r, when) : free < 0 ? 0 : free / request;
        if (most < fit) fit = most;
    }
    int64_t left = node_places(k, node, when);
    if (left < 0) left = 0;
    return left < fit ? left : fit;
}

/* Returns how many tasks of the shape the device, which takes one, can hold by milli-GPUs and
 * memory, or because of the slow-down of such tasks beside each other. */
static int64_t parts_of(const struct columns *k, uint32_t device, uint32_t shape,
                        enum device_when when) {
    if (work_kinds_bar(k, shape, shape) && contention_can_be(k, device)) return 1;
    int64_t milli = device_milli_need(k, device, shape),
            memory = device_memory_need(k, device, shape),
            fit = milli ? device_milli_free(k, device, when) / milli : LSCHED_TASKS_PER_JOB_MAX;
    if (memory == 0) return fit;
    int64_t f = k->c[C_DEVICE_MEM_FREE].i64[device], c = k->c[C_DEVICE_COMING_MEM].i64[device];
    if (when == DEVICE_EMPTY)
        f = k->c[C_DEVICE_MEM].i64[device];
    else if (when == DEVICE_LATER || c < 0)
        f += c;
    return f / memory < fit ? f / memory : fit;
}

/* Returns the number of tasks for which the devices suffice; each task takes shares of `need`
 * different devices. t tasks are possible if the devices have at least t x need shares, where at
 * most t shares of each device count. A binary search finds the greatest t. A whole device is one
 * share, therefore tasks of whole devices need no search. */
static int64_t by_devices(const struct columns *k, uint32_t node, uint32_t shape,
                          enum device_when when, int64_t most) {
    uint32_t need = k->c[C_SHAPE_DEVICES].u32[shape], n = k->c[C_NODE_N_DEVICES].u8[node],
             first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    int64_t parts[LSCHED_DEVICES_PER_NODE_MAX], all = 0, lo = 0, hi;
    if (devices_asked_whole(k, shape)) {
        all = devices_count(k, node, shape, when) / need;
        return all < most ? all : most;
    }
    for (uint32_t i = 0; i < n; i++) {
        parts[i] =
            device_takes(k, first + i, shape, when) ? parts_of(k, first + i, shape, when) : 0;
        all += parts[i];
    }
    hi = all / need < most ? all / need : most;
    while (lo < hi) {
        int64_t mid = hi - (hi - lo) / 2, sum = 0;
        for (uint32_t i = 0; i < n; i++) sum += parts[i] < mid ? parts[i] : mid;
        if (sum >= mid * need)
            lo = mid;
        else
            hi = mid - 1;
    }
    return lo;
}

uint32_t node_count_above(const struct columns *k, uint32_t node, uint32_t shape,
                          enum device_when when) {
    int64_t fit = by_amounts(k, node, shape, when);
    if (fit > 0 && k->c[C_SHAPE_DEVICES].u32[shape]) fit = by_devices(k, node, shape, when, fit);
    return (uint32_t)fit;
}

/* Returns 1 if node_count_above() is exact for the shape: for whole devices, for a share of one
 * device given by milli-GPUs and memory, and for no devices. */
static int node_count_is_plain(const struct columns *k, uint32_t shape) {
    if (k->c[C_SHAPE_DEVICES].u32[shape] == 0) return k->c[C_SHAPE_PICKY].u8[shape] == 0;
    return k->c[C_SHAPE_PICKY].u8[shape] == 0 && k->c[C_SHAPE_MIG_SLICES].u8[shape] == 0 &&
           k->c[C_SHAPE_SM_COUNT].u32[shape] == 0 && k->c[C_SHAPE_ISOLATION].u8[shape] == 0 &&
           k->c[C_SHAPE_DEVICE_LIMIT].i64[shape] == 0 &&
           (k->c[C_SHAPE_DEVICES].u32[shape] == 1 || k->c[C_SHAPE_DEVICE_MILLI].u32[shape] == 1000);
}

/* Places up to `most` tasks on trial, one after the other, and rolls back. The touch log is
 * restored, because nothing has changed in the end and caches stay valid. */
static int32_t try_out(struct columns *k, uint32_t node, uint32_t shape, int later, uint32_t most,
                       uint32_t *tasks) {
    struct touch_log *t = &k->touch;
    struct hold h;
    uint32_t cap = t->cap;
    uint64_t next = t->next;
    int32_t rc = undo_begin(k);
    if (rc != LSCHED_OK) return rc;
    size_t mark = undo_mark(k);
    t->cap = 0; /* the touch log stores no entries during the trial */
    rc = daily_demand_reserve(k, node, shape);
    for (*tasks = 0; *tasks < most && rc == LSCHED_OK; ++*tasks) {
        rc = undo_room(k);
        if (rc != LSCHED_OK) break;
        if (!(later ? node_fits_later(k, node, shape) : node_fits(k, node, shape)) ||
            !device_select(k, node, shape, later ? DEVICE_LATER : DEVICE_NOW, NULL, &h))
            break;
        if (later)
            node_coming(k, node, shape, &h, -1, 1);
        else
            node_take(k, node, shape, &h);
    }
    undo_rollback(k, mark);
    undo_end(k);
    t->cap = cap;
    t->next = next;
    return rc;
}

int32_t node_count(struct columns *k, uint32_t node, uint32_t shape, enum device_when when,
                   uint32_t *tasks) {
    *tasks = node_count_above(k, node, shape, when);
    if (*tasks < 2 || when == DEVICE_EMPTY || node_count_is_plain(k, shape)) return LSCHED_OK;
    return try_out(k, node, shape, when == DEVICE_LATER, *tasks, tasks);
}
