/* parse_mig.h -- reads the MIG instances of a device and the instances that running tasks hold. */
#ifndef LIBSCHED_PARSE_MIG_H
#define LIBSCHED_PARSE_MIG_H

#include "config/read/field_reader.h"

/* Reads one MIG instance and appends it to a struct scn_list of lsched_mig_instance. The text
 * 2g.20gb@4 means an instance of the profile 2g.20gb that begins at memory slice 4. */
int32_t read_instance(struct field_reader *r, uint32_t value, void *list);
/* Reads {device: 0, geometry: [...]} into a lsched_node_update: the number of a device, and the MIG
 * instances that the device now has. */
int32_t read_recut_device(struct field_reader *r, uint32_t value, void *update);
/* For each device of a task: the memory slice at which the task's MIG instance begins. */
struct start_list {
    uint32_t n; /* number of elements of `slice` */
    uint8_t slice[LSCHED_MIG_INDEXES_MAX];
};
/* Reads a list such as [4, 0], or a single number, into a struct start_list. The first slice is
 * that of the task's device with the lowest number, and the others follow in the order of the
 * device numbers. */
int32_t read_starts(struct field_reader *r, uint32_t value, void *starts);
/* Returns the memory slices of the list in the form of lsched_task_info.device_starts, with four
 * bits for each device of the node. *same is set to 1 if the list has as many slices as the set
 * has devices, otherwise to 0. */
uint64_t starts_on(const struct start_list *starts, const uint64_t *device_words, int *same);

#endif
