/* parse_running.h -- reads `running:`, the tasks that the library imports with the resources that
 * they already hold. */
#ifndef LIBSCHED_PARSE_RUNNING_H
#define LIBSCHED_PARSE_RUNNING_H

#include "config/objects/step_reader.h"

/* Reads the running tasks. `step` is a struct step_reader *. */
int32_t read_running(struct field_reader *r, uint32_t value, void *step);

#endif
