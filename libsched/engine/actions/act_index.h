/*
 * act_index.h -- the search index of one task shape, in which the calls of an action look for
 * nodes. The policy's hooks and the current job decide the sort order and the scores of the index.
 * The calls that place tasks, the calls that plan over time and the calls that distribute tasks
 * over topology domains use this file, which uses none of them.
 */
#ifndef LIBSCHED_ACT_INDEX_H
#define LIBSCHED_ACT_INDEX_H

#include "engine/state/transaction.h"

struct search_index;
/* Brings the index of the leaf group's task shape up to date and stores it in *x. Returns
 * LSCHED_OK, or the error of a hook or of an allocation. */
int32_t act_index(lsched_cycle *cy, const struct ask *a, struct search_index **x);
/* Sets *node to the best node for the leaf group's task shape, NO_ROW if no node can take a task.
 * If the shape has no index and a scan found the node (node_scan.h), sets *x to NULL; otherwise to
 * the index. */
int32_t act_best(lsched_cycle *cy, const struct ask *a, struct search_index **x, uint32_t *node);
/* Returns 1 if a node has room for one task now, 0 if none has, and -1 if the index does not tell,
 * because it leaves out nodes with room or has nodes whose room comes later. */
int act_index_has_room(const lsched_cycle *cy, const struct ask *a, const struct search_index *x);
/* act_offer notes that the index, which is up to date, has a score for the node: the node is ready
 * and has room for a task. act_was_offered returns 1 as long as this is known and no node has
 * changed since, so that the placement that follows need not check the same again. */
void act_offer(lsched_cycle *cy, const struct search_index *x, uint32_t node);
/* Notes the same of a node that is known to be ready and to have room. */
void act_offer_again(lsched_cycle *cy, uint32_t shape, uint32_t node);
int act_was_offered(const lsched_cycle *cy, uint32_t shape, uint32_t node);

#endif
