/*
 * pack.h -- TS-DPBP, packing over time: assigns items to bins and start times at the least price,
 * and computes a lower bound of the price for every plan. The packer needs no cluster. The rules
 * for structs, texts and errors are in libsched.h.
 *
 * Units. Time is in microseconds on any axis (no epoch is needed). Amounts are >= 0 and < 2^62, in
 * any unit. Prices are >= 0, in micro-units of any currency.
 *
 * Items. A fixed item starts at ready_us (a service, a booked job); other items can start later.
 * The demand of an item is constant while it runs, or a profile over the problem's slots. A profile
 * has one demand for each slot: the largest demand in the slot (or a quantile), so that a plan is
 * also valid if slots are long. Two rules hold if a problem has slots and all of its items are
 * fixed. An item that occupies a portion of a slot counts as if it occupied the whole slot, also in
 * the price; this holds for the slot that contains now_us, too. Time after the last slot is neither
 * checked nor charged. If an item fits no bin even when the bin is empty, the call returns an
 * error; the item is not left out.
 *
 * Objective. The best plan leaves out the least weight of tasks. Among plans that leave out this
 * weight, it has the least sum of
 *       bins used x open_price + hours a bin is on x on_price
 *     + times a bin goes from off to on x switch_price + hours until the last end x makespan_price
 *     + items' hours late x late_price
 *     + hours from ready_us (or now_us, if that is later) to end x flow_price
 *     + expected overload of soft resources (amount x hours) x overload_price
 *     + moves + resizes + changes of the MIG layout, by their prices.
 * When plans are compared, each price of the last line is multiplied by `patience_milli` / 1000 and
 * rounded up. Therefore a plan moves an item only if the move saves that many times its price. To
 * minimise only the number of bins, set open_price to 1000000 and all other prices to 0.
 *
 * A plan depends only on the problem, the options and the number of work units done. The packer
 * uses no clock and no threads. More work never gives a worse plan. Sources: Dell'Amico, Furini,
 * Iori 2020 (temporal bin packing); Martello, Toth 1990; Schrimpf 2000 (ruin and recreate); Kolisch
 * 1996 (serial schedule generation); bounds: docs/pack-design.md.
 *
 * At most one thread at a time is allowed to call functions of a packer. Only
 * lsched_packer_interrupt can be called by any thread at any time.
 */
#ifndef LIBSCHED_PACK_H
#define LIBSCHED_PACK_H

#include <libsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LSCHED_PACK_RESOURCES_MAX 8
#define LSCHED_PACK_CLASSES_MAX   65536u
#define LSCHED_PACK_CONFIGS_MAX   16u    /* greatest number of configs of one item */
#define LSCHED_PACK_TASKS_MAX     65536u /* greatest number of tasks of one item */
#define LSCHED_PACK_SLOTS_MAX     65536u
#define LSCHED_PACK_ITEMS_MAX     (1u << 20)
#define LSCHED_PACK_BINS_MAX      (1u << 24)
#define LSCHED_PACK_PRICE_MAX     1000000000000 /* greatest price, in micro-units */
#define LSCHED_PACK_UNLIMITED     0xffffffffu
#define LSCHED_PACK_NONE          0xffffffffu

/* A resource. Every bin has a capacity of it, which can be 0. If the resource is hard, the sum of
 * the demands must not exceed the capacity. If it is soft, mean + z x sigma must not exceed the
 * capacity. Sigma is the root of the sum of the items' squared sigmas, because items are
 * independent. The expected load above the capacity (overload) has a price. If z_milli is 0,
 * overload is allowed and only has its price, except in bins with capacity 0. The packer reads the
 * expected overload from a table. Therefore its price differs from that of lsched_pack_check by a
 * thousandth, and by more if overload is very unlikely. */
typedef struct lsched_pack_resource {
    uint32_t size;
    uint32_t soft;
    lsched_text name;
    uint32_t z_milli; /* soft: z in thousandths, such as 3000 for 3 sigma; at most 10000 */
    uint32_t reserved_zero;
    /* soft: price of one hour in which the load exceeds a bin's capacity by that whole capacity */
    int64_t overload_price_micro;
} lsched_pack_resource;

