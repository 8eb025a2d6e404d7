/*
 * name_range.h -- names that stand for many: "h100-[0-63]", "r[0-3,7]-n[00-15]", "zone-[a-c]".
 *
 * In brackets: numbers, letters and spans of them. A leading zero fixes the width ("[00-15]").
 * Several brackets count like an odometer, the last one fastest, so the order is that in which
 * people write racks and slots. A name without brackets stands for itself. Nothing is stored per
 * name: name i is written from i, in O(length).
 */
#ifndef LIBSCHED_NAME_RANGE_H
#define LIBSCHED_NAME_RANGE_H

#include <stddef.h>
#include <stdint.h>

enum { NAME_RANGE_SETS = 4, NAME_RANGE_SPANS = 32, NAME_RANGE_BYTES = 1024 };

struct name_span {
    uint32_t first, last; /* numbers, or bytes of letters */
    uint32_t width;       /* zero-padded to this */
    uint32_t letters;
};

struct name_set {
    size_t open, close; /* of its brackets in the text */
    uint32_t first_span, n_spans;
    uint64_t count;
};

struct name_range {
    const char *text; /* borrowed */
    size_t len;
    uint64_t count; /* names it stands for, at least 1 */
    uint32_t n_sets, n_spans;
    struct name_set sets[NAME_RANGE_SETS];
    struct name_span spans[NAME_RANGE_SPANS];
};

/* NULL, or what is wrong with the text (static storage). */
const char *name_range_parse(struct name_range *range, const char *text, size_t len);
/* Writes name i < count without a NUL and returns its length; buf holds NAME_RANGE_BYTES, which
 * always suffices. */
size_t name_range_write(const struct name_range *range, uint64_t i, char *buf);

#endif
