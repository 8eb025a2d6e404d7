/*
 * scenario_runner.h -- a scenario being run: what its parts share.
 *
 * Everything goes through libsched.h, as a host would do it; the runner keeps only what a host
 * keeps: the last plan, and which decision was about which task. Its memory comes from the
 * scenario's allocator: `memory` lives as long as the run, `scratch` as long as a step.
 */
#ifndef LIBSCHED_SCENARIO_RUNNER_H
#define LIBSCHED_SCENARIO_RUNNER_H

#include "config/read/scenario_form.h"

/* A decision of an earlier plan, by name, so that it can be spoken of when job and decision are
 * gone. */
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
    uint64_t value; /* an id or a hash */
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
    lsched_plan *plan;         /* of the last cycle, or NULL */
    uint32_t plan_first;       /* its first row in past */
    struct scn_list past;      /* struct past_decision */
    struct scn_list memos;     /* struct memo */
    struct scn_list withdrawn; /* lsched_id: by the cycle and the settle of this step */
    int32_t *status;           /* of the last batch of this step, or NULL */
    uint32_t n_status;
    int64_t cycle_us; /* of the last cycle */
    uint64_t random;
    uint64_t image; /* hash before the guarded call */
};

/* run_names.c */
int32_t run_find(const struct runner *r, uint32_t kind, const lsched_text *name, struct mark mark,
                 lsched_id *out);
/* "; did you mean ...?" with the nearest name of that kind, or "". Returns out->text. */
const char *run_suggest(const struct runner *r, uint32_t kind, const char *text, size_t len,
                        struct quote *out);
int32_t run_find_all(struct runner *r, uint32_t kind, const struct action *action, lsched_id **out);
const struct memo *run_memo(const struct runner *r, const char *name);
/* The latest decision about a task; NULL if there was none. */
const struct past_decision *run_past(const struct runner *r, const char *job, uint32_t task);
const struct past_decision *run_past_id(const struct runner *r, lsched_id id);
int32_t run_record_plan(struct runner *r);
/* The n decisions of the last plan; NULL where there are none. */
const struct past_decision *run_plan_decisions(const struct runner *r, uint32_t *n);
/* Appends to a struct scn_list of struct named_task those tasks of the reference whose state is
 * in the set of bits 1 << LSCHED_TASK_*; tasks given by number are taken whatever their state. */
struct named_task {
    lsched_id job;
    uint32_t task;
};
int32_t run_tasks(struct runner *r, const struct task_ref *ref, uint32_t states,
                  struct scn_list *out);
/* The name of a live object, or "?" */
lsched_text run_name(const struct runner *r, lsched_id id);

/* run_actions.c */
int32_t run_action(struct runner *r, const struct action *action);
int32_t run_reload(struct runner *r, uint32_t kind, struct mark mark);

/* run_settle.c */
int32_t run_cycle(struct runner *r);
int32_t run_settle(struct runner *r);

/* run_expect.c */
int32_t run_checks(struct runner *r);
/* After a call that should fail has returned code. 1: it failed as expected. */
int run_check_error(struct runner *r, int32_t code, const lsched_error *err);

#endif
