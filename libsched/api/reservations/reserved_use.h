/*
 * reserved_use.h -- refuses changes of nodes and queues that reservations use.
 *
 * Cost: O(1) for a node, O(reservations x depth) for a queue.
 */
#ifndef LIBSCHED_RESERVED_USE_H
#define LIBSCHED_RESERVED_USE_H

#include "api/door/args.h"

/* Checks that the node is in no reservation, whose window is its only absence. Error:
 * LSCHED_E_STATE. */
int32_t reserved_use_node(const struct columns *k, uint32_t node, lsched_error *err);
/* Checks that neither the queue nor a user queue below it holds a reservation. Error:
 * LSCHED_E_BUSY. */
int32_t reserved_use_queue(const struct columns *k, uint32_t queue, lsched_error *err);

#endif
