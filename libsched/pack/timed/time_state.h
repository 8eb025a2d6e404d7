/*
 * time_state.h -- the plan that a solver changes: the place of each task, the tasks of each bin in
 * the order of their starts, and the price of the plan, which is updated with each change.
 *
 * Invariants: the profile holds exactly the tasks of the items that are in the plan. Either all
 * tasks of an item are in the plan, or none; the spots of an item have a meaning only while the
 * item is in the plan. `price` is the price as cost.h defines it, without the price of the
 * makespan. `over` replaces the makespan. It is the sum over all items of the time from `target` to
 * the end of the item, multiplied by the share of a bin that the item takes. The search sets the
 * target a little before the end of its best plan. If two plans end at the same time, the one with
 * the lower `over` is closer to a shorter plan.
 *
 * Cost: inserting and removing an item walk the lists of the bins that the item uses.
 */
#ifndef LIBSCHED_PACK_TIME_STATE_H
#define LIBSCHED_PACK_TIME_STATE_H

#include "base/wide.h"
#include "model/mig/mig.h"
#include "pack/cost/cost.h"
#include "pack/timed/time_profile.h"

/* The value by which the search compares plans: first the weight of the items that are left out,
 * then the cost. The cost is price x microseconds of an hour + over x makespan price per hour, in a
 * common unit (TIME_PRICE_UNIT). */
struct time_value {
    int64_t left_out;
    wide_i128 cost;
};
static inline int time_value_less(const struct time_value *a, const struct time_value *b) {
    return a->left_out != b->left_out ? a->left_out < b->left_out : a->cost < b->cost;
}

struct time_state {
    const struct pack_problem *p;
    struct time_profile profile;
    struct pack_spot *spots; /* [n_tasks] place of each task */
    uint32_t *item_of;       /* [n_tasks] item of each task */
    /* [n_tasks] index, plus 1, of the task that starts next in the same bin; 0 for the last task of
     * a bin */
    uint32_t *after;
    uint32_t *first;    /* [n_bins] index, plus 1, of the bin's first task; 0 if the bin is empty */
    uint32_t *n_in;     /* [n_bins] number of tasks in the bin */
    int64_t *bin_price; /* [n_bins] price of each bin */
    int64_t *item_price; /* [n_items] price of each item: lateness, flow, moves and resize */
    uint32_t *standing;  /* [n_bins] MIG layout of the bin before the plan */
    /* [n_classes] all bins of the class from this index (within the class) on are empty and not
     * marked */
    uint32_t *high;
    uint8_t *is_in; /* [n_items] true if the item is in the plan */
    /* [n_bins] true if the bin has reservations, or is the present bin of an item (struct
     * pack_item, `now`) */
    uint8_t *is_marked;
    /* [n_bins] true if a task of the gang that is being placed uses the bin */
    uint8_t *is_taken;
    uint32_t *share;     /* [n_configs] share of a bin that the config takes, in 1024ths */
    uint8_t has_endless; /* true if an item can run for ever */
    int64_t target;
    int64_t left_out;
    wide_i128 price; /* sum of the prices of the bins and of the items in the plan */
    /* sum over the items of (microseconds after `target` x share of a bin in 1024ths) */
    wide_i128 over;
};

void time_state_new(struct time_state *st, const struct pack_problem *p, struct pack_arena *arena);
/* Removes all items from the plan. */
void time_state_reset(struct time_state *st);
void time_state_aim(struct time_state *st, int64_t target);

/* Inserts an item into the plan. Before the call, the caller has written the item's spots and made
 * sure that the item fits; time_put does not check that. */
void time_put(struct time_state *st, uint32_t item);
void time_take(struct time_state *st, uint32_t item);

/* True if the item fits at these spots, which come from another plan. */
int time_fits(struct time_state *st, uint32_t item, const struct pack_spot *spots);
/* Returns the price of an item at these spots: lateness, flow, moves and resize. */
int64_t time_item_price(const struct time_state *st, uint32_t item, const struct pack_spot *spots);
/* True if the class has prices that depend on when a bin is used. */
int time_class_is_timed(const struct pack_problem *p, const struct pack_class *c);
/* True if the class has a price of changes of the MIG layout or of overload. The price of a bin
 * then depends on more than the on time and the switches. */
int time_class_is_detailed(const struct pack_problem *p, const struct pack_class *c);
/* Returns the price that a task over [from, to) would add to a bin. time_class_is_detailed must be
 * false for the bin's class. */
int64_t time_on_increase(const struct time_state *st, uint32_t bin, int64_t from, int64_t to);

int64_t time_last_end(const struct time_state *st);
void time_state_value(const struct time_state *st, struct time_value *out);
/* Returns the value of the plan from the sums in *st. It equals the result of pack_value_of. */
struct pack_value time_plan_value(const struct time_state *st);

#define TIME_SHARE_BITS 10
/* A price is multiplied by this factor before it is added to `over` x makespan price per hour. */
#define TIME_PRICE_UNIT ((wide_i128)PACK_HOUR_US << TIME_SHARE_BITS)

/* Returns the time from the target to the end of an item, multiplied by the item's share of a bin;
 * 0 if the item ends before the target or never ends. The time is limited, so that the sum over a
 * million items times a price fits 128 bits. */
static inline wide_i128 time_over(const struct time_state *st, uint32_t config, int64_t end) {
    if (end <= st->target || end == PACK_FOREVER) return 0;
    uint64_t past = (uint64_t)end - (uint64_t)st->target;
    if (past > (uint64_t)1 << 50) past = (uint64_t)1 << 50;
    return (wide_i128)past * st->share[config];
}

#endif
