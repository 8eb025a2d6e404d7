/* tsdpbp_jobs.c -- see tsdpbp_jobs.h. */
#include "algorithms/planning/tsdpbp_jobs.h"

#include <string.h>

#include "algorithms/planning/firm_sure.h"
#include "algorithms/planning/tsdpbp_after.h"
#include "algorithms/planning/tsdpbp_bins.h"
#include "algorithms/planning/tsdpbp_slices.h"

static struct ts_item *item_new(struct ts *t) {
    if (!ENV_ROOM(&t->env, t->items, t->cap_items, t->n_items + 1ull)) return NULL;
    memset(&t->items[t->n_items], 0, sizeof *t->items);
    return &t->items[t->n_items];
}

/* ---- jobs that are placed as allocate does ---- */

/* Reads all nodes again that the placements of the transaction change. Returns 1, or 0 if planned
 * work does not fit there any more or a firm start is not sure any more, or a negative error code.
 */
static int32_t renew_placed(struct ts *t) {
    const uint32_t *nodes;
    uint32_t n;
    int32_t rc = t->act->placed(t->cycle, &nodes, &n), sound = 1;
    for (uint32_t i = 0; rc >= 0 && i < n; i++) {
        int32_t fits = ts_renew(t, nodes[i]);
        if (fits == 1) fits = firm_sure_stays(t, nodes[i]);
        if (fits < 0) return fits;
        sound &= fits;
    }
    return rc < 0 ? rc : sound;
}

int64_t ts_next_start(const struct ts *t) {
    int64_t at = FREE_TIMELINE_FOREVER;
    for (uint32_t i = 0; i < t->n_items; i++)
        if ((t->items[i].state == TS_ASIDE || t->items[i].state == TS_PLANNED) &&
            t->items[i].start < at && t->items[i].start > t->timeline.now)
            at = t->items[i].start;
    return at;
}

int32_t ts_defer_alone(struct ts *t, uint32_t job) {
    int32_t rc = t->act->plan_defer(t->cycle, job, 0);
    if (rc >= 0) rc = t->act->plan_take(t->cycle, job);
    return rc < 0 ? rc : 0;
}

/* Rolls back the placements of a job that took room which planned work needs, and reads these nodes
 * again. */
static int32_t free_placed(struct ts *t, uint64_t mark) {
    const uint32_t *nodes;
    uint32_t n;
    int32_t rc = t->act->placed(t->cycle, &nodes, &n);
    if (rc >= 0) rc = t->act->rollback(t->cycle, mark);
    for (uint32_t i = 0; rc >= 0 && i < n; i++) rc = ts_renew(t, nodes[i]);
    return rc;
}

/* Sets *longest to the time from now to the first planned start on a node where the transaction has
 * places; FREE_TIMELINE_FOREVER if no start is planned there. */
static int32_t until_planned(struct ts *t, int64_t *longest) {
    const uint32_t *nodes;
    uint32_t n;
    int64_t at = FREE_TIMELINE_FOREVER, now = t->timeline.now;
    int32_t rc = t->act->placed(t->cycle, &nodes, &n);
    if (rc >= 0) rc = ts_after_room(t, t->timeline.n_bins);
    if (rc < 0) return rc;
    uint32_t *is_placed = t->scratch.ended; /* LSCHED_NO_ROW is no */
    for (uint32_t i = 0; i < n; i++) is_placed[nodes[i]] = 0;
    for (uint32_t i = t->first_open; i < t->n_items; i++) {
        const struct ts_item *item = &t->items[i];
        if (item->state != TS_ASIDE && item->state != TS_PLANNED) continue;
        if (item->start <= now || item->start >= at) continue;
        uint32_t p = item->first_part, end = p + item->n_parts;
        while (p < end && is_placed[t->parts[p].bin] == LSCHED_NO_ROW) p++;
        int on_device = item->slices && is_placed[t->devices[item->device].node] != LSCHED_NO_ROW;
        if (p < end || on_device) at = item->start;
    }
    for (uint32_t i = 0; i < n; i++) is_placed[nodes[i]] = LSCHED_NO_ROW;
    *longest = at == FREE_TIMELINE_FOREVER ? at : at - now;
    return rc;
}

