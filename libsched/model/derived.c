/* derived.c -- see derived.h. */
#include "model/derived.h"

#include "base/hash.h"
#include "model/kind.h"
#include "model/device.h"
#include "model/node.h"
#include "model/task.h"

/* ---- rows of a queue ---- */

static uint32_t amount_find(const struct columns *k, uint32_t queue, uint32_t derived) {
    uint32_t a = k->c[C_QUEUE_AMOUNTS].u32[queue];
    while (a != NO_ROW && k->c[C_QAMOUNT_DERIVED].u32[a] != derived)
        a = k->c[C_QAMOUNT_NEXT].u32[a];
    return a;
}

static uint32_t amount_get(struct columns *k, uint32_t queue, uint32_t derived) {
    uint32_t a = amount_find(k, queue, derived);
    if (a != NO_ROW) return a;
    if (undo_room(k) != LSCHED_OK) return NO_ROW;
    a = row_new(k, T_QAMOUNT);
    if (a == NO_ROW) return NO_ROW;
    set_u32(k, C_QAMOUNT_QUEUE, a, queue);
    set_u32(k, C_QAMOUNT_DERIVED, a, derived);
    set_u32(k, C_QAMOUNT_NEXT, a, k->c[C_QUEUE_AMOUNTS].u32[queue]);
    set_i64(k, C_QAMOUNT_LIMIT, a, LSCHED_UNLIMITED);
    set_i64(k, C_QAMOUNT_LIMIT_NOW, a, LSCHED_UNLIMITED);
    set_u32(k, C_QUEUE_AMOUNTS, queue, a);
    return a;
}

int32_t derived_set(struct columns *k, uint32_t queue, uint32_t kind, int64_t quota,
                    int64_t limit) {
    int says_nothing = quota == 0 && limit == LSCHED_UNLIMITED;
    uint32_t derived = kind - KINDS_MAX, a = amount_find(k, queue, derived);
    if (a == NO_ROW && says_nothing) return LSCHED_OK;
    if (a == NO_ROW) a = amount_get(k, queue, derived);
    if (a == NO_ROW) return LSCHED_E_NOMEM;
    set_i64(k, C_QAMOUNT_QUOTA, a, quota);
    set_i64(k, C_QAMOUNT_LIMIT, a, limit);
    set_i64(k, C_QAMOUNT_LIMIT_NOW, a, limit);
    return LSCHED_OK;
}

int32_t derived_set_limit_now(struct columns *k, uint32_t queue, uint32_t kind, int64_t limit) {
    uint32_t derived = kind - KINDS_MAX, a = amount_find(k, queue, derived);
    if (a == NO_ROW && limit == LSCHED_UNLIMITED) return LSCHED_OK;
    if (a == NO_ROW) a = amount_get(k, queue, derived);
    if (a == NO_ROW) return LSCHED_E_NOMEM;
    int64_t was = k->c[C_QAMOUNT_LIMIT_NOW].i64[a];
    if (was != limit) set_i64(k, C_QAMOUNT_LIMIT_NOW, a, limit);
    if (was < limit) queue_gave(k, queue);
    return LSCHED_OK;
}

void derived_limits_as_configured(struct columns *k, uint32_t queue) {
    for (uint32_t a = k->c[C_QUEUE_AMOUNTS].u32[queue]; a != NO_ROW;
         a = k->c[C_QAMOUNT_NEXT].u32[a]) {
        int64_t limit = k->c[C_QAMOUNT_LIMIT].i64[a], was = k->c[C_QAMOUNT_LIMIT_NOW].i64[a];
        if (was != limit) set_i64(k, C_QAMOUNT_LIMIT_NOW, a, limit);
        if (was < limit) queue_gave(k, queue);
    }
}

struct derived_amount derived_get(const struct columns *k, uint32_t queue, uint32_t kind) {
    uint32_t a = amount_find(k, queue, kind - KINDS_MAX);
    if (a == NO_ROW) return (struct derived_amount){0, 0, LSCHED_UNLIMITED, LSCHED_UNLIMITED};
    return (struct derived_amount){k->c[C_QAMOUNT_USED].i64[a], k->c[C_QAMOUNT_QUOTA].i64[a],
                                   k->c[C_QAMOUNT_LIMIT].i64[a], k->c[C_QAMOUNT_LIMIT_NOW].i64[a]};
}

void derived_drop(struct columns *k, uint32_t queue) {
    for (uint32_t a = k->c[C_QUEUE_AMOUNTS].u32[queue]; a != NO_ROW;) {
        uint32_t after = k->c[C_QAMOUNT_NEXT].u32[a];
        row_free(k, T_QAMOUNT, a);
        a = after;
    }
    set_u32(k, C_QUEUE_AMOUNTS, queue, NO_ROW);
}

/* ---- charging ---- */

