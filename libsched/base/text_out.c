/* text_out.c -- see text_out.h. */
#include "base/text_out.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/units.h"
#include "base/utf8_text.h"

void text_put(struct text_out *o, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    size_t room = o->n < o->cap ? o->cap - o->n : 0;
    int n = vsnprintf(room ? o->p + o->n : NULL, room, format, ap);
    va_end(ap);
    if (n > 0) o->n += (size_t)n;
}

struct shown shown(lsched_text t) {
    struct shown s;
    s.text[0] = '\0';
    utf8_shown(s.text, sizeof s.text, t.ptr, (size_t)t.len);
    return s;
}

/* ---- amounts ---- */

static void put_milli(struct text_out *o, int64_t v) {
    int64_t milli = v % 1000 < 0 ? -(v % 1000) : v % 1000;
    text_put(o, "%s%" PRId64, v < 0 && v > -1000 ? "-" : "", v / 1000);
    if (!milli) return;
    char digits[8];
    int n = snprintf(digits, sizeof digits, "%03" PRId64, milli);
    while (n > 1 && digits[n - 1] == '0') digits[--n] = 0;
    text_put(o, ".%s", digits);
}

static void put_memory(struct text_out *o, int64_t v) {
    int gib = v % (1 << 30) == 0 || v >= (int64_t)10 << 30;
    int64_t unit = gib ? 1 << 30 : 1 << 20, tenth = (v % unit) * 10 / unit;
    if (v > -unit && v < unit && v % unit) { /* the amount is less than 1 MiB */
        text_put(o, "%" PRId64 " B", v);
        return;
    }
    text_put(o, "%" PRId64, v / unit);
    if (tenth) text_put(o, ".%" PRId64, tenth);
    text_put(o, gib ? " GiB" : " MiB");
}

void put_number(struct text_out *o, uint32_t kind, int64_t v) {
    if (kind == LSCHED_MEMORY)
        put_memory(o, v);
    else if (kind == LSCHED_CPU || kind == LSCHED_GPU)
        put_milli(o, v);
    else
        text_put(o, "%" PRId64, v);
}

void put_work(struct text_out *o, int64_t gpu_ms) {
    int64_t tenths = (gpu_ms + 180000) / 360000, minutes = (gpu_ms + 30000) / 60000;
    if (tenths >= 10)
        text_put(o, "%" PRId64 ".%" PRId64 " GPU-hours", tenths / 10, tenths % 10);
    else
        text_put(o, "%" PRId64 " GPU-minute%s", minutes, plural((uint64_t)minutes));
}

/* ---- time ---- */

static void put_two(struct text_out *o, int64_t n, const char *unit, int64_t rest,
                    const char *small) {
    text_put(o, "%" PRId64 " %s", n, unit);
    if (rest) text_put(o, " %" PRId64 " %s", rest, small);
}

void put_span(struct text_out *o, int64_t us) {
    int64_t s = us > 0 ? us / 1000000 + (us % 1000000 != 0) : 0;
    if (s >= 172800)
        put_two(o, s / 86400, "d", s % 86400 / 3600, "h");
    else if (s >= 7200)
        put_two(o, s / 3600, "h", s % 3600 / 60, "min");
    else if (s >= 120)
        text_put(o, "%" PRId64 " min", s / 60);
    else
        text_put(o, "%" PRId64 " s", s);
}

void put_time(struct text_out *o, int64_t us, int64_t now) {
    if (us == LSCHED_NEVER_US) return;
    text_put(o, " in ");
    put_span(o, us > now ? us - now : 0);
}

static void put_date(struct text_out *o, int64_t day) {
    struct units_date d = units_date_of_day(day);
    text_put(o, "%" PRId64 "-%02u-%02u ", d.year, d.month, d.day);
}

static int64_t day_of(int64_t second) {
    return second / 86400 - (second % 86400 < 0);
}

void put_moment(struct text_out *o, int64_t us, int64_t now) {
    if (us <= now || us == LSCHED_NEVER_US) {
        text_put(o, us <= now ? "now" : "never");
        return;
    }
    int64_t second = us / 1000000 + (us % 1000000 > 0), day = day_of(second);
    if (day != day_of(now / 1000000)) put_date(o, day);
    second -= day * 86400;
    text_put(o, "%02" PRId64 ":%02" PRId64, second / 3600, second / 60 % 60);
    if (second % 60) text_put(o, ":%02" PRId64, second % 60);
    text_put(o, " (in ");
    put_span(o, us - now);
    text_put(o, ")");
}

struct counted_text counted(uint64_t n, const char *thing) {
    struct counted_text c;
    snprintf(c.text, sizeof c.text, "%" PRIu64 " %s%s", n, thing, plural(n));
    return c;
}
