/*
 * image.h -- a hash and a copy of the whole registry of columns. image_save.h converts the
 * registry to bytes; image_load.h converts the bytes back.
 */
#ifndef LIBSCHED_IMAGE_H
#define LIBSCHED_IMAGE_H

#include "model/store/columns.h"

/* Returns the image hash: a hash of every column in the order of rows. It is equal for two
 * registries that got the same calls. Undo, clone, save and load do not change it. */
uint64_t image_hash(const struct columns *k);
/* Copies all columns of src to dst. Memory of dst that is large enough is used again. After an
 * error dst is unchanged. */
int32_t columns_copy(struct columns *dst, const struct columns *src);

#endif
