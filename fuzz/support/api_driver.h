/* api_driver.h -- plays bytes as calls on a cluster and checks what must hold after each.
 *
 * The first byte of an operation chooses it, the following ones its arguments; bytes that ran out read as 0. Objects are
 * named from a small pool, so that calls meet objects that exist, that do not, and that did. */
#ifndef LSCHED_FUZZ_API_DRIVER_H
#define LSCHED_FUZZ_API_DRIVER_H

#include <libsched/libsched.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/support/fault_alloc.h"

enum {
    DRIVER_IDS = 32,
    DRIVER_TEXTS = 64,
    DRIVER_TEXT_BYTES = 16,
    DRIVER_LIST = 8,
    DRIVER_OPEN = 256
};

struct api_driver {
    const uint8_t *at, *end;
    uint32_t steps;
    struct fault_alloc memory;
    uint64_t failures_seen;
    lsched_cluster *cluster;
    lsched_plan *plan;   /* of the latest cycle; NULL: none */
    int plan_is_foreign; /* the cluster is a copy of the one that made the plan */
    int64_t now_us;
    lsched_id ids[DRIVER_IDS]; /* seen lately, live or not */
    uint32_t n_ids;

    /* what the descriptions of one call point to */
    char texts[DRIVER_TEXTS][DRIVER_TEXT_BYTES];
    uint32_t n_texts;
    lsched_amount amounts[DRIVER_TEXTS];
    uint32_t n_amounts;
    lsched_group_desc groups[DRIVER_LIST * 4];
    uint32_t n_groups;
    lsched_label labels[DRIVER_LIST];
    lsched_device_desc devices[DRIVER_LIST];
    lsched_selector selector;
    lsched_text selector_value;
    lsched_batch_opts opts;
    lsched_error err;
};

void api_driver_begin(struct api_driver *d, const uint8_t *data, size_t size);
int api_driver_step(struct api_driver *d); /* 0: nothing left to do */
void api_driver_end(struct api_driver *d);

#endif
