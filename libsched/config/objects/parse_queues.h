/* parse_queues.h -- reads `queues:`, and the keys with which later steps change queues. */
#ifndef LIBSCHED_PARSE_QUEUES_H
#define LIBSCHED_PARSE_QUEUES_H

#include "config/objects/step_reader.h"

/* In each function `step` is a struct step_reader *. */
int32_t read_queues(struct field_reader *r, uint32_t value, void *step);
int32_t read_update_queues(struct field_reader *r, uint32_t value, void *step);

#endif
