/*
 * time_text.h -- points of time as people read and write them. Always UTC: a zone database would
 * make the same words mean different times on different machines.
 */
#ifndef LSCHED_CLI_TIME_TEXT_H
#define LSCHED_CLI_TIME_TEXT_H

#include <stdbool.h>
#include <stdint.h>

enum { TIME_TEXT_BYTES = 48 };

/* "2026-01-05T08:30:00Z", with a fraction where there is one; "never" for LSCHED_NEVER_US.
 * Returns out. */
const char *time_format(int64_t at_us, char out[TIME_TEXT_BYTES]);

/* "2h30m", "90s": a span, also one that is negative. Returns out. */
const char *span_format(int64_t span_us, char out[TIME_TEXT_BYTES]);

/* "4 min", "2.5 h", "3.1 d": to about two digits. Returns out. */
const char *span_short(double seconds, char out[TIME_TEXT_BYTES]);

/* "2026-01-05", "2026-01-05T08:30Z", "2026-01-05T08:30:00Z", or a span from base_us on such as
 * "2h30m" or "90s". */
bool time_parse(const char *text, int64_t base_us, int64_t *out_us);

#endif
