/*
 * plan_line.c -- see plan_line.h.
 *
 * Invariant: between two calls of an action, a bundle that rests is parked in the list of planned
 * bundles, and each job of it that was offered or picked has a private bundle. If such a job does
 * not start, call_plan_rest() brings it back into the shared bundle. Therefore the number of
 * bundles does not grow with the number of jobs that are tried in vain. A job that a cycle has
 * offered and not tried, because its budget ended, stays in line alone for the next cycle.
 */
#include "engine/actions/act_state.h"
#include "engine/actions/plan_line.h"

#include "engine/arrays/array_turn.h"
#include "engine/state/length_lines.h"
#include "engine/state/transaction.h"
#include "model/arrays/array.h"
#include "model/jobs/bundle.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/job_phase.h"
#include "model/store/index.h"
#include "model/told/firm_start.h"

/* Returns the shared bundle of the jobs that start and are equal to this job; NO_ROW if there is
 * none. */
static uint32_t shared_bundle(const struct columns *k, uint32_t job) {
    struct index_key key = index_key_bundle(k->c[C_JOB_QUEUE].u32[job], k->c[C_JOB_SHAPE].u32[job],
                                            BUNDLE_START, NO_ROW);
    return index_find(k, T_IX_BUNDLE, &key);
}

static int is_shared(const struct columns *k, uint32_t b) {
    return k->c[C_BUNDLE_JOB].u32[b] == NO_ROW;
}

static int rests(const struct columns *k, uint32_t b) {
    return k->c[C_BUNDLE_STATE].u8[b] == BUNDLE_PARKED &&
           k->c[C_BUNDLE_LIST].u8[b] == PARKED_PLAN && k->c[C_BUNDLE_PLAN_NODE].u64[b] == 0;
}

/* Lets an active bundle rest until `at`. fits: 1 if there is room for a job of the bundle that runs
 * shortly enough. */
static void rest(lsched_cycle *cy, uint32_t b, int64_t at, int fits) {
    struct columns *k = cy->k;
    struct park_reason why = {.code = LSCHED_WAIT_PLANNED, .limiting_queue = NO_ROW};
    bundle_park_plan(k, b, at > cy->now ? at : cy->now + 1, 0, 0, &why);
    if (fits) bundle_plan_fits(k, b);
    set_u64(k, C_BUNDLE_TRIED, b, meta(k, M_CYCLE));
}

/* Gives a job of a resting bundle a private bundle that is in line. The other jobs of the bundle
 * rest as before. */
static int32_t bring_out(lsched_cycle *cy, uint32_t job) {
    struct columns *k = cy->k;
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job], queue = k->c[C_JOB_QUEUE].u32[job];
    int64_t at = k->c[C_BUNDLE_PLAN_AT].i64[b];
    int fits = k->c[C_BUNDLE_PLAN_FITS].u8[b], last = k->c[C_BUNDLE_JOBS].u32[b] == 1;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    if (last) bundle_wake(k, b); /* no planned room comes free when the last job leaves */
    rc = job_isolate(k, job);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    /* the bundle wakes if its first job leaves it */
    if (!last && !rests(k, b)) rest(cy, b, at, fits);
    return share_update(&cy->c->share, k, queue);
}

/* If the job is an array, begins its next element and sets *job to it. The bundle, which the new
 * job joins, rests as before. */
static int32_t line_begin(lsched_cycle *cy, uint32_t b, uint32_t *job) {
    struct columns *k = cy->k;
    int64_t at = k->c[C_BUNDLE_PLAN_AT].i64[b];
    int fits = k->c[C_BUNDLE_PLAN_FITS].u8[b];
    if (!array_is(k, *job)) return LSCHED_OK;
    int32_t rc = array_turn(cy, job);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK || rests(k, b)) return rc;
    rest(cy, b, at, fits);
    return share_update(&cy->c->share, k, k->c[C_JOB_QUEUE].u32[*job]);
}

/* Brings out the first job of the resting bundle that runs no longer than `longest`, and all jobs
 * that an action looks at alone. Returns 1 if there is such a job, 0, or LSCHED_E_NOMEM. */
static int32_t line_offer(lsched_cycle *cy, uint32_t b, int64_t longest) {
    struct columns *k = cy->k;
    struct length_lines *l = &cy->c->lengths;
    int32_t any = 0;
    for (;;) {
        int32_t rc = length_lines_sync(l, k);
        if (rc != LSCHED_OK) return rc;
        uint32_t alone = length_lines_first(l, b, LENGTH_LINES_ALONE);
        uint32_t job = alone != NO_ROW ? alone : length_lines_first(l, b, longest);
        if (job == NO_ROW) return any;
        int last = k->c[C_BUNDLE_JOBS].u32[b] == 1;
        rc = line_begin(cy, b, &job);
        if (rc == LSCHED_OK) rc = bring_out(cy, job);
        if (rc != LSCHED_OK) return rc;
        any = 1;
        if (alone == NO_ROW || last) return any;
    }
}

/* Brings a job that was brought out back into its shared bundle, if nothing sets it apart from the
 * other jobs there. */
