/*
 * simulate_report.c -- see simulate_report.h. The results are means and sample standard deviations
 * (n - 1) over all seeds. The published results of the paper are shown only if the input files are
 * those of the paper.
 */
#include "cli/replay/simulate_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/support/json_writer.h"
#include "cli/support/number_text.h"
#include "cli/support/text_table.h"

/* published results of the paper (Weng et al., USENIX ATC'23): unallocated GPUs in percent, means
 * over 10 orders of arrival */
static const struct {
    uint64_t nodes, tasks; /* fingerprints of the node file and the task file */
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
    const double *published; /* published results for this policy; NULL if there are none */
};

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
        json_fixed(json, "published", summary.published != NULL ? summary.published[m] : NAN, 2);
        json_close(json);
    }
    json_close(json);
    json_object(json, "lower_bound_percent", JSON_LINE);
    json_fixed(json, "totals", sim->bound.totals_percent, 4);
    json_fixed(json, "pieces", sim->bound.pieces_percent, 4);
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

void simulate_print_json(const struct simulation *sim) {
    struct json json;
    json_begin(&json, stdout);
    size_t policies = sim->args->policies.n;
    if (policies > 1) json_array(&json, NULL, JSON_LINES);
    for (size_t p = 0; p < policies; p++) print_json_policy(sim, p, &json);
    json_end(&json);
}

static void print_heading(const struct simulation *sim) {
    char a[32], b[32], c[32], d[32];
    int64_t last = sim->args->seed_first + sim->args->seeds - 1;
    printf("openb: %s nodes with %s GPUs; %s tasks that ask for %s GPUs\n",
           count_text(sim->nodes.n, a), count_text((uint64_t)sim->nodes.gpus, b),
           count_text(sim->tasks.n, c),
           count_text((uint64_t)llround((double)sim->tasks.gpu_milli / 1000), d));
    printf("%" PRId64 " arrival order%s (seed%s %" PRId64, sim->args->seeds,
           plural((uint64_t)sim->args->seeds), plural((uint64_t)sim->args->seeds),
           sim->args->seed_first);
    if (sim->args->seeds > 1) printf(" to %" PRId64, last);
    printf(")%s\n\n", sim->args->shuffle_nodes ? ", nodes added in random order" : "");
    printf("GPUs left unallocated when 100 %% and 130 %% of them have been asked for, in %%\n\n");
}

/* the columns of the table */
struct layout {
    bool paper; /* true if at least one policy has published results */
    /* true if there are several policies, so that the table compares each of them with the first */
    bool versus;
    double first_mean;
};

static void percent_cell(struct text_table *table, double percent) {
    table_cell(table, "%.2f", percent);
}

static void difference_cell(struct text_table *table, bool known, double points) {
    if (known) {
        table_cell(table, "%+.2f", points);
    } else {
        table_cell(table, "-");
    }
}

static void print_row(const struct simulation *sim, struct text_table *table, size_t policy,
                      const struct layout *layout) {
    struct summary summary;
    char number[32];
    summarize(sim, policy, &summary);
    double mean = summary.mean[MARK_100];
    double paper = summary.published != NULL ? summary.published[MARK_100] : 0;
    table_cell(table, "%s", sim->policies[policy].word);
    if (layout->paper && summary.published == NULL) table_cell(table, "-");
    if (layout->paper && summary.published != NULL) percent_cell(table, paper);
    percent_cell(table, mean);
    percent_cell(table, summary.sd[MARK_100]);
    if (layout->paper) difference_cell(table, summary.published != NULL, mean - paper);
    if (layout->versus) difference_cell(table, policy > 0, mean - layout->first_mean);
    percent_cell(table, summary.mean[MARK_130]);
    table_cell(table, "%s", count_text((uint64_t)llround(decisions_per_s(&summary)), number));
}

static struct layout choose_layout(const struct simulation *sim) {
    struct layout layout = {.versus = sim->args->policies.n > 1};
    for (size_t p = 0; p < sim->args->policies.n; p++) {
        struct summary summary;
        summarize(sim, p, &summary);
        if (summary.published != NULL) layout.paper = true;
        if (p == 0) layout.first_mean = summary.mean[MARK_100];
    }
    return layout;
}

void simulate_print_table(const struct simulation *sim) {
    struct layout layout = choose_layout(sim);
    struct text_table table;
    print_heading(sim);
    table_begin(&table, layout.paper ? (layout.versus ? "lrrrrrrr" : "lrrrrrr")
                                     : (layout.versus ? "lrrrrr" : "lrrrr"));
    table_cell(&table, "policy");
    if (layout.paper) table_cell(&table, "paper");
    table_cell(&table, "100 %%");
    table_cell(&table, "sd");
    if (layout.paper) table_cell(&table, "vs paper");
    if (layout.versus) table_cell(&table, "vs first");
    table_cell(&table, "130 %%");
    table_cell(&table, "decisions/s");
    for (size_t p = 0; p < sim->args->policies.n; p++) print_row(sim, &table, p, &layout);
    table_print(&table, stdout, 0, 0);
    printf("\nno policy can leave less than %.2f at 100 %%\n", sim->bound.pieces_percent);
    if (layout.paper) {
        printf(
            "paper: FGD (Weng et al., USENIX ATC'23), same lists, mean of 10 orders at 100 %%\n");
    }
}
