/*
 * project_check.c -- see project_check.h.
 */
#include "cli/projects/project_check.h"

#include <inttypes.h>

#include "cli/support/cli_errors.h"

static int32_t check_times(const struct project *p, const int32_t *start, int32_t makespan,
                           lsched_error *err) {
    int64_t last = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        int64_t end = (int64_t)start[i] + p->duration[i];
        if (start[i] < 0)
            return error_at(err, LSCHED_E_VERIFY, 0, 0,
                            "job %" PRIu32 " starts at %" PRId32 ", before time 0", i + 1,
                            start[i]);
        if (end > last) last = end;
    }
    if (last == makespan) return 0;
    return error_at(err, LSCHED_E_VERIFY, 0, 0,
                    "the last job ends at %" PRId64 ", and the makespan is said to be %" PRId32,
                    last, makespan);
}

static int32_t check_links(const struct project *p, const int32_t *start, lsched_error *err) {
    for (size_t e = 0; e < p->n_links; e++) {
        uint32_t i = p->links[e].before, j = p->links[e].after;
        if ((int64_t)start[i] + p->duration[i] > start[j])
            return error_at(err, LSCHED_E_VERIFY, 0, 0,
                            "job %" PRIu32 " starts before its predecessor %" PRIu32 " has ended",
                            j + 1, i + 1);
    }
    return 0;
}

/* The use of a resource can only be above the capacity when some activity starts. */
static int32_t check_use(const struct project *p, const int32_t *start, uint32_t at, uint32_t k,
                         lsched_error *err) {
    int64_t use = 0, time = start[at];
    for (uint32_t i = 0; i < p->n; i++) {
        if (start[i] <= time && time < (int64_t)start[i] + p->duration[i])
            use += p->demand[(size_t)i * p->n_resources + k];
    }
    if (use <= p->capacity[k]) return 0;
    return error_at(err, LSCHED_E_VERIFY, 0, 0,
                    "at time %" PRId64 " the jobs use %" PRId64 " of resource R %" PRIu32
                    ", which has %" PRId32,
                    time, use, k + 1, p->capacity[k]);
}

int32_t project_check(const struct project *project, const int32_t *start, int32_t makespan,
                      lsched_error *err) {
    int32_t rc = check_times(project, start, makespan, err);
    if (rc == 0) rc = check_links(project, start, err);
    for (uint32_t at = 0; rc == 0 && at < project->n; at++)
        for (uint32_t k = 0; rc == 0 && k < project->n_resources; k++)
            rc = check_use(project, start, at, k, err);
    return rc;
}
