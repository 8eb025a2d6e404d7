/* user_queue_limits.c -- see user_queue_limits.h. */
#include "model/queues/user_queue_limits.h"

#include "model/news/queue_news.h"
#include "model/queues/user_queue.h"

void user_queue_inherit(struct columns *k, uint32_t q) {
    uint32_t p = k->c[C_QUEUE_PARENT].u32[q];
    int group = (k->c[C_QUEUE_FLAGS].u8[q] & LSCHED_QUEUE_IS_GROUP) != 0;
    uint32_t limits = group ? C_QUEUE_GROUP_LIMIT : C_QUEUE_USER_LIMIT;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t limit = k->c[limits + r].i64[p];
        set_i64(k, C_QUEUE_LIMIT + r, q, limit ? limit - 1 : LSCHED_UNLIMITED);
        set_i64(k, C_QUEUE_LIMIT_NOW + r, q, limit ? limit - 1 : LSCHED_UNLIMITED);
        if (group) set_i64(k, C_QUEUE_USER_LIMIT + r, q, k->c[C_QUEUE_USER_LIMIT + r].i64[p]);
    }
    uint32_t jobs = group ? C_QUEUE_GROUP_JOBS_MAX : C_QUEUE_USER_JOBS_MAX;
    uint32_t submitted = group ? C_QUEUE_GROUP_SUBMITTED_MAX : C_QUEUE_USER_SUBMITTED_MAX;
    set_u32(k, C_QUEUE_JOBS_MAX, q, k->c[jobs].u32[p]);
    set_u32(k, C_QUEUE_SUBMITTED_MAX, q, k->c[submitted].u32[p]);
    set_i64(k, C_QUEUE_RECLAIM_MIN, q, k->c[C_QUEUE_RECLAIM_MIN].i64[p]);
    set_i64(k, C_QUEUE_PREEMPT_MIN, q, k->c[C_QUEUE_PREEMPT_MIN].i64[p]);
    set_i64(k, C_QUEUE_PREEMPT_DELAY, q, k->c[C_QUEUE_PREEMPT_DELAY].i64[p]);
    if (group) {
        set_u32(k, C_QUEUE_USER_JOBS_MAX, q, k->c[C_QUEUE_USER_JOBS_MAX].u32[p]);
        set_u32(k, C_QUEUE_USER_SUBMITTED_MAX, q, k->c[C_QUEUE_USER_SUBMITTED_MAX].u32[p]);
    }
    queue_gave(k, q); /* a limit can have grown */
}

int32_t user_queues_follow(struct columns *k, uint32_t queue) {
    for (uint32_t q = k->c[C_QUEUE_CHILD].u32[queue]; q != NO_ROW; q = k->c[C_QUEUE_NEXT].u32[q]) {
        if (!queue_is_of_user(k, q)) continue;
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        user_queue_inherit(k, q);
        for (uint32_t u = k->c[C_QUEUE_CHILD].u32[q]; u != NO_ROW; u = k->c[C_QUEUE_NEXT].u32[u]) {
            rc = undo_room(k);
            if (rc != LSCHED_OK) return rc;
            user_queue_inherit(k, u);
        }
    }
    return LSCHED_OK;
}
