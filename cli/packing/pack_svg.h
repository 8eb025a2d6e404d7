/*
 * pack_svg.h -- the pictures of pack_chart.h as SVG, for documents: what terminals can only show in
 * eighths.
 *
 * Colours follow the reader's choice of light or dark.
 */
#ifndef LSCHED_CLI_PACK_SVG_H
#define LSCHED_CLI_PACK_SVG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct svg {
    FILE *out;
    const char *path;
    double from, to;      /* of time, at the left and the right edge of what is drawn */
    double left, right;   /* those edges */
    double width, height; /* of the picture */
};

/* Opens the file and writes the head. Returns an exit code, after a complaint. */
int svg_begin(struct svg *svg, const char *path, double height, const char *title);
/* Writes the end; complains if what was written did not arrive. */
int svg_end(struct svg *svg);

enum svg_kind { SVG_FAINT, SVG_SMALL, SVG_MIDDLE, SVG_HALF, SVG_WHOLE };
void svg_box(const struct svg *svg, double from, double to, double y, double height,
             enum svg_kind kind);
/* At a time; anchor: "start", "middle" or "end". */
void svg_text(const struct svg *svg, double x, double y, const char *anchor, bool small,
              const char *text);
double svg_x(const struct svg *svg, double at);
/* A line of time with labels, in microseconds. numbers: as in chart_axis_print. */
void svg_axis(const struct svg *svg, double y, bool numbers);
/* A stepped area over the columns that the picture is wide: values from 0 to top at the upper
 * edge. */
void svg_area(const struct svg *svg, const double *values, int n, double top, double y,
              double height, enum svg_kind kind);

#endif
