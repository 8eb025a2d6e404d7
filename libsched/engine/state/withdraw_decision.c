/* withdraw_decision.c -- see withdraw_decision.h. */
#include "engine/state/withdraw_decision.h"

#include "base/vec.h"
#include "model/jobs/releasing.h"

void withdraw_decision_note(void *user, uint32_t slot, uint32_t gen) {
    struct lsched_cycle *y = user;
    if (!VEC_ROOM(y->k->alloc, y->withdrawn, y->cap_withdrawn, y->n_withdrawn + 1)) {
        y->out_of_memory = 1;
        return;
    }
    struct columns *k = y->k;
    uint32_t job = k->c[C_TASK_JOB].u32[k->c[C_DECISION_TASK].u32[slot]];
    y->withdrawn[y->n_withdrawn++] =
        (struct withdrawn_note){(uint64_t)LSCHED_KIND_DECISION << 60 | (uint64_t)gen << 32 | slot,
                                undo_mark(k), k->c[C_JOB_QUEUE].u32[job], y->group_serial};
}

int32_t withdraw_decision(struct lsched_cycle *y, uint32_t task) {
    struct columns *k = y->k;
    uint32_t d = k->c[C_TASK_DECISION].u32[task];
    if (d != NO_ROW) withdraw_decision_note(y, d, k->c[C_DECISION_GEN].u32[d]);
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t job = k->c[C_TASK_JOB].u32[task];
    task_release(k, task, LSCHED_TASK_NONE);
    rc = job_settle_losses(k, job, y->now, withdraw_decision_note, y);
    return rc == LSCHED_OK && y->out_of_memory ? LSCHED_E_NOMEM : rc;
}

/* A gang that loses a nomination can also lose places that the same cycle gave it. The list of this
 * cycle's decisions (`fresh`) still names the rows of these decisions, but each such row is now
 * free or holds a later decision. Therefore, of several entries in `fresh` for one row, only the
 * last is kept, and entries for free rows are dropped. */
int32_t withdraw_decision_drop(struct lsched_cycle *y) {
    const struct columns *k = y->k;
    if (y->n_withdrawn == 0 || y->n_fresh == 0) return LSCHED_OK;
    size_t rows = table_rows(k, T_DECISION);
    uint8_t *seen = alloc_zero(k->alloc, rows);
    if (!seen) return LSCHED_E_NOMEM;
    uint32_t to = y->n_fresh;
    for (uint32_t i = y->n_fresh; i-- > 0;) {
        uint32_t d = y->fresh[i];
        if (!row_is_live(k, T_DECISION, d) || seen[d]) continue;
        seen[d] = 1;
        y->fresh[--to] = d;
    }
    alloc_free(k->alloc, seen, rows);
    y->n_fresh -= to;
    memmove(y->fresh, y->fresh + to, y->n_fresh * sizeof *y->fresh);
    return LSCHED_OK;
}
