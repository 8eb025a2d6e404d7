/*
 * pack_input.c -- see pack_input.h.
 */
#include "cli/packing/pack_input.h"

#include <stdlib.h>
#include <string.h>

#include "cli/input/row_scan.h"
#include "cli/support/cli_errors.h"

void pack_input_begin(struct pack_input *input, uint32_t n_items, uint32_t n_resources,
                      size_t per_item, uint32_t bins) {
    memset(input, 0, sizeof *input);
    size_t amounts = (size_t)n_items * per_item;
    input->items = must_alloc(n_items * sizeof input->items[0]);
    input->configs = must_alloc(n_items * sizeof input->configs[0]);
    input->origins = must_alloc_zero(n_items * sizeof input->origins[0]);
    input->amounts = must_alloc_zero(amounts * sizeof input->amounts[0]);
    for (uint32_t r = 0; r < n_resources; r++)
        input->resources[r] = (lsched_pack_resource){.size = sizeof input->resources[r]};
    input->class = (lsched_pack_class){.size = sizeof input->class,
                                       .count = bins,
                                       .capacity = input->capacity,
                                       .open_price_micro = MILLION};
    for (uint32_t i = 0; i < n_items; i++) {
        input->configs[i] = (lsched_pack_config){
            .size = sizeof input->configs[i],
            .demand = per_item > 0 ? input->amounts + (size_t)i * per_item : NULL};
        input->items[i] = (lsched_pack_item){.size = sizeof input->items[i],
                                             .flags = LSCHED_PACK_ITEM_HAS_LATEST,
                                             .configs = input->configs + i,
                                             .n_configs = 1};
    }
    input->problem = (lsched_pack_problem){.size = sizeof input->problem,
                                           .n_resources = n_resources,
                                           .resources = input->resources,
                                           .classes = &input->class,
                                           .items = input->items,
                                           .n_classes = 1,
                                           .n_items = n_items,
                                           .resource_size = sizeof(lsched_pack_resource),
                                           .class_size = sizeof(lsched_pack_class),
                                           .item_size = sizeof(lsched_pack_item),
                                           .config_size = sizeof(lsched_pack_config),
                                           .reservation_size = sizeof(lsched_pack_reservation)};
}

void pack_input_soften(struct pack_input *input, size_t per_item, uint32_t z_milli) {
    size_t amounts = (size_t)input->problem.n_items * per_item;
    input->sigmas = must_alloc_zero(amounts * sizeof input->sigmas[0]);
    for (uint32_t i = 0; i < input->problem.n_items; i++)
        input->configs[i].sigma = input->sigmas + (size_t)i * per_item;
    for (uint32_t r = 0; r < input->problem.n_resources; r++) {
        input->resources[r].soft = 1;
        input->resources[r].z_milli = z_milli;
    }
}

void pack_input_free(struct pack_input *input) {
    free(input->items);
    free(input->configs);
    free(input->amounts);
    free(input->sigmas);
    free(input->slot_bounds);
    free(input->origins);
    memset(input, 0, sizeof *input);
}
