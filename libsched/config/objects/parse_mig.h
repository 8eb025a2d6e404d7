/* parse_mig.h -- what a scenario says of MIG: the instances that stand on a device. */
#ifndef LIBSCHED_PARSE_MIG_H
#define LIBSCHED_PARSE_MIG_H

#include "config/objects/scenario_parts.h"

/* [3g.40gb@0, 2g.20gb@4]: profiles, each with the memory slice where it begins, into a
 * lsched_device_desc. */
int32_t read_geometry(struct field_reader *r, uint32_t value, void *desc);
/* `recut: false`: what stands stays. */
int32_t read_recut(struct field_reader *r, uint32_t value, void *desc);
/* {device: 0, geometry: [...]}: what stands on it now, into a lsched_node_update. */
int32_t read_recut_device(struct field_reader *r, uint32_t value, void *update);
/* [4] or [4, 0]: the first slice on each of a task's devices, in their order: a struct
 * start_list. */
struct start_list {
    uint32_t n;
    uint8_t slice[LSCHED_DEVICES_PER_NODE_MAX];
};
int32_t read_starts(struct field_reader *r, uint32_t value, void *starts);
/* As in lsched_task_info, for these devices; 0 and *same 0 if they are not as many. */
uint64_t starts_on(const struct start_list *starts, uint32_t device_mask, int *same);

#endif
