/*
 * explain_contention.h -- the part of a wait reason that says which devices have room for a task,
 * but hold work beside which the table of slow-downs bars it.
 */
#ifndef LIBSCHED_EXPLAIN_CONTENTION_H
#define LIBSCHED_EXPLAIN_CONTENTION_H

#include "engine/exclusions/explain_context.h"

/* Writes how many devices bar a task of the shape and what is on the first, such as "; its kind of
 * work is 'serve', and 1 device with room has work beside which the policy bars it: device 0 of n
 * has 1 of 'train', ..."; nothing if there is none. Cost: O(devices x kinds). */
void explain_contention_put(const struct columns *k, uint32_t shape, struct text_out *o);

#endif
