/* api_allowances.c -- the functions of allowances.h. */
#include <libsched/allowances.h>

#include "api/door/args.h"
#include "api/door/door.h"
#include "api/forms/submit_queue.h"
#include "base/limits.h"
#include "base/text_out.h"
#include "engine/upkeep/spent_end.h"
#include "model/allowances/spent.h"
#include "model/queues/queue.h"

#include <stdio.h>

#define ALLOWANCE_WHERE_BYTES (LSCHED_NAME_BYTES_MAX + 32)

/* ---- setting ---- */

static int32_t allowances_micro(int64_t v, const char *field, const char *where,
                                lsched_error *err) {
    if (v >= 0 && v <= LSCHED_AMOUNT_MAX) return LSCHED_OK;
    if (v == LSCHED_UNLIMITED)
        return fail(err, LSCHED_E_RANGE,
                    "%s: %s is LSCHED_UNLIMITED; expected 0 to 2^62 micro-units: a queue that is "
                    "not limited has no allowance",
                    where, field);
    return fail(err, LSCHED_E_RANGE, "%s: %s is %lld; expected 0 to 2^62 micro-units", where, field,
                (long long)v);
}

static int32_t allowances_span(int64_t v, const char *field, const char *where, lsched_error *err) {
    if (v >= 0 && v <= LIMIT_TIME_US) return LSCHED_OK;
    return fail(err, LSCHED_E_RANGE, "%s: %s is %lld; expected 0 to 2^61 microseconds", where,
                field, (long long)v);
}

static int32_t allowances_read_prices(const struct columns *k, const lsched_allowance_desc *d,
                                      const char *where, int64_t *price, lsched_error *err) {
    int any = 0;
    for (uint32_t i = 0; d->price && i < d->n_price; i++) {
        uint32_t kind = d->price[i].kind;
        int64_t v = d->price[i].amount;
        any |= v != 0;
        if (kind == 0 || kind >= meta(k, M_N_KINDS) || (v >= 0 && v <= LSCHED_ALLOWANCE_PRICE_MAX))
            continue;
        lsched_text name = text_of(k, kind_name(k, kind));
        return fail(err, LSCHED_E_RANGE,
                    "%s: the price of '%.*s' is %lld; expected 0 to 2^40 micro-units for an hour",
                    where, (int)name.len, name.ptr, (long long)v);
    }
    int32_t rc = arg_amounts(k, d->price, d->n_price, 0, where, price, err);
    if (rc != LSCHED_OK || any) return rc;
    return fail(err, LSCHED_E_INVAL,
                "%s: no resource has a price; for GPU hours, give gpu the price 1000000", where);
}

static int32_t allowances_check(const lsched_allowance_desc *d, const char *where,
                                lsched_error *err) {
    int32_t rc = allowances_micro(d->amount_micro, "amount_micro", where, err);
    if (rc == LSCHED_OK) rc = allowances_micro(d->carry_micro, "carry_micro", where, err);
    if (rc == LSCHED_OK) rc = allowances_span(d->period_us, "period_us", where, err);
    if (rc == LSCHED_OK) rc = allowances_span(d->unknown_us, "unknown_us", where, err);
    if (rc == LSCHED_OK) rc = allowances_span(d->grace_us, "grace_us", where, err);
    if (rc == LSCHED_OK) rc = arg_instant(d->start_us, where, err);
    if (rc != LSCHED_OK) return rc;
    if (d->flags & ~(uint32_t)LSCHED_ALLOWANCE_RESET)
        return fail(err, LSCHED_E_INVAL, "%s: flags is %#x; expected LSCHED_ALLOWANCE_*", where,
                    d->flags);
    if (d->spent > LSCHED_SPENT_FIRST_VICTIM)
        return fail(err, LSCHED_E_INVAL, "%s: spent is %u; expected LSCHED_SPENT_*", where,
                    d->spent);
    if (d->grace_us && d->spent != LSCHED_SPENT_END)
        return fail(err, LSCHED_E_INVAL,
                    "%s: grace_us is how long work runs on before it is stopped, and this work is "
                    "not stopped; set it to 0, or set spent to LSCHED_SPENT_END",
                    where);
    if (d->period_us == 0 && (d->carry_micro || d->start_us))
        return fail(err, LSCHED_E_INVAL,
                    "%s: the only period has no next one and begins now; set carry_micro and "
                    "start_us to 0, or give period_us",
                    where);
    return LSCHED_OK;
}

