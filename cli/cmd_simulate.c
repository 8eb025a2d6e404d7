/*
 * cmd_simulate.c -- `lsched simulate openb`: how much of a cluster each policy leaves unused, on
 * the same arrivals.
 *
 * All policies see the same seeds, so differences between them are differences on equal orders.
 * Means and deviations are over seeds (sample deviation, n - 1). The figures of the paper are
 * shown only beside the inputs that they were made with.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "json_writer.h"
#include "openb_replay.h"
#include "did_you_mean.h"
#include "terminal.h"
#include "text_table.h"

struct simulate_args {
    const char *nodes, *tasks;
    struct text_list policies;
    int64_t seeds, seed_first;
    bool shuffle_nodes, json, progress, no_progress;
};

enum { SEEDS_MAX = 10000, POLICIES_MAX = OPTION_LIST_MAX };

/* Unallocated GPUs in percent, mean of 10 orders, as published with the paper (Weng et al.,
 * USENIX ATC'23). */
static const struct {
    uint64_t nodes, tasks; /* fingerprints of the files */
    const char *policy;
    double percent[MARKS];
} published[] = {
    {0xd3446fafb573946du, 0xf5c67f6cb1f75377u, "best-fit", {7.14, 6.92}},
    {0xd3446fafb573946du, 0xf5c67f6cb1f75377u, "fgd", {4.77, 4.61}},
};

struct summary {
    double mean[MARKS], sd[MARKS];
    uint64_t arrivals, placed, dropped;
    int64_t library_ns;
    const double *published; /* or NULL */
};

struct simulation {
    const struct simulate_args *args;
    struct input_file nodes_file, tasks_file;
    uint64_t nodes_print, tasks_print;
    struct openb_nodes nodes;
    struct openb_tasks tasks;
    struct openb_mix mix;
    struct policy_source policies[POLICIES_MAX];
    struct replay_result *results; /* owned; [policy][seed] */
    struct progress progress;
    size_t policy_now, seed_now;
};

/* ---- input ----------------------------------------------------------------------------------- */

static int read_inputs(struct simulation *sim) {
    lsched_error err = LSCHED_ERROR_INIT;
    int rc = input_read(sim->args->nodes, &sim->nodes_file);
    if (rc == EXIT_OK) rc = input_read(sim->args->tasks, &sim->tasks_file);
    if (rc != EXIT_OK) return rc;
    if (openb_nodes_read(sim->nodes_file.text, sim->nodes_file.len, &sim->nodes, &err) < 0) {
        return library_error(sim->nodes_file.name, &err);
    }
    if (openb_tasks_read(sim->tasks_file.text, sim->tasks_file.len, &sim->tasks, &err) < 0) {
        return library_error(sim->tasks_file.name, &err);
    }
    sim->nodes_print = input_fingerprint(&sim->nodes_file);
    sim->tasks_print = input_fingerprint(&sim->tasks_file);
    openb_mix_make(&sim->tasks, &sim->mix);
    return EXIT_OK;
}

static int open_policies(const struct command *command, struct simulation *sim) {
    for (size_t i = 0; i < sim->args->policies.n; i++) {
        int rc = policy_source_open(command, sim->args->policies.items[i], &sim->policies[i]);
        if (rc != EXIT_OK) return rc;
    }
    return EXIT_OK;
}

/* ---- replaying ------------------------------------------------------------------------------- */

static void step(void *user, uint64_t arrived, uint64_t arrivals) {
    struct simulation *sim = user;
    uint64_t seeds = (uint64_t)sim->args->seeds;
    uint64_t replays = sim->policy_now * seeds + sim->seed_now;
    char label[128];
    snprintf(label, sizeof label, "%s, order %zu of %" PRIu64, sim->policies[sim->policy_now].word,
             sim->seed_now + 1, seeds);
    /* in thousandths of a replay: the orders differ a little in length */
    progress_step(&sim->progress, replays * 1000 + arrived * 1000 / arrivals, label);
}

static int replay_error(const struct simulation *sim, lsched_error *err) {
    const struct policy_source *policy = &sim->policies[sim->policy_now];
    if (err->index >= 0 && (size_t)err->index < sim->nodes.n) {
        err->line = sim->nodes.items[err->index].line;
        err->column = 1;
        return library_error(sim->nodes_file.name, err);
    }
    bool blames_policy =
        err->code == LSCHED_E_POLICY || err->code == LSCHED_E_BUDGET || err->line > 0;
    return library_error(
        blames_policy ? (policy->is_file ? policy->file.name : policy->word) : NULL, err);
}

