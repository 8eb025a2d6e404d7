/*
 * withdrawn.h -- the ids that a settle batch withdrew beside what it named: in order for the report, and in a hash set, because a
 * later element of the batch may name one of them. Nothing here is state.
 */
#ifndef LIBSCHED_WITHDRAWN_H
#define LIBSCHED_WITHDRAWN_H

#include "base/alloc.h"

struct withdrawn {
    struct alloc *alloc;
    lsched_id *ids;
    size_t n, cap;
    uint32_t *bucket; /* place in ids + 1; 2 x cap buckets */
    int failed;
};

void withdrawn_init(struct withdrawn *w, struct alloc *alloc);
void withdrawn_close(struct withdrawn *w);
void withdrawn_tell(void *user, uint32_t slot, uint32_t generation);
int withdrawn_has(const struct withdrawn *w, lsched_id id);

#endif
