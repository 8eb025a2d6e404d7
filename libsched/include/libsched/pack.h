/*
 * pack.h -- TS-DPBP: packing over time. Which item goes to which bin, and when, so that the price of bins, lateness and moves is
 * least; with a lower bound beside every plan. Needs no cluster. Rules for structs, texts and errors: libsched.h.
 *
 * Time is in microseconds on any axis (an epoch is not needed); amounts in any unit, >= 0 and < 2^62; prices in micro-units of any
 * currency, >= 0. An item is fixed (it starts at ready_us: a service, a booked job) or may start later. What it needs is
 * constant while it runs, or a profile over the problem's slots: per slot the most (or a quantile) inside it, so that a coarse slot is safe. Where a problem has
 * slots and all of its items are fixed, one that is there in a part of a slot counts in all of it, also in its price
 * (the slot that now_us lies in counts whole), and nothing is looked at or charged beyond the last slot. An item that fits no bin refuses the
 * problem: it is an error of the host's, not something to leave out.
 *
 * Least is, in this order: fewest tasks of items left out (weighted), then
 *     sum of bins used x open_price  +  hours a bin is on x on_price  +  times a bin goes from off to on x switch_price
 *   + hours until the last end x makespan_price  +  items' hours late x late_price  +  hours from ready (or now_us, if
 *     that is later) to end x flow_price
 *   + expected overload of soft resources (amount x hours) x overload_price
 *   + moves + resizes + recuts, by their prices; these count `patience_milli` fold (each rounded up) while plans are compared, so that a
 *     plan moves something only where that saves so many times its price.
 * Numbers of bins alone: open_price 1000000 and nothing else. Decisions are a function of the problem, the options and the work done: no clock, no
 * threads. More work never gives a worse plan. Sources: Dell'Amico, Furini, Iori 2020 (temporal bin packing); Martello, Toth 1990;
 * Schrimpf 2000 (ruin and recreate); Kolisch 1996 (serial schedule generation); bounds: docs/pack-design.md.
 *
 * One thread per packer at a time; only lsched_packer_interrupt from any.
 */
#ifndef LIBSCHED_PACK_H
#define LIBSCHED_PACK_H

#include <libsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LSCHED_PACK_RESOURCES_MAX 8
#define LSCHED_PACK_CLASSES_MAX   65536u
#define LSCHED_PACK_CONFIGS_MAX   16u    /* of one item */
#define LSCHED_PACK_TASKS_MAX     65536u /* of one item */
#define LSCHED_PACK_SLOTS_MAX     65536u
#define LSCHED_PACK_ITEMS_MAX     (1u << 20)
#define LSCHED_PACK_BINS_MAX      (1u << 24)
#define LSCHED_PACK_PRICE_MAX     ((int64_t)1000000000000) /* micro: any one price */
#define LSCHED_PACK_UNLIMITED     UINT32_MAX
#define LSCHED_PACK_NONE          UINT32_MAX

/* A resource that every bin has an amount of. Hard: demands add up to the capacity at most. Soft: mean + z x sigma does, with sigma the root
 * of the sum of squares (items independent of each other); overload beyond the capacity is priced. z_milli 0: only priced (where
 * the capacity is not 0). The packer takes expected overload from a table: a thousandth from what lsched_pack_check says, in far tails more. */
typedef struct lsched_pack_resource {
    uint32_t size;
    uint32_t soft;
    lsched_text name;
    uint32_t z_milli; /* soft: 3000 is 3 sigma; at most 10000 */
    uint32_t reserved_zero;
    int64_t
        overload_price_micro; /* soft: for one whole bin's capacity of it missing for one hour */
} lsched_pack_resource;

/* `count` equal bins: nodes, GPUs, or servers that could be bought. */
typedef struct lsched_pack_class {
    uint32_t size;
    uint32_t count; /* LSCHED_PACK_UNLIMITED: as many as help; the last class only */
    lsched_text name;
    const int64_t *capacity; /* [n_resources] */
    lsched_text mig_table; /* bins are GPUs cut by this table (lsched_mig_table_next); empty: not */
    int64_t open_price_micro; /* a bin used at all */
    int64_t on_price_micro_per_hour;
    int64_t
        switch_price_micro; /* each time a bin goes from empty to used, the first time unless on_now is set */
    int64_t recut_price_micro; /* each MIG instance made where another profile or none was before */
    uint32_t on_now;           /* so many, from the class's first, are on at the beginning */
    uint32_t reserved_zero;
} lsched_pack_class;

/* One way to run an item. Of several the planner takes what is best; a later one costs resize_price more than the first, or
 * than the one that it runs in now. */
