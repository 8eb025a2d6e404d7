/* api_reservations.c -- the functions of reservations.h. */
#include <libsched/reservations.h>

#include "api/door/args.h"
#include "api/door/door.h"
#include "api/forms/submit_queue.h"
#include "base/amounts.h"
#include "base/limits.h"
#include "model/nodes/absence.h"
#include "model/reservations/reservation.h"
#include "model/shapes/node_label.h"
#include "model/warnings/warning.h"

#include <stdio.h>

#define RESERVATION_WHERE_BYTES (LSCHED_NAME_BYTES_MAX + 32)

/* ---- setting ---- */

/* A call to set one reservation. */
struct reserving {
    struct columns *k;
    lsched_reservation_desc d;
    uint32_t row, before; /* the new row, and the one of that name before the call; NO_ROW: none */
    char where[RESERVATION_WHERE_BYTES];
};

static int32_t reservations_span(int64_t v, const char *field, const char *where,
                                 lsched_error *err) {
    if (v >= 0 && v <= LIMIT_TIME_US) return LSCHED_OK;
    return fail(err, LSCHED_E_RANGE, "%s: %s is %lld; expected 0 to 2^61 microseconds", where,
                field, (long long)v);
}

static int32_t reservations_check_window(const struct reserving *w, lsched_error *err) {
    const lsched_reservation_desc *d = &w->d;
    int32_t rc = reservations_span(d->start_us, "start_us", w->where, err);
    if (rc == LSCHED_OK) rc = reservations_span(d->end_us, "end_us", w->where, err);
    if (rc == LSCHED_OK) rc = reservations_span(d->every_us, "every_us", w->where, err);
    if (rc != LSCHED_OK) return rc;
    if (!d->end_us && d->every_us)
        return fail(err, LSCHED_E_RANGE,
                    "%s: a window that is repeated must have an end; give end_us, or leave "
                    "every_us out",
                    w->where);
    if (!d->end_us && !d->start_us)
        return fail(err, LSCHED_E_RANGE,
                    "%s: a window without an end must have a start after the time 0", w->where);
    if (d->end_us && d->end_us <= d->start_us)
        return fail(err, LSCHED_E_RANGE,
                    "%s: the end is %lld us before the start; expected a window that ends after "
                    "it starts",
                    w->where, (long long)(d->start_us - d->end_us));
    if (d->every_us && d->every_us <= d->end_us - d->start_us)
        return fail(err, LSCHED_E_RANGE,
                    "%s: every_us is %lld and the window lasts %lld us; expected a longer period",
                    w->where, (long long)d->every_us, (long long)(d->end_us - d->start_us));
    if (d->end_us && !d->every_us && d->end_us <= (int64_t)meta(w->k, M_NOW))
        return fail(err, LSCHED_E_RANGE,
                    "%s: the window ended %lld us ago; expected a window that is not over",
                    w->where, (long long)((int64_t)meta(w->k, M_NOW) - d->end_us));
    return LSCHED_OK;
}

/* Takes the node into the new reservation. */
static int32_t reservations_take(const struct reserving *w, uint32_t node, lsched_error *err) {
    struct columns *k = w->k;
    uint32_t r = k->c[C_NODE_RESERVATION].u32[node];
    struct absence next;
    lsched_text name = text_of(k, k->c[C_NODE_NAME].u32[node]);
    if (r == w->row) return LSCHED_OK;
    if (r != w->before && r != NO_ROW) {
        lsched_text of = text_of(k, k->c[C_RESERVATION_NAME].u32[r]);
        return fail(err, LSCHED_E_STATE,
                    "%s: node '%.*s' is in reservation '%.*s'; take it out first", w->where,
                    (int)name.len, name.ptr, (int)of.len, of.ptr);
    }
    if (r == NO_ROW && absence_next(k, node, (int64_t)meta(k, M_NOW), &next))
        return fail(err, LSCHED_E_STATE,
                    "%s: node '%.*s' has an absence, and a window would be a second one; end it "
                    "first",
                    w->where, (int)name.len, name.ptr);
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    absence_reserve(k, node, w->row);
    return warning_node_changed(k, node);
}

