/*
 * explain_words.h -- names, amounts and times as people read them.
 *
 * Text grows in a caller's buffer as snprintf does: n counts all of it, also what did not fit. Times are UTC, for the library knows no
 * zone, with the date only where it is not that of now. No locale has a say.
 */
#ifndef LIBSCHED_EXPLAIN_WORDS_H
#define LIBSCHED_EXPLAIN_WORDS_H

#include <inttypes.h>

#include "base/times.h"
#include "model/columns.h"

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
void put_name(const struct columns *k, struct text_out *o, uint32_t text); /* row of a text */
void put_queue(const struct columns *k, struct text_out *o, uint32_t queue);
void put_job(const struct columns *k, struct text_out *o, uint32_t job);
/* 1500 milli-cores: "1.5 cores"; 8000 milli-GPU: "8 GPUs"; bytes in GiB or MiB. */
void put_amount(const struct columns *k, struct text_out *o, uint32_t kind, int64_t amount);
/* "8" and " GPUs" of it; memory has its GiB in the number. */
void put_number(struct text_out *o, uint32_t kind, int64_t amount);
void put_unit(const struct columns *k, struct text_out *o, uint32_t kind, int64_t amount);
/* "30 s", "12 min", "3 h 20 min", "2 d 4 h". */
void put_span(struct text_out *o, int64_t us);
/* " in 12 min"; nothing for LSCHED_NEVER_US. */
void put_time(struct text_out *o, int64_t us, int64_t now);
/* "14:20 (in 12 min)", "2026-01-06 02:00 (in 18 h)"; "now" if it is past. */
void put_moment(struct text_out *o, int64_t us, int64_t now);
/* "3.5 GPU-hours" of GPU-milliseconds. */
void put_work(struct text_out *o, int64_t gpu_ms);
/* "s" unless n is 1. */
static inline const char *plural(uint64_t n) {
    return n == 1 ? "" : "s";
}

#endif
