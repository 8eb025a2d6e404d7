/* name_pattern.c -- see name_pattern.h. */
#include "cli/edit/name_pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"

static void names_add(struct pattern_names *names, const char *prefix, const char *end,
                      size_t len) {
    size_t n = strlen(prefix);
    char *name = must_alloc(n + len + 1);
    memcpy(name, prefix, n);
    memcpy(name + n, end, len);
    name[n + len] = '\0';
    names->items = must_grow(names->items, names->n, &names->capacity, sizeof names->items[0]);
    names->items[names->n++] = name;
}

void pattern_names_free(struct pattern_names *names) {
    for (size_t i = 0; i < names->n; i++) free(names->items[i]);
    free(names->items);
    memset(names, 0, sizeof *names);
}

/* Adds the values of a span such as 0-15 or a-c, which ends before `end`. */
static bool add_span(struct pattern_names *values, const char *text, const char *end) {
    char value[16];
    const char *dash = memchr(text, '-', (size_t)(end - text));
    size_t len = (size_t)((dash != NULL ? dash : end) - text);
    if (len == 0 || len > 9) return false;
    if (*text < '0' || *text > '9') { /* letters */
        unsigned letter = (unsigned char)*text;
        unsigned last = dash != NULL ? (unsigned char)dash[1] : letter;
        for (; letter <= last; letter++) {
            value[0] = (char)letter;
            names_add(values, "", value, 1);
        }
        return len == 1;
    }
    unsigned long first = strtoul(text, NULL, 10);
    unsigned long last = dash != NULL ? strtoul(dash + 1, NULL, 10) : first;
    int width = *text == '0' && len > 1 ? (int)len : 1;
    for (unsigned long i = first; i <= last; i++) {
        if (values->n >= NAME_PATTERN_MAX) return false;
        int n = snprintf(value, sizeof value, "%0*lu", width, i);
        if (n < 0 || (size_t)n >= sizeof value) return false;
        names_add(values, "", value, (size_t)n);
    }
    return true;
}

/* Adds the values between brackets; `text` is behind `[`, and `end` is at `]`. */
static bool add_values(struct pattern_names *values, const char *text, const char *end) {
    for (;;) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        if (!add_span(values, text, comma != NULL ? comma : end)) return false;
        if (comma == NULL) return true;
        text = comma + 1;
    }
}

/* Replaces each name by the names that have one of the values behind it. */
static bool names_multiply(struct pattern_names *names, const struct pattern_names *values) {
    struct pattern_names out = {.n = 0};
    if (values->n > 0 && names->n > NAME_PATTERN_MAX / values->n) return false;
    for (size_t i = 0; i < names->n; i++)
        for (size_t v = 0; v < values->n; v++)
            names_add(&out, names->items[i], values->items[v], strlen(values->items[v]));
    pattern_names_free(names);
    *names = out;
    return true;
}

bool pattern_names_read(const char *pattern, struct pattern_names *out) {
    bool good = true;
    memset(out, 0, sizeof *out);
    names_add(out, "", "", 0);
    while (good && *pattern != '\0') {
        struct pattern_names values = {.n = 0};
        const char *open = strchr(pattern, '[');
        size_t len = open != NULL ? (size_t)(open - pattern) : strlen(pattern);
        if (len > 0) {
            names_add(&values, "", pattern, len);
            pattern += len;
        } else {
            const char *close = strchr(pattern, ']');
            good = close != NULL && add_values(&values, pattern + 1, close);
            if (good) pattern = close + 1;
        }
        good = good && names_multiply(out, &values);
        pattern_names_free(&values);
    }
    return good;
}

bool pattern_names_count(const char *name, const char *count, struct pattern_names *out) {
    char *end = NULL;
    char number[24];
    unsigned long n = strtoul(count, &end, 10);
    memset(out, 0, sizeof *out);
    if (*count == '\0' || *end != '\0' || n > NAME_PATTERN_MAX) return false;
    for (unsigned long i = 0; i < n; i++) {
        int len = snprintf(number, sizeof number, "-%lu", i);
        if (len > 0) names_add(out, name, number, (size_t)len);
    }
    return true;
}
