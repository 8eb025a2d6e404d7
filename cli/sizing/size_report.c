/* size_report.c -- see size_report.h. */
#include "cli/sizing/size_report.h"

#include <inttypes.h>
#include <string.h>

#include "cli/support/number_text.h"
#include "cli/support/text_table.h"
#include "cli/support/time_text.h"

static double gpus(int64_t milli) {
    return (double)milli / 1000.0;
}

/* ---- text ---- */

enum { KEPT_LINES_MAX = 20, SIZE_RULES_MAX = 16 };

/* What a reason to keep a size means. */
static const char *kept_because(uint32_t reason) {
    switch (reason) {
    case LSCHED_ADVICE_FITS: return "no smaller size is enough";
    case LSCHED_ADVICE_FEW: return "too few samples";
    case LSCHED_ADVICE_STALE: return "no samples of late";
    case LSCHED_ADVICE_SILENT: return "all late samples are 0";
    case LSCHED_ADVICE_CAPACITY: return "it uses all it has, and no size is larger";
    case LSCHED_ADVICE_MARGIN: return "a smaller size leaves less than 5 %";
    case LSCHED_ADVICE_NONE: return "no size is enough";
    case SIZE_KINDS: return "its GPU can be of several kinds";
    case SIZE_NO_KIND: return "no GPU here is what it asks for";
    case SIZE_GROUPS: return "it has several groups of tasks";
    case SIZE_ALTERNATIVES: return "it has several requests for GPUs";
    case SIZE_DEVICES: return "it has several whole GPUs";
    case SIZE_MEDIA: return "its profile has media engines";
    case SIZE_UNIT: return "its samples of memory are beyond its GPU; the unit is MiB";
    default: return "it was changed lately";
    }
}

/* The evidence that decided. */
static void evidence_cell(struct text_table *table, const struct size_row *row) {
    if (row->kind == NULL)
        table_cell(table, "-");
    else
        table_cell(table, "%s: %s", row->by_compute ? "compute" : "memory",
                   row->by_compute ? row->compute : row->memory);
}

/* The way to share the device, with the number of its rule. */
static void mode_cell(struct text_table *table, const struct size_row *row) {
    if (row->rule_text == NULL)
        table_cell(table, "-");
    else if (row->rule == KEPT_RULE)
        table_cell(table, "%s, kept", lsched_forecast_mode_name(row->mode));
    else
        table_cell(table, "%s, rule %" PRIu32, lsched_forecast_mode_name(row->mode), row->rule);
}

static void text_changes(const struct size_advice *advice) {
    struct text_table table;
    bool shares = false;
    table_begin(&table, "llllrll");
    TABLE_WORDS(&table, "job", "kind", "from", "to", "saved", "share by", "because of");
    for (size_t i = 0; i < advice->n_rows; i++) {
        const struct size_row *row = &advice->rows[i];
        if (!size_row_changes(row)) continue;
        shares = shares || strcmp(row->kind, "share") == 0;
        TABLE_WORDS(&table, row->job, row->kind, row->from, row->to);
        table_cell(&table, "%.3f", gpus(row->saved_milli));
        mode_cell(&table, row);
        evidence_cell(&table, row);
    }
    table_print(&table, stdout, 2, 0);
    if (shares) printf("  A share replaces gpu, gpu_memory and gpu_sm_count of the request.\n");
}

static void text_kept(const struct size_advice *advice, size_t kept) {
    struct text_table table;
    size_t shown = 0;
    if (kept == 0) return;
    printf("\n%zu job%s with samples keep%s the size:\n", kept, plural(kept), kept == 1 ? "s" : "");
    table_begin(&table, "llllll");
    TABLE_WORDS(&table, "job", "size", "share by", "reason", "that is", "evidence");
    for (size_t i = 0; i < advice->n_rows && shown < KEPT_LINES_MAX; i++) {
        const struct size_row *row = &advice->rows[i];
        if (size_row_changes(row)) continue;
        shown++;
        TABLE_WORDS(&table, row->job, row->kind != NULL ? row->from : "-");
        mode_cell(&table, row);
        TABLE_WORDS(&table, size_reason_word(row->reason), kept_because(row->reason));
        evidence_cell(&table, row);
    }
    table_print(&table, stdout, 2, 0);
    if (kept > shown) printf("  ... and %zu more: --json has all.\n", kept - shown);
}

