/* holds_world.c -- part of world_fill(): see model_world.h. */
#include "model/life/host_hold.h"
#include "support/model_world.h"

/* Holds one job that waits, one that stops and one that runs; two of the holds end at a time. */
int32_t holds_fill(struct model_world *w) {
    static const struct {
        const char *job;
        int64_t until;
        lsched_text reason;
    } holds[] = {{"isolated", INT64_C(3000000000), {"no data", 7}},
                 {"evicted", INT64_C(2000000000), {"no data", 7}},
                 {"stale", LSCHED_NEVER_US, {NULL, 0}}};
    for (uint32_t i = 0; i < sizeof holds / sizeof holds[0]; i++) {
        int32_t rc = undo_begin(&w->k);
        if (rc != LSCHED_OK) return rc;
        rc = host_hold_begin(&w->k, world_job_named(w, holds[i].job), holds[i].until,
                             holds[i].reason);
        if (rc != LSCHED_OK) undo_rollback(&w->k, 0);
        undo_end(&w->k);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}
