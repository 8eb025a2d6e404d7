/* start_trial.c -- see start_trial.h. */
#include "api/what_if/start_trial.h"

#include "api/what_if/change_apply.h"
#include "engine/cycle/cycle.h"
#include "model/arrays/array.h"
#include "model/dependencies/gate.h"

/* Submits the described job. */
static int32_t submit_described(struct start_question *q, lsched_id *job, lsched_error *err) {
    int32_t rc = lsched_jobs_submit(q->c, q->desc, 1, 0, NULL, job, NULL, err);
    return rc < 0 ? rc : LSCHED_OK;
}

static int32_t change_for(struct start_question *q, lsched_id job, const lsched_offer *change,
                          lsched_error *err) {
    lsched_offer o = *change;
    if (o.object == 0) o.object = job;
    return change_apply(q->c, &o, err);
}

/* Notes what the answer says of the job if the cycle removes it. */
static void start_trial_note(struct start_question *q, lsched_id job) {
    const struct columns *k = &q->c->k;
    uint32_t gate = gate_row(k, (uint32_t)job);
    q->queue = id_make(k, LSCHED_KIND_QUEUE, k->c[C_JOB_QUEUE].u32[(uint32_t)job]);
    q->expires = gate == NO_ROW ? 0 : k->c[C_GATE_EXPIRES].i64[gate];
}

/* Sets the name of the element that is next to begin; the empty name if the job is no array. */
static void next_element(const struct columns *k, lsched_id job, struct array_name *name) {
    uint32_t row = (uint32_t)job, a = k->c[C_JOB_ARRAY].u32[row];
    name->n = 0;
    if (array_is(k, row) && array_weight(k, row) > 0)
        array_name_of(k, a, k->c[C_ARRAY_NEXT].u32[a], name);
}

/* Returns the element if the cycle has begun it, else the job. */
static lsched_id begun_element(const struct columns *k, lsched_id job,
                               const struct array_name *name) {
    uint32_t row = name->n ? name_find(k, T_IX_JOB, name->text, name->n) : NO_ROW;
    return row == NO_ROW ? job : id_make(k, LSCHED_KIND_JOB, row);
}

static int32_t run_cycle(struct start_question *q, const lsched_offer *change, start_trial_fn read,
                         void *user, lsched_error *err) {
    lsched_id job = q->job;
    lsched_plan *plan = NULL;
    struct array_name element;
    int32_t rc = q->desc ? submit_described(q, &job, err) : LSCHED_OK;
    if (rc == LSCHED_OK && change) rc = change_for(q, job, change, err);
    if (rc != LSCHED_OK) return rc;
    start_trial_note(q, job);
    next_element(&q->c->k, job, &element);
    /* algorithms of the host can read the cluster during the cycle, with the ids that they know */
    q->c->busy = 1;
    q->c->k.id_salt = q->salt;
    rc = cycle_run(q->c, &q->schedule, &plan, err);
    q->c->k.id_salt = 0;
    if (rc == LSCHED_OK && (plan->info.flags & LSCHED_PLAN_INTERRUPTED)) rc = LSCHED_E_INTERRUPTED;
    if (rc == LSCHED_OK) rc = read(user, begun_element(&q->c->k, job, &element), plan);
    q->c->busy = 0;
    plan_free(plan);
    return rc;
}

/* True if caches of the trial can be wrong for the next one: rows that the trial added exist no
 * more, or hooks read what other trials change. */
static int spoils_caches(const struct lsched_cluster *c, const lsched_offer *change) {
    return (change &&
            (change->change == LSCHED_OFFER_ADD_NODE || change->change == LSCHED_OFFER_LABEL)) ||
           (c->policy.policy.ops && c->policy.policy.desc.hooks);
}

int32_t start_trial_run(struct start_question *q, struct speculation *s, const lsched_offer *change,
                        start_trial_fn read, void *user, lsched_error *err) {
    int32_t rc = speculation_begin(q->c, s);
    if (rc != LSCHED_OK) return rc;
    rc = run_cycle(q, change, read, user, err);
    speculation_undo(q->c, s);
    if (spoils_caches(q->c, change)) cluster_drop_caches(q->c);
    return rc;
}
