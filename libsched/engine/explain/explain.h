/*
 * explain.h -- writes why a job waits, as text for people, from the live state. A plan holds only
 * a code and numbers. An explanation also reads queues and nodes, and can therefore say which jobs
 * hold what, which work may be evicted, and which job's end would help. Cost: O(nodes + tasks +
 * queues). Nothing is changed.
 */
#ifndef LIBSCHED_EXPLAIN_H
#define LIBSCHED_EXPLAIN_H

#include "engine/state/cluster.h"
#include "engine/state/object_words.h"

/* Writes the explanation of a job to o, and its waiting record to *record if record is not NULL.
 * The cluster must be marked busy, because the policy's share algorithm is called. Returns
 * LSCHED_E_NOMEM, or an error of the share algorithm. */
int32_t explain_job(struct lsched_cluster *c, uint32_t job, struct text_out *o,
                    lsched_waiting *record);
/* Writes one line for a waiting record of a plan, after it brought the record's numbers up to
 * date. */
void explain_waiting(const struct lsched_cluster *c, lsched_waiting *w, struct text_out *o);

#endif
