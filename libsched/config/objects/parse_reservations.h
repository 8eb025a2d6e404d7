/* parse_reservations.h -- reads `reservations:`. */
#ifndef LIBSCHED_PARSE_RESERVATIONS_H
#define LIBSCHED_PARSE_RESERVATIONS_H

#include "config/objects/step_reader.h"

/* Reads reservations by their names. `step` is a struct step_reader *. */
int32_t read_reservations(struct field_reader *r, uint32_t value, void *step);

#endif
