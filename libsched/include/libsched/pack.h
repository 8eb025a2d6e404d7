/*
 * pack.h -- TS-DPBP, packing over time: assigns items to bins and start times at the least price,
 * with a lower bound beside every plan. Needs no cluster. Rules for structs, texts and errors:
 * libsched.h.
 *
 * Units. Time is in microseconds on any axis (no epoch is needed). Amounts are in any unit, >= 0
 * and < 2^62. Prices are in micro-units of any currency, >= 0.
 *
 * Items. A fixed item starts at ready_us (a service, a booked job); other items can start later.
 * The demand of an item is constant while it runs, or a profile over the problem's slots. A profile
 * gives for each slot the largest demand (or a quantile) inside it, so that wide slots are safe. If
 * a problem has slots and all of its items are fixed, an item that occupies a portion of a slot
 * counts as if it occupied the whole slot, also when prices are computed. The slot that contains
 * now_us counts whole, too. Nothing beyond the last slot is examined or charged. If an item fits no
 * bin, the problem is refused, because this is an error of the caller and no reason to leave the
 * item out.
 *
 * Objective. The best plan leaves out the fewest tasks (weighted). Among such plans, it has the
 * least sum of
 *       bins used x open_price + hours a bin is on x on_price
 *     + times a bin goes from off to on x switch_price + hours until the last end x makespan_price
 *     + items' hours late x late_price
 *     + hours from ready_us (or now_us, if that is later) to end x flow_price
 *     + expected overload of soft resources (amount x hours) x overload_price
 *     + moves + resizes + changes of the MIG layout, by their prices.
 * While plans are compared, the prices of the last line are multiplied by `patience_milli` / 1000
 * (each rounded up): a plan moves an item only if that saves so many times the price of the move.
 * To minimise only the number of bins, set open_price to 1000000 and all other prices to 0.
 *
 * Decisions are a function of the problem, the options and the work done: no clock, no threads.
 * More work never gives a worse plan. Sources: Dell'Amico, Furini, Iori 2020 (temporal bin
 * packing); Martello, Toth 1990; Schrimpf 2000 (ruin and recreate); Kolisch 1996 (serial schedule
 * generation); bounds: docs/pack-design.md.
 *
 * One thread per packer at a time; only lsched_packer_interrupt can be called from any thread.
 */
#ifndef LIBSCHED_PACK_H
#define LIBSCHED_PACK_H

#include <libsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LSCHED_PACK_RESOURCES_MAX 8
#define LSCHED_PACK_CLASSES_MAX   65536u
#define LSCHED_PACK_CONFIGS_MAX   16u    /* configs of one item */
#define LSCHED_PACK_TASKS_MAX     65536u /* tasks of one item */
#define LSCHED_PACK_SLOTS_MAX     65536u
#define LSCHED_PACK_ITEMS_MAX     (1u << 20)
#define LSCHED_PACK_BINS_MAX      (1u << 24)
#define LSCHED_PACK_PRICE_MAX     ((int64_t)1000000000000) /* micro-units, for each price */
#define LSCHED_PACK_UNLIMITED     UINT32_MAX
#define LSCHED_PACK_NONE          UINT32_MAX

/* A resource of which every bin has an amount. Hard: the sum of demands must not exceed the
 * capacity. Soft: mean + z x sigma must not exceed the capacity; sigma is the root of the sum of
 * squares (items are independent), and overload beyond the capacity has a price. z_milli 0:
 * overload is only priced (if the capacity is not 0). The packer reads expected overload from a
 * table: it differs from lsched_pack_check by a thousandth, in far tails by more. */
typedef struct lsched_pack_resource {
    uint32_t size;
    uint32_t soft;
    lsched_text name;
    uint32_t z_milli; /* soft: 3000 is 3 sigma; at most 10000 */
    uint32_t reserved_zero;
    /* soft: price of one hour in which the capacity of one whole bin is missing */
    int64_t overload_price_micro;
} lsched_pack_resource;

