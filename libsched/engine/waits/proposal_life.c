/* proposal_life.c -- see proposal_life.h. */
#include "engine/waits/proposal_life.h"

#include "base/times.h"
#include "engine/state/withdraw_decision.h"
#include "model/jobs/decision_reject.h"
#include "model/told/decision_life.h"

int32_t proposal_life_serve(struct lsched_cycle *cy) {
    int32_t rc = decision_reject_expired(cy->k, cy->now, cy->now, withdraw_decision_note, cy);
    return rc == LSCHED_OK && cy->decisions.out_of_memory ? LSCHED_E_NOMEM : rc;
}

int32_t proposal_life_begin(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    int64_t until = time_after(cy->now, cy->proposal_life);
    if (cy->proposal_life == 0 || until == LSCHED_NEVER_US) return LSCHED_OK;
    for (uint32_t i = 0; i < cy->decisions.n_fresh; i++) {
        uint32_t d = cy->decisions.fresh[i];
        /* a CHECKPOINT has the time of its job */
        if (k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_NOMINATE ||
            k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_CHECKPOINT)
            continue;
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        decision_life_begin(k, d, until);
    }
    return LSCHED_OK;
}
