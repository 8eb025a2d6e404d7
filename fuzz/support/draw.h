/* draw.h -- what the harness of calls (api_driver.h) reads from its bytes: numbers, names, ids and
 * amounts that fit the cluster, that nearly do, and that do not; and how it stops on a finding. */
#ifndef LSCHED_FUZZ_DRAW_H
#define LSCHED_FUZZ_DRAW_H

#include "support/api_driver.h"

void draw_broken(const char *what, const struct api_driver *d);
uint8_t draw_byte(struct api_driver *d);
uint32_t draw_below(struct api_driver *d, uint32_t n);
int64_t draw_quantity(struct api_driver *d, int64_t unit);
lsched_text draw_name(struct api_driver *d, char prefix);
const lsched_batch_opts *draw_options(struct api_driver *d);
void draw_remember(struct api_driver *d, lsched_id id);
lsched_id draw_id(struct api_driver *d, uint32_t kind, char prefix);
lsched_id draw_open_decision(struct api_driver *d);
const lsched_amount *draw_amounts(struct api_driver *d, uint32_t n);
uint64_t draw_image(const struct api_driver *d);

#define MUST(condition)                               \
    do {                                              \
        if (!(condition)) draw_broken(#condition, d); \
    } while (0)

#endif
