/* run_settle.h -- runs the cycle of a step and settles the decisions of the cycle. */
#ifndef LIBSCHED_RUN_SETTLE_H
#define LIBSCHED_RUN_SETTLE_H

#include "config/run/scenario_runner.h"

int32_t run_cycle(struct runner *r);
int32_t run_settle(struct runner *r);

#endif
