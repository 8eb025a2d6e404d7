/* contention.c -- see contention.h. */
#include "model/devices/contention.h"

#include "model/news/grown_nodes.h"
#include "model/shapes/leaf.h"
#include "model/store/blocks.h"

/* ---- counts ---- */

/* Returns the first CROWD row of device i of the node. */
static uint32_t row_of(const struct columns *k, uint32_t node, uint32_t i) {
    return k->c[C_NODE_CROWD_FIRST].u32[node] + i * work_kinds(k)->n;
}

uint32_t contention_beside(const struct columns *k, uint32_t device, uint32_t barred,
                           enum device_when when) {
    uint32_t node = k->c[C_DEVICE_NODE].u32[device], n = 0;
    if (when == DEVICE_EMPTY || !contention_can_be(k, device) ||
        k->c[C_NODE_CROWD_FIRST].u32[node] == NO_ROW)
        return 0;
    uint32_t first = row_of(k, node, device - k->c[C_NODE_DEVICE_FIRST].u32[node]);
    for (; barred; barred &= barred - 1) {
        uint32_t row = first + (uint32_t)__builtin_ctz(barred);
        int64_t now = k->c[C_CROWD_COUNT].u32[row], later = now - k->c[C_CROWD_COMING].i32[row];
        if (when == DEVICE_LATER || (when == DEVICE_NOW && later > now)) now = later;
        if (now > 0) n += (uint32_t)now;
    }
    return n;
}

/* Returns what `a` loses beside `b` in thousandths of its time, if the policy avoids the pair. */
static uint32_t suffers(const struct contention_table *t, uint32_t a, uint32_t b) {
    uint32_t milli = t->milli[a][b];
    return milli > t->avoid ? milli - CONTENTION_MILLI_NONE : 0;
}

uint32_t contention_harm(const struct columns *k, uint32_t device, uint32_t shape,
                         enum device_when when) {
    if (!contention_avoids(k, shape)) return 0;
    const struct contention_table *t = work_kinds(k);
    uint32_t mine = k->c[C_SHAPE_WORK].u8[shape] - 1u;
    uint64_t sum = 0;
    for (uint32_t b = 0; b < t->n; b++) {
        uint64_t each = suffers(t, mine, b) + suffers(t, b, mine);
        if (each) sum += each * contention_beside(k, device, 1u << b, when);
    }
    return sum < CONTENTION_HARM_MAX ? (uint32_t)sum : CONTENTION_HARM_MAX;
}

int contention_will_bar(const struct columns *k, uint32_t node, uint32_t shape,
                        const struct hold *h) {
    uint32_t barred = work_kind_barred(k, shape),
             itself = (uint32_t)work_kinds_bar(k, shape, shape),
             first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    DEVICE_SET_EACH(m, barred ? h->mask : 0)
        if (contention_beside(k, first + m.at, barred, DEVICE_LATER) > itself) return 1;
    return 0;
}

void contention_count(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h,
                      int held, int coming) {
    uint8_t work = k->c[C_SHAPE_WORK].u8[shape];
    if (!work || k->c[C_NODE_CROWD_FIRST].u32[node] == NO_ROW) return;
    DEVICE_SET_EACH(m, h->mask) {
        uint32_t row = row_of(k, node, m.at) + work - 1u;
        add_u32(k, C_CROWD_COUNT, row, held);
        set_i32(k, C_CROWD_COMING, row, k->c[C_CROWD_COMING].i32[row] + coming);
    }
}

/* ---- nodes ---- */

static int shares_devices(const struct columns *k, uint32_t node) {
    uint32_t n = k->c[C_NODE_N_DEVICES].u8[node], first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    for (uint32_t i = 0; i < n; i++)
        if (contention_can_be(k, first + i)) return 1;
    return 0;
}

