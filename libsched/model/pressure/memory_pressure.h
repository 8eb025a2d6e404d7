/*
 * memory_pressure.h -- devices under memory pressure, and tasks that wait for memory: paused in
 * place, or swapped out.
 *
 * Tasks can use more of a device's memory than they requested, up to their limits. When the tasks
 * want more memory than the device has, the orchestrator reports the memory pressure, and the
 * next cycle decides which task is paused or swapped out (engine/cycle/pressure_relief.c). A row
 * of COLLISION keeps the report and, in CEILING, the sum of the memory limits of the tasks that
 * ran on the device at the time of the report. These tasks must not all run together again.
 * Therefore a paused or swapped-out task resumes only when no other task runs on the device, or
 * when its own limit and the limits of the running tasks sum to less than CEILING.
 *
 * A task that is out (TASK.OUT) is a running task that is paused or swapped out. The task keeps
 * its devices and amounts and is still charged for them, because it resumes in the same place.
 *
 * Invariants: only a running or releasing task is out; each device has at most one row of
 * COLLISION. Cost: O(tasks on the node) per change of a task; nothing while no task is out.
 */
#ifndef LIBSCHED_MEMORY_PRESSURE_H
#define LIBSCHED_MEMORY_PRESSURE_H

#include "model/shapes/job_states.h"
#include "model/shapes/leaf.h"
#include "model/shapes/placement.h"

/* Values of TASK.OUT. MEMORY_STATE_RETURNING is a flag: a decision to resume the task is open. */
enum {
    MEMORY_STATE_NORMAL = 0,
    MEMORY_STATE_PAUSED = 1,
    MEMORY_STATE_SWAPPED = 2,
    MEMORY_STATE_RETURNING = 4
};
static inline int task_is_out(const struct columns *k, uint32_t task) {
    uint8_t out = k->c[C_TASK_OUT].u8[task];
    return out == MEMORY_STATE_PAUSED || out == MEMORY_STATE_SWAPPED;
}

struct memory_pressure_spec {
    uint32_t node, device; /* device: index in the node */
    uint64_t job;          /* id of the job that could not get memory, 0 if unknown */
    uint32_t index;        /* index of the task of that job which could not get memory */
    int64_t need, at;      /* need: bytes that were missing, 0 if unknown; at: time of the report */
};
/* Stores a report of memory pressure. Can return LSCHED_E_NOMEM. */
int32_t memory_pressure_note(struct columns *k, const struct memory_pressure_spec *s);
uint32_t memory_pressure_find(const struct columns *k, uint32_t node, uint32_t device);
/* True if the next cycle has a report to decide. Cost: O(reports). */
int memory_pressure_is_due(const struct columns *k);
/* memory_pressure_tidy() removes each report that a cycle has decided and for which no task is
 * out. It can return LSCHED_E_NOMEM. memory_pressure_forget() removes all reports of a node that
 * is about to be removed. */
int32_t memory_pressure_tidy(struct columns *k);
void memory_pressure_forget(struct columns *k, uint32_t node);

/* Returns 1 if the task, which is paused or swapped out, can resume now. */
int memory_pressure_lets_back(const struct columns *k, uint32_t task);

/* Makes a decision of the kind (LSCHED_DECIDE_PAUSE, _SUSPEND or _RESUME) for a running task, and
 * sets *decision to its row. Can return LSCHED_E_NOMEM. */
int32_t task_go_out(struct columns *k, uint32_t task, uint32_t kind, uint64_t group, int64_t now,
                    uint32_t *decision);
/* Closes the task's decision to pause, suspend or resume. done: 1 if the orchestrator carried the
 * decision out, 0 if it did not. If a task was to be paused or swapped out and was not, the next
 * cycle decides the report again. */
void task_out_settle(struct columns *k, uint32_t task, int done);
/* Returns the value of TASK.OUT after an eviction of the task: the state that TASK.OUT had before
 * the open decision was made. */
uint8_t task_out_keep(const struct columns *k, uint32_t task);
static inline int decision_is_out(uint32_t kind) {
    return kind == LSCHED_DECIDE_PAUSE || kind == LSCHED_DECIDE_SUSPEND ||
           kind == LSCHED_DECIDE_RESUME;
}

#endif
