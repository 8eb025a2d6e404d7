/*
 * philly_report.c -- prints the arms of a replay as a table with one column each, and as JSON.
 */
#include <inttypes.h>
#include <stdio.h>

#include "cli/support/json_writer.h"
#include "cli/commands/philly_command.h"
#include "cli/replay/simulate_report.h"
#include "cli/support/text_table.h"
#include "cli/support/time_text.h"

#define HOUR_S 3600.0

/* ---- JSON ---- */

static void json_summary(struct json *json, const char *key, struct list_samples *samples) {
    struct list_summary summary = list_summarize(samples);
    json_object(json, key, JSON_LINE);
    json_fixed(json, "mean", summary.mean, 3);
    json_fixed(json, "p50", summary.p50, 3);
    json_fixed(json, "p95", summary.p95, 3);
    json_fixed(json, "max", summary.max, 3);
    json_close(json);
}

static void json_percents(struct json *json, const struct list_measure *measure,
                          const struct unit_integral *of) {
    if (of->from_us == of->to_us) { /* all jobs were submitted at the same time */
        json_null(json, "utilization_percent");
        json_null(json, "idle_percent");
        json_null(json, "avoidable_idle_percent");
        return;
    }
    double used = list_used_percent(measure, of);
    json_fixed(json, "utilization_percent", used, 4);
    json_fixed(json, "idle_percent", 100 - used, 4);
    json_fixed(json, "avoidable_idle_percent", list_avoidable_percent(measure, of), 4);
}

