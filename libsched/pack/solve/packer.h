/*
 * packer.h -- the driver of the solvers: takes memory, reads the plan that the solvers start from,
 * chooses the order of methods and their shares of the work, and keeps the best plan and bound.
 *
 * A packer has two blocks of memory: one for the problem, and one for everything that the solvers
 * will ever need. The size of the second block is computed from the problem. (A problem with
 * rounded amounts has a third block for its relaxed copy.) Therefore the size is known before
 * memory is taken, and a run allocates nothing.
 *
 * Work is divided into turns of PACK_TURN work units, which search and bounds take in the stated
 * proportion. If the caller's budget ends a turn early, the next run completes the turn. A plan
 * therefore depends on the work done, and not on how the work was divided into calls. In each turn
 * a solver sees the best plan and the bound as they were at the end of the previous turn.
 */
#ifndef LIBSCHED_PACKER_H
#define LIBSCHED_PACKER_H

#include "base/alloc.h"
#include "pack/problem/solvers.h"

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
/* The place for what judges the plans of this packer, NULL at first. The packer does not look at
 * the witness: who sets it frees it. */
struct plan_witness **packer_witness(lsched_packer *k);
void packer_destroy(lsched_packer *k);

#endif
