/* offer_search.c -- see offer_search.h. */
#include "api/what_if/offer_search.h"

#include "api/door/args.h"
#include "base/sort.h"
#include "base/vec.h"
#include "engine/exclusions/explain_subject.h"
#include "engine/plan/plan_of_job.h"
#include "model/arrays/array.h"

/* ---- who starts and who is stopped ---- */

#define ID_BEFORE(of, a, b) ((void)(of), (a) < (b))
SORT_IN_PLACE(sort_ids, lsched_id, const void *, ID_BEFORE)

static uint32_t sort_once(lsched_id *ids, uint32_t n) {
    uint32_t kept = 0;
    sort_ids(NULL, ids, n);
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || ids[i] != ids[kept - 1]) ids[kept++] = ids[i];
    return kept;
}

/* An element of an array counts as its array: it can exist in one trial and not in another. */
static lsched_id offer_job_of(const struct columns *k, lsched_id job) {
    uint32_t array = live_row(k, job, LSCHED_KIND_JOB, T_JOB);
    if (array != NO_ROW) array = array_of_element(k, array);
    return array == NO_ROW ? job : id_make(k, LSCHED_KIND_JOB, array);
}

int32_t offer_jobs_read(struct lsched_cluster *c, const lsched_plan *plan, struct offer_jobs *out) {
    struct alloc *a = &c->alloc;
    *out = (struct offer_jobs){0};
    for (size_t i = 0; i < plan->n_decisions; i++) {
        const lsched_decision *d = &plan->decisions[i];
        int ok = 1;
        if (d->kind == LSCHED_DECIDE_PLACE || d->kind == LSCHED_DECIDE_NOMINATE) {
            ok = VEC_ROOM(a, out->starts, out->cap_starts, out->n_starts + 1);
            if (ok) out->starts[out->n_starts++] = offer_job_of(&c->k, d->job);
        } else if (d->kind == LSCHED_DECIDE_EVICT || d->kind == LSCHED_DECIDE_CHECKPOINT) {
            ok = VEC_ROOM(a, out->stops, out->cap_stops, out->n_stops + 1);
            if (ok) out->stops[out->n_stops++] = offer_job_of(&c->k, d->job);
        }
        if (!ok) {
            offer_jobs_close(a, out);
            return LSCHED_E_NOMEM;
        }
    }
    out->n_starts = sort_once(out->starts, out->n_starts);
    out->n_stops = sort_once(out->stops, out->n_stops);
    return LSCHED_OK;
}

void offer_jobs_close(struct alloc *a, struct offer_jobs *jobs) {
    alloc_free(a, jobs->starts, jobs->cap_starts * sizeof *jobs->starts);
    alloc_free(a, jobs->stops, jobs->cap_stops * sizeof *jobs->stops);
    *jobs = (struct offer_jobs){0};
}

/* The search, and what the latest trial found. */
struct offer_finder {
    struct start_question *q;
    struct speculation *s;
    const struct offer_list *list;
    const struct offer_jobs *without;
    uint32_t tried;
    int works; /* the latest change starts the job */
    lsched_offer now, best;
};

/* Counts the ids of `ids` that are not in `others`; both are sorted. Those of the job itself and of
 * a withdrawn job are left out. */
static void add_losers(struct offer_finder *f, const lsched_id *ids, uint32_t n,
                       const lsched_id *others, uint32_t n_others, lsched_id job) {
    const struct columns *k = &f->q->c->k;
    uint32_t j = 0;
    for (uint32_t i = 0; i < n; i++) {
        while (j < n_others && others[j] < ids[i]) j++;
        if ((j < n_others && others[j] == ids[i]) || ids[i] == job ||
            (f->now.change == LSCHED_OFFER_WITHDRAW && ids[i] == f->now.object))
            continue;
        f->now.losers++;
        if (!f->now.loser || name_before(k, C_JOB_NAME, (uint32_t)ids[i], (uint32_t)f->now.loser))
            f->now.loser = ids[i];
    }
}

static int32_t read_trial(void *user, lsched_id job, lsched_plan *plan) {
    struct offer_finder *f = user;
    struct plan_of_job n;
    struct offer_jobs jobs;
    plan_of_job_count(plan, job, &n);
    f->works = n.tasks > 0;
    if (!f->works) return LSCHED_OK;
    int32_t rc = offer_jobs_read(f->q->c, plan, &jobs);
    if (rc != LSCHED_OK) return rc;
    const struct offer_jobs *w = f->without;
    job = offer_job_of(&f->q->c->k, job);
    add_losers(f, w->starts, w->n_starts, jobs.starts, jobs.n_starts, job);
    add_losers(f, jobs.stops, jobs.n_stops, w->stops, w->n_stops, job);
    offer_jobs_close(&f->q->c->alloc, &jobs);
    return LSCHED_OK;
}

