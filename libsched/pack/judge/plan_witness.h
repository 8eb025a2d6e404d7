/*
 * plan_witness.h -- a copy of the caller's problem, against which a build with assertions judges
 * each plan that a packer hands out.
 *
 * The caller may free its problem once the packer has copied it, and the packer's own copy is in
 * other units and was made by the code that the judge must not trust. So the witness copies the
 * caller's arrays as they are. Builds with NDEBUG have no witness: plan_witness_new returns NULL,
 * and NULL agrees with every plan.
 *
 * The witness uses the memory of the system and not the caller's allocator, because a packer states
 * the memory that it takes. Where the system has none, there is no witness. Cost: memory of the
 * caller's problem; time of one judgement per run.
 */
#ifndef LIBSCHED_PLAN_WITNESS_H
#define LIBSCHED_PLAN_WITNESS_H

#include <libsched/pack.h>

struct plan_witness;

/* A copy of the problem and the options, both of which lsched_packer_create accepted. */
struct plan_witness *plan_witness_new(const lsched_pack_problem *problem,
                                      const lsched_pack_opts *opts);
void plan_witness_free(struct plan_witness *w);
/* Where to write the plan before plan_witness_agrees: *n places. NULL if w is NULL. */
lsched_pack_place *plan_witness_places(struct plan_witness *w, size_t *n);
/* True if the judge accepts the plan that stands in plan_witness_places and counts in it what
 * `told` says: tasks left out and their weight, bins, moves, resizes, changed MIG instances, bins
 * switched on, and the end. Prices are left to the tests: the packer reads the expected overload
 * from a table, and the judge computes it. Prints what differs to stderr. */
int plan_witness_agrees(struct plan_witness *w, const lsched_pack_info *told);

#endif
