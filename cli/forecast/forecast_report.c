/* forecast_report.c -- see forecast_report.h. */
#include "cli/forecast/forecast_report.h"

#include "cli/support/json_writer.h"
#include "cli/support/text_table.h"
#include "cli/support/time_text.h"

#define SECOND_US 1000000
enum { SERIES_SHOWN = 12 };

static double mean(const struct horizon_score *score, double sum) {
    return score->scaled > 0 ? sum / (double)score->scaled : 0.0;
}

/* ---- JSON ---- */

static void json_quantile(struct json *json, const struct trial *trial,
                          const struct horizon_score *score, size_t q) {
    double quantile = trial->opts.quantiles[q];
    json_object(json, NULL, JSON_LINE);
    json_fixed(json, "quantile", quantile, 4);
    bool scaled = score->scaled > 0, judged = score->targets > 0;
    json_known(json, "pinball", scaled, mean(score, score->pinball[q]), 6);
    json_known(json, "coverage", scaled, mean(score, score->coverage[q]), 6);
    json_fixed(json, "stated_risk", 1.0 - quantile, 6);
    json_known(json, "realised_risk", judged, trial_ratio(trial, score, q) * (1.0 - quantile), 6);
    json_known(json, "ratio", judged, trial_ratio(trial, score, q), 4);
    json_known(json, "ratio_low", judged, score->low[q], 4);
    json_known(json, "ratio_high", judged, score->high[q], 4);
    json_fixed(json, "ratio_with_equal", trial_ratio_with_equal(trial, score, q), 4);
    json_close(json);
}

static void json_horizons(struct json *json, const struct trial *trial) {
    json_array(json, "horizons", JSON_LINES);
    for (size_t h = 0; h < LSCHED_FORECAST_HORIZONS; h++) {
        const struct horizon_score *score = &trial->scores[h];
        json_object(json, NULL, JSON_LINES);
        json_fixed(json, "seconds", (double)score->horizon_us / SECOND_US, 3);
        json_uint(json, "targets", score->targets);
        json_uint(json, "series_with_scale", score->scaled);
        json_known(json, "mase", score->scaled > 0, mean(score, score->mase), 6);
        json_array(json, "quantiles", JSON_LINES);
        for (size_t q = 0; q < trial->opts.n_quantiles; q++) json_quantile(json, trial, score, q);
        json_close(json);
        json_close(json);
    }
    json_close(json);
}

static void json_point(struct json *json, const struct trial *trial, const lsched_forecast *last,
                       size_t h) {
    const lsched_forecast_point *point = &last[0].points[h];
    json_object(json, NULL, JSON_LINE);
    json_fixed(json, "seconds", (double)point->horizon_us / SECOND_US, 3);
    json_fixed(json, "expected", point->expected, 6);
    json_string(json, "by", lsched_forecast_expert_name(point->expected_by));
    json_array(json, "upper", JSON_LINE);
    for (size_t q = 0; q < trial->opts.n_quantiles; q++)
        json_fixed(json, NULL, last[q].points[h].upper, 6);
    json_close(json);
    json_string(json, "upper_by", lsched_forecast_expert_name(point->upper_by));
    json_uint(json, "judged", point->judged);
    json_close(json);
}

void forecast_report_json(const struct trial *trial, const struct series_list *list,
                          const lsched_forecast *last) {
    struct json json;
    json_begin_object(&json, stdout);
    json_uint(&json, "series", trial->series);
    json_uint(&json, "samples", trial->samples);
    json_uint(&json, "late", trial->late);
    json_uint(&json, "slots", trial->slots);
    json_uint(&json, "gaps", trial->gaps);
    json_horizons(&json, trial);
    json_array(&json, "forecasts", JSON_LINES);
    for (size_t i = 0; i < list->n; i++) {
        const lsched_forecast *own = &last[i * trial->opts.n_quantiles];
        json_object(&json, NULL, JSON_LINES);
        json_string(&json, "series", list->items[i].name);
        json_array(&json, "points", JSON_LINES);
        for (size_t h = 0; h < LSCHED_FORECAST_HORIZONS; h++) json_point(&json, trial, own, h);
        json_close(&json);
        json_close(&json);
    }
    json_close(&json);
    json_end(&json);
}

