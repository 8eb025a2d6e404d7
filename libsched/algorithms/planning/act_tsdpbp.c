/*
 * act_tsdpbp.c -- the action ts-dpbp: decides where and when jobs start, in the order that the
 * share and order algorithms give; the action never changes which job is next. A pipeline has this
 * action in place of allocate. tsdpbp.h explains the method.
 *
 * Some jobs cannot be expressed in the plan (domains, device claims, shares of a GPU, growth ...).
 * The action places them as allocate does, when their turn in the order comes, unless that would
 * delay a job planned before. One window follows another as long as a window places some job; jobs
 * behind the last window then wait.
 *
 * Cost: O(nodes + tasks) once per cycle in which some job waits to be planned. Per job, O(nodes)
 * for a start now, and O(nodes x ends on a node) for a later start. The packer takes `ts_work` work
 * units per window in which some job could start earlier.
 */
#include "algorithms/planning/tsdpbp.h"

#include <string.h>

#define WINDOW_DEFAULT 64.0
#define WINDOW_MOST    16384.0
#define WORK_DEFAULT   20000.0
#define LIMITED_MOST   4096u

/* ---- jobs that are placed as allocate does ---- */

/* Reads the nodes again where the transaction placed something. Returns 1, or 0 if planned work
 * does not fit there any more. */
static int32_t renew_placed(struct ts *t) {
    uint32_t nodes[64];
    int32_t n = t->act->placed(t->cycle, 0, nodes, 0), sound = 1;
    for (uint32_t from = 0; n >= 0 && from < (uint32_t)n; from += 64) {
        int32_t rc = t->act->placed(t->cycle, from, nodes, 64);
        for (uint32_t i = 0; rc >= 0 && i < 64 && from + i < (uint32_t)n; i++) {
            int32_t fits = ts_renew(t, nodes[i]);
            if (fits < 0) return fits;
            sound &= fits;
        }
    }
    return n < 0 ? n : sound;
}

static int64_t next_start(const struct ts *t) {
    int64_t at = FREE_TIMELINE_FOREVER;
    for (uint32_t i = 0; i < t->n_items; i++)
        if ((t->items[i].state == TS_ASIDE || t->items[i].state == TS_PLANNED) &&
            t->items[i].start < at && t->items[i].start > t->timeline.now)
            at = t->items[i].start;
    return at;
}

/* Handles a job that took room which planned work needs: rolls its placements back, reads these
 * nodes again, and lets the job wait for the next planned start. */
static int32_t act_tsdpbp_give_way(struct ts *t, uint32_t job, uint64_t mark) {
    uint32_t nodes[64];
    int32_t n = t->act->placed(t->cycle, 0, nodes, 64), rc = t->act->rollback(t->cycle, mark);
    int all = n > 64;
    if (n < 0 || rc < 0) return n < 0 ? n : rc;
    for (uint32_t i = 0; i < (all ? t->timeline.n_bins : (uint32_t)n) && rc >= 0; i++)
        rc = ts_renew(t, all ? t->timeline.bins[i].node : nodes[i]);
    if (rc < 0) return rc;
    return t->act->plan_wait(t->cycle, job, next_start(t), LSCHED_NO_ROW, LSCHED_NO_ROW);
}

static int32_t seat_as_allocate(struct ts *t, uint32_t job) {
    struct gang g = {t->act, t->cycle, t->memory, job, NULL, 0, gang_seat_free};
    uint64_t mark;
    int32_t rc = t->act->checkpoint(t->cycle, &mark), fits = 1;
    if (rc >= 0) rc = gang_try(&g);
    if (rc == 0) rc = gang_try_later(&g, mark);
    if (rc < 0) return rc;
    if (rc == 0) return t->act->park(t->cycle, job);
    if (t->built) fits = renew_placed(t);
    if (fits < 0) return fits;
    if (!fits) return act_tsdpbp_give_way(t, job, mark);
    t->placed++;
    return t->act->commit(t->cycle, job);
}

/* ---- the window ---- */

/* What follows after the jobs of a window: no further job; more jobs than the window or the budget
 * allows; or unknown, because limits kept out so many jobs. */
enum ts_line { LINE_IS_DONE, LINE_IS_LONG, LINE_GOES_ON };

static struct ts_item *item_new(struct ts *t) {
    void *p = ts_more(t, t->items, &t->cap_items, (uint64_t)t->n_items + 1, sizeof *t->items);
    if (!p) return NULL;
    t->items = p;
    memset(&t->items[t->n_items], 0, sizeof *t->items);
    return &t->items[t->n_items];
}

