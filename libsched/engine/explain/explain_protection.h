/*
 * explain_protection.h -- writes which rules protect running work from being evicted for a job, in
 * addition to guarantees and fair shares.
 */
#ifndef LIBSCHED_EXPLAIN_PROTECTION_H
#define LIBSCHED_EXPLAIN_PROTECTION_H

#include "engine/state/cluster.h"
#include "engine/state/object_words.h"

/* Returns the name of the number by which work of a queue is compared for evictions: "priority", or
 * the name of the policy's hook. */
const char *explain_rank_word(const struct lsched_cluster *c);
/* Returns the time until which `job` cannot be evicted because the orchestrator refused to evict
 * it. Returns 0 if the orchestrator did not refuse or that time has passed. */
int64_t explain_protection_until(const struct lsched_cluster *c, uint32_t job);
/* Returns the first time from which the job that waits can evict work of its own queue and its own
 * priority, because the work's soft limit is over then. LSCHED_NEVER_US if there is none. */
int64_t explain_protection_soft_end(const struct lsched_cluster *c, const lsched_waiting *w);
/* Writes the rules that protect the work of other jobs, such as "; 16 GPUs are held by work that is
 * not preemptible (x)". */
void explain_protection_put(const struct lsched_cluster *c, const lsched_waiting *w,
                            struct text_out *o);
/* True if some running work of other jobs is protected by no rule of this file. Guarantees, fair
 * shares and the policy's hook can still protect this work. */
int explain_protection_may_go(const struct lsched_cluster *c, const lsched_waiting *w);

#endif
