/*
 * cmd_advise.c -- the command `lsched advise SCENARIO`: which nodes to add and which to drain, from
 * what waits and from the durations that jobs state; and, with samples, which sizes jobs need.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/advise/advise_patch.h"
#include "cli/advise/money.h"
#include "cli/input/row_scan.h"
#include "cli/input/xz_input.h"
#include "cli/support/options.h"
#include "cli/support/output_file.h"
#include "cli/support/time_text.h"

#ifdef LSCHED_WITH_FORECAST
#include "cli/advise/kept_groups.h"
#include "cli/sizing/size_patch.h"
#include "cli/sizing/size_report.h"
#include "cli/sizing/state_file.h"
#endif

struct advise_args {
    bool json;
    const char *policy, *catalogue, *value, *energy, *hold, *horizon, *risk, *patch, *modes, *state;
    struct text_list samples, timed;
    int64_t budget;
};

#define DAY_US         ((int64_t)86400 * 1000000)
#define BUDGET_DEFAULT 20000000
#define BUDGET_MAX     ((int64_t)1 << 50)
#define SAME_FILES     "--state: expected another file than that of --patch"

#define ARGS struct advise_args
static const struct option options[] = {
    INPUT(ALL, "catalogue", "FILE", catalogue,
          "the nodes that can be added: a scenario with nodes alone, each with its price"),
    INPUT(ALL, "policy", "P", policy,
          "use this policy (a name or a Lua file) instead of the scenario's"),
    TEXT(ALL, "value", "MONEY", value,
         "what an hour in which a job waits costs (1); with it, nodes with work can be drained, "
         "too"),
    TEXT(ALL, "energy-price", "MONEY", energy, "price of a kWh (0)"),
    TEXT(ALL, "hold", "SPAN", hold, "least time for which a node is paid (1h)"),
    TEXT(ALL, "horizon", "SPAN", horizon, "how far the cluster is played forward (30d)"),
    COUNT(ALL, "budget", "N", budget, BUDGET_DEFAULT, 1, BUDGET_MAX,
          "most work of all trials; the advice says if it is spent (20000000)"),
    INPUTS(ALL, "samples", "FILE", samples,
           "what jobs used of their GPUs, a table or metrics of DCGM; may be repeated"),
    TEXT(ALL, "risk", "PART", risk,
         "how often a job may need more than the size that its samples advise (0.01)"),
    TEXT(ALL, "modes", "LIST", modes,
         "how devices can be shared besides whole: some of mig,counters,mps,time-slice (what the "
         "devices of the model have in the scenario, and mig with a MIG table)"),
    LIST(ALL, "timed", "LABEL", timed,
         "somebody waits for each answer of the jobs with this label, KEY or KEY=VALUE; may be "
         "repeated"),
    OUTPUT(ALL, "state", "FILE", state,
           "read what earlier runs advised, so that advice does not flap, and write what this run "
           "advises"),
    PRINTED(ALL, "patch", "FILE", patch,
            "write the advice as a patch of the scenario to a file; -: print it in place of the "
            "report"),
    FLAG(ALL, "json", json, "print JSON instead of text"),
};

static int read_money(const char *option, const char *word, int64_t most, int64_t *micro) {
    if (word == NULL) return EXIT_OK;
    if (decimal_parse(word, strlen(word), micro) == DECIMAL_OK && *micro <= most) return EXIT_OK;
    return usage_error("advise", "--%s: expected an amount from 0 to %lld, got '%s'", option,
                       (long long)(most / MILLION), word);
}

static int read_duration(const char *option, const char *word, int64_t *out) {
    if (word == NULL) return EXIT_OK;
    if (time_parse(word, 0, out) && *out > 0 && *out <= MONEY_SPAN_MAX_US) return EXIT_OK;
    return usage_error("advise", "--%s: expected a duration of at most 3650d such as 8h, got '%s'",
                       option, word);
}

/* True if the patch is printed in place of the report. */
static bool patch_is_printed(const struct advise_args *args) {
    return args->patch != NULL && strcmp(args->patch, "-") == 0;
}

