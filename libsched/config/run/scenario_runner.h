/*
 * scenario_runner.h -- the state of a run of a scenario, and the functions that its files share.
 *
 * The runner uses only the calls of libsched.h, as an orchestrator would. The runner also keeps
 * only what an orchestrator keeps: the last plan, and the task of each decision. Its memory comes
 * from the scenario's allocator: `memory` is freed after the run, `scratch` after each step.
 */
#ifndef LIBSCHED_SCENARIO_RUNNER_H
#define LIBSCHED_SCENARIO_RUNNER_H

#include "config/read/scenario_form.h"

/* A decision of an earlier plan with the name of its job, so that messages can name the job after
 * job and decision are gone. */
struct past_decision {
    lsched_id id;
    lsched_id job;
    uint32_t task;
    uint32_t kind;
    const char *job_name;
};

struct memo {
    const char *name;
    uint32_t kind; /* enum memo_kind */
    uint32_t which;
    uint64_t value; /* id of an object, or a hash */
};

struct runner {
    struct lsched_scenario *scenario;
    lsched_cluster *cluster;
    lsched_scenario_run_opts opts;
    lsched_scenario_report report;
    struct complain complain; /* err may be NULL */
    struct scn_memory memory, scratch;
    struct step *step;
    uint32_t step_index;
    lsched_plan *plan;     /* plan of the last cycle, or NULL */
    uint32_t plan_first;   /* index in `past` of the first decision of the plan */
    struct scn_list past;  /* elements are struct past_decision */
    struct scn_list memos; /* elements are struct memo */
    /* elements are lsched_id: decisions that the cycle and the settling of this step withdrew */
    struct scn_list withdrawn;
    int32_t *status; /* statuses of the last batch of this step, or NULL */
    uint32_t n_status;
    int64_t cycle_us; /* time of the last cycle in microseconds */
    uint64_t random;
    uint64_t image; /* image hash before the guarded call */
};

/* Functions of run_names.c. */
int32_t run_find(const struct runner *r, uint32_t kind, const lsched_text *name, struct mark mark,
                 lsched_id *out);
/* Writes "; did you mean ...?" with the most similar name of that kind of object, or "". Returns
 * out->text. */
const char *run_suggest(const struct runner *r, uint32_t kind, const char *text, size_t len,
                        struct quote *out);
int32_t run_find_all(struct runner *r, uint32_t kind, const struct action *action, lsched_id **out);
const struct memo *run_memo(const struct runner *r, const char *name);
/* Returns the latest decision about a task; NULL if there was none. */
const struct past_decision *run_past(const struct runner *r, const char *job, uint32_t task);
const struct past_decision *run_past_id(const struct runner *r, lsched_id id);
int32_t run_record_plan(struct runner *r);
/* Returns the decisions of the last plan and writes their number to *n; NULL if there are none. */
const struct past_decision *run_plan_decisions(const struct runner *r, uint32_t *n);
/* Appends tasks of the reference to a struct scn_list of struct named_task. If the reference names
 * a whole job, only tasks whose state is in the set of bits 1 << LSCHED_TASK_* are appended. Tasks
 * that are named by number are appended in any state. */
struct named_task {
    lsched_id job;
    uint32_t task;
};
int32_t run_tasks(struct runner *r, const struct task_ref *ref, uint32_t states,
                  struct scn_list *out);
/* Returns the name of a live object, or "?". */
lsched_text run_name(const struct runner *r, lsched_id id);

/* Functions of run_actions.c. */
int32_t run_action(struct runner *r, const struct action *action);
int32_t run_reload(struct runner *r, uint32_t kind, struct mark mark);

/* Functions of run_settle.c. */
int32_t run_cycle(struct runner *r);
int32_t run_settle(struct runner *r);

/* Functions of run_expect.c. */
int32_t run_checks(struct runner *r);
/* Checks the result of a call that should fail. Returns 1 if the call failed as expected. */
int run_check_error(struct runner *r, int32_t code, const lsched_error *err);

#endif
