/* reservation.c -- see reservation.h. */
#include "model/reservations/reservation.h"

#include "base/hash.h"
#include "model/queues/queue.h"
#include "model/store/blocks.h"
#include "model/store/steps.h"

uint32_t reservation_find(const struct columns *k, lsched_text name) {
    EACH_LIVE(k, T_RESERVATION, r) {
        if (text_order(text_of(k, k->c[C_RESERVATION_NAME].u32[r]), name) == 0) return r;
    }
    return NO_ROW;
}

static void reservation_count(struct columns *k, uint32_t queue, uint32_t by) {
    set_u32(k, C_QUEUE_RESERVATIONS, queue, k->c[C_QUEUE_RESERVATIONS].u32[queue] + by);
}

int32_t reservation_new(struct columns *k, const struct reservation_spec *spec, uint32_t *row) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t r = row_new(k, T_RESERVATION),
             name = r == NO_ROW ? NO_ROW : text_new(k, spec->name.ptr, (size_t)spec->name.len);
    if (name == NO_ROW) return LSCHED_E_NOMEM;
    set_u32(k, C_RESERVATION_NAME, r, name);
    set_u64(k, C_RESERVATION_TAG, r, spec->tag);
    set_u32(k, C_RESERVATION_QUEUE, r, spec->queue);
    set_i64(k, C_RESERVATION_FROM, r, spec->from);
    set_i64(k, C_RESERVATION_UNTIL, r, spec->until);
    set_i64(k, C_RESERVATION_EVERY, r, spec->every);
    reservation_count(k, spec->queue, 1);
    *row = r;
    return LSCHED_OK;
}

static void reservation_end(struct columns *k, uint32_t r) {
    reservation_count(k, k->c[C_RESERVATION_QUEUE].u32[r], UINT32_MAX);
    text_free(k, k->c[C_RESERVATION_NAME].u32[r]);
    row_free(k, T_RESERVATION, r);
}

void reservation_move(struct columns *k, uint32_t node, uint32_t to) {
    uint32_t from = k->c[C_NODE_RESERVATION].u32[node];
    if (from == to) return;
    set_u32(k, C_NODE_RESERVATION, node, to);
    if (to != NO_ROW) set_u32(k, C_RESERVATION_NODES, to, k->c[C_RESERVATION_NODES].u32[to] + 1);
    if (from == NO_ROW) return;
    uint32_t left = k->c[C_RESERVATION_NODES].u32[from] - 1;
    set_u32(k, C_RESERVATION_NODES, from, left);
    if (left == 0) reservation_end(k, from);
}

int reservation_admits_any(const struct columns *k, uint32_t node, uint32_t queue) {
    uint32_t r = k->c[C_NODE_RESERVATION].u32[node];
    return r != NO_ROW && queue_is_below(k, queue, k->c[C_RESERVATION_QUEUE].u32[r]);
}

int reservation_is_held_any(const struct columns *k, uint32_t queue) {
    while (queue != NO_ROW && k->c[C_QUEUE_RESERVATIONS].u32[queue] == 0)
        queue = k->c[C_QUEUE_PARENT].u32[queue];
    return queue != NO_ROW;
}

uint64_t reservation_held(const struct columns *k, uint32_t queue) {
    uint64_t sum = 0;
    if (!table_live(k, T_RESERVATION) || !reservation_is_held_any(k, queue)) return 0;
    steps_add(k, table_rows(k, T_RESERVATION));
    EACH_LIVE(k, T_RESERVATION, r) {
        if (queue_is_below(k, queue, k->c[C_RESERVATION_QUEUE].u32[r]))
            sum += hash_mix(2, r + 1ull);
    }
    return hash_mix(sum, 1) | 1;
}
