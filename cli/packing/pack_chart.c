/*
 * pack_chart.c -- see pack_chart.h.
 */
#include "cli/packing/pack_chart.h"

#include <stdlib.h>
#include <string.h>

#include "cli/input/row_scan.h"
#include "cli/support/terminal.h"
#include "cli/support/time_text.h"

enum { LABEL = 7, TICKS = 4 };

static const char *const blocks[CHART_LEVELS + 1] = {
    " ", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588"};
static const char ascii_levels[CHART_LEVELS + 2] = " 12345678";
#define FAINT_BLOCK "\u2591"
#define PLAIN       "\033[0m"
#define FULL_COLOUR "\033[32m"
#define FAINT       "\033[2m"

struct chart_style chart_style_of(bool ascii) {
    const char *term = getenv("TERM");
    const char *objection = getenv("NO_COLOR");
    bool wanted =
        (objection == NULL || *objection == '\0') && (term == NULL || strcmp(term, "dumb") != 0);
    return (struct chart_style){.colour = wanted && terminal_width(stdout) > 0, .ascii = ascii};
}

/* Writes the code of the colour if `colour` differs from the current colour *now. */
static void paint(FILE *out, const char **now, const char *colour, struct chart_style style) {
    if (!style.colour || *now == colour) return;
    fputs(colour, out);
    *now = colour;
}

static int level_of(double part) {
    int level = (int)(part * CHART_LEVELS + 0.5);
    return level < 0 ? 0 : level > CHART_LEVELS ? CHART_LEVELS : level;
}

/* a value from 1 to CHART_LEVELS is the height of a block */
enum { CELL_EMPTY = -1, CELL_FAINT = 0 };

static int cell_of(double inner, double outer) {
    int level = level_of(inner);
    return level > 0 ? level : outer > 0.25 ? CELL_FAINT : CELL_EMPTY;
}

static void print_cell(FILE *out, int cell, const char **now, struct chart_style style) {
    if (cell == CELL_EMPTY) {
        paint(out, now, PLAIN, style);
        fputc(' ', out);
    } else if (cell == CELL_FAINT) {
        paint(out, now, FAINT, style);
        fputs(style.ascii ? "." : FAINT_BLOCK, out);
    } else {
        paint(out, now, FULL_COLOUR, style);
        fputs(style.ascii ? (cell >= CHART_LEVELS / 2 ? "#" : ".") : blocks[cell], out);
    }
}

/* Prints a line of cells, without the empty cells at the end of the line. */
static void print_cells(FILE *out, const int *cells, struct chart_style style) {
    const char *now = PLAIN;
    int last = CHART_COLUMNS;
    while (last > 0 && cells[last - 1] == CELL_EMPTY) last--;
    for (int c = 0; c < last; c++) print_cell(out, cells[c], &now, style);
    paint(out, &now, PLAIN, style);
    fputc('\n', out);
}

void chart_area_print(FILE *out, const struct chart_area *area, struct chart_style style) {
    double step = area->top / CHART_ROWS;
    for (int row = CHART_ROWS - 1; row >= 0; row--) {
        int cells[CHART_COLUMNS];
        double below = row * step;
        for (int c = 0; c < CHART_COLUMNS; c++)
            cells[c] = cell_of((area->inner[c] - below) / step, (area->outer[c] - below) / step);
        if (row == CHART_ROWS - 1) {
            fprintf(out, "%*.0f |", LABEL - 1, area->top);
        } else {
            fprintf(out, "%*s |", LABEL - 1, row == CHART_ROWS - 2 ? area->unit : "");
        }
        print_cells(out, cells, style);
    }
}

/* Returns the colour of a bar: red for a nearly empty GPU, green for a full GPU, and colours
 * between for other levels. */
static const char *colour_of(int level) {
    static const char *const colours[CHART_LEVELS + 1] = {PLAIN,
                                                          "\033[38;5;203m",
                                                          "\033[38;5;209m",
                                                          "\033[38;5;215m",
                                                          "\033[38;5;221m",
                                                          "\033[38;5;185m",
                                                          "\033[38;5;149m",
                                                          "\033[38;5;113m",
                                                          "\033[38;5;77m"};
    return colours[level];
}

void chart_bars_print(FILE *out, const char *label, const double *levels,
                      struct chart_style style) {
    const char *now = PLAIN;
    int last = CHART_COLUMNS;
    while (last > 0 && level_of(levels[last - 1] / CHART_LEVELS) == 0) last--;
    fprintf(out, "%-*s|", LABEL, label);
    for (int c = 0; c < last; c++) {
        int level = level_of(levels[c] / CHART_LEVELS);
        paint(out, &now, colour_of(level), style);
        if (style.ascii) {
            fputc(ascii_levels[level], out);
        } else {
            fputs(blocks[level], out);
        }
    }
    paint(out, &now, PLAIN, style);
    fputc('\n', out);
}

/* Writes the label of the time at_us. If `numbers` is true, the label is plain seconds without
 * rounding. Otherwise the time is rounded to minutes if the axis covers an hour or more, to seconds
 * if it covers 100 seconds or more, and is not rounded on a shorter axis. */
static void tick_text(int64_t at_us, int64_t width_us, bool numbers, char out[TIME_TEXT_BYTES]) {
    int64_t unit_us = width_us >= 3600 * MILLION ? 60 * MILLION : MILLION;
    if (width_us < 100 * MILLION) unit_us = 1;
    int64_t rounded = numbers || unit_us == 1 ? at_us : (at_us + unit_us / 2) / unit_us * unit_us;
    if (numbers) {
        snprintf(out, TIME_TEXT_BYTES, "%.6g", (double)at_us / (double)MILLION);
    } else {
        span_format(rounded, out);
    }
}

void chart_axis_print(FILE *out, int64_t from_us, int64_t to_us, bool numbers) {
    char line[LABEL + 1 + CHART_COLUMNS + TIME_TEXT_BYTES], text[TIME_TEXT_BYTES];
    int64_t width_us = to_us - from_us;
    int used = 0;
    fprintf(out, "%*s+", LABEL, "");
    for (int c = 0; c < CHART_COLUMNS; c++)
        fputc(c > 0 && c % (CHART_COLUMNS / TICKS) == 0 ? '+' : '-', out);
    fputc('\n', out);
    memset(line, ' ', sizeof line);
    for (int tick = 0; tick <= TICKS; tick++) {
        int64_t at_us = from_us + width_us / TICKS * tick + width_us % TICKS * tick / TICKS;
        tick_text(at_us, width_us, numbers, text);
        int len = (int)strlen(text), at = LABEL + tick * (CHART_COLUMNS / TICKS);
        /* the last label must not reach beyond the right edge of the picture */
        if (tick == TICKS) at -= len - 1;
        if (at < used) continue;
        memcpy(line + at, text, (size_t)len);
        used = at + len;
    }
    fprintf(out, "%.*s\n", used, line);
}

void chart_add(double *columns, int n, int64_t from_us, int64_t to_us, int64_t start_us,
               int64_t end_us, double amount) {
    double width = (double)(to_us - from_us) / n;
    double start = (double)(start_us - from_us) / width, end = (double)(end_us - from_us) / width;
    if (start < 0) start = 0;
    if (end > n) end = n;
    for (int c = (int)start; c < n && c < end; c++) {
        double from = start > c ? start : c, to = end < c + 1 ? end : c + 1;
        if (to > from) columns[c] += amount * (to - from);
    }
}
