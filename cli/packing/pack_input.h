/*
 * pack_input.h -- a packing problem (libsched/pack.h) together with all that it points to, as the
 * readers of input files make it. Names point into the text of the file.
 *
 * Each item keeps its place in the file, therefore an error that only the library can find is also
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
    /* amounts are millionths of the amounts in the file */
    int64_t capacity[LSCHED_PACK_RESOURCES_MAX];
    lsched_pack_item *items;     /* owned, like the pointers below */
    lsched_pack_config *configs; /* one config per item */
    int64_t *amounts;
    int64_t *sigmas; /* NULL: all demands are certain */
    int64_t *slot_bounds;
    struct pack_origin *origins; /* n_items entries */
};

/* Allocates items of one config each, with `per_item` amounts that are zero, and one class of
 * `bins` bins (LSCHED_PACK_UNLIMITED is allowed), each of price 1. */
void pack_input_begin(struct pack_input *input, uint32_t n_items, uint32_t n_resources,
                      size_t per_item, uint32_t bins);
/* Makes the resources soft: a demand is mean + z sigma. The sigmas are zero at first. */
void pack_input_soften(struct pack_input *input, size_t per_item, uint32_t z_milli);
void pack_input_free(struct pack_input *input);

/* Reads an instance of temporal bin packing: a first row "n C ..." and n rows "index start end
 * size". The time unit of an instance becomes a second. */
int32_t pack_tbpp_read(const char *text, size_t len, uint32_t bins, struct pack_input *out,
                       lsched_error *err);

#endif
