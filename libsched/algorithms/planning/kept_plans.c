/* kept_plans.c -- see kept_plans.h. */
#include "algorithms/planning/kept_plans.h"

#include "algorithms/planning/tsdpbp_bins.h"
#include "algorithms/planning/tsdpbp_jobs.h"

/* Gives the current job its old start on its old node. Returns 1 if the job is kept, else 0, or a
 * negative error code. */
static int32_t keep_plan(struct ts *t, uint32_t job) {
    lsched_plan_ask ask;
    struct ts_item *item;
    int32_t rc = t->act->plan_ask(t->cycle, job, &ask);
    if (rc != 1 || ask.tasks != 1 || ask.mig_profile.len || ask.planned_node == LSCHED_NO_ROW ||
        ask.planned_us == FREE_TIMELINE_FOREVER)
        return rc < 0 ? rc : 0;
    rc = ts_describe(t, job, &ask, &item);
    if (rc != 1 || item->state == TS_LIMITED) return rc < 0 ? rc : 0;
    item->start = ask.planned_us > t->timeline.now ? ask.planned_us : t->timeline.now;
    rc = ts_choose_before(t, item);
    if (rc == 1 && ts_take(t, item, 1) < 0) rc = LSCHED_E_NOMEM;
    if (rc != 1) return rc;
    item->state = TS_PLANNED;
    t->n_items++;
    rc = t->act->plan_defer(t->cycle, job, 1);
    return rc < 0 ? rc : 1;
}

/* Gives a kept job the earliest start that delays no other kept job. Starts it if that is now. */
static int32_t compress(struct ts *t, struct ts_item *item) {
    lsched_plan_ask ask = {.size = sizeof ask};
    int32_t rc = ts_take(t, item, -1);
    if (rc >= 0) rc = ts_schedule(t, item, &ask);
    /* 0 is not reached, because the old place is free */
    if (rc != 1) return rc < 0 ? rc : LSCHED_E_INVAL;
    if (item->start > t->timeline.now) return LSCHED_OK;
    rc = t->act->plan_take(t->cycle, item->job);
    return rc < 0 ? rc : ts_start_item(t, item);
}

int32_t kept_plans_take(struct kept_plans *k, struct ts *t) {
    uint32_t job;
    int32_t rc = LSCHED_OK;
    k->n_passed = 0;
    while (k->n_passed < KEPT_PLANS_LOOK && (rc = t->act->next_job(t->cycle, &job)) == 1) {
        rc = keep_plan(t, job);
        if (rc == 0) {
            k->passed[k->n_passed++] = job;
            rc = t->act->plan_defer(t->cycle, job, 0);
        }
        if (rc < 0) return rc;
    }
    for (uint32_t i = 0, n = t->n_items; i < n && rc >= 0; i++) rc = compress(t, &t->items[i]);
    return rc < 0 ? rc : LSCHED_OK;
}
