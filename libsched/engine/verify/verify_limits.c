/*
 * verify_limits.c -- recomputes from tasks when the time limit of each job ends, which jobs are
 * held, and for which jobs the policy replaced the minimum.
 *
 * The start of a job is not after the start of any of its running tasks. The job's start can be
 * earlier, because the task that started first may have ended. A job without running or releasing
 * tasks has no start. A job with a running task is due (to be ended) at its start plus its limit,
 * or at once when the job is held. The job is never due before the time until which it is spared
 * (C_COST_SPARED_TO).
 */
#include "engine/verify/verify_parts.h"

enum { LIMITS_PHASE_QUEUED = 2, LIMITS_KIND_ALONE = 3, LIMITS_STATE_PARKED = 2, MIN_LATE = 0x40 };

struct run {
    /* start that the columns keep; earliest start of a running task; 0 if none */
    int64_t since, first;
    uint32_t running, releasing;
};

static struct run verify_limits_run_of(const struct columns *k, uint32_t job) {
    struct run r = {0, 0, 0, 0};
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        int64_t s = k->c[C_LEAF_SINCE].i64[l];
        if (s && (r.since == 0 || s < r.since)) r.since = s;
        r.releasing += k->c[C_LEAF_LEAVING].u32[l];
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            if (verify_state_of(k, t) != LSCHED_TASK_RUNNING) continue;
            r.running++;
            s = k->c[C_TASK_SINCE].i64[t];
            if (s && (r.first == 0 || s < r.first)) r.first = s;
        }
    }
    return r;
}

static int32_t check_since(struct check *c, uint32_t job, const struct run *r) {
    if (r->running + r->releasing == 0 && r->since)
        return check_fail(c, "%s runs since %lld, and nothing of it runs", NAME(T_JOB, job),
                          (long long)r->since);
    uint32_t cost = c->k->c[C_JOB_COST].u32[job];
    if (r->running + r->releasing == 0 && cost != NO_ROW && c->k->c[C_COST_SPARED_TO].i64[cost])
        return check_fail(c, "%s is spared, and nothing of it runs", NAME(T_JOB, job));
    if (r->first && (r->since == 0 || r->since > r->first))
        return check_fail(c, "%s runs since %lld, a task of it since %lld", NAME(T_JOB, job),
                          (long long)r->since, (long long)r->first);
    return LSCHED_OK;
}

static int64_t due_of(const struct columns *k, uint32_t job, uint32_t w, int64_t since) {
    uint32_t cost = k->c[C_JOB_COST].u32[job];
    wide_i128 due = since, spared = cost == NO_ROW ? 0 : k->c[C_COST_SPARED_TO].i64[cost];
    if (!k->c[C_WATCH_HELD].u8[w]) due += k->c[C_WATCH_LIMIT_NOW].i64[w];
    if (due > LSCHED_AMOUNT_MAX) due = LSCHED_AMOUNT_MAX;
    return (int64_t)(due < spared ? spared : due);
}

static int32_t check_due(struct check *c, uint32_t job, uint32_t w, const struct run *r) {
    const struct columns *k = c->k;
    int watched = k->c[C_WATCH_LIMIT_NOW].i64[w] > 0 || k->c[C_WATCH_HELD].u8[w];
    int due = watched && r->running > 0, inside = k->c[C_WATCH_HEAP_D].u8[w] != 0;
    if (due != inside || (due && k->c[C_WATCH_DUE].i64[w] != due_of(k, job, w, r->since)))
        return check_fail(
            c, "%s is %s at %lld, with %u tasks that run since %lld and a limit of %lld",
            NAME(T_JOB, job), inside ? "due" : "not due", (long long)k->c[C_WATCH_DUE].i64[w],
            r->running, (long long)r->since, (long long)k->c[C_WATCH_LIMIT_NOW].i64[w]);
    return LSCHED_OK;
}

static int32_t check_minimum(struct check *c, uint32_t job, uint32_t w) {
    const struct columns *k = c->k;
    uint32_t given = k->c[C_WATCH_MIN].u32[w], row = verify_group_row(k, job, 0);
    if (given == 0) return LSCHED_OK;
    if (k->c[C_JOBSHAPE_N_GROUPS].u32[k->c[C_JOB_SHAPE].u32[job]] != 1 ||
        k->c[C_GROUP_MIN].u32[row] == given - 1 || given - 1 > k->c[C_GROUP_MAX].u32[row])
        return check_fail(c, "%s has a minimum of %u in place of %u", NAME(T_JOB, job),
                          k->c[C_GROUP_MIN].u32[row], given - 1);
    return LSCHED_OK;
}

/* Checks that a held job waits in a bundle of its own, which only a new priority wakes, and that
 * no other job waits with the reason HELD. */
static int32_t verify_limits_check_hold(struct check *c, uint32_t job, uint32_t w) {
    const struct columns *k = c->k;
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job], held = w == NO_ROW ? 0 : k->c[C_WATCH_HELD].u8[w];
    uint32_t cost = k->c[C_JOB_COST].u32[job];
    if (cost != NO_ROW && !held && k->c[C_COST_HELD_US].i64[cost])
        return check_fail(c, "%s is held for something, and not held", NAME(T_JOB, job));
    if (k->c[C_JOB_PHASE].u8[job] != LIMITS_PHASE_QUEUED) return LSCHED_OK;
    int parked = k->c[C_BUNDLE_KIND].u8[b] == LIMITS_KIND_ALONE &&
                 k->c[C_BUNDLE_STATE].u8[b] == LIMITS_STATE_PARKED &&
                 k->c[C_BUNDLE_CODE].u8[b] == LSCHED_WAIT_HELD;
    if (held ? parked : k->c[C_BUNDLE_CODE].u8[b] != LSCHED_WAIT_HELD) return LSCHED_OK;
    return check_fail(c, "%s is %s, its bundle waits with reason %u", NAME(T_JOB, job),
                      held ? "held" : "not held", k->c[C_BUNDLE_CODE].u8[b]);
}

int32_t verify_limits(struct check *c) {
    const struct columns *k = c->k;
    uint64_t late = 0;
    for (uint32_t j = 0; j < table_rows(k, T_JOB); j++) {
        if (!row_is_live(k, T_JOB, j)) continue;
        struct run r = verify_limits_run_of(k, j);
        uint32_t w = k->c[C_JOB_WATCH].u32[j];
        late += (k->c[C_JOB_FLAGS].u8[j] & MIN_LATE) != 0;
        int32_t rc = check_since(c, j, &r);
        if (rc == LSCHED_OK) rc = verify_limits_check_hold(c, j, w);
        if (rc == LSCHED_OK && w != NO_ROW) rc = check_due(c, j, w, &r);
        if (rc == LSCHED_OK && w != NO_ROW) rc = check_minimum(c, j, w);
        if (rc != LSCHED_OK) return rc;
    }
    if (late == meta(k, M_MIN_LATE)) return LSCHED_OK;
    return check_fail(c, "%llu jobs whose minimum is to be asked for counted, %llu found",
                      (unsigned long long)meta(k, M_MIN_LATE), (unsigned long long)late);
}