/* `count` equal bins: nodes, GPUs, or servers that could be bought. */
typedef struct lsched_pack_class {
    uint32_t size;
    uint32_t count; /* LSCHED_PACK_UNLIMITED: as many as needed; the last class only */
    lsched_text name;
    const int64_t *capacity; /* amounts by resource, [n_resources] */
    /* bins are GPUs with this MIG table (lsched_mig_table_next); empty: no MIG */
    lsched_text mig_table;
    int64_t open_price_micro; /* price of using the bin at all */
    int64_t on_price_micro_per_hour;
    /* each time a bin goes from empty to used; also the first time, unless on_now covers the bin */
    int64_t switch_price_micro;
    int64_t recut_price_micro; /* each MIG instance that replaces another profile or none */
    uint32_t on_now; /* number of bins, from the first of the class, that are on at the beginning */
    uint32_t reserved_zero;
} lsched_pack_class;

/* One way to run an item. If an item has several configs, the planner chooses the best. A config
 * that is not the first one, or not the one in which the item runs now, costs resize_price more. */
typedef struct lsched_pack_config {
    uint32_t size;
    /* 0: constant demand for duration_us. Else: a profile of n_slots slots that begins at slot
     * first_slot. Then ready_us, latest_us and duration_us are not read, and all configs of the
     * item have the same slots. */
    uint32_t n_slots;
    uint32_t first_slot;
    uint32_t reserved_zero;
    /* INT64_MAX: without end; its hours count to the last slot or the last known end */
    int64_t duration_us;
    /* [n_resources], or [n_resources][n_slots]; soft resources: the mean. NULL: zero (only MIG) */
    const int64_t *demand;
    const int64_t *sigma; /* for soft resources, same shape as demand; NULL: certain demand */
    /* one instance of this profile in a bin with a MIG table; empty: none */
    lsched_text mig_profile;
    int64_t resize_price_micro;
} lsched_pack_config;

/* A pinned item keeps its bin, config, slice and start. An item that runs already has latest_us ==
 * ready_us == its start. */
enum { LSCHED_PACK_PINNED = 1 };

typedef struct lsched_pack_item {
    uint32_t size;
    uint32_t flags;
    lsched_text name;    /* for messages; can be empty */
    int64_t ready_us;    /* earliest start */
    int64_t latest_us;   /* latest start; ready_us: fixed; INT64_MAX: any time */
    int64_t deadline_us; /* an end after this is late; INT64_MAX: never late */
    int64_t late_price_micro_per_hour;
    int64_t flow_price_micro_per_hour;
    int64_t weight; /* of each task that is left out; 0: 1 */
    const lsched_pack_config *configs;
    uint32_t n_configs;
    uint32_t tasks;     /* tasks of a gang, with one common start, all or none; 0: 1 */
    uint32_t apart;     /* 1: all tasks of the gang in different bins; 0: any bins */
    uint32_t n_classes; /* number of allowed classes; 0: any class */
    const uint32_t *classes;
    /* [tasks] present bins of its tasks, by bin number (classes in order, then the bins of a
     * class); NULL: no bins yet */
    const uint32_t *bins_now;
    uint32_t config_now;
    uint32_t slice_now; /* MIG: first memory slice of its instance */
    /* time of its last move: the item counts as pinned for dwell_us from then. INT64_MIN: never
     * moved */
    int64_t moved_at_us;
    int64_t move_price_micro;
} lsched_pack_item;

/* Amounts of a bin that are taken over [from, to) by work outside the problem. */
typedef struct lsched_pack_reservation {
    uint32_t size;
    uint32_t bin;
    int64_t from_us, to_us; /* INT64_MAX: without end */
    const int64_t *amount;  /* amounts by resource, [n_resources]; NULL: none */
    uint32_t mig_slices;    /* bit mask of memory slices */
    uint32_t reserved_zero;
} lsched_pack_reservation;

typedef struct lsched_pack_problem {
    uint32_t size;
    uint32_t n_resources;
    const lsched_pack_resource *resources;
    const lsched_pack_class *classes;
    const lsched_pack_item *items;
    const lsched_pack_reservation *reservations;
    uint32_t n_classes, n_items, n_reservations;
    uint32_t n_slots;           /* number of slots; 0: no item has a profile */
    const int64_t *slot_bounds; /* bounds of the slots, [n_slots + 1], ascending, any widths */
    int64_t now_us;             /* nothing starts before; a plan can change only what is later */
    int64_t makespan_price_micro_per_hour;
    /* sizes of the elements, in bytes */
    uint32_t resource_size, class_size, item_size, config_size, reservation_size;
    uint32_t reserved_zero;
} lsched_pack_problem;

