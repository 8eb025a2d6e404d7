/*
 * philly_report.c -- see philly_report.h.
 */
#include "cli/commands/philly_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/support/json_writer.h"
#include "cli/replay/classic_policies.h"
#include "cli/replay/simulate_report.h"
#include "cli/support/text_table.h"
#include "cli/support/time_text.h"

#define HOUR_S 3600.0

/* ---- JSON ---- */

static void json_summary(struct json *json, const char *key, struct metric_samples *samples) {
    struct metric_summary summary = metric_summarize(samples);
    json_object(json, key, JSON_LINE);
    json_fixed(json, "mean", summary.mean, 3);
    json_fixed(json, "p50", summary.p50, 3);
    json_fixed(json, "p95", summary.p95, 3);
    json_fixed(json, "max", summary.max, 3);
    json_close(json);
}

static void json_percents(struct json *json, const struct job_metrics *measure,
                          const struct unit_integral *of) {
    bool none = of->from_us == of->to_us; /* all jobs were submitted at the same time */
    double used = none ? NAN : job_metrics_used(measure, of);
    json_fixed(json, "utilization_percent", used, 4);
    json_fixed(json, "idle_percent", 100 - used, 4);
    json_fixed(json, "avoidable_idle_percent", none ? NAN : job_metrics_avoidable(measure, of), 4);
}

static void json_window(struct json *json, const struct philly_simulation *sim,
                        const struct job_metrics *measure) {
    if (sim->window[1] == sim->window[0]) {
        json_null(json, "window");
        return;
    }
    json_object(json, "window", JSON_LINE);
    json_int(json, "from_day", sim->window[0]);
    json_int(json, "to_day", sim->window[1]);
    json_percents(json, measure, &measure->window);
    json_close(json);
}

static double evictions_per_job(const struct job_metrics *measure) {
    return measure->jobs > 0 ? (double)measure->evictions / (double)measure->jobs : 0;
}

static double lost_percent(const struct job_metrics *measure) {
    return measure->asked > 0 ? 100 * measure->lost / measure->asked : 0;
}

static void json_vcs(struct json *json, const struct philly_simulation *sim,
                     const struct job_metrics *measure) {
    json_array(json, "vcs", JSON_LINES);
    for (size_t i = 0; i < measure->n_queues; i++) {
        const struct queue_measure *vc = &measure->queues[i];
        json_object(json, NULL, JSON_LINE);
        json_text(json, "name", sim->list.queues[i].name.ptr, sim->list.queues[i].name.len);
        json_int_unless(json, "quota_gpus", sim->quotas != NULL ? vc->quota_units : -1, -1);
        json_uint(json, "jobs", vc->jobs);
        json_uint(json, "dropped", vc->dropped);
        json_fixed(json, "wait_mean_s", vc->jobs > 0 ? vc->wait_s_sum / (double)vc->jobs : 0, 3);
        json_fixed(json, "gpu_hours", vc->asked / HOUR_S, 3);
        json_fixed(json, "served_gpu_hours", vc->served / HOUR_S, 3);
        json_uint(json, "evictions", vc->evictions);
        json_close(json);
    }
    json_close(json);
}

static void json_setup(struct json *json, const struct philly_simulation *sim,
                       const struct philly_arm *arm) {
    const struct job_metrics *measure = &arm->result.measure;
    char time[TIME_TEXT_BYTES];
    json_string(json, "policy", arm->policy->word);
    json_bool(json, "static_partition", arm->static_partition);
    json_string(json, "queues", sim->quotas != NULL ? "by-vc" : "one");
    json_bool(json, "overtake", sim->args->overtake);
    json_bool(json, "known_durations",
              sim->args->known_durations || classic_policies_has(arm->policy));
    json_int(json, "gpus", sim->args->gpus);
    json_int(json, "gpus_per_node", sim->args->gpus_per_node);
    json_int(json, "protect_minutes", sim->args->protect_minutes);
    json_int(json, "checkpoint_minutes", sim->args->checkpoint_minutes);
    json_int(json, "release_seconds", sim->args->release_seconds);
    json_string(json, "first_submit", time_format(measure->span.from_us, time));
    json_string(json, "last_submit", time_format(measure->span.to_us, time));
    json_string(json, "end", time_format(measure->end_us, time));
}

static void json_arm(struct json *json, struct philly_simulation *sim, struct philly_arm *arm) {
    struct job_metrics *measure = &arm->result.measure;
    json_object(json, NULL, JSON_LINES);
    json_setup(json, sim, arm);
    json_uint(json, "list_jobs", sim->list.n_jobs);
    json_uint(json, "dropped", measure->dropped);
    batch_figures_json(json, &arm->figures);
    json_summary(json, "wait_s", &measure->waits);
    json_summary(json, "jct_s", &measure->completions);
    json_percents(json, measure, &measure->span);
    json_window(json, sim, measure);
    json_uint(json, "evictions", measure->evictions);
    json_fixed(json, "evictions_per_job", evictions_per_job(measure), 6);
    json_uint(json, "moves", measure->moves);
    json_fixed(json, "gpu_hours", measure->asked / HOUR_S, 3);
    json_fixed(json, "lost_gpu_hours", measure->lost / HOUR_S, 3);
    json_fixed(json, "lost_percent", lost_percent(measure), 4);
    json_fixed(json, "guaranteed_head_wait_max_s",
               sim->quotas != NULL ? (double)measure->head_wait_us * 1e-6 : NAN, 3);
    json_fixed(json, "jain_served", job_metrics_jain(measure), 4);
    json_vcs(json, sim, measure);
    json_uint(json, "cycles", arm->result.cycles);
    json_uint(json, "decisions", arm->result.decisions);
    json_fixed(json, "library_s", (double)arm->result.library_ns * 1e-9, 3);
    json_hash(json, "plans_hash", arm->result.plans_hash);
    json_close(json);
}

