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
 * Cost: O(nodes + tasks) once per cycle in which some job waits to be planned, and O(nodes) for
 * each task shape of a window. Per job, O(profiles) for a start now, and O(steps of all profiles)
 * for a later start: nodes whose free amounts over time are equal share a profile
 * (free_timeline.h). The packer takes `ts_work` of its own work units in each window in which some
 * job could start earlier.
 */
#include "algorithms/builtin.h"
#include "algorithms/planning/tsdpbp_bins.h"
#include "algorithms/planning/tsdpbp_jobs.h"
#include "algorithms/planning/tsdpbp_pack.h"

#define WINDOW_DEFAULT 64.0
#define WINDOW_MOST    16384.0
#define WORK_DEFAULT   20000.0
#define LIMITED_MOST   4096u

/* ---- the window ---- */

/* What follows after the jobs of a window:
 *   LINE_IS_DONE   there is no further job
 *   LINE_IS_LONG   the window is full or the budget is spent; there are possibly more jobs
 *   LINE_GOES_ON   the window ended early, because limits keep out too many of its jobs */
enum ts_line { LINE_IS_DONE, LINE_IS_LONG, LINE_GOES_ON };

/* Fills the window with the next jobs. A job that a limit keeps out does not count towards the
 * window's size. Otherwise such jobs would fill the window, and later jobs would not be planned. */
static int32_t fill_window(struct ts *t, enum ts_line *line) {
    uint32_t job, aside = 0, before = t->n_items;
    t->first_item = t->n_items;
    *line = LINE_GOES_ON;
    int32_t rc = ts_able_clear_many(t);
    if (rc < 0) return rc;
    for (;;) {
        *line = aside >= t->window ? LINE_IS_LONG : LINE_GOES_ON;
        if (*line == LINE_IS_LONG || t->n_items - t->first_item >= t->window + LIMITED_MOST)
            return LSCHED_OK;
        rc = t->act->next_job(t->cycle, &job);
        if (rc <= 0) {
            *line = t->act->spend(t->cycle, 0) ? LINE_IS_DONE : LINE_IS_LONG;
            return rc;
        }
        rc = ts_plan_job(t, job);
        if (rc == 0) rc = ts_seat_or_limit(t, job);
        if (rc < 0) return rc;
        for (; before < t->n_items; before++) aside += t->items[before].state == TS_ASIDE;
    }
}

/* ---- carrying out the plan ---- */

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
        if (rc >= 0) rc = ts_start_item(t, item);
    }
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
        if (rc >= 0 && (is_last || t->n_items - t->first_open > LIMITED_MOST)) rc = ts_settle(t);
        if (rc < 0) return rc;
        if (is_last && line == LINE_IS_LONG && ts_next_start(t) != FREE_TIMELINE_FOREVER)
            return leave_rest(t, ts_next_start(t));
        if (is_last) return LSCHED_OK;
    }
}

static int32_t tsdpbp_run(void *self, const lsched_act *act, lsched_cycle *cycle) {
    struct ts *t = self;
    int32_t rc = ts_begin(t, act, cycle);
    if (rc > 0) rc = plan_windows(t);
    return ts_end(t, rc);
}

/* ---- the table ---- */

static int32_t tsdpbp_create(const lsched_algorithm_env *env, void **self, lsched_error *err) {
    (void)err;
    struct ts *t = env_new(env, sizeof *t);
    if (!t) return LSCHED_E_NOMEM;
    int32_t rc = ts_open(t, env);
    if (rc != LSCHED_OK) {
        env->free(env->engine, t, sizeof *t);
        return rc;
    }
    t->window = (uint32_t)env_number(env, "ts_window", WINDOW_DEFAULT, WINDOW_MOST);
    if (t->window == 0) t->window = 1;
    t->work = (uint64_t)env_number(env, "ts_work", WORK_DEFAULT, 1e15);
    *self = t;
    return LSCHED_OK;
}

static void tsdpbp_destroy(const lsched_algorithm_env *env, void *self) {
    struct ts *t = self;
    ts_close(t, env);
    env->free(env->engine, t, sizeof *t);
}

static const lsched_act_ops tsdpbp_ops = {sizeof(lsched_act_ops), 0, tsdpbp_run};

const lsched_algorithm act_tsdpbp = {BUILTIN(ACT), .name = "ts-dpbp", .create = tsdpbp_create,
                                     .destroy = tsdpbp_destroy, .act = &tsdpbp_ops};