static int read_options(const struct advise_args *args, struct advise_opts *out) {
    *out = (struct advise_opts){.value_micro = MILLION,
                                .hold_us = MONEY_HOUR_US,
                                .horizon_us = 30 * DAY_US,
                                .budget = (uint64_t)args->budget,
                                .drain_used = args->value != NULL};
    int rc = read_money("value", args->value, MONEY_PER_HOUR_MAX, &out->value_micro);
    if (rc == EXIT_OK)
        rc = read_money("energy-price", args->energy, MONEY_ENERGY_MAX, &out->energy_micro);
    if (rc == EXIT_OK) rc = read_duration("hold", args->hold, &out->hold_us);
    if (rc == EXIT_OK) rc = read_duration("horizon", args->horizon, &out->horizon_us);
    if (rc == EXIT_OK && out->hold_us > out->horizon_us)
        rc = usage_error("advise", "--hold: expected at most the horizon");
    if (rc == EXIT_OK && args->json && patch_is_printed(args))
        rc = usage_error("advise", "--patch: expected the name of a file with --json, because both "
                                   "would be on standard output");
    return rc;
}

/* Searches with trials that are open, and prints the advice. */
static int search_nodes(const struct session *session, struct node_trials *trials,
                        const struct advise_args *args, const struct advise_more *more,
                        struct node_advice *advice) {
    lsched_error err = LSCHED_ERROR_INIT;
    int rc = EXIT_OK;
    if (node_search_run(trials, advice, &err) < 0) rc = library_error(session->file.name, &err);
    if (rc == EXIT_OK && session->named.own_name != NULL)
        rc = options_spare(&command_advise, args, session->named.own_name);
    if (rc == EXIT_OK && args->patch != NULL)
        rc = advise_patch_write(session, trials, advice, more, args->patch);
    if (rc == EXIT_OK && !patch_is_printed(args))
        (args->json ? advise_report_json : advise_report_text)(trials, advice, session->file.name,
                                                               more);
    return rc;
}

/* Makes the advice on nodes without a state. */
static int advise_nodes(const struct session *session, const lsched_schedule_opts *schedule,
                        struct catalogue *catalogue, const struct advise_args *args,
                        const struct advise_opts *opts) {
    struct node_trials trials;
    struct node_advice advice = {.change = {.drained = NULL}};
    int rc = node_trials_open(session, schedule, catalogue, opts, &trials);
    if (rc == EXIT_OK) rc = search_nodes(session, &trials, args, NULL, &advice);
    node_advice_free(&advice);
    node_trials_close(&trials);
    return rc;
}

#ifdef LSCHED_WITH_FORECAST

static void more_text(const void *advice) {
    size_report_text(advice);
}

static void more_json(const void *advice, struct json *json) {
    size_report_json(advice, json);
}

static int more_patch(const void *advice, struct scenario_edit *edit) {
    return size_patch_make(advice, edit);
}

static bool more_patched(const void *advice, const lsched_cluster *before,
                         const lsched_cluster *after) {
    return size_patch_holds(advice, before, after);
}

static int read_risk(const char *word, uint32_t *risk_ppm) {
    int64_t micro = 0;
    *risk_ppm = LSCHED_FORECAST_RISK_PPM;
    if (word == NULL) return EXIT_OK;
    if (decimal_parse(word, strlen(word), &micro) != DECIMAL_OK || micro < 1 ||
        micro > LSCHED_FORECAST_RISK_PPM_MAX)
        return usage_error("advise", "--risk: expected a number above 0 and at most 0.5, got '%s'",
                           word);
    *risk_ppm = (uint32_t)micro;
    return EXIT_OK;
}

