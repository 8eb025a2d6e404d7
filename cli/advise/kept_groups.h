/*
 * kept_groups.h -- how the advice on nodes follows from that of earlier runs: makes the bounds of
 * the search (cli/advise/node_bounds.h) from a state, and the state from what was found.
 *
 * A node to add is pending while the cluster does not have it; a node to drain, while it is ready.
 * So advice that the orchestrator carries out, in whole or in part, is no change. A node to add
 * that the catalogue does not offer now is pending no longer than for a day after the last change
 * of its group, and only if no other node of the group was advised in its place. Without a
 * catalogue nothing is said of nodes to add, and what is pending stays.
 *
 * The caller says the time of the run, and the 24 hours count by this time alone: runs of equal
 * times are one moment. So a caller that knows no time that moves on must bind nothing, or advice
 * would stay for ever. No clock is read, because the same files must give the same advice.
 *
 * Cost: O(nodes of the cluster, the catalogue and the state), and a look at each type for each node
 * to add that is not offered.
 */
#ifndef LSCHED_CLI_KEPT_GROUPS_H
#define LSCHED_CLI_KEPT_GROUPS_H

#include "cli/advise/node_bounds.h"
#include "cli/advise/node_search.h"
#include "cli/sizing/advice_state.h"

/* Makes the bounds for trials that are open. `at_us` is the time of the run, no earlier than that
 * of the state. The caller calls kept_groups_free(). */
void kept_groups_begin(const struct kept_nodes *kept, const struct node_trials *trials,
                       int64_t at_us, struct node_bounds *out);
/* Notes which groups have changed, and changes the state to the advice of this run. */
void kept_groups_end(const struct node_trials *trials, const struct node_advice *advice,
                     struct node_bounds *bounds, struct kept_nodes *kept);
void kept_groups_free(struct node_bounds *bounds);

#endif
