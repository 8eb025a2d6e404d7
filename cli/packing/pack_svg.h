/*
 * pack_svg.h -- draws the pictures of pack_chart.h as SVG, for documents. A terminal can only show
 * steps of an eighth; SVG shows exact values.
 *
 * The colours follow the reader's choice of a light or dark theme.
 */
#ifndef LSCHED_CLI_PACK_SVG_H
#define LSCHED_CLI_PACK_SVG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct svg {
    FILE *out;
    const char *path;
    double from, to;      /* times at the left and the right edge of the drawing */
    double left, right;   /* positions of the left and the right edge */
    double width, height; /* size of the picture */
};

/* Opens the file and writes the head. Returns an exit code after it reported an error. */
int svg_begin(struct svg *svg, const char *path, double height, const char *title);
/* Writes the end. Reports an error if not all output was written. */
int svg_end(struct svg *svg);

enum svg_kind { SVG_FAINT, SVG_SMALL, SVG_MIDDLE, SVG_HALF, SVG_WHOLE };
void svg_box(const struct svg *svg, double from, double to, double y, double height,
             enum svg_kind kind);
/* Writes text at a time; anchor is "start", "middle" or "end". */
void svg_text(const struct svg *svg, double x, double y, const char *anchor, bool small,
              const char *text);
double svg_x(const struct svg *svg, double at);
/* Draws an axis of time with labels, in microseconds. `numbers` has the same meaning as in
 * chart_axis_print(). */
void svg_axis(const struct svg *svg, double y, bool numbers);
/* Draws a stepped area over n columns across the whole width. The values are from 0 to `top`,
 * which is at the upper edge. */
void svg_area(const struct svg *svg, const double *values, int n, double top, double y,
              double height, enum svg_kind kind);

#endif
