/*
 * pack_report.c -- see pack_report.h.
 */
#include "cli/packing/pack_report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/support/number_text.h"
#include "cli/packing/pack_curve.h"
#include "cli/packing/pack_chart.h"
#include "cli/packing/pack_svg.h"
#include "cli/input/row_scan.h"
#include "cli/support/text_table.h"
#include "cli/support/time_text.h"

double pack_report_gap(double value, double bound) {
    return bound > 0 ? 100 * (value - bound) / bound : NAN;
}

/* Returns how far the number of bins is above the lower bound, in percent. The bound holds only for
 * plans that place all items, therefore the function returns NaN for a plan that leaves items
 * out. */
static double gap_of(const lsched_pack_info *info) {
    return info->left_out > 0 ? NAN : pack_report_gap(info->bins, info->lower_bound_bins);
}

/* ---- JSON ---- */

void pack_report_json(struct json *json, const struct pack_result *result) {
    const lsched_pack_info *info = &result->info;
    json_uint(json, "bins", info->bins);
    json_uint(json, "lower_bound", info->lower_bound_bins);
    json_fixed(json, "gap_percent", gap_of(info), 4);
    json_fixed(json, "seconds", (double)result->core_ns * 1e-9, 3);
    json_bool(json, "proved", info->proved != 0);
    json_uint(json, "left_out", info->left_out);
    json_string(json, "method", pack_method_word(info->method));
    json_string(json, "bound", pack_bound_word(info->bound));
    json_uint(json, "work", info->work);
    json_uint(json, "memory_bytes", info->memory_bytes);
}

void pack_report_items_json(struct json *json, const lsched_pack_problem *problem,
                            const struct pack_result *result) {
    json_array(json, "items", JSON_LINES);
    for (size_t i = 0; i < result->n_places; i++) {
        const lsched_pack_place *place = &result->places[i];
        const lsched_text *name = &problem->items[place->item].name;
        json_object(json, NULL, JSON_LINE);
        json_text(json, "item", name->ptr, (size_t)name->len);
        if (place->bin == LSCHED_PACK_NONE) {
            json_null(json, "bin");
        } else {
            json_uint(json, "bin", place->bin);
            json_fixed(json, "start", (double)place->start_us / (double)MILLION, 6);
            json_fixed(json, "end", (double)place->end_us / (double)MILLION, 6);
        }
        json_close(json);
    }
    json_close(json);
}

/* ---- text ---- */

static void print_bins(const lsched_pack_info *info) {
    char a[32];
    printf("  %s bin%s", count_text(info->bins, a), plural(info->bins));
    if (info->left_out > 0)
        printf(", and %s item%s left out", count_text(info->left_out, a), plural(info->left_out));
    if (info->bins == info->lower_bound_bins && info->left_out == 0) {
        printf("; no plan has fewer (bound: %s)\n", pack_bound_word(info->bound));
        return;
    }
    printf("; no plan for all items has fewer than %s", count_text(info->lower_bound_bins, a));
    if (info->left_out == 0 && info->lower_bound_bins > 0) printf(": gap %.2f %%", gap_of(info));
    printf(" (bound: %s)\n", pack_bound_word(info->bound));
}

void pack_report_print(const struct pack_run *run, const struct pack_result *result) {
    char a[32];
    print_bins(&result->info);
    printf("  found by %s in %s units of work, %.2f s, %.1f MiB\n",
           pack_method_word(result->info.method), count_text(result->info.work, a),
           (double)result->core_ns * 1e-9, (double)result->info.memory_bytes / (1 << 20));
    if (result->cut_off && run->wish.method == LSCHED_PACK_METHOD_EXACT && !result->info.proved)
        printf("  the search was not exhaustive: give it more --work\n");
}

void pack_report_items(const lsched_pack_problem *problem, const struct pack_result *result,
                       bool numbers) {
    struct text_table table;
    char from[TIME_TEXT_BYTES], to[TIME_TEXT_BYTES];
    table_begin(&table, "lrrr");
    TABLE_WORDS(&table, "item", "bin", "from", "to");
    for (size_t i = 0; i < result->n_places; i++) {
        const lsched_pack_place *place = &result->places[i];
        const lsched_text *name = &problem->items[place->item].name;
        table_cell(&table, "%.*s", (int)name->len, name->ptr);
        if (place->bin == LSCHED_PACK_NONE) {
            for (int c = 0; c < 3; c++) table_cell(&table, "-");
            continue;
        }
        table_cell(&table, "%" PRIu32, place->bin);
        if (numbers) {
            table_cell(&table, "%.12g", (double)place->start_us / (double)MILLION);
            table_cell(&table, "%.12g", (double)place->end_us / (double)MILLION);
        } else {
            table_cell(&table, "%s", span_format(place->start_us, from));
            table_cell(&table, "%s", span_format(place->end_us, to));
        }
    }
    printf("\n");
    table_print(&table, stdout, 2, 0);
}

/* ---- pictures ---- */

void pack_report_chart(const struct pack_run *run, const lsched_pack_problem *problem,
                       const struct pack_result *result, bool numbers) {
    struct pack_curve curve;
    struct chart_area area = {.top = result->info.bins, .unit = "bins"};
    struct chart_style style = chart_style_of(run->args->ascii);
    if (!pack_curve_make(problem, result, CHART_COLUMNS, &curve)) return;
    memcpy(area.inner, curve.load, sizeof area.inner);
    memcpy(area.outer, curve.on, sizeof area.outer);
    printf("\n");
    chart_area_print(stdout, &area, style);
    chart_axis_print(stdout, curve.from_us, curve.to_us, numbers);
    printf("        full: what the load would fill; faint: bins that are on, of %" PRIu32 "\n",
           result->info.bins);
}

int pack_report_svg(const struct pack_run *run, const lsched_pack_problem *problem,
                    const struct pack_result *result, bool numbers) {
    enum { HEIGHT = 360, TOP = 60, TALL = 240 };
    struct pack_curve curve;
    struct svg svg;
    char text[128];
    if (run->args->svg == NULL || !pack_curve_make(problem, result, CURVE_COLUMNS_MAX, &curve))
        return EXIT_OK;
    int rc = svg_begin(&svg, run->args->svg, HEIGHT, "Bins over time");
    if (rc != EXIT_OK) return rc;
    svg.from = (double)curve.from_us;
    svg.to = (double)curve.to_us;
    snprintf(text, sizeof text,
             "%" PRIu32 " bins; every plan for all items needs at least %" PRIu32
             " (dark: bins that the load would fill; faint: bins that are on)",
             result->info.bins, result->info.lower_bound_bins);
    svg_text(&svg, svg.left, TOP - 24, "start", false, text);
    svg_area(&svg, curve.on, curve.n, result->info.bins, TOP, TALL, SVG_FAINT);
    svg_area(&svg, curve.load, curve.n, result->info.bins, TOP, TALL, SVG_MIDDLE);
    snprintf(text, sizeof text, "%" PRIu32, result->info.bins);
    svg_text(&svg, svg.left - 10, TOP + 5, "end", true, text);
    svg_text(&svg, svg.left - 10, TOP + TALL + 4, "end", true, "0");
    svg_axis(&svg, TOP + TALL, numbers);
    return svg_end(&svg);
}