static int replay_all(struct simulation *sim) {
    size_t seeds = (size_t)sim->args->seeds, policies = sim->args->policies.n;
    sim->results = must_alloc(policies * seeds * sizeof sim->results[0]);
    progress_begin(&sim->progress, sim->args->progress, sim->args->no_progress,
                   policies * seeds * 1000);
    for (sim->policy_now = 0; sim->policy_now < policies; sim->policy_now++) {
        struct replay replay = {
            &sim->nodes, &sim->tasks, &sim->policies[sim->policy_now], sim->args->shuffle_nodes,
            step,        sim};
        for (sim->seed_now = 0; sim->seed_now < seeds; sim->seed_now++) {
            lsched_error err = LSCHED_ERROR_INIT;
            struct replay_result *result = &sim->results[sim->policy_now * seeds + sim->seed_now];
            uint64_t seed = (uint64_t)sim->args->seed_first + sim->seed_now;
            if (openb_replay(&replay, &sim->mix, seed, result, &err) < 0) {
                progress_hide(&sim->progress);
                return replay_error(sim, &err);
            }
            step(sim, 1, 1); /* a replay ends before arrivals that ask for no GPU */
        }
    }
    progress_hide(&sim->progress);
    return EXIT_OK;
}

/* ---- results --------------------------------------------------------------------------------- */

static void summarize(const struct simulation *sim, size_t policy, struct summary *out) {
    size_t seeds = (size_t)sim->args->seeds;
    const struct replay_result *results = sim->results + policy * seeds;
    memset(out, 0, sizeof *out);
    for (size_t m = 0; m < MARKS; m++) {
        double sum = 0, squares = 0;
        for (size_t s = 0; s < seeds; s++) sum += results[s].unallocated_percent[m];
        out->mean[m] = sum / (double)seeds;
        for (size_t s = 0; s < seeds; s++) {
            double off = results[s].unallocated_percent[m] - out->mean[m];
            squares += off * off;
        }
        out->sd[m] = seeds > 1 ? sqrt(squares / (double)(seeds - 1)) : 0;
    }
    for (size_t s = 0; s < seeds; s++) {
        out->arrivals += results[s].arrivals;
        out->placed += results[s].placed;
        out->dropped += results[s].dropped;
        out->library_ns += results[s].library_ns;
    }
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
        if (published[i].nodes == sim->nodes_print && published[i].tasks == sim->tasks_print &&
            strcmp(published[i].policy, sim->policies[policy].word) == 0) {
            out->published = published[i].percent;
        }
    }
}

static double decisions_per_s(const struct summary *summary) {
    return summary->library_ns > 0 ? (double)summary->placed * 1e9 / (double)summary->library_ns
                                   : 0;
}

static void print_json_runs(const struct simulation *sim, size_t policy, struct json *json) {
    static const char *const marks[MARKS] = {"100", "130"};
    size_t seeds = (size_t)sim->args->seeds;
    json_array(json, "runs", JSON_LINES);
    for (size_t s = 0; s < seeds; s++) {
        const struct replay_result *result = &sim->results[policy * seeds + s];
        json_object(json, NULL, JSON_LINE);
        json_int(json, "seed", sim->args->seed_first + (int64_t)s);
        json_object(json, "unallocated_gpu_percent", JSON_LINE);
        for (size_t m = 0; m < MARKS; m++)
            json_fixed(json, marks[m], result->unallocated_percent[m], 4);
        json_close(json);
        json_uint(json, "arrivals", result->arrivals);
        json_uint(json, "placed", result->placed);
        json_uint(json, "dropped", result->dropped);
        json_hash(json, "plans_hash", result->plans_hash);
        json_close(json);
    }
    json_close(json);
}

static void print_json_policy(const struct simulation *sim, size_t policy, struct json *json) {
    static const char *const marks[MARKS] = {"100", "130"};
    struct summary summary;
    summarize(sim, policy, &summary);
    json_object(json, NULL, JSON_LINES);
    json_string(json, "policy", sim->policies[policy].word);
    json_object(json, "unallocated_gpu_percent", JSON_LINES);
    for (size_t m = 0; m < MARKS; m++) {
        json_object(json, marks[m], JSON_LINE);
        json_fixed(json, "mean", summary.mean[m], 4);
        json_fixed(json, "sd", summary.sd[m], 4);
        if (summary.published != NULL) {
            json_fixed(json, "published", summary.published[m], 2);
        } else {
            json_null(json, "published");
        }
        json_close(json);
    }
    json_close(json);
    json_fixed(json, "decisions_per_s", decisions_per_s(&summary), 0);
    json_int(json, "seeds", sim->args->seeds);
    json_int(json, "seed_first", sim->args->seed_first);
    json_bool(json, "nodes_shuffled", sim->args->shuffle_nodes);
    json_uint(json, "nodes", sim->nodes.n);
    json_int(json, "gpus", sim->nodes.gpus);
    json_uint(json, "tasks", sim->tasks.n);
    json_uint(json, "arrivals", summary.arrivals);
    json_uint(json, "placed", summary.placed);
    json_uint(json, "dropped", summary.dropped);
    print_json_runs(sim, policy, json);
    json_close(json);
}

