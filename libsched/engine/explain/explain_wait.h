/* explain_wait.h -- writes for each LSCHED_WAIT_* code why a job waits. */
#ifndef LIBSCHED_EXPLAIN_WAIT_H
#define LIBSCHED_EXPLAIN_WAIT_H

#include "engine/state/cluster.h"
#include "engine/state/object_words.h"

/* Writes why the job of the record waits. The caller has checked that all objects that the record
 * names exist. The text about evictions is not included; explain_evict_put writes it. */
void explain_wait_put(const struct lsched_cluster *c, const lsched_waiting *w, struct text_out *o);

/* Writes until when the orchestrator holds the job, and its reason. */
void explain_wait_put_host(const struct columns *k, uint32_t job, int64_t now, struct text_out *o);

#endif
