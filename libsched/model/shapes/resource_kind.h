/* resource_kind.h -- resource kinds: row = number. 0 stands for "any", 1 to 3 for cpu, memory, gpu;
 * a late kind adds a column to each family. */
#ifndef LIBSCHED_RESOURCE_KIND_H
#define LIBSCHED_RESOURCE_KIND_H

#include "model/store/intern.h"

/* The number of the kind, new or known; LSCHED_E_LIMIT, LSCHED_E_NOMEM. */
int32_t kind_add(struct columns *k, const char *name, size_t n);
/* The text of a name, with room for a NUL behind it: lsched_resource_name hands out the bytes.
 * NO_ROW if out of memory. */
uint32_t kind_name_new(struct columns *k, const char *name, size_t n);
static inline uint32_t kind_count(const struct columns *k) {
    return (uint32_t)meta(k, M_N_KINDS);
}

#endif
