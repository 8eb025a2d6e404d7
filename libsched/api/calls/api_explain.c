/* api_explain.c -- lsched_explain and lsched_waiting_text: explanations as texts for people. */
#include "api/door/args.h"
#include "engine/explain/explain.h"
#include "engine/plan/plan.h"

LSCHED_API int64_t lsched_explain(const lsched_cluster *cluster, lsched_id id, char *buf,
                                  size_t cap, lsched_waiting *record, lsched_error *err) {
    lsched_cluster *c = arg_caches_of(cluster);
    uint32_t job;
    lsched_waiting w;
    struct text_out o;
    int32_t rc = arg_report(c, buf, cap, &o, err);
    if (rc == LSCHED_OK) rc = arg_id(&c->k, id, LSCHED_KIND_JOB, &job, err);
    if (rc != LSCHED_OK) return rc;
    c->busy = 1;
    rc = explain_job(c, job, &o, &w);
    c->busy = 0;
    if (rc != LSCHED_OK) return fail_plain(err, rc);
    plan_turn_waiting(&w, &c->k);
    if (record) rc = arg_out(record, &w, (uint32_t)sizeof w);
    return rc == LSCHED_OK ? (int64_t)o.n : fail(err, rc, "the record's size is not set");
}

/* Unlike other reports, this one is allowed in a callback: it reads the record and names alone. */
LSCHED_API int64_t lsched_waiting_text(const lsched_cluster *c, const lsched_waiting *record,
                                       char *buf, size_t cap, lsched_error *err) {
    lsched_waiting w;
    uint32_t job;
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c || (cap && !buf)) return fail(err, LSCHED_E_NULL, "cluster or buffer is NULL");
    if (cap) buf[0] = 0;
    rc = arg_struct(&w, sizeof w, record, 0, "record", err);
    if (rc == LSCHED_OK) rc = arg_id(&c->k, w.job, LSCHED_KIND_JOB, &job, err);
    if (rc != LSCHED_OK) return rc;
    struct text_out o = {buf, cap, 0};
    plan_turn_waiting(&w, &c->k);
    explain_waiting(c, &w, &o);
    return (int64_t)o.n;
}
