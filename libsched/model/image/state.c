/* state.c -- see state.h. */
#include "model/image/state.h"

#include "model/machine/machine.h"

int32_t state_open(struct columns *k, struct alloc *alloc) {
    int32_t rc = columns_init(k, alloc);
    if (rc != LSCHED_OK) return rc;
    rc = machine_cache_open(k);
    if (rc != LSCHED_OK) state_close(k);
    return rc;
}

void state_close(struct columns *k) {
    machine_cache_close(k);
    columns_close(k);
}