/* True if the node has all labels of the description. */
static int reservations_match(const struct reserving *w, uint32_t node) {
    for (uint32_t i = 0; i < w->d.n_labels; i++) {
        lsched_text key = arg_text(w->d.labels[i].key), wants = arg_text(w->d.labels[i].value), has;
        if (!node_label(w->k, node, key.ptr, (size_t)key.len, &has) || text_order(has, wants) != 0)
            return 0;
    }
    return 1;
}

static int32_t reservations_take_named(const struct reserving *w, lsched_error *err) {
    uint32_t node;
    if ((w->d.n_nodes && !w->d.nodes) || (w->d.n_node_names && !w->d.node_names) ||
        (w->d.n_labels && !w->d.labels))
        return fail(err, LSCHED_E_NULL, "%s: a list of nodes or labels is NULL", w->where);
    for (uint32_t i = 0; i < w->d.n_nodes; i++) {
        int32_t rc = arg_id(w->k, w->d.nodes[i], LSCHED_KIND_NODE, &node, err);
        if (rc == LSCHED_OK) rc = reservations_take(w, node, err);
        if (rc != LSCHED_OK) return rc;
    }
    for (uint32_t i = 0; i < w->d.n_node_names; i++) {
        int32_t rc = arg_ref(w->k, 0, w->d.node_names[i], LSCHED_KIND_NODE, &node, err);
        if (rc == LSCHED_OK) rc = reservations_take(w, node, err);
        if (rc != LSCHED_OK) return rc;
    }
    for (node = 0; w->d.n_labels && node < table_rows(w->k, T_NODE); node++) {
        if (!row_is_live(w->k, T_NODE, node) || !reservations_match(w, node)) continue;
        int32_t rc = reservations_take(w, node, err);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

/* Takes all nodes out of the reservation, which ends it. */
static int32_t reservations_end(struct columns *k, uint32_t r) {
    for (uint32_t n = 0; r != NO_ROW && n < table_rows(k, T_NODE); n++) {
        if (!row_is_live(k, T_NODE, n) || k->c[C_NODE_RESERVATION].u32[n] != r) continue;
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        absence_set(k, n, 0, 0, 0);
        rc = warning_node_changed(k, n);
        if (rc != LSCHED_OK) return rc;
    }
    return undo_room(k);
}

/* Checks that the limits of the holder and of the queues above it would let its jobs fill all nodes
 * of the reservation: what they could not use, nobody could. */
static int32_t reservations_check_limits(const struct reserving *w, uint32_t queue,
                                         lsched_error *err) {
    const struct columns *k = w->k;
    int64_t sum[KINDS_MAX] = {0};
    uint32_t kinds = (uint32_t)meta(k, M_N_KINDS);
    EACH_LIVE(k, T_NODE, n) {
        for (uint32_t r = 1; r < kinds && k->c[C_NODE_RESERVATION].u32[n] == w->row; r++)
            sum[r] = amount_sum(sum[r], k->c[C_NODE_CAP + r].i64[n]);
    }
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        for (uint32_t r = 1; r < kinds; r++) {
            int64_t limit = k->c[C_QUEUE_LIMIT + r].i64[q];
            lsched_text name = text_of(k, k->c[C_QUEUE_NAME].u32[q]), kind;
            if (sum[r] <= limit) continue;
            kind = text_of(k, k->c[C_KIND_NAME].u32[r]);
            return fail(err, LSCHED_E_LIMIT,
                        "%s: its nodes have %lld of kind '%.*s', and the limit of queue '%.*s' is "
                        "%lld; expected fewer nodes, or a higher limit",
                        w->where, (long long)sum[r], (int)kind.len, kind.ptr, (int)name.len,
                        name.ptr, (long long)limit);
        }
    }
    return LSCHED_OK;
}

static int32_t reservations_put(struct reserving *w, uint32_t queue, lsched_error *err) {
    struct columns *k = w->k;
    const lsched_reservation_desc *d = &w->d;
    const struct reservation_spec spec = {.name = d->name,
                                          .tag = d->tag,
                                          .queue = queue,
                                          .from = d->start_us,
                                          .until = d->end_us,
                                          .every = d->every_us};
    w->before = reservation_find(k, d->name);
    if (w->before == NO_ROW && table_live(k, T_RESERVATION) >= LSCHED_RESERVATIONS_MAX)
        return fail(err, LSCHED_E_LIMIT, "%s: the cluster already has %d reservations", w->where,
                    LSCHED_RESERVATIONS_MAX);
    int32_t rc = reservation_new(k, &spec, &w->row);
    if (rc == LSCHED_OK) rc = reservations_take_named(w, err);
    if (rc != LSCHED_OK) return rc;
    if (k->c[C_RESERVATION_NODES].u32[w->row] == 0)
        return fail(err, LSCHED_E_INVAL,
                    "%s: it has no node; expected nodes, or labels "
                    "that some node has",
                    w->where);
    rc = reservations_check_limits(w, queue, err);
    if (rc != LSCHED_OK) return rc;
    /* nodes that the reservation had before and has no more */
    return row_is_live(k, T_RESERVATION, w->before) ? reservations_end(k, w->before) : LSCHED_OK;
}

static int32_t element_reservation_set(struct lsched_cluster *c, const struct call *call, size_t i,
                                       const void *element, lsched_error *err) {
    struct reserving w = {.k = &c->k, .row = NO_ROW, .before = NO_ROW};
    lsched_reservation_desc *d = &w.d;
    uint32_t queue;
    int32_t rc = arg_struct(d, sizeof *d, element, call->elem_size, "reservation", err);
    if (rc == LSCHED_OK) rc = arg_name(&d->name, "reservation", err);
    if (rc == LSCHED_OK)
        rc = arg_reserved_at(d->reserved_zero, "reserved_zero", NULL, "reservation", i, err);
    if (rc == LSCHED_OK)
        rc = arg_reserved_at(d->reserved2_zero, "reserved2_zero", NULL, "reservation", i, err);
    if (rc != LSCHED_OK) return rc;
    snprintf(w.where, sizeof w.where, "reservation '%.*s'", (int)d->name.len, d->name.ptr);
    if (!d->queue && arg_text(d->queue_name).len == 0)
        return fail(err, LSCHED_E_INVAL,
                    "%s: it has no holder; give a queue, or give the nodes an absence", w.where);
    rc = reservations_check_window(&w, err);
    if (rc == LSCHED_OK) rc = arg_ref(w.k, d->queue, d->queue_name, LSCHED_KIND_QUEUE, &queue, err);
    if (rc == LSCHED_OK) rc = submit_queue_below(w.k, d->user, d->user_group, &queue, err);
    return rc == LSCHED_OK ? reservations_put(&w, queue, err) : rc;
}

static const struct call_kind call_reservations_set = {
    .op = CALL_RESERVATIONS_SET,
    .apply = element_reservation_set,
    .what = "reservation",
    .struct_size = sizeof(lsched_reservation_desc),
    .name_at = offsetof(lsched_reservation_desc, name)};

LSCHED_API int32_t lsched_reservations_set(lsched_cluster *c,
                                           const lsched_reservation_desc *reservations, size_t n,
                                           size_t elem_size, const lsched_batch_opts *opts,
                                           int32_t *status, lsched_error *err) {
    struct call call = {.kind = &call_reservations_set,
                        .n = n,
                        .elem_size = elem_size,
                        .elements = reservations,
                        .status = status};
    return door_batch(c, &call, opts, err);
}

/* ---- ending ---- */

static int32_t reservations_find(const struct columns *k, lsched_text name, uint32_t *row,
                                 lsched_error *err) {
    int32_t rc = arg_name(&name, "reservation", err);
    if (rc != LSCHED_OK) return rc;
    *row = reservation_find(k, name);
    if (*row != NO_ROW) return LSCHED_OK;
    return fail(err, LSCHED_E_NOENT, "there is no reservation '%.*s'", (int)name.len, name.ptr);
}

static int32_t element_reservation_remove(struct lsched_cluster *c, const struct call *call,
                                          size_t i, const void *element, lsched_error *err) {
    uint32_t r;
    (void)i;
    int32_t rc = reservations_find(&c->k, *(const lsched_text *)element, &r, err);
    if (rc == LSCHED_E_NOENT && call_is_idempotent(call)) return LSCHED_UNCHANGED;
    return rc == LSCHED_OK ? reservations_end(&c->k, r) : rc;
}

static const struct call_kind call_reservations_remove = {.op = CALL_RESERVATIONS_REMOVE,
                                                          .apply = element_reservation_remove};

LSCHED_API int32_t lsched_reservations_remove(lsched_cluster *c, const lsched_text *names, size_t n,
                                              const lsched_batch_opts *opts, int32_t *status,
                                              lsched_error *err) {
    struct call call = {.kind = &call_reservations_remove,
                        .n = n,
                        .elem_size = sizeof(lsched_text),
                        .elements = names,
                        .status = status};
    return door_batch(c, &call, opts, err);
}

/* ---- reading ---- */

static int32_t reservations_tell(const struct columns *k, uint32_t r,
                                 lsched_reservation_info *out) {
    struct absence next = {LSCHED_NEVER_US, LSCHED_NEVER_US};
    lsched_reservation_info i = {.size = sizeof i,
                                 .n_nodes = k->c[C_RESERVATION_NODES].u32[r],
                                 .tag = k->c[C_RESERVATION_TAG].u64[r],
                                 .name = text_of(k, k->c[C_RESERVATION_NAME].u32[r]),
                                 .start_us = k->c[C_RESERVATION_FROM].i64[r],
                                 .end_us = k->c[C_RESERVATION_UNTIL].i64[r],
                                 .every_us = k->c[C_RESERVATION_EVERY].i64[r]};
    i.queue = arg_id_of(k, LSCHED_KIND_QUEUE, k->c[C_RESERVATION_QUEUE].u32[r]);
    (void)absence_of_times(i.start_us, i.end_us, i.every_us, (int64_t)meta(k, M_NOW), &next);
    i.next_start_us = next.leaves;
    i.next_end_us = next.back;
    return arg_out(out, &i, sizeof i);
}

LSCHED_API int32_t lsched_reservations_next(const lsched_cluster *c, uint64_t *cursor,
                                            lsched_reservation_info *out, lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c || !cursor || !out) return fail(err, LSCHED_E_NULL, "cluster, cursor or out is NULL");
    while (*cursor < table_rows(&c->k, T_RESERVATION) &&
           !row_is_live(&c->k, T_RESERVATION, (uint32_t)*cursor))
        ++*cursor;
    if (*cursor >= table_rows(&c->k, T_RESERVATION)) return 0;
    rc = reservations_tell(&c->k, (uint32_t)(*cursor)++, out);
    return rc == LSCHED_OK ? 1 : rc;
}

