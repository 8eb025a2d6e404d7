/* size_report.c -- see size_report.h. */
#include "cli/sizing/size_report.h"

#include <inttypes.h>
#include <string.h>

#include "cli/support/number_text.h"
#include "cli/support/text_table.h"

static bool row_changes(const struct size_row *row) {
    return row->reason == LSCHED_ADVICE_GROWN || row->reason == LSCHED_ADVICE_SHRUNK;
}

static double gpus(int64_t milli) {
    return (double)milli / 1000.0;
}

/* ---- text ---- */

static void text_resizes(const struct size_advice *advice) {
    struct text_table table;
    size_t changes = 0;
    int64_t saved = 0;
    for (size_t i = 0; i < advice->n_rows; i++) {
        changes += row_changes(&advice->rows[i]);
        saved += advice->rows[i].saved_milli;
    }
    printf("\n%zu of %zu job%s with samples should get another size, which saves %.3f GPUs%s\n",
           changes, advice->n_rows, plural(advice->n_rows), gpus(saved), changes > 0 ? ":" : ".");
    if (changes == 0) return;
    table_begin(&table, "llllrl");
    TABLE_WORDS(&table, "job", "kind", "from", "to", "saved", "memory");
    for (size_t i = 0; i < advice->n_rows; i++) {
        const struct size_row *row = &advice->rows[i];
        if (!row_changes(row)) continue;
        TABLE_WORDS(&table, row->job, row->kind, row->from, row->to);
        table_cell(&table, "%.3f", gpus(row->saved_milli));
        table_cell(&table, "%s", row->memory);
    }
    table_print(&table, stdout, 2, 0);
}

static void text_layout(const struct size_layout *layout) {
    const struct gpu_kind *kind = layout->kind;
    printf("\nStatic layout of %" PRIu32 " device%s of %.*s: %.3f of %.3f wanted GPUs%s\n",
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
}

void size_report_text(const struct size_advice *advice) {
    text_resizes(advice);
    for (size_t i = 0; i < advice->n_layouts; i++) text_layout(&advice->layouts[i]);
}

/* ---- JSON ---- */

static void json_row(struct json *json, const struct size_row *row) {
    json_object(json, NULL, JSON_LINE);
    json_string(json, "job", row->job);
    json_string(json, "kind", row->kind);
    json_string(json, "from", row->from);
    if (row_changes(row)) json_string(json, "to", row->to);
    json_string(json, "reason", lsched_forecast_reason_name(row->reason));
    json_fixed(json, "risk", row->risk_ppm / 1e6, 6);
    if (row_changes(row)) json_fixed(json, "saved", gpus(row->saved_milli), 3);
    json_object(json, "evidence", JSON_LINE);
    json_string(json, "memory", row->memory);
    json_string(json, "compute", row->compute);
    json_close(json);
    json_close(json);
}

static void json_rows(struct json *json, const char *key, const struct size_advice *advice,
                      bool changes) {
    json_array(json, key, JSON_LINES);
    for (size_t i = 0; i < advice->n_rows; i++)
        if (row_changes(&advice->rows[i]) == changes) json_row(json, &advice->rows[i]);
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

void size_report_json(const struct size_advice *advice, struct json *json) {
    json_rows(json, "resize", advice, true);
    json_rows(json, "keep", advice, false);
    json_array(json, "layout", JSON_LINES);
    for (size_t i = 0; i < advice->n_layouts; i++) json_layout(json, &advice->layouts[i]);
    json_close(json);
}
