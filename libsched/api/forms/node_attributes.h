/* node_attributes.h -- checks and sorts the attributes of devices, which selectors and device
 * claims read. */
#ifndef LIBSCHED_NODE_ATTRIBUTES_H
#define LIBSCHED_NODE_ATTRIBUTES_H

#include "model/nodes/node.h"

/* Writes the attributes, sorted by key, to sorted[LSCHED_ATTRIBUTES_MAX]. The spec then points
 * into this array. */
int32_t node_read_attributes(const lsched_device_desc *d, lsched_label *sorted,
                             struct device_spec *spec, const char *name, int len,
                             lsched_error *err);

#endif
