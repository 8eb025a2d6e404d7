/*
 * explain_contention.h -- the part of a wait reason that says which devices have room for a task,
 * but hold work beside which the table of slow-downs bars it.
 */
#ifndef LIBSCHED_EXPLAIN_CONTENTION_H
#define LIBSCHED_EXPLAIN_CONTENTION_H

#include "engine/exclusions/explain_context.h"

/* Writes how many devices bar a task of the shape, and what is on the first of them, such as "; as
 * 'train' it would be beside slowed work on 3 devices, such as device 0 of n1: 2 'serve' (1.3 times
 * as long beside it; at most 1.2)". Writes nothing if there is none. Cost: O(devices x kinds). */
void explain_contention_put(const struct columns *k, uint32_t shape, struct text_out *o);

#endif
