/*
 * pack_chart.h -- draws charts of plans with characters: the number of bins that the load fills
 * over time, and the memory slices in use on each MIG GPU over time.
 *
 * Unicode has block characters with heights of one to eight eighths, and a MIG GPU has at most
 * eight memory slices. Therefore one character can show one GPU during one interval: its height is
 * the number of slices in use. Colours are used only on a terminal. `chart_style.ascii` asks for
 * ASCII characters.
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
    /* drawn with faint characters above `inner` in each column where outer > inner */
    double outer[CHART_COLUMNS];
    double top;       /* value at the upper edge of the chart */
    const char *unit; /* text at the upper end of the vertical axis, such as "bins" */
};
void chart_area_print(FILE *out, const struct chart_area *area, struct chart_style style);

/* Prints a line of CHART_COLUMNS bars. `levels` has the height of each bar, from 0 to CHART_LEVELS.
 * The label has at most 7 characters. */
void chart_bars_print(FILE *out, const char *label, const double *levels, struct chart_style style);

/* Prints the time axis below a chart, with labels at the beginning, at the end and at equal
 * distances between. If `numbers` is true, the labels are plain seconds, as in the instances of the
 * literature; otherwise the labels have units. */
void chart_axis_print(FILE *out, int64_t from_us, int64_t to_us, bool numbers);

/* Adds `amount` to the columns that the interval [start_us, end_us) overlaps. The `n` columns
 * divide the time from from_us to to_us equally. A column that the interval covers only partly gets
 * the covered portion of the amount. */
void chart_add(double *columns, int n, int64_t from_us, int64_t to_us, int64_t start_us,
               int64_t end_us, double amount);

#endif
