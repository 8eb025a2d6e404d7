/*
 * task_run.h -- which run of a task a report is about.
 *
 * A run begins with the PLACE decision of the task, so the id of this decision names it, and no
 * number has to be given out. While the decision is open, the decision says which run it is. When
 * the task starts, the decision is closed, and C_TASK_RUN has its id from then on, also if STARTED
 * did not name it. Only an import can begin a run whose id the library does not know: then the
 * column is 0 until an import of the same place tells it. The column moves with the processes of
 * the task: an eviction gives it to the releasing row, the end of the processes clears it. So a
 * task can have two runs at a time, one that is to stop and one at its new place.
 *
 * What always holds: a report of an end that the library cannot apply is an error, unless the end
 * is known already. A run that is not told could be any, so no report of another run of its task is
 * known to be over.
 *
 * A run that is told has an id that the cluster cannot give out any more, or a late report of it
 * would meet the run that gets the same id later. A new cluster that is filled by imports gives out
 * the ids of the cluster before it again, unless it has a greater incarnation. Therefore an import
 * is refused if the cluster could still give out its run. Why the incarnation is not raised
 * instead: the runs that ended before the crash are not imported, and a late report of one of them
 * is as wrong; only the orchestrator knows how often it started.
 *
 * Why not a number that counts the runs of a task: it would be written for each decision, also for
 * orchestrators that never name a run. Why no index of runs: each start would write it, and only a
 * report that names the task of another run needs it. Such a report is looked for among
 * LIMIT_RUN_ROWS rows of the job, before anything else is said: the run goes on, so a text that
 * says to stop it would be wrong. Cost: O(1); of a report of a run that its task does not have,
 * O(LIMIT_RUN_ROWS).
 */
#ifndef LIBSCHED_TASK_RUN_H
#define LIBSCHED_TASK_RUN_H

#include "model/jobs/task_row.h"

/* A task of which a call names a run. Both rows can be NO_ROW. */
struct task_runs {
    uint32_t job, index;
    uint32_t task;      /* the row of the task: where it waits, is placed, runs, or has ended */
    uint32_t releasing; /* the row of its processes that are to stop */
};

/* Checks that `run` can name a run of this task. Errors: LSCHED_E_KIND: it is not the id of a
 * decision; LSCHED_E_INVAL: it is open, but does not begin this task. */
int32_t task_run_check(const struct columns *k, const struct task_runs *t, lsched_id run,
                       lsched_error *err);
/* Returns the row that is this run: t->task, t->releasing, or NO_ROW if neither is. run: an id of
 * the API, not 0. */
uint32_t task_run_find(const struct columns *k, const struct task_runs *t, lsched_id run);
/* Returns the status of a report (LSCHED_EVENT_*) of a run that the task does not have:
 * LSCHED_UNCHANGED, or an error with a text that says what to do: LSCHED_E_INVAL if another task of
 * the job has the run, else LSCHED_E_STALE. */
int32_t task_run_refuse(const struct columns *k, const struct task_runs *t, uint32_t event,
                        lsched_id run, int idempotent, lsched_error *err);
/* Checks that no later task can get this run, so that an import can tell it. LSCHED_E_RANGE: the
 * cluster can still give out the id. */
int32_t task_run_check_import(const struct columns *k, uint32_t index, lsched_id run,
                              lsched_error *err);
/* Notes the run of a task that runs; 0: nothing is noted. Can return LSCHED_E_NOMEM. */
int32_t task_run_note(struct columns *k, uint32_t task, lsched_id run);

#endif