/* A class: `count` equal bins, such as nodes, GPUs, or servers that could be bought. */
typedef struct lsched_pack_class {
    uint32_t size;
    /* 0: 1; LSCHED_PACK_UNLIMITED: as many bins as needed, which only the last class can have */
    uint32_t count;
    lsched_text name;
    const int64_t *capacity; /* capacity of each bin by resource, [n_resources] */
    /* MIG table of the bins, which are GPUs (see lsched_mig_tables_at); empty: the bins have no
     * MIG */
    lsched_text mig_table;
    int64_t open_price_micro; /* price of each bin that the plan uses */
    int64_t on_price_micro_per_hour;
    /* price of each time at which a bin is switched on because it gets a task after it was empty;
     * the first time counts too, except for the bins of on_now */
    int64_t switch_price_micro;
    int64_t recut_price_micro; /* price of each MIG instance that a bin must create */
    uint32_t on_now; /* number of bins that are on at the beginning: the first bins of the class */
    uint32_t reserved_zero;
} lsched_pack_class;

/* A config: demand and duration with which an item can run. If an item has several configs, the
 * packer chooses the best one. The price resize_price_micro is added if the chosen config is not
 * the present one (config_now) or, for an item without a present bin, not the first one. */
typedef struct lsched_pack_config {
    uint32_t size;
    /* 0: the demand is constant for duration_us. Otherwise the demand is a profile of n_slots slots
     * that begins at slot first_slot. For a profile, ready_us, latest_us and duration_us are not
     * read, and all configs of the item must have the same slots. */
    uint32_t n_slots;
    uint32_t first_slot;
    uint32_t reserved_zero;
    /* LSCHED_NEVER_US: the item never ends; its hours count until the end of the last slot, or until the
     * last finite start or end in the problem if that is later */
    int64_t duration_us;
    /* [n_resources], or [n_resources][n_slots] for a profile; for a soft resource, the mean of the
     * demand; NULL: no demand except a MIG instance */
    const int64_t *demand;
    /* deviation of the demand of soft resources, with the shape of `demand`; NULL: none */
    const int64_t *sigma;
    /* each task needs one MIG instance of this profile; empty: none */
    lsched_text mig_profile;
    int64_t resize_price_micro;
} lsched_pack_config;

/* Flags of an item. A time that 0 cannot stand for has a flag, because 0 is a time like any other:
 * the packer reads the field if its flag is set, and refuses a value without the flag. */
enum lsched_pack_item_flag {
    /* the item keeps its bin, config, slice and start. For an item that already runs, set ready_us
     * and latest_us to its start. */
    LSCHED_PACK_ITEM_PINNED = 1,
    LSCHED_PACK_ITEM_HAS_LATEST = 2,   /* the item has a latest start: latest_us */
    LSCHED_PACK_ITEM_HAS_DEADLINE = 4, /* the item can be late: deadline_us */
    LSCHED_PACK_ITEM_HAS_MOVED_AT = 8  /* the item was moved before: moved_at_us */
};

typedef struct lsched_pack_item {
    uint32_t size;
    uint32_t flags;
    lsched_text name; /* for messages; can be empty */
    int64_t ready_us; /* earliest start */
    /* latest start, with LSCHED_PACK_ITEM_HAS_LATEST; ready_us: the start is fixed. Without the flag, or
     * if the value is LSCHED_NEVER_US, the item can start at any time from ready_us on. */
    int64_t latest_us;
    /* the item is late if it ends after this time, with LSCHED_PACK_ITEM_HAS_DEADLINE. Without the flag,
     * or if the value is LSCHED_NEVER_US, the item is never late. */
    int64_t deadline_us;
    int64_t late_price_micro_per_hour;
    int64_t flow_price_micro_per_hour;
    /* weight of each task if the item is left out, in any unit that all items share; 0: 1 */
    int64_t weight;
    const lsched_pack_config *configs;
    uint32_t n_configs;
    /* number of tasks; they start at one time, and all of them or none are in the plan; 0: 1 */
    uint32_t tasks;
    /* 1: all tasks of the item must be in different bins; 0: tasks can share bins */
    uint32_t apart;
    uint32_t n_classes; /* length of `classes`, the list of allowed classes; 0: any class */
    const uint32_t *classes;
    /* [tasks] present bin of each task. Bins are numbered through all classes, in the order of the
     * classes. NULL: the item has no bins yet. */
    const uint32_t *bins_now;
    uint32_t config_now;
    uint32_t slice_now; /* MIG: first memory slice of the item's present instance */
    /* time of the item's last move, with LSCHED_PACK_ITEM_HAS_MOVED_AT; for dwell_us after it, the item
     * counts as pinned. Without the flag, the item was never moved. */
    int64_t moved_at_us;
    int64_t move_price_micro;
} lsched_pack_item;

