/* array_expire.c -- see array_expire.h. */
#include "model/life/array_expire.h"

#include "model/jobs/job_phase.h"
#include "model/life/gate_change.h"
#include "model/life/job_change.h"
#include "model/news/queue_news.h"
#include "model/told/tally.h"

/* The elements leave before the gate opens, so that they never count in the demand. */
static int32_t elements_end(struct columns *k, uint32_t array) {
    uint32_t a = k->c[C_JOB_ARRAY].u32[array], queue = k->c[C_JOB_QUEUE].u32[array],
             jobs = array_weight(k, array);
    int32_t rc = jobs ? job_change_leave(k, array) : LSCHED_OK;
    if (rc != LSCHED_OK || jobs == 0) return rc;
    queue_news(k, queue);
    tally_add_many(k, queue, TALLY_REMOVED, jobs);
    set_u32(k, C_ARRAY_NEXT, a, k->c[C_ARRAY_COUNT].u32[a]);
    set_u8(k, C_JOB_PHASE, array, JOB_ARRAY);
    return undo_room(k);
}

int32_t array_expire(struct columns *k, uint32_t array) {
    assert(array_lives(k, array));
    int32_t rc = elements_end(k, array);
    if (rc == LSCHED_OK) rc = gate_change_needs(k, array, NULL, 0, LSCHED_ON_NEVER_WAIT);
    return rc == LSCHED_OK ? gate_change_expiry(k, array, 0) : rc;
}
