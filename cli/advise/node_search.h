/*
 * node_search.h -- searches for nodes to add and nodes to drain, with trials as the judge.
 *
 * Adding is greedy. In each round, each type is tried alone on top of what is chosen so far: first
 * with all its nodes, which shows how many of them get work, then with that number, its half, its
 * quarter ..., until fewer nodes are worse twice, then with the counts between; up to six counts
 * are all tried. The type with the greatest gain for its price is chosen. At the end each count is
 * lowered and raised a last time. A gang needs several nodes at once, so a search that added one
 * node at a time would never begin.
 *
 * Draining takes nodes in the order in which they are likely to be missed least: nodes without work
 * first, and among these the ones that cost most. If nodes with work can be drained, a second order
 * has the nodes that cost most first. In each order, the number of nodes is doubled and then
 * bisected. A trial is refused if a waiting job starts no more, if a job whose run was stopped does
 * not start again, if work that is not preemptible is stopped, if a node does not become empty, or
 * if the nodes left do not hold the quotas of the topmost queues with a bounded quota; a quota of a
 * resource part bars all draining, because nodes do not say how much of a part they have. Draining
 * obeys the policy: which running work may move or stop, and when, the library decides in the
 * trial.
 *
 * With bounds (node_bounds.h), the search begins with the pending additions that stay, and with the
 * pending drains that stay and are still good: each group of them is one more trial.
 *
 * Both are heuristics over counts; each answer is the best change that was tried. The search of t
 * types with at most n nodes costs at most t * t * 4 * log n trials.
 */
#ifndef LSCHED_CLI_NODE_SEARCH_H
#define LSCHED_CLI_NODE_SEARCH_H

#include "cli/advise/node_trial.h"

struct node_advice {
    struct node_change change; /* change.drained is owned */
    struct node_figures added; /* with the added nodes alone */
    struct node_figures all;   /* with the drained nodes, too */
};

/* Searches. Returns LSCHED_OK or an error. The caller calls node_advice_free() in any case. */
int32_t node_search_run(struct node_trials *trials, struct node_advice *out, lsched_error *err);
void node_advice_free(struct node_advice *advice);
/* The counts to add alone: tests compare them with all combinations. */
int32_t node_search_add(struct node_trials *trials, struct node_advice *out, lsched_error *err);

#endif
