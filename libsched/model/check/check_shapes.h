/* check_shapes.h -- one step of columns_check(): interned contents. */
#ifndef LIBSCHED_CHECK_SHAPES_H
#define LIBSCHED_CHECK_SHAPES_H

#include "model/check/check_finding.h"

/* Checks that the canonical bytes of interned contents decode to the values of their rows. */
int32_t check_shapes(struct check *c);

#endif
