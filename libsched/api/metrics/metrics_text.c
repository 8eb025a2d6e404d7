/* metrics_text.c -- see metrics_text.h. */
#include "api/metrics/metrics_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8_text.h"

static void metrics_flush(struct metrics_text *t) {
    if (t->n && !t->answer) t->answer = t->write(t->user, t->buffer, t->n);
    t->n = 0;
}

static void put_bytes(struct metrics_text *t, const char *bytes, size_t n) {
    while (n > 0) {
        size_t room = sizeof t->buffer - t->n, some = n < room ? n : room;
        memcpy(t->buffer + t->n, bytes, some);
        t->n += some;
        bytes += some;
        n -= some;
        if (t->n == sizeof t->buffer) metrics_flush(t);
    }
}

static void metrics_put(struct metrics_text *t, const char *text) {
    put_bytes(t, text, strlen(text));
}

/* Writes a value of a label. Bytes that are no UTF-8 become U+FFFD, because the text must be
 * UTF-8; a NUL becomes U+FFFD, too, because some readers stop at it. */
static void put_value(struct metrics_text *t, const char *value, size_t len) {
    for (size_t i = 0; i < len;) {
        size_t n = utf8_bytes(value + i, len - i);
        if (n == 0 || value[i] == '\0')
            metrics_put(t, "\xef\xbf\xbd");
        else if (value[i] == '\n')
            metrics_put(t, "\\n");
        else if (value[i] == '"' || value[i] == '\\')
            put_bytes(t, value[i] == '"' ? "\\\"" : "\\\\", 2);
        else
            put_bytes(t, value + i, n);
        i += n ? n : 1;
    }
}

void metrics_text_family(struct metrics_text *t, const char *family, const char *type,
                         const char *unit, const char *help) {
    t->family = family;
    metrics_put(t, "# HELP ");
    metrics_put(t, family);
    metrics_put(t, " ");
    metrics_put(t, help);
    metrics_put(t, "\n# TYPE ");
    metrics_put(t, family);
    metrics_put(t, " ");
    metrics_put(t, type);
    metrics_put(t, "\n");
    if (!unit[0]) return;
    metrics_put(t, "# UNIT ");
    metrics_put(t, family);
    metrics_put(t, " ");
    metrics_put(t, unit);
    metrics_put(t, "\n");
}

static void sample(struct metrics_text *t, const char *suffix, const struct metrics_label *labels,
                   size_t n, const char *value) {
    metrics_put(t, t->family);
    metrics_put(t, suffix);
    for (size_t i = 0; i < n; i++) {
        metrics_put(t, i ? "," : "{");
        metrics_put(t, labels[i].name);
        metrics_put(t, "=\"");
        put_value(t, labels[i].value, labels[i].len);
        metrics_put(t, "\"");
    }
    metrics_put(t, n ? "} " : " ");
    metrics_put(t, value);
    metrics_put(t, "\n");
}

void metrics_text_sample(struct metrics_text *t, const char *suffix,
                         const struct metrics_label *labels, size_t n, uint64_t value) {
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    sample(t, suffix, labels, n, text);
}

void metrics_text_seconds(struct metrics_text *t, const char *suffix,
                          const struct metrics_label *labels, size_t n, uint64_t value_us) {
    char text[48];
    snprintf(text, sizeof text, "%" PRIu64 ".%06u", value_us / 1000000,
             (unsigned)(value_us % 1000000));
    sample(t, suffix, labels, n, text);
}

void metrics_text_end(struct metrics_text *t) {
    metrics_put(t, "# EOF\n");
    metrics_flush(t);
}
