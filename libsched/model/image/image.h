/*
 * image.h -- the registry as a whole: hashed by slots, saved to bytes, loaded from bytes that
 * nobody trusts.
 *
 * A saved image is a header, sections, and nothing else, all little-endian:
 *   header   magic, format, LSCHED_SEMANTICS, number of sections, length of the whole, checksum
 *   section  name, resource kind, column type, stride, rows, checksum of this and of the payload;
 *            then the payload, padded to 8 bytes
 * Sections are found by name ("NODE.TASKS", "NODE.FREE" of kind 3, "TABLE.NODE", "COUNTER.NOW"),
 * so a reader skips those it does not know; what the file lacks is LSCHED_E_VERSION, by name. A
 * checksum finds accidents, not intent: load believes nothing, and checks every link, list, text
 * and index (check.h) before the columns are anybody's.
 *
 * Why not the META column as it lies: its words are numbered through all tables, so one more table
 * would shift them.
 */
#ifndef LIBSCHED_IMAGE_H
#define LIBSCHED_IMAGE_H

#include "model/store/columns.h"

/* Every column by slots: equal after equal calls, and after undo, clone, save and load. */
uint64_t image_hash(const struct columns *k);

/* A section that is not a column: the policy's text, say. */
struct image_extra {
    const char *name; /* without a dot, at most IMAGE_NAME_BYTES */
    const void *bytes;
    size_t n;
};
#define IMAGE_NAME_BYTES 31

/* write is called in order; what it returns, if not 0, ends the save with LSCHED_E_STATE. Allocates
 * nothing. */
int32_t image_save(const struct columns *k, lsched_write_fn write, void *user);
int32_t image_save_with(const struct columns *k, const struct image_extra *extra, uint32_t n_extra,
                        lsched_write_fn write, void *user);

/* Put the image in place of what k holds; on error k is unchanged. LSCHED_E_VERSION for another
 * magic or format and for later semantics, LSCHED_E_CORRUPT for bytes that are not an image.
 * Structure is checked whole (columns_check); whether amounts agree with each other is
 * verify_state's to say, above this layer. */
int32_t image_load(struct columns *k, const void *bytes, size_t n, lsched_error *err);
/* An extra section of an image: 1 and its bytes, 0 if there is none, or an error as image_load. */
int32_t image_extra_find(const void *bytes, size_t n, const char *name, const void **out,
                         size_t *out_n);

#endif
