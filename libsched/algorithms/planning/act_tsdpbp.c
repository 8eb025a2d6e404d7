/*
 * act_tsdpbp.c -- the action ts-dpbp: decides where and when jobs start, in the order that the
 * share and order algorithms give; the action never changes which job is next. A pipeline has this
 * action in place of allocate. tsdpbp.h explains the method.
 *
 * Some jobs cannot be expressed in the plan, for example jobs with domains, device claims, shares
 * of a GPU, or growth. When such a job is next in the order, the action places it as allocate does,
 * unless this would delay a job that is planned already. The jobs are planned in windows. The next
 * window begins if the last one placed some job; otherwise all jobs behind the window wait.
 *
 * Cost: O(nodes + tasks) once per cycle in which some job waits to be planned. Per job, O(nodes)
 * for a start now, and O(nodes x ends on a node) for a later start. The packer takes `ts_work` of
 * its own work units in each window in which some job could start earlier.
 */
#include "algorithms/builtin.h"
#include "algorithms/planning/tsdpbp_bins.h"
#include "algorithms/planning/tsdpbp_pack.h"
#include "algorithms/planning/tsdpbp_slices.h"

#include <string.h>

#define WINDOW_DEFAULT 64.0
#define WINDOW_MOST    16384.0
#define WORK_DEFAULT   20000.0
#define LIMITED_MOST   4096u

/* ---- jobs that are placed as allocate does ---- */

/* Reads all nodes again on which the transaction has placed tasks. Returns 1, or 0 if planned work
 * does not fit there any more, or a negative error code. */
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

/* Handles a job that took room which planned work needs. The function rolls back the job's
 * placements and reads these nodes again. The job then waits for the next planned start. */
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

/* What follows after the jobs of a window:
 *   LINE_IS_DONE   there is no further job
 *   LINE_IS_LONG   the window is full or the budget is spent; there are possibly more jobs
 *   LINE_GOES_ON   the window ended early, because limits keep out too many of its jobs */
enum ts_line { LINE_IS_DONE, LINE_IS_LONG, LINE_GOES_ON };

static struct ts_item *item_new(struct ts *t) {
    if (!ENV_ROOM(&t->env, t->items, t->cap_items, t->n_items + 1ull)) return NULL;
    memset(&t->items[t->n_items], 0, sizeof *t->items);
    return &t->items[t->n_items];
}

/* Gives the job the earliest start that delays no job planned before it. Returns 1, or 0 if no such
 * start is known, or a negative error code. */
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

/* Asks the engine for the needs of a job, and reads the nodes if they have not been read in this
 * cycle. Returns 1, or 0 if the plan cannot express the job, or a negative error code. */
static int32_t plan_ask_of(struct ts *t, uint32_t job, lsched_plan_ask *ask) {
    int32_t rc = t->act->plan_ask(t->cycle, job, ask);
    if (rc != 1 || (ask->mig_profile.len && ask->tasks != 1)) return rc < 0 ? rc : 0;
    rc = ts_build(t);
    /* asked again, because ts_build can overwrite the engine's reply */
    return rc == LSCHED_OK ? t->act->plan_ask(t->cycle, job, ask) : rc;
}

/* Takes the job out of its bundle, so that the job is parked alone: jobs of the bundle that take
 * less time possibly have a start. Returns 0, or a negative error code. */
static int32_t defer_alone(struct ts *t, uint32_t job) {
    int32_t rc = t->act->plan_defer(t->cycle, job, 0);
    if (rc >= 0) rc = t->act->plan_take(t->cycle, job);
    return rc < 0 ? rc : 0;
}

/* Adds the current job to the plan. Returns 1, or 0 if the plan cannot express the job or no start
 * is known, or a negative error code. */
