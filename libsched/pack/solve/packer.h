/*
 * packer.h -- the driver of the solvers: memory, order of methods, shares of work, the best plan
 * and the best bound.
 *
 * Two blocks: the problem, and everything that the solvers will ever need, sized with the problem
 * known. So memory is stated before it is taken and running takes none. Work is cut into turns of
 * PACK_TURN units, of the search and of the bounds in the stated proportion; a turn that a caller's
 * budget cuts short is finished by the next run, so a plan depends on the work done and not on how
 * it was asked for. What each turn of a solver sees (best, bound) is that of the end of the turn
 * before.
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
