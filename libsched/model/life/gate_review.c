/* gate_review.c -- see gate_review.h. */
#include "model/life/gate_review.h"

#include "base/times.h"
#include "model/life/array_expire.h"
#include "model/life/host_hold.h"
#include "model/life/job_leave.h"
#include "model/told/change_feed.h"

static void gate_note(struct columns *k, uint32_t kind, uint32_t job, uint32_t because) {
    uint32_t why = change_feed_because(k, because);
    change_feed_note_job(k, kind, job, NO_ROW, 0, 0);
    change_feed_because(k, why);
}

/* ---- news of other jobs ---- */

/* Puts a job on whose dependency the news have an effect where it belongs. was_never: 1 if another
 * dependency of it could not be met before. */
static int32_t gate_told(struct columns *k, uint32_t gate, int was_never, int64_t now) {
    uint32_t job = k->c[C_GATE_JOB].u32[gate];
    int never = k->c[C_GATE_NEVER].u32[gate] != 0;
    gate_settle(k, gate);
    if (k->c[C_GATE_DUE].i64[gate] == GATE_AT_ONCE) return LSCHED_OK;
    if (never && !was_never) gate_note(k, LSCHED_CHANGE_NEVER, job, LSCHED_BECAUSE_DEPENDENCY);
    return k->c[C_GATE_DUE].i64[gate] <= now ? LSCHED_OK : host_hold_rejoin(k, job);
}

/* Tells all jobs that wait for the job of this gate. No row of AFTER is freed meanwhile. */
static int32_t gate_tell(struct columns *k, uint32_t gate, int64_t now) {
    for (uint32_t a = k->c[C_GATE_FOLLOWER].u32[gate]; a != NO_ROW;
         a = k->c[C_AFTER_FOLLOWS].u32[a]) {
        uint32_t of = k->c[C_AFTER_OF].u32[a];
        int never = k->c[C_GATE_NEVER].u32[of] != 0;
        int32_t rc = undo_room(k);
        if (rc == LSCHED_OK && gate_after_settle(k, a)) rc = gate_told(k, of, never, now);
        if (rc != LSCHED_OK) return rc;
    }
    return undo_room(k);
}

/* ---- gates that are due ---- */

/* True if a placement of the job is confirmed, and the orchestrator so starts it. */
static int gate_starts(const struct columns *k, uint32_t job) {
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t])
            if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_PROPOSED &&
                k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_NOMINATED)
                return 1;
    return 0;
}

static int32_t gate_remove(struct columns *k, uint32_t job, uint32_t because, withdrawn_fn tell,
                           void *user) {
    uint32_t why = change_feed_because(k, because);
    int32_t rc = job_leave(k, job, tell, user);
    change_feed_because(k, why);
    return rc;
}

/* Handles the first gate of the heap, which is due. */
static int32_t gate_is_due(struct columns *k, uint32_t gate, int64_t now, withdrawn_fn tell,
                           void *user) {
    uint32_t job = k->c[C_GATE_JOB].u32[gate];
    int64_t expires = k->c[C_GATE_EXPIRES].i64[gate];
    int starts = gate_starts(k, job);
    if (array_lives(k, job) && ((expires && expires <= now) || k->c[C_GATE_NEVER].u32[gate]))
        return array_expire(k, job);
    if (expires && expires <= now && !starts)
        return gate_remove(k, job, LSCHED_BECAUSE_TIME, tell, user);
    if (expires && expires <= now) {
        set_i64(k, C_GATE_EXPIRES, gate, 0);
        gate_settle(k, gate);
        return gate_is_closed(k, job) ? host_hold_rejoin(k, job) : undo_room(k);
    }
    if (k->c[C_GATE_NEVER].u32[gate])
        return gate_remove(k, job, LSCHED_BECAUSE_DEPENDENCY, tell, user);
    int32_t rc = undo_room_for(k, gate_drop_records(k, gate));
    if (rc != LSCHED_OK) return rc;
    int on_others = k->c[C_GATE_FIRST].u32[gate] != NO_ROW;
    gate_note(k, LSCHED_CHANGE_READY, job,
              on_others ? LSCHED_BECAUSE_DEPENDENCY : LSCHED_BECAUSE_TIME);
    gate_open(k, gate);
    return host_hold_rejoin(k, job);
}

int32_t gate_review(struct columns *k, int64_t now, withdrawn_fn tell, void *user) {
    int32_t rc = LSCHED_OK;
    while (rc == LSCHED_OK && gate_next(k) <= now) {
        rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        uint32_t gate = gate_news_take(k);
        rc = gate != NO_ROW ? gate_tell(k, gate, now)
                            : gate_is_due(k, (uint32_t)meta(k, M_GATE_HEAD), now, tell, user);
    }
    return rc;
}

/* ---- another clock ---- */

static int64_t moved(int64_t at, int64_t was, int64_t now) {
    if (at == 0 || at <= now || now >= was) return at;
    at = at > was ? time_after_at_most(now, at - was) : now;
    return at ? at : 1; /* 0 says that there is no time */
}

/* The events happened at the new time at the latest, so the delays are counted from them anew. */
int32_t gate_review_move(struct columns *k, int64_t was, int64_t now) {
    static const uint16_t times[] = {C_GATE_BEGIN, C_GATE_EXPIRES, C_GATE_STARTED, C_GATE_ENDED};
    EACH_LIVE(k, T_GATE, g) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
            set_i64(k, times[i], g, moved(k->c[times[i]].i64[g], was, now));
    }
    EACH_LIVE(k, T_GATE, g) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        uint32_t job = k->c[C_GATE_JOB].u32[g];
        if (job == NO_ROW) continue;
        gate_depend_delays(k, g);
        gate_settle(k, g);
        if (gate_is_closed(k, job)) rc = host_hold_rejoin(k, job);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}
