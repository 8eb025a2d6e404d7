/*
 * scenario_run.c -- runs a scenario. The file has the public calls for this, and the order in which
 * a step is carried out.
 *
 * For each step, the runner makes the changes in the order of step.actions, runs the cycle, settles
 * the decisions of the cycle, and checks the expectations. A call of the library that fails must
 * leave the cluster's image unchanged. The runner checks this rule in steps that expect an error.
 * In a run with the flag LSCHED_RUN_VERIFY, it checks the rule in all steps.
 */
#include <string.h>

#include "config/run/run_actions.h"
#include "config/run/run_adopt.h"
#include "config/run/run_expect.h"
#include "config/run/run_guard.h"
#include "config/run/run_settle.h"

/* ---- a step ---- */

/* Runs an action, the cycle or the settling of decisions by calling part(). If the step expects an
 * error and part() fails, the function checks the error and sets *stop to 1, which ends the
 * step. */
static int32_t step_part(struct runner *r, int32_t (*part)(struct runner *r, const struct action *),
                         const struct action *action, int *stop) {
    if (!r->step->error.present) return part(r, action);
    lsched_error err = LSCHED_ERROR_INIT, *outer = r->complain.err;
    r->complain.err = &err;
    int32_t code = part(r, action);
    r->complain.err = outer;
    /* a later call of part() can still fail as expected; if none fails, run_step() reports this at
     * the end of the step */
    if (code >= 0) return 0;
    *stop = 1;
    if (!(r->opts.flags & LSCHED_RUN_NO_CHECKS)) run_check_error(r, code, &err);
    return 0;
}

/* Carries out an action, with a guard if the action is a single call of the library.
 * ACTION_RESOURCES, ACTION_MODELS and ACTION_RELOAD make several calls. When one of these calls
 * fails, an earlier one can already have changed the image. Therefore these actions get no
 * guard. */
static int32_t step_action(struct runner *r, const struct action *action) {
    int single = action->kind != ACTION_RESOURCES && action->kind != ACTION_MODELS &&
                 action->kind != ACTION_RELOAD;
    int guarded = single ? run_guard_begin(r) : 0;
    int32_t code = run_action(r, action);
    run_guard_end(r, guarded, action->mark, code);
    return code;
}

static int32_t step_cycle(struct runner *r, const struct action *action) {
    (void)action;
    return run_cycle(r);
}

static int32_t step_settle(struct runner *r, const struct action *action) {
    (void)action;
    return run_settle(r);
}

static int32_t step_verify(struct runner *r) {
    lsched_error err = LSCHED_ERROR_INIT;
    if (!(r->opts.flags & LSCHED_RUN_VERIFY)) return 0;
    int32_t code = lsched_verify(r->cluster, NULL, &err);
    err.code = code;
    return code < 0 ? complain_pass(&r->complain, r->step->mark, &err) : 0;
}

/* Returns the time of the latest cycle of this run. Before the first cycle of the run, the function
 * returns the clock of the cluster, because an earlier run could have used the same cluster. The
 * result 0 means that the cluster has no time yet. The library then accepts reports with any
 * time. */
static int64_t latest_time(const struct runner *r) {
    lsched_cluster_stats stats = {.size = sizeof stats};
    if (r->plan) return r->cycle_us;
    return lsched_cluster_stats_get(r->cluster, &stats, NULL) < 0 ? 0 : stats.now_us;
}

static int step_completes(const struct runner *r) {
    const struct action *actions = r->step->actions.items;
    for (uint32_t i = 0; i < r->step->actions.n; i++)
        if (actions[i].kind == ACTION_COMPLETE_JOBS) return 1;
    return 0;
}

/* Sets the cluster's clock to the time of the step if this time is more than LSCHED_REPORT_AHEAD_US
 * after the result of latest_time(), because the library would refuse the reports of the step; also
 * if the step completes jobs, because lsched_jobs_complete() has no time: without this, what the
 * jobs use is charged until the latest time only. */
static int32_t step_wakes(struct runner *r) {
    int64_t latest = latest_time(r), ahead = r->step->at_us - latest;
    if (latest <= 0 || ahead <= (step_completes(r) ? 0 : LSCHED_REPORT_AHEAD_US)) return 0;
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t code = lsched_clock_set(r->cluster, r->step->at_us, &err);
    return code < 0 ? complain_pass(&r->complain, r->step->mark, &err) : 0;
}

static int32_t step_changes(struct runner *r, int *stop) {
    const struct action *actions = r->step->actions.items;
    int32_t code = 0;
    if (r->opts.flags & LSCHED_RUN_CLONE) code = run_reload(r, RELOAD_CLONE, r->step->mark);
    if (!code && r->opts.flags & LSCHED_RUN_RELOAD)
        code = run_reload(r, RELOAD_SAVE, r->step->mark);
    if (!code && r->step->adopt) code = run_adopt_plan(r);
    if (!code) code = step_wakes(r);
    for (uint32_t i = 0; !code && !*stop && i < r->step->actions.n; i++)
        code = step_part(r, step_action, &actions[i], stop);
    return code;
}

