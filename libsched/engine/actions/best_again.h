/*
 * best_again.h -- the best node for a task, also if the latest task of the same shape got it.
 *
 * Most strategies fill a node: while it has room, it is the best node again. After a task was
 * placed, the search index is therefore not brought up to date at once. If the latest best node is
 * the only node that changed, it still has room, and its score is not lower than it was, it is
 * still the best node, because all other scores are as they were. This costs one check of the
 * node's room and one score. The index, and the room counts of topology domains, are brought up to
 * date when another node is needed; then the changes of one node are read once.
 *
 * The answer is used only where the score of a node depends on nothing but the task shape and the
 * node: no hook scores or filters, no node has rejected the queue's tasks, no limit of a resource
 * part exists, and room that comes later is not sought. What is remembered is scratch of the cycle;
 * in builds that check caches, the index is asked as well and must have the same answer.
 */
#ifndef LIBSCHED_BEST_AGAIN_H
#define LIBSCHED_BEST_AGAIN_H

#include "engine/state/transaction.h"

struct search_index;
/* Sets *node to the best node of the domain for one more task of the leaf group, NO_ROW if no node
 * of the domain can take one. domain: NO_ROW for all nodes. Sets *x to the index, which is up to
 * date, or to NULL if the node was found without it. Returns LSCHED_OK or an error. */
int32_t best_again(lsched_cycle *cy, const struct ask *a, uint32_t domain, struct search_index **x,
                   uint32_t *node);

#endif
