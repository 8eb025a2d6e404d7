/*
 * image_form.h -- the byte format of an image; shared by the writer and the reader, and used by
 * no other code.
 *
 * Columns are written as they are in memory, so the format is that of little-endian machines,
 * which all targets are.
 */
#ifndef LIBSCHED_IMAGE_FORM_H
#define LIBSCHED_IMAGE_FORM_H

#include "model/image/image.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "images are little-endian: columns need swapping here, and texts must be left alone"
#endif

#define IMAGE_MAGIC   "LSCHEDIM"
#define IMAGE_FORMAT  2u
#define IMAGE_NO_KIND UINT32_MAX
#define IMAGE_BYTES   6u /* type of an extra section; column types have lower numbers */

struct image_header {
    char magic[8];
    uint32_t format, semantics, sections, zero;
    uint64_t bytes;    /* length of the whole image */
    uint64_t more[3];  /* zero */
    uint64_t checksum; /* of the bytes before this member */
};

struct image_section {
    char name[IMAGE_NAME_BYTES + 1];
    uint32_t kind, type, stride, zero;
    uint64_t rows;
    uint64_t checksum; /* of the payload, seeded by the hash of the bytes before this member */
};

_Static_assert(sizeof(struct image_header) == 64 && sizeof(struct image_section) == 64,
               "no padding, whole words");

uint64_t image_header_checksum(const struct image_header *h);
uint64_t image_section_checksum(const struct image_section *s, const void *payload);
/* Writes the name of the section that holds the words of a table. image_heap_names: names of the
 * sections that hold the lists of free blocks. */
void image_table_name(uint32_t table, char out[IMAGE_NAME_BYTES + 1]);
extern const char *const image_heap_names[BLOCK_HEAPS];

/* Sections of single counters. */
enum {
#define COUNTER(name, words) IMAGE_COUNTER_##name,
#include "model/store/counters.def"
#undef COUNTER
    IMAGE_COUNTERS
};
struct image_counter {
    const char *name;
    uint16_t word, n;
};
extern const struct image_counter image_counters[IMAGE_COUNTERS];

#endif
