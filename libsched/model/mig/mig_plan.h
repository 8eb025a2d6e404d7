/*
 * mig_plan.h -- plans the repartition of idle MIG slices: from the geometry of one or several
 * devices to instances of wanted profiles, at least cost. Pure, except for memory from the given
 * allocator.
 *
 * Busy instances stay. A wanted instance is either an idle instance that is used unchanged, at no
 * cost, or a new one that is created; idle instances that overlap a new one are destroyed. cost =
 * create x created + destroy x destroyed. Among plans of equal cost, the plan that leaves the
 * most worth (mig.h) beside the busy and wanted instances is chosen; remaining ties are decided
 * by the order of devices and starts.
 *
 * The contributions of one device are the sets of placements that do not overlap (at most some
 * thousands). All sets are listed, so the plan for one device is exact. Several devices: dynamic
 * programming over how many instances of each profile are still wanted, exact while table and
 * work stay within MIG_PLAN_STATES and MIG_PLAN_WORK. Beyond these bounds, instances are placed
 * one after another, the largest profile first, each where it costs least. In that case `exact`
 * is 0: the plan can cost more than necessary, or no plan is found although there is one. Memory:
 * states x (2 devices + 26) bytes.
 */
#ifndef LIBSCHED_MIG_PLAN_H
#define LIBSCHED_MIG_PLAN_H

#include "base/alloc.h"
#include "model/mig/mig.h"

#define MIG_PLAN_STATES   65536u
#define MIG_PLAN_WORK     (1u << 26)
#define MIG_PLAN_CELLS    (1u << 22) /* devices x states */
#define MIG_PLAN_WANT_MAX 127u       /* wanted instances of one profile, for an exact plan */
#define MIG_PLAN_COST_MAX 1000000000 /* of creating or destroying one instance */

struct mig_state {
    uint32_t geometry;
    uint32_t busy; /* mask of slices */
};

struct mig_order {
    uint32_t want[MIG_PROFILES_MAX];
    uint32_t create_cost, destroy_cost;
    const uint32_t *weights; /* as in mig_worth() */
};

/* Plan for one device, as masks of the starts of instances. */
struct mig_target {
    uint32_t geometry; /* geometry afterwards */
    uint32_t given;    /* instances for the wanted profiles, created ones included */
    uint32_t creates, destroys;
};

struct mig_result {
    uint64_t cost;
    uint32_t exact; /* 0: a cheaper plan can exist, or any plan if none was found */
    uint32_t found;
};

/* Computes a plan. out: n targets; if no plan was found, all devices stay unchanged. LSCHED_OK or
 * LSCHED_E_NOMEM. */
int32_t mig_plan(struct alloc *a, const struct mig_table *t, const struct mig_state *devices,
                 uint32_t n, const struct mig_order *order, struct mig_target *out,
                 struct mig_result *result);

#endif
