/*
 * scenario_runner.h -- the state of one run of a scenario, which all files of this folder use.
 *
 * The runner uses only the calls of libsched.h, as an orchestrator does. Like an orchestrator, the
 * runner keeps only the last plan and the task of each decision. The memory of a run comes from the
 * scenario's allocator: runner.memory is freed after the run, and runner.scratch is freed after
 * each step.
 */
#ifndef LIBSCHED_SCENARIO_RUNNER_H
#define LIBSCHED_SCENARIO_RUNNER_H

#include "config/read/scenario_form.h"

/* A decision of the last plan or of an earlier plan. The struct contains the name of the job, so
 * that messages can name the job when the job and the decision no longer exist. */
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
    struct complain complain; /* where errors go; its member err can be NULL */
    struct scn_memory memory, scratch;
    struct step *step;
    uint32_t step_index;
    /* of a step that adopts the plan of a clone, else NULL */
    lsched_cluster *clone;
    lsched_plan *clone_plan;
    lsched_plan *plan;     /* plan of the last cycle, or NULL */
    uint32_t plan_first;   /* index in `past` of the first decision of the last plan */
    struct scn_list past;  /* elements are struct past_decision */
    struct scn_list memos; /* elements are struct memo */
    /* elements are lsched_id: the decisions that the library withdrew in the cycle of this step or
     * when decisions were settled */
    struct scn_list withdrawn;
    /* statuses of the elements of the step's last batch; NULL before the first batch */
    int32_t *status;
    uint32_t n_status;
    int64_t cycle_us; /* time of the last cycle in microseconds */
    uint64_t random;
    uint64_t image; /* image hash that run_guard_begin() computed before a call of the library */
};

#endif
