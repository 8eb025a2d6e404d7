/* hook_queues.c -- see hook_queues.h. Cost: one call per queue and hook. */
#include "engine/policy_hooks/hook_queues.h"

#include <stdio.h>

#include "base/suggest.h"
#include "model/devices/resource_part.h"
#include "model/queues/queue.h"
#include "model/store/timer.h"
#include "engine/policy_hooks/hook_call.h"

static int64_t to_base(uint32_t kind, double amount) {
    double unit = kind == LSCHED_MEMORY                      ? 1073741824.0
                  : kind == LSCHED_CPU || kind == LSCHED_GPU ? 1000.0
                                                             : 1.0;
    double v = amount * unit + 0.5;
    return v >= 4.6e18 ? LSCHED_UNLIMITED : v <= 0 ? 0 : (int64_t)v;
}

/* Returns the index of the resource kind of this name, or of a resource part if `part`; 0 if there
 * is none. */
static uint32_t find_kind(const struct columns *k, const char *name, int part) {
    uint32_t r = name_find(k, T_IX_KIND, name, strlen(name));
    if (r != NO_ROW) return r;
    r = part ? name_find(k, T_IX_DERIVED, name, strlen(name)) : NO_ROW;
    return r == NO_ROW ? 0 : KINDS_MAX + r;
}

static int32_t refuse_kind(struct lsched_cycle *y, uint32_t hook, uint32_t q, const char *name) {
    const struct columns *k = y->k;
    const char *what = hook == LSCHED_HOOK_QUOTA ? "quota" : "limit";
    lsched_error err = LSCHED_ERROR_INIT;
    struct suggest s;
    lsched_text queue = text_of(k, k->c[C_QUEUE_NAME].u32[q]);
    suggest_begin(&s, name, strlen(name));
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        lsched_text known = text_of(k, k->c[C_KIND_NAME].u32[r]);
        suggest_offer(&s, known.ptr, (size_t)known.len);
    }
    for (uint32_t d = 0; hook == LSCHED_HOOK_LIMIT && d < resource_part_count(k); d++) {
        lsched_text known = text_of(k, k->c[C_DERIVED_NAME].u32[d]);
        suggest_offer(&s, known.ptr, (size_t)known.len);
    }
    snprintf(err.message, sizeof err.message,
             "%.60s: %s of queue '%.*s': there is no resource kind '%.40s'%s%.*s%s",
             y->c->policy.given_name, what, queue.len < 40 ? (int)queue.len : 40, queue.ptr, name,
             s.best ? "; did you mean '" : "", s.best ? (int)s.best_len : 0, s.best ? s.best : "",
             s.best ? "'?" : "");
    return hook_fail(y, hook, LSCHED_E_POLICY, &err);
}

/* Returns the first microsecond that is not before the time named by an answer: before that time,
 * the policy would give the same answer. */
static int64_t until_us(double seconds) {
    if (!(seconds > 0 && seconds < 4e12)) return 0;
    int64_t us = (int64_t)(seconds * 1e6);
    return (double)us < seconds * 1e6 ? us + 1 : us;
}

/* Stores the end time of the answer and the kinds that it names; other kinds keep the configured
 * value in amounts[]. */