/* Lets a job that took room which planned work needs wait for the next planned start. Jobs of its
 * bundle that take less time possibly start. If the plan can describe the job, it waits alone, and
 * the others are tried. Otherwise the first of them is next that ends before work is planned where
 * this job had its places: it can have the same places. */
static int32_t make_way(struct ts *t, uint32_t job, uint64_t mark) {
    lsched_plan_ask ask = {.duration_us = 0};
    int64_t longest = 0;
    int32_t rc = t->in_line ? until_planned(t, &longest) : LSCHED_OK;
    if (rc >= 0) rc = free_placed(t, mark);
    if (rc >= 0) rc = t->act->plan_ask(t->cycle, job, &ask);
    if (rc == 1)
        rc = ts_defer_alone(t, job);
    else if (rc == 0 && longest > 0 && longest < ask.duration_us) {
        t->longest = longest;
        return t->act->plan_rest(t->cycle, job, ts_next_start(t), longest);
    }
    if (rc < 0) return rc;
    return t->act->plan_wait(t->cycle, job, ts_next_start(t), LSCHED_NO_ROW, LSCHED_NO_ROW);
}

/* Brings the next job into line that asks for the same as the started job, if such jobs rest. */
static int32_t offer_next(struct ts *t, uint32_t job) {
    if (!t->in_line || t->longest == 0) return LSCHED_OK;
    return t->act->plan_offer(t->cycle, job, t->longest);
}

/* Gives the started job `extra` steps more than its minimum, which the transaction has up to
 * `mark`. Returns 1, or 0 if planned work then has too little room, or a negative error code. */
static int32_t extend_by(struct ts *t, struct gang *g, uint64_t mark, uint32_t extra) {
    int32_t rc = free_placed(t, mark);
    g->extra_max = extra;
    if (rc >= 0) rc = gang_extend(g);
    return rc == 1 ? renew_placed(t) : rc;
}

/* Gives a job that starts, and whose size is chosen now, as many tasks as fit and delay no planned
 * start. A smaller number is found by halving. Returns 1 or a negative error code. */
static int32_t start_more(struct ts *t, uint32_t job) {
    struct gang g = {t->act, t->cycle, t->memory, job, NULL, 0, gang_seat_free, UINT32_MAX, 0};
    uint64_t mark;
    int32_t rc = t->act->checkpoint(t->cycle, &mark);
    if (rc >= 0) rc = gang_extend(&g);
    if (rc < 0 || g.extra == 0 || !t->built) return rc < 0 ? rc : 1;
    uint32_t fits = 0, delays = g.extra;
    rc = renew_placed(t);
    int last = rc;
    while (rc >= 0 && last == 0 && delays - fits > 1) {
        uint32_t half = fits + (delays - fits) / 2;
        rc = extend_by(t, &g, mark, half);
        last = rc == 1 && half + 1 == delays;
        if (rc == 1)
            fits = half;
        else
            delays = half;
    }
    /* unless the number that was tried last is the one that fits */
    if (rc >= 0 && !last) rc = extend_by(t, &g, mark, fits);
    return rc < 0 ? rc : 1;
}

/* Sets a job aside that the plan cannot describe. Returns LSCHED_OK or a negative error code. */
static int32_t set_job_aside(struct ts *t, uint32_t job, uint32_t state) {
    struct ts_item *item = item_new(t);
    if (!item) return LSCHED_E_NOMEM;
    item->job = job;
    item->length = FREE_TIMELINE_FOREVER;
    item->state = state;
    t->n_items++;
    return t->act->plan_defer(t->cycle, job, 0);
}

/* Places a job as allocate does. is_first: 1 if the window of jobs is not settled yet. A job that
 * took room which planned work needs is set aside then: the work of the window that starts now has
 * no places yet, so the search for nodes does not know it. When it has its places, the job is tried
 * again. Without windows, work is placed as soon as its start is known. */
static int32_t seat_or_wait(struct ts *t, uint32_t job, int is_first) {
    struct gang g = {t->act, t->cycle, t->memory, job, NULL, 0, gang_seat_free, 0, 0};
    uint64_t mark;
    int32_t rc = t->act->checkpoint(t->cycle, &mark), fits = 1, now = 1;
    if (rc >= 0) rc = gang_try(&g);
    if (rc == 0) {
        now = 0;
        rc = gang_try_later(&g, mark);
    }
    if (rc < 0) return rc;
    if (rc == 0) return t->act->park(t->cycle, job);
    if (t->built) fits = renew_placed(t);
    if (fits < 0) return fits;
    if (!fits && is_first && t->window) {
        rc = free_placed(t, mark);
        return rc < 0 ? rc : set_job_aside(t, job, TS_CROWDED);
    }
    if (!fits) return make_way(t, job, mark);
    if (now) rc = start_more(t, job);
    if (rc < 0) return rc;
    t->placed++;
    rc = t->act->commit(t->cycle, job);
    return rc < 0 ? rc : offer_next(t, job);
}

