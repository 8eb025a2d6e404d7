/* api_schedule.c -- lsched_schedule, and the functions that read a plan. */
#include "api/calls/schedule_opts.h"
#include "api/calls/skip_check.h"
#include "api/door/args.h"
#include "api/door/door.h"
#include "base/times.h"
#include "engine/state/cycle_state.h"
#include "engine/plan/plan.h"
#include "engine/verify/verify.h"
#include "engine/cycle/wake.h"
#include "engine/cycle/cycle.h"
#include "model/told/decision.h"

static const struct call_kind call_schedule = {.op = CALL_SCHEDULE};

static int32_t kinds_check(uint32_t kinds, lsched_error *err) {
    const uint32_t known = DECISION_KINDS_KNOWN;
    if (kinds & ~known)
        return fail(err, LSCHED_E_INVAL,
                    "schedule options: decision_kinds has the unknown bits %#x; expected bits 1 << "
                    "LSCHED_DECIDE_*",
                    kinds & ~known);
    if (kinds && !(kinds >> LSCHED_DECIDE_PLACE & 1))
        return fail(err, LSCHED_E_INVAL,
                    "schedule options: decision_kinds lacks 1 << LSCHED_DECIDE_PLACE, which is "
                    "expected, because every cycle can place tasks");
    return LSCHED_OK;
}

int32_t schedule_opts_read(const lsched_cluster *c, const lsched_schedule_opts *opts,
                           lsched_schedule_opts *o, lsched_error *err) {
    int32_t rc = arg_struct(o, sizeof *o, opts, 0, "schedule options", err);
    if (rc != LSCHED_OK) return rc;
    if (c->busy) return arg_busy(err);
    if (o->flags & ~3u)
        return fail(err, LSCHED_E_INVAL,
                    "schedule options: unknown flags %#x; expected LSCHED_SCHEDULE_*", o->flags);
#if defined(LSCHED_NO_VERIFY)
    if (o->flags & LSCHED_SCHEDULE_VERIFY)
        return fail(
            err, LSCHED_E_UNSUPPORTED,
            "schedule options: cycles of this build cannot verify plans (LSCHED_NO_VERIFY)");
#endif
    if (o->hooks_off >> POLICY_HOOKS)
        return fail(err, LSCHED_E_INVAL, "schedule options: unknown hooks %#x", o->hooks_off);
    rc = kinds_check(o->decision_kinds, err);
    if (rc != LSCHED_OK) return rc;
    int64_t last = (int64_t)meta(&c->k, M_SCHEDULED);
    rc = arg_time(o->now_us, "now_us", err);
    if (rc == LSCHED_OK) rc = arg_time(o->release_us, "release_us", err);
    if (rc == LSCHED_OK && o->proposal_life_us != LSCHED_NEVER_US)
        rc = arg_time(o->proposal_life_us, "proposal_life_us", err);
    if (rc == LSCHED_OK) rc = arg_time(o->warn_before_us, "warn_before_us", err);
    if (rc != LSCHED_OK) return rc;
    if (o->now_us < last)
        return fail(err, LSCHED_E_TIME,
                    "now is %lld, before the latest cycle at %lld; lsched_clock_set sets it back",
                    (long long)o->now_us, (long long)last);
    /* only a report before the first cycle can be that late: later ones have a bound */
    if ((int64_t)meta(&c->k, M_NOW) > time_after_at_most(o->now_us, LSCHED_REPORT_AHEAD_US))
        return fail(
            err, LSCHED_E_TIME,
            "now is %lld, but a report said %lld, more than %d days later; if now is right, call "
            "lsched_clock_set with it, which takes the time of the report back",
            (long long)o->now_us, (long long)meta(&c->k, M_NOW), LSCHED_REPORT_AHEAD_DAYS);
    return LSCHED_OK;
}

