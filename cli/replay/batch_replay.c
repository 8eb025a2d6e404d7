/* batch_replay.c -- see batch_replay.h. */
#include "cli/replay/batch_replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/policy/policy_params.h"
#include "cli/replay/classic_policies.h"
#include "cli/replay/job_simulation.h"
#include "cli/support/number_text.h"
#include "cli/support/text_table.h"
#include "cli/support/time_text.h"

enum { PROGRESS_PARTS = 1000 }; /* steps of the progress display for one policy */

int batch_replay_open(struct batch_replay *replay) {
    if (replay->policies->n == 0)
        return usage_error(replay->command,
                           "--policy is missing; 'lsched policies' lists them, and fcfs, easy, "
                           "easy-sjbf, conservative and sjf are known");
    int rc = classic_policies_open(replay->command, replay->policies, replay->sources);
    for (size_t i = 0; rc == EXIT_OK && i < replay->policies->n; i++)
        if (classic_policies_rank(&replay->sources[i]) != RANK_NONE)
            rc = usage_error(replay->command,
                             "--policy %s stops running work and knows run times exactly; it is "
                             "for 'simulate philly'",
                             replay->sources[i].word);
    if (rc == EXIT_OK)
        rc = policy_params_for_all(replay->command, replay->params, replay->sources,
                                   replay->policies->n, &replay->values);
    return rc;
}

void batch_replay_close(struct batch_replay *replay) {
    for (size_t i = 0; i < OPTION_LIST_MAX; i++) policy_source_close(&replay->sources[i]);
    free(replay->values);
    replay->values = NULL;
}

/* A plan needs an estimate, therefore an estimate of 0 seconds becomes a microsecond. */
static void apply_rules(struct batch_replay *replay) {
    for (size_t i = 0; i < replay->list->n_jobs; i++) {
        struct listed_job *job = &replay->list->jobs[i];
        if (job->estimate_us == 0) job->estimate_us = job->duration_us;
        if (job->duration_us > job->estimate_us && !replay->overrun)
            job->duration_us = job->estimate_us;
        if (replay->perfect_estimates) job->estimate_us = job->duration_us;
        if (job->estimate_us == 0) job->estimate_us = 1;
    }
}

/* ---- replaying ---- */

static void step(void *user, uint64_t done, uint64_t total) {
    struct batch_replay *replay = user;
    progress_step(&replay->shown,
                  replay->policy_now * PROGRESS_PARTS + done * PROGRESS_PARTS / total,
                  replay->sources[replay->policy_now].word);
}

/* Replays the list once. watch: NULL, or what observes the cycles. Returns an exit code. */
static int play_one(struct batch_replay *replay, const struct policy_source *policy,
                    const struct plan_watch *watch, struct simulation_result *result) {
    struct simulation_setup setup = {
        .list = replay->list,
        .policy = policy,
        .kind = LSCHED_CPU,
        .units = replay->units,
        .node_units = (uint32_t)replay->units,
        .one_queue = replay->one_queue,
        .overtake = true,
        .estimates = true,
        .verify = replay->verify,
        .watch = watch,
        .step = step,
        .user = replay,
    };
    lsched_error err = LSCHED_ERROR_INIT;
    if (job_simulation(&setup, result, &err) >= 0) return EXIT_OK;
    progress_hide(&replay->shown);
    return policy_source_error(policy, replay->file, &err);
}

static int replay_one(struct batch_replay *replay, size_t i) {
    const struct policy_source *policy = &replay->sources[i];
    struct simulation_result result;
    struct promise_log log;
    promise_log_begin(&log, replay->list);
    struct plan_watch watch = promise_log_watch(&log);
    int rc = play_one(replay, policy, replay->promises ? &watch : NULL, &result);
    if (rc == EXIT_OK) {
        replay->figures[i] = batch_figures_of(replay->list, result.outcomes, replay->units);
        replay->dropped = result.measure.dropped;
        if (replay->promises)
            replay->promised[i] = promise_figures_of(&log, replay->list, result.outcomes);
        if (replay->per_job != NULL)
            rc = batch_figures_csv(replay->per_job, i > 0, policy->word, replay->list,
                                   result.outcomes);
    }
    promise_log_end(&log);
    job_simulation_free(&result);
    return rc;
}

static int replay_all(struct batch_replay *replay) {
    size_t n = replay->policies->n;
    int rc = EXIT_OK;
    progress_begin(&replay->shown, replay->progress, replay->no_progress, n * PROGRESS_PARTS);
    for (replay->policy_now = 0; rc == EXIT_OK && replay->policy_now < n; replay->policy_now++)
        rc = replay_one(replay, replay->policy_now);
    progress_hide(&replay->shown);
    return rc;
}

/* ---- output ---- */

