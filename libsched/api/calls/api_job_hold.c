/*
 * api_job_hold.c -- lsched_jobs_hold and lsched_jobs_release: the orchestrator takes jobs out of
 * scheduling and gives them back.
 */
#include "api/door/args.h"
#include "api/door/door.h"
#include "model/jobs/job_limits.h"
#include "model/life/host_hold.h"

/* ---- hold ---- */

/* Reads the end and the reason of the hold. */
static int32_t read_terms(const struct columns *k, const lsched_job_hold *h, int64_t *until,
                          lsched_text *reason, lsched_error *err) {
    int64_t now = (int64_t)meta(k, M_NOW);
    if (h->until_us && h->until_us <= now)
        return fail(err, LSCHED_E_TIME,
                    "until_us %lld is not after the cluster's time %lld; use LSCHED_NEVER_US for a "
                    "hold that ends with lsched_jobs_release()",
                    (long long)h->until_us, (long long)now);
    int32_t rc =
        h->until_us == LSCHED_NEVER_US ? LSCHED_OK : arg_instant(h->until_us, "until_us", err);
    if (rc != LSCHED_OK) return rc;
    *until = h->until_us ? h->until_us : LSCHED_NEVER_US;
    *reason = arg_text(h->reason);
    if (!h->reason.ptr && h->reason.len && h->reason.len != LSCHED_NUL_TERMINATED)
        return fail(err, LSCHED_E_NULL, "the reason has a length, but its text is NULL");
    if (reason->len > LIMIT_HOLD_REASON_BYTES)
        return fail(err, LSCHED_E_RANGE, "the reason has %llu bytes; expected at most %u",
                    (unsigned long long)reason->len, LIMIT_HOLD_REASON_BYTES);
    return LSCHED_OK;
}

static int32_t element_job_hold(struct lsched_cluster *c, const struct call *call, size_t i,
                                const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    lsched_job_hold h;
    lsched_text reason = {NULL, 0};
    int64_t until = 0;
    uint32_t job = NO_ROW;
    (void)i;
    int32_t rc = arg_struct(&h, sizeof h, element, call->elem_size, "job hold", err);
    if (rc == LSCHED_OK) rc = arg_ref(k, h.job, h.name, LSCHED_KIND_JOB, &job, err);
    if (rc == LSCHED_OK) rc = arg_reserved(h.reserved_zero, "reserved_zero", "job hold", err);
    if (rc == LSCHED_OK) rc = read_terms(k, &h, &until, &reason, err);
    if (rc != LSCHED_OK) return rc;
    if (host_hold_is(k, job, until, reason))
        return call_is_idempotent(call) ? LSCHED_UNCHANGED : LSCHED_OK;
    return host_hold_begin(k, job, until, reason);
}

static const struct call_kind call_jobs_hold = {.op = CALL_JOBS_HOLD,
                                                .apply = element_job_hold,
                                                .what = "job",
                                                .object = LSCHED_KIND_JOB,
                                                .struct_size = sizeof(lsched_job_hold),
                                                .name_at = offsetof(lsched_job_hold, name),
                                                .id_at = offsetof(lsched_job_hold, job)};

LSCHED_API int32_t lsched_jobs_hold(lsched_cluster *c, const lsched_job_hold *holds, size_t n,
                                    size_t elem_size, const lsched_batch_opts *opts,
                                    int32_t *status, lsched_error *err) {
    struct call call = {.kind = &call_jobs_hold,
                        .n = n,
                        .elem_size = elem_size,
                        .elements = holds,
                        .status = status};
    return door_batch(c, &call, opts, err);
}

/* ---- release ---- */

static int32_t element_job_release(struct lsched_cluster *c, const struct call *call, size_t i,
                                   const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    uint32_t job;
    (void)i;
    int32_t rc = arg_id(k, *(const lsched_id *)element, LSCHED_KIND_JOB, &job, err);
    if (rc == LSCHED_E_STALE && call_is_idempotent(call)) return LSCHED_UNCHANGED;
    if (rc != LSCHED_OK) return rc;
    if (job_host_hold(k, job)) return host_hold_end(k, job);
    if (call_is_idempotent(call)) return LSCHED_UNCHANGED;
    lsched_text name = text_of(k, k->c[C_JOB_NAME].u32[job]);
    return fail(err, LSCHED_E_STATE,
                "job '%.*s' is not held by lsched_jobs_hold(); %s, or allow this with "
                "LSCHED_BATCH_IDEMPOTENT",
                (int)name.len, name.ptr,
                job_held(k, job) ? "its hold by a rule ends with LSCHED_JOB_SET_AGAIN"
                                 : "leave it out");
}

static const struct call_kind call_jobs_release = {
    .op = CALL_JOBS_RELEASE, .apply = element_job_release, .object = LSCHED_KIND_JOB, .is_id = 1};

LSCHED_API int32_t lsched_jobs_release(lsched_cluster *c, const lsched_id *jobs, size_t n,
                                       const lsched_batch_opts *opts, int32_t *status,
                                       lsched_error *err) {
    struct call call = {.kind = &call_jobs_release,
                        .n = n,
                        .elem_size = sizeof *jobs,
                        .elements = jobs,
                        .status = status};
    return door_batch(c, &call, opts, err);
}