/* Flag of a reservation: it ends at to_us. */
enum lsched_pack_reservation_flag { LSCHED_PACK_RESERVATION_HAS_END = 1 };

/* Amounts of a bin that work outside the problem takes from from_us to to_us. */
typedef struct lsched_pack_reservation {
    uint32_t size;
    uint32_t bin;
    int64_t from_us;
    /* end, with LSCHED_PACK_RESERVATION_HAS_END. Without the flag, or if the value is LSCHED_NEVER_US, the
     * reservation has no end. */
    int64_t to_us;
    const int64_t *amount; /* amount of each resource, [n_resources]; NULL: none */
    uint32_t mig_slices;   /* MIG: mask of the memory slices that are taken */
    uint32_t flags;        /* LSCHED_PACK_RESERVATION_HAS_END */
} lsched_pack_reservation;

typedef struct lsched_pack_problem {
    uint32_t size;
    uint32_t n_resources;
    const lsched_pack_resource *resources;
    const lsched_pack_class *classes;
    const lsched_pack_item *items;
    const lsched_pack_reservation *reservations;
    uint32_t n_classes, n_items, n_reservations;
    uint32_t n_slots; /* number of slots; 0: no item has a profile */
    /* [n_slots + 1] ascending times: slot i is from bound i to bound i + 1 */
    const int64_t *slot_bounds;
    /* present time: no flexible item starts before it, and time before it has no price */
    int64_t now_us;
    int64_t makespan_price_micro_per_hour;
    /* sizes in bytes of the elements of the arrays, see "batches" in libsched.h */
    uint32_t resource_size, class_size, item_size, config_size, reservation_size;
    uint32_t reserved_zero;
} lsched_pack_problem;

enum lsched_pack_method {
    /* the best method for the kind of problem, by the measurements in docs/pack.md */
    LSCHED_PACK_METHOD_AUTO = 0,
    /* only seed plans: least increase of the peak load, or list scheduling, in several orders */
    LSCHED_PACK_METHOD_SEED = 1,
    LSCHED_PACK_METHOD_DP = 2,   /* dynamic programme over a prefix of items, with a beam */
    LSCHED_PACK_METHOD_RUIN = 3, /* seed plans, improved by ruin and recreate */
    /* the dynamic programme without a beam; at most LSCHED_PACK_EXACT_MAX items */
    LSCHED_PACK_METHOD_EXACT = 4,
    LSCHED_PACK_METHOD_BOUND = 5 /* seed plans and the lower bounds */
};
#define LSCHED_PACK_EXACT_MAX 12u

typedef struct lsched_pack_opts {
    uint32_t size;
    uint32_t method; /* LSCHED_PACK_METHOD_AUTO, LSCHED_PACK_METHOD_SEED ... */
    uint32_t beam;   /* states that the dynamic programme keeps in each step; 0: 32 */
    /* best bins in which the dynamic programme tries an item, for each state; 0: 6 */
    uint32_t branch;
    uint64_t seed; /* seed of the random numbers: equal seeds give equal plans */
    /* factor in thousandths for the prices of moves, resizes and MIG layout changes. It must be at
     * least 1000; 0: 1500 */
    uint32_t patience_milli;
    uint32_t reserved_zero;
    int64_t dwell_us; /* shortest time between two moves of an item; 0: any time */
    /* percentage of the work that the lower bounds get; 0: 50 at the beginning, later 20 */
    uint64_t bound_percent;
    const lsched_allocator *allocator; /* NULL: malloc */
} lsched_pack_opts;

