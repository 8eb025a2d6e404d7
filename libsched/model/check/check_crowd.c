/* check_crowd.c -- see check_crowd.h. It reads each task by itself, and no list of tasks. Cost:
 * O(nodes + devices x kinds + tasks). */
#include "model/check/check_crowd.h"

#include "model/shapes/shape.h"
#include "model/shapes/work_kind.h"

struct crowd {
    int64_t count, coming;
};

static int32_t check_crowd_has_rows(struct check *c, uint32_t node) {
    const struct columns *k = c->k;
    int has = k->c[C_NODE_CROWD_FIRST].u32[node] != NO_ROW, shares = 0;
    for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++) {
        uint8_t mode = k->c[C_DEVICE_SHARE].u8[k->c[C_NODE_DEVICE_FIRST].u32[node] + i];
        shares |= mode == LSCHED_SHARING_FRACTION || mode == LSCHED_SHARING_MPS ||
                  mode == LSCHED_SHARING_TIME_SLICE;
    }
    return has == (shares && work_kinds(k))
               ? LSCHED_OK
               : check_fail(c, "%s has %s rows that count kinds of work", NAME(T_NODE, node),
                            has ? "needless" : "no");
}

/* Returns the task's shape: that of its leaf group, or what its size says. */
static uint32_t check_crowd_shape(const struct columns *k, uint32_t task) {
    uint32_t size = k->c[C_TASK_SIZE].u32[task], leaf = k->c[C_TASK_LEAF].u32[task];
    if (size) return k->c[C_RESIZE_SHAPE].u32[size - 1];
    uint32_t row = group_row(k, k->c[C_JOB_SHAPE].u32[k->c[C_TASK_JOB].u32[task]],
                             k->c[C_LEAF_GROUP].u32[leaf]),
             a = k->c[C_LEAF_ALTERNATIVE].u8[leaf];
    return group_alternative(k, row, a < k->c[C_GROUP_N_ALTERNATIVES].u32[row] ? a : 0);
}

/* Adds a task that is on a node, or nominated for it, to the rows of its devices. */
static void check_crowd_add(const struct columns *k, uint32_t task, struct crowd *crowd) {
    uint32_t node = k->c[C_TASK_NODE].u32[task], shape = check_crowd_shape(k, task),
             first = k->c[C_NODE_CROWD_FIRST].u32[node];
    uint8_t work = k->c[C_SHAPE_WORK].u8[shape], state = k->c[C_TASK_STATE].u8[task];
    uint64_t devices[2] = {k->c[C_TASK_MASK].u64[task], 0};
    if (!k->c[C_SHAPE_MIG_SLICES].u8[shape]) devices[1] = k->c[C_TASK_STARTS].u64[task];
    for (uint32_t i = 0; work && first != NO_ROW && i < k->c[C_NODE_N_DEVICES].u8[node]; i++) {
        struct crowd *at = &crowd[first + i * work_kinds(k)->n + work - 1];
        if (!(devices[i / 64] >> i % 64 & 1)) continue;
        at->count += state != LSCHED_TASK_NOMINATED;
        at->coming -= state == LSCHED_TASK_NOMINATED;
        at->coming += state == LSCHED_TASK_RELEASING && !k->c[C_TASK_STUCK].u8[task];
    }
}

static int32_t check_crowd_node(struct check *c, uint32_t node, const struct crowd *crowd) {
    const struct columns *k = c->k;
    uint32_t first = k->c[C_NODE_CROWD_FIRST].u32[node], n = work_kinds(k)->n;
    for (uint32_t i = 0; first != NO_ROW && i < k->c[C_NODE_N_DEVICES].u8[node] * n; i++) {
        const struct crowd *at = &crowd[first + i];
        if (k->c[C_CROWD_COUNT].u32[first + i] == at->count &&
            k->c[C_CROWD_COMING].i32[first + i] == at->coming)
            continue;
        return check_fail(c,
                          "device %u of %s records %u tasks of the kind '%s' and %d that leave; "
                          "expected %lld and %lld",
                          i / n, NAME(T_NODE, node), k->c[C_CROWD_COUNT].u32[first + i],
                          work_kinds(k)->name[i % n], k->c[C_CROWD_COMING].i32[first + i],
                          (long long)at->count, (long long)at->coming);
    }
    return LSCHED_OK;
}

static int is_on_a_node(const struct columns *k, uint32_t task) {
    uint8_t s = k->c[C_TASK_STATE].u8[task];
    return s == LSCHED_TASK_PROPOSED || s == LSCHED_TASK_CONFIRMED || s == LSCHED_TASK_RUNNING ||
           s == LSCHED_TASK_RELEASING || s == LSCHED_TASK_NOMINATED;
}

int32_t check_crowd(struct check *c) {
    const struct columns *k = c->k;
    size_t bytes = (table_rows(k, T_CROWD) + (size_t)1) * sizeof(struct crowd);
    EACH_LIVE(k, T_NODE, node) {
        int32_t rc = check_crowd_has_rows(c, node);
        if (rc != LSCHED_OK) return rc;
    }
    if (!work_kinds(k)) return LSCHED_OK;
    struct crowd *crowd = alloc_zero(k->alloc, bytes);
    if (!crowd) return check_nomem(c);
    EACH_LIVE(k, T_TASK, t)
        if (is_on_a_node(k, t)) check_crowd_add(k, t, crowd);
    int32_t rc = LSCHED_OK;
    for (uint32_t n = 0; n < table_rows(k, T_NODE) && rc == LSCHED_OK; n++)
        if (row_is_live(k, T_NODE, n)) rc = check_crowd_node(c, n, crowd);
    alloc_free(k->alloc, crowd, bytes);
    return rc;
}
