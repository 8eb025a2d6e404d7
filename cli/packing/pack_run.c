/*
 * pack_run.c -- see pack_run.h.
 */
#include "cli/packing/pack_run.h"

#include <inttypes.h>

static void step(void *user, uint64_t done, uint64_t of) {
    struct pack_run *run = user;
    uint64_t part = done < of ? done * 1000 / of : 1000;
    progress_step(&run->progress, run->done * 1000 + part, run->label);
}

int pack_run_solve(struct pack_run *run, const char *file, const lsched_pack_problem *problem,
                   const struct pack_origin *origins, const struct pack_wish *wish,
                   struct pack_result *out) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct pack_wish watched = *wish;
    if (wish->method == LSCHED_PACK_METHOD_EXACT && problem->n_items > LSCHED_PACK_EXACT_MAX) {
        progress_hide(&run->progress);
        return usage_error("pack", "%s: --method exact: expected at most %u items, got %" PRIu32,
                           run->label, LSCHED_PACK_EXACT_MAX, problem->n_items);
    }
    watched.step = step;
    watched.user = run;
    int32_t rc = pack_solve(problem, &watched, out, &err);
    run->done++;
    step(run, 0, 1);
    if (rc == 0) return EXIT_OK;
    progress_hide(&run->progress);
    if (err.line == 0 && err.index >= 0 && err.index < problem->n_items && origins != NULL) {
        err.line = origins[err.index].line;
        err.column = origins[err.index].column;
    }
    return library_error(file, &err);
}