void philly_report_json(struct philly_simulation *sim) {
    struct json json;
    if (sim->n_arms == 1) {
        json_begin(&json, stdout);
        json_arm(&json, sim, &sim->arms[0]);
        json_end(&json);
        return;
    }
    json_begin_object(&json, stdout);
    json_array(&json, "policies", JSON_LINES);
    for (size_t i = 0; i < sim->n_arms; i++) json_arm(&json, sim, &sim->arms[i]);
    json_close(&json);
    json_end(&json);
}

/* ---- table ---- */

/* One value in the column of an arm in the table. */
struct figure {
    const char *name;
    int decimals; /* number of decimals; SPAN if the value is a duration in seconds */
    double value;
    bool hidden;
};
enum { SPAN = -1, FIGURES = 15 };

static void read_figures(const struct philly_simulation *sim, struct job_metrics *measure,
                         struct figure out[FIGURES]) {
    const struct metric_summary wait = metric_summarize(&measure->waits),
                                completion = metric_summarize(&measure->completions);
    const struct unit_integral *span = &measure->span, *window = &measure->window;
    bool no_window = sim->window[1] <= sim->window[0];
    const struct figure figures[FIGURES] = {
        {"jobs", 0, (double)measure->jobs, false},
        {"wait, mean", SPAN, wait.mean, false},
        {"wait, 95 of 100 jobs", SPAN, wait.p95, false},
        {"completion, mean", SPAN, completion.mean, false},
        {"completion, 95 of 100 jobs", SPAN, completion.p95, false},
        {"GPUs in use, %", 1, job_metrics_used(measure, span), false},
        {"GPUs idle, %", 1, 100 - job_metrics_used(measure, span), false},
        {"  avoidable, % of all", 2, job_metrics_avoidable(measure, span), false},
        {NULL, 1, 100 - job_metrics_used(measure, window), no_window},
        {"  avoidable, % of all", 2, job_metrics_avoidable(measure, window), no_window},
        {"evictions", 0, (double)measure->evictions, false},
        {"moves", 0, (double)measure->moves, false},
        {"work lost, % of GPU hours", 2, lost_percent(measure), false},
        {"longest wait of a guaranteed head", SPAN, (double)measure->head_wait_us * 1e-6,
         sim->quotas == NULL},
        {"Jain index of served/asked", 3, job_metrics_jain(measure), false}};
    memcpy(out, figures, sizeof figures);
}

static void print_row(const struct philly_simulation *sim, struct text_table *table,
                      struct figure figures[][FIGURES], size_t row) {
    char text[TIME_TEXT_BYTES];
    if (figures[0][row].hidden) return;
    if (figures[0][row].name != NULL) {
        table_cell(table, "%s", figures[0][row].name);
    } else {
        table_cell(table, "GPUs idle, days %" PRId64 " to %" PRId64 ", %%", sim->window[0],
                   sim->window[1]);
    }
    for (size_t i = 0; i < sim->n_arms; i++) {
        const struct figure *figure = &figures[i][row];
        if (figure->decimals == SPAN) {
            table_cell(table, "%s", span_short(figure->value, text));
        } else {
            table_cell(table, "%.*f", figure->decimals, figure->value);
        }
    }
}

static void print_heading(const struct philly_simulation *sim) {
    const struct job_metrics *measure = &sim->arms[0].result.measure;
    char from[TIME_TEXT_BYTES], to[TIME_TEXT_BYTES];
    printf("philly: %zu jobs of %zu VCs, %.10s to %.10s; %" PRIu64 " dropped\n", sim->list.n_jobs,
           sim->list.n_queues, time_format(measure->span.from_us, from),
           time_format(measure->span.to_us, to), measure->dropped);
    printf("%" PRId64 " GPUs on %" PRId64 " nodes; victims protected for %" PRId64
           " min, checkpoints every %" PRId64 " min\n\n",
           sim->args->gpus, sim->args->gpus / sim->args->gpus_per_node, sim->args->protect_minutes,
           sim->args->checkpoint_minutes);
}

void philly_report_print(struct philly_simulation *sim) {
    static const char align[] = "lrrrrrrrrr";
    struct text_table table;
    char columns[PHILLY_ARMS_MAX + 2];
    struct figure figures[PHILLY_ARMS_MAX][FIGURES] = {{{0}}};
    size_t n = sim->n_arms + 1;
    snprintf(columns, sizeof columns, "%.*s", (int)n, align);
    print_heading(sim);
    table_begin(&table, columns);
    table_cell(&table, "%s", "");
    for (size_t i = 0; i < sim->n_arms; i++) {
        const struct philly_arm *arm = &sim->arms[i];
        table_cell(&table, "%s", arm->static_partition ? "static partition" : arm->policy->word);
        read_figures(sim, &sim->arms[i].result.measure, figures[i]);
    }
    for (size_t row = 0; row < FIGURES; row++) print_row(sim, &table, figures, row);
    table_print(&table, stdout, 0, 0);
}
