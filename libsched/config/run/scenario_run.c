/*
 * scenario_run.c -- runs a scenario: its public calls, and the order of the actions within a step.
 *
 * A step makes its changes in the order of the text, runs the cycle, settles the decisions, and
 * checks the expectations. A call that fails must leave the cluster's image unchanged. The runner
 * checks that rule where an error is expected, and for every call with LSCHED_RUN_VERIFY.
 */
#include <string.h>

#include "config/run/run_guard.h"
#include "config/run/scenario_runner.h"

/* ---- a step ---- */

/* Runs a part of a step that may be expected to fail. *stop is set to 1 if the step ends here. */
static int32_t step_part(struct runner *r, int32_t (*part)(struct runner *r, const struct action *),
                         const struct action *action, int *stop) {
    if (!r->step->error.present) return part(r, action);
    lsched_error err = LSCHED_ERROR_INIT, *outer = r->complain.err;
    r->complain.err = &err;
    int32_t code = part(r, action);
    r->complain.err = outer;
    /* a later part may fail as expected; run_step() checks that at the end of the step */
    if (code >= 0) return 0;
    *stop = 1;
    if (!(r->opts.flags & LSCHED_RUN_NO_CHECKS)) run_check_error(r, code, &err);
    return 0;
}

/* An action is one call of the library, after which nothing else can fail. ACTION_RESOURCES,
 * ACTION_MODELS and ACTION_RELOAD make several calls and get no guard. */
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

/* Returns the time of the run's latest cycle. Before the first cycle it returns the latest time
 * that the cluster has seen, because an earlier run may have used the cluster. 0 means that the
 * cluster has seen no time, and reports may then have any time. */
static int64_t latest_time(const struct runner *r) {
    lsched_cluster_stats stats = {.size = sizeof stats};
    if (r->plan) return r->cycle_us;
    return lsched_cluster_stats_get(r->cluster, &stats) < 0 ? 0 : stats.now_us;
}

/* Sets the cluster's clock to the time of the step if that is more than LSCHED_REPORT_AHEAD_US
 * after the latest time. The library would otherwise refuse the reports of the step. */
static int32_t step_wakes(struct runner *r) {
    int64_t latest = latest_time(r);
    if (latest <= 0 || r->step->at_us - latest <= LSCHED_REPORT_AHEAD_US) return 0;
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
    scn_memory_drop(&r->scratch);
    return code;
}

/* ---- public calls ---- */

void lsched_scenario_run_opts_init(lsched_scenario_run_opts *opts, uint32_t size) {
    if (!opts || size < sizeof size) return;
    memset(opts, 0, size);
    opts->size = size;
}

static int32_t run_begin(struct runner *r, lsched_scenario *scenario, lsched_cluster *cluster,
                         const lsched_scenario_run_opts *opts, lsched_error *err) {
    memset(r, 0, sizeof *r);
    r->complain = (struct complain){scenario ? scenario->file : "scenario", err};
    r->scenario = scenario;
    r->cluster = cluster;
    if (!scenario || !cluster)
        return complain_at(&r->complain, LSCHED_E_NULL, (struct mark){0, 0},
                           "expected a scenario and a cluster, got NULL");
    if (opts && (opts->size < 8 || opts->size > 4096))
        return complain_at(&r->complain, LSCHED_E_SIZE, (struct mark){0, 0},
                           "expected options of a known size, got %u bytes", opts->size);
    for (uint32_t i = sizeof *opts; opts && i < opts->size; i++)
        if (((const char *)opts)[i])
            return complain_at(&r->complain, LSCHED_E_SIZE, (struct mark){0, 0},
                               "expected options with a zero tail, got byte %u", i);
    if (opts) memcpy(&r->opts, opts, opts->size < sizeof r->opts ? opts->size : sizeof r->opts);
    r->random = r->opts.shuffle_seed;
    scn_memory_init(&r->memory, &scenario->alloc);
    scn_memory_init(&r->scratch, &scenario->alloc);
    return 0;
}

static void run_end(struct runner *r) {
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
    /* a copy that expects no error, because the caller must see each error */
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
