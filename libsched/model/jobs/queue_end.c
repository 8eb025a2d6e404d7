/* queue_end.c -- see queue_end.h. */
#include "model/jobs/queue_end.h"

#include "model/allowances/allowance.h"
#include "model/queues/usage_decay.h"
#include "model/jobs/refusal.h"

static int queue_end_is_needless(const struct columns *k, uint32_t q) {
    return queue_is_of_user(k, q) && queue_is_leaf(k, q) && k->c[C_QUEUE_JOBS].u64[q] == 0 &&
           k->c[C_QUEUE_ALLOWANCE].u32[q] == 0 && k->c[C_QUEUE_RESERVATIONS].u32[q] == 0 &&
           (!usage_decay_is_on(k) || usage_decay_queue_is_idle(k, q));
}

/* Clears the references of bundles to one queue. With queue NO_ROW, clears the references to all
 * user queues that are not needed any more, in one pass over the bundles. */
static int32_t bundles_forget(struct columns *k, uint32_t queue) {
    static const uint32_t columns[] = {C_BUNDLE_LIMITING, C_BUNDLE_EVICT_QUEUE};
    EACH_LIVE(k, T_BUNDLE, b) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        for (int i = 0; i < 2; i++) {
            uint32_t q = k->c[columns[i]].u32[b];
            if (queue != NO_ROW ? q == queue
                                : row_is_live(k, T_QUEUE, q) && queue_end_is_needless(k, q))
                set_u32(k, columns[i], b, NO_ROW);
        }
    }
    return LSCHED_OK;
}

/* Clears the references of resizes as bundles_forget() does those of bundles. */
static int32_t resizes_forget(struct columns *k, uint32_t queue) {
    if (table_live(k, T_RESIZE) == 0) return LSCHED_OK;
    EACH_LIVE(k, T_RESIZE, r) {
        uint32_t q = k->c[C_RESIZE_LIMITING].u32[r];
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        if (queue != NO_ROW ? q == queue
                            : row_is_live(k, T_QUEUE, q) && queue_end_is_needless(k, q))
            set_u32(k, C_RESIZE_LIMITING, r, NO_ROW);
    }
    return LSCHED_OK;
}

int32_t queue_forget(struct columns *k, uint32_t q) {
    int32_t rc = bundles_forget(k, q);
    if (rc == LSCHED_OK) rc = resizes_forget(k, q);
    if (rc == LSCHED_OK) rc = refusals_forget_queue(k, q);
    return rc == LSCHED_OK ? undo_room(k) : rc;
}

void queue_end(struct columns *k, uint32_t q) {
    if (k->c[C_QUEUE_ALLOWANCE].u32[q]) allowance_row_free(k, k->c[C_QUEUE_ALLOWANCE].u32[q] - 1);
    queue_remove(k, q);
}

int32_t user_queues_sweep(struct columns *k) {
    /* first the queues of users, then the queues of groups that have no user queue left */
    for (int pass = 0; pass < 2; pass++) {
        int32_t rc = LSCHED_OK, found = 0;
        for (uint32_t q = 0; q < table_rows(k, T_QUEUE) && rc == LSCHED_OK; q++) {
            if (!row_is_live(k, T_QUEUE, q) || !queue_end_is_needless(k, q)) continue;
            if (!found) rc = bundles_forget(k, NO_ROW);
            if (!found && rc == LSCHED_OK) rc = resizes_forget(k, NO_ROW);
            found = 1;
            if (rc == LSCHED_OK) rc = refusals_forget_queue(k, q);
            if (rc == LSCHED_OK) rc = undo_room(k);
            if (rc == LSCHED_OK) queue_end(k, q);
        }
        if (rc != LSCHED_OK || !found) return rc;
    }
    return LSCHED_OK;
}

int32_t user_queues_drop(struct columns *k, uint32_t queue) {
    uint32_t q = k->c[C_QUEUE_CHILD].u32[queue];
    while (q != NO_ROW) {
        uint32_t below = k->c[C_QUEUE_CHILD].u32[q], up = k->c[C_QUEUE_PARENT].u32[q];
        /* the orchestrator made this queue, and only the orchestrator removes it */
        if (!queue_is_of_user(k, q)) return LSCHED_OK;
        if (below != NO_ROW) {
            q = below;
            continue;
        }
        int32_t rc = queue_forget(k, q);
        if (rc != LSCHED_OK) return rc;
        queue_end(k, q);
        q = k->c[C_QUEUE_CHILD].u32[up] == NO_ROW && up != queue ? up : k->c[C_QUEUE_CHILD].u32[up];
    }
    return LSCHED_OK;
}