int32_t ts_seat_as_allocate(struct ts *t, uint32_t job) {
    return seat_or_wait(t, job, 0);
}

/* ---- planning a job ---- */

int32_t ts_schedule(struct ts *t, struct ts_item *item, const lsched_plan_ask *ask) {
    if (ask->mig_profile.len) return ts_slices_find(t, item);
    int32_t rc = free_start_find(&t->scratch.search, &t->timeline, item->able, item->length,
                                 &item->need, item->tasks, &item->start);
    if (rc != LSCHED_OK) return rc;
    if (item->start == FREE_TIMELINE_FOREVER) return 0;
    rc = ts_choose(t, item);
    if (rc == LSCHED_OK) rc = ts_take(t, item, 1);
    return rc == LSCHED_OK ? 1 : rc;
}

/* Asks the engine for the needs of a job, and reads the nodes if they have not been read in this
 * cycle. Returns 1, or 0 if the plan cannot express the job, or a negative error code. */
static int32_t plan_ask_of(struct ts *t, uint32_t job, lsched_plan_ask *ask) {
    int32_t rc = t->act->plan_ask(t->cycle, job, ask);
    if (rc != 1 || (ask->mig_profile.len && ask->tasks != 1)) return rc < 0 ? rc : 0;
    rc = ts_build(t);
    /* asked again, because ts_build can overwrite the engine's reply */
    return rc == LSCHED_OK ? t->act->plan_ask(t->cycle, job, ask) : rc;
}

int32_t ts_describe(struct ts *t, uint32_t job, lsched_plan_ask *ask, struct ts_item **out) {
    int32_t rc = plan_ask_of(t, job, ask);
    if (rc != 1) return rc;
    struct ts_item *item = item_new(t);
    if (!item) return LSCHED_E_NOMEM;
    item->job = job;
    item->length = ask->duration_us == LSCHED_NEVER_US ? FREE_TIMELINE_FOREVER : ask->duration_us;
    if (!ts_need(t, ask->task, &item->need)) return 0;
    if (ask->mig_profile.len) /* 0, because t->slices counts the memory slices of MIG devices */
        item->need.of[TS_COLUMN_DEVICES] = 0;
    int32_t able = ts_able(t, job, ask);
    if (able < 0) return able;
    item->able = (uint32_t)able;
    item->tasks = ask->tasks;
    item->end = (uint32_t)ask->end;
    item->node_before = ask->planned_node;
    rc = t->act->within_limits(t->cycle, job);
    if (rc < 0) return rc;
    item->state = rc == 1 ? TS_ASIDE : TS_LIMITED;
    *out = item;
    return 1;
}

int32_t ts_plan_job(struct ts *t, uint32_t job) {
    lsched_plan_ask ask;
    struct ts_item *item;
    int32_t rc = ts_describe(t, job, &ask, &item);
    if (rc != 1) return rc;
    /* a job that a limit keeps out is settled by settle_limited, when all planned starts are
     * known */
    rc = item->state == TS_ASIDE ? ts_schedule(t, item, &ask) : 1;
    if (rc != 1) return rc;
    uint32_t charged = item->state == TS_ASIDE;
    t->n_items++;
    rc = t->act->plan_defer(t->cycle, job, charged);
    return rc < 0 ? rc : 1;
}

int32_t ts_seat_or_limit(struct ts *t, uint32_t job) {
    if (t->n_items == t->first_open) return seat_or_wait(t, job, 1);
    int32_t rc = t->act->within_limits(t->cycle, job);
    if (rc != 0) return rc < 0 ? rc : seat_or_wait(t, job, 1);
    return set_job_aside(t, job, TS_LIMITED);
}

/* ---- carrying out ---- */