enum {
    LSCHED_PACK_AUTO = 0, /* the method that docs/pack.md found best for the kind of problem */
    LSCHED_PACK_SEED = 1, /* one pass by least increase of the peak, or by list scheduling */
    LSCHED_PACK_DP = 2,   /* dynamic programme over a prefix of items, with a beam */
    LSCHED_PACK_RUIN = 3, /* a seed plan, improved by ruin and recreate */
    /* the dynamic programme without a beam; at most LSCHED_PACK_EXACT_MAX items */
    LSCHED_PACK_EXACT = 4,
    LSCHED_PACK_BOUND = 5 /* the lower bounds, and a seed plan */
};
#define LSCHED_PACK_EXACT_MAX 12u

typedef struct lsched_pack_opts {
    uint32_t size;
    uint32_t method;         /* LSCHED_PACK_AUTO, _SEED ... */
    uint32_t beam;           /* states per cell of the dynamic programme; 0: 32 */
    uint32_t branch;         /* bins tried per item and state; 0: 6 */
    uint64_t seed;           /* seed of the random improvement: equal seeds give equal plans */
    uint32_t patience_milli; /* factor in thousandths, at least 1000; 0: 1500 */
    uint32_t reserved_zero;
    int64_t dwell_us;       /* shortest time between two moves of an item; 0: no rule */
    uint64_t bound_percent; /* percent of the work for lower bounds; 0: 20, at the beginning 50 */
    const lsched_allocator *allocator; /* NULL: malloc */
} lsched_pack_opts;

/* The place of one task of an item. Places are ordered by item, then task. Frozen layout, no size
 * field. */
typedef struct lsched_pack_place {
    uint32_t item, task;
    uint32_t bin;    /* LSCHED_PACK_NONE: the task is left out */
    uint32_t config; /* config of the item */
    int64_t start_us, end_us;
    uint32_t slice; /* MIG: first memory slice; otherwise 0 */
    uint32_t flags; /* LSCHED_PACK_IS_* */
} lsched_pack_place;
enum {
    LSCHED_PACK_IS_MOVED = 1,   /* the task was in another bin */
    LSCHED_PACK_IS_RESIZED = 2, /* the task was in another config */
    LSCHED_PACK_IS_NEW = 4,     /* the task had no bin */
    /* starts or changes before the first slot ends: carry out only this and plan again */
    LSCHED_PACK_IS_NEXT = 8
};

typedef struct lsched_pack_info {
    uint32_t size;
    uint32_t bins;     /* number of bins used at any time */
    uint32_t left_out; /* number of tasks left out */
    uint32_t moves, resizes, recuts, switch_ons;
    uint32_t proved; /* 1: no plan is better (first least weight left out, then price) */
    int64_t end_us;  /* end of the last item that ends; now_us if no item ends */
    int64_t left_out_weight;
    int64_t price_micro; /* price of the plan; moves and other changes at their plain price */
    /* portion of the price for moves, resizes and changes of the MIG layout */
    int64_t transition_micro;
    int64_t overload_micro; /* portion of the price for overload */
    /* lower bound of compared_micro for plans that leave out equally little */
    int64_t lower_bound_micro;
    int64_t compared_micro;    /* price with changes multiplied by the patience */
    uint32_t lower_bound_bins; /* every plan that leaves nothing out uses at least so many bins */
    uint32_t bound;            /* the bound that is the greatest: LSCHED_PACK_BY_* */
    uint32_t method; /* method that found the plan: LSCHED_PACK_SEED, _DP, _RUIN or _EXACT */
    /* (compared - lower bound) / lower bound; UINT32_MAX: the bound is 0 and the price is not */
    uint32_t gap_ppm;
    /* work units done; states of the dynamic programme that were made; states that were dropped by
     * a bound or by dominance */
    uint64_t work, states, pruned;
    uint64_t memory_bytes;      /* bytes held from create to destroy; run allocates none */
    int64_t lower_bound_end_us; /* every plan ends at this time or later */
} lsched_pack_info;
enum {
    LSCHED_PACK_BY_NOTHING = 0,
    LSCHED_PACK_BY_PEAK = 1, /* the load of one slot */
    /* bin packing of one slot: Martello and Toth, dual feasible functions */
    LSCHED_PACK_BY_CLIQUE = 2,
    LSCHED_PACK_BY_CONFLICT = 3, /* items of which no two can share a bin */
    LSCHED_PACK_BY_MATCHING = 4, /* no three items fit together, so that bins hold pairs at best */
    LSCHED_PACK_BY_COLUMNS = 5,  /* linear programme over patterns (Dantzig and Wolfe, Farley) */
    LSCHED_PACK_BY_AREA = 6,     /* work compared with capacity, also of tails */
    LSCHED_PACK_BY_PATH = 7,     /* the longest item, from its ready_us */
    LSCHED_PACK_BY_ENERGY = 8,   /* work that must be done within an interval */
    LSCHED_PACK_BY_SEARCH = 9    /* every possibility was tried */
};