/* Gives the job the earliest start that delays no job before it. Returns 1, or 0 if no such start
 * is known. */
static int32_t schedule(struct ts *t, struct ts_item *item, const lsched_plan_ask *ask) {
    int32_t able = ts_able(t, ask);
    if (able < 0) return able;
    item->able = (uint32_t)able;
    item->tasks = ask->tasks;
    item->node_before = ask->planned_node;
    if (ask->mig_profile.len) return ts_slices_find(t, item);
    int32_t rc = free_timeline_find(&t->timeline, t->able + (size_t)item->able * t->timeline.n_bins,
                                    item->length, &item->need, item->tasks, &item->start);
    if (rc != LSCHED_OK) return rc;
    if (item->start == FREE_TIMELINE_FOREVER) return 0;
    rc = ts_choose(t, item);
    if (rc == LSCHED_OK) rc = ts_take(t, item, 1);
    return rc == LSCHED_OK ? 1 : rc;
}

/* Adds the current job to the plan. Returns 1, or 0 if the plan cannot express it or no start is
 * known. */
static int32_t plan_job(struct ts *t, uint32_t job) {
    lsched_plan_ask ask;
    int32_t rc = t->act->plan_ask(t->cycle, job, &ask);
    if (rc != 1 || (ask.mig_profile.len && ask.tasks != 1)) return rc < 0 ? rc : 0;
    rc = ts_build(t);
    /* ts_build may have overwritten the answer */
    if (rc == LSCHED_OK) rc = t->act->plan_ask(t->cycle, job, &ask);
    struct ts_item *item = rc == 1 ? item_new(t) : NULL;
    if (rc != 1 || !item) return rc == 1 ? LSCHED_E_NOMEM : rc;
    item->job = job;
    item->length = ask.duration_us == LSCHED_NEVER_US ? FREE_TIMELINE_FOREVER : ask.duration_us;
    if (!ts_need(t, ask.task, &item->need)) return 0;
    if (ask.mig_profile.len)
        item->need.of[TS_COLUMN_DEVICES] = 0; /* memory slices are counted in t->slices */
    rc = t->act->within_limits(t->cycle, job);
    if (rc < 0) return rc;
    item->state = rc == 1 ? TS_ASIDE : TS_LIMITED;
    if (rc == 1)
        rc = schedule(t, item, &ask);
    else
        rc = 1;    /* settle_limited decides when all planned starts are known */
    if (rc == 0) { /* park this job alone: equal jobs that take less time may have a start */
        rc = t->act->plan_defer(t->cycle, job, 0);
        if (rc >= 0) rc = t->act->plan_take(t->cycle, job);
        return rc < 0 ? rc : 0;
    }
    if (rc != 1) return rc;
    uint32_t charged = item->state == TS_ASIDE;
    t->n_items++;
    rc = t->act->plan_defer(t->cycle, job, charged);
    return rc < 0 ? rc : 1;
}

/* Places a job that the plan cannot express, as allocate does. Planned jobs count against limits,
 * however: if a limit keeps the job out, the job is settled together with the plan. Otherwise
 * nothing would wake the job when the plan changes. */
static int32_t seat_or_limit(struct ts *t, uint32_t job) {
    if (t->n_items == t->first_open) return seat_as_allocate(t, job);
    int32_t rc = t->act->within_limits(t->cycle, job);
    if (rc != 0) return rc < 0 ? rc : seat_as_allocate(t, job);
    struct ts_item *item = item_new(t);
    if (!item) return LSCHED_E_NOMEM;
    item->job = job;
    item->length = FREE_TIMELINE_FOREVER;
    item->state = TS_LIMITED;
    t->n_items++;
    return t->act->plan_defer(t->cycle, job, 0);
}

/* Fills the window with the next jobs. Jobs that limits keep out do not count towards the window's
 * size; otherwise they would keep later jobs out of the window. */
static int32_t fill_window(struct ts *t, enum ts_line *line) {
    uint32_t job, aside = 0, before = t->n_items;
    t->first_item = t->n_items;
    t->n_able = 0;
    for (;;) {
        *line = aside >= t->window ? LINE_IS_LONG : LINE_GOES_ON;
        if (*line == LINE_IS_LONG || t->n_items - t->first_item >= t->window + LIMITED_MOST)
            return LSCHED_OK;
        int32_t rc = t->act->next_job(t->cycle, &job);
        if (rc <= 0) {
            *line = t->act->spend(t->cycle, 0) ? LINE_IS_DONE : LINE_IS_LONG;
            return rc;
        }
        rc = plan_job(t, job);
        if (rc == 0) rc = seat_or_limit(t, job);
        if (rc < 0) return rc;
        for (; before < t->n_items; before++) aside += t->items[before].state == TS_ASIDE;
    }
}

