/*
 * resize_list.h -- what a wanted resize waits for: the next cycle, room on its node, or a rule of
 * its queues.
 *
 * A row of RESIZE is in the list that LIST names. The list of a node begins at NODE.RESIZES; its
 * rows become awake when the node gains room. The list M_RESIZE_LIMITED has all rows that wait for
 * a rule of their queues; they become awake when any queue uses less or has other rights. The next
 * cycle tries the rows that are awake. RESIZE.{CODE, RES, LIMITING, NEED, HAVE} keep why the latest
 * try failed, as BUNDLE does for waiting jobs.
 *
 * Invariant: a row is in no list if and only if its task is wanted to have what it has, is not
 * running, or has an open decision. Cost: O(1) for each row that is put into a list, taken out, or
 * woken.
 */
#ifndef LIBSCHED_RESIZE_LIST_H
#define LIBSCHED_RESIZE_LIST_H

#include "model/store/columns.h"

/* Values of RESIZE.LIST. */
enum { RESIZE_NOWHERE = 0, RESIZE_AWAKE = 1, RESIZE_AT_NODE = 2, RESIZE_AT_QUEUES = 3 };

/* Takes the row out of its list, if it is in one. */
void resize_list_leave(struct columns *k, uint32_t row);
/* Moves the row to another list: RESIZE_AWAKE, RESIZE_AT_NODE (that of the task's node), or
 * RESIZE_AT_QUEUES. */
void resize_list_enter(struct columns *k, uint32_t row, uint8_t list);
/* Wake the resizes that wait for room on the node, and those that wait for a rule of their queues.
 * Both can return LSCHED_E_NOMEM. */
int32_t resize_list_wake_node(struct columns *k, uint32_t node);
int32_t resize_list_wake_queues(struct columns *k);

#endif
