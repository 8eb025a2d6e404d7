/* name_range.c -- see name_range.h. */
#include "config/read/name_range.h"

#include <string.h>

enum {
    NAME_DIGITS_MAX = 9,
    NAME_TEXT_MAX = NAME_RANGE_BYTES - NAME_RANGE_SETS * (NAME_DIGITS_MAX + 1)
};

static int name_is_digit(char c) {
    return c >= '0' && c <= '9';
}

static int name_is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Reads the first or the last value of a span, which is a number or a letter. */
static const char *name_read_end(const char *text, size_t end, size_t *at, uint32_t *value,
                                 struct name_span *span) {
    size_t first = *at;
    uint32_t n = 0;
    if (first < end && name_is_letter(text[first])) {
        *value = (unsigned char)text[first];
        span->letters = 1;
        *at = first + 1;
        return NULL;
    }
    for (; *at < end && name_is_digit(text[*at]); ++*at) {
        if (*at - first == NAME_DIGITS_MAX) return "a number in brackets has more than 9 digits";
        n = n * 10 + (uint32_t)(text[*at] - '0');
    }
    if (*at == first) return "brackets hold numbers, letters and spans such as 0-63";
    if (text[first] == '0' && *at - first > 1) span->width = (uint32_t)(*at - first);
    *value = n;
    return NULL;
}

static const char *name_read_span(const char *text, size_t end, size_t *at,
                                  struct name_span *span) {
    *span = (struct name_span){0, 0, 0, 0};
    const char *wrong = name_read_end(text, end, at, &span->first, span);
    if (wrong) return wrong;
    uint32_t letters = span->letters, width = span->width;
    span->last = span->first;
    if (*at < end && text[*at] == '-') {
        ++*at;
        span->letters = 0;
        wrong = name_read_end(text, end, at, &span->last, span);
        if (wrong) return wrong;
        if (letters != span->letters)
            return "a span goes from number to number or from letter to letter";
        span->width = width;
    }
    return span->last < span->first ? "a span counts upwards" : NULL;
}

static const char *name_read_set(struct name_range *r, struct name_set *set) {
    size_t at = set->open + 1;
    set->first_span = r->n_spans;
    for (;;) {
        if (r->n_spans == NAME_RANGE_SPANS) return "more than 32 spans in brackets";
        struct name_span *span = &r->spans[r->n_spans++];
        const char *wrong = name_read_span(r->text, set->close, &at, span);
        if (wrong) return wrong;
        set->count += (uint64_t)span->last - span->first + 1;
        if (at == set->close) break;
        if (r->text[at++] != ',') return "brackets hold numbers, letters and spans such as 0-63";
    }
    set->n_spans = r->n_spans - set->first_span;
    return NULL;
}

const char *name_range_parse(struct name_range *r, const char *text, size_t len) {
    memset(r, 0, sizeof *r);
    r->text = text;
    r->len = len;
    r->count = 1;
    if (len > NAME_TEXT_MAX) return "a name is longer than 255 bytes";
    for (size_t at = 0; at < len; at++) {
        if (text[at] == ']') return "a ] has no [";
        if (text[at] != '[') continue;
        if (r->n_sets == NAME_RANGE_SETS) return "more than 4 pairs of brackets";
        const char *close = memchr(text + at, ']', len - at);
        if (!close) return "a [ has no ]";
        struct name_set *set = &r->sets[r->n_sets++];
        set->open = at;
        set->close = (size_t)(close - text);
        const char *wrong = name_read_set(r, set);
        if (wrong) return wrong;
        if (set->count > (UINT64_C(1) << 62) / r->count) return "a range stands for too many names";
        r->count *= set->count;
        at = set->close;
    }
    return NULL;
}

static size_t name_write_number(uint32_t value, uint32_t width, char *buf) {
    char digits[10];
    size_t n = 0;
    for (; value > 0 || n == 0; value /= 10) digits[n++] = (char)('0' + value % 10);
    while (n < width) digits[n++] = '0';
    for (size_t i = 0; i < n; i++) buf[i] = digits[n - 1 - i];
    return n;
}

static size_t name_write_set(const struct name_range *r, const struct name_set *set, uint64_t i,
                             char *buf) {
    const struct name_span *span = &r->spans[set->first_span];
    for (; i > (uint64_t)span->last - span->first; span++)
        i -= (uint64_t)span->last - span->first + 1;
    uint32_t value = span->first + (uint32_t)i;
    if (!span->letters) return name_write_number(value, span->width, buf);
    buf[0] = (char)value;
    return 1;
}

size_t name_range_write(const struct name_range *r, uint64_t i, char *buf) {
    uint64_t digit[NAME_RANGE_SETS] = {0};
    size_t n = 0, at = 0;
    for (uint32_t s = r->n_sets; s-- > 0;) {
        digit[s] = i % r->sets[s].count;
        i /= r->sets[s].count;
    }
    for (uint32_t s = 0; s < r->n_sets; s++) {
        const struct name_set *set = &r->sets[s];
        memcpy(buf + n, r->text + at, set->open - at);
        n += set->open - at;
        n += name_write_set(r, set, digit[s], buf + n);
        at = set->close + 1;
    }
    memcpy(buf + n, r->text + at, r->len - at);
    return n + r->len - at;
}
