/* firm_plans.c -- see firm_plans.h. */
#include "algorithms/planning/firm_plans.h"

#include <libsched/changes.h>

#include "algorithms/planning/firm_sure.h"
#include "algorithms/planning/tsdpbp_bins.h"
#include "algorithms/planning/tsdpbp_jobs.h"

/* True if the job has started in this cycle, because its firm start has come. */
static int starts_now(const struct firm_plans *f, uint32_t job) {
    for (uint32_t i = 0; i < f->n; i++)
        if (f->list[i].job == job) return (int)f->list[i].is_done;
    return 0;
}

/* Returns why the item has no room on its node any more, LSCHED_BECAUSE_*, or a negative code. Of
 * several reasons, the first of this list: NODE, OVERRUN, CLAIM, ROOM. */
static int32_t why_no_room(const struct firm_plans *f, struct ts *t, const struct ts_item *item) {
    const lsched_holder *list;
    uint32_t n, node = item->node_before, overrun = 0, claim = 0;
    int64_t places, end = free_timeline_end(item->start, item->length);
    if (free_timeline_is_empty(&t->timeline, node) ||
        !free_timeline_allows(&t->timeline, item->able, node))
        return LSCHED_BECAUSE_NODE;
    int32_t rc = t->act->holders(t->cycle, node, &list, &n, &places);
    if (rc < 0) return rc;
    for (uint32_t i = 0; i < n; i++) {
        const lsched_holder *h = &list[i];
        if (h->until_us <= item->start || h->from_us >= end) continue;
        if (h->is_away && h->job == LSCHED_NO_ROW) return LSCHED_BECAUSE_NODE;
        claim |= h->is_claim;
        overrun |= !h->is_claim && h->until_us != LSCHED_NEVER_US && h->end == LSCHED_END_UNSURE &&
                   !starts_now(f, h->job);
    }
    if (overrun) return LSCHED_BECAUSE_OVERRUN;
    return claim ? LSCHED_BECAUSE_CLAIM : LSCHED_BECAUSE_ROOM;
}

/* Gives the current job a start on its old node, at that time or now if it is past. Returns 0 and
 * makes an item, or returns why not, LSCHED_BECAUSE_*, or a negative code. A limit counts when the
 * start has come: until then, work that ends before the start can use what the limit allows. */
static int32_t put_firm_at(const struct firm_plans *f, struct ts *t, struct firm_kept *kept,
                           int64_t at) {
    lsched_plan_ask ask;
    struct ts_item *item;
    int32_t rc = ts_describe(t, kept->job, &ask, &item);
    if (rc != 1) return rc < 0 ? rc : LSCHED_BECAUSE_RULE;
    kept->stays = item->state == TS_LIMITED;
    item->start = at > t->timeline.now ? at : t->timeline.now;
    if (kept->stays && item->start == t->timeline.now) return LSCHED_BECAUSE_LIMIT;
    rc = ts_choose_before(t, item);
    if (rc != 1) return rc < 0 ? rc : why_no_room(f, t, item);
    item->state = TS_PLANNED;
    item->is_firm = 1;
    t->n_items++;
    return ts_take(t, item, 1);
}

/* Starts a job whose start has come. Sets another job aside that has an item, or that has a reason
 * to lose its start. Why the start does not wait for the other jobs: a limit counts them, too, as
 * soon as they are put back. */
static int32_t start_or_aside(struct ts *t, struct firm_kept *kept, int32_t because) {
    if (because < 0) return because;
    kept->because = (uint32_t)because;
    kept->item = t->n_items - 1;
    kept->is_done = because == 0 && t->items[kept->item].start <= t->timeline.now;
    if (kept->is_done) return ts_start_item(t, &t->items[kept->item]);
    return t->act->plan_defer(t->cycle, kept->job, because == 0);
}

int32_t firm_plans_put_back(struct firm_plans *f, struct ts *t) {
    const lsched_firm_start *list;
    uint32_t n;
    int32_t rc = t->act->firm->list(t->cycle, &list, &n);
    f->n = 0;
    f->first_lost = UINT32_MAX;
    f->allowed = rc == 1;
    for (uint32_t i = 0; i < n && rc >= 0; i++) {
        struct firm_kept kept = {.job = list[i].job};
        if (!ENV_ROOM(&t->env, f->list, f->cap, f->n + 1ull)) return LSCHED_E_NOMEM;
        rc = t->act->firm->take(t->cycle, kept.job);
        if (rc < 0) return rc;
        rc = f->allowed ? put_firm_at(f, t, &kept, list[i].at_us) : LSCHED_BECAUSE_GUARANTEE;
        rc = start_or_aside(t, &kept, rc);
        if (kept.because && f->first_lost > f->n) f->first_lost = f->n;
        f->list[f->n++] = kept;
    }
    if (f->first_lost > f->n) f->first_lost = f->n;
    return rc < 0 ? rc : LSCHED_OK;
}

/* True if the job has its place in the plan, and has not started. */
static int is_put(const struct firm_plans *f, const struct ts *t, uint32_t i) {
    return f->list[i].because == 0 && t->items[f->list[i].item].state == TS_PLANNED;
}

/* Takes the room of an item. */
static int32_t give_room_up(struct ts *t, struct ts_item *item) {
    int32_t rc = ts_take(t, item, -1);
    item->state = TS_GIVEN_UP;
    item->n_parts = 0;
    return rc;
}

int32_t firm_plans_take_back(struct firm_plans *f, struct ts *t) {
    int32_t rc = LSCHED_OK;
    for (uint32_t i = f->first_lost; i < f->n && rc >= 0; i++)
        if (is_put(f, t, i)) rc = give_room_up(t, &t->items[f->list[i].item]);
    return rc;
}

