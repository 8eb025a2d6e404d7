/* parse_device_set.h -- reads sets of devices, network cards and NUMA nodes of one node. */
#ifndef LIBSCHED_PARSE_DEVICE_SET_H
#define LIBSCHED_PARSE_DEVICE_SET_H

#include "config/read/field_reader.h"

/* Reads a number or a list of numbers, and sets bit i of *uint32_out for each number i. */
int32_t read_device_mask(struct field_reader *r, uint32_t value, void *uint32_out);
/* Does the same for numbers below 128, into an array of LSCHED_DEVICE_WORDS words. */
int32_t read_device_words(struct field_reader *r, uint32_t value, void *words);

#endif