static int32_t place_parts(struct ts *t, const struct ts_item *item) {
    if (item->slices) {
        const struct ts_device *d = &t->devices[item->device];
        uint64_t on[LSCHED_DEVICE_WORDS] = {0};
        on[d->index / 64] = (uint64_t)1 << d->index % 64;
        return t->act->place_on(t->cycle, item->job, 0, d->node, on,
                                (uint64_t)item->slice_from << 4 * d->index);
    }
    for (uint32_t p = item->first_part; p < item->first_part + item->n_parts; p++) {
        uint32_t node = t->parts[p].bin;
        for (uint32_t i = 0; i < t->parts[p].tasks; i++) {
            int32_t rc = t->act->place(t->cycle, item->job, 0, node);
            if (rc != 1) return rc;
        }
    }
    return 1;
}

int32_t ts_try_item(struct ts *t, struct ts_item *item) {
    uint64_t mark;
    int32_t rc = t->act->checkpoint(t->cycle, &mark);
    if (rc >= 0) rc = place_parts(t, item);
    if (rc < 0) return rc;
    if (rc != 1) {
        rc = t->act->rollback(t->cycle, mark);
        return rc < 0 ? rc : 0;
    }
    item->state = TS_PLACED;
    rc = start_more(t, item->job);
    if (rc < 0) return rc;
    t->placed++;
    rc = t->act->commit(t->cycle, item->job);
    return rc < 0 ? rc : 1;
}

int32_t ts_start_item(struct ts *t, struct ts_item *item) {
    int32_t rc = ts_try_item(t, item);
    if (rc != 0) return rc < 0 ? rc : LSCHED_OK;
    /* The engine refuses the placement for a reason that the plan does not know.
     * seat_or_wait() places the job elsewhere or parks it. */
    uint32_t job = item->job;
    rc = ts_take(t, item, -1);
    item->state = TS_GIVEN_UP;
    item->n_parts = 0;
    return rc < 0 ? rc : seat_or_wait(t, job, 1); /* this can move t->items */
}

/* Settles a job that a limit keeps out. `at` is the first planned start. A job that ends before
 * `at` is tried as by allocate, because planned jobs count against limits only from then on. A
 * longer job that the limits allow now waits for `at`. A longer job that the limits keep out even
 * now is also tried as by allocate, which parks it with the limit as wait reason. */
static int32_t settle_limited(struct ts *t, const struct ts_item *item, int64_t at) {
    uint32_t job = item->job;
    int32_t rc = t->act->plan_take(t->cycle, job);
    if (rc < 0) return rc;
    if (at != FREE_TIMELINE_FOREVER && item->length > at - t->timeline.now) {
        rc = t->act->within_limits(t->cycle, job);
        if (rc == 1) return t->act->plan_wait(t->cycle, job, at, LSCHED_NO_ROW, LSCHED_NO_ROW);
    }
    return rc < 0 ? rc : ts_seat_as_allocate(t, job);
}

/* Tries a job again that took room which planned work needs, now that the work of the window that
 * starts now has its places. */
static int32_t settle_crowded(struct ts *t, const struct ts_item *item) {
    uint32_t job = item->job;
    int32_t rc = t->act->plan_take(t->cycle, job);
    return rc < 0 ? rc : ts_seat_as_allocate(t, job);
}

int32_t ts_settle(struct ts *t) {
    int32_t rc = t->built ? ts_after_begin(t) : LSCHED_OK;
    for (uint32_t i = t->first_open; i < t->n_items && rc >= 0; i++) {
        struct ts_item *item = &t->items[i];
        if (item->state != TS_PLANNED) continue;
        uint32_t node, after = ts_after(t, item, &node);
        rc = t->act->plan_take(t->cycle, item->job);
        if (rc >= 0) rc = t->act->plan_wait(t->cycle, item->job, item->start, node, after);
        if (rc < 0 || !item->is_firm) continue;
        rc = t->act->firm->grant(t->cycle, item->job);
        if (rc > 0) rc = LSCHED_OK;
    }
    int64_t at = ts_next_start(t);
    for (uint32_t i = t->first_open; i < t->n_items && rc >= 0; i++)
        if (t->items[i].state == TS_LIMITED)
            rc = settle_limited(t, &t->items[i], at);
        else if (t->items[i].state == TS_CROWDED)
            rc = settle_crowded(t, &t->items[i]);
    t->first_open = t->n_items;
    return rc;
}
