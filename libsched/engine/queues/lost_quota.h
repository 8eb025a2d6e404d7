/*
 * lost_quota.h -- writes a report for people: quotas that guarantee nothing because the queue above
 * has no quota.
 *
 * The guarantees of the queues below a queue add up to no more than the guarantee of that queue. A
 * queue without a quota is guaranteed nothing, and so are all queues below it, whatever quotas they
 * have. Other than quotas that are only scaled down, this is hardly ever meant: whoever gives
 * quotas to teams, and none to their department, expects that the quotas hold.
 *
 * What always holds: a finding names a queue without a quota of a kind, below which queues have
 * quotas of the kind, and the share algorithm in force guarantees none of them anything. So there
 * is no finding under a share algorithm that has no guarantees, nor under one that adds the quotas
 * up by itself (`cohort`), nor where a limit of 0 is the cause. The quotas and limits are those in
 * force, which hooks of the policy can set. Quotas of resource parts do not count, because they
 * hold without a quota above.
 *
 * Cost: O(kinds x queues), and memory for one entry per queue. Why not refuse such quotas: a queue
 * can get its quota after the queues below it, and `cohort` needs none.
 */
#ifndef LIBSCHED_LOST_QUOTA_H
#define LIBSCHED_LOST_QUOTA_H

#include "engine/state/cluster.h"
#include "engine/state/object_words.h"

/* Writes one line for each finding. Before the call, the caller has marked the cluster as busy,
 * because the share algorithm can belong to the orchestrator. Error: LSCHED_E_NOMEM, or an error of
 * the share algorithm. */
int32_t lost_quota_report(struct lsched_cluster *c, struct text_out *o, lsched_error *err);

#endif
