/* parse_allowances.h -- reads `allowances:` and `user_allowances:`. */
#ifndef LIBSCHED_PARSE_ALLOWANCES_H
#define LIBSCHED_PARSE_ALLOWANCES_H

#include "config/objects/step_reader.h"

/* Reads the allowances of queues. `step` is a struct step_reader *. */
int32_t read_allowances(struct field_reader *r, uint32_t value, void *step);
/* Reads the allowances of users of queues. */
int32_t read_user_allowances(struct field_reader *r, uint32_t value, void *step);

#endif