/* The place of one task of an item. Lists of places are sorted by item, then by task. Frozen
 * layout, no size field. */
typedef struct lsched_pack_place {
    uint32_t item, task;
    uint32_t bin;    /* LSCHED_PACK_NONE: the task is left out */
    uint32_t config; /* index in the item's list of configs */
    int64_t start_us, end_us;
    uint32_t slice; /* MIG: first memory slice; otherwise 0 */
    uint32_t flags; /* LSCHED_PACK_IS_* */
} lsched_pack_place;
enum lsched_pack_place_flag {
    LSCHED_PACK_IS_MOVED = 1,   /* the task is not in its present bin */
    LSCHED_PACK_IS_RESIZED = 2, /* the item is not in its present config */
    LSCHED_PACK_IS_NEW = 4,     /* the task has no present bin */
    /* the task is new, moved or resized, and starts before the end of the first slot that has not
     * ended (without slots: by now_us). Carry out only the places with this flag, and then plan
     * again. */
    LSCHED_PACK_IS_NEXT = 8
};

typedef struct lsched_pack_info {
    uint32_t size;
    uint32_t bins;     /* number of bins that have a task at some time */
    uint32_t left_out; /* number of tasks left out */
    uint32_t moves, resizes, recuts, switch_ons;
    /* 1: it is proved that no plan is better; plans are compared by the weight left out, then by
     * price */
    uint32_t proved;
    int64_t end_us;          /* end of the last item that ends; now_us if no item ends */
    int64_t left_out_weight; /* sum of lsched_pack_item.weight over the tasks that are left out */
    /* price of the plan; patience does not multiply the prices of moves and other changes */
    int64_t price_micro;
    /* portion of price_micro for moves, resizes and changes of the MIG layout */
    int64_t transition_micro;
    int64_t overload_micro; /* portion of price_micro for overload */
    /* lower bound of compared_micro, over all plans that leave out no more weight than this plan */
    int64_t lower_bound_micro;
    /* price_micro with the prices of moves and other changes multiplied by patience */
    int64_t compared_micro;
    uint32_t lower_bound_bins; /* every plan that leaves nothing out uses at least this many bins */
    uint32_t bound;            /* kind of the greatest lower bound: LSCHED_PACK_BY_* */
    uint32_t method; /* method that found the plan: LSCHED_PACK_METHOD_SEED, _DP, _RUIN or _EXACT */
    /* (compared_micro - lower_bound_micro) / lower_bound_micro, in millionths; UINT32_MAX: the
     * lower bound is 0 and the price is not */
    uint32_t gap_ppm;
    /* `work`: work units done. `states`: states that the searches made. `pruned`: states that were
     * dropped because of a bound or because another state is at least as good. */
    uint64_t work, states, pruned;
    /* bytes that the packer holds from create to destroy; run allocates nothing */
    uint64_t memory_bytes;
    int64_t lower_bound_end_us; /* every plan ends at this time or later */
} lsched_pack_info;
enum lsched_pack_bound_kind {
    LSCHED_PACK_BY_NOTHING = 0,
    LSCHED_PACK_BY_PEAK = 1, /* the load at one time, compared with the capacity */
    /* bin packing of the items of one time: Martello and Toth, dual feasible functions */
    LSCHED_PACK_BY_CLIQUE = 2,
    LSCHED_PACK_BY_CONFLICT = 3, /* a set of items of which no two can share a bin */
    /* a set of items of which no three fit together; therefore a bin holds at most two of them */
    LSCHED_PACK_BY_MATCHING = 4,
    LSCHED_PACK_BY_COLUMNS = 5, /* linear programme over patterns (Dantzig and Wolfe, Farley) */
    LSCHED_PACK_BY_AREA = 6,    /* work compared with capacity, also after later instants */
    LSCHED_PACK_BY_PATH = 7,    /* the end of the longest item if it starts at its ready_us */
    LSCHED_PACK_BY_ENERGY = 8,  /* work that must be done within an interval */
    LSCHED_PACK_BY_SEARCH = 9   /* all plans were tried */
};

/* ---- the packer ---- */

typedef struct lsched_packer lsched_packer;

