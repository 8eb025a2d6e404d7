/*
 * image_form.h -- the byte format of an image. Only image_save.c and image_load.c use it.
 *
 * Columns are written with the bytes that they have in memory. Therefore the format is
 * little-endian, like all computers for which the library is built.
 *
 * A saved image is a header, sections, and nothing else, all little-endian:
 *   header   magic, format, LSCHED_SEMANTICS, number of sections, length of the whole, checksum
 *   section  name, resource kind, column type, stride, rows, checksum of this and of the payload;
 *            then the payload, padded to 8 bytes
 * Sections are found by name ("NODE.TASKS", "NODE.FREE" of kind 3, "TABLE.NODE", "COUNTER.NOW").
 * A load skips sections with unknown names. It widens the unsigned numbers of a section if the
 * column has wider ones by now. If a section is missing, the load fails with
 * LSCHED_E_VERSION, and the message names the section. A checksum detects accidental damage, but
 * not a manipulated image. Therefore a load checks every link, list, text and index (check.h)
 * before the columns are used.
 *
 * Why not save the META column as one section: the positions of its words depend on the number of
 * tables, and one more table would change them.
 */
#ifndef LIBSCHED_IMAGE_FORM_H
#define LIBSCHED_IMAGE_FORM_H

#include "model/store/columns.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "images are little-endian: columns need swapping here, and texts must be left alone"
#endif

#define IMAGE_MAGIC      "LSCHEDIM"
#define IMAGE_FORMAT     2u
#define IMAGE_NO_KIND    UINT32_MAX
#define IMAGE_NAME_BYTES 31
#define IMAGE_BYTES      6u /* type of an extra section; the types of columns are lower numbers */

struct image_header {
    char magic[8];
    uint32_t format, semantics, sections, zero;
    uint64_t bytes;    /* length of the whole image */
    uint64_t more[3];  /* zero */
    uint64_t checksum; /* checksum of the bytes of the header before this member */
};

struct image_section {
    char name[IMAGE_NAME_BYTES + 1];
    uint32_t kind, type, stride, zero;
    uint64_t rows;
    /* hash of the payload, with the hash of the bytes before this member as seed */
    uint64_t checksum;
};

_Static_assert(sizeof(struct image_header) == 64 && sizeof(struct image_section) == 64,
               "no padding, whole words");

uint64_t image_header_checksum(const struct image_header *h);
uint64_t image_section_checksum(const struct image_section *s, const void *payload);
/* image_table_name() writes the name of the section with the words of META about a table.
 * image_heap_names[h] is the name of the section with the lists of free blocks of heap h. */
void image_table_name(uint32_t table, char out[IMAGE_NAME_BYTES + 1]);
extern const char *const image_heap_names[BLOCK_HEAPS];

/* Each counter has a section of its own. */
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
