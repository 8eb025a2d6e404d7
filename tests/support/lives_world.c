/* lives_world.c -- see lives_world.h. */
#include "support/lives_world.h"

#include "model/jobs/job_cost.h"
#include "model/jobs/task_row.h"
#include "model/told/decision_life.h"

enum { LIVES_SPAN_US = 60000000 };

/* A task is asked to write a checkpoint, for which it has a minute. */
static int32_t lives_checkpoint(struct model_world *w) {
    struct columns *k = &w->k;
    uint32_t job = world_job_named(w, "evicted"), claims = world_job_named(w, "claims");
    int32_t rc = world_evict(w, job, 3, meta(k, M_GROUP_SERIAL) + 1, LSCHED_FOR_RECLAIM, claims);
    if (rc == LSCHED_OK) rc = undo_begin(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t d = k->c[C_TASK_DECISION].u32[releasing_find(k, job, 3)], cost = job_cost(k, job);
    if (cost != NO_ROW) set_i64(k, C_COST_CHECKPOINT_WAIT, cost, LIVES_SPAN_US);
    set_u8(k, C_DECISION_KIND, d, LSCHED_DECIDE_CHECKPOINT);
    decision_life_begin(k, d, (int64_t)meta(k, M_NOW) + LIVES_SPAN_US);
    undo_end(k);
    return cost == NO_ROW ? LSCHED_E_NOMEM : LSCHED_OK;
}

int32_t lives_fill(struct model_world *w) {
    uint32_t moves = world_job_named(w, "moves");
    int32_t rc = undo_begin(&w->k);
    if (rc != LSCHED_OK) return rc;
    for (uint32_t i = 0; i < 2; i++)
        decision_life_begin(&w->k, world_decision(w, moves, i, 1),
                            (int64_t)meta(&w->k, M_NOW) + LIVES_SPAN_US);
    undo_end(&w->k);
    return lives_checkpoint(w);
}
