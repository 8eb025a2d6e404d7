/* explain_wait.h -- writes for each LSCHED_WAIT_* code why a job waits. */
#ifndef LIBSCHED_EXPLAIN_WAIT_H
#define LIBSCHED_EXPLAIN_WAIT_H

#include "engine/state/cluster.h"
#include "engine/state/object_words.h"

/* Writes why the job of the record waits. The caller has checked that all objects that the record
 * names exist. The text about evictions is not included; explain_evict_put writes it. */
void explain_wait_put(const struct lsched_cluster *c, const lsched_waiting *w, struct text_out *o);

#endif
