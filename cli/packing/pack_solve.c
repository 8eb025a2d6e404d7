/*
 * pack_solve.c -- see pack_solve.h.
 */
#include "cli/packing/pack_solve.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/host_allocator.h"
#include "cli/support/terminal.h"
#include "cli/support/cli_errors.h"

enum { STEPS = 200, STEP_WORK_MIN = 20000 };

const char *const pack_method_words[] = {"auto", "seed", "dp", "ruin", "exact", "bound", NULL};
static const char *const bound_words[] = {"nothing", "peak", "clique", "conflict", "matching",
                                          "columns", "area", "path",   "energy",   "search"};

const char *pack_method_word(uint32_t method) {
    return method < sizeof pack_method_words / sizeof pack_method_words[0] - 1
               ? pack_method_words[method]
               : "?";
}

const char *pack_bound_word(uint32_t bound) {
    return bound < sizeof bound_words / sizeof bound_words[0] ? bound_words[bound] : "?";
}

/* Runs the packer until the budget of work units is spent, the time limit is reached, or the packer
 * has finished its search. *cut_off is true in the first two cases. */
static int32_t run_steps(lsched_packer *packer, const struct pack_wish *wish, int64_t begun_ns,
                         bool *cut_off, lsched_error *err) {
    uint64_t done = 0, all = (uint64_t)wish->work, step = all / STEPS;
    int32_t rc = 1;
    if (step < STEP_WORK_MIN) step = STEP_WORK_MIN;
    while (rc == 1) {
        uint64_t now = all - done < step ? all - done : step;
        rc = lsched_packer_run(packer, now, err);
        done += now;
        int64_t spent_ns = clock_core_ns() - begun_ns;
        if (wish->step != NULL && wish->most_ns > 0)
            wish->step(wish->user, (uint64_t)spent_ns, (uint64_t)wish->most_ns);
        if (wish->step != NULL && wish->most_ns == 0) wish->step(wish->user, done, all);
        if (done >= all || (wish->most_ns > 0 && spent_ns >= wish->most_ns)) break;
    }
    *cut_off = rc == 1;
    return rc < 0 ? rc : LSCHED_OK;
}

static int32_t read_result(lsched_packer *packer, struct pack_result *out, lsched_error *err) {
    out->info = (lsched_pack_info){.size = sizeof out->info};
    int32_t rc = lsched_packer_get(packer, &out->info, err);
    if (rc < 0) return rc;
    int64_t n = lsched_packer_places(packer, NULL, 0, err);
    if (n < 0) return (int32_t)n;
    out->n_places = (size_t)n;
    out->places = must_alloc(out->n_places * sizeof out->places[0]);
    n = lsched_packer_places(packer, out->places, out->n_places, err);
    return n < 0 ? (int32_t)n : LSCHED_OK;
}

/* Checks the plan with lsched_pack_check(). If that function refuses the plan, the packer has a
 * defect. Therefore every refusal gets the error code LSCHED_E_VERIFY. */
static int32_t judge(const lsched_pack_problem *problem, const lsched_pack_opts *opts,
                     const struct pack_result *result, lsched_error *err) {
    lsched_pack_info judged = {.size = sizeof judged};
    int32_t rc = lsched_pack_check(problem, opts, result->places, result->n_places, &judged, err);
    if (rc < 0) {
        err->code = LSCHED_E_VERIFY;
        return err->code;
    }
    if (judged.compared_micro == result->info.compared_micro && judged.bins == result->info.bins)
        return LSCHED_OK;
    return error_at(err, LSCHED_E_VERIFY, 0, 0,
                    "the cost of the plan differs from the cost that the packer reports");
}

int32_t pack_solve(const lsched_pack_problem *problem, const struct pack_wish *wish,
                   struct pack_result *out, lsched_error *err) {
    struct host_allocator memory;
    lsched_packer *packer = NULL;
    lsched_pack_opts opts = {.size = 0};
    lsched_init(&opts, sizeof opts);
    opts.method = wish->method;
    opts.beam = wish->beam;
    opts.seed = wish->seed;
    opts.allocator = host_allocator_begin(&memory);
    memset(out, 0, sizeof *out);
    int64_t begun_ns = clock_core_ns();
    int32_t rc = lsched_packer_create(problem, &opts, &packer, err);
    if (rc == 0 && wish->start != NULL)
        rc = lsched_packer_start_from(packer, wish->start, wish->n_start, err);
    if (rc == 0) rc = run_steps(packer, wish, begun_ns, &out->cut_off, err);
    out->core_ns = clock_core_ns() - begun_ns;
    if (rc == 0) rc = read_result(packer, out, err);
    if (rc == 0) rc = judge(problem, &opts, out, err);
    lsched_packer_destroy(packer);
    host_allocator_end(&memory);
    return rc;
}

void pack_result_free(struct pack_result *result) {
    free(result->places);
    memset(result, 0, sizeof *result);
}