static uint32_t model_at(const struct columns *k, uint32_t node, uint32_t index) {
    return k->c[C_DEVICE_MODEL].u32[k->c[C_NODE_DEVICE_FIRST].u32[node] + index];
}

/* Milli-GPU that a task on the devices of mask holds of the model. */
static int64_t held_of_model(const struct columns *k, uint32_t shape, uint32_t node,
                             const struct hold *h, uint32_t model) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    int64_t sum = 0;
    for (uint32_t m = h->mask; m; m &= m - 1) {
        uint32_t d = first + (uint32_t)__builtin_ctz(m);
        if (k->c[C_DEVICE_MODEL].u32[d] == model) sum += device_milli_need(k, d, shape);
    }
    return sum;
}

static int32_t charge(struct columns *k, uint32_t queue, uint32_t derived, int64_t amount) {
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        uint32_t a = amount_get(k, q, derived);
        if (a == NO_ROW) return LSCHED_E_NOMEM;
        add_i64(k, C_QAMOUNT_USED, a, amount);
    }
    return LSCHED_OK;
}

int32_t derived_take(struct columns *k, uint32_t queue, uint32_t shape, uint32_t node,
                     const struct hold *h) {
    if (h->mask == 0) return LSCHED_OK;
    for (uint32_t d = 0; d < derived_count(k); d++) {
        int64_t held = held_of_model(k, shape, node, h, k->c[C_DERIVED_MODEL].u32[d]);
        int32_t rc = held ? charge(k, queue, d, held) : LSCHED_OK;
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

/* What was charged has rows, so nothing can fail. */
void derived_give(struct columns *k, uint32_t queue, uint32_t shape, uint32_t node,
                  const struct hold *h) {
    for (uint32_t d = 0; h->mask && d < derived_count(k); d++) {
        int64_t held = held_of_model(k, shape, node, h, k->c[C_DERIVED_MODEL].u32[d]);
        for (uint32_t q = held ? queue : NO_ROW; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q])
            add_i64(k, C_QAMOUNT_USED, amount_find(k, q, d), -held);
    }
}

/* ---- kinds ---- */

/* A kind that comes late counts what is held already. */
static int32_t charge_held(struct columns *k, uint32_t derived) {
    for (uint32_t t = 0; t < table_rows(k, T_TASK); t++) {
        if (!row_is_live(k, T_TASK, t) || !task_placed(k->c[C_TASK_STATE].u8[t])) continue;
        struct hold hold = task_hold(k, t);
        int64_t held = held_of_model(k, task_shape(k, t), k->c[C_TASK_NODE].u32[t], &hold,
                                     k->c[C_DERIVED_MODEL].u32[derived]);
        uint32_t queue = k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[t]];
        int32_t rc = undo_room(k);
        if (rc == LSCHED_OK && held) rc = charge(k, queue, derived, held);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

int32_t derived_add(struct columns *k, lsched_text name, lsched_text model) {
    uint32_t row = name_find(k, T_IX_DERIVED, name.ptr, (size_t)name.len);
    if (row != NO_ROW) {
        lsched_text known = text_of(k, intern_text(k, T_STRING, k->c[C_DERIVED_MODEL].u32[row]));
        return text_order(known, model) == 0 ? (int32_t)(KINDS_MAX + row) : LSCHED_E_EXISTS;
    }
    if (name_find(k, T_IX_KIND, name.ptr, (size_t)name.len) != NO_ROW) return LSCHED_E_EXISTS;
    if (derived_count(k) == LIMIT_DERIVED_KINDS) return LSCHED_E_LIMIT;
    int32_t rc = undo_room(k);
    if (rc == LSCHED_OK) rc = index_reserve(k, T_IX_DERIVED, 1);
    if (rc != LSCHED_OK) return rc;
    uint32_t string = string_get(k, model.ptr, (size_t)model.len);
    uint32_t text = string == NO_ROW ? NO_ROW : kind_name_new(k, name.ptr, (size_t)name.len);
    row = text == NO_ROW ? NO_ROW : row_new(k, T_DERIVED);
    if (row == NO_ROW) return LSCHED_E_NOMEM;
    set_u32(k, C_DERIVED_NAME, row, text);
    set_u32(k, C_DERIVED_BASE, row, LSCHED_GPU);
    set_u32(k, C_DERIVED_MODEL, row, string);
    set_u32(k, C_DERIVED_PROFILE, row, NO_ROW);
    set_u32(k, C_DERIVED_POOL, row, NO_ROW);
    index_add(k, T_IX_DERIVED, row);
    rc = charge_held(k, row);
    return rc == LSCHED_OK ? (int32_t)(KINDS_MAX + row) : rc;
}

/* ---- limits ---- */

static int shape_allows(const struct columns *k, uint32_t shape, uint32_t model) {
    uint32_t n = k->c[C_SHAPE_N_MODELS].u32[shape];
    const uint32_t *models = n ? text_bytes(k, k->c[C_SHAPE_MODELS].u32[shape]) : NULL;
    for (uint32_t i = 0; i < n; i++)
        if (models[i] == model) return 1;
    return n == 0;
}

uint32_t derived_only_model(const struct columns *k, uint32_t shape) {
    if (k->c[C_SHAPE_DEVICES].u32[shape] == 0 || k->c[C_SHAPE_N_MODELS].u32[shape] != 1)
        return NO_ROW;
    return *(const uint32_t *)text_bytes(k, k->c[C_SHAPE_MODELS].u32[shape]);
}

static void short_note(struct derived_short *s, uint32_t model, uint32_t devices) {
    uint32_t i = 0;
    while (i < s->n && s->of[i].model != model) i++;
    if (i == s->n) {
        s->of[s->n].model = model;
        s->of[s->n++].devices = devices;
    }
    if (devices < s->of[i].devices) s->of[i].devices = devices;
}

void derived_find_short(const struct columns *k, uint32_t queue, uint32_t shape,
                        struct derived_short *s) {
    uint32_t need = k->c[C_SHAPE_DEVICES].u32[shape];
    int64_t milli = k->c[C_SHAPE_DEVICE_MILLI].u32[shape];
    s->n = 0;
    if (derived_count(k) == 0 || need == 0) return;
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        for (uint32_t a = k->c[C_QUEUE_AMOUNTS].u32[q]; a != NO_ROW;
             a = k->c[C_QAMOUNT_NEXT].u32[a]) {
            int64_t limit = k->c[C_QAMOUNT_LIMIT_NOW].i64[a],
                    left = limit - k->c[C_QAMOUNT_USED].i64[a];
            uint32_t model = k->c[C_DERIVED_MODEL].u32[k->c[C_QAMOUNT_DERIVED].u32[a]];
            if (limit == LSCHED_UNLIMITED || left >= need * milli || !shape_allows(k, shape, model))
                continue;
            short_note(s, model, left < 0 ? 0 : (uint32_t)(left / milli));
        }
    }
}

uint64_t derived_short_hash(const struct columns *k, const struct derived_short *s) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++)
        sum += hash_mix(intern_serial(k, T_STRING, s->of[i].model), s->of[i].devices + 1u);
    return sum;
}

