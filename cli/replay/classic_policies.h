/*
 * classic_policies.h -- the schedulers of the literature, under the names by which its results are
 * published, for `lsched simulate` and `lsched compare`.
 *
 * Each is a policy of the library with fixed parameters, not a scheduler of its own. They order all
 * jobs of one queue; quotas and priorities play no part. What a name means: first come, first
 * served in strict order (fcfs); EASY backfill in the order of arrival (easy), and with the
 * shortest estimate first (easy-sjbf); conservative backfill, in which every waiting job has a
 * reservation (conservative); the shortest estimate first in strict order (sjf). Three preempt,
 * with priorities that the replay sets (job_ranks.h): srtf, srsf and las.
 */
#ifndef LSCHED_CLI_CLASSIC_POLICIES_H
#define LSCHED_CLI_CLASSIC_POLICIES_H

#include "cli/policy/policy_source.h"
#include "cli/replay/simulation_cluster.h"

/* Opens the policies that the words name: classic policies by their names, and all others as
 * policy_sources_open() does. `out` has one entry for each word. Returns an exit code. */
int classic_policies_open(const char *command, const struct text_list *words,
                          struct policy_source *out);
/* What the priorities of jobs follow under the policy; RANK_NONE for all that do not preempt. */
enum job_rank classic_policies_rank(const struct policy_source *source);
/* True if the policy is a classic one. Such a policy reads estimates and needs all waiting jobs in
 * the cluster. */
bool classic_policies_has(const struct policy_source *source);

#endif
