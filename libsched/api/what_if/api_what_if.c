/*
 * api_what_if.c -- lsched_would_start: what the next cycle would do for one job.
 *
 * The call opens a speculation (engine/cycle/speculation.h) and runs one trial (start_trial.h). If
 * the caller wants an offer, it lists the changes that could help (offer_list.h) and tries them one
 * after the other (offer_search.h).
 */
#include "api/what_if/offer_search.h"
#include "api/calls/schedule_opts.h"
#include "api/door/args.h"
#include "engine/exclusions/explain_subject.h"
#include "engine/explain/explain.h"
#include "engine/plan/plan_of_job.h"
#include "model/arrays/array.h"
#include "model/jobs/job_phase.h"

/* ---- arguments ---- */

static int32_t read_opts(struct start_question *q, const lsched_would_start_opts *opts) {
    lsched_would_start_opts o = LSCHED_WOULD_START_OPTS_INIT;
    lsched_schedule_opts plain = LSCHED_SCHEDULE_OPTS_INIT;
    int32_t rc = LSCHED_OK;
    plain.now_us = (int64_t)meta(&q->c->k, M_NOW);
    if (opts) rc = arg_struct(&o, sizeof o, opts, 0, "would_start options", q->err);
    if (rc == LSCHED_OK)
        rc = arg_reserved(o.reserved_zero, "reserved_zero", "would_start options", q->err);
    if (rc != LSCHED_OK) return rc;
    if (o.flags & ~(uint32_t)LSCHED_WOULD_START_PLAN)
        return fail(q->err, LSCHED_E_INVAL,
                    "would_start options: unknown flags %#x; expected LSCHED_WOULD_START_PLAN",
                    o.flags);
    rc = schedule_opts_read(q->c, o.schedule ? o.schedule : &plain, &q->schedule, q->err);
    if (rc != LSCHED_OK) return rc;
    if (q->schedule.work_budget)
        return fail(q->err, LSCHED_E_INVAL,
                    "would_start options: schedule has a work_budget of %llu; expected 0, because "
                    "a cycle that a budget ends has not decided about every job",
                    (unsigned long long)q->schedule.work_budget);
    q->schedule.trace = NULL;
    q->flags = o.flags;
    q->tries_max = o.tries_max ? o.tries_max : LSCHED_WOULD_START_TRIES_DEFAULT;
    return LSCHED_OK;
}

static int32_t read_question(struct start_question *q, const lsched_would_start_opts *opts) {
    uint32_t row;
    int32_t rc = read_opts(q, opts);
    if (rc != LSCHED_OK) return rc;
    if ((q->job != 0) == (q->desc != NULL))
        return fail(q->err, LSCHED_E_INVAL,
                    "would_start: expected either the id of a job or a description, got %s",
                    q->job ? "both" : "none");
    return q->job ? arg_id(&q->c->k, q->job, LSCHED_KIND_JOB, &row, q->err) : LSCHED_OK;
}

/* ---- the trial ---- */

/* True if the cycle removed the job: its expiry has come, or a dependency can never be met. */
static int is_removed(const struct start_question *q, lsched_id job) {
    return live_row(&q->c->k, job, LSCHED_KIND_JOB, T_JOB) == NO_ROW;
}

/* An expiry that has come goes before a dependency (gate_review.c). No job waits because of its
 * expiry, so no code stands for it. */
static void tell_removed(struct start_question *q, lsched_id job) {
    int expired = q->expires && q->expires <= q->schedule.now_us;
    q->answer.start = LSCHED_START_NEVER;
    q->answer.code = expired ? LSCHED_WAIT_NONE : LSCHED_WAIT_DEPENDENCY_NEVER;
    q->waiting = (lsched_waiting){.size = sizeof q->waiting,
                                  .job = job,
                                  .queue = q->queue,
                                  .jobs = 1,
                                  .code = q->answer.code,
                                  .until_us = LSCHED_NEVER_US,
                                  .starts_us = LSCHED_NEVER_US,
                                  .firm_us = LSCHED_NEVER_US};
}

