/*
 * unusable_guarantee.h -- writes a report for people: which part of a queue's guarantee the jobs
 * of the queue cannot use.
 *
 * A guarantee counts GPUs of every model and sharing mode. But a task that requests whole GPUs
 * cannot use a GPU in mode mig or of another model. A task can also need several GPUs on one node,
 * and a gang can need many GPUs at once. If a guarantee exceeds the number of GPUs that the jobs
 * can use, the excess protects nothing, and jobs wait without a visible cause.
 *
 * Each finding is certain for the jobs that the queue has now. There are two kinds of findings:
 *   "can use at most"  the tasks can never hold more GPUs, neither by the guarantee nor by the
 *                      fair share
 *   "can start on"     the tasks can start on no more GPUs by the guarantee alone. The fair share
 *                      can allow more, but depends on the guarantee. Therefore such a finding
 *                      never advises to lower the guarantee
 * There is no finding about a queue in each of these cases:
 *   - Jobs of different sizes, or single tasks, can use the whole guarantee.
 *   - A hook, a limit or the parent's guarantee makes the guarantee differ from the quota. In this
 *     case no advice on the quota is sure to help.
 *   - The queue already uses more GPUs than the finding would allow.
 * The report advises a higher quota only if the higher amount would really be guaranteed. It does
 * not report guarantees that exceed the GPUs of the whole cluster, because guarantees are allowed
 * to add up to more than the cluster has. Nodes in every state count, because the report is about
 * the configuration.
 *
 * Cost: O(queues x depth + jobs x groups + queues with a guarantee x devices), and memory for one
 * entry per queue and one per device class. Why not explain each waiting job instead
 * (lsched_explain): that would find the fault only after a job has begun to wait.
 */
#ifndef LIBSCHED_UNUSABLE_GUARANTEE_H
#define LIBSCHED_UNUSABLE_GUARANTEE_H

#include "engine/state/cluster.h"
#include "engine/state/object_words.h"

/* Writes one line for each finding about a queue, and one line for a finding about all root queues
 * together. Before the call, the caller has marked the cluster as busy, because the share
 * algorithm can belong to the orchestrator. Error: LSCHED_E_NOMEM, or an error of the share
 * algorithm. */
int32_t unusable_guarantee_report(struct lsched_cluster *c, struct text_out *o, lsched_error *err);

#endif
