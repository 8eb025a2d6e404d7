/*
 * cmd_compare.c -- the command `lsched compare A B TRACE`, which replays one trace with two
 * policies and prints their results side by side. With --shadow, only policy A decides what happens
 * in the replay, and the command shows which decisions policy B would have made differently.
 *
 * The command finds out the kind of the trace from the name and the content of the file, therefore
 * the user does not have to name it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/support/options.h"
#include "cli/compare/compare_jobs.h"
#include "cli/compare/compare_openb.h"
#include "cli/compare/compare_report.h"
#include "cli/compare/compare_scenario.h"
#include "cli/policy/policy_params.h"
#include "cli/support/utf8.h"
#include "cli/input/xz_input.h"

enum { MINUTES_MAX = 5256000, SECONDS_MAX = 86400, SHOW_MAX = 1000 };
#define SEED_MAX ((int64_t)1 << 62)

static const char *const kind_names[TRACE_KINDS + 1] = {"philly", "swf", "openb", "scenario", NULL};
/* masks of trace kinds; each option has the mask of the kinds for which it can be given */
enum {
    PHILLY = 1 << TRACE_PHILLY,
    OPENB = 1 << TRACE_OPENB,
    LISTS = PHILLY | 1 << TRACE_SWF,
    REPLAYS = LISTS | OPENB
};

/* ---- policies ---- */

static int open_policy(struct comparison *of, size_t side, const char *word) {
    const struct text_list *params = &of->args->params[side];
    struct policy_source *policy = &of->policies[side];
    int rc = policy_source_open("compare", word, policy);
    if (rc == EXIT_OK)
        rc = policy_params_read("compare", side == SIDE_A ? "param-a" : "param-b", params,
                                &of->params[side]);
    policy_params_give(policy, of->params[side], params->n);
    return rc;
}

/* The enum gives each field that a policy can read its number in fields.def. try_policy() needs the
 * number of job.duration. */
enum {
#define X(number, object, id, name, type, unit, scope, text) FIELD_##object##_##id = number,
#include <libsched/fields.def>
#undef X
};

static bool reads_duration(const lsched_cluster *cluster) {
    lsched_policy_info info = {.size = sizeof info};
    lsched_policy_hook_info hook = {.size = sizeof hook};
    lsched_policy_get(cluster, &info, NULL);
    if (strcmp(info.order, "shortest-first") == 0 && !(info.hooks & LSCHED_HOOK_PRIORITY))
        return true;
    for (uint32_t i = 0; lsched_policy_hooks_at(cluster, i, &hook, NULL) >= 0; i++)
        if (hook.fields_read[FIELD_JOB_DURATION / 64] >> FIELD_JOB_DURATION % 64 & 1) return true;
    return false;
}

/* Loads a policy to report its errors before the replay starts. */
static int try_policy(const struct policy_source *policy, bool *by_duration) {
    lsched_cluster *cluster = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    if (lsched_cluster_create(NULL, &cluster, &err) < 0) return library_error(NULL, &err);
    int rc = EXIT_OK;
    if (policy_source_load(policy, cluster, &err) < 0)
        rc = library_error(policy_source_name(policy), &err);
    else
        *by_duration = reads_duration(cluster);
    lsched_cluster_destroy(cluster);
    return rc;
}

/* ---- the trace ---- */

/* Returns `path`, or, if it is a directory, the path of the trace file in the directory. The
 * function opens no file, because a pipe can be read only once. */
static const char *trace_path(struct comparison *of, const char *path) {
    static const char *const names[] = {"jobs.csv", "philly_jobs.csv.xz", "tasks.csv", "log.swf"};
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) return path;
    size_t len = strlen(path) + 32;
    of->path = must_alloc(len);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(of->path, len, "%s/%s", path, names[i]);
        if (stat(of->path, &status) == 0) return of->path;
    }
    return path; /* opening this path then reports the error */
}

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static bool line_has(const struct input_file *file, size_t at, const char *word) {
    const char *end = memchr(file->text + at, '\n', file->len - at);
    size_t len = end != NULL ? (size_t)(end - file->text) - at : file->len - at;
    size_t n = strlen(word);
    for (size_t i = at; i + n <= at + len; i++)
        if (memcmp(file->text + i, word, n) == 0) return true;
    return false;
}

