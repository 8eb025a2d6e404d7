/*
 * moves_plan.h -- which running tasks should change places so that whole nodes come free, by the
 * packer (pack.h).
 *
 * For where no node can be emptied by itself: small tasks make room on one node for a large one of
 * another.
 */
#ifndef LIBSCHED_MOVES_PLAN_H
#define LIBSCHED_MOVES_PLAN_H

#include <libsched/algorithm.h>

#define MOVES_WORK_DEFAULT 20000

/* Between defrag_begin and defrag_end. `work`: units of the packer per round; 0: nothing is
 * planned. LSCHED_OK, or an error that ends the cycle. */
int32_t moves_plan(lsched_algorithm_env *env, const lsched_act *act, lsched_cycle *cycle,
                   uint64_t work);

#endif
