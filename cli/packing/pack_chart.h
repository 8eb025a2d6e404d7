/*
 * pack_chart.h -- draws plans with characters: how many bins the load fills over time, and how
 * full each MIG GPU is.
 *
 * Unicode has blocks in steps of an eighth, and a MIG GPU has eight memory slices. One character
 * shows one GPU for one interval, as high as the number of slices in use. Colours are used only on
 * a terminal; ASCII is available on request.
 */
#ifndef LSCHED_CLI_PACK_CHART_H
#define LSCHED_CLI_PACK_CHART_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { CHART_COLUMNS = 68, CHART_ROWS = 8, CHART_LEVELS = 8 };

struct chart_style {
    bool colour, ascii;
};

/* Returns the style for stdout: colours if stdout is a terminal and neither NO_COLOR nor TERM=dumb
 * is set. */
struct chart_style chart_style_of(bool ascii);

struct chart_area {
    double inner[CHART_COLUMNS]; /* drawn with full characters */
    double outer[CHART_COLUMNS]; /* drawn with faint characters above `inner` where it is larger */
    double top;
    const char *unit; /* text in the corner of the chart */
};
void chart_area_print(FILE *out, const struct chart_area *area, struct chart_style style);

/* Prints a line of bars with levels from 0 to CHART_LEVELS. The label has at most 7 columns. */
void chart_bars_print(FILE *out, const char *label, const double *levels, struct chart_style style);

/* Prints the axis of time below a chart, with labels at the beginning, at the end and between.
 * With `numbers` the labels are plain seconds, as in instances of the literature. A '^' marks the
 * time mark_us; INT64_MAX means no mark. */
void chart_axis_print(FILE *out, int64_t from_us, int64_t to_us, bool numbers);

/* Adds `amount` to the columns that the interval [start_us, end_us) touches, weighted by the
 * portion of each column that the interval covers. */
void chart_add(double *columns, int n, int64_t from_us, int64_t to_us, int64_t start_us,
               int64_t end_us, double amount);

#endif
