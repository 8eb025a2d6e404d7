/*
 * mig_plan.h -- recutting idle MIG slices: from the geometry of one or several devices to instances
 * of wanted profiles, at least cost. Pure, except for memory from the allocator handed in.
 *
 * Busy instances stay. A wanted instance is an idle one taken as it is, at no cost, or one that is
 * created; idle instances in its way are destroyed. cost = create x created + destroy x destroyed.
 * Of plans of equal cost the one that leaves the most worth (mig.h) beside what is busy and wanted;
 * what is equal then is settled by the order of devices and starts.
 *
 * What one device can contribute are the sets of placements that do not overlap (at most some
 * thousands): all are listed, so one device is exact, and is the shortest path over its geometries.
 * Several devices: dynamic programming over how many of each profile are still wanted, exact while
 * that table and the work stay in bounds (MIG_PLAN_STATES, MIG_PLAN_WORK); beyond, one instance
 * after another, the largest profile first, where it costs least: then `exact` is 0 and a plan may
 * cost more than need be, or be missed. Memory: states x (2 devices + 26) bytes.
 */
#ifndef LIBSCHED_MIG_PLAN_H
#define LIBSCHED_MIG_PLAN_H

#include "base/alloc.h"
#include "model/mig/mig.h"

#define MIG_PLAN_STATES   65536u
#define MIG_PLAN_WORK     (1u << 26)
#define MIG_PLAN_CELLS    (1u << 22) /* devices x states */
#define MIG_PLAN_WANT_MAX 127u       /* of one profile, for an exact plan */
#define MIG_PLAN_COST_MAX 1000000000 /* of creating or destroying one instance */

struct mig_state {
    uint32_t geometry;
    uint32_t busy; /* slices */
};

struct mig_order {
    uint32_t want[MIG_PROFILES_MAX];
    uint32_t create_cost, destroy_cost;
    const uint32_t *weights; /* as in mig_worth() */
};

/* What becomes of one device, by the starts of instances. */
struct mig_target {
    uint32_t geometry; /* afterwards */
    uint32_t given;    /* instances for what is wanted, created ones among them */
    uint32_t creates, destroys;
};

struct mig_result {
    uint64_t cost;
    uint32_t exact; /* 0: a cheaper plan, or one at all, may exist */
    uint32_t found;
};

/* out: n targets, all untouched devices if nothing was found. LSCHED_OK or LSCHED_E_NOMEM. */
int32_t mig_plan(struct alloc *a, const struct mig_table *t, const struct mig_state *devices,
                 uint32_t n, const struct mig_order *order, struct mig_target *out,
                 struct mig_result *result);

#endif
