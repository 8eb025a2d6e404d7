/* job_absence.c -- see job_absence.h. */
#include "model/jobs/job_absence.h"

#include "base/hash.h"
#include "model/jobs/job_limits.h"
#include "model/nodes/absence.h"
#include "model/store/steps.h"

int64_t job_absence_length(const struct columns *k, uint32_t job) {
    int64_t limit = job_limit(k, job), estimate = k->c[C_JOB_DURATION].i64[job];
    return limit > 0 ? limit : estimate > 0 ? estimate : LSCHED_NEVER_US;
}

int job_absence_bars_any(const struct columns *k, uint32_t node, int64_t now, uint32_t job) {
    return absence_bars(k, node, now, job_absence_length(k, job));
}

uint64_t job_absence_nodes(const struct columns *k, int64_t now, uint32_t job) {
    uint64_t h = 0;
    int64_t length = job_absence_length(k, job);
    steps_add(k, table_rows(k, T_NODE));
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++)
        if (row_is_live(k, T_NODE, n) && absence_bars(k, n, now, length))
            h = hash_mix(h, n + 1ull) | 1;
    return h;
}