static void json_window(struct json *json, const struct philly_simulation *sim,
                        const struct list_measure *measure) {
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

static double evictions_per_job(const struct list_measure *measure) {
    return measure->jobs > 0 ? (double)measure->evictions / (double)measure->jobs : 0;
}

static double lost_percent(const struct list_measure *measure) {
    return measure->asked > 0 ? 100 * measure->lost / measure->asked : 0;
}

static void json_vcs(struct json *json, const struct philly_simulation *sim,
                     const struct list_measure *measure) {
    json_array(json, "vcs", JSON_LINES);
    for (size_t i = 0; i < measure->n_queues; i++) {
        const struct queue_measure *vc = &measure->queues[i];
        json_object(json, NULL, JSON_LINE);
        json_text(json, "name", sim->list.queues[i].name.ptr, sim->list.queues[i].name.len);
        if (sim->quotas != NULL) {
            json_int(json, "quota_gpus", vc->quota_units);
        } else {
            json_null(json, "quota_gpus");
        }
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
    const struct list_measure *measure = &arm->result.measure;
    char time[TIME_TEXT_BYTES];
    json_string(json, "policy", arm->policy->word);
    json_bool(json, "static_partition", arm->static_partition);
    json_string(json, "queues", sim->quotas != NULL ? "by-vc" : "one");
    json_bool(json, "overtake", sim->args->overtake);
    json_bool(json, "known_durations", sim->args->known_durations);
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
    struct list_measure *measure = &arm->result.measure;
    json_object(json, NULL, JSON_LINES);
    json_setup(json, sim, arm);
    json_uint(json, "list_jobs", sim->list.n_jobs);
    json_uint(json, "dropped", measure->dropped);
    json_uint(json, "jobs", measure->jobs);
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
    if (sim->quotas != NULL) {
        json_fixed(json, "guaranteed_head_wait_max_s", (double)measure->head_wait_us * 1e-6, 3);
    } else {
        json_null(json, "guaranteed_head_wait_max_s");
    }
    json_fixed(json, "jain_served", list_jain(measure), 4);
    json_vcs(json, sim, measure);
    json_uint(json, "cycles", arm->result.cycles);
    json_uint(json, "decisions", arm->result.decisions);
    json_fixed(json, "library_s", (double)arm->result.library_ns * 1e-9, 3);
    json_hash(json, "plans_hash", arm->result.plans_hash);
    json_close(json);
}

void philly_print_json(struct philly_simulation *sim) {
    struct json json;
    json_begin(&json, stdout);
    if (sim->n_arms > 1) json_array(&json, NULL, JSON_LINES);
    for (size_t i = 0; i < sim->n_arms; i++) json_arm(&json, sim, &sim->arms[i]);
    if (sim->n_arms > 1) json_close(&json);
    json_end(&json);
}

/* ---- table ---- */

/* The rows of the table. */
enum row {
    ROW_JOBS,
    ROW_WAIT_MEAN,
    ROW_WAIT_P95,
    ROW_JCT_MEAN,
    ROW_JCT_P95,
    ROW_UTILIZATION,
    ROW_IDLE,
    ROW_AVOIDABLE,
    ROW_WINDOW_IDLE,
    ROW_WINDOW_AVOIDABLE,
    ROW_EVICTIONS,
    ROW_MOVES,
    ROW_LOST,
    ROW_HEAD,
    ROW_JAIN,
    ROWS
};

static const char *const row_names[ROWS] = {
    "jobs",
    "wait, mean",
    "wait, 95 of 100 jobs",
    "completion, mean",
    "completion, 95 of 100 jobs",
    "GPUs in use, %",
    "GPUs idle, %",
    "  avoidable, % of all",
    "",
    "  avoidable, % of all",
    "evictions",
    "moves",
    "work lost, % of GPU hours",
    "longest wait of a guaranteed head",
    "Jain index of served/asked",
};

static void span_cell(struct text_table *table, double seconds) {
    char text[TIME_TEXT_BYTES];
    table_cell(table, "%s", span_short(seconds, text));
}

static void print_cell(struct text_table *table, struct list_measure *measure, enum row row) {
    switch (row) {
    case ROW_JOBS: table_cell(table, "%" PRIu64, measure->jobs); break;
    case ROW_WAIT_MEAN: span_cell(table, list_summarize(&measure->waits).mean); break;
    case ROW_WAIT_P95: span_cell(table, list_summarize(&measure->waits).p95); break;
    case ROW_JCT_MEAN: span_cell(table, list_summarize(&measure->completions).mean); break;
    case ROW_JCT_P95: span_cell(table, list_summarize(&measure->completions).p95); break;
    case ROW_UTILIZATION:
        table_cell(table, "%.1f", list_used_percent(measure, &measure->span));
        break;
    case ROW_IDLE:
        table_cell(table, "%.1f", 100 - list_used_percent(measure, &measure->span));
        break;
    case ROW_AVOIDABLE:
        table_cell(table, "%.2f", list_avoidable_percent(measure, &measure->span));
        break;
    case ROW_WINDOW_IDLE:
        table_cell(table, "%.1f", 100 - list_used_percent(measure, &measure->window));
        break;
    case ROW_WINDOW_AVOIDABLE:
        table_cell(table, "%.2f", list_avoidable_percent(measure, &measure->window));
        break;
    case ROW_EVICTIONS: table_cell(table, "%" PRIu64, measure->evictions); break;
    case ROW_MOVES: table_cell(table, "%" PRIu64, measure->moves); break;
    case ROW_LOST: table_cell(table, "%.2f", lost_percent(measure)); break;
    case ROW_HEAD: span_cell(table, (double)measure->head_wait_us * 1e-6); break;
    case ROW_JAIN: table_cell(table, "%.3f", list_jain(measure)); break;
    case ROWS: break;
    }
}

static bool is_shown(const struct philly_simulation *sim, enum row row) {
    if (row == ROW_WINDOW_IDLE || row == ROW_WINDOW_AVOIDABLE)
        return sim->window[1] > sim->window[0];
    return row != ROW_HEAD || sim->quotas != NULL;
}

static void print_row(struct philly_simulation *sim, struct text_table *table, enum row row) {
    if (row == ROW_WINDOW_IDLE) {
        table_cell(table, "GPUs idle, days %" PRId64 " to %" PRId64 ", %%", sim->window[0],
                   sim->window[1]);
    } else {
        table_cell(table, "%s", row_names[row]);
    }
    for (size_t i = 0; i < sim->n_arms; i++) print_cell(table, &sim->arms[i].result.measure, row);
}

static void print_heading(const struct philly_simulation *sim) {
    const struct list_measure *measure = &sim->arms[0].result.measure;
    char from[TIME_TEXT_BYTES], to[TIME_TEXT_BYTES];
    printf("philly: %zu jobs of %zu VCs, %.10s to %.10s; %" PRIu64 " dropped\n", sim->list.n_jobs,
           sim->list.n_queues, time_format(measure->span.from_us, from),
           time_format(measure->span.to_us, to), measure->dropped);
    printf("%" PRId64 " GPUs on %" PRId64 " nodes; victims protected for %" PRId64
           " min, checkpoints every %" PRId64 " min\n\n",
           sim->args->gpus, sim->args->gpus / sim->args->gpus_per_node, sim->args->protect_minutes,
           sim->args->checkpoint_minutes);
}

void philly_print_table(struct philly_simulation *sim) {
    static const char align[] = "lrrrrrrrrr";
    struct text_table table;
    char columns[PHILLY_ARMS_MAX + 2];
    size_t n = sim->n_arms + 1;
    snprintf(columns, sizeof columns, "%.*s", (int)n, align);
    print_heading(sim);
    table_begin(&table, columns);
    table_cell(&table, "%s", "");
    for (size_t i = 0; i < sim->n_arms; i++) {
        const struct philly_arm *arm = &sim->arms[i];
        table_cell(&table, "%s", arm->static_partition ? "static partition" : arm->policy->word);
    }
    for (enum row row = 0; row < ROWS; row++) {
        if (is_shown(sim, row)) print_row(sim, &table, row);
    }
    table_print(&table, stdout, 0, 0);
}
