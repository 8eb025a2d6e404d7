/*
 * cmd_compare.c -- the command `lsched compare A B TRACE`: two policies on one trace, side by
 * side. With --shadow it shows what the second policy would have decided differently while the
 * first was in force.
 *
 * The kind of the trace follows from its content, therefore the user does not have to give it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/support/options.h"
#include "cli/compare/compare.h"
#include "cli/support/did_you_mean.h"
#include "cli/support/utf8.h"
#include "cli/input/xz_input.h"

enum { MINUTES_MAX = 5256000, SECONDS_MAX = 86400, SHOW_MAX = 1000 };
#define SEED_MAX ((int64_t)1 << 62)

static const char *const kind_names[TRACE_KINDS + 1] = {"philly", "swf", "openb", "scenario", NULL};

static const char *kind_word(const void *list, size_t i) {
    (void)list;
    return i < TRACE_KINDS ? kind_names[i] : NULL;
}

/* ---- policies ---- */

/* Reads "name=value". The value is a number if it has the form of one, otherwise a text. */
static int read_param(const struct command *command, const char *option, const char *word,
                      lsched_param *out) {
    const char *equals = strchr(word, '=');
    char *end = NULL;
    if (equals == NULL || equals == word || equals[1] == '\0')
        return usage_error(command, "--%s: expected NAME=VALUE, got '%s'", option, word);
    *out = (lsched_param){.key = {word, (uint64_t)(equals - word)}};
    out->number = strtod(equals + 1, &end);
    if (*end != '\0') out->text = (lsched_text){equals + 1, strlen(equals + 1)};
    return EXIT_OK;
}

static int open_policy(struct comparison *of, size_t side, const char *word) {
    const struct text_list *params = &of->args->params[side];
    struct policy_source *policy = &of->policies[side];
    int rc = policy_source_open(of->command, word, policy);
    of->params[side] = must_alloc(params->n * sizeof of->params[side][0]);
    for (size_t i = 0; rc == EXIT_OK && i < params->n; i++)
        rc = read_param(of->command, side == SIDE_A ? "param-a" : "param-b", params->items[i],
                        &of->params[side][i]);
    policy->params = params->n > 0 ? of->params[side] : NULL;
    policy->n_params = (uint32_t)params->n;
    return rc;
}

/* The index of job.duration among the fields of policies. */
enum {
#define X(object, id, name, type, unit, scope, text) FIELD_##object##_##id,
#include <libsched/fields.def>
#undef X
    FIELDS
};

static bool reads_duration(const lsched_cluster *cluster) {
    lsched_policy_info info = {.size = sizeof info};
    lsched_policy_hook_info hook = {.size = sizeof hook};
    lsched_policy_get(cluster, &info);
    if (strcmp(info.order, "shortest-first") == 0 && !(info.hooks & LSCHED_HOOK_PRIORITY))
        return true;
    for (uint32_t i = 0; lsched_policy_hook_get(cluster, i, &hook) >= 0; i++)
        if (hook.fields_read[FIELD_JOB_DURATION / 64] >> FIELD_JOB_DURATION % 64 & 1) return true;
    return false;
}

/* Loads a policy to find its errors before anything is replayed. */
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

/* Returns the list in a directory, or the path itself if it is no directory. No file is opened for
 * this, because a pipe can be read only once. */
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

/* Decides the kind of a trace: a log begins with ';' or with a number, a list begins with its
 * columns, and anything else is YAML. */
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
    if (ends_with(file->name, ".csv") || ends_with(file->name, ".csv.xz")) return TRACE_PHILLY;
    return TRACE_SCENARIO;
}

static int choose_kind(struct comparison *of) {
    const char *word = of->args->trace_kind;
    if (word == NULL) {
        of->kind = guess_kind(&of->file);
        return EXIT_OK;
    }
    for (size_t i = 0; i < TRACE_KINDS; i++) {
        of->kind = (enum trace_kind)i;
        if (strcmp(word, kind_names[i]) == 0) return EXIT_OK;
    }
    const char *meant = suggest(word, kind_word, NULL);
    return usage_error(of->command,
                       "--trace-kind: expected philly, swf, openb or scenario, got '%s'%s%s%s",
                       word, meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
                       meant != NULL ? "'?" : "");
}

