/*
 * image.h -- the registry of columns as a whole: its hash by slots, saving to bytes, and loading
 * from bytes that are not trusted.
 *
 * A saved image is a header, sections, and nothing else, all little-endian:
 *   header   magic, format, LSCHED_SEMANTICS, number of sections, length of the whole, checksum
 *   section  name, resource kind, column type, stride, rows, checksum of this and of the payload;
 *            then the payload, padded to 8 bytes
 * Sections are found by name ("NODE.TASKS", "NODE.FREE" of kind 3, "TABLE.NODE", "COUNTER.NOW"),
 * so a reader skips sections that it does not know. If the file lacks a section, the error is
 * LSCHED_E_VERSION and names it. A checksum detects accidents, not intent: a load trusts nothing,
 * and checks every link, list, text and index (check.h) before the columns are used.
 *
 * Why not save the META column unchanged: its words are numbered through all tables, so one more
 * table would shift them.
 */
#ifndef LIBSCHED_IMAGE_H
#define LIBSCHED_IMAGE_H

#include "model/store/columns.h"

/* Returns a hash of every column by slots: equal after equal calls, and after undo, clone, save
 * and load. */
uint64_t image_hash(const struct columns *k);

/* A section that is not a column, such as the policy's text. */
struct image_extra {
    const char *name; /* without a dot, at most IMAGE_NAME_BYTES bytes */
    const void *bytes;
    size_t n;
};
#define IMAGE_NAME_BYTES 31

/* Save an image. The functions call `write` for consecutive bytes; if `write` returns other than
 * 0, the save ends with LSCHED_E_STATE. The functions allocate nothing. */
int32_t image_save(const struct columns *k, lsched_write_fn write, void *user);
int32_t image_save_with(const struct columns *k, const struct image_extra *extra, uint32_t n_extra,
                        lsched_write_fn write, void *user);

/* Replaces the contents of k by the image; on error k is unchanged. LSCHED_E_VERSION for another
 * magic or format and for later semantics, LSCHED_E_CORRUPT for bytes that are not an image. The
 * structure is checked completely (columns_check). Whether amounts agree with each other is
 * checked by verify_state(), above this layer. */
int32_t image_load(struct columns *k, const void *bytes, size_t n, lsched_error *err);
/* Finds an extra section of an image. Returns 1 and sets its bytes, 0 if there is none, or an
 * error as image_load() does. */
int32_t image_extra_find(const void *bytes, size_t n, const char *name, const void **out,
                         size_t *out_n);

#endif
