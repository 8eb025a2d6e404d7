/*
 * explain.h -- writes why a job waits, as text for people, from the present state of the cluster. A
 * plan holds only a wait code and numbers. An explanation also reads queues and nodes. Therefore it
 * can name the jobs that hold the room, the work that can be evicted, and the job whose end would
 * help. Cost: O(nodes + tasks + queues). The state of the cluster does not change.
 */
#ifndef LIBSCHED_EXPLAIN_H
#define LIBSCHED_EXPLAIN_H

#include "engine/state/cluster.h"
#include "engine/state/object_words.h"

/* Writes the explanation of a job to o. If `record` is not NULL, the job's waiting record is
 * written to *record. Before the call, the caller has marked the cluster as busy, because the
 * function calls the policy's share algorithm. Returns LSCHED_OK, LSCHED_E_NOMEM, or an error of
 * the share algorithm. */
int32_t explain_job(struct lsched_cluster *c, uint32_t job, struct text_out *o,
                    lsched_waiting *record);
/* Fills the job's waiting record as explain_job() does, without amounts of queues, and without
 * calling the policy. whole: 0 if only the code, the queue and the times are needed, and not the
 * numbers of nodes. Returns 1 if neither the end of all other work nor time alone lets the job
 * start, else 0. */
int explain_forecast(struct lsched_cluster *c, uint32_t job, int whole, lsched_waiting *record);
/* Updates the numbers of a plan's waiting record to the present state, and writes one line of text
 * for the record. */
void explain_waiting(const struct lsched_cluster *c, lsched_waiting *w, struct text_out *o);

#endif
