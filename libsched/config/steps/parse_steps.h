/* parse_steps.h -- reads `events:`, the list of steps that follow the initial state. */
#ifndef LIBSCHED_PARSE_STEPS_H
#define LIBSCHED_PARSE_STEPS_H

#include "config/objects/step_reader.h"

int32_t read_events(struct field_reader *r, uint32_t value, void *scenario);
/* Called after all keys of a step have been read. Decides whether the step runs a cycle. If the
 * step has the key `expect_error`, the function also checks that the step has at most one change,
 * and at least a change or a cycle. */
int32_t read_finish_step(struct field_reader *r, uint32_t value, struct step_reader *step);

#endif