/* ---- the packer ---- */

typedef struct lsched_packer lsched_packer;

LSCHED_API void lsched_pack_opts_init(lsched_pack_opts *opts, uint32_t size);
/* Computes the bytes that a packer of this problem would hold; checks the problem as create
 * does. */
LSCHED_API int32_t lsched_pack_memory(const lsched_pack_problem *problem,
                                      const lsched_pack_opts *opts, uint64_t *bytes,
                                      lsched_error *err);
/* Creates a packer. The problem is copied, and all memory is allocated here. Errors name the
 * element: LSCHED_E_RANGE, _NOENT, _EXISTS, _STATE ... */
LSCHED_API int32_t lsched_packer_create(const lsched_pack_problem *problem,
                                        const lsched_pack_opts *opts, lsched_packer **out,
                                        lsched_error *err);
/* Continues for `work` work units. One unit is about one check of an item against a bin, 10 to 30
 * ns; a step can exceed the budget by a few thousand units. Returns 1 if more work can find more, 0
 * at the end (the plan is proved, or the method has done all it can). The first call always
 * completes the seed plan and the first bound, however small `work` is: up to items x bins units
 * for each of several orders. */
LSCHED_API int32_t lsched_packer_run(lsched_packer *packer, uint64_t work, lsched_error *err);
/* Makes run return when its present step is done. The first run returns when a seed plan exists,
 * which takes seconds for tens of thousands of items. A later run continues as if it had not been
 * interrupted. Any thread can call this function. */
LSCHED_API void lsched_packer_interrupt(lsched_packer *packer);
LSCHED_API int32_t lsched_packer_info(const lsched_packer *packer, lsched_pack_info *out,
                                      lsched_error *err);
/* Gives the best plan so far: returns the number of places (tasks of all items) and writes the
 * first `room` of them at most. */
LSCHED_API int64_t lsched_packer_places(const lsched_packer *packer, lsched_pack_place *places,
                                        size_t room, lsched_error *err);
/* Starts from a known plan: places of the same items, e.g. from a problem with less capacity. Tasks
 * that do not fit any more are placed again. The result is never worse than this plan. Must be
 * called before the first run. */
LSCHED_API int32_t lsched_packer_start_from(lsched_packer *packer, const lsched_pack_place *places,
                                            size_t n, lsched_error *err);
LSCHED_API void lsched_packer_destroy(lsched_packer *packer);

/* Judges a plan by the definitions above alone and shares no code with the packer. Returns 0 and
 * the costs in *out (can be NULL), or LSCHED_E_STATE with the place that is wrong and the
 * reason. */
LSCHED_API int32_t lsched_pack_check(const lsched_pack_problem *problem,
                                     const lsched_pack_opts *opts, const lsched_pack_place *places,
                                     size_t n, lsched_pack_info *out, lsched_error *err);

#ifdef __cplusplus
}
#endif
#endif
