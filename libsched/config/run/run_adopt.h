/* run_adopt.h -- the steps of a scenario whose cycle adopts the plan of a clone. */
#ifndef LIBSCHED_RUN_ADOPT_H
#define LIBSCHED_RUN_ADOPT_H

#include "config/run/scenario_runner.h"

/* Called before the changes of a step with the key `adopt`: makes a clone, which makes a plan with
 * the options of the step's cycle. */
int32_t run_adopt_plan(struct runner *r);
/* Adopts the plan of the clone. Returns what lsched_adopt() returned. */
int32_t run_adopt(struct runner *r, const lsched_schedule_opts *opts, lsched_plan **plan,
                  lsched_error *err);
/* Checks what became of the first group of a job: a check of the kind CHECK_ADOPTED. */
int32_t run_adopt_check(struct runner *r, const struct expectation *c);
/* Frees the clone and its plan, if there are any. */
void run_adopt_end(struct runner *r);

#endif