static int open_trace(struct comparison *of, const char *path) {
    int rc = input_read(trace_path(of, path), &of->file);
    if (rc == EXIT_OK) rc = input_unxz(&of->file);
    if (rc != EXIT_OK) return rc;
    if (of->file.len >= 2 && memcmp(of->file.text, "\x1f\x8b", 2) == 0) {
        complain("%s: is compressed with gzip; unpack it: gzip -dc %s | lsched compare A B -",
                 of->file.name, of->file.name);
        return EXIT_INPUT;
    }
    return choose_kind(of);
}

/* ---- options ---- */

#define AT(field) offsetof(struct compare_args, field)
static const struct option options[] = {
    {"shadow", NULL,
     "let the world follow A, and plan every cycle with B too, on a clone: where would it differ?",
     AT(shadow), OPTION_FLAG},
    {"param-a", "NAME=VALUE", "a parameter of A; may be given several times", AT(params[SIDE_A]),
     OPTION_LIST},
    {"param-b", "NAME=VALUE", "a parameter of B", AT(params[SIDE_B]), OPTION_LIST},
    {"trace-kind", "KIND", "philly, swf, openb or scenario, if the content does not tell",
     AT(trace_kind), OPTION_TEXT},
    {"show", "N", "how many jobs and differences to list (10)", AT(show), OPTION_COUNT},
    {"json", NULL, "print JSON instead of tables", AT(json), OPTION_FLAG},
    {"progress", NULL, "show progress on stderr even if that is no terminal", AT(progress),
     OPTION_FLAG},
    {"no-progress", NULL, "show no progress", AT(no_progress), OPTION_FLAG},

    {"jobs", "N", "lists, openb: the first N jobs only", AT(jobs), OPTION_COUNT},
    {"window-days", "A:B", "lists: only jobs submitted from day A to day B after the first",
     AT(window_days), OPTION_TEXT},
    {"capacity", "N", "lists: GPUs (512) or processors (MaxProcs) of the cluster", AT(capacity),
     OPTION_COUNT},
    {"per-node", "K", "lists: GPUs (8) or processors (MaxProcs / MaxNodes) of a node", AT(per_node),
     OPTION_COUNT},
    {"queues", "BY", "philly: by-vc or one; swf: by-queue, by-user, by-group or one", AT(queues),
     OPTION_TEXT},
    {"vc", "FILE", "philly: nodes of each virtual cluster (philly_vc.csv beside the jobs)", AT(vc),
     OPTION_TEXT},
    {"strict", NULL, "lists: only the first waiting job of a queue may start", AT(strict),
     OPTION_FLAG},
    {"known-durations", NULL, "lists: tell the policies how long each job will run",
     AT(known_durations), OPTION_FLAG},
    {"protect-minutes", "M", "lists: what runs for less is not evicted (30)", AT(protect_minutes),
     OPTION_COUNT},
    {"checkpoint-minutes", "M", "lists: how often a job saves its work (60); 0: never",
     AT(checkpoint_minutes), OPTION_COUNT},
    {"release-seconds", "S", "lists: how long an evicted task takes to stop (0)",
     AT(release_seconds), OPTION_COUNT},
    {"verify", NULL, "lists: check every plan with the independent verifier", AT(verify),
     OPTION_FLAG},
    {"nodes", "FILE", "openb: the node list (nodes.csv beside the tasks)", AT(nodes), OPTION_TEXT},
    {"seed", "S", "openb: of the order of arrival (42)", AT(seed), OPTION_COUNT},
};
#undef AT
enum { N_OPTIONS = sizeof options / sizeof options[0] };

/* For which kinds of traces the options are, by their index; the first group is for all kinds. */
static const struct {
    size_t first;
    bool kinds[TRACE_KINDS];
} option_parts[] = {{0, {true, true, true, true}},
                    {8, {true, true, true, false}},
                    {9, {true, true, false, false}},
                    {13, {true, false, false, false}},
                    {14, {true, true, false, false}},
                    {20, {false, false, true, false}},
                    {N_OPTIONS, {false, false, false, false}}};

