/*
 * memory_pressure.h -- devices under memory pressure, and tasks that wait for memory: paused in
 * place, or swapped out.
 *
 * Tasks can use more of a device's memory than they requested, up to their limits. When the tasks
 * want more than the device has, the orchestrator reports it, and the next cycle decides which
 * task is paused or swapped out (engine/cycle/pressure_relief.c). A row of COLLISION keeps the
 * report and, in CEILING, the sum of the limits of the tasks that ran at that time. All tasks of
 * the report must not run together again. Therefore a task that was taken out comes back only
 * when no other task runs on the device, or when the limits of the running tasks and its own
 * limit sum to less than CEILING.
 *
 * A task that is out (TASK.OUT) keeps all that it holds and is still charged for it, because it
 * comes back to the same place.
 *
 * Invariants: only a running or releasing task is out; each device has at most one row of
 * COLLISION. Cost: O(tasks on the node) per change; nothing while no task is out.
 */
#ifndef LIBSCHED_MEMORY_PRESSURE_H
#define LIBSCHED_MEMORY_PRESSURE_H

#include "model/jobs/task.h"

/* Values of TASK.OUT. The flag BACK says that a decision to resume the task is open. */
enum { OUT_NOT = 0, OUT_PAUSED = 1, OUT_SWAPPED = 2, OUT_BACK = 4 };
static inline int task_is_out(const struct columns *k, uint32_t task) {
    uint8_t out = k->c[C_TASK_OUT].u8[task];
    return out == OUT_PAUSED || out == OUT_SWAPPED;
}

struct memory_pressure_spec {
    uint32_t node, device; /* device: index in the node */
    uint64_t job;          /* id of the job that asked for memory, 0 if unknown */
    uint32_t index;        /* index of the task of that job */
    int64_t need, at;      /* need: bytes, 0 if unknown; at: time of the report */
};
/* Stores a report of memory pressure. Can return LSCHED_E_NOMEM. */
int32_t memory_pressure_note(struct columns *k, const struct memory_pressure_spec *s);
uint32_t memory_pressure_find(const struct columns *k, uint32_t node, uint32_t device);
/* memory_pressure_tidy() removes the rows that are decided and for which no task is out. Can return
 * LSCHED_E_NOMEM. memory_pressure_forget() removes all rows of a node that is about to be
 * removed. */
int32_t memory_pressure_tidy(struct columns *k);
void memory_pressure_forget(struct columns *k, uint32_t node);

/* Returns 1 if the task can come back now. */
int memory_pressure_lets_back(const struct columns *k, uint32_t task);

/* Opens a decision of the kind (LSCHED_PAUSE, _SUSPEND or _RESUME) for a running task and sets
 * *decision. Can return LSCHED_E_NOMEM. */
int32_t task_go_out(struct columns *k, uint32_t task, uint32_t kind, uint64_t group, int64_t now,
                    uint32_t *decision);
/* Closes the decision; done: 1 if the orchestrator carried it out, 0 if it did not. If a task was
 * to go out and did not, the report is open again. */
void task_out_settle(struct columns *k, uint32_t task, int done);
/* Returns the value that OUT keeps when the task is evicted: the state without the decision that
 * is open for the task. */
uint8_t task_out_keep(const struct columns *k, uint32_t task);
static inline int decision_is_out(uint32_t kind) {
    return kind == LSCHED_PAUSE || kind == LSCHED_SUSPEND || kind == LSCHED_RESUME;
}

#endif
