/* parse_policy.h -- reads `policy:`: the name of a ready-made policy, Lua text in the
 * scenario, or the name of a file that the caller reads. */
#ifndef LIBSCHED_PARSE_POLICY_H
#define LIBSCHED_PARSE_POLICY_H

#include "config/objects/step_reader.h"

/* Reads a policy. `step` is a struct step_reader *. */
int32_t read_policy(struct field_reader *r, uint32_t value, void *step);

#endif