uint32_t derived_narrow(const struct columns *k, uint32_t node, uint32_t from,
                        const struct derived_short *s) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    for (uint32_t j = 0; j < s->n; j++) {
        uint32_t of_model = 0, kept = 0;
        for (uint32_t m = from; m; m &= m - 1)
            if (model_at(k, node, (uint32_t)__builtin_ctz(m)) == s->of[j].model)
                of_model |= m & (0u - m);
        for (uint32_t n = 0; n < s->of[j].devices && kept != of_model; n++) {
            uint32_t best = NO_ROW;
            for (uint32_t m = of_model & ~kept; m; m &= m - 1) {
                uint32_t i = (uint32_t)__builtin_ctz(m);
                if (best == NO_ROW || k->c[C_DEVICE_FREE_MILLI].u16[first + i] <
                                          k->c[C_DEVICE_FREE_MILLI].u16[first + best])
                    best = i;
            }
            kept |= 1u << best;
        }
        from &= ~of_model | kept;
    }
    return from;
}

int derived_has_room(const struct columns *k, uint32_t queue, uint32_t model, int64_t milli,
                     struct derived_limit *out) {
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        uint32_t found = NO_ROW;
        for (uint32_t a = k->c[C_QUEUE_AMOUNTS].u32[q]; a != NO_ROW;
             a = k->c[C_QAMOUNT_NEXT].u32[a]) {
            uint32_t d = k->c[C_QAMOUNT_DERIVED].u32[a];
            int64_t limit = k->c[C_QAMOUNT_LIMIT_NOW].i64[a],
                    left = limit - k->c[C_QAMOUNT_USED].i64[a];
            if (k->c[C_DERIVED_MODEL].u32[d] != model || limit == LSCHED_UNLIMITED || left >= milli)
                continue;
            if (found != NO_ROW &&
                text_compare(k, k->c[C_DERIVED_NAME].u32[found], k->c[C_DERIVED_NAME].u32[d]) < 0)
                continue;
            found = d;
            *out = (struct derived_limit){q, KINDS_MAX + d, left, limit};
        }
        if (found != NO_ROW) return 0;
    }
    return 1;
}

int derived_mask_has_room(const struct columns *k, uint32_t queue, uint32_t shape, uint32_t node,
                          const struct hold *h, struct derived_limit *out) {
    for (uint32_t m = h->mask; derived_count(k) && m; m &= m - 1) {
        uint32_t model = model_at(k, node, (uint32_t)__builtin_ctz(m));
        if (!derived_has_room(k, queue, model, held_of_model(k, shape, node, h, model), out))
            return 0;
    }
    return 1;
}
