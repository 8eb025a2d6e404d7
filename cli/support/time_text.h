/*
 * time_text.h -- reads and writes times and durations as text. Times are always UTC. With local
 * time zones, a text could mean different times on different machines.
 */
#ifndef LSCHED_CLI_TIME_TEXT_H
#define LSCHED_CLI_TIME_TEXT_H

#include <stdbool.h>
#include <stdint.h>

enum { TIME_TEXT_BYTES = 48 };

/* Writes a time such as "2026-01-05T08:30:00Z" to `out`, with a fraction only if it is not 0.
 * Writes "never" for LSCHED_NEVER_US. Returns `out`. */
const char *time_format(int64_t at_us, char out[TIME_TEXT_BYTES]);

/* Writes a duration such as "2h30m" or "90s" to `out`. The duration can be negative. Returns
 * `out`. */
const char *span_format(int64_t span_us, char out[TIME_TEXT_BYTES]);

/* Writes a duration that is rounded to about two digits, such as "4 min", "2.5 h" or "3.1 d", to
 * `out`. Returns `out`. */
const char *span_short(double seconds, char out[TIME_TEXT_BYTES]);

/* Reads a time such as "2026-01-05", "2026-01-05T08:30Z" or "2026-01-05T08:30:00Z", or a duration
 * such as "2h30m" or "90s", which is added to base_us. Returns false if the text is neither. */
bool time_parse(const char *text, int64_t base_us, int64_t *out_us);

#endif
