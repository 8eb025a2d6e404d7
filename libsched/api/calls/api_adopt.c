/* api_adopt.c -- lsched_adopt, and the functions that tell what became of a clone's plan. */
#include "api/calls/schedule_opts.h"
#include "api/door/args.h"
#include "api/door/door.h"
#include "engine/adopt/adopt_walk.h"
#include "engine/cycle/cycle.h"
#include "engine/plan/plan.h"

static const struct call_kind call_adopt = {.op = CALL_ADOPT};

/* Checks that the plan was made for a clone of the cluster, and not adopted before. */
static int32_t plan_check(const lsched_cluster *c, const lsched_plan *from, lsched_error *err) {
    const struct plan_origin *o = &from->origin;
    if (!o->family)
        return fail(err, LSCHED_E_INVAL,
                    "plan: lsched_would_start() made it, so its decisions are not made; expected a "
                    "plan that lsched_schedule() made for a clone");
    if (o->family != c->family)
        return fail(err, LSCHED_E_INVAL,
                    "plan: it was made for a cluster that is no clone of this one; expected a plan "
                    "of a clone that lsched_cluster_clone() made from this cluster");
    if (o->member == c->member)
        return fail(err, LSCHED_E_INVAL,
                    "plan: it was made for this cluster, where its decisions are open already; "
                    "expected a plan of a clone");
    if (o->member == 0)
        return fail(err, LSCHED_E_INVAL,
                    "plan: it was made for the original of this cluster; expected a plan of a "
                    "clone");
    if (from->taken)
        return fail(err, LSCHED_E_STATE,
                    "plan: it was adopted before; expected a plan that no cluster has adopted: "
                    "clone the cluster and schedule again");
    return LSCHED_OK;
}

static int32_t opts_read(const lsched_cluster *c, const lsched_plan *from,
                         const lsched_adopt_opts *opts, lsched_adopt_opts *o,
                         lsched_schedule_opts *schedule, lsched_error *err) {
    lsched_schedule_opts plain = LSCHED_SCHEDULE_OPTS_INIT;
    int32_t rc = LSCHED_OK;
    *o = (lsched_adopt_opts)LSCHED_ADOPT_OPTS_INIT;
    plain.now_us = (int64_t)meta(&c->k, M_NOW);
    if (plain.now_us < from->info.now_us) plain.now_us = from->info.now_us;
    if (opts) rc = arg_struct(o, sizeof *o, opts, 0, "adopt options", err);
    if (rc != LSCHED_OK) return rc;
    if (o->flags & ~(uint32_t)LSCHED_ADOPT_UNFAIR_OK)
        return fail(err, LSCHED_E_INVAL,
                    "adopt options: unknown flags %#x; expected LSCHED_ADOPT_UNFAIR_OK", o->flags);
    return schedule_opts_read(c, o->schedule ? o->schedule : &plain, schedule, err);
}

LSCHED_API int32_t lsched_adopt(lsched_cluster *c, lsched_plan *from, const lsched_adopt_opts *opts,
                                lsched_plan **adopted, lsched_error *err) {
    lsched_adopt_opts o;
    lsched_schedule_opts schedule;
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c || !from || !adopted)
        return fail(err, LSCHED_E_NULL, "cluster, from or adopted is NULL");
    if (c->busy) return arg_busy(err);
    rc = plan_check(c, from, err);
    if (rc == LSCHED_OK) rc = opts_read(c, from, opts, &o, &schedule, err);
    if (rc != LSCHED_OK) return rc;
    struct adoption adopt;
    lsched_plan *fresh = NULL;
    c->busy = 1;
    rc = adopt_walk_open(&adopt, &c->alloc, from, o.flags);
    if (rc == LSCHED_OK) rc = cycle_adopt(c, &schedule, &adopt, &fresh, err);
    adopt_walk_close(&adopt);
    struct call call = {.kind = &call_adopt,
                        .flags = o.flags,
                        .n = 1,
                        .elements = &schedule,
                        .elem_size = sizeof schedule,
                        .second = from,
                        .more = fresh};
    if (rc == LSCHED_OK && c->watch) c->watch(c->watch_user, &call);
    c->busy = 0;
    if (rc != LSCHED_OK) return fail_plain(err, rc);
    from->taken = 1;
    plan_turn_ids(fresh, &c->k);
    *adopted = fresh;
    return LSCHED_OK;
}

LSCHED_API size_t lsched_adopted_group_size(const lsched_plan *p) {
    return p ? p->adopted.n_groups : 0;
}

LSCHED_API const lsched_adopted_group *lsched_adopted_group_at(const lsched_plan *p, size_t i) {
    return p && i < p->adopted.n_groups ? &p->adopted.groups[i] : NULL;
}

LSCHED_API lsched_id lsched_adopted_id(const lsched_plan *p, size_t i) {
    return p && i < p->adopted.n_ids ? p->adopted.ids[i] : 0;
}

LSCHED_API const char *lsched_adopt_result_name(uint32_t result) {
    static const char *const names[] = {[LSCHED_ADOPTION_APPLIED] = "applied",
                                        [LSCHED_ADOPTION_JOB_GONE] = "job-gone",
                                        [LSCHED_ADOPTION_NODE_GONE] = "node-gone",
                                        [LSCHED_ADOPTION_NOT_SHARED] = "not-shared",
                                        [LSCHED_ADOPTION_JOB_CHANGED] = "job-changed",
                                        [LSCHED_ADOPTION_JOB_WAITS] = "job-waits",
                                        [LSCHED_ADOPTION_NODE_CLOSED] = "node-closed",
                                        [LSCHED_ADOPTION_ROOM] = "room",
                                        [LSCHED_ADOPTION_RULES] = "rules",
                                        [LSCHED_ADOPTION_LIMIT] = "limit",
                                        [LSCHED_ADOPTION_TASK_ENDED] = "task-ended",
                                        [LSCHED_ADOPTION_PROTECTED] = "protected",
                                        [LSCHED_ADOPTION_NEEDLESS] = "needless",
                                        [LSCHED_ADOPTION_CLAIM] = "claim",
                                        [LSCHED_ADOPTION_GANG] = "gang",
                                        [LSCHED_ADOPTION_OWN] = "own",
                                        [LSCHED_ADOPTION_NOT_ASKED] = "not-asked",
                                        [LSCHED_ADOPTION_BUDGET] = "budget"};
    return result < sizeof names / sizeof names[0] ? names[result] : "unknown";
}
