/*
 * verify.h -- the independent verifier: is the state what the model says, and is a plan what the
 * state says.
 *
 * It recomputes everything from first principles - what tasks hold, what is free, who is over which
 * limit, which gangs stand - by reading columns and canonical bytes alone. It shares no code with
 * the allocator: no function that places, fits, charges or counts is called, so a mistake there
 * cannot hide itself here. It believes no link either (columns_check comes first), so it may be
 * asked about any bytes that image_load took.
 *
 * Errors are LSCHED_E_VERIFY with a message that names the object and both numbers, or
 * LSCHED_E_NOMEM for its scratch space.
 * Cost O(state), a few words per row. Nothing is changed.
 */
#ifndef LIBSCHED_VERIFY_H
#define LIBSCHED_VERIFY_H

#include "model/columns.h"

int32_t verify_state(const struct columns *k, lsched_error *err);

/* n decisions, elem bytes apart, against the state right after the cycle that made them: they
 * name live objects and agree with them, none is given twice, each was made within limits and
 * room. The state itself is verify_state's. */
int32_t verify_plan(const struct columns *k, const lsched_decision *decisions, size_t n,
                    size_t elem, lsched_error *err);

#endif
