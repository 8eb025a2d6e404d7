/*
 * cmd_speeds.c -- the command `lsched speeds TABLE JOBS`, which divides devices of different models
 * by how fast each job is on them, and plays rounds with the shares.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/input/row_scan.h"
#include "cli/input/xz_input.h"
#include "cli/support/options.h"

#ifdef LSCHED_WITH_SPEEDS
#include "cli/speeds/speed_report.h"
#endif

struct speeds_args {
    bool json;
    const char *models, *prices, *policy, *reference, *restart;
    int64_t rounds, keep, work;
};

#define ROUNDS_MAX 1000000
#define KEEP       10
#define KEEP_MAX   1000000
#define WORK_MAX   ((int64_t)1 << 50)

#ifdef LSCHED_WITH_SPEEDS

static const char *const policies[] = {"max-min", "makespan", "cost", NULL};

static int speeds_read(const struct speeds_args *args, const struct input_file *table,
                       const struct input_file *jobs, struct speed_input *input) {
    lsched_error err = LSCHED_ERROR_INIT;
    if (args->models == NULL)
        return usage_error("speeds", "expected --models, such as --models v100=36,k80=8");
    int rc = speed_models_read(args->models, input);
    if (rc == EXIT_OK && args->prices != NULL) rc = speed_prices_read(args->prices, input);
    if (rc != EXIT_OK) return rc;
    if (speed_table_read(table->text, table->len, input, &err) < 0)
        return library_error(table->name, &err);
    if (args->reference != NULL) {
        size_t model = speed_model_find(input, args->reference, strlen(args->reference));
        if (model == input->n_models)
            return usage_error("speeds", "--reference: '%s' is not one of the models",
                               args->reference);
        if (speed_table_divide(input, model, &err) < 0) return library_error(table->name, &err);
    }
    if (speed_jobs_read(jobs->text, jobs->len, input, &err) < 0)
        return library_error(jobs->name, &err);
    return EXIT_OK;
}

static int speeds_play(const struct speeds_args *args, struct speed_report *report,
                       const lsched_speeds_query *query, double restart, const char *file) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct speed_play play = {.rounds = 0};
    int rc = EXIT_OK;
    if (args->rounds > 0) {
        report->play = &play;
        double keep = args->keep == NOT_GIVEN ? KEEP : (double)args->keep;
        if (speed_play_run(report->input, query, report->shares, report->alone,
                           (uint64_t)args->rounds, keep, restart, &play, &err) < 0)
            rc = library_error(file, &err);
    }
    if (rc == EXIT_OK) (args->json ? speed_report_json : speed_report_text)(report);
    speed_play_free(&play);
    report->play = NULL;
    return rc;
}

/* A model without a price would be free, and the policy cost would take it first. */
static int speeds_priced(const struct speed_input *input) {
    for (size_t m = 0; m < input->n_models && input->priced != 0; m++)
        if ((input->priced >> m & 1) == 0)
            return usage_error("speeds",
                               "--prices: expected a price of each model for the policy cost, got "
                               "none of '%s'",
                               input->names[m]);
    return EXIT_OK;
}

static int speeds_solve(const struct speeds_args *args, const struct speed_input *input,
                        size_t policy, double restart, const char *file) {
    size_t n = input->jobs.n;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_speeds_answer answer = LSCHED_INIT(lsched_speeds_answer);
    lsched_speeds_query query = LSCHED_INIT(lsched_speeds_query);
    query.policy = (uint32_t)policy;
    query.models = input->models;
    query.n_models = input->n_models;
    query.speeds = input->speeds;
    query.n_rows = input->keys.n;
    query.jobs = input->list;
    query.n_jobs = n;
    query.work = (uint64_t)args->work;
    double *shares = must_alloc_zero((n + 1) * input->n_models * sizeof shares[0]);
    double *alone = must_alloc_zero((n + 1) * sizeof alone[0]);
    struct speed_report report = {.input = input,
                                  .answer = &answer,
                                  .shares = shares,
                                  .alone = alone,
                                  .policy = policies[policy]};
    int rc = policy == LSCHED_SPEEDS_COST ? speeds_priced(input) : EXIT_OK;
    if (rc == EXIT_OK && lsched_speeds_solve(&query, shares, alone, &answer, &err) < 0) {
        if (err.index >= 0 && (size_t)err.index < n) {
            err.line = input->lines[err.index];
            err.column = 1;
        }
        rc = library_error(file, &err);
    } else if (rc == EXIT_OK)
        rc = speeds_play(args, &report, &query, restart, file);
    free(shares);
    free(alone);
    return rc;
}

