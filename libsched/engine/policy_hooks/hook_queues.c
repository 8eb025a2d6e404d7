/* hook_queues.c -- see hook_queues.h. Cost: one call per queue and hook; O(1) if the policy has no
 * hook about queues and had none at the latest refresh. */
#include "engine/policy_hooks/hook_queues.h"

#include <stdio.h>

#include "base/suggest.h"
#include "model/devices/resource_part.h"
#include "model/queues/queue.h"
#include "model/store/steps.h"
#include "model/store/timer.h"
#include "engine/policy_hooks/hook_call.h"

static int64_t to_base(uint32_t kind, double amount) {
    double unit = kind == LSCHED_MEMORY                      ? 1073741824.0
                  : kind == LSCHED_CPU || kind == LSCHED_GPU ? 1000.0
                                                             : 1.0;
    double v = amount * unit + 0.5;
    return v >= 4.6e18 ? LSCHED_UNLIMITED : v <= 0 ? 0 : (int64_t)v;
}

/* Returns the index of the resource kind with this name; if `part` is 1, also of a resource part.
 * Returns 0 if there is no such resource kind or resource part. */
static uint32_t find_kind(const struct columns *k, const char *name, int part) {
    uint32_t r = name_find(k, T_IX_KIND, name, strlen(name));
    if (r != NO_ROW) return r;
    r = part ? name_find(k, T_IX_DERIVED, name, strlen(name)) : NO_ROW;
    return r == NO_ROW ? 0 : KINDS_MAX + r;
}

static int32_t refuse_kind(struct lsched_cycle *cy, uint32_t hook, uint32_t q, const char *name) {
    const struct columns *k = cy->k;
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
             cy->c->policy.given_name, what, queue.len < 40 ? (int)queue.len : 40, queue.ptr, name,
             s.best ? "; did you mean '" : "", s.best ? (int)s.best_len : 0, s.best ? s.best : "",
             s.best ? "'?" : "");
    return hook_fail(cy, hook, LSCHED_E_POLICY, &err);
}

/* Converts the end time of a hook's answer from seconds to microseconds, rounded up. Until the
 * end time, the policy would give the same answer. */
static int64_t until_us(double seconds) {
    if (!(seconds > 0 && seconds < 4e12)) return 0;
    int64_t us = (int64_t)(seconds * 1e6);
    return (double)us < seconds * 1e6 ? us + 1 : us;
}

/* Stores the end time of the hook's answer, and writes the amounts of the resource kinds that the
 * answer names to amounts[]. Before the call, amounts[] holds the configured amounts; the amounts
 * of all other resource kinds do not change. */
static int32_t take_amounts(struct lsched_cycle *cy, uint32_t hook, uint32_t q,
                            const struct policy_quota *answer, int64_t *amounts) {
    int64_t until = until_us(answer->until_s);
    if (until > cy->now) {
        int32_t rc = timer_add(cy->k, until, TIMER_REFRESH, q);
        if (rc != LSCHED_OK) return rc;
    }
    for (uint32_t i = 0; answer->given && i < answer->n; i++) {
        const struct policy_quota_entry *e = &answer->entries[i];
        uint32_t r = find_kind(cy->k, e->kind, hook == LSCHED_HOOK_LIMIT);
        if (r == 0) return refuse_kind(cy, hook, q, e->kind);
        int64_t amount = to_base(kind_base(cy->k, r), e->amount);
        if (r < KINDS_MAX) {
            amounts[r] = amount;
            continue;
        }
        int32_t rc = resource_part_set_limit_now(cy->k, q, r, amount);
        if (rc == LSCHED_OK) rc = undo_room(cy->k);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

/* Calls the hook `quota` or `limit` for a queue. The amounts that the hook returns replace the
 * configured amounts. */
static int32_t ask_amounts(struct lsched_cycle *cy, struct hook_call *h, uint32_t q,
                           uint32_t hook) {
    struct columns *k = cy->k;
    struct policy_quota out;
    int limits = hook == LSCHED_HOOK_LIMIT;
    uint32_t configured = limits ? C_QUEUE_LIMIT : C_QUEUE_QUOTA;
    int64_t now[KINDS_MAX] = {0};
    memset(&out, 0, sizeof out);
    int32_t rc = (limits ? h->ops->limit : h->ops->quota)(h->self, &h->view, q, &out, &h->err);
    if (rc != LSCHED_OK) return hook_fail(cy, hook, rc, &h->err);
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) now[r] = k->c[configured + r].i64[q];
    if (limits) resource_part_limits_as_configured(k, q);
    rc = take_amounts(cy, hook, q, &out, now);
    for (uint32_t r = 1; rc == LSCHED_OK && r < meta(k, M_N_KINDS); r++) {
        if (limits)
            queue_set_limit_now(k, q, r, now[r]);
        else
            queue_set_quota_now(k, q, r, now[r]);
    }
    return rc;
}

static int32_t ask_quota(struct lsched_cycle *cy, struct hook_call *h, uint32_t q) {
    return ask_amounts(cy, h, q, LSCHED_HOOK_QUOTA);
}

static int32_t ask_limit(struct lsched_cycle *cy, struct hook_call *h, uint32_t q) {
    return ask_amounts(cy, h, q, LSCHED_HOOK_LIMIT);
}

static int32_t ask_weight(struct lsched_cycle *cy, struct hook_call *h, uint32_t q) {
    struct columns *k = cy->k;
    double w = 0;
    int32_t rc = h->ops->weight(h->self, &h->view, &q, 1, &w, &h->err);
    if (rc != LSCHED_OK) return hook_fail(cy, LSCHED_HOOK_WEIGHT, rc, &h->err);
    int64_t milli = w >= 1e12 ? (int64_t)1e15 : (int64_t)(w * 1000 + 0.5);
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) set_i64(k, C_QUEUE_WEIGHT_NOW + r, q, milli);
    return LSCHED_OK;
}