/* ---- one change ---- */

static uint32_t kind_of_object(uint32_t change) {
    switch (change) {
    case LSCHED_OFFER_UNCORDON:
    case LSCHED_OFFER_LABEL:
    case LSCHED_OFFER_ADD_NODE: return LSCHED_KIND_NODE;
    case LSCHED_OFFER_JOBS_MAX:
    case LSCHED_OFFER_LIMIT:
    case LSCHED_OFFER_QUOTA: return LSCHED_KIND_QUEUE;
    default: return LSCHED_KIND_JOB;
    }
}

/* Tries the change with a value, and sets f->works. A change that a call refuses does not work. */
static int32_t offer_try(struct offer_finder *f, const struct candidate_change *c, int64_t value) {
    struct start_question *q = f->q;
    int rises = c->change == LSCHED_OFFER_JOBS_MAX || c->change == LSCHED_OFFER_LIMIT ||
                c->change == LSCHED_OFFER_QUOTA || c->change == LSCHED_OFFER_PRIORITY;
    f->now = (lsched_offer){.size = sizeof f->now, .change = c->change, .kind = c->kind};
    f->now.object =
        c->row == NO_ROW ? q->job : id_make(&q->c->k, kind_of_object(c->change), c->row);
    f->now.amount = value;
    f->now.was = c->was;
    f->now.cost = rises ? value - c->was : c->cost;
    if (c->change == LSCHED_OFFER_LABEL) {
        const struct offer_label *l = &f->list->labels[c->selector];
        memcpy(f->now.key, l->key, sizeof f->now.key);
        memcpy(f->now.value, l->value, sizeof f->now.value);
    }
    f->works = 0;
    f->tried++;
    int32_t rc = start_trial_run(q, f->s, &f->now, read_trial, f, NULL);
    if (rc == LSCHED_E_NOMEM || rc == LSCHED_E_INTERRUPTED) return rc;
    if (rc != LSCHED_OK) f->works = 0;
    return LSCHED_OK;
}

static int may_try(const struct offer_finder *f) {
    return f->tried < f->q->tries_max;
}

/* True if offer a is better than offer b. */
static int is_better(const struct columns *k, const lsched_offer *a, const lsched_offer *b) {
    if ((a->losers > 0) != (b->losers > 0)) return a->losers == 0;
    if (a->change != b->change) return a->change < b->change;
    if (a->cost != b->cost) return a->cost < b->cost;
    if (a->kind != b->kind) return a->kind < b->kind;
    uint32_t kind = kind_of_object(a->change);
    if (kind == LSCHED_KIND_JOB || a->object == b->object) return 0;
    return name_before(k, kind == LSCHED_KIND_NODE ? C_NODE_NAME : C_QUEUE_NAME,
                       (uint32_t)a->object, (uint32_t)b->object);
}

static void offer_note(struct offer_finder *f) {
    if (!f->works) return;
    if (!f->best.change || is_better(&f->q->c->k, &f->now, &f->best)) f->best = f->now;
}

/* ---- the least value that works ---- */

/* Returns value number i of a change, from 0: the number of a priority in the list, or of the
 * multiples of the grain above the present value. */
static int64_t offer_value(const struct offer_finder *f, const struct candidate_change *c,
                           int64_t i) {
    if (c->change == LSCHED_OFFER_PRIORITY) return f->list->priorities[i];
    return (c->was / c->grain + 1 + i) * c->grain;
}

/* Returns how many values of the change are at most this one. */
static int64_t values_up_to(const struct offer_finder *f, const struct candidate_change *c,
                            int64_t value) {
    int64_t n = 0;
    if (c->change != LSCHED_OFFER_PRIORITY) return value / c->grain - c->was / c->grain;
    while (n < f->list->n_priorities && f->list->priorities[n] <= value) n++;
    return n;
}

/* Number `high` works. Seeks the least number that works, as far as tries are left; every number
 * that works is noted. */
static int32_t seek_least(struct offer_finder *f, struct candidate_change *c, int64_t high) {
    int64_t low = -1;
    for (int first = 1; high - low > 1 && may_try(f); first = 0) {
        /* the value that was tried first is mostly the least one: then one more trial shows it */
        int64_t middle = first ? high - 1 : low + (high - low) / 2;
        int32_t rc = offer_try(f, c, offer_value(f, c, middle));
        if (rc != LSCHED_OK) return rc;
        offer_note(f);
        if (f->works)
            high = middle;
        else
            low = middle;
    }
    c->found = offer_value(f, c, high);
    return LSCHED_OK;
}

