/*
 * plain_backfill.h -- the action backfill, written in the plainest way: each job that waits is tried
 * in its turn, and the jobs that are kept for later are sorted. The action of the library must
 * decide the same (test_backfill_random.c). A host registers plain_backfill under its name.
 */
#ifndef TESTS_PLAIN_BACKFILL_H
#define TESTS_PLAIN_BACKFILL_H

#include "algorithms/builtin.h"
#include "algorithms/planning/tsdpbp_bins.h"
#include "algorithms/planning/tsdpbp_jobs.h"

#include <string.h>

#include "base/sort.h"

#define RESERVATIONS_DEFAULT 1.0
#define RESERVATIONS_MOST    65536.0
#define LIMITED_KEPT         4096u

enum backfill_order { IN_NO_ORDER = 0, AS_THEY_COME = 1, SHORTEST_FIRST = 2 };

/* Jobs that can use the same nodes: `able` is the timeline's map of these nodes. */
struct backfill_set {
    uint32_t able, reserved;
};

/* A job without a reservation that is tried when all jobs have been seen. */
struct backfill_late {
    int64_t length;
    uint32_t job;
};

struct backfill {
    struct ts ts;
    uint32_t reservations; /* 0: no bound */
    uint32_t order;        /* of enum backfill_order */
    uint32_t reserved;     /* reservations of this cycle */
    struct backfill_set *sets;
    uint32_t n_sets, cap_sets;
    struct backfill_late *late; /* twice as long as the list, because the sort needs room */
    uint32_t n_late, cap_late;
};

#define LATE_BEFORE(of, a, b) ((a).length < (b).length)
SORT_STABLE(sort_late, struct backfill_late, const void *, LATE_BEFORE)

/* Finds the set of jobs with the nodes of map `able`. Returns NULL if there is no memory. */
static struct backfill_set *set_of(struct backfill *b, uint32_t able) {
    const struct ts *t = &b->ts;
    for (uint32_t i = 0; i < b->n_sets; i++)
        if (free_timeline_same_map(&t->timeline, b->sets[i].able, able)) return &b->sets[i];
    if (!ENV_ROOM(&b->ts.env, b->sets, b->cap_sets, b->n_sets + 1ull)) return NULL;
    b->sets[b->n_sets] = (struct backfill_set){able, 0};
    return &b->sets[b->n_sets++];
}

/* ---- one job ---- */

/* Lets the current job wait behind the reservations. */
static int32_t wait_behind(struct backfill *b, uint32_t job) {
    return b->ts.act->plan_wait(b->ts.cycle, job, ts_next_start(&b->ts), LSCHED_NO_ROW,
                                LSCHED_NO_ROW);
}

/* Returns 1 if all tasks of the item fit side by side from now on for `length`, else 0, or
 * LSCHED_E_NOMEM. */
static int32_t fits_now(struct ts *t, const struct ts_item *item, int64_t length) {
    return free_start_is_now(&t->scratch.search, &t->timeline, item->able, length, &item->need,
                             item->tasks);
}

/* Lets the current job wait behind the reservations, alone: jobs of its bundle that take less time
 * possibly start. */
static int32_t wait_alone(struct backfill *b, uint32_t job) {
    int32_t rc = ts_defer_alone(&b->ts, job);
    return rc < 0 ? rc : wait_behind(b, job);
}

/* Starts the current job if it delays no reservation; otherwise it waits behind them. If there is
 * no room for it at this moment, there is none for the other jobs of its bundle, which ask for the
 * same. */
static int32_t try_now(struct backfill *b, struct ts_item *item, const lsched_plan_ask *ask) {
    struct ts *t = &b->ts;
    if (!ask->mig_profile.len) {
        int32_t fits = fits_now(t, item, 1);
        if (fits <= 0) return fits < 0 ? fits : wait_behind(b, item->job);
        fits = fits_now(t, item, item->length);
        if (fits <= 0) return fits < 0 ? fits : wait_alone(b, item->job);
    }
    int32_t rc = ts_schedule(t, item, ask);
    if (rc < 0) return rc;
    if (rc == 1 && item->start <= t->timeline.now) return ts_start_item(t, item);
    if (rc == 1) rc = ts_take(t, item, -1);
    return rc < 0 ? rc : wait_alone(b, item->job);
}

/* Gives the current job a reservation, or starts it if the earliest start is now. */
static int32_t reserve(struct backfill *b, struct backfill_set *set, struct ts_item *item,
                       const lsched_plan_ask *ask) {
    struct ts *t = &b->ts;
    int32_t rc = ts_schedule(t, item, ask);
    if (rc == 0) { /* no end of running work is known that would let the job start */
        rc = ts_defer_alone(t, item->job);
        return rc < 0 ? rc : ts_seat_or_limit(t, item->job);
    }
    if (rc != 1) return rc;
    t->n_items++;
    if (item->start <= t->timeline.now) return ts_start_item(t, item);
    item->state = TS_PLANNED;
    set->reserved++;
    b->reserved++;
    return t->act->plan_defer(t->cycle, item->job, 1);
}

