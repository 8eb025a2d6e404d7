/* plan_of_job.c -- see plan_of_job.h. */
#include "engine/plan/plan_of_job.h"

#include "base/amounts.h"
#include "model/told/decision.h"

/* The EVICT that follows a CHECKPOINT is of the group of an earlier plan. */
static int is_of_earlier_plan(const lsched_decision *d) {
    return d->checkpoint != LSCHED_CHECKPOINT_NONE;
}

static int gives_place(const lsched_decision *d, lsched_id job) {
    return d->job == job && (d->kind == LSCHED_DECIDE_PLACE || d->kind == LSCHED_DECIDE_NOMINATE);
}

static int stops_other(const lsched_decision *d, lsched_id job) {
    return d->job != job && decision_stops(d->kind) && !is_of_earlier_plan(d) && d->for_job == job;
}

void plan_of_job_count(const lsched_plan *p, lsched_id job, struct plan_of_job *out) {
    *out = (struct plan_of_job){0};
    for (size_t i = 0; i < p->n_decisions; i++) {
        const lsched_decision *d = &p->decisions[i];
        if (gives_place(d, job)) {
            out->tasks++;
            if (d->kind == LSCHED_DECIDE_NOMINATE && d->at_us > out->at) out->at = d->at_us;
        }
        if (!stops_other(d, job)) continue;
        out->victims++;
        out->cost = amount_sum(out->cost, d->cost);
    }
}

/* Makes an array shorter; the unused memory is given back. */
static int32_t shorten(lsched_plan *p, size_t n) {
    size_t size = sizeof *p->decisions;
    if (n == 0) {
        alloc_free(&p->alloc, p->decisions, p->n_decisions * size);
        p->decisions = NULL;
    } else if (n < p->n_decisions) {
        void *less = alloc_resize(&p->alloc, p->decisions, p->n_decisions * size, n * size);
        if (!less) return LSCHED_E_NOMEM;
        p->decisions = less;
    }
    p->n_decisions = n;
    return LSCHED_OK;
}

/* The decision groups of a plan are numbered one after the other. Sets of[group - first] to 1 for
 * each group that gives the job a place. */
static void mark_groups(const lsched_plan *p, lsched_id job, uint64_t first, uint8_t *of) {
    for (size_t i = 0; i < p->n_decisions; i++)
        if (gives_place(&p->decisions[i], job)) of[p->decisions[i].group - first] = 1;
}

static size_t keep_decisions(lsched_plan *p, lsched_id job, uint64_t first, const uint8_t *of) {
    size_t n = 0;
    for (size_t i = 0; i < p->n_decisions; i++) {
        const lsched_decision *d = &p->decisions[i];
        if (is_of_earlier_plan(d)) continue;
        if (d->job == job || d->for_job == job || of[d->group - first])
            p->decisions[n++] = p->decisions[i];
    }
    for (size_t i = 0; i < n; i++) p->decisions[i].id = 0;
    return n;
}

static int32_t keep_of_job(lsched_plan *p, lsched_id job) {
    uint64_t first = UINT64_MAX, last = 0;
    for (size_t i = 0; i < p->n_decisions; i++) {
        uint64_t group = p->decisions[i].group;
        if (is_of_earlier_plan(&p->decisions[i])) continue;
        if (group < first) first = group;
        if (group > last) last = group;
    }
    if (first > last) return shorten(p, 0);
    uint8_t *of = alloc_zero(&p->alloc, last - first + 1);
    if (!of) return LSCHED_E_NOMEM;
    mark_groups(p, job, first, of);
    int32_t rc = shorten(p, keep_decisions(p, job, first, of));
    alloc_free(&p->alloc, of, last - first + 1);
    return rc;
}

int32_t plan_of_job_keep(lsched_plan *p, lsched_id job) {
    int32_t rc = keep_of_job(p, job);
    if (rc != LSCHED_OK) return rc;
    alloc_free(&p->alloc, p->waiting, p->n_waiting * sizeof *p->waiting);
    alloc_free(&p->alloc, p->withdrawn, p->n_withdrawn * sizeof *p->withdrawn);
    alloc_free(&p->alloc, p->withdrawn_in, p->n_withdrawn * sizeof *p->withdrawn_in);
    alloc_free(&p->alloc, p->advice, p->cap_advice * sizeof *p->advice);
    p->waiting = NULL;
    p->withdrawn = NULL;
    p->withdrawn_in = NULL;
    p->advice = NULL;
    p->n_waiting = p->n_withdrawn = p->n_advice = 0;
    p->cap_advice = 0;
    p->info.decisions = p->n_decisions;
    p->info.waiting = 0;
    return LSCHED_OK;
}
