/*
 * text_out.h -- text that grows in a caller's buffer, with amounts and times as people read them.
 *
 * What always holds: a text is cut at the end of its buffer and ends with NUL if the buffer has any
 * room, and `n` counts all of it, also what did not fit, as snprintf counts. So a caller measures
 * with an empty buffer first. No memory, and no locale has a say.
 *
 * Times are UTC, for the library knows no zone, with the date only where it is not that of now.
 * How far a text is exact: spans and amounts are rounded for people. What is read again by a
 * program is written by units.h.
 */
#ifndef LIBSCHED_TEXT_OUT_H
#define LIBSCHED_TEXT_OUT_H

#include <inttypes.h>

#include "base/times.h"

struct text_out {
    char *p;
    size_t cap, n;
};
void text_put(struct text_out *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A name as it can be shown, with \xNN for what cannot: names are any bytes. For an argument:
 * text_put(o, "%s", shown(t).text). */
struct shown {
    char text[4 * LSCHED_NAME_BYTES_MAX + 1];
};
struct shown shown(lsched_text t);

/* An amount of a built-in kind without its unit, except that memory has GiB, MiB or B: "1.5" of
 * 1500 milli-cores. */
void put_number(struct text_out *o, uint32_t kind, int64_t amount);
/* "3.5 GPU-hours" of GPU-milliseconds. */
void put_work(struct text_out *o, int64_t gpu_ms);
/* "30 s", "12 min", "3 h 20 min", "2 d 4 h". */
void put_span(struct text_out *o, int64_t us);
/* " in 12 min"; nothing for LSCHED_NEVER_US. */
void put_time(struct text_out *o, int64_t us, int64_t now);
/* "14:20 (in 12 min)", "2026-01-06 02:00 (in 18 h)"; "now" if it is past. */
void put_moment(struct text_out *o, int64_t us, int64_t now);
/* "s" unless n is 1. */
static inline const char *plural(uint64_t n) {
    return n == 1 ? "" : "s";
}

#endif
