/* image_save.h -- saves the registry of columns to bytes, in the format of image_form.h. */
#ifndef LIBSCHED_IMAGE_SAVE_H
#define LIBSCHED_IMAGE_SAVE_H

#include "model/store/columns.h"

/* A section that is not a column, such as the policy's text. */
struct image_extra {
    const char *name; /* without a dot, at most IMAGE_NAME_BYTES bytes */
    const void *bytes;
    size_t n;
};

/* Both functions save an image: they call `write` for consecutive pieces of its bytes, and
 * allocate nothing. If `write` returns a value other than 0, the save ends with LSCHED_E_STATE.
 * image_save_with() also writes the extra sections `extra`. */
int32_t image_save(const struct columns *k, lsched_write_fn write, void *user);
int32_t image_save_with(const struct columns *k, const struct image_extra *extra, uint32_t n_extra,
                        lsched_write_fn write, void *user);

#endif
