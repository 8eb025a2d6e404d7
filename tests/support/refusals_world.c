/* refusals_world.c -- part of world_fill(): see model_world.h. */
#include "support/supplies_world.h"
#include "model/jobs/refusal.h"
#include "support/model_world.h"

int32_t refusals_fill(struct model_world *w) {
    struct columns *k = &w->k;
    static const lsched_text reason = {"image", 5};
    int32_t rc = undo_begin(k);
    if (rc != LSCHED_OK) return rc;
    for (uint32_t d = 0; d < table_rows(k, T_DECISION) && rc == LSCHED_OK; d++)
        if (row_is_live(k, T_DECISION, d) && k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_PLACE &&
            k->c[C_TASK_STATE].u8[k->c[C_DECISION_TASK].u32[d]] == LSCHED_TASK_PROPOSED)
            rc = refusal_note(k, d, reason);
    if (rc == LSCHED_OK) rc = refusals_end(k, LSCHED_AMOUNT_MAX); /* what is proposed may stand */
    if (rc != LSCHED_OK) undo_rollback(k, 0);
    undo_end(k);
    return rc == LSCHED_OK ? supplies_fill(w) : rc;
}