static int32_t plan_job(struct ts *t, uint32_t job) {
    lsched_plan_ask ask;
    int32_t rc = plan_ask_of(t, job, &ask);
    if (rc != 1) return rc;
    struct ts_item *item = item_new(t);
    if (!item) return LSCHED_E_NOMEM;
    item->job = job;
    item->length = ask.duration_us == LSCHED_NEVER_US ? FREE_TIMELINE_FOREVER : ask.duration_us;
    if (!ts_need(t, ask.task, &item->need)) return 0;
    if (ask.mig_profile.len) /* 0, because t->slices counts the memory slices of MIG devices */
        item->need.of[TS_COLUMN_DEVICES] = 0;
    rc = t->act->within_limits(t->cycle, job);
    if (rc < 0) return rc;
    /* a job that a limit keeps out is settled by settle_limited, when all planned starts are
     * known */
    item->state = rc == 1 ? TS_ASIDE : TS_LIMITED;
    rc = item->state == TS_ASIDE ? schedule(t, item, &ask) : 1;
    if (rc == 0) return defer_alone(t, job);
    if (rc != 1) return rc;
    uint32_t charged = item->state == TS_ASIDE;
    t->n_items++;
    rc = t->act->plan_defer(t->cycle, job, charged);
    return rc < 0 ? rc : 1;
}

/* Places a job that the plan cannot express, as allocate does. Planned jobs count against limits,
 * too. If a limit keeps the job out, the job is settled together with the plan; otherwise nothing
 * would wake the job when the plan changes. */
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

/* Fills the window with the next jobs. A job that a limit keeps out does not count towards the
 * window's size. Otherwise such jobs would fill the window, and later jobs would not be planned. */
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
    /* The engine refuses the placement for a reason that the plan does not know. seat_as_allocate
     * places the job elsewhere or parks it. */
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
        /* a later start: the job stays set aside, and its queue stays charged for it */
        if (item->start > t->timeline.now) continue;
        item->state = TS_ASIDE;
        rc = t->act->plan_take(t->cycle, item->job);
        if (rc >= 0) rc = act_tsdpbp_start_item(t, item);
    }
    return rc;
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
    return rc < 0 ? rc : seat_as_allocate(t, job);
}

/* Settles all jobs that are still set aside. The wait reason of each such job becomes its planned
 * start, or the limit that keeps it out. */
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

/* Parks all remaining jobs until `at`, the next planned start. None of these jobs starts in this
 * cycle. */
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

static int32_t tsdpbp_create(const lsched_algorithm_env *env, void **self, lsched_error *err) {
    (void)err;
    struct ts *t = env_new(env, sizeof *t);
    if (!t) return LSCHED_E_NOMEM;
    t->env = *env;
    t->window = (uint32_t)env_number(env, "ts_window", WINDOW_DEFAULT, WINDOW_MOST);
    if (t->window == 0) t->window = 1;
    t->work = (uint64_t)env_number(env, "ts_work", WORK_DEFAULT, 1e15);
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

static void tsdpbp_destroy(const lsched_algorithm_env *env, void *self) {
    struct ts *t = self;
    free_timeline_close(&t->timeline);
    free_timeline_close(&t->slices);
    env_free(env, t->devices, t->cap_devices * sizeof *t->devices);
    env_free(env, t->bin_of_node, t->cap_nodes * sizeof *t->bin_of_node);
    env_free(env, t->items, t->cap_items * sizeof *t->items);
    env_free(env, t->parts, t->cap_parts * sizeof *t->parts);
    env_free(env, t->ends, t->cap_ends * sizeof *t->ends);
    env_free(env, t->able, t->cap_able);
    env_free(env, t->able_shape, t->cap_shapes * sizeof *t->able_shape);
    env_free(env, t->memory, sizeof *t->memory);
    env->free(env->engine, t, sizeof *t);
}

static const lsched_act_ops tsdpbp_ops = {sizeof(lsched_act_ops), 0, tsdpbp_run};

const lsched_algorithm act_tsdpbp = {BUILTIN(ACT), .name = "ts-dpbp", .create = tsdpbp_create,
                                     .destroy = tsdpbp_destroy, .act = &tsdpbp_ops};
