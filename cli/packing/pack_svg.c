/*
 * pack_svg.c -- see pack_svg.h.
 */
#include "cli/packing/pack_svg.h"

#include <errno.h>
#include <string.h>

#include "cli/input/row_scan.h"
#include "cli/support/time_text.h"
#include "cli/support/cli_errors.h"

enum { WIDTH = 900, LEFT = 80, RIGHT = 870, TICKS = 6 };

static const char head[] =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" role=\"img\" "
    "aria-labelledby=\"t\" font-family=\"system-ui, sans-serif\" font-size=\"15\">\n"
    "<title id=\"t\">%s</title>\n"
    "<style>\n"
    "  .card { fill: #ffffff }\n"
    "  .k0 { fill: #dfe3ea }\n"
    "  .k1 { fill: #9ec5ee }\n"
    "  .k2 { fill: #5b97d8 }\n"
    "  .k3 { fill: #3f9a6b }\n"
    "  .k4 { fill: #c07a28 }\n"
    "  rect.k1, rect.k2, rect.k3, rect.k4 { stroke: #ffffff; stroke-width: 0.6 }\n"
    "  .axis { stroke: #777777; stroke-width: 1 }\n"
    "  text { fill: #1d2430 }\n"
    "  .small { font-size: 12.5px; fill: #454f5e }\n"
    "  @media (prefers-color-scheme: dark) {\n"
    "    .card { fill: #12161d }\n"
    "    .k0 { fill: #2a313c }\n"
    "    rect.k1, rect.k2, rect.k3, rect.k4 { stroke: #12161d }\n"
    "    .axis { stroke: #9aa3af }\n"
    "    text { fill: #eef1f5 }\n"
    "    .small { fill: #bac3cf }\n"
    "  }\n"
    "</style>\n"
    "<rect class=\"card\" x=\"0\" y=\"0\" width=\"%d\" height=\"%.0f\" rx=\"10\"/>\n";

/* Writes a name as XML text: escapes special characters, and replaces each control character with
 * '?'. */
static void put_text(FILE *out, const char *text) {
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        default: fputc((unsigned char)*text < 0x20 ? '?' : *text, out);
        }
    }
}

int svg_begin(struct svg *svg, const char *path, double height, const char *title) {
    *svg = (struct svg){.path = path, .left = LEFT, .right = RIGHT, .to = 1};
    svg->out = fopen(path, "wb");
    if (svg->out == NULL) {
        complain("%s: cannot write: %s", path, strerror(errno));
        return EXIT_INTERNAL;
    }
    fprintf(svg->out, head, WIDTH, height, title, WIDTH, height);
    return EXIT_OK;
}

int svg_end(struct svg *svg) {
    fputs("</svg>\n", svg->out);
    bool failed = ferror(svg->out) != 0;
    failed |= fclose(svg->out) != 0;
    if (!failed) return EXIT_OK;
    complain("%s: cannot write: %s", svg->path, strerror(errno));
    return EXIT_INTERNAL;
}

static double svg_x(const struct svg *svg, double at) {
    return svg->left + (svg->right - svg->left) * (at - svg->from) / (svg->to - svg->from);
}

void svg_box(const struct svg *svg, double from, double to, double y, double height,
             enum svg_kind kind) {
    double x = svg_x(svg, from);
    fprintf(svg->out,
            "<rect class=\"k%d\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n",
            (int)kind, x, y, svg_x(svg, to) - x, height);
}

void svg_text(const struct svg *svg, double x, double y, const char *anchor, bool small,
              const char *text) {
    fprintf(svg->out, "<text%s x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">",
            small ? " class=\"small\"" : "", x, y, anchor);
    put_text(svg->out, text);
    fputs("</text>\n", svg->out);
}

void svg_axis(const struct svg *svg, double y, bool numbers) {
    fprintf(svg->out, "<line class=\"axis\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
            svg->left, y, svg->right, y);
    for (int tick = 0; tick <= TICKS; tick++) {
        char text[TIME_TEXT_BYTES];
        double at = svg->from + (svg->to - svg->from) * tick / TICKS;
        if (numbers) {
            snprintf(text, sizeof text, "%.6g", at / (double)MILLION);
        } else {
            int64_t unit_us = svg->to - svg->from >= 3600e6 ? 60 * MILLION : MILLION;
            span_format(((int64_t)at + unit_us / 2) / unit_us * unit_us, text);
        }
        svg_text(svg, svg_x(svg, at), y + 18,
                 tick == 0       ? "start"
                 : tick == TICKS ? "end"
                                 : "middle",
                 true, text);
    }
}

void svg_area(const struct svg *svg, const double *values, int n, double top, double y,
              double height, enum svg_kind kind) {
    double step = (svg->right - svg->left) / n;
    fprintf(svg->out, "<path class=\"k%d\" d=\"M%.1f %.1f", (int)kind, svg->left, y + height);
    for (int i = 0; i < n; i++)
        fprintf(svg->out, "V%.1fH%.1f", y + height * (1 - values[i] / top),
                svg->left + step * (i + 1));
    fprintf(svg->out, "V%.1fZ\"/>\n", y + height);
}