/* Reads what the cycle did for the job, from its plan and from the state that it left. */
static void read_outcome(struct start_question *q, lsched_id job, const lsched_plan *plan) {
    const struct columns *k = &q->c->k;
    lsched_would_start_answer *a = &q->answer;
    struct plan_of_job n;
    a->plan_flags = plan->info.flags;
    a->at_us = LSCHED_NEVER_US;
    if (is_removed(q, job)) {
        tell_removed(q, job);
        return;
    }
    plan_of_job_count(plan, job, &n);
    int never = explain_forecast(q->c, (uint32_t)job, a->waiting != NULL, &q->waiting);
    if (n.tasks) {
        a->start = LSCHED_START_NOW;
        a->at_us = n.at > q->schedule.now_us ? n.at : q->schedule.now_us;
        a->tasks = n.tasks;
        a->victims = n.victims;
        a->cost = n.cost;
        return;
    }
    if (q->waiting.code == LSCHED_WAIT_NONE && k->c[C_JOB_PHASE].u8[(uint32_t)job] == JOB_FULL) {
        a->start = LSCHED_START_HAS_PLACES;
        return;
    }
    /* the cycle ended before it tried the job */
    if (q->waiting.code == LSCHED_WAIT_NONE) q->waiting.code = LSCHED_WAIT_BUDGET;
    a->start = never ? LSCHED_START_NEVER : LSCHED_START_LATER;
    a->code = q->waiting.code;
    if (never) return;
    int named = q->waiting.starts_us != LSCHED_NEVER_US;
    a->at_us = named ? q->waiting.starts_us : q->waiting.until_us;
    /* what should have ended by now, and has not, ends at no known time */
    if (a->at_us < q->schedule.now_us) a->at_us = LSCHED_NEVER_US;
    a->ends_job = named ? q->waiting.starts_job : 0;
}

/* The job is gone when the caller reads the answer: it was only described (q->job is 0), or it is
 * an element of the array that was asked for. */
static void forget_job(struct start_question *q, lsched_id job) {
    if (q->waiting.job == job) q->waiting.job = q->job;
    if (q->waiting.plan_job == job) q->waiting.plan_job = q->job;
    if (q->answer.ends_job == job) q->answer.ends_job = q->job;
    lsched_plan *plan = q->answer.plan;
    for (size_t i = 0; plan && i < plan->n_decisions; i++) {
        if (plan->decisions[i].job == job) plan->decisions[i].job = q->job;
        if (plan->decisions[i].for_job == job) plan->decisions[i].for_job = q->job;
    }
}

/* What the first trial leaves for the search of an offer. */
struct first_trial {
    struct start_question *q;
    int removed; /* 1: the cycle removed the job, so no change is tried */
    struct offer_list list;
    struct offer_jobs jobs;
};

static int wants_offer(const struct first_trial *t) {
    const struct start_question *q = t->q;
    return q->answer.offer && !t->removed && q->answer.start != LSCHED_START_NOW &&
           q->answer.start != LSCHED_START_HAS_PLACES;
}

/* Takes the decisions about the job out of the plan of the trial. */
static int32_t take_plan(struct start_question *q, lsched_id job, lsched_plan *plan) {
    plan_origin_drop(plan); /* the decisions are not made, so no cluster can adopt them */
    struct lsched_plan *copy = alloc_new(&plan->alloc, sizeof *copy);
    if (!copy) return LSCHED_E_NOMEM;
    *copy = *plan;
    copy->alloc = plan->alloc;
    /* the plan of the trial is empty now; the copy owns what it had */
    plan->decisions = NULL;
    plan->waiting = NULL;
    plan->advice = NULL;
    plan->withdrawn = NULL;
    plan->withdrawn_in = NULL;
    plan->n_decisions = plan->n_waiting = plan->n_advice = plan->n_withdrawn = 0;
    plan->cap_advice = 0;
    memset(&plan->log, 0, sizeof plan->log);
    plan->alloc.bytes = sizeof *plan;
    copy->alloc.bytes -= sizeof *plan;
    q->answer.plan = copy;
    return plan_of_job_keep(copy, job);
}

static int32_t read_first(void *user, lsched_id job, lsched_plan *plan) {
    struct first_trial *t = user;
    struct start_question *q = t->q;
    read_outcome(q, job, plan);
    t->removed = is_removed(q, job);
    int32_t rc = LSCHED_OK;
    if (wants_offer(t)) {
        uint32_t per_kind = q->tries_max / 4 > 4 ? q->tries_max / 4 : 4;
        rc = offer_jobs_read(q->c, plan, &t->jobs);
        if (rc == LSCHED_OK)
            rc = offer_list_make(q->c, (uint32_t)job, &q->waiting, per_kind, &t->list);
    }
    if (rc == LSCHED_OK && (q->flags & LSCHED_WOULD_START_PLAN)) rc = take_plan(q, job, plan);
    if (rc == LSCHED_OK && job != q->job) forget_job(q, job);
    return rc;
}

