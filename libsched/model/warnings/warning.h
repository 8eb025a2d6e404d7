/*
 * warning.h -- when running tasks are to be told that they end: by the time limit of their job, by
 * a spent allowance, or because their node leaves.
 *
 * An *end* of a task has a cause and a time. The task is told its first end, a while before (the
 * *lead*), and later ends only if the first one goes away. A task whose first end has come is being
 * stopped, and is told nothing until that end moves. What was told for a
 * cause holds for an end of this cause up to one lead later, and up to an eighth of a lead earlier:
 * a host that was told 18:00 need not hear 17:59:59. Any other end is told anew.
 *
 * From the first cycle on that asks for warnings, each task that has a place has a row of WARN. The
 * running ones are in a heap by AT, the time at which a cycle must look at the task again: a lead
 * before the first of its known ends, and the end that it was told. An event that can bring an end
 * closer lowers AT: a start, another due time of the job (a list of rows of WATCH, because a change
 * of one job can touch many tasks), another absence of the node. The end by an allowance moves with
 * each start and end below it, so it is no part of AT: a cycle compares the end of each allowance
 * with the one that its tasks were told (ALLOWANCE.TOLD), and looks at the tasks if it moved.
 *
 * Invariants: while M_WARN_LEAD is not 0, a task has a row if and only if it has a place or is
 * releasing; a row is in the heap if and only if its task runs and AT is not LSCHED_NEVER_US. The
 * columns LIMIT, ALLOWANCE and NODE have the end that the task was told for the cause, 0 for none.
 *
 * Cost: O(log n) for each event of a task; O(1) for a job; O(tasks of the node) for an absence. Why
 * not one row for each job: tasks of a job leave with their nodes, and a decision names one task.
 */
#ifndef LIBSCHED_WARNING_H
#define LIBSCHED_WARNING_H

#include "model/told/warning_ops.h"

extern const struct warning_ops warning_ops;

/* What counts in M_WARN_TERMS: the latest cycle asked for warnings; a cycle ends overdue jobs, and
 * the work of spent allowances. */
enum { WARN_ASKED = 1, WARN_LIMITS = 2, WARN_ALLOWANCES = 4 };

/* The first end of a task; at: LSCHED_NEVER_US if there is none, the present time if a cycle stops
 * the task now. An absence that has begun is no end. */
struct warning_end {
    int64_t at;
    uint32_t reason; /* LSCHED_FOR_TIME_LIMIT, _ALLOWANCE or _ABSENCE */
};

/* The row of WARN of the task; NO_ROW if it has none. */
static inline uint32_t warning_of(const struct columns *k, uint32_t task) {
    return k->c[C_TASK_WARN].u32[task] - 1; /* 0 becomes NO_ROW */
}
/* Sets the lead and the terms. If one of them is new, all running tasks are looked at. Costs
 * O(tasks) then. Error: LSCHED_E_NOMEM. */
int32_t warning_begin(struct columns *k, int64_t lead, uint32_t terms);
struct warning_end warning_end_of(const struct columns *k, uint32_t task, int64_t now);
/* True if the task was told this end, or one that is near enough. */
int warning_is_told(const struct columns *k, uint32_t row, const struct warning_end *e);
/* The task is to be looked at when its next end is due. told: its first end, if it was told it now
 * or before, else NULL. */
void warning_wait(struct columns *k, uint32_t task, const struct warning_end *told);
/* Notes that the task is told this end in a decision. */
void warning_tell(struct columns *k, uint32_t task, const struct warning_end *e);
/* The host did not deliver the warning, and is not asked again before `until`. */
void warning_put_off(struct columns *k, uint32_t task, int64_t until);
/* The task is to be looked at by the next cycle. */
void warning_look(struct columns *k, uint32_t task);
/* Takes the task out of the heap, until one of these calls says when it is looked at. */
void warning_rest(struct columns *k, uint32_t task);
/* All tasks of the node are, because its absence has changed. Error: LSCHED_E_NOMEM. */
int32_t warning_node_changed(struct columns *k, uint32_t node);
/* Looks at all tasks of jobs with another due time. Error: LSCHED_E_NOMEM. */
int32_t warning_jobs_look(struct columns *k);
/* Returns the time at which the tasks of the allowance must be looked at because its end has come
 * near or moved; LSCHED_NEVER_US if they must not. */
int64_t warning_allowance_at(const struct columns *k, uint32_t allowance, int64_t now);
/* Looks at them. Costs O(tasks of the allowance). Error: LSCHED_E_NOMEM. */
int32_t warning_allowance_look(struct columns *k, uint32_t allowance, int64_t now);
/* Returns the first time at which a cycle must look at a task, LSCHED_NEVER_US if there is none.
 * Costs O(allowances). */
int64_t warning_next(const struct columns *k);
/* Returns the task that is due first, NO_ROW if none is due at `now`. */
uint32_t warning_due(const struct columns *k, int64_t now);

#endif
