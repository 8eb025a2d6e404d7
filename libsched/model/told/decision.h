/*
 * decision.h -- open decisions: decisions that the library has proposed and the orchestrator has
 * not settled.
 *
 * Open decisions are in one list, oldest first. Therefore the decisions of a decision group are
 * adjacent. A task has at most one open decision. Each function here costs O(1).
 */
#ifndef LIBSCHED_DECISION_H
#define LIBSCHED_DECISION_H

#include "model/store/columns.h"

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
/* Reports the task's open decision, if the task has one, through `tell`, which can be NULL. */
void decision_tell(const struct columns *k, uint32_t task, withdrawn_fn tell, void *user);

#endif
