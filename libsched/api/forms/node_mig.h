/* node_mig.h -- checks the MIG fields of a node's description: the MIG table of a device and the
 * instances that exist on it. */
#ifndef LIBSCHED_NODE_MIG_H
#define LIBSCHED_NODE_MIG_H

#include "api/door/args.h"
#include "model/mig/mig.h"
#include "model/nodes/node.h"

/* Returns the MIG table with this name. If there is none, returns NULL with an error message that
 * lists the known tables. */
const struct mig_table *arg_mig_table(lsched_text name, const char *what, lsched_error *err);
/* Sets *geometry to the geometry (mig.h) with the given instances. busy: mask of the instances in
 * list[] that tasks hold. If slices is not NULL, *slices is set to the mask of the memory slices
 * of these instances. */
int32_t arg_mig_instances(const struct mig_table *t, const lsched_mig_instance *list, uint32_t n,
                          uint32_t busy, const char *what, uint32_t *geometry, uint32_t *slices,
                          lsched_error *err);
/* Returns the index of the profile with this name in the table. If there is none, returns
 * MIG_NONE with an error message that lists the table's profiles. */
uint32_t arg_mig_profile(const struct mig_table *t, lsched_text name, const char *what,
                         lsched_error *err);
/* Reads the MIG fields of one device of a node into its spec. */
int32_t node_read_mig(const lsched_device_desc *v, struct device_spec *spec, const char *node,
                      int len, lsched_error *err);
/* Applies LSCHED_NODE_SET_MIG of an update. */
int32_t node_mig_update(struct columns *k, uint32_t node, const lsched_node_update *u,
                        lsched_error *err);

#endif
