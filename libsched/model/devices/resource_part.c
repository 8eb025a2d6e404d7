/* resource_part.c -- see resource_part.h. */
#include "model/devices/resource_part.h"

#include "model/devices/device.h"
#include "model/shapes/resource_kind.h"
#include "model/shapes/pool.h"
#include "model/news/queue_news.h"
#include "model/shapes/leaf.h"
#include "model/shapes/job_states.h"

/* ---- rows of a queue ---- */

static uint32_t amount_find(const struct columns *k, uint32_t queue, uint32_t part) {
    uint32_t a = k->c[C_QUEUE_AMOUNTS].u32[queue];
    while (a != NO_ROW && k->c[C_QAMOUNT_DERIVED].u32[a] != part) a = k->c[C_QAMOUNT_NEXT].u32[a];
    return a;
}

static uint32_t amount_get(struct columns *k, uint32_t queue, uint32_t part) {
    uint32_t a = amount_find(k, queue, part);
    if (a != NO_ROW) return a;
    if (undo_room(k) != LSCHED_OK) return NO_ROW;
    a = row_new(k, T_QAMOUNT);
    if (a == NO_ROW) return NO_ROW;
    set_u32(k, C_QAMOUNT_QUEUE, a, queue);
    set_u32(k, C_QAMOUNT_DERIVED, a, part);
    set_u32(k, C_QAMOUNT_NEXT, a, k->c[C_QUEUE_AMOUNTS].u32[queue]);
    set_i64(k, C_QAMOUNT_LIMIT, a, LSCHED_UNLIMITED);
    set_i64(k, C_QAMOUNT_LIMIT_NOW, a, LSCHED_UNLIMITED);
    set_u32(k, C_QUEUE_AMOUNTS, queue, a);
    return a;
}

int32_t resource_part_set(struct columns *k, uint32_t queue, uint32_t kind, int64_t quota,
                          int64_t limit) {
    int says_nothing = quota == 0 && limit == LSCHED_UNLIMITED;
    uint32_t part = kind - KINDS_MAX, a = amount_find(k, queue, part);
    if (a == NO_ROW && says_nothing) return LSCHED_OK;
    if (a == NO_ROW) a = amount_get(k, queue, part);
    if (a == NO_ROW) return LSCHED_E_NOMEM;
    set_i64(k, C_QAMOUNT_QUOTA, a, quota);
    set_i64(k, C_QAMOUNT_LIMIT, a, limit);
    set_i64(k, C_QAMOUNT_LIMIT_NOW, a, limit);
    return LSCHED_OK;
}

int32_t resource_part_set_limit_now(struct columns *k, uint32_t queue, uint32_t kind,
                                    int64_t limit) {
    uint32_t part = kind - KINDS_MAX, a = amount_find(k, queue, part);
    if (a == NO_ROW && limit == LSCHED_UNLIMITED) return LSCHED_OK;
    if (a == NO_ROW) a = amount_get(k, queue, part);
    if (a == NO_ROW) return LSCHED_E_NOMEM;
    int64_t was = k->c[C_QAMOUNT_LIMIT_NOW].i64[a];
    if (was != limit) set_i64(k, C_QAMOUNT_LIMIT_NOW, a, limit);
    if (was < limit) queue_gave(k, queue);
    return LSCHED_OK;
}

void resource_part_limits_as_configured(struct columns *k, uint32_t queue) {
    for (uint32_t a = k->c[C_QUEUE_AMOUNTS].u32[queue]; a != NO_ROW;
         a = k->c[C_QAMOUNT_NEXT].u32[a]) {
        int64_t limit = k->c[C_QAMOUNT_LIMIT].i64[a], was = k->c[C_QAMOUNT_LIMIT_NOW].i64[a];
        if (was != limit) set_i64(k, C_QAMOUNT_LIMIT_NOW, a, limit);
        if (was < limit) queue_gave(k, queue);
    }
}

