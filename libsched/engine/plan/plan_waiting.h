/*
 * plan_waiting.h -- makes the records that say why jobs wait, for a plan and for a single job.
 */
#ifndef LIBSCHED_PLAN_WAITING_H
#define LIBSCHED_PLAN_WAITING_H

#include "engine/state/cycle_state.h"

struct lsched_plan;

/* Adds the records of waiting jobs to a new plan. If `all` is 1, each parked bundle gets a record,
 * and also each group of jobs that wait for releasing tasks. If `all` is 0, only the bundles that
 * this cycle tried get a record. In both cases, jobs that the policy did not admit get records.
 * Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t plan_waiting_add(struct lsched_cycle *cy, int all, struct lsched_plan *p);
/* Mixes a waiting record into the hash h, and returns the new hash. */
uint64_t plan_waiting_hash(const struct columns *k, uint64_t h, const lsched_waiting *w);
/* Returns the word with which a text counts in the plan hash. */
uint64_t plan_waiting_text(const struct columns *k, uint32_t text);
/* True if the policy's pipeline can place tasks: it has an action that places tasks, or it is the
 * default pipeline, or a hook can choose the actions of each cycle. */
int plan_waiting_places(const struct policy *policy);
/* Fills the record that says why a job waits in the present state. The code is LSCHED_WAIT_NONE if
 * the job waits for nothing, or if the job is still to be tried. */
void plan_waiting_of_job(const struct columns *k, uint32_t job, lsched_waiting *w);
/* Returns the number of the job's tasks that are nominated. */
uint32_t plan_waiting_nominated(const struct columns *k, uint32_t job);

#endif