/* The options that say how devices can be shared. */
static int read_sharing(const struct advise_args *args, struct share_rules_opts *out) {
    *out = (struct share_rules_opts){.timed = args->timed.items, .n_timed = args->timed.n};
    if (args->modes != NULL && (out->modes = share_modes_read(args->modes)) == 0)
        return usage_error("advise",
                           "--modes: expected some of mig, counters, mps and time-slice, "
                           "separated by commas, got '%s'",
                           args->modes);
    for (size_t i = 0; i < args->timed.n; i++)
        if (!share_timed_valid(args->timed.items[i]))
            return usage_error("advise", "--timed: expected KEY or KEY=VALUE, got '%s'",
                               args->timed.items[i]);
    return EXIT_OK;
}

/* The name by which a state knows its scenario. */
static const char *state_scenario(const struct session *session) {
    const char *slash = strrchr(session->file.name, '/');
    return slash != NULL ? slash + 1 : session->file.name;
}

/* Reads the state of earlier runs, if there is one, and locks its file for that of this run. An
 * empty file has no state. The caller calls advice_state_free() and state_file_drop() in any case.
 */
static int read_state(const struct advise_args *args, const struct session *session,
                      struct advice_state *state, struct state_file *file) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct input_file old;
    int rc = state_file_open(file, args->state);
    if (rc != EXIT_OK || args->state == NULL) return rc;
    if (args->patch != NULL && output_file_is_input(args->patch, args->state))
        return usage_error("advise", SAME_FILES); /* a new file, by two names */
    rc = input_read_most(args->state, ADVICE_STATE_MIB_MAX, &old);
    if (rc != EXIT_OK) return rc;
    if (old.len > 0 &&
        advice_state_read(old.text, old.len, state_scenario(session), state, &err) < 0)
        rc = library_error(args->state, &err);
    input_free(&old);
    return rc;
}

static int check_state(const struct advice_state *state, const struct usage_list *usage,
                       const struct advise_args *args) {
    char at[TIME_TEXT_BYTES], latest[TIME_TEXT_BYTES];
    if (state->at_us == LSCHED_NEVER_US || usage->latest_us >= state->at_us) return EXIT_OK;
    time_format(state->at_us, at);
    if (usage->jobs.n == 0)
        complain("%s: there are no samples, and the advice in %s is of %s: expected samples that "
                 "reach at least as far as those of the run before",
                 args->samples.items[0], args->state, at);
    else
        complain("%s: the advice is of %s, and the latest sample is of %s: expected samples that "
                 "reach at least as far as those of the run before; to begin anew, remove the file",
                 args->state, at, time_format(usage->latest_us, latest));
    return EXIT_INPUT;
}

static int write_state(const struct session *session, const struct advice_state *state,
                       struct state_file *file) {
    size_t len;
    if (file->path == NULL) return EXIT_OK;
    char *text = advice_state_text(state, state_scenario(session), &len);
    int rc = state_file_replace(file, text, len);
    free(text);
    return rc;
}

/* Reads the files of samples. The caller calls usage_free(). */
static int read_samples(const struct advise_args *args, struct usage_list *usage) {
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t bad_file = 0;
    int rc = EXIT_OK;
    for (size_t i = 0; rc == EXIT_OK && i < args->samples.n; i++) {
        struct input_file file;
        rc = input_read_packed(args->samples.items[i], &file);
        if (rc != EXIT_OK) break;
        if (usage_read(file.text, file.len, usage, &err) < 0) rc = library_error(file.name, &err);
        input_free(&file);
    }
    if (rc == EXIT_OK && usage_check(usage, &bad_file, &err) < 0)
        rc = library_error(args->samples.items[bad_file], &err);
    return rc;
}

/* Makes the advice on sizes from the files of samples. The caller calls size_advice_free(). */
static int advise_sizes(const struct session *session, const struct advise_args *args,
                        struct advice_state *state, struct size_advice *out) {
    struct usage_list usage = {.latest_us = 0};
    lsched_error err = LSCHED_ERROR_INIT;
    struct size_opts opts = {.state = args->state != NULL ? state : NULL};
    int rc = read_risk(args->risk, &opts.risk_ppm);
    if (rc == EXIT_OK) rc = read_sharing(args, &opts.share);
    if (rc == EXIT_OK) rc = read_samples(args, &usage);
    if (rc == EXIT_OK) rc = check_state(state, &usage, args);
    if (rc == EXIT_OK && size_advice_make(session->cluster, &usage, &opts, out, &err) < 0)
        rc = library_error(session->file.name, &err);
    usage_free(&usage);
    return rc;
}

