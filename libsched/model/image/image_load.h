/* image_load.h -- loads the registry of columns from bytes that are not trusted. */
#ifndef LIBSCHED_IMAGE_LOAD_H
#define LIBSCHED_IMAGE_LOAD_H

#include "model/store/columns.h"

/* Replaces the contents of k by the image; after an error k is unchanged. Returns
 * LSCHED_E_VERSION if the magic or the format differs or the semantics are later than those of
 * this library, LSCHED_E_CORRUPT if the bytes are no valid image. The structure is checked
 * completely (columns_check). The function does not check that amounts agree with each other;
 * verify_state() of the engine does. */
int32_t image_load(struct columns *k, const void *bytes, size_t n, lsched_error *err);
/* Finds the extra section of an image with this name. Returns 1 and sets *out and *out_n to its
 * bytes, 0 if the image has no such section, or an error like image_load(). Of the sections, only
 * the checksum of the found one is checked; image_load() checks all of them. */
int32_t image_extra_find(const void *bytes, size_t n, const char *name, const void **out,
                         size_t *out_n);

#endif