struct resource_part_amount resource_part_get(const struct columns *k, uint32_t queue,
                                              uint32_t kind) {
    uint32_t a = amount_find(k, queue, kind - KINDS_MAX);
    if (a == NO_ROW) return (struct resource_part_amount){0, 0, LSCHED_UNLIMITED, LSCHED_UNLIMITED};
    return (struct resource_part_amount){k->c[C_QAMOUNT_USED].i64[a], k->c[C_QAMOUNT_QUOTA].i64[a],
                                         k->c[C_QAMOUNT_LIMIT].i64[a],
                                         k->c[C_QAMOUNT_LIMIT_NOW].i64[a]};
}

void resource_part_drop(struct columns *k, uint32_t queue) {
    for (uint32_t a = k->c[C_QUEUE_AMOUNTS].u32[queue]; a != NO_ROW;) {
        uint32_t after = k->c[C_QAMOUNT_NEXT].u32[a];
        row_free(k, T_QAMOUNT, a);
        a = after;
    }
    set_u32(k, C_QUEUE_AMOUNTS, queue, NO_ROW);
}

/* ---- charging ---- */

int64_t resource_part_held(const struct columns *k, uint32_t part, uint32_t shape, uint32_t node,
                           const struct hold *h) {
    uint32_t base = k->c[C_DERIVED_BASE].u32[part], pool = k->c[C_DERIVED_POOL].u32[part],
             model = k->c[C_DERIVED_MODEL].u32[part], profile = k->c[C_DERIVED_PROFILE].u32[part],
             first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    int64_t sum = 0;
    if (pool != NO_ROW && !node_in_pool(k, node, pool)) return 0;
    if (base != LSCHED_GPU) return k->c[C_SHAPE_REQ + base].i64[shape];
    if (profile != NO_ROW && profile != k->c[C_SHAPE_PROFILE].u32[shape]) return 0;
    DEVICE_SET_EACH(m, h->mask) {
        uint32_t d = first + m.at;
        if (model == NO_ROW || model == k->c[C_DEVICE_MODEL].u32[d])
            sum += device_milli_need(k, d, shape);
    }
    return sum;
}

static int32_t resource_part_charge(struct columns *k, uint32_t queue, uint32_t part,
                                    int64_t amount) {
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        uint32_t a = amount_get(k, q, part);
        if (a == NO_ROW) return LSCHED_E_NOMEM;
        add_i64(k, C_QAMOUNT_USED, a, amount);
    }
    return LSCHED_OK;
}

int32_t resource_part_take(struct columns *k, uint32_t queue, uint32_t shape, uint32_t node,
                           const struct hold *h) {
    for (uint32_t d = 0; d < resource_part_count(k); d++) {
        int64_t held = resource_part_held(k, d, shape, node, h);
        int32_t rc = held ? resource_part_charge(k, queue, d, held) : LSCHED_OK;
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

/* Subtracts what resource_part_take() added. The rows exist, so the function cannot fail. */
void resource_part_give(struct columns *k, uint32_t queue, uint32_t shape, uint32_t node,
                        const struct hold *h) {
    for (uint32_t d = 0; d < resource_part_count(k); d++) {
        int64_t held = resource_part_held(k, d, shape, node, h);
        for (uint32_t q = held ? queue : NO_ROW; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q])
            add_i64(k, C_QAMOUNT_USED, amount_find(k, q, d), -held);
    }
}

static uint32_t queue_of(const struct columns *k, uint32_t task) {
    return k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[task]];
}

/* Reverses the charges of the placed and nominated tasks of the node. Releasing tasks are in the
 * node's list, too, but they are not charged any more. */
int32_t resource_part_node_give(struct columns *k, uint32_t node) {
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW && resource_part_count(k);
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        struct hold hold = task_hold(k, t);
        if (!task_placed(k->c[C_TASK_STATE].u8[t])) continue;
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        resource_part_give(k, queue_of(k, t), task_shape(k, t), node, &hold);
        queue_gave(k, queue_of(k, t));
    }
    return LSCHED_OK;
}

