/*
 * verify.h -- the independent verifier: checks whether the state of a cluster obeys every rule.
 * verify_plan.h checks a plan against the state.
 *
 * The verifier computes everything again: what tasks hold, what is free, which queues exceed which
 * limit, and which gangs have their minimum. Its only sources are the columns and the canonical
 * bytes of shapes. The verifier shares no code with the planner: it calls no function that places
 * tasks, tests whether they fit, charges them or counts them. Therefore a mistake in such a
 * function cannot hide itself here. The verifier does not trust links between rows either:
 * columns_check runs first and checks these links. Therefore every image that image_load accepted
 * can be verified.
 *
 * The verifier returns LSCHED_E_VERIFY with a message that names the object, the stored number and
 * the computed number. It returns LSCHED_E_NOMEM if there is no memory for scratch space. Cost:
 * O(state) time, and a few words of scratch space for each row. The verifier changes nothing.
 */
#ifndef LIBSCHED_VERIFY_H
#define LIBSCHED_VERIFY_H

#include "model/store/columns.h"

int32_t verify_state(const struct columns *k, lsched_error *err);
/* Like verify_state(), for columns that have passed columns_check() since their last change. A
 * load calls it, because image_load() has called columns_check(). */
int32_t verify_values(const struct columns *k, lsched_error *err);

#endif