/* Finds out the kind of a trace. The file name extensions of SWF logs and of YAML files decide
 * first. Otherwise a file that begins with ';' or with a number is an SWF log, a file that begins
 * with the names of columns is a CSV list, and any other file is a scenario in YAML. Returns
 * TRACE_KINDS for a CSV file with other columns. */
static enum trace_kind guess_kind(const struct input_file *file) {
    size_t at = utf8_mark(file->text, file->len);
    if (ends_with(file->name, ".swf") || ends_with(file->name, ".swf.xz")) return TRACE_SWF;
    if (ends_with(file->name, ".yaml") || ends_with(file->name, ".yml")) return TRACE_SCENARIO;
    while (at < file->len && (file->text[at] == ' ' || file->text[at] == '\t')) at++;
    if (at < file->len &&
        (file->text[at] == ';' || (file->text[at] >= '0' && file->text[at] <= '9')))
        return TRACE_SWF;
    if (line_has(file, 0, "num_gpus") && line_has(file, 0, "duration")) return TRACE_PHILLY;
    if (line_has(file, 0, "num_gpu") && line_has(file, 0, "cpu_milli")) return TRACE_OPENB;
    if (ends_with(file->name, ".csv") || ends_with(file->name, ".csv.xz")) return TRACE_KINDS;
    return TRACE_SCENARIO;
}

static int open_trace(struct comparison *of, const char *path) {
    int rc = input_read_packed(trace_path(of, path), &of->file);
    if (rc != EXIT_OK) return rc;
    size_t kind = guess_kind(&of->file);
    rc = options_choose("compare", "--trace-kind", of->args->trace_kind, kind_names, &kind);
    of->kind = (enum trace_kind)kind;
    if (rc != EXIT_OK || kind != TRACE_KINDS) return rc;
    complain("%s: expected columns of a trace: num_gpus and duration (philly), or num_gpu and "
             "cpu_milli (openb); --trace-kind KIND says what the file is",
             of->file.name);
    return EXIT_INPUT;
}

/* ---- options ---- */

#define ARGS struct compare_args
static const struct option options[] = {
    FLAG(ALL, "shadow", shadow,
         "carry out the plans of A, plan each cycle also with B on a clone, and list where the "
         "plans differ"),
    LIST(ALL, "param-a", "NAME=VALUE", params[SIDE_A],
         "a parameter of A; may be given several times"),
    LIST(ALL, "param-b", "NAME=VALUE", params[SIDE_B], "a parameter of B"),
    TEXT(ALL, "trace-kind", "KIND", trace_kind,
         "philly, swf, openb or scenario, if the content does not tell"),
    COUNT(ALL, "show", "N", show, 10, 1, SHOW_MAX, "how many jobs and differences to list (10)"),
    FLAG(ALL, "json", json, "print JSON instead of tables"),
    PROGRESS_OPTIONS,

    COUNT(REPLAYS, "jobs", "N", jobs, NOT_GIVEN, 1, INT32_MAX,
          "lists, openb: the first N jobs only"),
    TEXT(LISTS, "window-days", "A:B", window_days,
         "lists: only jobs submitted from day A to day B after the first"),
    COUNT(LISTS, "capacity", "N", capacity, NOT_GIVEN, 0, INT64_MAX,
          "lists: GPUs (512) or processors (MaxProcs) of the cluster"),
    COUNT(LISTS, "per-node", "K", per_node, NOT_GIVEN, 0, INT64_MAX,
          "lists: GPUs (8) or processors (MaxProcs / MaxNodes) of a node"),
    TEXT(LISTS, "queues", "BY", queues,
         "philly: by-vc or one; swf: by-queue, by-user, by-group or one"),
    INPUT(PHILLY, "vc", "FILE", vc,
          "philly: nodes of each virtual cluster (philly_vc.csv beside the jobs)"),
    FLAG(LISTS, "strict", strict, "lists: only the first waiting job of a queue may start"),
    FLAG(LISTS, "known-durations", known_durations,
         "lists: tell the policies how long each job will run"),
    COUNT(LISTS, "protect-minutes", "M", protect_minutes, 30, 0, MINUTES_MAX,
          "lists: what runs for less is not evicted (30)"),
    COUNT(LISTS, "checkpoint-minutes", "M", checkpoint_minutes, 60, 0, MINUTES_MAX,
          "lists: how often a job saves its work (60); 0: never"),
    COUNT(LISTS, "release-seconds", "S", release_seconds, 0, 0, SECONDS_MAX,
          "lists: how long an evicted task takes to stop (0)"),
    FLAG(LISTS, "verify", verify, "lists: check every plan with the independent verifier"),
    INPUT(OPENB, "nodes", "FILE", nodes, "openb: the node list (nodes.csv beside the tasks)"),
    COUNT(OPENB, "seed", "S", seed, 42, 0, SEED_MAX, "openb: of the order of arrival (42)"),
};