LSCHED_API int32_t lsched_reservation_get(const lsched_cluster *c, lsched_text name,
                                          lsched_reservation_info *out, lsched_error *err) {
    uint32_t r;
    int32_t rc = arg_query(c, out, err);
    if (rc == LSCHED_OK) rc = reservations_find(&c->k, name, &r, err);
    return rc == LSCHED_OK ? reservations_tell(&c->k, r, out) : rc;
}

LSCHED_API int32_t lsched_reservation_nodes_next(const lsched_cluster *c, lsched_text name,
                                                 uint64_t *cursor, lsched_id *node,
                                                 lsched_error *err) {
    uint32_t r;
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c || !cursor || !node) return fail(err, LSCHED_E_NULL, "cluster, cursor or node is NULL");
    rc = reservations_find(&c->k, name, &r, err);
    if (rc != LSCHED_OK) return rc;
    for (; *cursor < table_rows(&c->k, T_NODE); ++*cursor) {
        uint32_t n = (uint32_t)*cursor;
        if (!row_is_live(&c->k, T_NODE, n) || c->k.c[C_NODE_RESERVATION].u32[n] != r) continue;
        *node = arg_id_of(&c->k, LSCHED_KIND_NODE, n);
        ++*cursor;
        return 1;
    }
    return 0;
}