/* ---- carrying out the plan ---- */

static int32_t place_parts(struct ts *t, const struct ts_item *item) {
    if (item->slices) {
        const struct ts_device *d = &t->devices[item->device];
        return t->act->place_on(t->cycle, item->job, 0, d->node, 1u << d->index,
                                (uint64_t)item->slice_from << 4 * d->index);
    }
    for (uint32_t p = item->first_part; p < item->first_part + item->n_parts; p++) {
        uint32_t node = t->timeline.bins[t->parts[p].bin].node;
        for (uint32_t i = 0; i < t->parts[p].tasks; i++) {
            int32_t rc = t->act->place(t->cycle, item->job, 0, node);
            if (rc != 1) return rc;
        }
    }
    return 1;
}

static int32_t act_tsdpbp_start_item(struct ts *t, struct ts_item *item) {
    uint64_t mark;
    int32_t rc = t->act->checkpoint(t->cycle, &mark);
    if (rc >= 0) rc = place_parts(t, item);
    if (rc < 0) return rc;
    if (rc == 1) {
        item->state = TS_PLACED;
        t->placed++;
        return t->act->commit(t->cycle, item->job);
    }
    /* a reason outside the plan: seat_as_allocate places the job elsewhere, or parks it */
    rc = t->act->rollback(t->cycle, mark);
    if (rc >= 0) rc = ts_take(t, item, -1);
    item->state = TS_GIVEN_UP;
    item->n_parts = 0;
    return rc < 0 ? rc : seat_as_allocate(t, item->job);
}

static int32_t act_tsdpbp_carry_out(struct ts *t) {
    int32_t rc = LSCHED_OK;
    for (uint32_t i = t->first_item; i < t->n_items && rc >= 0; i++) {
        struct ts_item *item = &t->items[i];
        if (item->state != TS_ASIDE) continue;
        item->state = TS_PLANNED;
        /* the job stays set aside, and its queue stays charged */
        if (item->start > t->timeline.now) continue;
        item->state = TS_ASIDE;
        rc = t->act->plan_take(t->cycle, item->job);
        if (rc >= 0) rc = act_tsdpbp_start_item(t, item);
    }
    return rc;
}

/* Settles a job that limits keep out, or that planned jobs would keep out. If planned jobs count
 * against the limits, the job can run only if it ends before the first planned start, `at`. */
static int32_t settle_limited(struct ts *t, const struct ts_item *item, int64_t at) {
    uint32_t job = item->job;
    int32_t rc = t->act->plan_take(t->cycle, job);
    if (rc < 0) return rc;
    if (at != FREE_TIMELINE_FOREVER && item->length > at - t->timeline.now) {
        rc = t->act->within_limits(t->cycle, job);
        if (rc == 1) return t->act->plan_wait(t->cycle, job, at, LSCHED_NO_ROW, LSCHED_NO_ROW);
    }
    return rc < 0 ? rc : seat_as_allocate(t, job);
}

/* Settles all jobs that are still set aside: the wait reason of each becomes its planned start, or
 * the limit that keeps it out. */
static int32_t act_tsdpbp_settle(struct ts *t) {
    int32_t rc = LSCHED_OK;
    for (uint32_t i = t->first_open; i < t->n_items && rc >= 0; i++) {
        struct ts_item *item = &t->items[i];
        if (item->state != TS_PLANNED) continue;
        uint32_t node, after = ts_after(t, item, &node);
        rc = t->act->plan_take(t->cycle, item->job);
        if (rc >= 0) rc = t->act->plan_wait(t->cycle, item->job, item->start, node, after);
    }
    int64_t at = next_start(t);
    for (uint32_t i = t->first_open; i < t->n_items && rc >= 0; i++)
        if (t->items[i].state == TS_LIMITED) rc = settle_limited(t, &t->items[i], at);
    t->first_open = t->n_items;
    return rc;
}

/* Parks all remaining jobs until the next planned start; no further job starts in this cycle. */
static int32_t leave_rest(struct ts *t, int64_t at) {
    uint32_t job;
    int32_t rc;
    while ((rc = t->act->next_job(t->cycle, &job)) == 1) {
        rc = t->act->plan_wait(t->cycle, job, at, LSCHED_NO_ROW, LSCHED_NO_ROW);
        if (rc < 0) return rc;
    }
    return rc;
}