/* The rules that chose a way to share, in words. */
static void text_rules(const struct size_advice *advice) {
    const char *texts[SIZE_RULES_MAX] = {NULL};
    for (size_t i = 0; i < advice->n_rows; i++)
        if (advice->rows[i].rule_text != NULL && advice->rows[i].rule < SIZE_RULES_MAX)
            texts[advice->rows[i].rule] = advice->rows[i].rule_text;
    for (uint32_t rule = 0; rule < SIZE_RULES_MAX; rule++) {
        if (texts[rule] == NULL) continue;
        if (rule == KEPT_RULE)
            printf("  kept: %s\n", texts[rule]);
        else
            printf("  rule %" PRIu32 ": %s\n", rule, texts[rule]);
    }
}

static void text_resizes(const struct size_advice *advice) {
    size_t changes = 0;
    int64_t saved = 0;
    for (size_t i = 0; i < advice->n_rows; i++) {
        if (!size_row_changes(&advice->rows[i])) continue;
        changes++;
        saved += advice->rows[i].saved_milli;
    }
    printf("\n%zu of %zu job%s with samples should get another size, which ", changes,
           advice->n_rows, plural(advice->n_rows));
    if (saved < 0)
        printf("takes %.3f GPUs more%s\n", gpus(-saved), changes > 0 ? ":" : ".");
    else
        printf("saves %.3f GPUs%s\n", gpus(saved), changes > 0 ? ":" : ".");
    if (changes > 0) text_changes(advice);
    text_kept(advice, advice->n_rows - changes);
    text_rules(advice);
}

/* What was read and not used. */
static void text_unused(const struct size_advice *advice) {
    const uint64_t *skipped = advice->skipped;
    if (advice->unknown_names > 0)
        printf("\nNot used: %" PRIu64 " sample%s of %zu name%s that no job of the scenario has, "
               "such as '%s'.\n",
               advice->unknown_samples, plural(advice->unknown_samples), advice->unknown_names,
               plural(advice->unknown_names), advice->unknown_first);
    if (skipped[USAGE_SKIP_METRIC] + skipped[USAGE_SKIP_JOB] + skipped[USAGE_SKIP_VALUE] > 0)
        printf("\nSkipped lines of metrics: %" PRIu64 " of other metrics, %" PRIu64
               " without a job (label exported_pod, hpc_job or pod), %" PRIu64
               " without a value (NaN).\n",
               skipped[USAGE_SKIP_METRIC], skipped[USAGE_SKIP_JOB], skipped[USAGE_SKIP_VALUE]);
    if (advice->silent > 0)
        printf("\nNo samples: %zu job%s with GPUs, such as '%s'.\n", advice->silent,
               plural(advice->silent), advice->silent_first);
}

static void text_layout(const struct size_layout *layout) {
    const struct gpu_kind *kind = layout->kind;
    printf("\nStatic layout of %" PRIu32 " device%s of %.*s in mode mig: %.3f of %.3f wanted "
           "GPUs%s\n",
           layout->devices, plural(layout->devices), (int)kind->table.len, kind->table.ptr,
           gpus((int64_t)layout->found.served_milli), gpus((int64_t)layout->found.wanted_milli),
           layout->found.exact ? ", the best there is:" : ":");
    for (uint32_t i = 0; i < layout->found.n_rows; i++) {
        printf("  %" PRIu32 " x", layout->rows[i].devices);
        for (uint32_t p = kind->n_profiles; p-- > 0;)
            if (layout->rows[i].instances[p] > 0)
                printf(" %" PRIu32 " %.*s", layout->rows[i].instances[p],
                       (int)kind->profiles[p].name.len, kind->profiles[p].name.ptr);
        printf("\n");
    }
    if (layout->found.free_devices > 0)
        printf("  %" PRIu32 " not needed\n", layout->found.free_devices);
    if (layout->others > 0)
        printf("  Not cut: %" PRIu32 " device%s of this kind in another mode.\n", layout->others,
               plural(layout->others));
}

void size_report_text(const struct size_advice *advice) {
    text_resizes(advice);
    text_unused(advice);
    for (size_t i = 0; i < advice->n_layouts; i++) text_layout(&advice->layouts[i]);
}

/* ---- JSON ---- */

