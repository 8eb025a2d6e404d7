/*
 * id_set.h -- a set of ids in order of arrival, used while a batch of settle outcomes is applied.
 *
 * One set holds the ids that the batch withdrew, for its report and because a later element can
 * name one of them. Another set holds the ids that the batch named, because no id can be named
 * twice. The sets are not part of the state.
 */
#ifndef LIBSCHED_ID_SET_H
#define LIBSCHED_ID_SET_H

#include "base/alloc.h"

struct id_set {
    struct alloc *alloc;
    lsched_id *ids;
    size_t n, cap;
    uint32_t *by;     /* index of the batch element that added the id */
    uint32_t *bucket; /* index in ids + 1; 2 x cap buckets */
    uint32_t element; /* index of the batch element that is being applied */
    int failed;
};

void id_set_init(struct id_set *w, struct alloc *alloc);
void id_set_close(struct id_set *w);
void id_set_add(struct id_set *w, lsched_id id);
/* Callback for job_settle_losses: adds the decision. */
void id_set_tell(void *user, uint32_t slot, uint32_t generation);
/* Sets the id's entry in ids to 0, because the batch itself names the id. id_set_has() must not
 * be called afterwards. */
void id_set_forget(struct id_set *w, lsched_id id);
int id_set_has(const struct id_set *w, lsched_id id);
/* Returns the index of the batch element that added the id. */
uint32_t id_set_by(const struct id_set *w, lsched_id id);

#endif