/* Takes the room of the last item, if its start is not sure behind the jobs that lost theirs. */
static int32_t drop_unsure(struct ts *t) {
    struct ts_item *item = &t->items[t->n_items - 1];
    int32_t rc = t->sure > LSCHED_END_ESTIMATE ? firm_sure_is(t, item) : 1;
    if (rc != 0) return rc < 0 ? rc : 0;
    rc = give_room_up(t, item);
    return rc < 0 ? rc : LSCHED_BECAUSE_EARLIER;
}

int32_t firm_plans_put_again(struct firm_plans *f, struct ts *t, uint32_t i) {
    struct firm_kept *kept = &f->list[i];
    int32_t rc = put_firm_at(f, t, kept, t->items[kept->item].start);
    if (rc == 0) rc = drop_unsure(t);
    if (rc < 0) return rc;
    kept->because = rc ? LSCHED_BECAUSE_EARLIER : 0;
    if (rc) return 0;
    rc = start_or_aside(t, kept, 0);
    return rc < 0 ? rc : 1;
}

int32_t firm_plans_leave_losers(struct firm_plans *f, struct ts *t) {
    int32_t rc = LSCHED_OK;
    for (uint32_t i = f->first_lost; i < f->n && rc >= 0; i++) {
        const struct firm_kept *kept = &f->list[i];
        if (!kept->because || kept->item == LSCHED_NO_ROW) continue;
        struct ts_item *item = &t->items[kept->item];
        if (item->state != TS_PLANNED) continue;
        rc = give_room_up(t, item);
        if (rc >= 0) rc = t->act->plan_take(t->cycle, item->job);
        if (rc >= 0)
            rc = t->act->plan_wait(t->cycle, item->job, item->start, LSCHED_NO_ROW, LSCHED_NO_ROW);
    }
    return rc;
}

/* Returns 1 if all firm starts on the nodes of the item are sure, else 0, or a negative code. */
static int32_t spares_all(struct ts *t, const struct ts_item *item) {
    int32_t rc = 1;
    for (uint32_t p = item->first_part; p < item->first_part + item->n_parts && rc == 1; p++)
        rc = firm_sure_stays(t, t->parts[p].bin);
    return rc;
}

/* Brings an item back to a place that it had before. */
static int32_t move_back(struct ts *t, struct ts_item *item, const struct ts_item *old) {
    int32_t rc = ts_take(t, item, -1);
    *item = *old;
    return rc < 0 ? rc : ts_take(t, item, 1);
}

/* Starts a job that was set aside, if limits allow that while all others are counted, and no rule
 * that the plan does not know refuses the place. */
static int32_t start_early(struct ts *t, struct ts_item *item, const struct ts_item *old) {
    int32_t rc = t->act->plan_take(t->cycle, item->job);
    if (rc >= 0) rc = t->act->within_limits(t->cycle, item->job);
    if (rc == 1) rc = ts_try_item(t, item);
    if (rc == 1) return rc;
    if (rc >= 0) rc = move_back(t, item, old);
    return rc < 0 ? rc : t->act->plan_defer(t->cycle, item->job, 1);
}

/* Moves an item to its earliest start, if that is sure, or starts its job. */
static int32_t compress(struct ts *t, struct ts_item *item) {
    static const lsched_plan_ask plain = {.size = sizeof plain}; /* no MIG profile */
    struct ts_item old = *item;
    int32_t rc = ts_take(t, item, -1);
    if (rc >= 0) rc = ts_schedule(t, item, &plain);
    /* 0 is not reached, because the old place is free */
    if (rc != 1) return rc < 0 ? rc : LSCHED_E_INVAL;
    if (item->start == old.start) return LSCHED_OK;
    rc = spares_all(t, item);
    if (rc == 1 && item->start > t->timeline.now) rc = firm_sure_is(t, item);
    if (rc <= 0) return rc < 0 ? rc : move_back(t, item, &old);
    return item->start <= t->timeline.now ? start_early(t, item, &old) : LSCHED_OK;
}

int32_t firm_plans_compress(struct firm_plans *f, struct ts *t) {
    int32_t rc = LSCHED_OK;
    for (uint32_t i = 0; i < f->n && rc >= 0 && t->act->spend(t->cycle, 0) == 1; i++)
        if (is_put(f, t, i) && !f->list[i].stays) rc = compress(t, &t->items[f->list[i].item]);
    return rc < 0 ? rc : LSCHED_OK;
}

int32_t firm_plans_spare(struct ts *t, struct ts_item *item, const lsched_plan_ask *ask) {
    int64_t length = item->length;
    int32_t rc = spares_all(t, item);
    if (rc != 0) return rc;
    rc = ts_take(t, item, -1);
    item->length = FREE_TIMELINE_FOREVER;
    if (rc >= 0) rc = ts_schedule(t, item, ask);
    if (rc == 1) {
        int32_t spares = item->start <= t->timeline.now ? spares_all(t, item) : 1;
        rc = ts_take(t, item, -1);
        if (rc >= 0) rc = spares;
    }
    item->length = length;
    if (rc != 1) return rc;
    rc = ts_take(t, item, 1);
    return rc < 0 ? rc : 1;
}

int32_t firm_plans_judge(const struct firm_plans *f, struct ts *t, struct ts_item *item) {
    if (!t->sure || !f->allowed) return LSCHED_OK;
    int32_t rc = firm_sure_is(t, item);
    if (rc == 1) rc = firm_sure_stays(t, t->parts[item->first_part].bin);
    item->is_firm = rc == 1;
    return rc < 0 ? rc : LSCHED_OK;
}