typedef struct lsched_pack_config {
    uint32_t size;
    /* 0: constant for duration_us. Else a profile over so many slots from first_slot on, where it starts: ready_us, latest_us and duration_us are not
     * read; all configs of the item then have these slots. */
    uint32_t n_slots;
    uint32_t first_slot;
    uint32_t reserved_zero;
    int64_t
        duration_us; /* INT64_MAX: for ever; its hours are counted to the last slot or the last end that is known */
    const int64_t *
        demand; /* [n_resources], or [n_resources][n_slots]; soft resources: the mean. NULL: zero (MIG alone) */
    const int64_t *sigma;    /* of soft resources, same shape; NULL: certain */
    lsched_text mig_profile; /* one instance of it in a bin with a MIG table; empty: none */
    int64_t resize_price_micro;
} lsched_pack_config;

/* It stays in its bin, config and slice, at its start. What runs already has latest_us == ready_us: when it began. */
enum { LSCHED_PACK_PINNED = 1 };

typedef struct lsched_pack_item {
    uint32_t size;
    uint32_t flags;
    lsched_text name;    /* for messages; may be empty */
    int64_t ready_us;    /* starts at the earliest */
    int64_t latest_us;   /* starts at the latest; ready_us: fixed; INT64_MAX: any time */
    int64_t deadline_us; /* late after it; INT64_MAX: never */
    int64_t late_price_micro_per_hour;
    int64_t flow_price_micro_per_hour;
    int64_t weight; /* of each of its tasks, if it must be left out; 0: 1 */
    const lsched_pack_config *configs;
    uint32_t n_configs;
    uint32_t tasks;     /* a gang: so many at one start, all or none; 0: 1 */
    uint32_t apart;     /* tasks of the gang in different bins */
    uint32_t n_classes; /* allowed classes; 0: any */
    const uint32_t *classes;
    /* where its tasks are now, [tasks], by number of bin (classes in order, then bins of a class); NULL: nowhere yet */
    const uint32_t *bins_now;
    uint32_t config_now;
    uint32_t slice_now; /* MIG: first slice of its instance */
    int64_t
        moved_at_us; /* of its last move: it stays, as if pinned, for dwell_us from then. INT64_MIN: never moved */
    int64_t move_price_micro;
} lsched_pack_item;

/* Amounts of a bin that are taken over [from, to) by what is not part of the problem. */
typedef struct lsched_pack_reservation {
    uint32_t size;
    uint32_t bin;
    int64_t from_us, to_us; /* INT64_MAX: for ever */
    const int64_t *amount;  /* [n_resources]; NULL: none */
    uint32_t mig_slices;    /* mask of memory slices */
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
    uint32_t n_slots;           /* 0: no item has a profile */
    const int64_t *slot_bounds; /* [n_slots + 1], ascending, any widths */
    int64_t now_us;             /* nothing starts before; what a plan may still change lies after */
    int64_t makespan_price_micro_per_hour;
    uint32_t resource_size, class_size, item_size, config_size, reservation_size; /* of elements */
    uint32_t reserved_zero;
} lsched_pack_problem;

enum {
    LSCHED_PACK_AUTO = 0,  /* what docs/pack.md found best for the kind of problem */
    LSCHED_PACK_SEED = 1,  /* least increase of the peak, or list scheduling, once */
    LSCHED_PACK_DP = 2,    /* prefix-wavefront dynamic programme with a beam */
    LSCHED_PACK_RUIN = 3,  /* seed, then ruin and recreate */
    LSCHED_PACK_EXACT = 4, /* the programme without a beam; items up to LSCHED_PACK_EXACT_MAX */
    LSCHED_PACK_BOUND = 5  /* the bounds, and a seed */
};
#define LSCHED_PACK_EXACT_MAX 12u

typedef struct lsched_pack_opts {
    uint32_t size;
    uint32_t method;         /* LSCHED_PACK_AUTO .. */
    uint32_t beam;           /* states per cell of the programme; 0: 32 */
    uint32_t branch;         /* bins tried per item and state; 0: 6 */
    uint64_t seed;           /* of the improvement: equal seeds, equal plans */
    uint32_t patience_milli; /* 0: 1500; at least 1000 */
    uint32_t reserved_zero;
    int64_t dwell_us;                  /* an item stays for so long after a move; 0: no rule */
    uint64_t bound_percent;            /* of the work, for bounds; 0: 20, at first 50 */
    const lsched_allocator *allocator; /* NULL: malloc */
} lsched_pack_opts;

/* One task of an item. Ordered by item, then task. Frozen. */
typedef struct lsched_pack_place {
    uint32_t item, task;
    uint32_t bin;    /* LSCHED_PACK_NONE: left out */
    uint32_t config; /* of the item */
    int64_t start_us, end_us;
    uint32_t slice; /* MIG: first memory slice; else 0 */
    uint32_t flags; /* LSCHED_PACK_IS_* */
} lsched_pack_place;
enum {
    LSCHED_PACK_IS_MOVED = 1,   /* it was in another bin */
    LSCHED_PACK_IS_RESIZED = 2, /* in another config */
    LSCHED_PACK_IS_NEW = 4,     /* it was nowhere */
    LSCHED_PACK_IS_NEXT =
        8 /* starts or changes before the first slot ends: commit this, plan the rest anew */
};

