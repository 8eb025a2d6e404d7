/*
 * decision.h -- open decisions: decisions that the library has proposed and the orchestrator has
 * not settled.
 *
 * Open decisions are in one list, oldest group first. Therefore the decisions of a decision group
 * are adjacent. A task has at most one open decision. Each function here costs O(1).
 */
#ifndef LIBSCHED_DECISION_H
#define LIBSCHED_DECISION_H

#include "model/told/warning_ops.h"

/* Reports a withdrawn decision to the caller. The decision is named by slot and generation,
 * because its row is removed afterwards. */
typedef void (*withdrawn_fn)(void *user, uint32_t decision_slot, uint32_t decision_gen);

/* All kinds of decisions that this version knows, as bits 1 << LSCHED_DECIDE_*. */
enum {
    DECISION_KINDS_KNOWN = 0
#define LSCHED_X_DECISION(name, value, word) | 1 << (value)
#include <libsched/codes.def>
};

struct decision_spec {
    uint8_t kind, reason;
    uint64_t group, for_job; /* for_job: an id, 0 if none */
    int64_t now, at, cost;
};
/* Makes a proposed decision for a task row and appends the decision to the open decisions.
 * Returns the decision's row; NO_ROW if out of memory. */
uint32_t decision_open(struct columns *k, uint32_t task, const struct decision_spec *s);
/* Closes the task's open decision, if the task has one. Unless the call names the decision or the
 * task, the decision is withdrawn, and the change feed says so. */
void decision_close(struct columns *k, uint32_t task);
/* Closes the task's open decision, if the task has one, because the task has done what the decision
 * says: it started, or it is gone. */
void decision_done(struct columns *k, uint32_t task);
/* Closes the decision that nominated the task, because the task gets its place. */
void decision_seat(struct columns *k, uint32_t task);
/* Opens the EVICT that follows the open CHECKPOINT of the releasing row `task`, and closes the
 * CHECKPOINT. The EVICT takes its place in the list of open decisions, because it is of the same
 * group, although it is proposed later than the decisions behind it. Returns the row of the EVICT;
 * NO_ROW if out of memory. The caller rolls back then. */
uint32_t decision_checkpoint_over(struct columns *k, uint32_t task, int64_t now, int64_t at,
                                  int64_t cost);
/* True if decisions of the kind are about a task that runs and is to stop where it is. */
static inline int decision_stops(uint32_t kind) {
    return kind == LSCHED_DECIDE_EVICT || kind == LSCHED_DECIDE_MIGRATE ||
           kind == LSCHED_DECIDE_CHECKPOINT;
}
/* True if the orchestrator has not begun to carry the decision out: it is proposed, or it is a
 * CHECKPOINT, which stops nothing. */
static inline int decision_is_pending(const struct columns *k, uint32_t d) {
    return k->c[C_DECISION_STATE].u8[d] == LSCHED_DECISION_PROPOSED ||
           k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_CHECKPOINT;
}
/* True if the open decision of the task is a WARN, for which nothing else has to wait. */
static inline int decision_warns(const struct columns *k, uint32_t task) {
    uint32_t d = k->c[C_TASK_DECISION].u32[task];
    return d != NO_ROW && k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_WARN;
}
/* Reports the task's open decision, if the task has one, through `tell`, which can be NULL. */
void decision_tell(const struct columns *k, uint32_t task, withdrawn_fn tell, void *user);
/* Returns the id of the decision as columns have it; id_outside() makes that of the API. */
static inline uint64_t decision_id(const struct columns *k, uint32_t d) {
    return (uint64_t)LSCHED_KIND_DECISION << 60 | (uint64_t)k->c[C_DECISION_GEN].u32[d] << 32 | d;
}

#endif