static void json_policy(struct json *json, const struct batch_replay *replay, size_t i) {
    json_object(json, NULL, JSON_LINES);
    json_string(json, "policy", replay->sources[i].word);
    batch_figures_json(json, &replay->figures[i]);
    json_uint(json, "dropped", replay->dropped);
    json_uint(json, "never_ran", replay->never_ran);
    json_int(json, replay->unit_key, replay->units);
    if (replay->promises) promise_figures_json(json, &replay->promised[i]);
    json_close(json);
}

static void print_json(const struct batch_replay *replay) {
    struct json json;
    size_t n = replay->policies->n;
    if (n == 1) {
        json_begin(&json, stdout);
        json_policy(&json, replay, 0);
        json_end(&json);
        return;
    }
    json_begin_object(&json, stdout);
    json_array(&json, "policies", JSON_LINES);
    for (size_t i = 0; i < n; i++) json_policy(&json, replay, i);
    json_close(&json);
    json_end(&json);
}

static void print_table(const struct batch_replay *replay) {
    struct text_table table;
    char mean[TIME_TEXT_BYTES], longest[TIME_TEXT_BYTES];
    uint64_t jobs = replay->list->n_jobs - replay->dropped;
    printf("%" PRIu64 " job%s on %" PRId64 " %s; %" PRIu64 " dropped, %" PRIu64 " never ran\n\n",
           jobs, plural(jobs), replay->units, replay->unit, replay->dropped, replay->never_ran);
    table_begin(&table, "lrrrrr");
    static const char *const heads[] = {"policy",           "wait, mean", "wait, longest",
                                        "completion, mean", "slowdown",   "in use, %"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) table_cell(&table, "%s", heads[i]);
    for (size_t i = 0; i < replay->policies->n; i++) {
        const struct batch_figures *figures = &replay->figures[i];
        table_cell(&table, "%s", replay->sources[i].word);
        table_cell(&table, "%s", span_short(figures->mean_wait_s, mean));
        table_cell(&table, "%s", span_short(figures->max_wait_s, longest));
        table_cell(&table, "%s", span_short(figures->mean_jct_s, mean));
        table_cell(&table, "%.3f", figures->bounded_slowdown);
        table_cell(&table, "%.1f", 100 * figures->utilization);
    }
    table_print(&table, stdout, 0, 0);
}

/* Writes a span that can be below 0. */
static const char *signed_span(double seconds, char text[TIME_TEXT_BYTES + 1]) {
    char size[TIME_TEXT_BYTES];
    snprintf(text, TIME_TEXT_BYTES + 1, "%s%s", seconds < 0 ? "-" : "",
             span_short(seconds < 0 ? -seconds : seconds, size));
    return text;
}

static void print_promises(const struct batch_replay *replay) {
    struct text_table table;
    char error[TIME_TEXT_BYTES + 1], score[TIME_TEXT_BYTES];
    printf("\nExpected starts that waiting jobs were told:\n\n");
    table_begin(&table, "lrrrrrrrrrr");
    TABLE_WORDS(&table, "policy", "waited", "told", "moved later", "missed", "by overrun",
                "error, median", "score, mean", "firm", "missed firm", "without cause");
    for (size_t i = 0; i < replay->policies->n; i++) {
        const struct promise_figures *of = &replay->promised[i];
        table_cell(&table, "%s", replay->sources[i].word);
        table_cell(&table, "%" PRIu64, of->waited);
        table_cell(&table, "%" PRIu64, of->told);
        table_cell(&table, "%" PRIu64, promise_sum(of->moved_later));
        table_cell(&table, "%" PRIu64, promise_sum(of->missed));
        table_cell(&table, "%" PRIu64, of->missed[PROMISE_OVERRUN]);
        table_cell(&table, "%s", signed_span(of->median_error_s, error));
        table_cell(&table, "%s", span_short(of->interval_score_s, score));
        table_cell(&table, "%" PRIu64, of->firm);
        table_cell(&table, "%" PRIu64, promise_firm_missed(of));
        table_cell(&table, "%" PRIu64, of->firm_silent);
    }
    table_print(&table, stdout, 0, 0);
}

/* Refuses a log of which no job has room: its figures would be those of nothing. */
static int check_any_room(const struct batch_replay *replay) {
    const struct job_list *list = replay->list;
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i < list->n_jobs; i++)
        if (list->jobs[i].units < least) least = list->jobs[i].units;
    if (least <= replay->units) return EXIT_OK;
    complain("%s: no job has room: each asks for at least %" PRIu32 " %s, and there are %" PRId64,
             replay->file, least, replay->unit, replay->units);
    return EXIT_INPUT;
}

int batch_replay_run(struct batch_replay *replay) {
    int rc = check_any_room(replay);
    apply_rules(replay);
    if (rc == EXIT_OK) rc = replay_all(replay);
    if (rc == EXIT_OK && replay->json) print_json(replay);
    if (rc == EXIT_OK && !replay->json) print_table(replay);
    if (rc == EXIT_OK && !replay->json && replay->promises) print_promises(replay);
    return rc;
}
