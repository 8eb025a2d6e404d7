/* device_losses.c -- see device_losses.h. */
#include "api/reports/device_losses.h"

#include "model/jobs/job_cost.h"
#include "model/jobs/losses.h"
#include "model/jobs/releasing.h"
#include "model/jobs/task.h"
#include "model/store/steps.h"
#include "model/told/change_feed.h"

static int is_lost(const struct columns *k, uint32_t task, device_set lost) {
    return lost == DEVICE_SET_ALL || (task_device_set(k, task) & lost);
}

/* Returns the first task on the node that is lost, NO_ROW if there is none. */
static uint32_t first_lost(const struct columns *k, uint32_t node, device_set lost) {
    uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node];
    while (t != NO_ROW && !is_lost(k, t, lost)) {
        steps_add(k, 1);
        t = k->c[C_TASK_NODE_NEXT].u32[t];
    }
    return t;
}

int32_t node_lose_tasks(struct columns *k, uint32_t node, device_set lost, withdrawn_fn tell,
                        void *user) {
    int32_t rc = LSCHED_OK;
    for (uint32_t t = first_lost(k, node, lost); t != NO_ROW; t = first_lost(k, node, lost)) {
        uint32_t job = k->c[C_TASK_JOB].u32[t];
        for (uint32_t u = t, next; u != NO_ROW && rc == LSCHED_OK; u = next) {
            next = k->c[C_TASK_NODE_NEXT].u32[u];
            rc = undo_room(k);
            if (rc != LSCHED_OK || k->c[C_TASK_JOB].u32[u] != job || !is_lost(k, u, lost)) continue;
            uint32_t why = change_feed_because(k, LSCHED_BECAUSE_NODE);
            decision_tell(k, u, tell, user);
            if (k->c[C_TASK_STATE].u8[u] == LSCHED_TASK_RELEASING)
                rc = releasing_end(k, u);
            else
                task_release(k, u, LSCHED_TASK_NONE);
            change_feed_because(k, why);
        }
        if (rc == LSCHED_OK) rc = job_settle_losses(k, job, (int64_t)meta(k, M_NOW), tell, user);
        if (rc != LSCHED_OK) return rc;
    }
    return rc;
}

/* Returns 1 if an earlier task of the node's list is of the same job and on the device. */
static int job_is_counted(const struct columns *k, uint32_t node, uint32_t index, uint32_t task) {
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != task;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        steps_add(k, 1);
        if (k->c[C_TASK_JOB].u32[t] == k->c[C_TASK_JOB].u32[task] &&
            device_set_has(task_device_set(k, t), index))
            return 1;
    }
    return 0;
}

int32_t device_losses_count(struct columns *k, uint32_t node, uint32_t index) {
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        if (!device_set_has(task_device_set(k, t), index) || job_is_counted(k, node, index, t))
            continue;
        int32_t rc = undo_room(k);
        uint32_t cost = rc == LSCHED_OK ? job_cost(k, k->c[C_TASK_JOB].u32[t]) : NO_ROW;
        if (cost == NO_ROW) return LSCHED_E_NOMEM;
        uint32_t n = k->c[C_COST_DEVICE_LOSSES].u32[cost];
        if (n < UINT32_MAX) set_u32(k, C_COST_DEVICE_LOSSES, cost, n + 1);
    }
    return LSCHED_OK;
}
