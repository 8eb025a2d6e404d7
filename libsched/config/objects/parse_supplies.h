/* parse_supplies.h -- reads `supplies:`, `update_supplies:` and the needs of tasks. */
#ifndef LIBSCHED_PARSE_SUPPLIES_H
#define LIBSCHED_PARSE_SUPPLIES_H

#include "config/objects/step_reader.h"

/* Read the supplies of the cluster, and amounts of their places. `step` is a struct
 * step_reader *. */
int32_t read_supplies(struct field_reader *r, uint32_t value, void *step);
int32_t read_update_supplies(struct field_reader *r, uint32_t value, void *step);
/* Reads a map of supplies and amounts, such as {ansys: 2}, and appends an lsched_supply_need for
 * each to the list. */
int32_t read_supply_needs(struct field_reader *r, uint32_t value, void *list);

#endif
