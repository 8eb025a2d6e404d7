/* resource_kind.h -- resource kinds. The row of a kind is its number: 0 means "any kind", 1 is
 * cpu, 2 is memory, 3 is gpu. Each later kind needs one more column in each family of columns
 * (such as NODE.FREE). */
#ifndef LIBSCHED_RESOURCE_KIND_H
#define LIBSCHED_RESOURCE_KIND_H

#include "model/store/intern.h"

/* Returns the number of the kind with this name, and makes the kind if the name is new. Can
 * return LSCHED_E_LIMIT or LSCHED_E_NOMEM. */
int32_t kind_add(struct columns *k, const char *name, size_t n);
/* Makes the text of a kind's name and returns its row, NO_ROW if out of memory. A NUL follows the
 * text, because lsched_resource_name() returns its bytes as a C string. */
uint32_t kind_name_new(struct columns *k, const char *name, size_t n);
static inline uint32_t kind_count(const struct columns *k) {
    return (uint32_t)meta(k, M_N_KINDS);
}

#endif
