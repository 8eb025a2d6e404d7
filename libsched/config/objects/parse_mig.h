/* parse_mig.h -- reads the MIG instances of a device and the instances that running tasks hold. */
#ifndef LIBSCHED_PARSE_MIG_H
#define LIBSCHED_PARSE_MIG_H

#include "config/objects/scenario_parts.h"

/* Reads MIG profiles, each with the memory slice where the instance begins, such as [3g.40gb@0,
 * 2g.20gb@4], into a lsched_device_desc. */
int32_t read_geometry(struct field_reader *r, uint32_t value, void *desc);
/* Reads `recut`. With `recut: false` the library never changes the MIG layout of the device. */
int32_t read_recut(struct field_reader *r, uint32_t value, void *desc);
/* Reads {device: 0, geometry: [...]}, the MIG instances that the device has now, into a
 * lsched_node_update. */
int32_t read_recut_device(struct field_reader *r, uint32_t value, void *update);
/* Reads a list such as [4, 0], or a single number, into a struct start_list: the first memory
 * slice of the task's MIG instance on each of its devices, in the order of the devices. */
struct start_list {
    uint32_t n;
    uint8_t slice[LSCHED_DEVICES_PER_NODE_MAX];
};
int32_t read_starts(struct field_reader *r, uint32_t value, void *starts);
/* Returns the first slices packed as in lsched_task_info, four bits per device of the mask. *same
 * is 1 if the list has as many slices as the mask has devices. */
uint64_t starts_on(const struct start_list *starts, uint32_t device_mask, int *same);

#endif
