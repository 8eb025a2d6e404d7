/* builtin.c -- see builtin.h. */
#include "algorithms/builtin.h"

#define X(name) &name,
const lsched_algorithm *const algorithms_builtin[] = {BUILTIN_ALGORITHMS(X) NULL};
#undef X
