/* api_readback.c -- reads open decisions with their content, and why each job waits. */
#include "api/door/args.h"
#include "engine/plan/plan.h"
#include "engine/plan/plan_waiting.h"
#include "model/jobs/job_phase.h"

static int32_t no_size(lsched_error *err, const char *what) {
    return fail(err, LSCHED_E_SIZE, "%s: the size of the record is not set", what);
}

/* Checks that the caller's struct can have all devices of the decision. */
static int32_t decision_fits(const void *out, const lsched_decision *d, lsched_error *err) {
    return arg_devices_fit(out, offsetof(lsched_decision, device_words),
                           device_set_of_array(d->device_words), err);
}

LSCHED_API int32_t lsched_decision_get(const lsched_cluster *c, lsched_id id, lsched_decision *out,
                                       lsched_error *err) {
    uint32_t d;
    lsched_decision decision;
    int32_t rc = arg_query(c, out, err);
    if (rc != LSCHED_OK) return rc;
    rc = arg_id(&c->k, id, LSCHED_KIND_DECISION, &d, err);
    if (rc != LSCHED_OK) return rc;
    plan_decision_copy(&c->k, d, &decision);
    plan_turn_decision(&decision, &c->k);
    rc = decision_fits(out, &decision, err);
    if (rc != LSCHED_OK) return rc;
    rc = arg_out(out, &decision, (uint32_t)sizeof decision);
    return rc == LSCHED_OK ? rc : no_size(err, "decision");
}

/* The cursor is the id of the decision that comes next; UINT64_MAX: there is none. */
LSCHED_API int32_t lsched_decisions_next(const lsched_cluster *c, uint64_t *cursor,
                                         lsched_decision *out, lsched_error *err) {
    lsched_decision decision;
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c || !cursor || !out) return fail(err, LSCHED_E_NULL, "cluster, cursor or out is NULL");
    const struct columns *k = &c->k;
    if (*cursor == UINT64_MAX) return 0;
    uint32_t d = (uint32_t)meta(k, M_OPEN_HEAD);
    if (*cursor != 0 && arg_id(k, *cursor, LSCHED_KIND_DECISION, &d, NULL) != LSCHED_OK)
        return fail(err, LSCHED_E_STATE,
                    "the decision at the cursor was settled since the latest call; begin again "
                    "with a cursor of 0");
    if (d == NO_ROW) return 0;
    plan_decision_copy(k, d, &decision);
    plan_turn_decision(&decision, k);
    uint32_t next = k->c[C_DECISION_NEXT].u32[d];
    uint64_t then = next == NO_ROW ? UINT64_MAX : arg_id_of(k, LSCHED_KIND_DECISION, next);
    rc = decision_fits(out, &decision, err);
    if (rc != LSCHED_OK) { /* the walk can go on behind this decision */
        *cursor = then;
        return rc;
    }
    rc = arg_out(out, &decision, (uint32_t)sizeof decision);
    if (rc != LSCHED_OK) return no_size(err, "decision");
    *cursor = then;
    return 1;
}

/* ---- waiting jobs ---- */

static int32_t waiting_out(const struct columns *k, uint32_t job, lsched_waiting *out,
                           lsched_error *err) {
    lsched_waiting w;
    plan_waiting_of_job(k, job, &w);
    plan_turn_waiting(&w, k);
    int32_t rc = arg_out(out, &w, (uint32_t)sizeof w);
    if (rc != LSCHED_OK) return no_size(err, "waiting record");
    return w.code != LSCHED_WAIT_NONE;
}

LSCHED_API int32_t lsched_waiting_get(const lsched_cluster *c, lsched_id id, lsched_waiting *out,
                                      lsched_error *err) {
    uint32_t job;
    int32_t rc = arg_query(c, out, err);
    if (rc != LSCHED_OK) return rc;
    rc = arg_id(&c->k, id, LSCHED_KIND_JOB, &job, err);
    return rc == LSCHED_OK ? waiting_out(&c->k, job, out, err) : rc;
}

LSCHED_API int32_t lsched_waiting_next(const lsched_cluster *c, uint64_t *cursor,
                                       lsched_waiting *out, lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c || !cursor || !out) return fail(err, LSCHED_E_NULL, "cluster, cursor or out is NULL");
    const struct columns *k = &c->k;
    while (*cursor < table_rows(k, T_JOB)) {
        uint32_t job = (uint32_t)(*cursor)++;
        if (!row_is_live(k, T_JOB, job) || k->c[C_JOB_PHASE].u8[job] == JOB_NEW) continue;
        rc = waiting_out(k, job, out, err);
        if (rc != 0) return rc;
    }
    return 0;
}
