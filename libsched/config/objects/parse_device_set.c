/* parse_device_set.c -- see parse_device_set.h. */
#include "config/objects/parse_device_set.h"

#include <stdio.h>

/* Reads a text of one to nine decimal digits. Returns the number of digits; 0: there is none. */
static size_t span_end(const char *text, size_t len, uint32_t *number) {
    size_t n = 0;
    *number = 0;
    for (; n < len && n < 9 && text[n] >= '0' && text[n] <= '9'; n++)
        *number = *number * 10 + (uint32_t)(text[n] - '0');
    return n;
}

/* Reads a span such as 0-3 into *first and *last. Returns 0 if the value is not such a text. */
static int is_span(struct field_reader *r, uint32_t value, uint32_t *first, uint32_t *last) {
    size_t len = 0;
    if (!read_is(r, value, YTREE_SCALAR)) return 0;
    const char *text = read_chars(r, value, &len);
    size_t digits = span_end(text, len, first);
    if (digits == 0 || digits >= len || text[digits] != '-') return 0;
    size_t more = span_end(text + digits + 1, len - digits - 1, last);
    return more > 0 && digits + 1 + more == len;
}

int32_t read_device_span(struct field_reader *r, uint32_t value, uint32_t bound, uint32_t *first,
                         uint32_t *last) {
    char what[64];
    int32_t code = 0;
    if (!is_span(r, value, first, last)) {
        code = read_u32(r, value, first);
        *last = *first;
    }
    if (!code && (*first > *last || *last - *first >= 64 * LSCHED_DEVICE_WORDS))
        code = read_expected(r, LSCHED_E_RANGE, value, "a span of devices such as 0-3");
    if (!code && *last >= bound) {
        snprintf(what, sizeof what, "a device number below %u", bound);
        code = read_expected(r, LSCHED_E_RANGE, value, what);
    }
    return code;
}

static int32_t mask_item(struct field_reader *r, uint32_t value, void *mask) {
    uint32_t first = 0, last = 0;
    int32_t code = read_device_span(r, value, 32, &first, &last);
    for (uint32_t d = first; !code && d <= last; d++) {
        if (*(uint32_t *)mask >> d & 1)
            code = read_expected(r, LSCHED_E_RANGE, value, "each number once");
        *(uint32_t *)mask |= 1u << d;
    }
    return code;
}

int32_t read_device_mask(struct field_reader *r, uint32_t value, void *mask) {
    return read_one_or_items(r, value, mask_item, mask);
}

static int32_t words_item(struct field_reader *r, uint32_t value, void *words) {
    uint32_t first = 0, last = 0;
    int32_t code = read_device_span(r, value, 64 * LSCHED_DEVICE_WORDS, &first, &last);
    for (uint32_t d = first; !code && d <= last; d++) {
        uint64_t *word = (uint64_t *)words + d / 64;
        if (*word >> d % 64 & 1) code = read_expected(r, LSCHED_E_RANGE, value, "each device once");
        *word |= (uint64_t)1 << d % 64;
    }
    return code;
}

int32_t read_device_words(struct field_reader *r, uint32_t value, void *words) {
    return read_one_or_items(r, value, words_item, words);
}
