/* job_absence.c -- see job_absence.h. */
#include "model/absences/job_absence.h"

#include "model/jobs/job_limits.h"
#include "model/nodes/absence.h"
#include "model/reservations/reservation.h"
#include "model/store/steps.h"

int64_t job_absence_length(const struct columns *k, uint32_t job) {
    int64_t limit = job_limit(k, job), estimate = job_estimate(k, job);
    return limit > 0 ? limit : estimate > 0 ? estimate : LSCHED_NEVER_US;
}

int job_absence_bars_any(const struct columns *k, uint32_t node, int64_t now, uint32_t job) {
    return absence_bars(k, node, now, job_absence_length(k, job)) &&
           !reservation_admits(k, node, k->c[C_JOB_QUEUE].u32[job]);
}

static int64_t gone_at(const struct columns *k, uint32_t task, int64_t at) {
    int64_t gone = k->c[C_TASK_RELEASE_AT].i64[task];
    int counts = k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_RELEASING &&
                 !k->c[C_TASK_STUCK].u8[task] && gone > at;
    return counts ? gone : at;
}

int64_t job_absence_own(const struct columns *k, uint32_t job, int64_t now) {
    int64_t at = now;
    if (meta(k, M_LEAVING) == 0) return at;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_LEAVING_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            steps_add(k, 1);
            at = gone_at(k, t, at);
        }
    return at;
}

int64_t job_absence_later(const struct columns *k, uint32_t node, int64_t own) {
    int64_t at = own;
    if (k->c[C_NODE_FUTURE].u32[node] == 0) return at;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        steps_add(k, 1);
        at = gone_at(k, t, at);
    }
    return at;
}
