/*
 * text_out.h -- text that grows in a caller's buffer, with amounts and times as people read them.
 *
 * What always holds: a text is cut at the end of its buffer and ends with NUL if the buffer has any
 * room. `n` counts the whole text, including what did not fit, as snprintf does; a caller can
 * therefore measure a text with an empty buffer first. The functions allocate no memory and do not
 * depend on the locale.
 *
 * Times are UTC, because the library knows no time zone. The date is written only if it is not the
 * date of now. Spans and amounts are rounded for people; texts that a program reads again are
 * written by units.h.
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

/* A name in a form that can be shown, with \xNN for other bytes, because names can contain any
 * bytes. Use it as an argument: text_put(o, "%s", shown(t).text). */
struct shown {
    char text[4 * LSCHED_NAME_BYTES_MAX + 1];
};
struct shown shown(lsched_text t);

/* Writes an amount of a built-in kind without its unit, but memory with GiB, MiB or B: "1.5" for
 * 1500 milli-cores. */
void put_number(struct text_out *o, uint32_t kind, int64_t amount);
/* Writes "3.5 GPU-hours" for GPU-milliseconds. */
void put_work(struct text_out *o, int64_t gpu_ms);
/* Writes "30 s", "12 min", "3 h 20 min", "2 d 4 h". */
void put_span(struct text_out *o, int64_t us);
/* Writes " in 12 min", nothing for LSCHED_NEVER_US. */
void put_time(struct text_out *o, int64_t us, int64_t now);
/* Writes "14:20 (in 12 min)", "2026-01-06 02:00 (in 18 h)", or "now" for a past time. */
void put_moment(struct text_out *o, int64_t us, int64_t now);
/* Returns "s" unless n is 1. */
static inline const char *plural(uint64_t n) {
    return n == 1 ? "" : "s";
}

#endif
