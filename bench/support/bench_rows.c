/* bench_rows.c -- see bench_rows.h. */
#include "support/bench_rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const char *program;
    int json;
} rows;

int rows_open(const char *program, int argc, char **argv) {
    int kept = 1;
    rows.program = program;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0)
            rows.json = 1;
        else
            argv[kept++] = argv[i];
    }
    return kept;
}

void rows_note(const char *format, ...) {
    va_list args;
    if (rows.json) return;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

/* Prints a number with about four digits, and never with an exponent. */
static void put_number(double v) {
    int digits = v >= 1000 ? 0 : v >= 100 ? 1 : v >= 1 ? 2 : 4;
    printf("%14.*f", digits, v);
}

/* Prints a text in quotes. The texts are constants of the programs, without quotes. */
static void put_json(const char *name, const char *unit, double value, const char *base_name,
                     double base) {
    printf("{\"name\": \"%s.%s\", \"unit\": \"%s\", \"value\": %.9g", rows.program, name, unit,
           value);
    if (base_name) {
        printf(", \"baseline\": \"%s\", \"baseline_value\": %.9g", base_name, base);
        if (base > 0) printf(", \"ratio\": %.6g", value / base);
    }
    puts("}");
}

void rows_put(const char *name, const char *unit, double value, const char *base_name,
              double base) {
    char full[96];
    if (rows.json) {
        put_json(name, unit, value, base_name, base);
    } else {
        snprintf(full, sizeof full, "%s.%s", rows.program, name);
        printf("%-48s", full);
        put_number(value);
        printf(" %-12s", unit);
        if (base_name) {
            put_number(base);
            if (base > 0) printf(value / base >= 100 ? " %9.0f x" : " %9.3g x", value / base);
            printf("  %s", base_name);
        }
        putchar('\n');
    }
    fflush(stdout);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double rows_median(double *values, uint32_t n) {
    qsort(values, n, sizeof *values, by_value);
    return values[n / 2];
}

double rows_quantile(const double *sorted, uint32_t n, double share) {
    uint32_t i = (uint32_t)(share * n);
    return sorted[i < n ? i : n - 1];
}
