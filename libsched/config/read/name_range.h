/*
 * name_range.h -- patterns that describe many names: "h100-[0-63]", "r[0-3,7]-n[00-15]",
 * "zone-[a-c]".
 *
 * A pair of brackets contains numbers, letters, or spans such as 0-63, separated by commas. If the
 * first number of a span has leading zeros, all numbers of the span get the same number of digits:
 * "[00-15]" means 00, 01 and so on. In a pattern with several pairs of brackets, the value of the
 * last pair changes fastest: "r[0-1]-n[0-1]" means r0-n0, r0-n1, r1-n0, r1-n1, because people
 * number racks and slots in that order. A pattern without brackets describes one name. The names
 * are not stored: name i is computed from i, at a cost of O(length of the pattern).
 */
#ifndef LIBSCHED_NAME_RANGE_H
#define LIBSCHED_NAME_RANGE_H

#include <stddef.h>
#include <stdint.h>

enum { NAME_RANGE_SETS = 4, NAME_RANGE_SPANS = 32, NAME_RANGE_BYTES = 1024 };

struct name_span {
    uint32_t first, last; /* both ends of the span, as numbers or as the bytes of letters */
    uint32_t width; /* number of digits of each number, with leading zeros; 0: no leading zeros */
    uint32_t letters;
};

struct name_set {
    size_t open, close; /* offsets in bytes of `[` and `]` in the text */
    uint32_t first_span, n_spans;
    uint64_t count;
};

struct name_range {
    /* the pattern; the caller must keep this text unchanged while the range is in use */
    const char *text;
    size_t len;
    uint64_t count; /* number of names that the pattern describes, at least 1 */
    uint32_t n_sets, n_spans;
    struct name_set sets[NAME_RANGE_SETS];
    struct name_span spans[NAME_RANGE_SPANS];
};

/* Reads a pattern into *range. Returns NULL on success; otherwise a static text that says what is
 * wrong with the pattern. */
const char *name_range_parse(struct name_range *range, const char *text, size_t len);
/* Writes name i to buf, without a final NUL, and returns the length of the name in bytes. i must be
 * less than range->count. buf must have NAME_RANGE_BYTES bytes, which is enough for every name. */
size_t name_range_write(const struct name_range *range, uint64_t i, char *buf);

#endif
