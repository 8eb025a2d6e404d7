/*
 * state_warnings.h -- what of a cluster's configuration has no effect, as `lsched run` and
 * `lsched check` say it: quotas that the policy does not guarantee, guarantees that the jobs of
 * their queues can never use.
 */
#ifndef LSCHED_CLI_STATE_WARNINGS_H
#define LSCHED_CLI_STATE_WARNINGS_H

#include "cli/support/command.h"

struct state_warnings {
    char **text; /* owned */
    size_t n;
};

/* To be asked after a cycle: only then hooks have said what quotas are in force. */
void state_warnings_read(lsched_cluster *cluster, struct state_warnings *out);
void state_warnings_free(struct state_warnings *warnings);

#endif
