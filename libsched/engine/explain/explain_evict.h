/* explain_evict.h -- writes for each LSCHED_NO_VICTIM_* code why evicting other work does not help
 * the job. */
#ifndef LIBSCHED_EXPLAIN_EVICT_H
#define LIBSCHED_EXPLAIN_EVICT_H

#include "engine/state/cluster.h"
#include "engine/state/object_words.h"

/* Writes the text for the LSCHED_NO_VICTIM_* code of a waiting record. `fresh` is 1 if the caller
 * has updated the record's remaining fair share to the present state. `fresh` is 0 if that amount
 * is still from the last attempt to place the job. */
void explain_evict_put(const struct lsched_cluster *c, const lsched_waiting *w, int fresh,
                       struct text_out *o);

#endif