static int32_t take_amounts(struct lsched_cycle *y, uint32_t hook, uint32_t q,
                            const struct policy_quota *answer, int64_t *amounts) {
    int64_t until = until_us(answer->until_s);
    if (until > y->now) {
        int32_t rc = timer_add(y->k, until, TIMER_REFRESH, q);
        if (rc != LSCHED_OK) return rc;
    }
    for (uint32_t i = 0; answer->given && i < answer->n; i++) {
        const struct policy_quota_entry *e = &answer->entries[i];
        uint32_t r = find_kind(y->k, e->kind, hook == LSCHED_HOOK_LIMIT);
        if (r == 0) return refuse_kind(y, hook, q, e->kind);
        int64_t amount = to_base(kind_base(y->k, r), e->amount);
        if (r < KINDS_MAX) {
            amounts[r] = amount;
            continue;
        }
        int32_t rc = resource_part_set_limit_now(y->k, q, r, amount);
        if (rc == LSCHED_OK) rc = undo_room(y->k);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

/* Calls the hook quota or limit, whose amounts replace the configured amounts. */
static int32_t ask_amounts(struct lsched_cycle *y, const struct policy_view *view, uint32_t q,
                           uint32_t hook) {
    struct columns *k = y->k;
    struct policy_quota out;
    lsched_error err = LSCHED_ERROR_INIT;
    const struct policy *p = &y->c->policy.policy;
    int limits = hook == LSCHED_HOOK_LIMIT;
    uint32_t configured = limits ? C_QUEUE_LIMIT : C_QUEUE_QUOTA;
    int64_t now[KINDS_MAX] = {0};
    memset(&out, 0, sizeof out);
    int32_t rc = (limits ? p->ops->limit : p->ops->quota)(p->self, view, q, &out, &err);
    if (rc != LSCHED_OK) return hook_fail(y, hook, rc, &err);
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) now[r] = k->c[configured + r].i64[q];
    if (limits) resource_part_limits_as_configured(k, q);
    rc = take_amounts(y, hook, q, &out, now);
    for (uint32_t r = 1; rc == LSCHED_OK && r < meta(k, M_N_KINDS); r++) {
        if (limits)
            queue_set_limit_now(k, q, r, now[r]);
        else
            queue_set_quota_now(k, q, r, now[r]);
    }
    return rc;
}

static int32_t ask_quota(struct lsched_cycle *y, const struct policy_view *view, uint32_t q) {
    return ask_amounts(y, view, q, LSCHED_HOOK_QUOTA);
}

static int32_t ask_limit(struct lsched_cycle *y, const struct policy_view *view, uint32_t q) {
    return ask_amounts(y, view, q, LSCHED_HOOK_LIMIT);
}

static int32_t ask_weight(struct lsched_cycle *y, const struct policy_view *view, uint32_t q) {
    struct columns *k = y->k;
    double w = 0;
    lsched_error err = LSCHED_ERROR_INIT;
    const struct policy *p = &y->c->policy.policy;
    int32_t rc = p->ops->weight(p->self, view, &q, 1, &w, &err);
    if (rc != LSCHED_OK) return hook_fail(y, LSCHED_HOOK_WEIGHT, rc, &err);
    int64_t milli = w >= 1e12 ? (int64_t)1e15 : (int64_t)(w * 1000 + 0.5);
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) set_i64(k, C_QUEUE_WEIGHT_NOW + r, q, milli);
    return LSCHED_OK;
}

static int32_t ask_order(struct lsched_cycle *y, const struct policy_view *view, uint32_t q) {
    double order = 0;
    lsched_error err = LSCHED_ERROR_INIT;
    const struct policy *p = &y->c->policy.policy;
    int32_t rc = p->ops->queue_order(p->self, view, &q, 1, &order, &err);
    if (rc != LSCHED_OK) return hook_fail(y, LSCHED_HOOK_QUEUE_ORDER, rc, &err);
    set_i32(y->k, C_QUEUE_PRIORITY_NOW, q, (int32_t)order);
    return LSCHED_OK;
}

/* Sets the configured values for hooks that the policy lacks, and for failed hooks whose last
 * answer is not kept. */
static void as_configured(struct lsched_cycle *y, uint32_t q) {
    struct columns *k = y->k;
    uint32_t hooks = y->c->policy.policy.ops ? y->c->policy.policy.desc.hooks : 0;
    uint32_t on = hooks & ~y->hooks_off;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        if (!(hooks & LSCHED_HOOK_QUOTA))
            queue_set_quota_now(k, q, r, k->c[C_QUEUE_QUOTA + r].i64[q]);
        if (!(hooks & LSCHED_HOOK_LIMIT))
            queue_set_limit_now(k, q, r, k->c[C_QUEUE_LIMIT + r].i64[q]);
        if (!(on & LSCHED_HOOK_WEIGHT))
            set_i64(k, C_QUEUE_WEIGHT_NOW + r, q, k->c[C_QUEUE_WEIGHT + r].i64[q]);
    }
    if (!(hooks & LSCHED_HOOK_LIMIT)) resource_part_limits_as_configured(k, q);
    if (!(on & LSCHED_HOOK_QUEUE_ORDER))
        set_i32(k, C_QUEUE_PRIORITY_NOW, q, k->c[C_QUEUE_PRIORITY].i32[q]);
}

int32_t hook_queues_refresh(struct lsched_cycle *y) {
    static const struct {
        uint32_t hook;
        int32_t (*ask)(struct lsched_cycle *y, const struct policy_view *view, uint32_t q);
    } asked[] = {{LSCHED_HOOK_QUOTA, ask_quota},
                 {LSCHED_HOOK_LIMIT, ask_limit},
                 {LSCHED_HOOK_WEIGHT, ask_weight},
                 {LSCHED_HOOK_QUEUE_ORDER, ask_order}};
    struct columns *k = y->k;
    struct policy_view view;
    hooks_view(y, &view);
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++) {
        if (!row_is_live(k, T_QUEUE, q)) continue;
        int32_t rc = undo_room(k);
        for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
            if (rc == LSCHED_OK && hook_on(y, asked[i].hook)) rc = asked[i].ask(y, &view, q);
        if (rc == LSCHED_OK) rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        as_configured(y, q);
    }
    return LSCHED_OK;
}