int32_t resource_part_node_take(struct columns *k, uint32_t node) {
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW && resource_part_count(k);
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        struct hold hold = task_hold(k, t);
        if (!task_placed(k->c[C_TASK_STATE].u8[t])) continue;
        int32_t rc = undo_room(k);
        if (rc == LSCHED_OK)
            rc = resource_part_take(k, queue_of(k, t), task_shape(k, t), node, &hold);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

/* ---- kinds ---- */

/* Adds the amounts of a new resource part that tasks already hold to the use of their queues. */
static int32_t charge_held(struct columns *k, uint32_t part) {
    EACH_LIVE(k, T_TASK, t) {
        if (!task_placed(k->c[C_TASK_STATE].u8[t])) continue;
        struct hold hold = task_hold(k, t);
        int64_t held =
            resource_part_held(k, part, task_shape(k, t), k->c[C_TASK_NODE].u32[t], &hold);
        int32_t rc = undo_room(k);
        if (rc == LSCHED_OK && held) rc = resource_part_charge(k, queue_of(k, t), part, held);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

static int same_text(const struct columns *k, uint32_t string, lsched_text text) {
    if (string == NO_ROW) return text.len == 0;
    return text_order(text_of(k, intern_text(k, T_STRING, string)), text) == 0;
}

static int means_the_same(const struct columns *k, uint32_t row,
                          const struct resource_part_spec *spec) {
    return k->c[C_DERIVED_BASE].u32[row] == spec->base &&
           k->c[C_DERIVED_POOL].u32[row] == spec->pool &&
           same_text(k, k->c[C_DERIVED_MODEL].u32[row], spec->model) &&
           same_text(k, k->c[C_DERIVED_PROFILE].u32[row], spec->profile);
}

/* Sets *row to the STRING row of a text, or to NO_ROW if the text is empty. Returns 0 if out of
 * memory. */
static int string_or_none(struct columns *k, lsched_text text, uint32_t *row) {
    *row = text.len ? string_get(k, text.ptr, (size_t)text.len) : NO_ROW;
    return text.len == 0 || *row != NO_ROW;
}

int32_t resource_part_add(struct columns *k, lsched_text name,
                          const struct resource_part_spec *spec) {
    uint32_t row = name_find(k, T_IX_DERIVED, name.ptr, (size_t)name.len), model, profile;
    if (row != NO_ROW)
        return means_the_same(k, row, spec) ? (int32_t)(KINDS_MAX + row) : LSCHED_E_EXISTS;
    if (name_find(k, T_IX_KIND, name.ptr, (size_t)name.len) != NO_ROW) return LSCHED_E_EXISTS;
    if (resource_part_count(k) == LIMIT_RESOURCE_PARTS) return LSCHED_E_LIMIT;
    int32_t rc = undo_room(k);
    if (rc == LSCHED_OK) rc = index_reserve(k, T_IX_DERIVED, 1);
    if (rc != LSCHED_OK) return rc;
    if (!string_or_none(k, spec->model, &model) || !string_or_none(k, spec->profile, &profile))
        return LSCHED_E_NOMEM;
    uint32_t text = kind_name_new(k, name.ptr, (size_t)name.len);
    row = text == NO_ROW ? NO_ROW : row_new(k, T_DERIVED);
    if (row == NO_ROW) return LSCHED_E_NOMEM;
    set_u32(k, C_DERIVED_NAME, row, text);
    set_u32(k, C_DERIVED_BASE, row, spec->base);
    set_u32(k, C_DERIVED_MODEL, row, model);
    set_u32(k, C_DERIVED_PROFILE, row, profile);
    set_u32(k, C_DERIVED_POOL, row, spec->pool);
    index_add(k, T_IX_DERIVED, row);
    rc = charge_held(k, row);
    return rc == LSCHED_OK ? (int32_t)(KINDS_MAX + row) : rc;
}