/* ---- the command ---- */

static int play(struct comparison *of) {
    switch (of->kind) {
    case TRACE_PHILLY:
    case TRACE_SWF: return compare_jobs(of);
    case TRACE_OPENB: return compare_openb(of);
    default: return compare_scenario(of);
    }
}

static int compare(const void *argument, const struct parsed *words) {
    const struct compare_args *args = argument;
    char input[32];
    if (args->progress && args->no_progress)
        return usage_error("compare", "--progress and --no-progress exclude each other");
    struct comparison *of = must_alloc_zero(sizeof *of);
    of->args = args;
    of->what = "job";
    int rc = EXIT_OK;
    for (size_t side = 0; rc == EXIT_OK && side < SIDES; side++)
        rc = open_policy(of, side, words->positionals[side]);
    for (size_t side = 0; rc == EXIT_OK && side < SIDES; side++)
        rc = try_policy(&of->policies[side], &of->reads_duration[side]);
    if (rc == EXIT_OK) rc = open_trace(of, words->positionals[2]);
    snprintf(input, sizeof input, "a trace of kind %s", kind_names[of->kind]);
    if (rc == EXIT_OK) rc = options_check_kind(&command_compare, words, (uint32_t)of->kind, input);
    if (rc == EXIT_OK) rc = play(of);
    if (rc == EXIT_OK && args->json) compare_report_json(of);
    if (rc == EXIT_OK && !args->json) compare_report_print(of);
    comparison_free(of);
    free(of);
    return rc;
}

const struct command command_compare = {
    .name = "compare",
    .arguments = "A B TRACE",
    .summary = "two policies on one trace: what differs, and for whom",
    .about =
        "Replays a trace under policy A and again under policy B (names or Lua files) and shows "
        "side by side what each makes of it: waits, use of the cluster, fairness, evictions and "
        "lost work, where the plans first differ, and which jobs fare most differently. With "
        "--shadow there is one world, which follows A; at each cycle a clone of the cluster gets B "
        "and plans the same instant, and what B would have done differently is listed. "
        "TRACE is a list of jobs (Philly's CSV, or a log in the Standard Workload Format, .swf), a "
        "list of tasks of openb, which is filled without anything ending, a scenario (YAML), or a "
        "directory with one of the first three.",
    .examples = "  lsched compare fifo shortest-first examples/swf\n"
                "  lsched compare guaranteed-quota mine.lua examples/philly --jobs 2000\n"
                "  lsched compare fifo mine.lua examples/philly --jobs 500 --shadow\n"
                "  lsched compare best-fit least-fragmentation examples/openb\n"
                "  lsched compare fifo drf examples/scenarios/research-and-product.yaml",
    COMMAND_OPTIONS(options, ARGS),
    .positionals_min = 3,
    .positionals_max = 3,
    .run = compare,
};
