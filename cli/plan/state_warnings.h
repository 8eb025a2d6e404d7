/*
 * state_warnings.h -- warnings about a cluster's configuration that has no effect, for `lsched
 * run` and `lsched check`: quotas that the policy does not guarantee, and guarantees that the jobs
 * of their queues can never use.
 */
#ifndef LSCHED_CLI_STATE_WARNINGS_H
#define LSCHED_CLI_STATE_WARNINGS_H

#include "cli/support/command.h"

struct state_warnings {
    char **text; /* owned by this struct */
    size_t n;
};

/* Reads the warnings. The function must be called after a cycle, because only a cycle asks the
 * hooks for the quotas that are in force. */
void state_warnings_read(lsched_cluster *cluster, struct state_warnings *out);
void state_warnings_free(struct state_warnings *warnings);

#endif
