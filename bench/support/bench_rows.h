/*
 * bench_rows.h -- prints the rows of a benchmark: a stable name, a unit, a value, a baseline and
 * the ratio of the value to the baseline.
 *
 * Every benchmark prints its figures through rows_put(). `scripts/bench --json` gives the option
 * --json to each program. A program then prints each row as one JSON object on a line of its own,
 * and prints nothing else. The name of a row begins with the name of its program without "bench_",
 * and does not contain the measured value. Therefore scripts can compare the rows of two runs by
 * their names. The baseline is measured in the same run, because a figure of a shared machine
 * means little without another figure of the same minute. In units that end in "/s", a larger
 * value is better; in all other units, a smaller one.
 */
#ifndef LSCHED_BENCH_ROWS_H
#define LSCHED_BENCH_ROWS_H

#include <stdint.h>

/* Reads and removes the option --json. Returns the number of arguments that are left in argv.
 * `program` is the name of the program without "bench_", and must live as long as the program. */
int rows_open(const char *program, int argc, char **argv);
/* Prints a line of text, such as a heading, if the rows are text. */
void rows_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints a row. base_name says what the baseline is. If base_name is NULL, there is none. */
void rows_put(const char *name, const char *unit, double value, const char *base_name, double base);

/* Sorts n > 0 values, and returns the median. */
double rows_median(double *values, uint32_t n);
/* Returns the value below which `share` of n > 0 sorted values are. */
double rows_quantile(const double *sorted, uint32_t n, double share);

#endif
