/*
 * time_text.h -- reads and writes points of time as text. They are always UTC, because with a time
 * zone database the same text could mean different times on different machines.
 */
#ifndef LSCHED_CLI_TIME_TEXT_H
#define LSCHED_CLI_TIME_TEXT_H

#include <stdbool.h>
#include <stdint.h>

enum { TIME_TEXT_BYTES = 48 };

/* Returns `out`, with text such as "2026-01-05T08:30:00Z", with a fraction of a second if there is
 * one; "never" for LSCHED_NEVER_US. */
const char *time_format(int64_t at_us, char out[TIME_TEXT_BYTES]);

/* Returns `out`, with a duration such as "2h30m" or "90s"; the duration can be negative. */
const char *span_format(int64_t span_us, char out[TIME_TEXT_BYTES]);

/* Returns `out`, with a duration rounded to about two digits: "4 min", "2.5 h", "3.1 d". */
const char *span_short(double seconds, char out[TIME_TEXT_BYTES]);

/* Reads "2026-01-05", "2026-01-05T08:30Z", "2026-01-05T08:30:00Z", or a duration after base_us
 * such as "2h30m" or "90s". */
bool time_parse(const char *text, int64_t base_us, int64_t *out_us);

#endif
