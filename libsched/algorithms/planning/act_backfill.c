/*
 * act_backfill.c -- the action backfill: starts jobs in the order of the share and order
 * algorithms, reserves room for the first jobs that have to wait, and starts other jobs early if
 * that delays no reservation. A pipeline has this action in place of allocate.
 *
 * A reservation is the earliest start at which a job delays no reservation before it. The expected
 * ends of running work decide it, as in ts-dpbp (tsdpbp.h). It holds for the cycle: each cycle
 * reserves anew, unless it is firm. Parameters of the policy:
 *   backfill_firm           which reservations are firm (firm_plans.h): 0 none (the default);
 *                           1 those behind work that a time limit ends; 2 the same, and estimates
 *                           count as time limits.
 *   backfill_reservations   how many jobs get a reservation (1); 0: every job that waits.
 *                           With 1 this is EASY backfill, with 0 it is conservative backfill
 *                           without a window (Lifka 1995; Mu'alem and Feitelson 2001).
 *   backfill_order          the order in which jobs without a reservation are tried:
 *                           1 as they come (the default); 2 the shortest estimate first, and as
 *                           they come if the estimates are equal; 0 not at all, so that no job
 *                           starts before one that came earlier in the order.
 *
 * Jobs compete for reservations only if they can use the same nodes. Otherwise a job that waits for
 * one sort of node would take the reservation of those that wait for another sort, and these could
 * starve. With the order 0 the line is one for all nodes.
 *
 * What always holds: a job of the line starts only if the reservations of this cycle keep their
 * starts. If no job is delayed by work that the plan cannot express, a job that has the first
 * reservation starts no later than then, because running work ends no later than assumed.
 *
 * Jobs without a reservation are not tried one by one. All jobs of a bundle ask for the same
 * (bundle.h), so the plan says for how long one of them fits now, and the engine finds the first
 * job that runs no longer, or the shortest job (plan_rest, plan_shortest). All others wait
 * together.
 *
 * Cost: until some job waits, that of allocate. Then O(nodes + tasks) once per cycle, and O(nodes)
 * for each task shape; O(steps of all profiles of nodes, see free_timeline.h) for each reservation
 * and for each bundle that waits; and O(profiles + log jobs) for each start. With the order 0, O(1)
 * for each bundle behind the last reservation. With the order 2 and jobs of several queues in line,
 * O(profiles) for each job that waits, because jobs of one length start in the order of shares. The
 * same for jobs with MIG profiles.
 *
 * Why not ts-dpbp with a window of one job: a window gives every job of it a start, and all jobs
 * behind the window wait for the next planned start, even those that would fit.
 */
#include "algorithms/builtin.h"
#include "algorithms/planning/firm_plans.h"
#include "algorithms/planning/tsdpbp_bins.h"
#include "algorithms/planning/tsdpbp_jobs.h"

#include <string.h>

#include "base/sort.h"

#define RESERVATIONS_DEFAULT 1.0
#define RESERVATIONS_MOST    65536.0
#define LIMITED_KEPT         4096u

/* values of backfill_firm */
enum { FIRM_BY_LIMIT = 1, FIRM_BY_ESTIMATE = 2 };
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

/* Jobs of one bundle that rest, of which the shortest are tried when all jobs have been seen:
 *   item      what any of them asks for
 *   longest   for how long such a job fits now; 0: no further job is tried
 *   at        until when they rest */
struct backfill_line {
    struct ts_item item;
    int64_t longest, at;
};

