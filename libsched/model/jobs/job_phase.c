/* job_phase.c -- see job_phase.h. */
#include "model/jobs/job_phase.h"

#include "model/arrays/array.h"
#include "model/demand/job_counts.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/task_row.h"
#include "model/demand/members.h"
#include "model/dependencies/gate.h"
#include "model/queues/queue.h"
#include "model/store/row_list.h"
#include "model/told/firm_start.h"

static void reason_drop(struct columns *k, uint32_t job) {
    uint32_t reason = k->c[C_JOB_REASON].u32[job];
    if (reason == NO_ROW) return;
    set_u8(k, C_JOB_FLAGS, job, (uint8_t)(k->c[C_JOB_FLAGS].u8[job] & ~JOB_HOOK_FAILED));
    intern_drop(k, T_STRING, reason);
    set_u32(k, C_JOB_REASON, job, NO_ROW);
}

/* The lists of new and of refused jobs use the heap columns for their links, because these jobs
 * are in no heap yet. */
static const struct row_list waiting_jobs = {C_JOB_HEAP_L, C_JOB_HEAP_R};

static void list_join(struct columns *k, uint32_t job, uint8_t phase) {
    set_u8(k, C_JOB_PHASE, job, phase);
    if (phase == JOB_NEW) {
        row_list_append(k, waiting_jobs, M_WAIT_HEAD, M_WAIT_TAIL, job);
        return;
    }
    row_list_append(k, waiting_jobs, M_REFUSED_HEAD, M_REFUSED_TAIL, job);
    set_meta(k, M_REFUSED_JOBS, meta(k, M_REFUSED_JOBS) + 1);
}

/* Takes the job out of the list of new or refused jobs, and removes the reason of its refusal. */
static void list_leave(struct columns *k, uint32_t job) {
    uint8_t phase = k->c[C_JOB_PHASE].u8[job];
    if (phase == JOB_NEW) row_list_take(k, waiting_jobs, M_WAIT_HEAD, M_WAIT_TAIL, job);
    if (phase != JOB_REFUSED) return;
    row_list_take(k, waiting_jobs, M_REFUSED_HEAD, M_REFUSED_TAIL, job);
    set_meta(k, M_REFUSED_JOBS, meta(k, M_REFUSED_JOBS) - 1);
    reason_drop(k, job);
}

/* An array counts as its elements that have not begun. */
static void pending_add(struct columns *k, uint32_t job, int64_t sign) {
    int64_t d = sign * (int64_t)array_weight(k, job);
    set_meta(k, M_PENDING_JOBS, meta(k, M_PENDING_JOBS) + (uint64_t)d);
    queue_count(k, k->c[C_JOB_QUEUE].u32[job], 0, d);
}

void job_phase_begin(struct columns *k, uint32_t job) {
    list_join(k, job, JOB_NEW);
    pending_add(k, job, 1);
}

void job_phase_end(struct columns *k, uint32_t job) {
    uint8_t phase = k->c[C_JOB_PHASE].u8[job];
    list_leave(k, job);
    if (phase == JOB_QUEUED) {
        bundle_frees_plan(k, job);
        bundle_leave(k, job);
    }
    if (phase != JOB_FULL) pending_add(k, job, -1);
}

void job_refuse(struct columns *k, uint32_t job, uint32_t reason, int failed) {
    list_leave(k, job);
    if (failed) set_u8(k, C_JOB_FLAGS, job, (uint8_t)(k->c[C_JOB_FLAGS].u8[job] | JOB_HOOK_FAILED));
    set_u32(k, C_JOB_REASON, job, reason);
    list_join(k, job, JOB_REFUSED);
}

void job_ask_again(struct columns *k, uint32_t job) {
    list_leave(k, job);
    list_join(k, job, JOB_NEW);
}

int32_t job_isolate(struct columns *k, uint32_t job) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    int grows = bundle_grows(k, k->c[C_JOB_BUNDLE].u32[job]);
    bundle_leave(k, job);
    return bundle_join(k, job, grows ? BUNDLE_GROW_ALONE : BUNDLE_ALONE);
}

static uint32_t bundle_kind_of(const struct columns *k, uint32_t job, struct job_counts n) {
    if (job_is_held_back(k, job)) return BUNDLE_ALONE;
    if (n.placed + n.done == 0 && k->c[C_JOBSHAPE_TASKS_MIN].u32[k->c[C_JOB_SHAPE].u32[job]] > 0)
        return BUNDLE_START;
    return job_satisfied(k, job) ? BUNDLE_GROW : BUNDLE_REPAIR;
}

int32_t job_park_alone(struct columns *k, uint32_t job, int64_t until,
                       const struct park_reason *why) {
    int32_t rc = undo_room(k);
    /* A job that is the only job of a shared bundle gets a private bundle, too. Otherwise an
     * equal job that is added later would join the parked bundle. */
    if (rc == LSCHED_OK && k->c[C_BUNDLE_JOB].u32[k->c[C_JOB_BUNDLE].u32[job]] == NO_ROW)
        rc = job_isolate(k, job);
    if (rc != LSCHED_OK) return rc;
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    bundle_park_until(k, b, until, why);
    set_u64(k, C_BUNDLE_TRIED, b, meta(k, M_CYCLE));
    return LSCHED_OK;
}

