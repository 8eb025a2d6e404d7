/*
 * time_state.h -- a plan while a solver changes it: the place of each task, the tasks of each bin
 * in order of start, and the price of the plan, kept by difference.
 *
 * Invariants: the profile holds exactly the tasks of the items that are in the plan. Either all
 * tasks of an item are in the plan, or none; the spots of an item have a meaning only while the
 * item is in the plan. `price` is the price of cost.h without the price of the makespan. `over`
 * stands for the makespan: it is the sum over all items of the time by which the item ends past
 * `target`, times the share of a bin that the item takes. A search sets the target a little below
 * the end of its best plan; of two plans with the same end, `over` then tells which one is closer
 * to a shorter plan.
 *
 * Cost: inserting and removing an item walk the lists of the bins that the item uses.
 */
#ifndef LIBSCHED_PACK_TIME_STATE_H
#define LIBSCHED_PACK_TIME_STATE_H

#include "base/wide.h"
#include "model/mig/mig.h"
#include "pack/cost/cost.h"
#include "pack/timed/time_profile.h"

/* The value by which the search compares plans: first the weight left out, then the cost. The cost
 * is price x microseconds of an hour + over x price of an hour, in common units
 * (TIME_PRICE_UNIT). */
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
    /* [n_tasks] index of the bin's next task by start, plus 1; 0 after the last task */
    uint32_t *after;
    uint32_t *first;     /* [n_bins] index of the first task, plus 1; 0 if the bin is empty */
    uint32_t *n_in;      /* [n_bins] number of tasks */
    int64_t *bin_price;  /* [n_bins] price of each bin */
    int64_t *item_price; /* [n_items] price of each item: lateness, flow, moves and resize */
    uint32_t *standing;  /* [n_bins] MIG layout at the beginning */
    /* [n_classes] bins of the class from this one on are empty and not marked */
    uint32_t *high;
    uint8_t *is_in; /* [n_items] true if the item is in the plan */
    /* [n_bins] true if the bin has reservations or an item is in it before the plan (struct
     * pack_item, `now`) */
    uint8_t *is_marked;
    /* [n_bins] true if a task of the gang that is being placed uses the bin */
    uint8_t *is_taken;
    uint32_t *share;     /* [n_configs] share of a bin that the config takes, in 1024ths */
    uint8_t has_endless; /* true if an item can run for ever */
    int64_t target;
    int64_t left_out;
    wide_i128 price; /* price of bins and items in the plan */
    wide_i128 over;  /* sum of microseconds past `target` x 1024ths of a bin */
};

void time_state_new(struct time_state *st, const struct pack_problem *p, struct pack_arena *arena);
/* Removes all items from the plan. */
void time_state_reset(struct time_state *st);
void time_state_aim(struct time_state *st, int64_t target);

/* Inserts an item whose spots are filled in. The caller knows that the item fits; time_put does not
 * check it. */
void time_put(struct time_state *st, uint32_t item);
void time_take(struct time_state *st, uint32_t item);

/* True if the item fits at these spots. Used for spots that come from another plan. */
int time_fits(struct time_state *st, uint32_t item, const struct pack_spot *spots);
/* Returns the price of an item at these spots: lateness, flow, moves and resize. */
int64_t time_item_price(const struct time_state *st, uint32_t item, const struct pack_spot *spots);
/* True if the class has prices that depend on when a bin is used. */
int time_class_is_timed(const struct pack_problem *p, const struct pack_class *c);
/* True if the class has prices that depend on more than on time and switches: changes of the MIG
 * layout, or overload. */
int time_class_is_detailed(const struct pack_problem *p, const struct pack_class *c);
/* Returns the price that a task over [from, to) would add to a bin. Only for classes that are not
 * detailed. */
int64_t time_on_increase(const struct time_state *st, uint32_t bin, int64_t from, int64_t to);

int64_t time_last_end(const struct time_state *st);
void time_state_value(const struct time_state *st, struct time_value *out);
/* Returns the value of the plan from the sums kept here; equal to the result of pack_value_of. */
struct pack_value time_plan_value(const struct time_state *st);

#define TIME_SHARE_BITS 10
/* Factor by which a price is multiplied to be added to `over` x price of an hour. */
#define TIME_PRICE_UNIT ((wide_i128)PACK_HOUR_US << TIME_SHARE_BITS)

/* Time by which an item ends past the target, times its share of a bin. The time is limited so that
 * the sum of a million items times a price fits 128 bits. */
static inline wide_i128 time_over(const struct time_state *st, uint32_t config, int64_t end) {
    if (end <= st->target || end == PACK_FOREVER) return 0;
    uint64_t past = (uint64_t)end - (uint64_t)st->target;
    if (past > (uint64_t)1 << 50) past = (uint64_t)1 << 50;
    return (wide_i128)past * st->share[config];
}

#endif
