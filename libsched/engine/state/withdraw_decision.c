/* withdraw_decision.c -- see withdraw_decision.h. */
#include "engine/state/withdraw_decision.h"

#include "base/vec.h"
#include "model/jobs/losses.h"
#include "model/jobs/task.h"
#include "model/told/change_feed.h"

void withdraw_decision_note(void *user, uint32_t slot, uint32_t gen) {
    struct lsched_cycle *cy = user;
    if (!VEC_ROOM(cy->k->alloc, cy->decisions.withdrawn, cy->decisions.cap_withdrawn,
                  cy->decisions.n_withdrawn + 1)) {
        cy->decisions.out_of_memory = 1;
        return;
    }
    struct columns *k = cy->k;
    uint32_t job = k->c[C_TASK_JOB].u32[k->c[C_DECISION_TASK].u32[slot]];
    cy->decisions.withdrawn[cy->decisions.n_withdrawn++] =
        (struct withdrawn_note){(uint64_t)LSCHED_KIND_DECISION << 60 | (uint64_t)gen << 32 | slot,
                                undo_mark(k), k->c[C_JOB_QUEUE].u32[job], cy->turn.group_serial};
}

int32_t withdraw_decision(struct lsched_cycle *cy, uint32_t task, uint32_t why) {
    struct columns *k = cy->k;
    uint32_t d = k->c[C_TASK_DECISION].u32[task];
    if (d != NO_ROW) withdraw_decision_note(cy, d, k->c[C_DECISION_GEN].u32[d]);
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t job = k->c[C_TASK_JOB].u32[task];
    uint32_t before = change_feed_because(k, why);
    task_release(k, task, LSCHED_TASK_NONE);
    change_feed_because(k, before);
    rc = job_settle_losses(k, job, cy->now, withdraw_decision_note, cy);
    return rc == LSCHED_OK && cy->decisions.out_of_memory ? LSCHED_E_NOMEM : rc;
}

/* A gang that loses a nomination can also lose places that the same cycle gave it. The list
 * `fresh` of this cycle's decisions still has the rows of the lost decisions, but each such row is
 * now free or has a later decision. Therefore entries for free rows are dropped. If several
 * entries have the same row, only the last one of them is kept. */
int32_t withdraw_decision_drop(struct lsched_cycle *cy) {
    const struct columns *k = cy->k;
    if (cy->decisions.n_withdrawn == 0 || cy->decisions.n_fresh == 0) return LSCHED_OK;
    size_t rows = table_rows(k, T_DECISION);
    uint8_t *seen = alloc_zero(k->alloc, rows);
    if (!seen) return LSCHED_E_NOMEM;
    uint32_t to = cy->decisions.n_fresh;
    for (uint32_t i = cy->decisions.n_fresh; i-- > 0;) {
        uint32_t d = cy->decisions.fresh[i];
        if (!row_is_live(k, T_DECISION, d) || seen[d]) continue;
        seen[d] = 1;
        cy->decisions.fresh[--to] = d;
    }
    alloc_free(k->alloc, seen, rows);
    cy->decisions.n_fresh -= to;
    memmove(cy->decisions.fresh, cy->decisions.fresh + to,
            cy->decisions.n_fresh * sizeof *cy->decisions.fresh);
    return LSCHED_OK;
}
