/*
 * unusable.h -- a report for people about guarantees that the work of a queue cannot use.
 *
 * Guarantees count GPUs of every kind. Tasks that request whole GPUs cannot use a GPU in mode mig
 * or of another model, tasks can need several GPUs on one node, and gangs need several nodes at
 * once. A guarantee beyond what these rules allow protects nothing, and the jobs wait without a
 * visible cause.
 *
 * The findings are certain for the jobs as they are now. "can use at most" bounds what tasks can
 * hold in any way, including the fair share and gangs. "can start on" bounds what the guarantee
 * alone gives: the fair share can give more and depends on the guarantee, so the report never
 * advises to lower this guarantee. There is no finding where jobs of different sizes, or single
 * tasks, might use the rest; where a hook, a limit or the parent's guarantee makes the guarantee
 * differ from the quota, because no advice on the quota is then sure to help; or where the queue
 * already uses more. The report advises a higher quota only if that amount would really be
 * guaranteed. GPUs that do not exist are no finding: guarantees can add up to more than the cluster
 * has. Nodes in every state count, because the report is about the configuration.
 *
 * O(queues x depth + jobs x groups + queues with a guarantee x devices), and memory for one row per
 * queue and device class. Why not a look at each waiting job (lsched_explain): that finds the fault
 * only once a job waits.
 */
#ifndef LIBSCHED_UNUSABLE_H
#define LIBSCHED_UNUSABLE_H

#include "engine/state/cluster.h"
#include "engine/state/object_words.h"

/* Writes a line for each finding about a queue, and one for all queues together. The cluster must
 * be marked busy, because the share algorithm can belong to the orchestrator. LSCHED_E_NOMEM, or an
 * error of the share algorithm. */
int32_t unusable_report(struct lsched_cluster *c, struct text_out *o, lsched_error *err);

#endif