static void print_json(const struct simulation *sim) {
    struct json json;
    json_begin(&json, stdout);
    size_t policies = sim->args->policies.n;
    if (policies > 1) json_array(&json, NULL, JSON_LINES);
    for (size_t p = 0; p < policies; p++) print_json_policy(sim, p, &json);
    if (policies > 1) json_close(&json);
    json_end(&json);
}

/* 123456 as "123,456". */
static const char *thousands(double number, char out[32]) {
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%.0f", number);
    char *to = out;
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0) *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return out;
}

static void print_heading(const struct simulation *sim) {
    char a[32], b[32], c[32], d[32];
    int64_t last = sim->args->seed_first + sim->args->seeds - 1;
    printf("openb: %s nodes with %s GPUs; %s tasks that ask for %s GPUs\n",
           thousands((double)sim->nodes.n, a), thousands((double)sim->nodes.gpus, b),
           thousands((double)sim->tasks.n, c), thousands((double)sim->tasks.gpu_milli / 1000, d));
    printf("%" PRId64 " arrival order%s (seed%s %" PRId64, sim->args->seeds,
           sim->args->seeds == 1 ? "" : "s", sim->args->seeds == 1 ? "" : "s",
           sim->args->seed_first);
    if (sim->args->seeds > 1) printf(" to %" PRId64, last);
    printf(")%s\n\n", sim->args->shuffle_nodes ? ", nodes added in random order" : "");
    printf("GPUs left unallocated when 100 %% and 130 %% of them have been asked for, in %%\n\n");
}

static void print_row(const struct simulation *sim, struct text_table *table, size_t policy,
                      double first_mean) {
    struct summary summary;
    char number[32];
    summarize(sim, policy, &summary);
    table_cell(table, "%s", sim->policies[policy].word);
    if (summary.published != NULL) {
        table_cell(table, "%.2f", summary.published[MARK_100]);
    } else {
        table_cell(table, "-");
    }
    table_cell(table, "%.2f", summary.mean[MARK_100]);
    table_cell(table, "%.2f", summary.sd[MARK_100]);
    if (summary.published != NULL) {
        table_cell(table, "%+.2f", summary.mean[MARK_100] - summary.published[MARK_100]);
    } else {
        table_cell(table, "-");
    }
    if (sim->args->policies.n > 1) {
        if (policy > 0) {
            table_cell(table, "%+.2f", summary.mean[MARK_100] - first_mean);
        } else {
            table_cell(table, "-");
        }
    }
    table_cell(table, "%.2f", summary.mean[MARK_130]);
    table_cell(table, "%s", thousands(decisions_per_s(&summary), number));
}

static void print_table(const struct simulation *sim) {
    size_t policies = sim->args->policies.n;
    bool several = policies > 1;
    struct text_table table;
    struct summary first;
    summarize(sim, 0, &first);
    print_heading(sim);
    table_begin(&table, several ? "lrrrrrrr" : "lrrrrrr");
    table_cell(&table, "policy");
    table_cell(&table, "paper");
    table_cell(&table, "100 %%");
    table_cell(&table, "sd");
    table_cell(&table, "vs paper");
    if (several) table_cell(&table, "vs first");
    table_cell(&table, "130 %%");
    table_cell(&table, "decisions/s");
    for (size_t p = 0; p < policies; p++) print_row(sim, &table, p, first.mean[MARK_100]);
    table_print(&table, stdout, 0, 0);
    if (first.published != NULL) {
        printf(
            "\npaper: FGD (Weng et al., USENIX ATC'23), same lists, mean of 10 orders at 100 %%\n");
    }
}

/* ---- the command ----------------------------------------------------------------------------- */

static void free_simulation(struct simulation *sim) {
    for (size_t i = 0; i < POLICIES_MAX; i++) policy_source_close(&sim->policies[i]);
    openb_mix_free(&sim->mix);
    openb_nodes_free(&sim->nodes);
    openb_tasks_free(&sim->tasks);
    input_free(&sim->nodes_file);
    input_free(&sim->tasks_file);
    free(sim->results);
}

