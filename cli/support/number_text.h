/*
 * number_text.h -- writes numbers in a form that people can read easily.
 */
#ifndef LSCHED_CLI_NUMBER_TEXT_H
#define LSCHED_CLI_NUMBER_TEXT_H

#include <stdint.h>

enum { NUMBER_TEXT_BYTES = 32 };

/* Writes a number with commas, such as "123,456", to `out`. Returns `out`. */
const char *count_text(uint64_t number, char out[NUMBER_TEXT_BYTES]);

/* Writes an amount of thousandths as a decimal number, such as "8" or "0.46", to `out`. Returns
 * `out`. */
const char *milli_text(int64_t milli, char out[NUMBER_TEXT_BYTES]);

/* Returns the ending of the noun after the number n: "" if n is 1, otherwise "s". */
static inline const char *plural(uint64_t n) {
    return n == 1 ? "" : "s";
}

#endif
