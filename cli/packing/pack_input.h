/*
 * pack_input.h -- a packing problem (libsched/pack.h) together with all that it points to, as the
 * readers make it; names point into the text that was read.
 *
 * Items keep the place they come from, so that what only the library can find wrong is still
 * reported as file:line:column.
 */
#ifndef LSCHED_CLI_PACK_INPUT_H
#define LSCHED_CLI_PACK_INPUT_H

#include <libsched/libsched.h>
#include <libsched/pack.h>

#include "cli/input/csv_reader.h"

struct pack_origin {
    uint32_t line, column;
};

struct pack_input {
    lsched_pack_problem problem;
    lsched_pack_class class;
    lsched_pack_resource resources[LSCHED_PACK_RESOURCES_MAX];
    int64_t capacity[LSCHED_PACK_RESOURCES_MAX]; /* amounts are millionths of the file's */
    lsched_pack_item *items;                     /* owned, and the rest */
    lsched_pack_config *configs;                 /* one of each item */
    int64_t *amounts;
    int64_t *sigmas; /* NULL: all is certain */
    int64_t *slot_bounds;
    struct pack_origin *origins; /* [n_items] */
};

/* Room for items of one config each, of `per_item` amounts; bins of one class, `bins` of them
 * (UNLIMITED too), each of price 1. Amounts are zero. */
void pack_input_begin(struct pack_input *input, uint32_t n_items, uint32_t n_resources,
                      size_t per_item, uint32_t bins);
/* Resources become soft: mean + z sigma. Sigmas are zero. */
void pack_input_soften(struct pack_input *input, size_t per_item, uint32_t z_milli);
void pack_input_free(struct pack_input *input);

/* An instance of temporal bin packing: "n C ..." and n rows "index start end size". A unit of its
 * time is a second. */
int32_t pack_tbpp_read(const char *text, size_t len, uint32_t bins, struct pack_input *out,
                       lsched_error *err);

#endif