/* Makes the advice on nodes at the time of the run. `more` can be NULL; if earlier advice binds
 * nothing, `kept` is NULL. */
static int advise_kept_nodes(const struct session *session, const lsched_schedule_opts *schedule,
                             struct catalogue *catalogue, const struct advise_args *args,
                             const struct advise_opts *opts, const struct advise_more *more,
                             struct kept_nodes *kept, int64_t at_us) {
    struct node_trials trials;
    struct node_bounds bounds;
    struct node_advice advice = {.change = {.drained = NULL}};
    memset(&bounds, 0, sizeof bounds);
    int rc = node_trials_open(session, schedule, catalogue, opts, &trials);
    if (rc == EXIT_OK && kept != NULL) {
        kept_groups_begin(kept, &trials, at_us, &bounds);
        trials.bounds = &bounds;
    }
    if (rc == EXIT_OK) rc = search_nodes(session, &trials, args, more, &advice);
    if (rc == EXIT_OK && kept != NULL) kept_groups_end(&trials, &advice, &bounds, kept);
    kept_groups_free(&bounds);
    node_advice_free(&advice);
    node_trials_close(&trials);
    return rc;
}

/* The time of the run, by which changes of the advice on nodes count: the start of the scenario, or
 * the latest sample of this run or of an earlier one if that is later. LSCHED_NEVER_US: the run has
 * neither a start nor samples. */
static int64_t nodes_time(const struct advice_state *state, const lsched_schedule_opts *schedule,
                          bool sampled) {
    if (schedule->now_us == 0 && !sampled) return LSCHED_NEVER_US;
    bool later = state->at_us != LSCHED_NEVER_US && state->at_us > schedule->now_us;
    return later ? state->at_us : schedule->now_us;
}

/* The times of all runs must not go back, and advice is bound only while they move on. */
static int check_nodes_state(const struct kept_nodes *kept, int64_t at_us,
                             const struct advise_args *args, const char *scenario) {
    char before[TIME_TEXT_BYTES], now[TIME_TEXT_BYTES];
    if (at_us == LSCHED_NEVER_US) {
        fprintf(stderr,
                "note: %s: the scenario has no `start`, so it is not known how much time passed "
                "since earlier runs: no earlier advice on nodes holds in this run, and %s keeps "
                "it as it is. Write the time of each run as `start`, or give --samples\n",
                scenario, args->state);
        return EXIT_OK;
    }
    if (kept->at_us == LSCHED_NEVER_US || at_us > kept->at_us) return EXIT_OK;
    if (at_us == kept->at_us) {
        fprintf(stderr,
                "note: %s: the time of the run is %s, as in the run before: the 24 hours for "
                "which advice on nodes stays pass only if `start` or the latest sample moves on "
                "from run to run\n",
                scenario, time_format(at_us, now));
        return EXIT_OK;
    }
    complain("%s: the advice on nodes is of %s, and the time of this run is %s: expected a `start` "
             "or samples no earlier than those of the run before; to begin anew, remove the file",
             args->state, time_format(kept->at_us, before), time_format(at_us, now));
    return EXIT_INPUT;
}

