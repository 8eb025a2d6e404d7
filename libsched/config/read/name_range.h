/*
 * name_range.h -- patterns that describe many names: "h100-[0-63]", "r[0-3,7]-n[00-15]",
 * "zone-[a-c]".
 *
 * Brackets hold numbers, letters and spans of them. A leading zero fixes the number of digits
 * ("[00-15]"). With several brackets the last one counts fastest, as on an odometer, because
 * people number racks and slots in that order. A name without brackets describes only itself. The
 * names are not stored: name i is computed from i, in O(length).
 */
#ifndef LIBSCHED_NAME_RANGE_H
#define LIBSCHED_NAME_RANGE_H

#include <stddef.h>
#include <stdint.h>

enum { NAME_RANGE_SETS = 4, NAME_RANGE_SPANS = 32, NAME_RANGE_BYTES = 1024 };

struct name_span {
    uint32_t first, last; /* numbers, or the bytes of letters */
    uint32_t width;       /* number of digits, filled up with zeros; 0: not filled up */
    uint32_t letters;
};

struct name_set {
    size_t open, close; /* offsets of the brackets in the text */
    uint32_t first_span, n_spans;
    uint64_t count;
};

struct name_range {
    const char *text; /* borrowed from the caller, who keeps the text as long as the range */
    size_t len;
    uint64_t count; /* number of names that the pattern describes, at least 1 */
    uint32_t n_sets, n_spans;
    struct name_set sets[NAME_RANGE_SETS];
    struct name_span spans[NAME_RANGE_SPANS];
};

/* Returns NULL, or what is wrong with the text (static storage). */
const char *name_range_parse(struct name_range *range, const char *text, size_t len);
/* Writes name i, with i < count, without a NUL and returns its length in bytes. buf has
 * NAME_RANGE_BYTES bytes, which is always enough. */
size_t name_range_write(const struct name_range *range, uint64_t i, char *buf);

#endif
