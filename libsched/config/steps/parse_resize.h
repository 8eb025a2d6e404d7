/* parse_resize.h -- reads `resize:`, the amounts that running tasks are to have. */
#ifndef LIBSCHED_PARSE_RESIZE_H
#define LIBSCHED_PARSE_RESIZE_H

#include "config/objects/step_reader.h"

/* Reads the resizes. `step` is a struct step_reader *. */
int32_t read_resize(struct field_reader *r, uint32_t value, void *step);

#endif