/* Starts the current job, reserves room for it, lets it wait, or keeps it for try_late. */
static int32_t backfill_job(struct backfill *b, uint32_t job) {
    struct ts *t = &b->ts;
    lsched_plan_ask ask;
    struct ts_item *item;
    int32_t rc = ts_describe(t, job, &ask, &item);
    if (rc < 0) return rc;
    if (rc == 0) return ts_seat_or_limit(t, job);
    if (item->state == TS_LIMITED) {
        /* the limit possibly allows the job as soon as a reservation no longer counts against it */
        if (b->reserved == 0 || t->n_items - t->first_open > LIMITED_KEPT)
            return ts_seat_as_allocate(t, job);
        t->n_items++;
        return t->act->plan_defer(t->cycle, job, 0);
    }
    struct backfill_set *set = set_of(b, item->able);
    if (!set) return LSCHED_E_NOMEM;
    if (b->reservations == 0 || set->reserved < b->reservations) return reserve(b, set, item, &ask);
    if (b->order != SHORTEST_FIRST) return try_now(b, item, &ask);
    if (!ENV_ROOM(&t->env, b->late, b->cap_late, 2 * (b->n_late + 1ull))) return LSCHED_E_NOMEM;
    b->late[b->n_late++] = (struct backfill_late){item->length, job};
    return t->act->plan_defer(t->cycle, job, 0);
}

/* Starts the current job as allocate does, while no job has a reservation. Returns 1, or 0 if the
 * job does not fit now, or a negative error code. */
static int32_t start_first(struct backfill *b, uint32_t job) {
    struct ts *t = &b->ts;
    struct gang g = {t->act, t->cycle, t->memory, job, NULL, 0, gang_seat_free, UINT32_MAX, 0};
    uint64_t mark;
    int32_t rc = t->act->checkpoint(t->cycle, &mark);
    if (rc >= 0) rc = gang_try(&g);
    if (rc < 0) return rc;
    if (rc == 0) {
        rc = t->act->rollback(t->cycle, mark);
        return rc < 0 ? rc : 0;
    }
    rc = t->act->commit(t->cycle, job);
    return rc < 0 ? rc : 1;
}

/* Tries the jobs that were kept for later, the shortest first. */
static int32_t try_late(struct backfill *b) {
    struct ts *t = &b->ts;
    int32_t rc = LSCHED_OK;
    if (b->n_late == 0) return rc;
    sort_late(NULL, b->late, b->late + b->n_late, b->n_late);
    for (uint32_t i = 0; i < b->n_late && rc >= 0; i++) {
        lsched_plan_ask ask;
        struct ts_item *item;
        uint32_t job = b->late[i].job;
        rc = t->act->plan_take(t->cycle, job);
        if (rc >= 0) rc = ts_describe(t, job, &ask, &item);
        if (rc < 0) return rc;
        rc = rc == 1 && item->state == TS_ASIDE ? try_now(b, item, &ask) : wait_behind(b, job);
    }
    return rc;
}

/* True if no job behind those that have been considered can start in this cycle. */
static int is_closed(const struct backfill *b) {
    return b->order == IN_NO_ORDER && b->reservations != 0 && b->reserved >= b->reservations;
}

static int32_t backfill_run(void *self, const lsched_act *act, lsched_cycle *cycle) {
    struct backfill *b = self;
    struct ts *t = &b->ts;
    uint32_t job;
    b->n_sets = b->n_late = b->reserved = 0;
    int32_t rc = ts_begin(t, act, cycle);
    if (rc <= 0) return rc;
    while ((rc = act->next_job(cycle, &job)) == 1) {
        /* before the nodes are read, a start needs no look at the plan */
        rc = t->built ? 0 : start_first(b, job);
        if (rc == 0) rc = is_closed(b) ? wait_behind(b, job) : backfill_job(b, job);
        if (rc < 0) return rc;
    }
    if (rc >= 0) rc = try_late(b);
    return rc < 0 ? rc : ts_settle(t);
}

/* ---- the table ---- */

static int32_t backfill_create(const lsched_algorithm_env *env, void **self, lsched_error *err) {
    (void)err;
    struct backfill *b = env_new(env, sizeof *b);
    if (!b) return LSCHED_E_NOMEM;
    int32_t rc = ts_open(&b->ts, env);
    if (rc != LSCHED_OK) {
        env_free(env, b, sizeof *b);
        return rc;
    }
    b->reservations =
        (uint32_t)env_number(env, "backfill_reservations", RESERVATIONS_DEFAULT, RESERVATIONS_MOST);
    b->order = (uint32_t)env_number(env, "backfill_order", AS_THEY_COME, SHORTEST_FIRST);
    *self = b;
    return LSCHED_OK;
}

static void backfill_destroy(const lsched_algorithm_env *env, void *self) {
    struct backfill *b = self;
    ts_close(&b->ts, env);
    env_free(env, b->sets, b->cap_sets * sizeof *b->sets);
    env_free(env, b->late, b->cap_late * sizeof *b->late);
    env_free(env, b, sizeof *b);
}

static const lsched_act_ops plain_backfill_ops = {sizeof(lsched_act_ops), 0, backfill_run};

static const lsched_algorithm plain_backfill = {
    BUILTIN(ACT), .name = "plain-backfill", .create = backfill_create, .destroy = backfill_destroy,
    .act = &plain_backfill_ops};

#endif
