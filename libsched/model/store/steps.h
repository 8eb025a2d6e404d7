/*
 * steps.h -- counts *steps*: the entries that a call really visits, such as nodes that are
 * scored, tasks that are read and entries of lists.
 *
 * Every loop whose length depends on what an orchestrator or a user submits adds its number of
 * turns. lsched_plan_info.steps is the number of steps of one cycle. Steps are different from
 * work units (act_spend): budgets count work units, whose number does not depend on caches. The
 * number of steps depends on what caches already have. Therefore no decision is allowed to depend
 * on steps. Tests use steps to bound the growth of cost, because the steps are the same on every
 * machine.
 *
 * The number is not in a column, because it is not part of the state. The registry has a pointer
 * to the number, so that functions with a const registry can count, too. Cost: one addition in
 * memory for each loop; a short inner loop adds only once.
 */
#ifndef LIBSCHED_STEPS_H
#define LIBSCHED_STEPS_H

#include "model/store/columns.h"

static inline void steps_add(const struct columns *k, uint64_t n) {
    *k->steps += n;
}

#endif
