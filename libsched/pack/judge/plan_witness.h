/*
 * plan_witness.h -- a copy of the caller's problem. In builds with assertions, the judge checks
 * each plan of a packer against this copy.
 *
 * The witness is needed because the caller is allowed to free its problem after the packer has
 * copied it. The packer's own copy is not used: it has other units, and it was made by the code
 * that the judge checks. The witness copies the caller's arrays without changes. Builds with NDEBUG
 * have no witness: plan_witness_new returns NULL, and plan_witness_agrees accepts every plan for
 * NULL.
 *
 * The witness uses malloc and not the caller's allocator, because a packer reports the number of
 * bytes that it takes from that allocator. If malloc fails, there is no witness. Cost: as much
 * memory as the caller's problem, and one check by the judge per run.
 */
#ifndef LIBSCHED_PLAN_WITNESS_H
#define LIBSCHED_PLAN_WITNESS_H

#include <libsched/pack.h>

struct plan_witness;

/* Returns a new witness with a copy of the problem and the options, which lsched_packer_create must
 * have accepted; NULL if there is no memory. */
struct plan_witness *plan_witness_new(const lsched_pack_problem *problem,
                                      const lsched_pack_opts *opts);
void plan_witness_free(struct plan_witness *w);
/* Returns the array of *n places to which the caller writes the plan before it calls
 * plan_witness_agrees; NULL if w is NULL. */
lsched_pack_place *plan_witness_places(struct plan_witness *w, size_t *n);
/* True if the judge accepts the plan in the array of plan_witness_places and computes the same
 * numbers as *told has. The numbers are the tasks left out and their weight, bins, moves, resizes,
 * changed MIG instances, switches of bins, and the end. Prices are not compared, because the packer
 * reads the expected overload from a table and the judge computes it; tests compare the prices.
 * Prints each difference to stderr. */
int plan_witness_agrees(struct plan_witness *w, const lsched_pack_info *told);

#endif