int32_t contention_node_add(struct columns *k, uint32_t node) {
    if (!work_kinds(k) || !shares_devices(k, node)) return LSCHED_OK;
    uint32_t rows = k->c[C_NODE_N_DEVICES].u8[node] * work_kinds(k)->n,
             first = block_new(k, BLOCKS_CROWD, rows);
    if (first == NO_ROW) return LSCHED_E_NOMEM;
    set_u32(k, C_NODE_CROWD_FIRST, node, first);
    return undo_room(k);
}

int32_t contention_node_drop(struct columns *k, uint32_t node) {
    uint32_t first = k->c[C_NODE_CROWD_FIRST].u32[node];
    if (first == NO_ROW) return LSCHED_OK;
    uint32_t rows = k->c[C_NODE_N_DEVICES].u8[node] * work_kinds(k)->n;
    int32_t rc = undo_room_for(k, 2 * (size_t)rows);
    if (rc != LSCHED_OK) return rc;
    block_free(k, BLOCKS_CROWD, first, rows);
    set_u32(k, C_NODE_CROWD_FIRST, node, NO_ROW);
    return LSCHED_OK;
}

/* Counts the tasks on the node again. A releasing task is to leave, unless it is overdue. */
static int32_t count_again(struct columns *k, uint32_t node) {
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        uint8_t state = k->c[C_TASK_STATE].u8[t];
        struct hold h = task_hold(k, t);
        int claims = state == LSCHED_TASK_NOMINATED,
            leaves = state == LSCHED_TASK_RELEASING && !k->c[C_TASK_STUCK].u8[t];
        contention_count(k, node, task_shape(k, t), &h, !claims, leaves - claims);
    }
    return undo_room(k);
}

/* ---- a new table ---- */

static int32_t forget_table(struct columns *k) {
    if (!work_kinds(k)) return LSCHED_OK;
    EACH_LIVE(k, T_NODE, node) {
        if (k->c[C_NODE_CROWD_FIRST].u32[node] == NO_ROW) continue;
        int32_t rc = contention_node_drop(k, node);
        if (rc != LSCHED_OK) return rc;
        touch_node(k, node);
        node_grew(k, node);
    }
    text_free(k, (uint32_t)meta(k, M_CONTENTION) - 1);
    set_meta(k, M_CONTENTION, 0);
    return undo_room(k);
}

static int32_t store_table(struct columns *k, const struct contention_table *t) {
    uint32_t text = text_new(k, t, sizeof *t);
    if (text == NO_ROW) return LSCHED_E_NOMEM;
    set_meta(k, M_CONTENTION, (uint64_t)text + 1);
    return undo_room(k);
}

static int is_in_force(const struct columns *k, const struct contention_table *t) {
    const struct contention_table *now = work_kinds(k);
    return now && t ? memcmp(now, t, sizeof *t) == 0 : !now && !t;
}

int32_t contention_follow(struct columns *k, const struct contention_table *t) {
    if (t && t->n == 0) t = NULL;
    if (is_in_force(k, t)) return LSCHED_OK;
    /* jobs can be expected to run for another time then */
    int lengths = (t && t->alone) || (work_kinds(k) && work_kinds(k)->alone);
    int32_t rc = forget_table(k);
    if (rc == LSCHED_OK && t) rc = store_table(k, t);
    if (rc != LSCHED_OK) return rc;
    EACH_LIVE(k, T_SHAPE, s) {
        set_u8(k, C_SHAPE_WORK, s, work_kind_of(k, s));
        rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
    }
    EACH_LIVE(k, T_NODE, node) {
        rc = contention_node_add(k, node);
        if (rc == LSCHED_OK && k->c[C_NODE_CROWD_FIRST].u32[node] != NO_ROW) {
            rc = count_again(k, node);
            touch_node(k, node);
            node_grew(k, node);
        }
        if (rc != LSCHED_OK) return rc;
    }
    for (uint32_t job = 0; lengths && job < table_rows(k, T_JOB); job++) touch_job(k, job);
    structure_raise(k);
    return LSCHED_OK;
}
