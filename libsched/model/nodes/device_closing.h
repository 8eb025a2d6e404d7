/*
 * device_closing.h -- closes and opens single devices of a node: an operator cordoned the device,
 * or it failed.
 *
 * What a closed device means for the amounts is said in device.h. The node's capacity of gpu and
 * the totals of the cluster do not include closed devices, so shares and warnings about guarantees
 * follow. Cost: O(tasks on the node + devices + kinds), and a new node class.
 */
#ifndef LIBSCHED_DEVICE_CLOSING_H
#define LIBSCHED_DEVICE_CLOSING_H

#include "model/devices/device.h"

/* Gives the device the marks `closed` (bits of enum device_closed; 0: the device is open). Returns
 * LSCHED_OK, LSCHED_E_NOMEM or LSCHED_E_LIMIT. The caller withdraws nominations on the device. */
int32_t device_closing_set(struct columns *k, uint32_t node, uint32_t index, uint8_t closed);
/* Counts one failure of the device. The count stays at its greatest value. */
void device_closing_failed(struct columns *k, uint32_t node, uint32_t index);
/* Returns the sum of the failures of the node's devices. */
uint64_t device_closing_failures(const struct columns *k, uint32_t node);

#endif
