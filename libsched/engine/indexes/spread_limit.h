/*
 * spread_limit.h -- checks the limit on the number of tasks of a leaf group in one domain (the
 * keys spread_level and spread_max of a leaf group).
 *
 * Tasks that hold room or are nominated count, including imported tasks. Releasing tasks do not
 * count. If imported tasks exceed the limit of a domain, these tasks keep running, and the domain
 * gets no more tasks of the leaf group. Nodes outside the topology get no task of a leaf group
 * that has such a limit.
 */
#ifndef LIBSCHED_SPREAD_LIMIT_H
#define LIBSCHED_SPREAD_LIMIT_H

#include "engine/indexes/ask.h"

struct spread_limit {
    uint32_t topology, level; /* `level` is NO_ROW if the leaf group has no limit */
    uint32_t max;
    uint32_t rows; /* number of rows of DOMAIN */
    /* by row of DOMAIN: number of tasks of the leaf group, for domains of `level` */
    uint32_t *held;
};

static inline int spread_limit_asked(const struct columns *k, const struct ask *a) {
    return k->c[C_GROUP_SPREAD].u32[a->row] != NO_ROW;
}
/* True if the spread limit allows one more task of the leaf group on the node. Cost: O(tasks of
 * the leaf group). */
int spread_limit_allows(const struct columns *k, const struct ask *a, uint32_t node);

/* Counts the tasks of a leaf group in each domain. Returns LSCHED_OK or LSCHED_E_NOMEM. After an
 * error, spread_limit_close() need not be called. */
int32_t spread_limit_open(struct spread_limit *s, const struct columns *k, const struct ask *a);
/* True if the limit allows one more task of the leaf group on the node. Cost: O(1). */
int spread_limit_takes(const struct spread_limit *s, const struct columns *k, uint32_t node);
void spread_limit_close(struct spread_limit *s, const struct columns *k);

#endif