static int32_t ask_order(struct lsched_cycle *cy, struct hook_call *h, uint32_t q) {
    double order = 0;
    int32_t rc = h->ops->queue_order(h->self, &h->view, &q, 1, &order, &h->err);
    if (rc != LSCHED_OK) return hook_fail(cy, LSCHED_HOOK_QUEUE_ORDER, rc, &h->err);
    set_i32(cy->k, C_QUEUE_PRIORITY_NOW, q, (int32_t)order);
    return LSCHED_OK;
}

/* Sets a value to the configured one if the policy has no hook for the value, or if the hook has
 * failed and its latest answer must not be kept. */
static void as_configured(struct lsched_cycle *cy, uint32_t q) {
    struct columns *k = cy->k;
    uint32_t hooks = cy->c->policy.policy.ops ? cy->c->policy.policy.desc.hooks : 0;
    uint32_t on = hooks & ~cy->policy.hooks_off;
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

/* True if the latest refresh has set every value to the configured one, and nothing but a change
 * of the configuration, which also sets these values, has changed them since. */
static int is_as_configured(const struct lsched_cycle *cy) {
    const struct policy *p = &cy->c->policy.policy;
    uint32_t hooks =
        LSCHED_HOOK_QUOTA | LSCHED_HOOK_LIMIT | LSCHED_HOOK_WEIGHT | LSCHED_HOOK_QUEUE_ORDER;
    return !(p->ops && (p->desc.hooks & hooks)) && meta(cy->k, M_REFRESHED) &&
           meta(cy->k, M_ORDER_POLICY) == p->desc.hash;
}

int32_t hook_queues_refresh(struct lsched_cycle *cy) {
    static const struct {
        uint32_t hook;
        int32_t (*ask)(struct lsched_cycle *cy, struct hook_call *h, uint32_t q);
    } asked[] = {{LSCHED_HOOK_QUOTA, ask_quota},
                 {LSCHED_HOOK_LIMIT, ask_limit},
                 {LSCHED_HOOK_WEIGHT, ask_weight},
                 {LSCHED_HOOK_QUEUE_ORDER, ask_order}};
    struct columns *k = cy->k;
    struct hook_call h;
    if (is_as_configured(cy)) return LSCHED_OK;
    hook_begin(cy, &h);
    steps_add(k, table_rows(k, T_QUEUE));
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++) {
        if (!row_is_live(k, T_QUEUE, q)) continue;
        int32_t rc = undo_room(k);
        for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
            if (rc == LSCHED_OK && hook_on(cy, asked[i].hook)) rc = asked[i].ask(cy, &h, q);
        if (rc == LSCHED_OK) rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        as_configured(cy, q);
    }
    return LSCHED_OK;
}