static int speeds(const void *argument, const struct parsed *words) {
    const struct speeds_args *args = argument;
    struct input_file table = {.text = NULL}, jobs = {.text = NULL};
    struct speed_input input = {.n_models = 0};
    int64_t restart = 0;
    size_t policy = LSCHED_SPEEDS_MAX_MIN;
    int rc = options_choose("speeds", "--policy", args->policy, policies, &policy);
    if (rc == EXIT_OK && args->restart != NULL &&
        (decimal_parse(args->restart, strlen(args->restart), &restart) != DECIMAL_OK ||
         restart > MILLION))
        rc = usage_error("speeds", "--restart: expected a part of a round from 0 to 1, got '%s'",
                         args->restart);
    if (rc == EXIT_OK && args->rounds == 0 && (args->restart != NULL || args->keep != NOT_GIVEN))
        rc = usage_error("speeds", "%s has an effect only with --rounds N, which plays rounds",
                         args->restart != NULL ? "--restart" : "--keep");
    if (rc == EXIT_OK) rc = input_read_packed(words->positionals[0], &table);
    if (rc == EXIT_OK) rc = input_read_packed(words->positionals[1], &jobs);
    if (rc == EXIT_OK) rc = speeds_read(args, &table, &jobs, &input);
    if (rc == EXIT_OK)
        rc = speeds_solve(args, &input, policy, (double)restart / (double)MILLION, jobs.name);
    speed_input_free(&input);
    input_free(&table);
    input_free(&jobs);
    return rc;
}

#else

static int speeds(const void *argument, const struct parsed *words) {
    (void)argument;
    (void)words;
    return usage_error("speeds", "this build has no shares by speed; configure it with "
                                 "-DLSCHED_SPEEDS=ON");
}

#endif

#define ARGS struct speeds_args
static const struct option options[] = {
    FLAG(ALL, "json", json, "print JSON instead of text"),
    TEXT(ALL, "models", "NAME=N,...", models,
         "the models, with the number of devices that are divided; columns of TABLE"),
    TEXT(ALL, "policy", "NAME", policy, "max-min, makespan or cost (max-min)"),
    TEXT(ALL, "prices", "NAME=PRICE,...", prices,
         "what a device costs in a unit of time, for the policy cost"),
    TEXT(ALL, "reference", "NAME", reference,
         "divide each row of TABLE by its speed on this model first, which makes it 1.0"),
    COUNT(ALL, "rounds", "N", rounds, 0, 0, ROUNDS_MAX, "play so many rounds with the shares"),
    COUNT(ALL, "keep", "N", keep, NOT_GIVEN, 0, KEEP_MAX,
          "how long a job keeps its devices after its time is over, in rounds (10)"),
    TEXT(ALL, "restart", "PART", restart, "part of a round that a start costs (0)"),
    COUNT(ALL, "work", "N", work, 0, 0, WORK_MAX,
          "how many cells the search can visit; 0 is the library's limit"),
};

const struct command command_speeds = {
    .name = "speeds",
    .arguments = "TABLE JOBS",
    .summary = "divide devices of different models by how fast each job is on them",
    .about =
        "Reads speeds (the columns `kind`, `devices`, and one for each model) and jobs (`name`, "
        "`kind`, `devices`, and optionally `weight`, `work` and `least`). Prints the part of the "
        "time that each job has on each model, and compares its throughput with what it has "
        "alone. With --rounds, it also decides who runs in each round, and counts starts.",
    .examples = "  lsched speeds --models v100=36,k80=8 speeds.csv jobs.csv\n"
                "  lsched speeds --models v100=4,k80=8 --rounds 1000 --json speeds.csv jobs.csv",
    COMMAND_OPTIONS(options, ARGS),
    .positionals_min = 2,
    .positionals_max = 2,
    .run = speeds,
};
