/*
 * api_pack.c -- the public calls of packing over time.
 *
 * This file checks the arguments. pack/solve/packer.h makes the plans, and
 * pack/judge/check_plan.c checks a plan. The calls need no cluster.
 */
#include <assert.h>

#include "base/call_args.h"
#include "pack/judge/plan_witness.h"
#include "pack/solve/packer.h"

/* True if the judge accepts the packer's best plan. In builds with NDEBUG there is no judge here,
 * and the result is always true. */
static int is_judged(lsched_packer *packer) {
    lsched_pack_info info = {.size = sizeof info};
    struct plan_witness *w = *packer_witness(packer);
    size_t n;
    lsched_pack_place *places = plan_witness_places(w, &n);
    if (!w) return 1;
    return packer_places(packer, places, n) == (int64_t)n &&
           packer_info(packer, &info) == LSCHED_OK && plan_witness_agrees(w, &info);
}

LSCHED_API int32_t lsched_pack_memory(const lsched_pack_problem *problem,
                                      const lsched_pack_opts *opts, uint64_t *bytes,
                                      lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!bytes) return fail(err, LSCHED_E_NULL, "bytes is NULL");
    return packer_memory(problem, opts, bytes, err);
}

LSCHED_API int32_t lsched_packer_create(const lsched_pack_problem *problem,
                                        const lsched_pack_opts *opts, lsched_packer **out,
                                        lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!out) return fail(err, LSCHED_E_NULL, "packer is NULL");
    rc = packer_create(problem, opts, out, err);
    if (rc == LSCHED_OK) *packer_witness(*out) = plan_witness_new(problem, opts);
    return rc;
}

LSCHED_API int32_t lsched_packer_run(lsched_packer *packer, uint64_t work, lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!packer) return fail(err, LSCHED_E_NULL, "packer is NULL");
    rc = packer_run(packer, work, err);
    int ok = rc < 0 || is_judged(packer);
    assert(ok);
    (void)ok;
    return rc;
}

LSCHED_API void lsched_packer_interrupt(lsched_packer *packer) {
    if (packer) packer_interrupt(packer);
}

LSCHED_API int32_t lsched_packer_get(const lsched_packer *packer, lsched_pack_info *out,
                                     lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!packer || !out) return fail(err, LSCHED_E_NULL, "packer or info is NULL");
    rc = packer_info(packer, out);
    return rc == LSCHED_OK ? rc : fail(err, rc, "info: size is %u; was it set?", out->size);
}

LSCHED_API int64_t lsched_packer_places(const lsched_packer *packer, lsched_pack_place *places,
                                        size_t room, lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!packer || (room && !places)) return fail(err, LSCHED_E_NULL, "packer or places is NULL");
    return packer_places(packer, places, room);
}

LSCHED_API int32_t lsched_packer_start_from(lsched_packer *packer, const lsched_pack_place *places,
                                            size_t n, lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!packer || (n && !places)) return fail(err, LSCHED_E_NULL, "packer or places is NULL");
    return packer_start_from(packer, places, n, err);
}

LSCHED_API void lsched_packer_destroy(lsched_packer *packer) {
    if (packer) plan_witness_free(*packer_witness(packer));
    packer_destroy(packer);
}