/* ---- text ---- */

/* A figure without a series or a target behind it is "-": 0 would read as perfect. */
static void cell_known(struct text_table *table, bool known, double value, int decimals) {
    if (known)
        table_cell(table, "%.*f", decimals, value);
    else
        table_cell(table, "%s", "-");
}

static void text_scores(const struct trial *trial) {
    struct text_table table;
    char text[TIME_TEXT_BYTES];
    table_begin(&table, "rrrrrrrl");
    TABLE_WORDS(&table, "horizon", "targets", "MASE", "quantile", "pinball", "coverage", "risk",
                "realised / stated risk");
    for (size_t h = 0; h < LSCHED_FORECAST_HORIZONS; h++) {
        const struct horizon_score *score = &trial->scores[h];
        for (size_t q = 0; q < trial->opts.n_quantiles; q++) {
            table_cell(&table, "%s", q == 0 ? span_format(score->horizon_us, text) : "");
            if (q == 0) {
                table_cell(&table, "%llu", (unsigned long long)score->targets);
                cell_known(&table, score->scaled > 0, mean(score, score->mase), 3);
            } else {
                table_cell(&table, "%s", "");
                table_cell(&table, "%s", "");
            }
            table_cell(&table, "%g", trial->opts.quantiles[q]);
            cell_known(&table, score->scaled > 0, mean(score, score->pinball[q]), 3);
            cell_known(&table, score->scaled > 0, mean(score, score->coverage[q]), 3);
            cell_known(&table, score->targets > 0,
                       trial_ratio(trial, score, q) * (1.0 - trial->opts.quantiles[q]), 4);
            if (score->targets > 0)
                table_cell(&table, "%.2f (%.2f to %.2f)", trial_ratio(trial, score, q),
                           score->low[q], score->high[q]);
            else
                table_cell(&table, "%s", "-");
        }
    }
    table_print(&table, stdout, 2, 0);
}

static void text_forecasts(const struct trial *trial, const struct series_list *list,
                           const lsched_forecast *last) {
    struct text_table table;
    char text[TIME_TEXT_BYTES];
    table_begin(&table, "lrrlrl");
    TABLE_WORDS(&table, "series", "horizon", "expected", "by", "at most", "by");
    for (size_t i = 0; i < list->n && i < SERIES_SHOWN; i++) {
        const lsched_forecast *own = &last[i * trial->opts.n_quantiles];
        for (size_t h = 0; h < LSCHED_FORECAST_HORIZONS; h++) {
            const lsched_forecast_point *point = &own[0].points[h];
            table_cell(&table, "%s", h == 0 ? list->items[i].name : "");
            table_cell(&table, "%s", span_format(point->horizon_us, text));
            table_cell(&table, "%.6g", point->expected);
            table_cell(&table, "%s", lsched_forecast_expert_name(point->expected_by));
            table_cell(&table, "%.6g", own[trial->opts.n_quantiles - 1].points[h].upper);
            table_cell(&table, "%s", lsched_forecast_expert_name(point->upper_by));
        }
    }
    table_print(&table, stdout, 2, 0);
    if (list->n > SERIES_SHOWN)
        printf("  and %zu more series; --json prints all\n", list->n - SERIES_SHOWN);
}

void forecast_report_text(const struct trial *trial, const struct series_list *list,
                          const lsched_forecast *last) {
    printf("%llu series, %llu samples in %llu slots, %llu late, %llu slots without a sample\n\n",
           (unsigned long long)trial->series, (unsigned long long)trial->samples,
           (unsigned long long)trial->slots, (unsigned long long)trial->late,
           (unsigned long long)trial->gaps);
    printf("At the end of the samples (at most: with quantile %g):\n",
           trial->opts.quantiles[trial->opts.n_quantiles - 1]);
    text_forecasts(trial, list, last);
    printf("\nForecasts in the test part, compared with what came:\n");
    text_scores(trial);
}
