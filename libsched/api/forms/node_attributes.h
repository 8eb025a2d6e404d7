/* node_attributes.h -- attributes of devices, which selectors and claims speak of: sorted,
 * checked. */
#ifndef LIBSCHED_NODE_ATTRIBUTES_H
#define LIBSCHED_NODE_ATTRIBUTES_H

#include "model/nodes/node.h"

/* Into sorted[LSCHED_ATTRIBUTES_MAX], which the spec keeps pointing at. */
int32_t node_read_attributes(const lsched_device_desc *d, lsched_label *sorted,
                             struct device_spec *spec, const char *name, int len,
                             lsched_error *err);

#endif
