/* parse_dependencies.h -- reads `after` and `on_never` of jobs. */
#ifndef LIBSCHED_PARSE_DEPENDENCIES_H
#define LIBSCHED_PARSE_DEPENDENCIES_H

#include "config/read/field_reader.h"

/* Reads one dependency, or a list of them, and appends an lsched_dependency for each. */
int32_t read_dependencies(struct field_reader *r, uint32_t value, void *list);
/* Reads the word for what becomes of a job of which a dependency can never be met. */
int32_t read_on_never(struct field_reader *r, uint32_t value, void *uint32_out);

#endif
