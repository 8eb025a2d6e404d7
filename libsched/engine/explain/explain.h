/*
 * explain.h -- why a job waits, as text for people, on the live state. The plan holds a code and
 * numbers; here queues and nodes are looked at, so the answer can say who holds what, who may be
 * stopped, and whose end would help. Cost O(nodes + tasks + queues); nothing is changed.
 */
#ifndef LIBSCHED_EXPLAIN_H
#define LIBSCHED_EXPLAIN_H

#include "engine/state/cluster.h"
#include "engine/state/object_words.h"

/* The cluster must be marked busy: the policy's share is asked. LSCHED_E_NOMEM, or what the share
 * says. */
int32_t explain_job(struct lsched_cluster *c, uint32_t job, struct text_out *o,
                    lsched_waiting *record);
/* One line for a record of a plan, whose numbers are brought up to date. */
void explain_waiting(const struct lsched_cluster *c, lsched_waiting *w, struct text_out *o);

#endif