/* Checks that no path through the queue has too many allowances, with that of the queue. */
static int32_t allowances_fit(const struct columns *k, uint32_t queue, const char *where,
                              lsched_error *err) {
    uint32_t above = allowance_of(k, queue) == NO_ROW, most = allowance_depth(k, queue) + above;
    EACH_LIVE(k, T_ALLOWANCE, a) {
        uint32_t q = k->c[C_ALLOWANCE_QUEUE].u32[a], n = allowance_depth(k, q) + above;
        if (n > most && queue_is_below(k, q, queue)) most = n;
    }
    if (most <= LSCHED_ALLOWANCES_PER_PATH_MAX) return LSCHED_OK;
    return fail(err, LSCHED_E_LIMIT,
                "%s: with it, one path would have %s, and %d may be; take one away with "
                "lsched_allowances_remove",
                where, counted(most, "allowance").text, LSCHED_ALLOWANCES_PER_PATH_MAX);
}

static int32_t element_allowance_set(struct lsched_cluster *c, const struct call *call, size_t i,
                                     const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    lsched_allowance_desc d;
    struct allowance_spec s = {.amount = 0};
    char where[ALLOWANCE_WHERE_BYTES];
    uint32_t queue;
    int32_t rc = arg_struct(&d, sizeof d, element, call->elem_size, "allowance", err);
    if (rc == LSCHED_OK)
        rc = arg_reserved_at(d.reserved_zero, "reserved_zero", NULL, "allowance", i, err);
    if (rc == LSCHED_OK)
        rc = arg_reserved_at(d.reserved2_zero, "reserved2_zero", NULL, "allowance", i, err);
    if (rc == LSCHED_OK) rc = arg_ref(k, d.queue, d.queue_name, LSCHED_KIND_QUEUE, &queue, err);
    if (rc == LSCHED_OK) rc = submit_queue_below(k, d.user, d.user_group, &queue, err);
    if (rc != LSCHED_OK) return rc;
    lsched_text name = text_of(k, k->c[C_QUEUE_NAME].u32[queue]);
    snprintf(where, sizeof where, "allowance of queue '%.*s'", (int)name.len, name.ptr);
    rc = allowances_check(&d, where, err);
    if (rc == LSCHED_OK) rc = allowances_read_prices(k, &d, where, s.price, err);
    if (rc == LSCHED_OK) rc = allowances_fit(k, queue, where, err);
    if (rc != LSCHED_OK) return rc;
    s.amount = d.amount_micro;
    s.carry = d.carry_micro;
    s.period = d.period_us;
    s.start = d.start_us;
    s.unknown = d.unknown_us;
    s.grace = d.grace_us;
    s.spent = (uint8_t)d.spent;
    s.reset = (d.flags & LSCHED_ALLOWANCE_RESET) != 0;
    c->end_spent = spent_end;
    return allowance_set(k, queue, &s);
}

static const struct call_kind call_allowances_set = {
    .op = CALL_ALLOWANCES_SET,
    .apply = element_allowance_set,
    .what = "allowance",
    .struct_size = sizeof(lsched_allowance_desc),
    .name_at = offsetof(lsched_allowance_desc, queue_name),
    .id_at = offsetof(lsched_allowance_desc, queue),
    .object = LSCHED_KIND_QUEUE};

LSCHED_API int32_t lsched_allowances_set(lsched_cluster *c, const lsched_allowance_desc *allowances,
                                         size_t n, size_t elem_size, const lsched_batch_opts *opts,
                                         int32_t *status, lsched_error *err) {
    struct call call = {.kind = &call_allowances_set,
                        .n = n,
                        .elem_size = elem_size,
                        .elements = allowances,
                        .status = status};
    return door_batch(c, &call, opts, err);
}

static int32_t allowances_none(const struct columns *k, uint32_t queue, lsched_error *err) {
    lsched_text name = text_of(k, k->c[C_QUEUE_NAME].u32[queue]);
    return fail(err, LSCHED_E_NOENT,
                "queue '%.*s' has no allowance; give it one with lsched_allowances_set",
                (int)name.len, name.ptr);
}

static int32_t element_allowance_remove(struct lsched_cluster *c, const struct call *call, size_t i,
                                        const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    uint32_t queue;
    (void)i;
    int32_t rc = arg_id(k, *(const lsched_id *)element, LSCHED_KIND_QUEUE, &queue, err);
    if (rc == LSCHED_E_STALE && call_is_idempotent(call)) return LSCHED_UNCHANGED;
    if (rc != LSCHED_OK) return rc;
    if (allowance_of(k, queue) != NO_ROW) return allowance_remove(k, queue);
    return call_is_idempotent(call) ? LSCHED_UNCHANGED : allowances_none(k, queue, err);
}

static const struct call_kind call_allowances_remove = {.op = CALL_ALLOWANCES_REMOVE,
                                                        .apply = element_allowance_remove,
                                                        .object = LSCHED_KIND_QUEUE,
                                                        .is_id = 1};

LSCHED_API int32_t lsched_allowances_remove(lsched_cluster *c, const lsched_id *queues, size_t n,
                                            const lsched_batch_opts *opts, int32_t *status,
                                            lsched_error *err) {
    struct call call = {.kind = &call_allowances_remove,
                        .n = n,
                        .elem_size = sizeof(lsched_id),
                        .elements = queues,
                        .status = status};
    return door_batch(c, &call, opts, err);
}