static void json_row(struct json *json, const struct size_row *row) {
    char since[TIME_TEXT_BYTES];
    json_object(json, NULL, JSON_LINE);
    json_string(json, "job", row->job);
    if (row->kind != NULL) {
        json_string(json, "kind", row->kind);
        json_string(json, "from", row->from);
    }
    if (size_row_changes(row)) json_string(json, "to", row->to);
    json_string(json, "reason", size_reason_word(row->reason));
    if (size_row_changes(row)) json_fixed(json, "saved", gpus(row->saved_milli), 3);
    if (row->since_us != LSCHED_NEVER_US)
        json_string(json, "since", time_format(row->since_us, since));
    if (row->rule_text != NULL) {
        json_string(json, "mode", lsched_forecast_mode_name(row->mode));
        json_uint(json, "rule", row->rule);
        json_string(json, "rule_text", row->rule_text);
    }
    if (row->kind != NULL) {
        json_fixed(json, "risk", row->risk_ppm / 1e6, 6);
        json_string(json, "decided", row->by_compute ? "compute" : "memory");
        json_object(json, "evidence", JSON_LINE);
        json_string(json, "memory", row->memory);
        json_string(json, "compute", row->compute);
        json_close(json);
    }
    json_close(json);
}

static void json_rows(struct json *json, const char *key, const struct size_advice *advice,
                      bool changes) {
    json_array(json, key, JSON_LINES);
    for (size_t i = 0; i < advice->n_rows; i++)
        if (size_row_changes(&advice->rows[i]) == changes) json_row(json, &advice->rows[i]);
    json_close(json);
}

/* Writes the profiles that are there, with their numbers. */
static void json_counts(struct json *json, const char *key, const struct gpu_kind *kind,
                        const uint32_t *counts) {
    json_object(json, key, JSON_LINE);
    for (uint32_t p = 0; p < kind->n_profiles; p++)
        if (counts[p] > 0) json_uint(json, kind->profiles[p].name.ptr, counts[p]);
    json_close(json);
}

static void json_layout(struct json *json, const struct size_layout *layout) {
    const lsched_forecast_layout *found = &layout->found;
    json_object(json, NULL, JSON_LINES);
    json_text(json, "table", layout->kind->table.ptr, (size_t)layout->kind->table.len);
    json_uint(json, "devices", layout->devices);
    json_uint(json, "not_cut", layout->others);
    json_array(json, "cut", JSON_LINES);
    for (uint32_t i = 0; i < found->n_rows; i++) {
        json_object(json, NULL, JSON_LINE);
        json_uint(json, "devices", layout->rows[i].devices);
        json_counts(json, "instances", layout->kind, layout->rows[i].instances);
        json_close(json);
    }
    json_close(json);
    json_uint(json, "free", found->free_devices);
    json_counts(json, "served", layout->kind, found->served);
    json_fixed(json, "served_gpus", gpus((int64_t)found->served_milli), 3);
    json_fixed(json, "wanted_gpus", gpus((int64_t)found->wanted_milli), 3);
    json_fixed(json, "bound_gpus", gpus((int64_t)found->bound_milli), 3);
    json_bool(json, "exact", found->exact != 0);
    json_close(json);
}

static void json_unused(struct json *json, const struct size_advice *advice) {
    json_object(json, "unused", JSON_LINES);
    json_uint(json, "samples", advice->unknown_samples);
    json_uint(json, "names", advice->unknown_names);
    if (advice->unknown_first != NULL) json_string(json, "first", advice->unknown_first);
    json_uint(json, "lines_of_other_metrics", advice->skipped[USAGE_SKIP_METRIC]);
    json_uint(json, "lines_without_job", advice->skipped[USAGE_SKIP_JOB]);
    json_uint(json, "lines_without_value", advice->skipped[USAGE_SKIP_VALUE]);
    json_uint(json, "jobs_without_samples", advice->silent);
    json_close(json);
}

void size_report_json(const struct size_advice *advice, struct json *json) {
    json_rows(json, "resize", advice, true);
    json_rows(json, "keep", advice, false);
    json_array(json, "layout", JSON_LINES);
    for (size_t i = 0; i < advice->n_layouts; i++) json_layout(json, &advice->layouts[i]);
    json_close(json);
    json_unused(json, advice);
}