static int32_t line_bring_back(lsched_cycle *cy, uint32_t job) {
    struct columns *k = cy->k;
    if (is_shared(k, k->c[C_JOB_BUNDLE].u32[job]) || length_lines_alone(k, job) ||
        k->c[C_BUNDLE_KIND].u8[k->c[C_JOB_BUNDLE].u32[job]] != BUNDLE_ALONE ||
        k->c[C_JOB_LEAVES].u32[job] != NO_ROW)
        return LSCHED_OK;
    uint32_t shared = shared_bundle(k, job);
    if (shared != NO_ROW && k->c[C_BUNDLE_STATE].u8[shared] != BUNDLE_ACTIVE && !rests(k, shared))
        return LSCHED_OK; /* the other jobs wait for another reason */
    if (firm_start_is(k, k->c[C_JOB_BUNDLE].u32[job]))
        firm_start_lose(k, k->c[C_JOB_BUNDLE].u32[job], LSCHED_BECAUSE_RULE);
    bundle_leave(k, job);
    int32_t rc = undo_room(k);
    return rc == LSCHED_OK ? job_rejoin(k, job) : rc;
}

int32_t call_plan_rest(lsched_cycle *cy, uint32_t job, int64_t at_us, int64_t longest_us) {
    struct columns *k = cy->k;
    if (!act_job_valid(cy, job) || cy->victims) return LSCHED_E_INVAL;
    undo_rollback(k, cy->turn.mark);
    cy->decisions.n_fresh = cy->turn.fresh_mark;
    cy->turn.job = NO_ROW;
    if (cy->spend.stop) return LSCHED_OK; /* the job stays in line for the next cycle */
    cy->counts.looked_at++;
    if (cy->spend.spent > 0) cy->spend.spent--; /* as in call_plan_wait */
    int32_t rc = undo_room(k);
    if (rc == LSCHED_OK) rc = line_bring_back(cy, job);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    if (rests(k, b) && at_us < k->c[C_BUNDLE_PLAN_AT].i64[b]) bundle_wake(k, b);
    if (!rests(k, b)) rest(cy, b, at_us, longest_us != 0);
    rc = share_update(&cy->c->share, k, k->c[C_JOB_QUEUE].u32[job]);
    if (rc != LSCHED_OK || longest_us == 0 || !is_shared(k, b)) return rc;
    return line_offer(cy, b, longest_us > 0 ? longest_us : LENGTH_LINES_ALONE);
}

int32_t call_plan_offer(lsched_cycle *cy, uint32_t job, int64_t longest_us) {
    const struct columns *k = cy->k;
    if (!row_is_live(k, T_JOB, job) || cy->turn.job != NO_ROW || cy->victims || longest_us < 0)
        return LSCHED_E_INVAL;
    uint32_t b = cy->spend.stop ? NO_ROW : shared_bundle(k, job);
    if (b == NO_ROW || !rests(k, b) || longest_us == 0) return 0;
    return line_offer(cy, b, longest_us);
}

int32_t call_plan_shortest(lsched_cycle *cy, uint32_t job, int64_t longest_us, uint32_t other,
                           uint32_t *shortest) {
    struct columns *k = cy->k;
    if (!row_is_live(k, T_JOB, job) || (other != NO_ROW && !row_is_live(k, T_JOB, other)))
        return LSCHED_E_INVAL;
    uint32_t b = shared_bundle(k, job);
    *shortest = other;
    if (b == NO_ROW || !rests(k, b)) return 0;
    int32_t rc = length_lines_sync(&cy->c->lengths, k);
    if (rc != LSCHED_OK) return rc;
    uint32_t found = length_lines_shortest(&cy->c->lengths, b);
    if (found == NO_ROW || job_length(k, found) > longest_us) return 0;
    if (other != NO_ROW) {
        int64_t x = job_length(k, found), y = job_length(k, other);
        if (x > y || (x == y && !job_before(k, found, other))) return 1;
    }
    rc = line_begin(cy, b, &found);
    *shortest = found;
    return rc == LSCHED_OK ? 1 : rc;
}

int32_t call_plan_pick(lsched_cycle *cy, uint32_t job) {
    struct columns *k = cy->k;
    if (cy->turn.job != NO_ROW || cy->victims || !row_is_live(k, T_JOB, job) ||
        k->c[C_JOB_BUNDLE].u32[job] == NO_ROW || !rests(k, k->c[C_JOB_BUNDLE].u32[job]))
        return LSCHED_E_INVAL;
    int32_t rc = bring_out(cy, job);
    if (rc != LSCHED_OK) return rc;
    cy->act->deal.n_full = 0;
    gang_domains_forget(&cy->act->pins);
    act_take_up(cy, job);
    return 1;
}

int32_t call_plan_is_lone(lsched_cycle *cy) {
    const struct columns *k = cy->k;
    uint32_t lines = 0;
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE) && lines < 2; q++)
        lines += row_is_live(k, T_QUEUE, q) && k->c[C_QUEUE_HEAP].u32[q] != NO_ROW;
    return lines < 2;
}
