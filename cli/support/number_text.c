/*
 * number_text.c -- see number_text.h.
 */
#include "cli/support/number_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const char *count_text(uint64_t number, char out[NUMBER_TEXT_BYTES]) {
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, number);
    char *to = out;
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0) *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return out;
}

const char *milli_text(int64_t milli, char out[NUMBER_TEXT_BYTES]) {
    int len = snprintf(out, NUMBER_TEXT_BYTES, "%" PRId64 ".%03d", milli / 1000,
                       abs((int)(milli % 1000)));
    while (out[len - 1] == '0') out[--len] = '\0';
    if (out[len - 1] == '.') out[--len] = '\0';
    return out;
}
