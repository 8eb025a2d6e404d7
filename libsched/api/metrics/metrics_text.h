/*
 * metrics_text.h -- writes OpenMetrics text: families with their types and units, samples with
 * labels, and escaped label values.
 *
 * The text goes through a buffer to the host's function, so a text of any length needs no memory.
 * After the function has refused bytes, nothing more is written. A family is complete before the
 * next one begins; the caller gives its samples one after the other.
 *
 * Source of the rules: the OpenMetrics specification 1.0.0. Counters end with _total, the name of a
 * family ends with its unit, the last line is "# EOF".
 */
#ifndef LIBSCHED_METRICS_TEXT_H
#define LIBSCHED_METRICS_TEXT_H

#include <libsched/counters.h>

struct metrics_text {
    int32_t (*write)(void *user, const void *bytes, size_t n);
    void *user;
    int32_t answer; /* what the function returned, if not 0 */
    const char *family;
    size_t n;
    char buffer[1024];
};

/* A label of a sample. The value can have any bytes. */
struct metrics_label {
    const char *name;
    const char *value;
    size_t len;
};

/* Begins a family. type: "counter", "gauge", "histogram" or "info"; unit: "" or the last word of
 * the name; help: one line without backslashes. */
void metrics_text_family(struct metrics_text *t, const char *family, const char *type,
                         const char *unit, const char *help);
/* Writes a sample of the present family. suffix: "_total", "_bucket" ... or "". */
void metrics_text_sample(struct metrics_text *t, const char *suffix,
                         const struct metrics_label *labels, size_t n, uint64_t value);
/* The same for a time in microseconds, which is written in seconds. */
void metrics_text_seconds(struct metrics_text *t, const char *suffix,
                          const struct metrics_label *labels, size_t n, uint64_t value_us);
/* Writes the last line and hands on what is in the buffer. */
void metrics_text_end(struct metrics_text *t);

#endif
