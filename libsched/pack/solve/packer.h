/*
 * packer.h -- the driver of the solvers, which also takes the caller's starting plan. The packer
 * allocates the memory, chooses the method that works next, and keeps the best plan and the lower
 * bound.
 *
 * A packer has two blocks of memory: one for the problem, and one for everything that the solvers
 * will ever need. A problem with rounded amounts has a third block for its relaxed copy. The size
 * of each block is computed from the problem before the block is allocated. A run allocates
 * nothing.
 *
 * Work is divided into turns of PACK_TURN work units. Each turn belongs to the search or to the
 * bounds, in the proportion that bound_percent gives. If the caller's budget ends before a turn
 * does, the next run completes the turn. Therefore a plan depends on the sum of the work, and not
 * on its division into calls. In each turn, a solver sees the best plan and the bound that existed
 * at the end of the previous turn.
 */
#ifndef LIBSCHED_PACKER_H
#define LIBSCHED_PACKER_H

#include "base/alloc.h"
#include "pack/cost/best_plan.h"

enum { PACK_TURN = 16384 };

int32_t packer_create(const lsched_pack_problem *in, const lsched_pack_opts *opts,
                      lsched_packer **out, lsched_error *err);
int32_t packer_memory(const lsched_pack_problem *in, const lsched_pack_opts *opts, uint64_t *bytes,
                      lsched_error *err);
int32_t packer_run(lsched_packer *k, uint64_t work, lsched_error *err);
void packer_interrupt(lsched_packer *k);
int32_t packer_info(const lsched_packer *k, lsched_pack_info *out);
int64_t packer_places(const lsched_packer *k, lsched_pack_place *places, size_t room);
int32_t packer_start_from(lsched_packer *k, const lsched_pack_place *places, size_t n,
                          lsched_error *err);
/* Returns the address of the packer's pointer to a plan witness (pack/judge/plan_witness.h),
 * which is NULL at first. The packer never reads the pointer. The caller sets it and frees the
 * witness. */
struct plan_witness **packer_witness(lsched_packer *k);
void packer_destroy(lsched_packer *k);

#endif