static int32_t start_ask(struct start_question *q, lsched_offer *offer) {
    struct speculation *s;
    struct first_trial first = {.q = q, .list = {.alloc = &q->c->alloc}};
    int32_t rc = speculation_open(q->c, &s);
    if (rc != LSCHED_OK) return rc;
    rc = start_trial_run(q, s, NULL, read_first, &first, q->err);
    if (rc == LSCHED_OK && wants_offer(&first))
        rc = offer_search(q, s, &first.list, &first.jobs, offer);
    offer_jobs_close(&q->c->alloc, &first.jobs);
    offer_list_close(&first.list);
    q->c->k.id_salt = q->salt; /* algorithms of the host are told that they end */
    speculation_close(q->c, s);
    if (rc == LSCHED_OK) return rc;
    plan_free(q->answer.plan);
    q->answer.plan = NULL;
    return rc;
}

/* An array is asked for its first element that waits its turn: one that has begun and is tried with
 * the array, else the next one (start_trial.h). If all have begun, any that waits. */
static lsched_id start_subject(const struct columns *k, lsched_id job) {
    uint32_t array = (uint32_t)job, first = NO_ROW;
    if (job == 0 || !array_is(k, array)) return job;
    int begins = array_weight(k, array) > 0;
    EACH_LIVE(k, T_JOB, j) {
        int same = k->c[C_JOB_BUNDLE].u32[j] == k->c[C_JOB_BUNDLE].u32[array];
        if (array_of_element(k, j) != array || k->c[C_JOB_PHASE].u8[j] == JOB_FULL) continue;
        if ((same || !begins) && (first == NO_ROW || array_compare(k, j, first) < 0)) first = j;
    }
    return first == NO_ROW ? job : id_make(k, LSCHED_KIND_JOB, first);
}

/* Asks without the salt of the cluster's ids, because a trial makes calls of the API with ids of
 * columns. desc: room for the description with an id of columns. */
static int32_t start_ask_inside(struct start_question *q, lsched_job_desc *desc,
                                lsched_offer *offer) {
    struct columns *k = &q->c->k;
    uint64_t salt = q->salt = k->id_salt;
    if (salt && q->desc) {
        int32_t rc = arg_struct(desc, sizeof *desc, q->desc, 0, "job", q->err);
        if (rc != LSCHED_OK) return rc;
        desc->queue = id_outside(k, desc->queue);
        q->desc = desc;
    }
    q->job = id_outside(k, q->job);
    k->id_salt = 0;
    q->job = start_subject(k, q->job);
    int32_t rc = start_ask(q, offer);
    k->id_salt = salt;
    if (rc != LSCHED_OK) return rc;
    plan_turn_waiting(&q->waiting, k);
    q->answer.ends_job = id_outside(k, q->answer.ends_job);
    offer->object = id_outside(k, offer->object);
    offer->loser = id_outside(k, offer->loser);
    if (q->answer.plan) plan_turn_ids(q->answer.plan, k);
    return rc;
}

LSCHED_API int32_t lsched_would_start(const lsched_cluster *cluster, lsched_id job,
                                      const lsched_job_desc *desc,
                                      const lsched_would_start_opts *opts,
                                      lsched_would_start_answer *out, lsched_error *err) {
    lsched_cluster *c = arg_caches_of(cluster);
    int32_t rc = arg_query(c, out, err);
    if (rc != LSCHED_OK) return rc;
    struct start_question q = {.c = c, .job = job, .desc = desc, .err = err};
    rc = arg_struct(&q.answer, sizeof q.answer, out, 0, "would_start answer", err);
    if (rc == LSCHED_OK) rc = read_question(&q, opts);
    if (rc != LSCHED_OK) return rc;
    lsched_waiting *waiting = q.answer.waiting;
    lsched_offer *offer = q.answer.offer, found = LSCHED_OFFER_INIT;
    q.answer =
        (lsched_would_start_answer){.size = sizeof q.answer, .waiting = waiting, .offer = offer};
    lsched_job_desc inside;
    rc = start_ask_inside(&q, &inside, &found);
    if (rc != LSCHED_OK) return fail_plain(err, rc);
    /* The field is a pointer.  NOLINTNEXTLINE(bugprone-sizeof-expression) */
    if (out->size < offsetof(lsched_would_start_answer, plan) + sizeof out->plan) {
        plan_free(q.answer.plan); /* the caller would never see it */
        q.answer.plan = NULL;
    }
    rc = waiting ? arg_out(waiting, &q.waiting, (uint32_t)sizeof q.waiting) : LSCHED_OK;
    if (rc == LSCHED_OK && offer) rc = arg_out(offer, &found, (uint32_t)sizeof found);
    if (rc == LSCHED_OK) rc = arg_out(out, &q.answer, (uint32_t)sizeof q.answer);
    if (rc != LSCHED_OK) plan_free(q.answer.plan);
    return rc == LSCHED_OK ? rc : fail(err, rc, "would_start: the size of the record is not set");
}
