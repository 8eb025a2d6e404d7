/*
 * series_image.h -- the bytes of a series, and the checks of bytes from elsewhere.
 *
 * An image is a head (magic number, version, length, checksum) and the block of the series as it is
 * in memory. The magic number is wrong on a machine with another byte order, and the length with
 * another layout. What always holds: a series from series_image_load() can be used like any other,
 * whatever the bytes were; each number was checked, not only the checksum.
 */
#ifndef LIBSCHED_FORECAST_SERIES_IMAGE_H
#define LIBSCHED_FORECAST_SERIES_IMAGE_H

#include <stddef.h>

#include <libsched/types.h>

#include "forecast/series/series.h"

struct series_image {
    uint64_t magic;
    uint32_t version, bytes;
    uint64_t checksum; /* of `series` */
    struct series series;
};

void series_image_save(const struct series *s, struct series_image *out);
/* Returns LSCHED_OK, LSCHED_E_VERSION or LSCHED_E_CORRUPT; *out is changed only by success. */
int32_t series_image_load(struct series *out, const void *bytes, size_t n, lsched_error *err);
/* Returns the name of the first wrong member, NULL if all are right. */
const char *series_image_check(const struct series *s);

#endif
