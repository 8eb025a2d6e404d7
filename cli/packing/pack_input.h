/*
 * pack_input.h -- a packing problem (libsched/pack.h) together with all arrays that the problem
 * points to. The readers of input files make it. The names of items point into the text of the
 * input file, therefore that text must live as long as the problem.
 *
 * Each item keeps the line and the column of the file where it was read. Therefore an error that
 * only the library finds is also reported as file:line:column.
 */
#ifndef LSCHED_CLI_PACK_INPUT_H
#define LSCHED_CLI_PACK_INPUT_H

#include <libsched/libsched.h>
#include <libsched/pack.h>

struct pack_origin {
    uint32_t line, column;
};

struct pack_input {
    lsched_pack_problem problem;
    lsched_pack_class class;
    lsched_pack_resource resources[LSCHED_PACK_RESOURCES_MAX];
    /* capacity of a bin for each resource; this and all other amounts are in millionths of the unit
     * that the file uses */
    int64_t capacity[LSCHED_PACK_RESOURCES_MAX];
    lsched_pack_item *items;     /* this array and the arrays below are owned by this struct */
    lsched_pack_config *configs; /* one config per item */
    int64_t *amounts;
    int64_t *sigmas; /* standard deviations of the demands; NULL if all demands are certain */
    int64_t *slot_bounds;
    struct pack_origin *origins; /* n_items entries */
};

/* Allocates the items, each with one config and `per_item` amounts of zero, and one class of `bins`
 * bins. Opening a bin costs 1. `bins` can be LSCHED_PACK_UNLIMITED. */
void pack_input_begin(struct pack_input *input, uint32_t n_items, uint32_t n_resources,
                      size_t per_item, uint32_t bins);
/* Makes all resources soft: the library then adds z_milli / 1000 standard deviations to the mean
 * demand of a bin. Allocates the standard deviations, which are zero at first. */
void pack_input_soften(struct pack_input *input, size_t per_item, uint32_t z_milli);
void pack_input_free(struct pack_input *input);

#endif
