/*
 * id_set.h -- a set of ids in order of arrival, used while a batch of settle outcomes is applied.
 *
 * One set has the ids of the decisions that the batch withdrew. It is needed for the report, and
 * because a later element of the batch can name a withdrawn decision. Another set has the ids
 * that the batch has named, because a batch must not name an id twice. The sets are not part of
 * the state.
 */
#ifndef LIBSCHED_ID_SET_H
#define LIBSCHED_ID_SET_H

#include "base/alloc.h"

struct id_set {
    struct alloc *alloc;
    lsched_id *ids;
    size_t n, cap;
    uint32_t *by; /* by[i]: index of the batch element that added ids[i] */
    /* hash table of 2 x cap buckets: index in ids plus 1, 0 if the bucket is empty */
    uint32_t *bucket;
    uint32_t element; /* index of the batch element that is being applied */
    uint64_t salt;    /* id_salt of the columns: the set has ids of the API */
    int failed;
};

void id_set_init(struct id_set *w, struct alloc *alloc);
void id_set_close(struct id_set *w);
void id_set_add(struct id_set *w, lsched_id id);
/* Callback for job_settle_losses(): adds the id of a withdrawn decision to the set `user`. */
void id_set_tell(void *user, uint32_t slot, uint32_t generation);
/* Sets the id's entry in ids[] to 0, so that the id is not reported, because the batch itself
 * names it. Afterwards id_set_has() must not be called. */
void id_set_forget(struct id_set *w, lsched_id id);
int id_set_has(const struct id_set *w, lsched_id id);
/* Returns the index of the batch element that added the id. */
uint32_t id_set_by(const struct id_set *w, lsched_id id);

#endif