static const char *trace_word(const void *list, size_t i) {
    (void)list;
    return i == 0 ? "openb" : NULL;
}

static int check_args(const struct simulate_args *args, const char *trace) {
    const struct command *command = &command_simulate;
    if (strcmp(trace, "openb") != 0) {
        const char *meant = suggest(trace, trace_word, NULL);
        if (meant != NULL)
            return usage_error(command, "unknown trace '%s'; did you mean '%s'?", trace, meant);
        return usage_error(command, "unknown trace '%s'; there is: openb", trace);
    }
    if (args->nodes == NULL) return usage_error(command, "--nodes FILE is missing");
    if (args->tasks == NULL) return usage_error(command, "--tasks FILE is missing");
    if (args->policies.n == 0)
        return usage_error(command, "--policy is missing; 'lsched policies' lists them");
    if (args->seeds < 1 || args->seeds > SEEDS_MAX) {
        return usage_error(command, "--seeds: expected 1 to %d, got %" PRId64, SEEDS_MAX,
                           args->seeds);
    }
    if (args->progress && args->no_progress) {
        return usage_error(command, "--progress and --no-progress exclude each other");
    }
    return EXIT_OK;
}

static int simulate(const void *argument, char *const *positionals, size_t n_positionals) {
    (void)n_positionals;
    const struct simulate_args *args = argument;
    int rc = check_args(args, positionals[0]);
    if (rc != EXIT_OK) return rc;
    struct simulation *sim = must_alloc(sizeof *sim);
    memset(sim, 0, sizeof *sim);
    sim->args = args;
    rc = open_policies(&command_simulate, sim);
    if (rc == EXIT_OK) rc = read_inputs(sim);
    if (rc == EXIT_OK) rc = replay_all(sim);
    if (rc == EXIT_OK && args->json) print_json(sim);
    if (rc == EXIT_OK && !args->json) print_table(sim);
    free_simulation(sim);
    free(sim);
    return rc;
}

static void defaults(void *argument) {
    struct simulate_args *args = argument;
    args->seeds = 10;
    args->seed_first = 42;
}

static const struct option options[] = {
    {"nodes", "FILE", "the node list (CSV)", offsetof(struct simulate_args, nodes), OPTION_TEXT},
    {"tasks", "FILE", "the task list (CSV)", offsetof(struct simulate_args, tasks), OPTION_TEXT},
    {"policy", "P",
     "a ready-made policy by name, or a Lua file by its path; give it several times to compare",
     offsetof(struct simulate_args, policies), OPTION_LIST},
    {"seeds", "N", "how many arrival orders to average over (10)",
     offsetof(struct simulate_args, seeds), OPTION_COUNT},
    {"seed-first", "S", "the first seed (42); the others follow",
     offsetof(struct simulate_args, seed_first), OPTION_COUNT},
    {"shuffle-nodes", NULL, "add the nodes in random order, to see whether the order matters",
     offsetof(struct simulate_args, shuffle_nodes), OPTION_FLAG},
    {"json", NULL, "print JSON instead of a table", offsetof(struct simulate_args, json),
     OPTION_FLAG},
    {"progress", NULL, "show progress on stderr even if that is no terminal",
     offsetof(struct simulate_args, progress), OPTION_FLAG},
    {"no-progress", NULL, "show no progress", offsetof(struct simulate_args, no_progress),
     OPTION_FLAG},
};

const struct command command_simulate = {
    .name = "simulate",
    .arguments = "openb",
    .summary = "replay a trace and measure what a policy makes of it",
    .about = "Replays the openb cluster (Alibaba, 1,213 GPU nodes with 6,212 GPUs) by the protocol "
             "of the FGD paper: tasks arrive in random order until 130 % of all GPUs have been "
             "asked for, none ends, and a task that fits nowhere is dropped. The result is the "
             "share of GPUs that stay unallocated: what a policy loses to fragmentation. Every "
             "policy sees the same arrival orders.",
    .examples = "  lsched simulate openb --policy best-fit --policy fgd --policy mine.lua \\\n"
                "      --nodes examples/openb/nodes.csv --tasks examples/openb/tasks.csv\n"
                "  lsched simulate openb --nodes N.csv --tasks T.csv --policy mine.lua \\\n"
                "      --seeds 30 --shuffle-nodes --json",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .positionals_min = 1,
    .positionals_max = 1,
    .defaults = defaults,
    .run = simulate,
};
_Static_assert(sizeof(struct simulate_args) <= COMMAND_ARGS_BYTES,
               "the argument struct fits its buffer");
