/*
 * memory_pressure.h -- devices whose memory ran out, and tasks that wait for it: paused where they
 * are, or swapped out.
 *
 * Tasks may use more of a device's memory than they asked for, up to their limits; when that is
 * more than there is the host reports it, and the next cycle decides who gives way
 * (engine/cycle/pressure_relief.c). A row of COLLISION keeps the report, and what the limits of
 * those that ran then came to: CEILING. The same tasks must not run together again, so who gives
 * way comes back when the limits of those that run, with its own, are below that.
 *
 * A task that is out (TASK.OUT) holds all that it held and is charged for it: it comes back to its
 * own place.
 *
 * Invariants: only what runs, or leaves, is out; one row of COLLISION per device. Cost: O(tasks on
 * the node) per change; nothing while nobody is out.
 */
#ifndef LIBSCHED_MEMORY_PRESSURE_H
#define LIBSCHED_MEMORY_PRESSURE_H

#include "model/jobs/task.h"

/* TASK.OUT. BACK: a decision that it comes back is open. */
enum { OUT_NOT = 0, OUT_PAUSED = 1, OUT_SWAPPED = 2, OUT_BACK = 4 };
static inline int task_is_out(const struct columns *k, uint32_t task) {
    uint8_t out = k->c[C_TASK_OUT].u8[task];
    return out == OUT_PAUSED || out == OUT_SWAPPED;
}

struct collision_spec {
    uint32_t node, device; /* device: of the node */
    uint64_t job;          /* id of who asked for memory, 0 if that is not known */
    uint32_t index;        /* its task */
    int64_t need, at;      /* bytes, 0: not known */
};
/* A report. LSCHED_E_NOMEM. */
int32_t collision_note(struct columns *k, const struct collision_spec *s);
uint32_t collision_find(const struct columns *k, uint32_t node, uint32_t device);
/* Rows that are decided and for which nobody is out; all of a node that goes. LSCHED_E_NOMEM. */
int32_t collisions_tidy(struct columns *k);
void collisions_forget(struct columns *k, uint32_t node);

/* May the task come back now. */
int collision_lets_back(const struct columns *k, uint32_t task);

/* A decision of the kind (LSCHED_PAUSE, _SUSPEND, _RESUME) about a task that runs. *decision is
 * set; LSCHED_E_NOMEM. */
int32_t task_go_out(struct columns *k, uint32_t task, uint32_t kind, uint64_t group, int64_t now,
                    uint32_t *decision);
/* The host did it, or did not: the decision is closed, and if nobody gave way, the report is open
 * again. */
void task_out_settle(struct columns *k, uint32_t task, int done);
/* What OUT is when the task stops, without the decision that is open about it. */
uint8_t task_out_keep(const struct columns *k, uint32_t task);
static inline int decision_is_out(uint32_t kind) {
    return kind == LSCHED_PAUSE || kind == LSCHED_SUSPEND || kind == LSCHED_RESUME;
}

#endif