/* Makes all advice, with samples or with a state. */
static int advise_more(const struct session *session, const lsched_schedule_opts *schedule,
                       struct catalogue *catalogue, const struct advise_args *args,
                       const struct advise_opts *opts) {
    struct advice_state state;
    struct state_file file;
    struct size_advice *sizes = must_alloc_zero(sizeof *sizes);
    struct advise_more more = {sizes, more_text, more_json, more_patch, more_patched};
    advice_state_begin(&state);
    bool sampled = args->samples.n > 0;
    int rc = read_state(args, session, &state, &file);
    if (rc == EXIT_OK && sampled) rc = advise_sizes(session, args, &state, sizes);
    int64_t at_us = nodes_time(&state, schedule, sampled);
    bool bound = args->state != NULL && at_us != LSCHED_NEVER_US;
    if (rc == EXIT_OK && args->state != NULL)
        rc = check_nodes_state(&state.nodes, at_us, args, session->file.name);
    if (rc == EXIT_OK)
        rc = advise_kept_nodes(session, schedule, catalogue, args, opts, sampled ? &more : NULL,
                               bound ? &state.nodes : NULL, at_us);
    if (rc == EXIT_OK) rc = write_state(session, &state, &file);
    state_file_drop(&file);
    advice_state_free(&state);
    size_advice_free(sizes);
    free(sizes);
    return rc;
}

#endif

/* Makes all advice for a session that was opened and applied. */
static int advise_all(const struct session *session, const lsched_schedule_opts *schedule,
                      struct catalogue *catalogue, const struct advise_args *args,
                      const struct advise_opts *opts) {
    const char *only = args->risk != NULL    ? "risk"
                       : args->modes != NULL ? "modes"
                       : args->timed.n > 0   ? "timed"
                                             : NULL;
    if (args->samples.n == 0) {
        if (only != NULL) return usage_error("advise", "--%s is for --samples", only);
        if (args->state == NULL) return advise_nodes(session, schedule, catalogue, args, opts);
    }
#ifdef LSCHED_WITH_FORECAST
    return advise_more(session, schedule, catalogue, args, opts);
#else
    return usage_error("advise",
                       "--%s: this build has no forecasts; configure it with "
                       "-DLSCHED_FORECAST=ON",
                       args->samples.n > 0 ? "samples" : "state");
#endif
}

static int advise(const void *argument, const struct parsed *words) {
    const struct advise_args *args = argument;
    struct advise_opts opts;
    struct session session;
    struct catalogue catalogue = {.n = 0};
    lsched_schedule_opts schedule;
    int rc = read_options(args, &opts);
    if (rc != EXIT_OK) return rc;
    rc = session_open("advise", words->positionals[0], args->policy, &session);
    if (rc == EXIT_OK) rc = session_apply(&session, &schedule);
    if (rc == EXIT_OK && args->catalogue != NULL) rc = catalogue_open(args->catalogue, &catalogue);
    if (rc == EXIT_OK)
        rc = advise_all(&session, &schedule, args->catalogue != NULL ? &catalogue : NULL, args,
                        &opts);
    catalogue_close(&catalogue);
    session_close(&session);
    return rc;
}

const struct command command_advise = {
    .name = "advise",
    .arguments = "SCENARIO",
    .summary = "say which nodes to add and which to drain",
    .about = "Plays copies of the cluster forward with its own policy until the work that waits "
             "has ended, with nodes of a catalogue added and with nodes drained, and prices each "
             "play: hours that jobs wait, price and energy of added nodes, savings of drained "
             "ones. It prints the change with the least price of those that it tried, and what it "
             "assumed (docs/advice.md). With samples it also prints which jobs should get another "
             "size and how their GPUs should be shared, and the best static MIG layout for all "
             "jobs (docs/right-sizing.md).",
    .examples = "  lsched advise cluster.yaml --catalogue nodes.yaml\n"
                "  lsched advise cluster.yaml --catalogue nodes.yaml --value 20 --json\n"
                "  lsched advise cluster.yaml --energy-price 0.30    only which nodes to drain\n"
                "  lsched advise cluster.yaml --catalogue nodes.yaml --patch - | patch -p0\n"
                "  lsched advise cluster.yaml --samples usage.csv --state advice.state",
    COMMAND_OPTIONS(options, ARGS),
    .positionals_min = 1,
    .positionals_max = 1,
    .run = advise,
};
