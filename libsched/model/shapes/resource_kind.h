/* resource_kind.h -- resource kinds. The row of a kind is its number: 0 means "any kind", 1 to 3
 * are cpu, memory and gpu. Each later kind adds a column to each family of columns. */
#ifndef LIBSCHED_RESOURCE_KIND_H
#define LIBSCHED_RESOURCE_KIND_H

#include "model/store/intern.h"

/* Returns the index of the kind of this name, and makes the kind if it is new. Can return
 * LSCHED_E_LIMIT or LSCHED_E_NOMEM. */
int32_t kind_add(struct columns *k, const char *name, size_t n);
/* Makes the text of a kind's name, followed by a NUL, because lsched_resource_name() returns the
 * bytes. NO_ROW if out of memory. */
uint32_t kind_name_new(struct columns *k, const char *name, size_t n);
static inline uint32_t kind_count(const struct columns *k) {
    return (uint32_t)meta(k, M_N_KINDS);
}

#endif