struct backfill {
    struct ts ts;
    struct firm_plans firm;
    uint32_t reservations; /* 0: no bound */
    uint32_t order;        /* of enum backfill_order */
    uint32_t reserved;     /* reservations of this cycle */
    struct backfill_set *sets;
    uint32_t n_sets, cap_sets;
    struct backfill_late *late; /* twice as long as the list, because the sort needs room */
    uint32_t n_late, cap_late, first_late; /* first_late: the first that was not tried yet */
    struct backfill_line *lines;
    uint32_t n_lines, cap_lines;
    int lone;    /* 1 if all jobs in line are of one queue */
    int is_late; /* 1 when all jobs have been seen: next_job is not called any more */
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

/* Lets the current job and its bundle wait behind the reservations, but for the jobs of the bundle
 * that run no longer than `longest`. */
static int32_t wait_behind(struct backfill *b, uint32_t job, int64_t longest) {
    if (b->is_late && longest > 0) longest = -1;
    return b->ts.act->plan_rest(b->ts.cycle, job, ts_next_start(&b->ts), longest);
}

/* Sets *longest to the time for which all tasks of the item fit side by side from now on. */
static int32_t find_longest(struct ts *t, const struct ts_item *item, int64_t *longest) {
    return free_start_longest(&t->scratch.search, &t->timeline, item->able, &item->need,
                              item->tasks, longest);
}

/* Lets the current job wait behind the reservations, alone: jobs of its bundle that take less time
 * possibly start. */
static int32_t wait_alone(struct backfill *b, uint32_t job) {
    struct ts *t = &b->ts;
    int32_t rc = ts_defer_alone(t, job);
    if (rc < 0) return rc;
    return t->act->plan_wait(t->cycle, job, ts_next_start(t), LSCHED_NO_ROW, LSCHED_NO_ROW);
}

/* Brings the next job into line that asks for the same as the item, if such jobs rest. */
static int32_t go_on(struct backfill *b, const struct ts_item *item) {
    int64_t longest;
    if (b->is_late) return LSCHED_OK;
    int32_t rc = find_longest(&b->ts, item, &longest);
    return rc < 0 ? rc : b->ts.act->plan_offer(b->ts.cycle, item->job, longest);
}

/* As ts_schedule, but a start that is now leaves all firm starts sure. */
static int32_t schedule_sparing(struct ts *t, struct ts_item *item, const lsched_plan_ask *ask) {
    uint32_t state = item->state;
    int32_t rc = ts_schedule(t, item, ask);
    if (rc != 1 || t->sure <= LSCHED_END_ESTIMATE || item->start > t->timeline.now) return rc;
    item->state = TS_PLANNED; /* and one of the items, so that others are judged with it */
    t->n_items++;
    rc = firm_plans_spare(t, item, ask);
    t->n_items--;
    item->state = state;
    return rc;
}

/* Starts the current job if it delays no reservation; otherwise it waits behind them. If there is
 * no room for it at this moment, there is none for the other jobs of its bundle, which ask for the
 * same. */
static int32_t try_now(struct backfill *b, struct ts_item *item, const lsched_plan_ask *ask) {
    struct ts *t = &b->ts;
    struct ts_item asked = *item;
    int64_t longest;
    int32_t rc = LSCHED_OK;
    if (!ask->mig_profile.len) {
        rc = find_longest(t, item, &longest);
        if (rc < 0) return rc;
        if (item->length > longest) return wait_behind(b, item->job, longest);
    }
    rc = schedule_sparing(t, item, ask);
    if (rc < 0) return rc;
    if (rc == 1 && item->start <= t->timeline.now) {
        rc = ts_start_item(t, item);
        return rc < 0 || ask->mig_profile.len ? rc : go_on(b, &asked);
    }
    if (rc == 1) rc = ts_take(t, item, -1);
    return rc < 0 ? rc : wait_alone(b, item->job);
}

/* Gives the current job a reservation, or starts it if the earliest start is now. */
static int32_t reserve(struct backfill *b, struct backfill_set *set, struct ts_item *item,
                       const lsched_plan_ask *ask) {
    struct ts *t = &b->ts;
    int32_t rc = schedule_sparing(t, item, ask);
    /* no end of running work is known that would let the job start */
    if (rc == 0) return ts_seat_or_limit(t, item->job);
    if (rc != 1) return rc;
    t->n_items++;
    if (item->start <= t->timeline.now) return ts_start_item(t, item);
    item->state = TS_PLANNED;
    set->reserved++;
    b->reserved++;
    rc = firm_plans_judge(&b->firm, t, item);
    return rc < 0 ? rc : t->act->plan_defer(t->cycle, item->job, 1);
}

/* Keeps the current job, or its bundle, for try_late. */
static int32_t keep_late(struct backfill *b, const struct ts_item *item,
                         const lsched_plan_ask *ask) {
    struct ts *t = &b->ts;
    if (b->lone && !ask->mig_profile.len && !ask->is_alone) {
        struct backfill_line line = {*item, 0, ts_next_start(t)};
        int32_t rc = find_longest(t, item, &line.longest);
        if (rc < 0) return rc;
        if (line.longest == 0) return wait_behind(b, item->job, 0);
        if (!ENV_ROOM(&t->env, b->lines, b->cap_lines, b->n_lines + 1ull)) return LSCHED_E_NOMEM;
        b->lines[b->n_lines++] = line;
        return wait_behind(b, item->job, -1);
    }
    if (!ENV_ROOM(&t->env, b->late, b->cap_late, 2 * (b->n_late + 1ull))) return LSCHED_E_NOMEM;
    b->late[b->n_late++] = (struct backfill_late){item->length, item->job};
    return t->act->plan_defer(t->cycle, item->job, 0);
}

/* Lets a job wait that a limit keeps out. The limit possibly allows the job as soon as a
 * reservation no longer counts against it. */
static int32_t wait_limited(struct backfill *b, const struct ts_item *item) {
    struct ts *t = &b->ts;
    struct ts_item asked = *item;
    int32_t rc;
    if (b->reserved == 0 || t->n_items - t->first_open > LIMITED_KEPT) {
        rc = ts_seat_as_allocate(t, asked.job);
    } else {
        t->n_items++;
        rc = t->act->plan_defer(t->cycle, asked.job, 0);
    }
    return rc < 0 || b->reserved == 0 ? rc : go_on(b, &asked);
}

/* Starts the current job, reserves room for it, lets it wait, or keeps it for try_late. */
static int32_t backfill_job(struct backfill *b, uint32_t job) {
    struct ts *t = &b->ts;
    lsched_plan_ask ask;
    struct ts_item *item;
    int32_t rc = ts_describe(t, job, &ask, &item);
    if (rc < 0) return rc;
    if (rc == 0) return ts_seat_or_limit(t, job);
    if (item->state == TS_LIMITED) return wait_limited(b, item);
    struct backfill_set *set = set_of(b, item->able);
    if (!set) return LSCHED_E_NOMEM;
    if (b->reservations == 0 || set->reserved < b->reservations) return reserve(b, set, item, &ask);
    return b->order == SHORTEST_FIRST ? keep_late(b, item, &ask) : try_now(b, item, &ask);
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

/* Sets *job to the shortest job that was kept and fits, LSCHED_NO_ROW if there is none, and *line
 * to its line, NULL if it was kept alone. */
static int32_t next_late(struct backfill *b, uint32_t *job, struct backfill_line **line) {
    struct ts *t = &b->ts;
    *job = b->first_late < b->n_late ? b->late[b->first_late].job : LSCHED_NO_ROW;
    *line = NULL;
    for (uint32_t i = 0; i < b->n_lines; i++) {
        uint32_t before = *job;
        struct backfill_line *l = &b->lines[i];
        if (l->longest == 0) continue;
        int32_t rc = find_longest(t, &l->item, &l->longest);
        if (rc < 0) return rc;
        rc = t->act->plan_shortest(t->cycle, l->item.job, l->longest, before, job);
        if (rc < 0) return rc;
        if (rc == 0) l->longest = 0;
        if (*job != before) *line = l;
    }
    return LSCHED_OK;
}

/* Tries a job that was kept. */
static int32_t try_kept(struct backfill *b, uint32_t job, struct backfill_line *line) {
    struct ts *t = &b->ts;
    lsched_plan_ask ask;
    struct ts_item *item;
    int32_t rc = line ? t->act->plan_pick(t->cycle, job) : t->act->plan_take(t->cycle, job);
    if (!line) b->first_late++;
    if (rc >= 0) rc = ts_describe(t, job, &ask, &item);
    if (rc < 0) return rc;
    if (rc == 1 && item->state == TS_ASIDE) return try_now(b, item, &ask);
    if (line) line->longest = 0; /* the other jobs of the line are kept out as well */
    return wait_behind(b, job, -1);
}

/* Tells the jobs that rest in lines of reservations that were made after they were kept. */
static int32_t tell_lines(struct backfill *b) {
    struct ts *t = &b->ts;
    int64_t at = ts_next_start(t);
    int32_t rc = LSCHED_OK;
    for (uint32_t i = 0; i < b->n_lines && rc >= 0; i++) {
        uint32_t job;
        if (b->lines[i].at <= at) continue;
        rc = t->act->plan_shortest(t->cycle, b->lines[i].item.job, FREE_TIMELINE_FOREVER,
                                   LSCHED_NO_ROW, &job);
        if (rc != 1) continue;
        rc = t->act->plan_pick(t->cycle, job);
        if (rc >= 0) rc = wait_behind(b, job, -1);
    }
    return rc;
}

/* Tries the jobs that were kept for later, the shortest first. */
static int32_t try_late(struct backfill *b) {
    int32_t rc = LSCHED_OK;
    uint32_t job;
    struct backfill_line *line;
    b->is_late = 1;
    if (b->n_late) sort_late(NULL, b->late, b->late + b->n_late, b->n_late);
    while (rc >= 0) {
        rc = next_late(b, &job, &line);
        if (rc < 0 || job == LSCHED_NO_ROW) break;
        rc = try_kept(b, job, line);
    }
    return rc < 0 ? rc : tell_lines(b);
}

/* True if no job behind those that have been considered can start in this cycle. */
static int is_closed(const struct backfill *b) {
    return b->order == IN_NO_ORDER && b->reservations != 0 && b->reserved >= b->reservations;
}

/* Counts the planned items from index `from` on as reservations of their sets. */
static int32_t count_reserved(struct backfill *b, uint32_t from) {
    const struct ts *t = &b->ts;
    for (uint32_t i = from; i < t->n_items; i++) {
        if (t->items[i].state != TS_PLANNED) continue;
        struct backfill_set *set = set_of(b, t->items[i].able);
        if (!set) return LSCHED_E_NOMEM;
        set->reserved++;
        b->reserved++;
    }
    return LSCHED_OK;
}

/* Tells the engine that the job loses its firm start, and gives it another start. Returns 1; 0 if
 * the cycle has stopped, so that the job keeps its firm start; or a negative error code. */
static int32_t plan_loser(struct backfill *b, struct firm_kept *kept) {
    struct ts *t = &b->ts;
    uint32_t items = t->n_items;
    int32_t loses = t->act->firm->lose(t->cycle, kept->job, kept->because);
    if (loses < 0) return loses;
    int32_t rc = is_closed(b) ? wait_behind(b, kept->job, 0) : backfill_job(b, kept->job);
    kept->item = t->n_items > items ? items : LSCHED_NO_ROW;
    return rc < 0 ? rc : loses;
}

/* Plans the jobs that lose their firm starts, in their order, and puts those after them back that
 * still have room. */
static int32_t plan_losers(struct backfill *b) {
    struct firm_plans *f = &b->firm;
    struct ts *t = &b->ts;
    int32_t rc = firm_plans_take_back(f, t), stopped = 0;
    if (rc >= 0) rc = count_reserved(b, 0);
    for (uint32_t i = f->first_lost; i < f->n && rc >= 0; i++) {
        uint32_t items = t->n_items;
        if (f->list[i].is_done) continue;
        rc = t->act->plan_take(t->cycle, f->list[i].job);
        if (rc >= 0 && !f->list[i].because) rc = firm_plans_put_again(f, t, i);
        if (rc < 0) return rc;
        if (f->list[i].because) {
            rc = plan_loser(b, &f->list[i]);
            stopped |= rc == 0;
        } else {
            rc = count_reserved(b, items);
        }
    }
    return stopped && rc >= 0 ? firm_plans_leave_losers(f, t) : rc;
}

/* Begins the plan with the firm starts of the cycles before. */
static int32_t keep_firm(struct backfill *b) {
    struct ts *t = &b->ts;
    int32_t rc = firm_plans_put_back(&b->firm, t);
    if (rc >= 0 && b->firm.first_lost < b->firm.n) rc = plan_losers(b);
    if (rc >= 0) rc = firm_plans_compress(&b->firm, t);
    b->reserved = 0;
    for (uint32_t i = 0; i < b->n_sets; i++) b->sets[i].reserved = 0;
    return rc < 0 ? rc : count_reserved(b, 0);
}

static int32_t backfill_all(struct backfill *b, const lsched_act *act, lsched_cycle *cycle) {
    struct ts *t = &b->ts;
    uint32_t job;
    b->n_sets = b->n_late = b->first_late = b->n_lines = b->reserved = 0;
    b->is_late = 0;
    int32_t rc = ts_begin(t, act, cycle);
    if (rc <= 0) return rc;
    b->lone = act->plan_is_lone(cycle) == 1;
    if (t->sure && act->firm) rc = keep_firm(b);
    if (rc < 0) return rc;
    t->in_line = 1;
    while ((rc = act->next_job(cycle, &job)) == 1) {
        /* before the nodes are read, a start needs no look at the plan */
        rc = t->built ? 0 : start_first(b, job);
        if (rc == 0) rc = is_closed(b) ? wait_behind(b, job, 0) : backfill_job(b, job);
        if (rc < 0) return rc;
    }
    t->in_line = 0;
    if (rc >= 0) rc = try_late(b);
    return rc < 0 ? rc : ts_settle(t);
}

static int32_t backfill_run(void *self, const lsched_act *act, lsched_cycle *cycle) {
    struct backfill *b = self;
    return ts_end(&b->ts, backfill_all(b, act, cycle));
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
    uint32_t firm = (uint32_t)env_number(env, "backfill_firm", 0, FIRM_BY_ESTIMATE);
    b->ts.sure = firm == 0                  ? LSCHED_END_UNSURE
                 : firm == FIRM_BY_ESTIMATE ? LSCHED_END_ESTIMATE
                                            : LSCHED_END_LIMIT;
    *self = b;
    return LSCHED_OK;
}

static void backfill_destroy(const lsched_algorithm_env *env, void *self) {
    struct backfill *b = self;
    ts_close(&b->ts, env);
    env_free(env, b->firm.list, b->firm.cap * sizeof *b->firm.list);
    env_free(env, b->sets, b->cap_sets * sizeof *b->sets);
    env_free(env, b->late, b->cap_late * sizeof *b->late);
    env_free(env, b->lines, b->cap_lines * sizeof *b->lines);
    env_free(env, b, sizeof *b);
}

static const lsched_act_ops backfill_ops = {sizeof(lsched_act_ops), 0, backfill_run};

const lsched_algorithm act_backfill = {BUILTIN(ACT), .name = "backfill", .create = backfill_create,
                                       .destroy = backfill_destroy, .act = &backfill_ops};
