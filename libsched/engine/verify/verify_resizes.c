/*
 * verify_resizes.c -- see verify_resizes.h. The amounts of resized tasks also count in the sums of
 * nodes, queues and leaves, which other files of the verifier compute again.
 */
#include "engine/verify/verify_resizes.h"

#include "engine/verify/verify_device.h"
#include "engine/verify/verify_read.h"

enum { AWAKE = 1, AT_NODE = 2, AT_QUEUES = 3 }; /* values of RESIZE.LIST */

/* True if the shapes differ in their amounts alone, and in those of gpu not at all: the canonical
 * bytes behind the list of amounts are equal. */
static int differ_in_amounts(const struct columns *k, uint32_t a, uint32_t b) {
    struct reader x = reader_of(k, k->c[C_SHAPE_BLOB].u32[a]),
                  y = reader_of(k, k->c[C_SHAPE_BLOB].u32[b]);
    verify_skip_list(&x, "ti");
    verify_skip_list(&y, "ti");
    size_t n = (size_t)(x.end - x.p);
    return !x.bad && !y.bad && n == (size_t)(y.end - y.p) && memcmp(x.p, y.p, n) == 0 &&
           k->c[C_SHAPE_REQ + LSCHED_GPU].i64[a] == k->c[C_SHAPE_REQ + LSCHED_GPU].i64[b];
}

/* Checks what the task is charged: the larger amount of old and new while a RESIZE is open, else
 * what it has. */
static int32_t check_charge(struct check *c, uint32_t row, int open) {
    const struct columns *k = c->k;
    uint32_t task = k->c[C_RESIZE_TASK].u32[row], shape = k->c[C_RESIZE_SHAPE].u32[row],
             real = k->c[C_RESIZE_REAL].u32[row], want = k->c[C_RESIZE_WANT].u32[row];
    if (!open && shape != real)
        return check_fail(c, "%s is charged other amounts than it has, without a resize",
                          NAME(T_TASK, task));
    for (uint32_t r = 1; open && r < verify_kinds(k); r++) {
        int64_t has = k->c[C_SHAPE_REQ + r].i64[real], gets = k->c[C_SHAPE_REQ + r].i64[want],
                charged = k->c[C_SHAPE_REQ + r].i64[shape];
        if (charged == (has > gets ? has : gets)) continue;
        return check_fail(c, "%s is charged %lld of %s, while it is resized from %lld to %lld",
                          NAME(T_TASK, task), (long long)charged, NAME(T_KIND, r), (long long)has,
                          (long long)gets);
    }
    return LSCHED_OK;
}

static int32_t check_task_size(struct check *c, uint32_t row) {
    const struct columns *k = c->k;
    uint32_t task = k->c[C_RESIZE_TASK].u32[row], d = k->c[C_TASK_DECISION].u32[task],
             list = k->c[C_RESIZE_LIST].u8[row], base = verify_leaf_shape(k, task);
    int open = d != NO_ROW && k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_RESIZE,
        wants = k->c[C_RESIZE_WANT].u32[row] != k->c[C_RESIZE_REAL].u32[row],
        runs = verify_state_of(k, task) == LSCHED_TASK_RUNNING;
    if (!runs && verify_state_of(k, task) != LSCHED_TASK_RELEASING)
        return check_fail(c, "%s has a size of its own, but it does not run", NAME(T_TASK, task));
    for (uint32_t i = 0; i < 3; i++)
        if (!differ_in_amounts(k, k->c[C_RESIZE_SHAPE + i].u32[row], base))
            return check_fail(c, "%s differs from its group in more than amounts",
                              NAME(T_TASK, task));
    if (!wants && (open || k->c[C_RESIZE_REAL].u32[row] == base))
        return check_fail(c, "%s has a size of its own, but has and wants what its group has",
                          NAME(T_TASK, task));
    if ((list != 0) != (wants && runs && d == NO_ROW))
        return check_fail(c, "%s is in list %u of the resizes, which is wrong", NAME(T_TASK, task),
                          list);
    if (k->c[C_RESIZE_SERIAL].u64[row] > meta(k, M_RESIZE_SERIAL) ||
        k->c[C_RESIZE_SINCE].i64[row] > (int64_t)meta(k, M_NOW))
        return check_fail(c, "%s was asked to resize by a request that never came",
                          NAME(T_TASK, task));
    return check_charge(c, row, open);
}

/* Checks why a resize waits. One that waits for its node would be awake if the node had gained
 * room: if the node is not marked, the room that was missing must still be missing. */