static bool is_for(size_t option, enum trace_kind kind) {
    size_t part = 0;
    while (option >= option_parts[part + 1].first) part++;
    return option_parts[part].kinds[kind];
}

static int check_kind(const struct comparison *of) {
    for (size_t i = 0; i < N_OPTIONS; i++) {
        if (is_for(i, of->kind) || !option_is_given(of->args, &options[i])) continue;
        return usage_error(of->command, "--%s is not for a trace of kind %s", options[i].name,
                           kind_names[of->kind]);
    }
    return EXIT_OK;
}

static int check_most(const char *name, int64_t value, int64_t least, int64_t most) {
    if (value == NOT_GIVEN || (value >= least && value <= most)) return EXIT_OK;
    return usage_error(&command_compare, "--%s: expected %" PRId64 " to %" PRId64 ", got %" PRId64,
                       name, least, most, value);
}

static int check_counts(const struct compare_args *args) {
    int rc = check_most("show", args->show, 1, SHOW_MAX);
    if (rc == EXIT_OK) rc = check_most("jobs", args->jobs, 1, INT32_MAX);
    if (rc == EXIT_OK) rc = check_most("protect-minutes", args->protect_minutes, 0, MINUTES_MAX);
    if (rc == EXIT_OK)
        rc = check_most("checkpoint-minutes", args->checkpoint_minutes, 0, MINUTES_MAX);
    if (rc == EXIT_OK) rc = check_most("release-seconds", args->release_seconds, 0, SECONDS_MAX);
    if (rc == EXIT_OK) rc = check_most("seed", args->seed, 0, SEED_MAX);
    if (rc == EXIT_OK && args->progress && args->no_progress)
        rc = usage_error(&command_compare, "--progress and --no-progress exclude each other");
    return rc;
}

/* ---- the command ---- */

static void preset(int64_t *count, int64_t value) {
    if (*count == NOT_GIVEN) *count = value;
}

static int play(struct comparison *of) {
    switch (of->kind) {
    case TRACE_PHILLY:
    case TRACE_SWF: return compare_list(of);
    case TRACE_OPENB: return compare_openb(of);
    default: return compare_scenario(of);
    }
}

static int compare(const void *argument, char *const *positionals, size_t n_positionals) {
    (void)n_positionals;
    struct compare_args args = *(const struct compare_args *)argument;
    int rc = check_counts(&args);
    if (rc != EXIT_OK) return rc;
    struct comparison *of = must_alloc(sizeof *of);
    memset(of, 0, sizeof *of);
    of->command = &command_compare;
    of->args = &args;
    of->what = "job";
    for (size_t side = 0; rc == EXIT_OK && side < SIDES; side++)
        rc = open_policy(of, side, positionals[side]);
    for (size_t side = 0; rc == EXIT_OK && side < SIDES; side++)
        rc = try_policy(&of->policies[side], &of->reads_duration[side]);
    if (rc == EXIT_OK) rc = open_trace(of, positionals[2]);
    if (rc == EXIT_OK) rc = check_kind(of);
    preset(&args.show, 10);
    preset(&args.protect_minutes, 30);
    preset(&args.checkpoint_minutes, 60);
    preset(&args.release_seconds, 0);
    preset(&args.seed, 42);
    if (rc == EXIT_OK) rc = play(of);
    if (rc == EXIT_OK && args.json) compare_print_json(of);
    if (rc == EXIT_OK && !args.json) compare_print(of);
    compare_free(of);
    free(of);
    return rc;
}

static void defaults(void *argument) {
    struct compare_args *args = argument;
    args->jobs = args->show = args->capacity = args->per_node = args->seed = NOT_GIVEN;
    args->protect_minutes = args->checkpoint_minutes = args->release_seconds = NOT_GIVEN;
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
    .options = options,
    .n_options = N_OPTIONS,
    .positionals_min = 3,
    .positionals_max = 3,
    .defaults = defaults,
    .run = compare,
};
_Static_assert(sizeof(struct compare_args) <= COMMAND_ARGS_BYTES,
               "the argument struct fits its buffer");
