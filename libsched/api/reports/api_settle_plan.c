/*
 * api_settle_plan.c -- lsched_settle_plan: answers the decisions of a plan in one call.
 *
 * The call makes the batch that lsched_settle() takes, with LSCHED_BATCH_PARTIAL and
 * LSCHED_BATCH_IDEMPOTENT, so every rule of settling is written once. Decisions without an answer
 * are no elements of the batch: an outcome for them, such as "leave", would be a third one that
 * each reader of outcomes has to know. Only the cluster that made a plan answers it: the ids of a
 * clone and of its original are equal, and name different decisions after the first call on either.
 * The plan knows its cluster (plan_origin.h). A comparison of each decision with the plan would
 * take the rest of a foreign plan for withdrawn decisions, and a RESIZE does not tell its amounts.
 * Before the batch is applied, all memory is there; a call that fails changes nothing. Costs: one
 * pass over the plan besides the batch.
 */
#include "api/door/args.h"
#include "engine/plan/plan.h"

/* The answers of a call: the batch, the status of each element, and which decision it is about. */
struct answers {
    lsched_settlement *batch;
    int32_t *status;
    uint32_t *index;
    size_t room, n;
};

static int answers_open(struct answers *a, struct alloc *alloc, size_t room) {
    *a = (struct answers){.room = room ? room : 1};
    a->batch = alloc_new(alloc, a->room * sizeof *a->batch);
    a->status = alloc_new(alloc, a->room * sizeof *a->status);
    a->index = alloc_new(alloc, a->room * sizeof *a->index);
    return a->batch && a->status && a->index;
}

static void answers_close(struct answers *a, struct alloc *alloc) {
    alloc_free(alloc, a->batch, a->room * sizeof *a->batch);
    alloc_free(alloc, a->status, a->room * sizeof *a->status);
    alloc_free(alloc, a->index, a->room * sizeof *a->index);
}

/* The outcome of a decision of a plan that is confirmed whole. A nomination needs no answer, and
 * the answer to CHECKPOINT says that the checkpoint is written, which nobody knows yet. */
static lsched_outcome outcome_of_kind(uint32_t kind) {
    return kind == LSCHED_DECIDE_NOMINATE || kind == LSCHED_DECIDE_CHECKPOINT
               ? 0
               : LSCHED_OUTCOME_CONFIRMED;
}

static int32_t plan_is_own(const lsched_cluster *c, const lsched_plan *plan, lsched_error *err) {
    const struct plan_origin *o = &plan->origin;
    if (!o->family)
        return fail(err, LSCHED_E_INVAL,
                    "plan: lsched_would_start() made it, so its decisions are not made; expected a "
                    "plan that lsched_schedule() made for this cluster");
    if (o->family == c->family && o->member == c->member) return LSCHED_OK;
    return fail(err, LSCHED_E_INVAL,
                "plan: it was made for another cluster, so its ids name other decisions here; "
                "expected a plan of this cluster; the plan of a clone must be adopted before");
}

LSCHED_API int32_t lsched_settle_plan(lsched_cluster *c, const lsched_plan *plan,
                                      const lsched_outcome *outcomes, int32_t *status,
                                      lsched_error *err) {
    const lsched_batch_opts opts = {sizeof opts, LSCHED_BATCH_PARTIAL | LSCHED_BATCH_IDEMPOTENT};
    struct answers a;
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c || !plan) return fail(err, LSCHED_E_NULL, "cluster or plan is NULL");
    if (c->busy) return arg_busy(err);
    rc = plan_is_own(c, plan, err);
    if (rc != LSCHED_OK) return rc;
    if (!answers_open(&a, &c->alloc, plan->n_decisions)) {
        answers_close(&a, &c->alloc);
        return fail_plain(err, LSCHED_E_NOMEM);
    }
    for (size_t i = 0; i < plan->n_decisions; i++) {
        const lsched_decision *d = &plan->decisions[i];
        lsched_outcome outcome = outcomes ? outcomes[i] : outcome_of_kind(d->kind);
        if (!outcome) continue;
        a.index[a.n] = (uint32_t)i;
        a.batch[a.n++] =
            (lsched_settlement){.size = sizeof a.batch[0], .outcome = outcome, .decision = d->id};
    }
    rc = lsched_settle(c, a.batch, a.n, sizeof a.batch[0], &opts, NULL, a.status, err);
    if (err && err->index >= 0 && (size_t)err->index < a.n) err->index = a.index[err->index];
    for (size_t i = 0; rc >= 0 && status && i < plan->n_decisions; i++)
        status[i] = LSCHED_UNCHANGED;
    for (size_t i = 0; rc >= 0 && status && i < a.n; i++) status[a.index[i]] = a.status[i];
    answers_close(&a, &c->alloc);
    return rc;
}