/* ---- reading ---- */

/* Returns the sum in micro-units, rounded down or up, at most 2^62. */
static int64_t allowances_whole(wide_u128 sum, int up) {
    sum = (sum + (up ? ALLOWANCE_HOUR_US - 1 : 0)) / ALLOWANCE_HOUR_US;
    return sum > (wide_u128)LSCHED_AMOUNT_MAX ? LSCHED_AMOUNT_MAX : (int64_t)sum;
}

static int32_t allowances_tell(const struct columns *k, uint32_t a, lsched_allowance_info *out) {
    struct allowance_state s = allowance_now(k, a);
    wide_u128 taken = s.used + s.projected;
    int64_t since = k->c[C_ALLOWANCE_SPENT_AT].i64[a], stop = k->c[C_ALLOWANCE_STOP_AT].i64[a];
    int is_spent = since && s.used >= s.total && s.start == k->c[C_ALLOWANCE_START].i64[a];
    lsched_allowance_info i = {
        .size = sizeof i,
        .queue = arg_id_of(k, LSCHED_KIND_QUEUE, k->c[C_ALLOWANCE_QUEUE].u32[a]),
        .amount_micro = k->c[C_ALLOWANCE_AMOUNT].i64[a],
        .carry_micro = k->c[C_ALLOWANCE_CARRY].i64[a],
        .carried_micro = allowances_whole(s.carried, 0),
        .used_micro = allowances_whole(s.used, 1),
        .projected_micro = allowances_whole(s.projected, 1),
        .left_micro = taken <= s.total ? allowances_whole(s.total - taken, 0)
                                       : -allowances_whole(taken - s.total, 1),
        .rate_micro = s.rate > (uint64_t)LSCHED_AMOUNT_MAX ? LSCHED_AMOUNT_MAX : (int64_t)s.rate,
        .period_us = k->c[C_ALLOWANCE_PERIOD].i64[a],
        .period_start_us = s.start,
        .period_end_us = s.end,
        .exhausted_at_us = spent_time(&s),
        .unknown_us = k->c[C_ALLOWANCE_UNKNOWN].i64[a],
        .grace_us = k->c[C_ALLOWANCE_GRACE].i64[a],
        .spent_since_us = is_spent ? since : LSCHED_NEVER_US,
        .stop_at_us = is_spent && stop && stop < s.end ? stop : LSCHED_NEVER_US,
        .spent = k->c[C_ALLOWANCE_SPENT].u8[a]};
    return arg_out(out, &i, sizeof i);
}

static int32_t allowances_find(const lsched_cluster *c, const void *out, lsched_id queue,
                               uint32_t *a, lsched_error *err) {
    uint32_t q;
    int32_t rc = arg_query(c, out, err);
    if (rc != LSCHED_OK) return rc;
    rc = arg_id(&c->k, queue, LSCHED_KIND_QUEUE, &q, err);
    if (rc != LSCHED_OK) return rc;
    *a = allowance_of(&c->k, q);
    return *a == NO_ROW ? allowances_none(&c->k, q, err) : LSCHED_OK;
}

LSCHED_API int32_t lsched_allowance_get(const lsched_cluster *c, lsched_id queue,
                                        lsched_allowance_info *out, lsched_error *err) {
    uint32_t a = NO_ROW;
    int32_t rc = allowances_find(c, out, queue, &a, err);
    return rc == LSCHED_OK ? allowances_tell(&c->k, a, out) : rc;
}

LSCHED_API int32_t lsched_allowances_next(const lsched_cluster *c, uint64_t *cursor,
                                          lsched_allowance_info *out, lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c || !cursor || !out) return fail(err, LSCHED_E_NULL, "cluster, cursor or out is NULL");
    while (*cursor < table_rows(&c->k, T_ALLOWANCE) &&
           !row_is_live(&c->k, T_ALLOWANCE, (uint32_t)*cursor))
        ++*cursor;
    if (*cursor >= table_rows(&c->k, T_ALLOWANCE)) return 0;
    rc = allowances_tell(&c->k, (uint32_t)(*cursor)++, out);
    return rc == LSCHED_OK ? 1 : rc;
}

LSCHED_API int32_t lsched_allowance_price(const lsched_cluster *c, lsched_id queue, uint32_t kind,
                                          int64_t *price, lsched_error *err) {
    uint32_t a = NO_ROW;
    int32_t rc = allowances_find(c, price, queue, &a, err);
    if (rc != LSCHED_OK) return rc;
    rc = arg_kind(&c->k, kind, "allowance", err);
    if (rc != LSCHED_OK) return rc;
    *price = c->k.c[C_ALLOWANCE_PRICE + kind].i64[a];
    return LSCHED_OK;
}
