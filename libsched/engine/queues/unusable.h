/*
 * unusable.h -- guarantees that the work of a queue cannot use, as a report for people.
 *
 * Guarantees count GPUs of every sort. Tasks that ask for whole GPUs cannot have a GPU that is cut
 * for MIG or is of another model, take several on one node, and gangs take several nodes at once.
 * A guarantee beyond what that leaves protects nothing, and nobody notices: the jobs wait.
 *
 * What is said is certain of the jobs as they are now. "can use at most" bounds what tasks can hold
 * in any way: by the fair share, and as parts of gangs. "can start on" bounds what the guarantee
 * alone gives: the fair share may give more, and depends on the guarantee, so nobody is told to
 * lower it. Where jobs of different sizes, or tasks that come one by one, might fill the rest,
 * nothing is said; nor where a hook, a limit or the parent's guarantee makes the guarantee another
 * than the quota, for then no advice on the quota is sure to help; nor where the queue is seen to
 * use more. A quota is to be raised only where that much would be guaranteed.
 * GPUs that do not exist are no part of the report: guarantees may add up to more than there is.
 * Nodes count whatever their state is, so that the report speaks of what is configured.
 *
 * O(queues x depth + jobs x groups + queues with a guarantee x devices) and memory for one row per
 * queue and device class. The obvious other way, a look at each waiting job (lsched_explain), finds
 * the fault only once the job waits.
 */
#ifndef LIBSCHED_UNUSABLE_H
#define LIBSCHED_UNUSABLE_H

#include "engine/state/cluster.h"
#include "engine/state/object_words.h"

/* A line for each queue, and one for all of them together. The cluster must be marked busy: the
 * share may be the host's.
 * LSCHED_E_NOMEM, or what the share says. */
int32_t unusable_report(struct lsched_cluster *c, struct text_out *o, lsched_error *err);

#endif