static int32_t check_wait(struct check *c, uint32_t row) {
    const struct columns *k = c->k;
    uint32_t task = k->c[C_RESIZE_TASK].u32[row], node = k->c[C_TASK_NODE].u32[task],
             list = k->c[C_RESIZE_LIST].u8[row], code = k->c[C_RESIZE_CODE].u8[row],
             r = k->c[C_RESIZE_RES].u8[row];
    int at_node = code == LSCHED_WAIT_ROOM || code == LSCHED_WAIT_NEVER_FITS,
        at_queues =
            code == LSCHED_WAIT_LIMIT || code == LSCHED_WAIT_QUOTA || code == LSCHED_WAIT_LENDING;
    if ((list == AT_NODE && !at_node) || (list == AT_QUEUES && !at_queues) ||
        (r >= verify_kinds(k) && (r < KINDS_MAX || !row_is_live(k, T_DERIVED, r - KINDS_MAX))))
        return check_fail(c, "%s waits in list %u of the resizes for the reason %u and kind %u",
                          NAME(T_TASK, task), list, code, r);
    if (list != AT_NODE || k->c[C_NODE_GREW].u8[node]) return LSCHED_OK;
    for (r = 1; r < verify_kinds(k); r++) {
        int64_t more = k->c[C_SHAPE_REQ + r].i64[k->c[C_RESIZE_WANT].u32[row]] -
                       k->c[C_SHAPE_REQ + r].i64[k->c[C_RESIZE_REAL].u32[row]];
        int64_t free = k->c[C_NODE_FREE + r].i64[node], later = k->c[C_NODE_COMING + r].i64[node];
        if (r != LSCHED_GPU && more > 0 && (later < 0 ? free + later : free) < more)
            return LSCHED_OK;
    }
    return check_fail(c, "%s waits for room on %s, which has it", NAME(T_TASK, task),
                      NAME(T_NODE, node));
}

/* Computes the sums of one leaf again. */
static int32_t check_leaf(struct check *c, uint32_t leaf) {
    const struct columns *k = c->k;
    uint32_t row = k->c[C_LEAF_SIZED].u32[leaf] - 1, n = 0;
    wide_i128 more[KINDS_MAX] = {0};
    uint32_t lists[2] = {k->c[C_LEAF_TASK_FIRST].u32[leaf], k->c[C_LEAF_LEAVING_FIRST].u32[leaf]};
    for (int i = 0; i < 2; i++)
        for (uint32_t t = lists[i]; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t]) {
            if (k->c[C_TASK_SIZE].u32[t] == 0) continue;
            n++;
            for (uint32_t r = 1; verify_placed(k, t) && r < verify_kinds(k); r++)
                if (r != LSCHED_GPU)
                    more[r] += (wide_i128)k->c[C_SHAPE_REQ + r].i64[verify_shape(k, t)] -
                               k->c[C_SHAPE_REQ + r].i64[verify_leaf_shape(k, t)];
        }
    if ((n == 0) != (row == NO_ROW) || (n && n != k->c[C_SIZED_TASKS].u32[row]))
        return check_fail(c, "leaf %u counts another number of resized tasks than %u", leaf, n);
    for (uint32_t r = 0; n && r < verify_kinds(k); r++)
        if ((wide_i128)k->c[C_SIZED_MORE + r].i64[row] != more[r])
            return check_fail(c, "leaf %u records %lld of %s for resizes, but it is %lld", leaf,
                              (long long)k->c[C_SIZED_MORE + r].i64[row], NAME(T_KIND, r),
                              verify_shown(more[r]));
    return LSCHED_OK;
}

/* Checks that the task of a RESIZE decision has a size. */
static int32_t check_resize_decision(struct check *c, uint32_t d) {
    const struct columns *k = c->k;
    uint32_t task = k->c[C_DECISION_TASK].u32[d];
    if (k->c[C_DECISION_KIND].u8[d] != LSCHED_DECIDE_RESIZE || k->c[C_TASK_SIZE].u32[task])
        return LSCHED_OK;
    return check_fail(c, "%s is to be resized, but to no other amounts", NAME(T_TASK, task));
}

int32_t verify_resizes(struct check *c) {
    int32_t rc = verify_each(c, T_RESIZE, check_task_size);
    if (rc == LSCHED_OK) rc = verify_each(c, T_RESIZE, check_wait);
    if (rc == LSCHED_OK) rc = verify_each(c, T_LEAF, check_leaf);
    return rc == LSCHED_OK ? verify_each(c, T_DECISION, check_resize_decision) : rc;
}
