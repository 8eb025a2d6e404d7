/*
 * pack_svg.h -- draws the charts of pack_chart.h as SVG, for documents. Heights in a terminal are
 * rounded to eighths of a character; SVG shows exact values.
 *
 * The SVG file has colours for a light and for a dark theme; the viewer's setting selects the
 * colours.
 */
#ifndef LSCHED_CLI_PACK_SVG_H
#define LSCHED_CLI_PACK_SVG_H

#include <stdbool.h>
#include <stdio.h>

struct svg {
    FILE *out;
    const char *path;
    double from, to;    /* times at the left and the right edge of the drawing */
    double left, right; /* horizontal positions of the left and the right edge in the picture */
};

/* Opens the file and writes the head of the SVG document. `title` must be XML text. If the file
 * cannot be opened, reports the error and returns an exit code; otherwise returns EXIT_OK. */
int svg_begin(struct svg *svg, const char *path, double height, const char *title);
/* Writes the end of the SVG document and closes the file. Reports an error if not all output could
 * be written. Returns an exit code. */
int svg_end(struct svg *svg);

enum svg_kind { SVG_FAINT, SVG_SMALL, SVG_MIDDLE, SVG_HALF, SVG_WHOLE };
void svg_box(const struct svg *svg, double from, double to, double y, double height,
             enum svg_kind kind);
/* Writes text at the time `x`. `anchor` says which point of the text is at this time: "start",
 * "middle" or "end". */
void svg_text(const struct svg *svg, double x, double y, const char *anchor, bool small,
              const char *text);
/* Draws a time axis with labels. svg->from and svg->to must be in microseconds. `numbers` has the
 * same meaning as in chart_axis_print(). */
void svg_axis(const struct svg *svg, double y, bool numbers);
/* Draws an area with one step for each of the n values across the whole width. The values are from
 * 0 to `top`; an area of height `height` has the value `top` at its upper edge. */
void svg_area(const struct svg *svg, const double *values, int n, double top, double y,
              double height, enum svg_kind kind);

#endif
