/* host_list.c -- see host_list.h. */
#include "cli/slurm_records/host_list.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS_MAX = 12 };

struct expansion {
    int (*host)(void *user, const char *name);
    void *user;
    size_t n;
    bool ended; /* true if the caller wants no more names */
};

struct bracket {
    const char *from, *end; /* the text between '[' and ']' */
    const char *before;     /* the text before '[' */
    size_t before_len;
    /* the range at which the expansion stands */
    const char *at;
    int64_t number, last;
    int digits;
};

static const char *read_number(const char *at, const char *end, int64_t *out, int *digits) {
    *digits = 0;
    for (*out = 0; at < end && *at >= '0' && *at <= '9'; at++) {
        if (++*digits > DIGITS_MAX) return NULL;
        *out = 10 * *out + (*at - '0');
    }
    return *digits > 0 ? at : NULL;
}

/* Reads the range at bracket->at. Returns false if there is none. */
static bool read_range(struct bracket *b) {
    int digits = 0;
    const char *at = read_number(b->at, b->end, &b->number, &b->digits);
    b->last = b->number;
    if (at != NULL && at < b->end && *at == '-')
        at = read_number(at + 1, b->end, &b->last, &digits);
    if (at == NULL || b->last < b->number || (at < b->end && *at != ',')) return false;
    b->at = at < b->end ? at + 1 : at;
    return at == b->end || b->at < b->end; /* no comma at the end */
}

static const char wrong_range[] =
    "expected a range of numbers such as [001-200,300] with the smaller number first";

static const char *first(struct bracket *b) {
    b->at = b->from;
    return read_range(b) ? NULL : wrong_range;
}

/* Goes to the next number. Returns 1, 0 after the last one, or -1 if the text is wrong. */
static int next(struct bracket *b) {
    if (b->number < b->last) {
        b->number++;
        return 1;
    }
    if (b->at >= b->end) return 0;
    return read_range(b) ? 1 : -1;
}

static const char *emit(struct expansion *x, const struct bracket *brackets, size_t n,
                        const char *tail, size_t tail_len) {
    char name[HOST_NAME_MAX_BYTES + 1];
    size_t len = 0;
    for (size_t i = 0; i <= n; i++) {
        const char *part = i < n ? brackets[i].before : tail;
        size_t part_len = i < n ? brackets[i].before_len : tail_len;
        if (len + part_len + DIGITS_MAX >= sizeof name)
            return "expected names of at most 255 bytes";
        memcpy(name + len, part, part_len);
        len += part_len;
        if (i < n)
            len += (size_t)snprintf(name + len, sizeof name - len, "%0*" PRId64, brackets[i].digits,
                                    brackets[i].number);
    }
    name[len] = '\0';
    if (len == 0) return "expected a name of a host between two commas";
    if (++x->n > HOST_LIST_MAX) return "expected at most 200000 hosts in one list";
    if (x->host(x->user, name) != 0) x->ended = true;
    return NULL;
}

static const char *expand_one(struct expansion *x, struct bracket *brackets, size_t n,
                              const char *tail, size_t tail_len) {
    for (size_t i = 0; i < n; i++) {
        const char *wrong = first(&brackets[i]);
        if (wrong != NULL) return wrong;
    }
    for (;;) {
        const char *wrong = emit(x, brackets, n, tail, tail_len);
        if (wrong != NULL || x->ended) return wrong;
        size_t i = n;
        for (; i > 0; i--) {
            int step = next(&brackets[i - 1]);
            if (step < 0) return wrong_range;
            if (step > 0) break;
            (void)first(&brackets[i - 1]); /* it was right before */
        }
        if (i == 0) return NULL;
    }
}

/* Splits one name at its brackets. Returns the end of the name, or NULL if a bracket is wrong. */
static const char *split(const char *text, struct bracket *brackets, size_t *n, const char **tail,
                         size_t *tail_len) {
    *n = 0;
    *tail = text;
    while (*text != '\0' && *text != ',') {
        if (*text == ']') return NULL;
        if (*text != '[') {
            text++;
            continue;
        }
        const char *end = strchr(text, ']');
        if (end == NULL || *n == HOST_BRACKETS_MAX) return NULL;
        brackets[(*n)++] = (struct bracket){
            .from = text + 1, .end = end, .before = *tail, .before_len = (size_t)(text - *tail)};
        text = *tail = end + 1;
    }
    *tail_len = (size_t)(text - *tail);
    return text;
}

const char *host_list_expand(const char *text, int (*host)(void *user, const char *name),
                             void *user) {
    struct expansion x = {.host = host, .user = user};
    struct bracket brackets[HOST_BRACKETS_MAX];
    for (;;) {
        size_t n = 0, tail_len = 0;
        const char *tail = NULL, *end = split(text, brackets, &n, &tail, &tail_len);
        if (end == NULL) return "expected brackets in pairs, and at most 4 pairs in a name";
        const char *wrong = expand_one(&x, brackets, n, tail, tail_len);
        if (wrong != NULL || x.ended || *end == '\0') return wrong;
        text = end + 1;
    }
}
