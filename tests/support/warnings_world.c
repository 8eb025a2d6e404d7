/* warnings_world.c -- part of world_fill(): see model_world.h. */
#include "model/jobs/job_limits.h"
#include "model/warnings/warning.h"
#include "support/model_world.h"

/* Tasks are told their ends ten seconds before. One of them was told, and another one is not asked
 * again for a while; the due time of two jobs has moved. */
int32_t warnings_fill(struct model_world *w) {
    struct columns *k = &w->k;
    uint32_t n = 0, jobs = 0;
    int32_t rc = undo_begin(k);
    if (rc == LSCHED_OK) rc = warning_begin(k, 10000000, WARN_LIMITS | WARN_ALLOWANCES);
    for (uint32_t row = 0; row < table_rows(k, T_WARN) && rc == LSCHED_OK; row++) {
        uint32_t task = k->c[C_WARN_TASK].u32[row];
        struct warning_end e = {INT64_C(3000000000), LSCHED_FOR_ABSENCE};
        rc = undo_room(k);
        if (rc != LSCHED_OK || k->c[C_TASK_STATE].u8[task] != LSCHED_TASK_RUNNING) continue;
        n++;
        if (n == 1) warning_tell(k, task, &e);
        if (n == 2) warning_put_off(k, task, INT64_C(2000000000));
        if (n > 2) warning_wait(k, task, NULL);
    }
    for (uint32_t watch = 0; watch < table_rows(k, T_WATCH) && rc == LSCHED_OK; watch++) {
        rc = undo_room(k);
        if (rc == LSCHED_OK && row_is_live(k, T_WATCH, watch) && jobs++ < 2)
            k->warnings->due_moved(k, watch);
    }
    if (rc != LSCHED_OK) undo_rollback(k, 0);
    undo_end(k);
    return rc;
}