static int32_t try_candidate(struct offer_finder *f, struct candidate_change *c) {
    int64_t value = c->amount;
    int32_t rc = offer_try(f, c, value);
    if (rc == LSCHED_OK && !f->works && c->most > value && may_try(f)) {
        value = c->most;
        rc = offer_try(f, c, value);
    }
    if (rc != LSCHED_OK || !f->works) return rc;
    offer_note(f);
    return c->most ? seek_least(f, c, values_up_to(f, c, value) - 1) : LSCHED_OK;
}

/* ---- smaller values, where a larger one does not work ---- */

/* More room for a queue is also more room for its other jobs, which can go first. So a value
 * between two that work can fail, and one below a value that fails can work, or harm fewer jobs. */
static int64_t grains_max(const struct offer_finder *f) {
    return f->q->tries_max / 4 > 16 ? f->q->tries_max / 4 : 16;
}

/* True if the change with this value would be the best one so far, if no job loses by it. */
static int could_be_best(const struct offer_finder *f, const struct candidate_change *c,
                         int64_t value) {
    lsched_offer o = {.change = c->change, .kind = c->kind, .cost = value - c->was};
    o.object =
        c->row == NO_ROW ? f->q->job : id_make(&f->q->c->k, kind_of_object(c->change), c->row);
    return !f->best.change || is_better(&f->q->c->k, &o, &f->best);
}

/* Tries the values with the numbers from..to-1, from the least one, until one is the best that
 * these values can give. Of more than grains_max(), it tries that many at equal distances. */
static int32_t try_range(struct offer_finder *f, const struct candidate_change *c, int64_t from,
                         int64_t to) {
    int64_t most = grains_max(f), stride = to > from ? (to - from + most - 1) / most : 1;
    for (int64_t i = from; i < to && may_try(f); i += stride) {
        if (!could_be_best(f, c, offer_value(f, c, i))) break;
        int32_t rc = offer_try(f, c, offer_value(f, c, i));
        if (rc != LSCHED_OK) return rc;
        offer_note(f);
        if (f->works && f->now.losers == 0) break;
    }
    return LSCHED_OK;
}

/* Tries the least rise of a quota. It lets no further task within the quota, but the share of what
 * is over quota can grow with it, and a larger rise can let other jobs of the queue go first. */
static int32_t try_least_quota(struct offer_finder *f, const struct candidate_change *c) {
    if (c->change != LSCHED_OFFER_QUOTA || c->grain == 1 || !may_try(f) ||
        !could_be_best(f, c, c->was + 1))
        return LSCHED_OK;
    int32_t rc = offer_try(f, c, c->was + 1);
    if (rc == LSCHED_OK) offer_note(f);
    return rc;
}

/* Tries values below the one that was found. If none was found, tries those up to the one that
 * should do, and some above it, which also have room for jobs that go first. */
static int32_t try_grains(struct offer_finder *f, const struct candidate_change *c) {
    int64_t most = grains_max(f), last = values_up_to(f, c, c->most);
    int64_t to = values_up_to(f, c, c->found ? c->found - 1 : c->amount);
    int32_t rc = try_least_quota(f, c);
    if (rc == LSCHED_OK) rc = try_range(f, c, 0, to);
    if (rc != LSCHED_OK || c->found || c->change == LSCHED_OFFER_PRIORITY) return rc;
    return try_range(f, c, to, last - to > most ? to + most : last);
}

int32_t offer_search(struct start_question *q, struct speculation *s, struct offer_list *list,
                     const struct offer_jobs *without, lsched_offer *out) {
    struct offer_finder f = {.q = q, .s = s, .list = list, .without = without};
    int32_t rc = LSCHED_OK;
    for (uint32_t i = 0; i < list->n && rc == LSCHED_OK && may_try(&f); i++) {
        struct candidate_change *next = &list->at[i];
        /* nothing that follows is cheaper; the cost of a value is only known when the least value
         * is found */
        if (f.best.change && f.best.losers == 0 &&
            (f.best.change < next->change || (!next->most && f.best.cost <= next->cost)))
            break;
        rc = try_candidate(&f, next);
    }
    for (uint32_t i = 0; i < list->n && rc == LSCHED_OK && may_try(&f); i++)
        if (list->at[i].most) rc = try_grains(&f, &list->at[i]);
    *out = f.best;
    out->size = sizeof *out;
    out->tried = f.tried;
    return rc;
}
