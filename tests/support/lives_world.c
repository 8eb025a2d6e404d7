/* lives_world.c -- see lives_world.h. */
#include "support/lives_world.h"

#include "model/told/decision_life.h"

int32_t lives_fill(struct model_world *w) {
    uint32_t moves = world_job_named(w, "moves");
    int32_t rc = undo_begin(&w->k);
    if (rc != LSCHED_OK) return rc;
    for (uint32_t i = 0; i < 2; i++)
        decision_life_begin(&w->k, world_decision(w, moves, i, 1),
                            (int64_t)meta(&w->k, M_NOW) + 60000000);
    undo_end(&w->k);
    return LSCHED_OK;
}
