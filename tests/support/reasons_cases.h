/* reasons_cases.h -- random worlds in which job "j" waits, one maker for each way to wait. */
#ifndef TESTS_REASONS_CASES_H
#define TESTS_REASONS_CASES_H

#include "support/reasons_world.h"

typedef void reasons_maker(struct chance *c, struct rw *w);
extern reasons_maker *const reasons_makers[];
extern const uint32_t reasons_n_makers;

#endif