typedef struct lsched_pack_info {
    uint32_t size;
    uint32_t bins;     /* used at all */
    uint32_t left_out; /* tasks */
    uint32_t moves, resizes, recuts, switch_ons;
    uint32_t proved; /* 1: no plan is better (least weight left out, then price) */
    int64_t end_us;  /* of the last item with an end; now_us if none has one */
    int64_t left_out_weight;
    int64_t price_micro;      /* of the plan, transitions at their plain price */
    int64_t transition_micro; /* of it: moves, resizes, recuts */
    int64_t overload_micro;   /* of it */
    int64_t
        lower_bound_micro;  /* of what plans are compared by, for plans that leave out as little */
    int64_t compared_micro; /* price with transitions patience fold */
    uint32_t lower_bound_bins; /* no plan that leaves nothing out uses fewer */
    uint32_t bound;            /* which bound is the greatest: LSCHED_PACK_BY_* */
    uint32_t method;           /* that found the plan: LSCHED_PACK_SEED, _DP, _RUIN or _EXACT */
    uint32_t
        gap_ppm; /* (compared - lower bound) / lower bound; UINT32_MAX: the bound is 0 and the price is not */
    uint64_t work, states,
        pruned; /* units done; states of the programme made, and dropped by bound or dominance */
    uint64_t memory_bytes;      /* held from create to destroy; run takes none */
    int64_t lower_bound_end_us; /* no plan ends earlier */
} lsched_pack_info;
enum {
    LSCHED_PACK_BY_NOTHING = 0,
    LSCHED_PACK_BY_PEAK = 1, /* load of a slot */
    LSCHED_PACK_BY_CLIQUE =
        2, /* bin packing of a slot: Martello and Toth, dual feasible functions */
    LSCHED_PACK_BY_CONFLICT = 3, /* items that exclude each other pairwise */
    LSCHED_PACK_BY_MATCHING = 4, /* no three fit together: pairs at best */
    LSCHED_PACK_BY_COLUMNS = 5,  /* linear programme over patterns (Dantzig and Wolfe, Farley) */
    LSCHED_PACK_BY_AREA = 6,     /* work against capacity, also of tails */
    LSCHED_PACK_BY_PATH = 7,     /* the longest item from its ready time */
    LSCHED_PACK_BY_ENERGY = 8,   /* work that must lie in an interval */
    LSCHED_PACK_BY_SEARCH = 9    /* everything was tried */
};

/* ---- the packer ---- */

typedef struct lsched_packer lsched_packer;

LSCHED_API void lsched_pack_opts_init(lsched_pack_opts *opts, uint32_t size);
/* What a packer of this problem would hold, in bytes; checks the problem as create does. */
LSCHED_API int32_t lsched_pack_memory(const lsched_pack_problem *problem,
                                      const lsched_pack_opts *opts, uint64_t *bytes,
                                      lsched_error *err);
/* Copies the problem. All memory is taken here. Errors name the element: LSCHED_E_RANGE, _NOENT, _EXISTS, _STATE ... */
LSCHED_API int32_t lsched_packer_create(const lsched_pack_problem *problem,
                                        const lsched_pack_opts *opts, lsched_packer **out,
                                        lsched_error *err);
/* Goes on for `work` units; one is about a check of an item against a bin, 10 to 30 ns, and a step may pass the budget by a few thousand. 1: more
 * work may find more; 0: at the end (a plan that is proved, or the method has done all it can). The first call makes the seed and the first bound
 * whole, however small `work`: up to items x bins units for each of some orders. */
LSCHED_API int32_t lsched_packer_run(lsched_packer *packer, uint64_t work, lsched_error *err);
/* run returns when its step is done (the first run: when there is a seed, which for tens of thousands of items takes seconds); a later run goes on
 * as if it had not been stopped. From any thread. */
LSCHED_API void lsched_packer_interrupt(lsched_packer *packer);
LSCHED_API int32_t lsched_packer_info(const lsched_packer *packer, lsched_pack_info *out,
                                      lsched_error *err);
/* The best plan so far: number of places (tasks of all items), and up to `room` of them from the first. */
LSCHED_API int64_t lsched_packer_places(const lsched_packer *packer, lsched_pack_place *places,
                                        size_t room, lsched_error *err);
/* A plan that is known already: of places as above for the same items, e.g. of a problem with less capacity. What does not fit any more is placed
 * anew. The result is never worse than it. Before the first run. */
LSCHED_API int32_t lsched_packer_start_from(lsched_packer *packer, const lsched_pack_place *places,
                                            size_t n, lsched_error *err);
LSCHED_API void lsched_packer_destroy(lsched_packer *packer);

/* Judges a plan by the definitions above alone, sharing no code with the packer: 0 and what it costs in *out (may be NULL), or
 * LSCHED_E_STATE and what is wrong with which place. */
LSCHED_API int32_t lsched_pack_check(const lsched_pack_problem *problem,
                                     const lsched_pack_opts *opts, const lsched_pack_place *places,
                                     size_t n, lsched_pack_info *out, lsched_error *err);

#ifdef __cplusplus
}
#endif
#endif
