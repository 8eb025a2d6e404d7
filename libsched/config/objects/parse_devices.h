/* parse_devices.h -- reads `update_devices:`, the key with which steps change single devices. */
#ifndef LIBSCHED_PARSE_DEVICES_H
#define LIBSCHED_PARSE_DEVICES_H

#include "config/objects/step_reader.h"

/* step: struct step_reader * */
int32_t read_update_devices(struct field_reader *r, uint32_t value, void *step);
/* Reads `foreign_use:`, what others use on nodes. */
int32_t read_foreign_use(struct field_reader *r, uint32_t value, void *step);

#endif
