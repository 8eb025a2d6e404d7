/* run_decisions.h -- checks of the decisions of the last plan. */
#ifndef LIBSCHED_RUN_DECISIONS_H
#define LIBSCHED_RUN_DECISIONS_H

#include "config/run/scenario_runner.h"

/* Checks that the last plan has decisions of the kind c->resource about exactly the tasks in
 * c->refs. */
int32_t check_decisions(struct runner *r, const struct expectation *c);
/* Checks one field of each decision of the kind c->resource about the tasks in c->task. */
int32_t check_decision_field(struct runner *r, const struct expectation *c);

#endif
