/*
 * run_image.h -- the bytes of a table of users and their runs, and the checks of bytes from
 * elsewhere.
 *
 * An image is a head and a row for each user, the one whose latest run was reported first at the
 * front. It has neither chains nor places in the table: equal tables have equal images, whatever
 * was in them before, and a table of another size can take them. A copy of the memory would be
 * faster to load, but each link in it would have to be checked. The magic number is wrong on a
 * machine with another byte order. What always holds: a table from run_image_load() can be used
 * like any other, whatever the bytes were. Cost: O(users).
 */
#ifndef LIBSCHED_FORECAST_RUN_IMAGE_H
#define LIBSCHED_FORECAST_RUN_IMAGE_H

#include <libsched/types.h>

#include "forecast/durations/run_table.h"

struct run_image_row {
    uint64_t key[2];
    int64_t runs[2]; /* the latest first; -1: none */
};

struct run_image_head {
    uint64_t magic;
    uint32_t version, rows;
    uint64_t checksum; /* of the rows */
};

size_t run_image_bytes(const struct run_table *t);
void run_image_save(const struct run_table *t, void *bytes);
/* Adds the rows to a table without rows; if it is smaller, the first ones are forgotten. Returns
 * LSCHED_OK, LSCHED_E_VERSION or LSCHED_E_CORRUPT, after which the table has a part of the rows. */
int32_t run_image_load(struct run_table *t, const void *bytes, size_t n, lsched_error *err);

#endif
