/* task_run.c -- see task_run.h. */
#include "api/reports/task_run.h"

#include "api/door/args.h"
#include "base/limits.h"
#include "model/store/generation.h"
#include "model/store/steps.h"

/* Returns the row of the open decision with this id of the API, NO_ROW if none is open. */
static uint32_t open_decision(const struct columns *k, lsched_id run) {
    uint32_t d;
    return arg_id(k, run, LSCHED_KIND_DECISION, &d, NULL) == LSCHED_OK ? d : NO_ROW;
}

int32_t task_run_check(const struct columns *k, const struct task_runs *t, lsched_id run,
                       lsched_error *err) {
    uint32_t d = open_decision(k, run);
    if (LSCHED_ID_KIND(run) != LSCHED_KIND_DECISION)
        return arg_id(k, run, LSCHED_KIND_DECISION, &d, err);
    if (d == NO_ROW) return LSCHED_OK;
    uint32_t of = k->c[C_DECISION_TASK].u32[d];
    if (k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_PLACE && k->c[C_TASK_JOB].u32[of] == t->job &&
        k->c[C_TASK_INDEX].u32[of] == t->index)
        return LSCHED_OK;
    return fail(err, LSCHED_E_INVAL,
                "run %#llx is the id of another open decision; expected the id of the PLACE "
                "decision that began the run of task %u",
                (unsigned long long)run, t->index);
}

uint32_t task_run_find(const struct columns *k, const struct task_runs *t, lsched_id run) {
    uint64_t own = id_outside(k, run);
    if (t->releasing != NO_ROW && k->c[C_TASK_RUN].u64[t->releasing] == own) return t->releasing;
    if (t->task == NO_ROW) return NO_ROW;
    if (k->c[C_TASK_RUN].u64[t->task] == own) return t->task;
    uint32_t d = open_decision(k, run);
    return d != NO_ROW && k->c[C_TASK_DECISION].u32[t->task] == d ? t->task : NO_ROW;
}

/* True if this cluster has closed a decision with this id in its present incarnation. It is not
 * true of the ids of an earlier incarnation: the generations of all free slots were lifted above
 * them, so an id that was lost with a crash cannot be told from one that was closed. */
static int run_was_known(const struct columns *k, lsched_id run) {
    lsched_id own = id_outside(k, run);
    uint32_t d = (uint32_t)own, gen = (uint32_t)(own >> 32) & 0x0FFFFFFF;
    return d < table_rows(k, T_DECISION) && gen >= generation_first(k) &&
           gen < k->c[C_DECISION_GEN].u32[d];
}

/* True if the row runs, or is to stop, and its run was not told. */
static int run_is_untold(const struct columns *k, uint32_t row) {
    if (row == NO_ROW || k->c[C_TASK_RUN].u64[row]) return 0;
    uint8_t state = k->c[C_TASK_STATE].u8[row];
    return state == LSCHED_TASK_RUNNING || state == LSCHED_TASK_RELEASING;
}

/* Returns the row of the job that has this run; NO_ROW if none of the first rows has it. */
static uint32_t row_of_run(const struct columns *k, uint32_t job, uint64_t own) {
    uint32_t left = LIMIT_RUN_ROWS, found = NO_ROW;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        uint32_t lists[2] = {k->c[C_LEAF_TASK_FIRST].u32[l], k->c[C_LEAF_LEAVING_FIRST].u32[l]};
        for (int i = 0; i < 2 && found == NO_ROW; i++)
            for (uint32_t t = lists[i]; t != NO_ROW && left > 0; t = k->c[C_TASK_NEXT].u32[t]) {
                if (k->c[C_TASK_RUN].u64[t] == own) found = t;
                left--;
            }
    }
    steps_add(k, LIMIT_RUN_ROWS - left);
    return found;
}

/* Returns the status of a report of a run that this task does not have, and that is, or could be,
 * no run of another task. */
static int32_t refuse_other_run(const struct columns *k, const struct task_runs *t, uint32_t event,
                                lsched_id run, int idempotent, lsched_error *err) {
    uint8_t state = t->task == NO_ROW ? LSCHED_TASK_NONE : k->c[C_TASK_STATE].u8[t->task];
    const char *cure = "this cluster does not know this decision";
    if (run_is_untold(k, t->task) || run_is_untold(k, t->releasing))
        cure = "its import named no run: import its place with its run and "
               "LSCHED_BATCH_IDEMPOTENT, or report without a run";
    else if (event == LSCHED_EVENT_STARTED)
        cure = state == LSCHED_TASK_DONE
                   ? "the task has ended for good; if this run goes on, stop it"
               : state == LSCHED_TASK_RUNNING || t->releasing != NO_ROW
                   ? "if this run goes on, stop it, or report the end of the other and import it"
                   : "if this run goes on, stop it, or import it with lsched_tasks_import";
    else if (event == LSCHED_EVENT_ENDED && state != LSCHED_TASK_DONE)
        cure = state == LSCHED_TASK_NONE
                   ? "if the task needs no run more, import this one, then report its end"
                   : "if the task needs no run more, report the end of its present run";
    else if (state == LSCHED_TASK_DONE || run_was_known(k, run)) {
        if (idempotent) return LSCHED_UNCHANGED;
        cure = "forget the report; LSCHED_BATCH_IDEMPOTENT accepts it";
    }
    return fail(err, LSCHED_E_STALE, "task %u does not have the run %#llx now; %s", t->index,
                (unsigned long long)run, cure);
}

int32_t task_run_refuse(const struct columns *k, const struct task_runs *t, uint32_t event,
                        lsched_id run, int idempotent, lsched_error *err) {
    uint32_t other = row_of_run(k, t->job, id_outside(k, run));
    if (other == NO_ROW) return refuse_other_run(k, t, event, run, idempotent, err);
    return fail(err, LSCHED_E_INVAL, "run %#llx is that of task %u, not of task %u; %s",
                (unsigned long long)run, k->c[C_TASK_INDEX].u32[other], t->index,
                event == LSCHED_EVENT_STARTED ? "name the run of the task that started"
                                              : "report its end for that task");
}

int32_t task_run_check_import(const struct columns *k, uint32_t index, lsched_id run,
                              lsched_error *err) {
    lsched_id own = id_outside(k, run);
    uint32_t gen = (uint32_t)(own >> 32) & 0x0FFFFFFF, incarnation = gen >> GENERATION_BITS;
    if (!generation_can_come(k, T_DECISION, (uint32_t)own, gen)) return LSCHED_OK;
    if (incarnation == LSCHED_INCARNATION_MAX)
        return fail(err, LSCHED_E_RANGE,
                    "task %u: this cluster can still give out the run %#llx; import the task "
                    "without a run",
                    index, (unsigned long long)run);
    return fail(err, LSCHED_E_RANGE,
                "task %u: this cluster can still give out the run %#llx; give lsched_cluster_opts "
                "the incarnation %u, or a greater one if there were more starts, or import the "
                "task without a run",
                index, (unsigned long long)run, incarnation + 1);
}

int32_t task_run_note(struct columns *k, uint32_t task, lsched_id run) {
    int32_t rc = run ? undo_room(k) : LSCHED_OK;
    if (run && rc == LSCHED_OK) set_u64(k, C_TASK_RUN, task, id_outside(k, run));
    return rc;
}
