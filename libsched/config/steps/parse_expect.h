/* parse_expect.h -- reads `expect:` and `expect_error:`. */
#ifndef LIBSCHED_PARSE_EXPECT_H
#define LIBSCHED_PARSE_EXPECT_H

#include "config/objects/step_reader.h"

/* In each function `step` is a struct step_reader *. */
int32_t read_expect(struct field_reader *r, uint32_t value, void *step);
int32_t read_expect_error(struct field_reader *r, uint32_t value, void *step);

#endif
