/*
 * mig_plan.h -- plans a repartition of one or several devices: which idle MIG instances to
 * destroy and which instances to create, so that the devices have the wanted instances at the
 * least cost. The function is pure, except for memory from the given allocator.
 *
 * Busy instances are never changed. A wanted instance is either an existing idle instance, at no
 * cost, or a new instance. Idle instances that overlap a new instance are destroyed. cost =
 * create_cost x created instances + destroy_cost x destroyed instances. Among plans of equal
 * cost, the plan is chosen that leaves the greatest worth (mig.h) beside the busy and wanted
 * instances. Ties are decided by the order of devices and starts.
 *
 * For one device, all sets of instances that do not overlap are listed (at most a few thousand);
 * therefore the plan is exact. For several devices, the plan is computed by dynamic programming;
 * a state is the number of given instances of each profile. This plan is exact, too, as long as
 * the numbers of states and operations stay within MIG_PLAN_STATES and MIG_PLAN_WORK. Beyond
 * these bounds, instances are placed one after the other, the largest profile first, each at the
 * position with the least cost. In that case `exact` is 0: the plan can cost more than necessary,
 * or it is possible that no plan is found although one exists. Memory: states x (2 x devices +
 * 26) bytes.
 */
#ifndef LIBSCHED_MIG_PLAN_H
#define LIBSCHED_MIG_PLAN_H

#include "base/alloc.h"
#include "model/mig/mig.h"

#define MIG_PLAN_STATES 65536u
#define MIG_PLAN_WORK   (1u << 26)
#define MIG_PLAN_CELLS  (1u << 22) /* largest product of devices and states for an exact plan */
/* largest number of wanted instances of one profile for which the plan is exact */
#define MIG_PLAN_WANT_MAX 127u
#define MIG_PLAN_COST_MAX 1000000000 /* largest cost of creating or destroying one instance */

struct mig_state {
    uint32_t geometry;
    uint32_t busy; /* mask of the slices that busy instances occupy */
};

struct mig_order {
    uint32_t want[MIG_PROFILES_MAX];
    uint32_t create_cost, destroy_cost;
    const uint32_t *weights; /* weights of the profiles, as in mig_worth() */
};

/* Plan for one device, as masks of the starts of instances. */
struct mig_target {
    uint32_t geometry; /* geometry after the plan is carried out */
    uint32_t given;    /* instances for the wanted profiles, existing and created */
    uint32_t creates, destroys;
};

struct mig_result {
    uint64_t cost;
    /* 1: the result is exact; 0: a cheaper plan can exist, or, if found is 0, a plan can exist */
    uint32_t exact;
    uint32_t found;
};

/* Computes a plan. out: array of n targets, one for each device; if no plan is found, each target
 * is the device's present geometry. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t mig_plan(struct alloc *a, const struct mig_table *t, const struct mig_state *devices,
                 uint32_t n, const struct mig_order *order, struct mig_target *out,
                 struct mig_result *result);

#endif
