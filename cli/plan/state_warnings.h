/*
 * state_warnings.h -- warnings about settings of a cluster that have no effect: quotas that the
 * policy does not guarantee, and guarantees that the jobs of the queue can never use. `lsched run`
 * and `lsched check` print them. Only `lsched check` prints what a policy names and nothing in the
 * cluster has, because jobs come and go, and a policy can be right before its jobs are there.
 */
#ifndef LSCHED_CLI_STATE_WARNINGS_H
#define LSCHED_CLI_STATE_WARNINGS_H

#include <libsched/libsched.h>

struct state_warnings {
    char **text; /* owned by this struct */
    size_t n;
};

/* Collects the warnings. Before the call, the cluster must have run a cycle, because only a cycle
 * asks the hooks for the quotas in force. */
void state_warnings_read(const lsched_cluster *cluster, struct state_warnings *out);
/* Collects the warnings about the text of the policy, such as a parameter that nothing uses. */
void state_warnings_policy(const lsched_cluster *cluster, struct state_warnings *out);
/* Collects the warnings about names in tables of the policy that nothing in the cluster has. */
void state_warnings_misfits(const lsched_cluster *cluster, struct state_warnings *out);
void state_warnings_free(struct state_warnings *warnings);

#endif
