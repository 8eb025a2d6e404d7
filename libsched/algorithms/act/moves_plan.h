/*
 * moves_plan.h -- plans with the packer (pack.h) which running tasks move to other nodes, so that
 * whole nodes become free.
 *
 * The plan helps where no single node can be emptied alone: for example, small tasks leave one node
 * so that a large task of another node can move there.
 */
#ifndef LIBSCHED_MOVES_PLAN_H
#define LIBSCHED_MOVES_PLAN_H

#include <libsched/algorithm.h>

#if defined(LSCHED_NO_PACK)
#define MOVES_WORK_MAX     0
#define MOVES_WORK_DEFAULT 0 /* there is no packer: nodes are only emptied one by one */
#else
#define MOVES_WORK_MAX     1e15
#define MOVES_WORK_DEFAULT 20000
#endif

/* Plans moves and carries them out. Must be called between defrag_begin and defrag_end. `work` is
 * the number of the packer's work units in each round; with 0, nothing is planned. Returns
 * LSCHED_OK, or an error that ends the cycle. */
int32_t moves_plan(lsched_algorithm_env *env, const lsched_act *act, lsched_cycle *cycle,
                   uint64_t work);

#endif
