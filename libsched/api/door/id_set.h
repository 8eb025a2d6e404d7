/*
 * id_set.h -- a set of ids in order of arrival: what a settle batch withdrew, for its report and
 * because a later element may name one of them; and what it has named, because nothing may be named
 * twice. Nothing here is state.
 */
#ifndef LIBSCHED_ID_SET_H
#define LIBSCHED_ID_SET_H

#include "base/alloc.h"

struct withdrawn {
    struct alloc *alloc;
    lsched_id *ids;
    size_t n, cap;
    uint32_t *by;     /* which element of the batch added it */
    uint32_t *bucket; /* place in ids + 1; 2 x cap buckets */
    uint32_t element; /* that is being applied */
    int failed;
};

void withdrawn_init(struct withdrawn *w, struct alloc *alloc);
void withdrawn_close(struct withdrawn *w);
void withdrawn_add(struct withdrawn *w, lsched_id id);
/* The callback of job_settle_losses. */
void withdrawn_tell(void *user, uint32_t slot, uint32_t generation);
/* Its place in ids becomes 0: the batch named it itself. After this, withdrawn_has() may not be
 * asked. */
void withdrawn_forget(struct withdrawn *w, lsched_id id);
int withdrawn_has(const struct withdrawn *w, lsched_id id);
/* The element that added it. */
uint32_t withdrawn_by(const struct withdrawn *w, lsched_id id);

#endif