LSCHED_API int32_t lsched_schedule(lsched_cluster *c, const lsched_schedule_opts *opts,
                                   lsched_plan **plan, lsched_error *err) {
    lsched_schedule_opts o;
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c || !plan) return fail(err, LSCHED_E_NULL, "cluster or plan is NULL");
    rc = schedule_opts_read(c, opts, &o, err);
    if (rc != LSCHED_OK) return rc;
    struct skip_check skips;
    lsched_schedule_opts untraced = o;
    untraced.trace = NULL;
    if (c->check_skips) c->check_skips->begin(c, &untraced, &skips);
    c->busy = 1;
    lsched_plan *fresh = NULL;
    rc = cycle_run(c, &o, &fresh, err);
    if (rc != LSCHED_OK) {
        c->busy = 0;
        if (c->check_skips) c->check_skips->end(c, &untraced, NULL, &skips, err);
        return fail_plain(err, rc);
    }
    struct call call = {
        .kind = &call_schedule, .n = 1, .elements = &o, .elem_size = sizeof o, .more = fresh};
    if (c->watch) c->watch(c->watch_user, &call);
    c->busy = 0;
    if (c->check_skips) rc = c->check_skips->end(c, &untraced, fresh, &skips, err);
    if (rc != LSCHED_OK) {
        plan_free(fresh);
        return rc;
    }
    plan_turn_ids(fresh, &c->k);
    *plan = fresh;
    return LSCHED_OK;
}

LSCHED_API int64_t lsched_next_wake(const lsched_cluster *c) {
    if (c && c->busy) return LSCHED_E_BUSY;
    return c ? wake_next(c) : LSCHED_NEVER_US;
}

LSCHED_API size_t lsched_plan_size(const lsched_plan *p) {
    return p ? p->n_decisions : 0;
}

LSCHED_API const lsched_decision *lsched_plan_at(const lsched_plan *p, size_t i) {
    return p && i < p->n_decisions ? &p->decisions[i] : NULL;
}

LSCHED_API const lsched_decision *lsched_plan_decisions(const lsched_plan *p, size_t *n,
                                                        size_t *elem_size) {
    if (n) *n = p ? p->n_decisions : 0;
    if (elem_size) *elem_size = sizeof(lsched_decision);
    return p ? p->decisions : NULL;
}

LSCHED_API size_t lsched_plan_waiting_size(const lsched_plan *p) {
    return p ? p->n_waiting : 0;
}

LSCHED_API const lsched_waiting *lsched_plan_waiting_at(const lsched_plan *p, size_t i) {
    return p && i < p->n_waiting ? &p->waiting[i] : NULL;
}

LSCHED_API int32_t lsched_plan_get(const lsched_plan *p, lsched_plan_info *out, lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!p || !out) return fail(err, LSCHED_E_NULL, "plan or out is NULL");
    rc = arg_out(out, &p->info, (uint32_t)sizeof p->info);
    return rc == LSCHED_OK
               ? rc
               : fail(err, rc, "out: its size is not set; set it to sizeof of the struct");
}

LSCHED_API size_t lsched_plan_withdrawn_size(const lsched_plan *p) {
    return p ? p->n_withdrawn : 0;
}

LSCHED_API lsched_id lsched_plan_withdrawn_at(const lsched_plan *p, size_t i) {
    return p && i < p->n_withdrawn ? p->withdrawn[i] : 0;
}

LSCHED_API const char *lsched_plan_policy_error(const lsched_plan *p) {
    return p ? p->policy_error : "";
}

LSCHED_API size_t lsched_plan_log_size(const lsched_plan *p) {
    return p ? p->log.n : 0;
}

LSCHED_API const char *lsched_plan_log_at(const lsched_plan *p, size_t i) {
    return p && i < p->log.n ? p->log.lines[i] : NULL;
}

LSCHED_API size_t lsched_plan_advice_size(const lsched_plan *p) {
    return p ? p->n_advice : 0;
}

LSCHED_API const lsched_plan_advice_record *lsched_plan_advice_at(const lsched_plan *p, size_t i) {
    return p && i < p->n_advice ? &p->advice[i] : NULL;
}

LSCHED_API int32_t lsched_decision_state(const lsched_cluster *c, lsched_id id, lsched_error *err) {
    uint32_t d;
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c) return fail(err, LSCHED_E_NULL, "cluster is NULL");
    rc = arg_id(&c->k, id, LSCHED_KIND_DECISION, &d, err);
    return rc == LSCHED_OK ? c->k.c[C_DECISION_STATE].u8[d] : rc;
}

LSCHED_API int32_t lsched_verify(const lsched_cluster *c, const lsched_plan *p, lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c) return fail(err, LSCHED_E_NULL, "cluster is NULL");
    if (c->busy) return arg_busy(err);
    rc = verify_state(&c->k, err);
    if (rc == LSCHED_OK && p) rc = plan_verify(c, p, err);
    return rc == LSCHED_OK ? rc : fail_plain(err, rc);
}

LSCHED_API void lsched_plan_destroy(lsched_plan *p) {
    plan_free(p);
}