/* Sets *bytes to the memory that a packer of this problem would hold. Checks the problem as
 * lsched_packer_create does, with the same errors. */
LSCHED_API int32_t lsched_pack_memory(const lsched_pack_problem *problem,
                                      const lsched_pack_opts *opts, uint64_t *bytes,
                                      lsched_error *err);
/* Creates a packer; opts can be NULL. The call copies the problem and allocates all memory. Error
 * messages name the wrong element: LSCHED_E_RANGE, LSCHED_E_NOENT, LSCHED_E_STATE ... */
LSCHED_API int32_t lsched_packer_create(const lsched_pack_problem *problem,
                                        const lsched_pack_opts *opts, lsched_packer **out,
                                        lsched_error *err);
/* Continues the search for `work` work units. One unit is about one check of an item against a bin,
 * 10 to 30 ns. A call can use a few thousand units more. Returns 1 if more work could find a better
 * plan or bound; 0 if the best plan is proved best, or the method cannot find more. The first call
 * always completes the seed plans and the first bound, however small `work` is. This takes up to
 * items x bins units for each of several orders. LSCHED_E_NULL is the only error that a caller can cause. */
LSCHED_API int32_t lsched_packer_run(lsched_packer *packer, uint64_t work, lsched_error *err);
/* Makes lsched_packer_run return after its present step. The first run returns only when it has a
 * seed plan, which takes seconds for tens of thousands of items. The next run continues as if there
 * had been no interruption. Any thread can call this function. */
LSCHED_API void lsched_packer_interrupt(lsched_packer *packer);
/* Writes the state of the search to *out. Errors: LSCHED_E_NULL, LSCHED_E_SIZE. */
LSCHED_API int32_t lsched_packer_get(const lsched_packer *packer, lsched_pack_info *out,
                                     lsched_error *err);
/* Writes the best plan so far: at most the first `capacity` places. Returns the number of places of the
 * plan, one for each task of each item; 0 before the first run. LSCHED_E_NULL is the only error. */
LSCHED_API int64_t lsched_packer_places(const lsched_packer *packer, lsched_pack_place *places,
                                        size_t capacity, lsched_error *err);
/* Gives the packer a known plan from which it starts: n places of the same items, for example from
 * a problem with less capacity. Tasks that do not fit at their places get new places. The result is
 * never worse than this plan. The caller must call the function before the first run
 * (LSCHED_E_STATE). LSCHED_E_RANGE: n is not the number of tasks, or a bin does not
 * exist. */
LSCHED_API int32_t lsched_packer_start_from(lsched_packer *packer, const lsched_pack_place *places,
                                            size_t n, lsched_error *err);
LSCHED_API void lsched_packer_destroy(lsched_packer *packer); /* NULL is allowed */

/* Checks a plan by the definitions in this header, without any code of the packer's solvers.
 * Returns 0 and writes the prices to *out, which can be NULL. Returns LSCHED_E_STATE with the wrong
 * place and the reason if the plan is not valid. */
LSCHED_API int32_t lsched_pack_check(const lsched_pack_problem *problem,
                                     const lsched_pack_opts *opts, const lsched_pack_place *places,
                                     size_t n, lsched_pack_info *out, lsched_error *err);

/* Initializers, as LSCHED_INIT: an item can start at any time and is never late, a reservation has
 * no end, a class has one bin. */
#define LSCHED_PACK_OPTS_INIT        LSCHED_INIT(lsched_pack_opts)
#define LSCHED_PACK_RESOURCE_INIT    LSCHED_INIT(lsched_pack_resource)
#define LSCHED_PACK_CLASS_INIT       LSCHED_INIT(lsched_pack_class)
#define LSCHED_PACK_CONFIG_INIT      LSCHED_INIT(lsched_pack_config)
#define LSCHED_PACK_ITEM_INIT        LSCHED_INIT(lsched_pack_item)
#define LSCHED_PACK_RESERVATION_INIT LSCHED_INIT(lsched_pack_reservation)
#define LSCHED_PACK_PROBLEM_INIT     LSCHED_INIT(lsched_pack_problem)
#define LSCHED_PACK_INFO_INIT        LSCHED_INIT(lsched_pack_info)

#ifdef __cplusplus
}
#endif
#endif
