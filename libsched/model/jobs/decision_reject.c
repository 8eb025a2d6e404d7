/* decision_reject.c -- see decision_reject.h. */
#include "model/jobs/decision_reject.h"

#include "model/told/decision.h"
#include "model/jobs/job_limits.h"
#include "model/pressure/memory_pressure.h"
#include "model/jobs/nominated_tasks.h"
#include "model/jobs/releasing.h"
#include "model/jobs/task.h"
#include "model/jobs/task_row.h"
#include "model/resizes/resize.h"
#include "model/told/change_feed.h"
#include "model/told/decision_life.h"
#include "model/store/steps.h"

/* Undoes one decision and applies the gang rule to its job. The decision itself is not reported
 * through `tell`; decisions that are withdrawn because of it are. */
static int32_t undo_one(struct columns *k, uint32_t d, int64_t now, withdrawn_fn tell, void *user) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t task = k->c[C_DECISION_TASK].u32[d], job = k->c[C_TASK_JOB].u32[task];
    if (k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_RESIZE) return resize_undo(k, task);
    if (decision_warns(k, task)) return resize_warn_undo(k, task);
    if (k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_RUNNING) {
        task_out_settle(k, task, 0);
        return LSCHED_OK;
    }
    if (k->c[C_TASK_STATE].u8[task] != LSCHED_TASK_RELEASING) {
        task_release(k, task, LSCHED_TASK_NONE);
        return job_settle_losses(k, job, now, tell, user);
    }
    uint32_t node = k->c[C_TASK_NODE].u32[task],
             moved = task_find(k, job, k->c[C_TASK_INDEX].u32[task]);
    /* The task runs on in its old place. Therefore the resources of its new place are given
     * back. */
    if (k->c[C_TASK_STATE].u8[moved] != LSCHED_TASK_NONE) {
        uint32_t why = change_feed_because(k, LSCHED_BECAUSE_GROUP);
        decision_tell(k, moved, tell, user);
        task_release(k, moved, LSCHED_TASK_NONE);
        change_feed_because(k, why);
        rc = undo_room(k);
    }
    int held = k->c[C_DECISION_REASON].u8[d] == LSCHED_FOR_TIME_LIMIT ||
               k->c[C_DECISION_REASON].u8[d] == LSCHED_FOR_IDLE;
    if (rc == LSCHED_OK) rc = releasing_restore(k, task);
    /* If the eviction was for a time limit or for idleness, the job is no longer held after the
     * eviction is undone. */
    if (rc == LSCHED_OK && held && job_releasing(k, job) == 0) rc = job_unhold(k, job);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc == LSCHED_OK) rc = job_settle_losses(k, job, now, tell, user);
    if (rc == LSCHED_OK) rc = node_trim_nominations(k, node, now, tell, user);
    return rc == LSCHED_OK ? task_trim_nominations(k, moved, now, tell, user) : rc;
}

/* Position of a decision group in the list of open decisions, given by the decision that precedes
 * the group. The decisions of a group are adjacent in the list. */
struct place_in_list {
    /* before: decision that precedes the group, NO_ROW if the group is first; gen: its
     * generation */
    uint32_t before, gen;
};

static struct place_in_list releasing_place_of(const struct columns *k, uint32_t d, uint64_t group,
                                               int *mixed) {
    uint32_t at = d;
    for (uint32_t s = d; s != NO_ROW && k->c[C_DECISION_GROUP].u64[s] == group;
         s = k->c[C_DECISION_NEXT].u32[s])
        *mixed |= k->c[C_DECISION_KIND].u8[s] != LSCHED_DECIDE_PLACE;
    for (; at != NO_ROW && k->c[C_DECISION_GROUP].u64[at] == group;
         at = k->c[C_DECISION_PREV].u32[at])
        *mixed |= k->c[C_DECISION_KIND].u8[at] != LSCHED_DECIDE_PLACE;
    return (struct place_in_list){at, at == NO_ROW ? 0 : k->c[C_DECISION_GEN].u32[at]};
}

/* Returns the first pending decision of the group, NO_ROW if there is none.
 * Undoing one decision can remove other decisions. If the decision that precedes the group was
 * removed, the whole list is searched. */
static uint32_t first_proposed(const struct columns *k, const struct place_in_list *p,
                               uint64_t group) {
    int sure = p->before == NO_ROW || (row_is_live(k, T_DECISION, p->before) &&
                                       k->c[C_DECISION_GEN].u32[p->before] == p->gen);
    uint32_t d = sure && p->before != NO_ROW ? k->c[C_DECISION_NEXT].u32[p->before]
                                             : (uint32_t)meta(k, M_OPEN_HEAD);
    for (; d != NO_ROW; d = k->c[C_DECISION_NEXT].u32[d]) {
        steps_add(k, 1);
        int of_group = k->c[C_DECISION_GROUP].u64[d] == group;
        if (of_group && decision_is_pending(k, d)) return d;
        if (!of_group && sure) return NO_ROW;
    }
    return NO_ROW;
}

int32_t decision_reject(struct columns *k, uint32_t d, int64_t now, withdrawn_fn tell, void *user) {
    uint64_t group = k->c[C_DECISION_GROUP].u64[d];
    int mixed = 0;
    struct place_in_list at = releasing_place_of(k, d, group, &mixed);
    int32_t rc = undo_one(k, d, now, tell, user);
    uint32_t why = change_feed_because(k, LSCHED_BECAUSE_GROUP);
    while (rc == LSCHED_OK && mixed) {
        uint32_t s = first_proposed(k, &at, group);
        if (s == NO_ROW) break;
        if (tell) tell(user, s, k->c[C_DECISION_GEN].u32[s]);
        rc = undo_one(k, s, now, tell, user);
    }
    change_feed_because(k, why);
    return rc;
}

/* Undoes all decisions of the group of d that are still proposed. */
static int32_t expire_group(struct columns *k, uint32_t d, int64_t now, withdrawn_fn tell,
                            void *user) {
    uint64_t group = k->c[C_DECISION_GROUP].u64[d];
    int mixed = 0;
    struct place_in_list at = releasing_place_of(k, d, group, &mixed);
    int32_t rc = LSCHED_OK;
    change_feed_expires(k, group);
    for (uint32_t s = first_proposed(k, &at, group); s != NO_ROW && rc == LSCHED_OK;
         s = first_proposed(k, &at, group)) {
        if (tell) tell(user, s, k->c[C_DECISION_GEN].u32[s]);
        rc = undo_one(k, s, now, tell, user);
    }
    change_feed_expires(k, 0);
    return rc;
}

int32_t decision_reject_expired(struct columns *k, int64_t at, int64_t now, withdrawn_fn tell,
                                void *user) {
    int64_t until;
    int32_t rc = LSCHED_OK;
    for (uint32_t d = decision_life_first(k, &until); d != NO_ROW && until <= at && rc == LSCHED_OK;
         d = decision_life_first(k, &until))
        rc = expire_group(k, d, now, tell, user);
    return rc;
}
