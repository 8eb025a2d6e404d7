/* parse_running.h -- reads `running:`, the tasks that the library imports with the resources that
 * they already hold. */
#ifndef LIBSCHED_PARSE_RUNNING_H
#define LIBSCHED_PARSE_RUNNING_H

#include "config/objects/step_reader.h"

/* Reads a device number or a list of device numbers, and sets bit i of *uint32_out for each number
 * i. */
int32_t read_device_mask(struct field_reader *r, uint32_t value, void *uint32_out);
/* Reads the running tasks. `step` is a struct step_reader *. */
int32_t read_running(struct field_reader *r, uint32_t value, void *step);

#endif