static int32_t plan_windows(struct ts *t) {
    enum ts_line line;
    for (;;) {
        t->placed = 0;
        int32_t rc = fill_window(t, &line);
        if (rc >= 0) rc = ts_improve(t);
        if (rc >= 0) rc = act_tsdpbp_carry_out(t);
        int is_last = line == LINE_IS_DONE || (line == LINE_IS_LONG && t->placed == 0);
        if (rc >= 0 && (is_last || t->n_items - t->first_open > LIMITED_MOST))
            rc = act_tsdpbp_settle(t);
        if (rc < 0) return rc;
        if (is_last && line == LINE_IS_LONG && next_start(t) != FREE_TIMELINE_FOREVER)
            return leave_rest(t, next_start(t));
        if (is_last) return LSCHED_OK;
    }
}

static int32_t tsdpbp_run(void *self, const lsched_act *act, lsched_cycle *cycle) {
    struct ts *t = self;
    t->act = act;
    t->cycle = cycle;
    t->built = 0;
    t->n_items = t->n_parts = t->n_ends = t->n_able = t->first_open = 0;
    int32_t rc = act->plan_begin(cycle);
    if (rc <= 0) return rc;
    t->view = act->view(cycle);
    return plan_windows(t);
}

/* ---- the table ---- */

static double param(const lsched_algorithm_env *env, const char *key, double otherwise,
                    double most) {
    size_t n = strlen(key);
    for (uint32_t i = 0; i < env->n_params; i++) {
        const lsched_param *p = &env->params[i];
        if (p->key.len == n && memcmp(p->key.ptr, key, n) == 0 && !p->text.ptr && p->number >= 0)
            return p->number < most ? p->number : most;
    }
    return otherwise;
}

static int32_t tsdpbp_create(const lsched_algorithm_env *env, void **self, lsched_error *err) {
    (void)err;
    struct ts *t = env->alloc(env->engine, sizeof *t);
    if (!t) return LSCHED_E_NOMEM;
    memset(t, 0, sizeof *t);
    t->env = *env;
    t->window = (uint32_t)param(env, "ts_window", WINDOW_DEFAULT, WINDOW_MOST);
    if (t->window == 0) t->window = 1;
    t->work = (uint64_t)param(env, "ts_work", WORK_DEFAULT, 1e15);
    t->memory = env->alloc(env->engine, sizeof *t->memory);
    if (!t->memory) {
        env->free(env->engine, t, sizeof *t);
        return LSCHED_E_NOMEM;
    }
    free_timeline_open(&t->timeline, &t->env);
    free_timeline_open(&t->slices, &t->env);
    *self = t;
    return LSCHED_OK;
}

static void act_tsdpbp_drop(const struct ts *t, void *p, uint64_t n, size_t size) {
    if (p) t->env.free(t->env.engine, p, (size_t)n * size);
}

static void tsdpbp_destroy(const lsched_algorithm_env *env, void *self) {
    struct ts *t = self;
    free_timeline_close(&t->timeline);
    free_timeline_close(&t->slices);
    act_tsdpbp_drop(t, t->devices, t->cap_devices, sizeof *t->devices);
    act_tsdpbp_drop(t, t->bin_of_node, t->cap_nodes, sizeof *t->bin_of_node);
    act_tsdpbp_drop(t, t->items, t->cap_items, sizeof *t->items);
    act_tsdpbp_drop(t, t->parts, t->cap_parts, sizeof *t->parts);
    act_tsdpbp_drop(t, t->ends, t->cap_ends, sizeof *t->ends);
    act_tsdpbp_drop(t, t->able, t->cap_able, 1);
    act_tsdpbp_drop(t, t->able_shape, t->cap_shapes, sizeof *t->able_shape);
    env->free(env->engine, t->memory, sizeof *t->memory);
    env->free(env->engine, t, sizeof *t);
}

static const lsched_act_ops tsdpbp_ops = {sizeof(lsched_act_ops), 0, tsdpbp_run};

extern const lsched_algorithm act_tsdpbp;
const lsched_algorithm act_tsdpbp = {.size = sizeof(lsched_algorithm),
                                     .api = LSCHED_ALGORITHM_API,
                                     .role = LSCHED_ROLE_ACT,
                                     .name = "ts-dpbp",
                                     .create = tsdpbp_create,
                                     .destroy = tsdpbp_destroy,
                                     .act = &tsdpbp_ops};
