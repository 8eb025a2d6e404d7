/* parse_device_set.h -- reads sets of devices, network cards and NUMA nodes of one node. */
#ifndef LIBSCHED_PARSE_DEVICE_SET_H
#define LIBSCHED_PARSE_DEVICE_SET_H

#include "config/read/field_reader.h"

/* Reads a number such as 3, or a span such as 0-3, whose numbers must be below `bound`. Error
 * LSCHED_E_RANGE: a number is not below it, or the span has no number or more than 128. */
int32_t read_device_span(struct field_reader *r, uint32_t value, uint32_t bound, uint32_t *first,
                         uint32_t *last);
/* Reads a number, a span, or a list of these, and sets bit i of *uint32_out for each number i. A
 * number that stands twice is an error. */
int32_t read_device_mask(struct field_reader *r, uint32_t value, void *uint32_out);
/* Does the same for numbers below 128, into an array of LSCHED_DEVICE_WORDS words. */
int32_t read_device_words(struct field_reader *r, uint32_t value, void *words);

#endif