static int32_t run_step(struct runner *r, uint32_t index) {
    int stop = 0;
    r->step = scn_step(r->scenario, index);
    r->step_index = index;
    r->withdrawn = (struct scn_list){NULL, 0, 0};
    r->status = NULL;
    r->n_status = 0;
    int32_t code = step_changes(r, &stop);
    if (!code && !stop && r->step->cycle) code = step_part(r, step_cycle, NULL, &stop);
    if (!code && !stop) code = step_part(r, step_settle, NULL, &stop);
    if (!code && r->step->error.present && !stop && !(r->opts.flags & LSCHED_RUN_NO_CHECKS))
        run_check_error(r, 0, NULL);
    if (!code) code = step_verify(r);
    if (!code && !(r->opts.flags & LSCHED_RUN_NO_CHECKS)) code = run_checks(r);
    if (!code) r->report.steps++;
    run_adopt_end(r);
    scn_memory_drop(&r->scratch);
    return code;
}

/* ---- public calls ---- */

static int32_t run_begin(struct runner *r, lsched_scenario *scenario, lsched_cluster *cluster,
                         const lsched_scenario_run_opts *opts, lsched_error *err) {
    memset(r, 0, sizeof *r);
    r->complain = (struct complain){scenario ? scenario->file : "scenario", err};
    r->scenario = scenario;
    r->cluster = cluster;
    if (!scenario || !cluster)
        return complain_at(&r->complain, LSCHED_E_NULL, (struct mark){0, 0},
                           "expected a scenario and a cluster, got NULL");
    int32_t code = complain_take_opts(&r->complain, opts, &r->opts, sizeof r->opts);
    if (code) return code;
    r->random = r->opts.shuffle_seed;
    scn_memory_init(&r->memory, &scenario->alloc);
    scn_memory_init(&r->scratch, &scenario->alloc);
    return 0;
}

static void run_end(struct runner *r) {
    run_adopt_end(r);
    lsched_plan_destroy(r->plan);
    scn_memory_drop(&r->scratch);
    scn_memory_drop(&r->memory);
}

int32_t lsched_scenario_apply(lsched_scenario *scenario, lsched_cluster *cluster,
                              const lsched_scenario_run_opts *opts, lsched_error *err) {
    struct runner r;
    int stop = 0;
    int32_t code = run_begin(&r, scenario, cluster, opts, err);
    if (code) return code;
    /* this copy of the step expects no error, because the caller must get every error of the
     * call */
    struct step step = *scn_step(scenario, 0);
    step.error.present = 0;
    r.step = &step;
    code = step_changes(&r, &stop);
    run_end(&r);
    return code;
}

int32_t lsched_scenario_run(lsched_scenario *scenario, lsched_cluster *cluster,
                            const lsched_scenario_run_opts *opts, lsched_scenario_report *report,
                            lsched_error *err) {
    struct runner r;
    int32_t code = run_begin(&r, scenario, cluster, opts, err);
    if (code) return code;
    for (uint32_t i = 0; !code && i < scenario->steps.n; i++) code = run_step(&r, i);
    run_end(&r);
    if (report && report->size > sizeof report->size) {
        uint32_t size = report->size < sizeof r.report ? report->size : (uint32_t)sizeof r.report;
        memcpy((char *)report + sizeof report->size, (const char *)&r.report + sizeof r.report.size,
               size - sizeof report->size);
    }
    return code;
}

int32_t lsched_scenario_add(const lsched_scenario_opts *opts, lsched_text text,
                            lsched_text file_name, lsched_cluster *cluster, lsched_error *err) {
    lsched_scenario *scenario = NULL;
    lsched_scenario_info info = {.size = sizeof info};
    lsched_cluster_stats stats = {.size = sizeof stats};
    /* if the cluster cannot be read now, lsched_scenario_apply() refuses it, too */
    int64_t now = lsched_cluster_stats_get(cluster, &stats, NULL) < 0 ? 0 : stats.now_us;
    int32_t code = scn_parse_from(opts, text, file_name, now, &scenario, err);
    if (code) return code;
    lsched_scenario_get(scenario, &info, NULL);
    if (info.steps > 1 || info.expectations) {
        struct complain complain = {scenario->file, err};
        code = complain_at(&complain, LSCHED_E_UNSUPPORTED, (struct mark){0, 0},
                           "expected objects to add, got events or expectations, which only a run "
                           "of the scenario plays");
    } else {
        code = lsched_scenario_apply(scenario, cluster, NULL, err);
    }
    lsched_scenario_destroy(scenario);
    return code;
}
