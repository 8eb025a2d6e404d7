/*
 * text_out.h -- functions that append text to a caller's buffer, with amounts and times in a form
 * for people.
 *
 * What always holds: the bytes that do not fit into the buffer are dropped. The text in the buffer
 * ends with NUL if the buffer has at least one byte. `n` is the length of the whole text, including
 * the dropped bytes, like the result of snprintf(). Therefore a caller can pass an empty buffer
 * first to learn the length. The functions allocate no memory and do not depend on the locale.
 *
 * Times are in UTC, because the library knows no time zone. The date of a time is written only if
 * it is not the current date. Durations and amounts are rounded, because the texts are for people.
 * The functions of units.h write exact texts for programs.
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

/* A name as text that can be shown. Names can contain any bytes, and bytes that cannot be shown are
 * written as \xNN. The struct is used as an argument: text_put(o, "%s", shown(t).text). */
struct shown {
    char text[4 * LSCHED_NAME_BYTES_MAX + 1];
};
struct shown shown(lsched_text t);

/* Writes an amount of a resource kind. Memory is written with the unit GiB, MiB or B. Amounts of
 * cpu and gpu are written without a unit: "1.5" for 1500 milli-cores. Amounts of other kinds are
 * written as whole numbers. */
void put_number(struct text_out *o, uint32_t kind, int64_t amount);
/* Writes an amount of work, which is in GPU-milliseconds, such as "3.5 GPU-hours" or "12
 * GPU-minutes". */
void put_work(struct text_out *o, int64_t gpu_ms);
/* Writes a duration in microseconds, such as "30 s", "12 min", "3 h 20 min" or "2 d 4 h". */
void put_span(struct text_out *o, int64_t us);
/* Writes the duration from `now` to the time `us`, such as " in 12 min". Writes nothing if `us` is
 * LSCHED_NEVER_US. */
void put_time(struct text_out *o, int64_t us, int64_t now);
/* Writes the time `us`, such as "14:20 (in 12 min)" for a time on the current day and "2026-01-06
 * 02:00 (in 18 h)" for a time on another day. Writes "now" if `us` is not after `now`, and "never"
 * if it is LSCHED_NEVER_US. */
void put_moment(struct text_out *o, int64_t us, int64_t now);
/* Writes a number of countable things: counted(1, "task") is "1 task", and counted(2, "task") is "2
 * tasks". The struct is used as an argument: text_put(o, "%s", counted(n, "task").text). */
struct counted_text {
    char text[64];
};
struct counted_text counted(uint64_t n, const char *thing);
/* Returns "s" unless n is 1. */
static inline const char *plural(uint64_t n) {
    return n == 1 ? "" : "s";
}

#endif
