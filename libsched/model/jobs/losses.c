/* losses.c -- see losses.h. */
#include "model/jobs/losses.h"

#include "model/budgets/eviction_count.h"
#include "model/dependencies/gate.h"
#include "model/jobs/job_cost.h"
#include "model/demand/job_counts.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/job_sizes.h"
#include "model/jobs/releasing.h"
#include "model/jobs/task.h"
#include "model/jobs/task_row.h"
#include "model/told/change_feed.h"
#include "model/queues/nonpreemptible_use.h"

/* Stores the start of the job's run in another leaf when the leaf that has it is removed. */
static void hand_over_since(struct columns *k, uint32_t job, int64_t since) {
    uint32_t l = k->c[C_JOB_LEAVES].u32[job];
    if (l == NO_ROW || since == 0) return;
    int64_t first = k->c[C_LEAF_SINCE].i64[l];
    if (first == 0 || since < first) set_i64(k, C_LEAF_SINCE, l, since);
}

/* Removes the rows of every leaf that has no placed, done or releasing task. Afterwards the leaf
 * is as if no task of it had ever been placed. */
static int32_t leaf_trim(struct columns *k, uint32_t job) {
    uint32_t prev = NO_ROW, leaf = k->c[C_JOB_LEAVES].u32[job];
    while (leaf != NO_ROW) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        uint32_t next = k->c[C_LEAF_NEXT].u32[leaf];
        if (k->c[C_LEAF_PLACED].u32[leaf] || k->c[C_LEAF_DONE].u32[leaf] ||
            k->c[C_LEAF_LEAVING].u32[leaf]) {
            prev = leaf;
            leaf = next;
            continue;
        }
        for (uint32_t t = k->c[C_LEAF_AGAIN_FIRST].u32[leaf]; t != NO_ROW;) {
            uint32_t after = k->c[C_TASK_NEXT].u32[t];
            rc = undo_room(k);
            if (rc != LSCHED_OK) return rc;
            task_row_drop(k, t);
            t = after;
        }
        if (prev == NO_ROW)
            set_u32(k, C_JOB_LEAVES, job, next);
        else
            set_u32(k, C_LEAF_NEXT, prev, next);
        hand_over_since(k, job, k->c[C_LEAF_SINCE].i64[leaf]);
        row_free(k, T_LEAF, leaf);
        leaf = next;
    }
    return LSCHED_OK;
}

/* Releases the proposed tasks of a gang that is below its minimum. nominations: 1 to release also
 * the nominated tasks, confirmed ones included, because the gang is below its minimum even with
 * its nominated tasks. */
static int32_t withdraw_proposed(struct columns *k, uint32_t job, int nominations,
                                 withdrawn_fn tell, void *user) {
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        /* If all placed tasks of the leaf run, there is nothing to release. */
        if (k->c[C_LEAF_PLACED].u32[l] == k->c[C_LEAF_RUNNING].u32[l]) continue;
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;) {
            int32_t rc = undo_room(k);
            if (rc != LSCHED_OK) return rc;
            uint32_t next = k->c[C_TASK_NEXT].u32[t];
            uint32_t d = k->c[C_TASK_DECISION].u32[t];
            int nominated = k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NOMINATED;
            if (nominated ? nominations
                          : (d != NO_ROW && k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RUNNING &&
                             k->c[C_DECISION_STATE].u8[d] == LSCHED_DECISION_PROPOSED)) {
                decision_tell(k, t, tell, user);
                task_release(k, t, LSCHED_TASK_NONE);
            }
            t = next;
        }
    }
    return LSCHED_OK;
}

int32_t job_settle_losses(struct columns *k, uint32_t job, int64_t now, withdrawn_fn tell,
                          void *user) {
    int32_t rc = LSCHED_OK;
    uint32_t why = change_feed_because(k, LSCHED_BECAUSE_GANG);
    if (!job_stands(k, job)) rc = withdraw_proposed(k, job, 0, tell, user);
    int satisfied = job_satisfied(k, job);
    if (rc == LSCHED_OK && !satisfied) rc = withdraw_proposed(k, job, 1, tell, user);
    change_feed_because(k, why);
    if (rc == LSCHED_OK) rc = leaf_trim(k, job);
    if (rc == LSCHED_OK) rc = job_sizes_settle(k, job);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    int stale = !satisfied && job_count(k, job).placed > 0;
    uint32_t cost = stale ? job_cost(k, job) : k->c[C_JOB_COST].u32[job];
    if (stale && cost == NO_ROW) return LSCHED_E_NOMEM;
    if (stale && k->c[C_COST_STALE_SINCE].i64[cost] == LSCHED_NEVER_US) job_set_stale(k, job, now);
    if (!stale) job_set_stale(k, job, LSCHED_NEVER_US);
    gate_loses_places(k, job);
    return job_requeue(k, job);
}

static int32_t drop_all(struct columns *k, uint32_t job, withdrawn_fn tell, void *user) {
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW;) {
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;) {
            int32_t rc = undo_room(k);
            if (rc != LSCHED_OK) return rc;
            uint32_t next = k->c[C_TASK_NEXT].u32[t];
            decision_tell(k, t, tell, user);
            if (task_placed(k->c[C_TASK_STATE].u8[t])) {
                task_release(k, t, LSCHED_TASK_NONE);
            } else {
                struct nonpreemptible_use_note use;
                nonpreemptible_use_begin(k, job, l, &use);
                task_leaf_unlink(k, t, C_LEAF_TASK_FIRST);
                task_row_drop(k, t);
                add_u32(k, C_LEAF_DONE, l, -1);
                nonpreemptible_use_end(k, job, &use);
            }
            t = next;
        }
        while (k->c[C_LEAF_LEAVING_FIRST].u32[l] != NO_ROW) {
            int32_t rc = undo_room(k);
            if (rc != LSCHED_OK) return rc;
            uint32_t t = k->c[C_LEAF_LEAVING_FIRST].u32[l];
            decision_tell(k, t, tell, user);
            rc = releasing_end(k, t);
            if (rc != LSCHED_OK) return rc;
        }
        l = k->c[C_LEAF_NEXT].u32[l];
    }
    return leaf_trim(k, job);
}

int32_t tasks_drop_all(struct columns *k, uint32_t job, withdrawn_fn tell, void *user) {
    uint32_t why = change_feed_because(k, LSCHED_BECAUSE_JOB);
    int32_t rc = eviction_count_job_ends(k, job);
    if (rc == LSCHED_OK) rc = drop_all(k, job, tell, user);
    change_feed_because(k, why);
    return rc;
}
