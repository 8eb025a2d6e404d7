/* array_turn.c -- see array_turn.h. */
#include "engine/arrays/array_turn.h"

#include "engine/rights/victim_verdict.h"
#include "model/life/array_begin.h"

/* Makes room for the new row in what the cycle keeps by rows of jobs. */
static int32_t array_turn_room(struct lsched_cycle *cy) {
    int32_t rc = view_update(&cy->c->view, cy->k, cy->now);
    if (rc == LSCHED_OK && meta(cy->k, M_ABSENCES)) rc = job_marks_reserve(&cy->c->marks, cy->k);
    return rc == LSCHED_OK && cy->victims ? victim_verdict_grow(cy) : rc;
}

int32_t array_turn(struct lsched_cycle *cy, uint32_t *job) {
    uint32_t array = *job, queue = cy->k->c[C_JOB_QUEUE].u32[array];
    if (!array_is(cy->k, array)) return LSCHED_OK;
    int32_t rc = array_begin(cy->k, array, job);
    if (rc == LSCHED_OK) rc = array_turn_room(cy);
    return rc == LSCHED_OK ? share_update(&cy->c->share, cy->k, queue) : rc;
}
