/* host_hold.c -- see host_hold.h. */
#include "model/life/host_hold.h"

#include "base/times.h"
#include "model/jobs/decision_reject.h"
#include "model/demand/host_end.h"
#include "model/demand/job_counts.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/losses.h"
#include "model/jobs/task.h"
#include "model/jobs/task_row.h"
#include "model/told/change_feed.h"
#include "model/queues/queue.h"

lsched_text host_hold_reason(const struct columns *k, uint32_t job) {
    uint32_t w = k->c[C_JOB_WATCH].u32[job],
             reason = w == NO_ROW ? NO_ROW : k->c[C_WATCH_HOST_REASON].u32[w];
    return reason == NO_ROW ? (lsched_text){NULL, 0} : text_of(k, intern_text(k, T_STRING, reason));
}

int host_hold_is(const struct columns *k, uint32_t job, int64_t until, lsched_text reason) {
    lsched_text now = host_hold_reason(k, job);
    return job_host_hold(k, job) == until && now.len == reason.len &&
           (now.len == 0 || memcmp(now.ptr, reason.ptr, (size_t)now.len) == 0);
}

/* ---- the start of a hold ---- */

/* Returns the first decision that moves a task of the job and that is not confirmed; NO_ROW if
 * there is none. */
static uint32_t proposed_move(const struct columns *k, uint32_t job) {
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_LEAVING_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            uint32_t d = k->c[C_TASK_DECISION].u32[t];
            if (d != NO_ROW && k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_MIGRATE &&
                k->c[C_DECISION_STATE].u8[d] == LSCHED_DECISION_PROPOSED)
                return d;
        }
    return NO_ROW;
}

/* Withdraws the proposed tasks of a leaf, and the nominated ones, confirmed or not: what is
 * nominated does not run yet, and the place of a nomination is a new decision. */
static int32_t withdraw_of_leaf(struct columns *k, uint32_t leaf) {
    if (k->c[C_LEAF_PLACED].u32[leaf] == k->c[C_LEAF_RUNNING].u32[leaf]) return LSCHED_OK;
    for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[leaf]; t != NO_ROW;) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        uint32_t next = k->c[C_TASK_NEXT].u32[t], state = k->c[C_TASK_STATE].u8[t];
        if (state == LSCHED_TASK_PROPOSED || state == LSCHED_TASK_NOMINATED)
            task_release(k, t, LSCHED_TASK_NONE);
        t = next;
    }
    return LSCHED_OK;
}

static int32_t withdraw_of_job(struct columns *k, uint32_t job) {
    int64_t now = (int64_t)meta(k, M_NOW);
    int32_t rc = LSCHED_OK;
    for (uint32_t d = proposed_move(k, job); d != NO_ROW && rc == LSCHED_OK;
         d = proposed_move(k, job))
        rc = decision_reject(k, d, now, NULL, NULL);
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW && rc == LSCHED_OK;
         l = k->c[C_LEAF_NEXT].u32[l])
        rc = withdraw_of_leaf(k, l);
    /* requeues the job, which parks it if it is queued */
    return rc == LSCHED_OK ? job_settle_losses(k, job, now, NULL, NULL) : rc;
}

int32_t host_hold_begin(struct columns *k, uint32_t job, int64_t until, lsched_text reason) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t w = job_limits_get(k, job);
    uint32_t words =
        w != NO_ROW && reason.len ? string_get(k, reason.ptr, (size_t)reason.len) : NO_ROW;
    if (w == NO_ROW || (reason.len && words == NO_ROW)) return LSCHED_E_NOMEM;
    rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    host_end_reason(k, w, words);
    host_end_set(k, w, until);
    task_touch_all(k, job); /* its running tasks cannot be moved any more */
    /* a drain that waits for a place for the job stops the job instead */
    if (meta(k, M_STOPPERS) && job_count(k, job).running) evict_news_at(k, INT64_MIN);
    uint32_t why = change_feed_because(k, LSCHED_BECAUSE_HOST_HOLD);
    rc = withdraw_of_job(k, job);
    change_feed_because(k, why);
    return rc;
}

/* ---- the end of a hold ---- */

/* Puts a queued job into the bundle that fits its holds. */
static int32_t rejoin(struct columns *k, uint32_t job) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK || k->c[C_JOB_PHASE].u8[job] != JOB_QUEUED) return rc;
    bundle_leave(k, job);
    rc = job_rejoin(k, job);
    return rc == LSCHED_OK ? undo_room(k) : rc;
}

/* Says that the running tasks of the job can be moved from now on, or cannot any more. */
static void tell_moves(struct columns *k, uint32_t job) {
    if (job_count(k, job).running == 0) return;
    task_touch_all(k, job);
    if (meta(k, M_MOVES_VAIN)) set_meta(k, M_MOVES_VAIN, 0);
    evict_news(k);
}

int32_t host_hold_rejoin(struct columns *k, uint32_t job) {
    tell_moves(k, job);
    return rejoin(k, job);
}

int32_t host_hold_end(struct columns *k, uint32_t job) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    host_end_drop(k, job);
    return host_hold_rejoin(k, job);
}

int32_t host_holds_end(struct columns *k, int64_t now) {
    int32_t rc = LSCHED_OK;
    while (rc == LSCHED_OK && host_end_first(k) <= now) {
        uint32_t job = k->c[C_WATCH_JOB].u32[(uint32_t)meta(k, M_HOST_HEAD)];
        rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        uint32_t why = change_feed_because(k, LSCHED_BECAUSE_TIME);
        change_feed_note_job(k, LSCHED_CHANGE_RELEASED, job, NO_ROW, LSCHED_HELD_HOST, 0);
        change_feed_because(k, why);
        rc = host_hold_end(k, job);
    }
    return rc;
}

int32_t host_holds_move(struct columns *k, int64_t was, int64_t now) {
    EACH_LIVE(k, T_WATCH, w) {
        int64_t until = k->c[C_WATCH_HOST_UNTIL].i64[w];
        if (until == 0) continue;
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        if (until != LSCHED_NEVER_US && until > now && now < was)
            host_end_set(k, w, until > was ? time_after_at_most(now, until - was) : now);
        rc = rejoin(k, k->c[C_WATCH_JOB].u32[w]);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}
