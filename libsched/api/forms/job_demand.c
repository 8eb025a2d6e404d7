/* job_demand.c -- see job_demand.h. Cost: O(steps x kinds). */
#include "api/forms/job_demand.h"

#include "api/door/args.h"
#include "model/shapes/daily_demand.h"
#include "model/shapes/resource_kind.h"

#define MINUTE_US ((int64_t)60 * 1000000)

/* ---- steps by the time of day ---- */

/* State while the steps are read, by kind. */
struct day_form {
    int64_t last_us[KINDS_MAX]; /* 1 + time of the latest step of the kind; 0: no step was read */
    uint32_t kinds;
};

static int64_t requested(const struct task_spec *t, lsched_text kind) {
    for (uint32_t i = 0; i < t->n_request; i++)
        if (text_order(t->request[i].kind, kind) == 0) return t->request[i].amount;
    return 0;
}

static int32_t check_of_day(const struct columns *k, const struct task_spec *t,
                            const lsched_demand_step *s, uint32_t i, struct day_form *d,
                            const char *w, lsched_error *err) {
    lsched_text name = text_of(k, k->c[C_KIND_NAME].u32[s->kind]);
    int64_t minute = s->from_us / MINUTE_US, most = requested(t, name);
    if (s->from_us >= DAY_US)
        return fail(err, LSCHED_E_RANGE,
                    "%s: demand step %u begins %lld s after midnight; expected less than 86400", w,
                    i, (long long)(s->from_us / 1000000));
    if (s->kind == LSCHED_GPU)
        return fail(err, LSCHED_E_INVAL,
                    "%s: demand step %u: gpu cannot change with the time of day, because devices "
                    "are held all day",
                    w, i);
    if (s->amount > most)
        return fail(err, LSCHED_E_RANGE,
                    "%s: demand step %u at %02lld:%02lld asks for %lld of '%.*s'; expected at "
                    "most its request, %lld",
                    w, i, (long long)(minute / 60), (long long)(minute % 60), (long long)s->amount,
                    (int)name.len, name.ptr, (long long)most);
    if (d->last_us[s->kind] == s->from_us + 1)
        return fail(err, LSCHED_E_INVAL,
                    "%s: demand step %u: there is another step of '%.*s' at %02lld:%02lld", w, i,
                    (int)name.len, name.ptr, (long long)(minute / 60), (long long)(minute % 60));
    d->kinds += d->last_us[s->kind] == 0;
    d->last_us[s->kind] = s->from_us + 1;
    if (d->kinds > LIMIT_DAILY_KINDS)
        return fail(err, LSCHED_E_LIMIT,
                    "%s: more than %u resources change with the time of day; '%.*s' is the first "
                    "one too many",
                    w, LIMIT_DAILY_KINDS, (int)name.len, name.ptr);
    return LSCHED_OK;
}

/* ---- all steps ---- */

static int32_t check_step(const struct columns *k, const lsched_demand_step *s, uint32_t i,
                          int64_t last, const char *w, lsched_error *err) {
    int32_t rc = arg_kind(k, s->kind, w, err);
    if (rc != LSCHED_OK) return rc;
    if (s->amount < 0 || s->amount > LSCHED_AMOUNT_MAX)
        return fail(err, LSCHED_E_RANGE, "%s: demand step %u: amount %lld; expected 0 to 2^62", w,
                    i, (long long)s->amount);
    if (s->from_us < last)
        return fail(err, LSCHED_E_RANGE, "%s: demand step %u begins before the one before it", w,
                    i);
    return LSCHED_OK;
}

static int32_t check_period(const lsched_group_desc *g, const char *w, lsched_error *err) {
    if (g->demand_period_us != 0 && g->demand_period_us != DAY_US)
        return fail(err, LSCHED_E_RANGE,
                    "%s: a demand period of %lld us; expected 0 (steps count from the start) or "
                    "86400000000, a day (steps are times of the day)",
                    w, (long long)g->demand_period_us);
    if (g->n_demand == 0 && g->demand_period_us)
        return fail(err, LSCHED_E_INVAL, "%s: it has a demand period, but no demand steps", w);
    if (g->n_demand > LIMIT_DEMAND_STEPS)
        return fail(err, LSCHED_E_LIMIT, "%s: it has more than %u demand steps", w,
                    LIMIT_DEMAND_STEPS);
    if (g->n_demand && !g->demand) return fail(err, LSCHED_E_NULL, "%s: demand is NULL", w);
    return LSCHED_OK;
}

int32_t job_demand_read(const struct columns *k, const lsched_group_desc *g, struct task_spec *t,
                        struct demand_spec **steps, const char *w, lsched_error *err) {
    int32_t rc = check_period(g, w, err);
    if (rc != LSCHED_OK || g->n_demand == 0) return rc;
    *steps = alloc_new(k->alloc, g->n_demand * sizeof **steps);
    if (!*steps) return LSCHED_E_NOMEM;
    size_t stride;
    rc = arg_stride(g->demand, g->n_demand, g->demand_elem_size, "demand", &stride, err);
    if (rc != LSCHED_OK) return rc;
    struct day_form day = {{0}, 0};
    int64_t last = 0;
    for (uint32_t i = 0; i < g->n_demand; i++) {
        lsched_demand_step s;
        rc = arg_struct(&s, sizeof s, (const char *)g->demand + i * stride, stride, "demand step",
                        err);
        if (rc == LSCHED_OK) rc = check_step(k, &s, i, last, w, err);
        if (rc == LSCHED_OK && g->demand_period_us) rc = check_of_day(k, t, &s, i, &day, w, err);
        if (rc != LSCHED_OK) return rc;
        last = s.from_us;
        (*steps)[i] =
            (struct demand_spec){text_of(k, k->c[C_KIND_NAME].u32[s.kind]), s.from_us, s.amount};
    }
    t->demand = *steps;
    t->n_demand = g->n_demand;
    t->daily = g->demand_period_us != 0;
    return LSCHED_OK;
}
