/*
 * pack_chart.h -- pictures of plans in characters: how many bins the load fills over time, and what
 * each MIG GPU does.
 *
 * Eighths of a block are what Unicode has, and a MIG GPU has eight memory slices: one character is
 * one GPU for a while, as high as the slices in use. Colour on a terminal only; ASCII on demand.
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

/* Colour where stdout is a terminal and nobody objects (NO_COLOR, TERM=dumb). */
struct chart_style chart_style_of(bool ascii);

struct chart_area {
    double inner[CHART_COLUMNS]; /* drawn full */
    double outer[CHART_COLUMNS]; /* drawn faint above it, if it is more */
    double top;
    const char *unit; /* in the corner */
};
void chart_area_print(FILE *out, const struct chart_area *area, struct chart_style style);

/* A line of bars: levels from 0 to CHART_LEVELS. label: at most 7 columns. */
void chart_bars_print(FILE *out, const char *label, const double *levels, struct chart_style style);

/* The time below: labels at the beginning, the end and between. numbers: seconds as bare numbers,
 * which is how instances of the literature count. mark_us: a '^' there, INT64_MAX: none. */
void chart_axis_print(FILE *out, int64_t from_us, int64_t to_us, bool numbers);

/* Adds `amount` per time to the columns that [start, end) touches, as its mean over each column. */
void chart_add(double *columns, int n, int64_t from_us, int64_t to_us, int64_t start_us,
               int64_t end_us, double amount);

#endif