int job_park_members(struct columns *k, uint32_t job) {
    struct members_lack lack;
    if (!members_lack_of(k, job, &lack)) return 0;
    struct park_reason why = {.code = LSCHED_WAIT_MEMBERS,
                              .group = lack.group,
                              .need = lack.need,
                              .have = lack.have,
                              .limiting_queue = NO_ROW};
    /* a bundle of several jobs has jobs without tasks, and all of them lack the same members */
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    bundle_park_until(k, b, LSCHED_NEVER_US, &why);
    set_u64(k, C_BUNDLE_TRIED, b, meta(k, M_CYCLE));
    return 1;
}

/* Parks the bundle that the job has joined, or that woke, if more tasks of the job must exist.
 * An active bundle would decide the share of its queue: the share follows from what the first job
 * wants. */
static int32_t park_incomplete(struct columns *k, uint32_t job) {
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    if (k->c[C_BUNDLE_STATE].u8[b] != BUNDLE_ACTIVE) return LSCHED_OK;
    int32_t rc = undo_room(k);
    if (rc == LSCHED_OK) (void)job_park_members(k, job);
    return rc;
}

int32_t job_rejoin(struct columns *k, uint32_t job) {
    int32_t rc = bundle_join(k, job, bundle_kind_of(k, job, job_count(k, job)));
    if (rc != LSCHED_OK) return rc;
    if (!job_is_held_back(k, job)) return park_incomplete(k, job);
    int64_t until = job_host_hold(k, job);
    struct gate_wait wait = {.code = LSCHED_WAIT_HELD, .until = LSCHED_NEVER_US};
    if (until)
        wait = (struct gate_wait){.code = LSCHED_WAIT_HOST_HOLD, .until = until};
    else if (gate_is_closed(k, job))
        wait = gate_wait_of(k, gate_row(k, job));
    struct park_reason why = {.code = wait.code, .need = wait.needs, .limiting_queue = NO_ROW};
    bundle_park_until(k, k->c[C_JOB_BUNDLE].u32[job], wait.until, &why);
    return LSCHED_OK;
}

int32_t job_admit(struct columns *k, uint32_t job, struct demand_batch *batch) {
    int32_t rc = demand_admit(k, job, batch);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    list_leave(k, job);
    int leaves = job_releasing(k, job) > 0;
    set_u8(k, C_JOB_PHASE, job, leaves ? JOB_RELEASING : JOB_QUEUED);
    return leaves ? LSCHED_OK : job_rejoin(k, job);
}

int32_t job_array_next(struct columns *k, uint32_t job) {
    struct demand_note demand;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    demand_begin(k, job, NO_ROW, &demand);
    bundle_array_next(k, job);
    demand_end(k, job, &demand);
    set_meta(k, M_PENDING_JOBS, meta(k, M_PENDING_JOBS) - 1);
    queue_count(k, k->c[C_JOB_QUEUE].u32[job], -1, -1);
    return undo_room(k);
}

void job_array_all_begun(struct columns *k, uint32_t job) {
    assert(array_weight(k, job) == 0);
    if (k->c[C_JOB_PHASE].u8[job] == JOB_QUEUED) bundle_leave(k, job);
    list_leave(k, job);
    set_u8(k, C_JOB_PHASE, job, JOB_ARRAY);
}

int32_t job_requeue(struct columns *k, uint32_t job) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint8_t phase = k->c[C_JOB_PHASE].u8[job];
    if (phase == JOB_ARRAY) return LSCHED_OK;
    struct job_counts n = job_count(k, job);
    int full = n.placed + n.done == k->c[C_JOBSHAPE_TASKS].u32[k->c[C_JOB_SHAPE].u32[job]];
    if (phase == JOB_NEW || phase == JOB_REFUSED) {
        if (!full) return LSCHED_OK; /* imported tasks can be placed before the job is admitted */
        set_meta(k, M_UNKEYED, 1);
        (void)demand_admit(k, job, NULL); /* without a batch it cannot fail */
        list_leave(k, job);
    }
    if (phase == JOB_QUEUED && n.placed) firm_start_keep(k, k->c[C_JOB_BUNDLE].u32[job]);
    if (full) {
        if (phase == JOB_QUEUED) bundle_leave(k, job);
        if (phase != JOB_FULL) pending_add(k, job, -1);
        set_u8(k, C_JOB_PHASE, job, JOB_FULL);
        return LSCHED_OK;
    }
    if (phase == JOB_FULL) pending_add(k, job, 1);
    if (job_releasing(k, job)) {
        if (phase == JOB_QUEUED) bundle_leave(k, job);
        set_u8(k, C_JOB_PHASE, job, JOB_RELEASING);
        return LSCHED_OK;
    }
    uint32_t kind = bundle_kind_of(k, job, n);
    if (phase == JOB_QUEUED) {
        uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
        if (k->c[C_BUNDLE_KIND].u8[b] == kind && !job_is_held_back(k, job)) {
            /* The job is tried again if it is parked, because it can need less now. */
            if (k->c[C_BUNDLE_JOB].u32[b] != NO_ROW) bundle_wake(k, b);
            return park_incomplete(k, job);
        }
        bundle_leave(k, job);
    }
    set_u8(k, C_JOB_PHASE, job, JOB_QUEUED);
    return job_rejoin(k, job);
}
