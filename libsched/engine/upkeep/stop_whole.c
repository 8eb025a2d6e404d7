/* stop_whole.c -- see stop_whole.h. */
#include "engine/upkeep/stop_whole.h"

#include "engine/actions/evict.h"
#include "engine/state/withdraw_decision.h"
#include "model/demand/job_counts.h"
#include "model/jobs/losses.h"

uint64_t stop_whole_most(const lsched_cycle *cy, uint32_t job) {
    uint64_t tasks = job_count(cy->k, job).running;
    if (cy->spend.decisions_left >= tasks) return tasks;
    return cy->spend.decisions_max < tasks ? cy->spend.decisions_left : 0;
}

/* Returns a task of the job that has a nomination or an unsettled placement; NO_ROW if there is
 * none. A task with a confirmed placement is not returned, because the orchestrator can be
 * starting it already. Such a task counts as running and is stopped like a running task. */
static uint32_t stop_whole_unsettled(const struct columns *k, uint32_t job) {
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t])
            if (k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NOMINATED ||
                k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_PROPOSED)
                return t;
    return NO_ROW;
}

int32_t stop_whole_withdraw(lsched_cycle *cy, uint32_t job, uint32_t why) {
    int32_t rc = LSCHED_OK;
    for (uint32_t t = stop_whole_unsettled(cy->k, job); t != NO_ROW && rc == LSCHED_OK;
         t = stop_whole_unsettled(cy->k, job))
        rc = withdraw_decision(cy, t, why);
    return rc;
}

int32_t stop_whole_evict(lsched_cycle *cy, uint32_t job, uint32_t reason, uint64_t most) {
    struct columns *k = cy->k;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    cy->turn.group_serial = meta(k, M_GROUP_SERIAL) + 1;
    set_meta(k, M_GROUP_SERIAL, cy->turn.group_serial);
    rc = evict_running(cy, job, NO_ROW, reason, most);
    return rc == LSCHED_OK ? job_settle_losses(k, job, cy->now, withdraw_decision_note, cy) : rc;
}
