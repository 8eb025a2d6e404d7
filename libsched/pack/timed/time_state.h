/*
 * time_state.h -- a plan that is being changed: where each task is, what each bin holds in order of
 * start, and what it all costs, kept by difference.
 *
 * Invariant: the profile holds exactly the tasks whose spot names a bin; an item is in with all its
 * tasks or with none (only spots of items that are in have a meaning). `price` is what cost.h
 * says without the makespan; in its place stands `over`: of every item how far it ends past
 * `target`, times its share of a bin. A search that aims at a target a little below its best plan
 * sees by it which of two plans with the same end is nearer to a shorter one.
 *
 * Cost: putting and taking an item walk the bins that it is in.
 */
#ifndef LIBSCHED_PACK_TIME_STATE_H
#define LIBSCHED_PACK_TIME_STATE_H

#include "base/wide.h"
#include "model/mig/mig.h"
#include "pack/cost/cost.h"
#include "pack/timed/time_profile.h"

/* What search compares: weight left out, then price x microseconds of an hour + over x the price of
 * an hour. */
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
    struct pack_spot *spots; /* [n_tasks] */
    uint32_t *item_of;       /* [n_tasks] */
    uint32_t *after;         /* [n_tasks] next task of the bin by start + 1; 0: the last */
    uint32_t *first;         /* [n_bins] first task + 1 */
    uint32_t *n_in;          /* [n_bins] tasks */
    int64_t *bin_price;      /* [n_bins] */
    int64_t *item_price;     /* [n_items] */
    uint32_t *standing;      /* [n_bins] MIG geometry of now; NULL: nobody asks */
    uint32_t *high;          /* [n_classes] bins from here on are empty and not marked */
    uint8_t *is_in;          /* [n_items] */
    uint8_t *is_marked;      /* [n_bins] has reservations, or is where somebody is now */
    uint8_t *is_taken;       /* [n_bins] 1 if a task of the gang being placed uses the bin */
    uint32_t *share;         /* [n_configs] of a bin, of 1024 */
    uint8_t has_endless;     /* items may run for ever */
    int64_t target;
    int64_t left_out;
    wide_i128 price; /* of bins and items */
    wide_i128 over;  /* microseconds x 1024ths of bins */
};

void time_state_new(struct time_state *st, const struct pack_problem *p, struct pack_arena *arena);
/* Everything out. */
void time_state_reset(struct time_state *st);
void time_state_aim(struct time_state *st, int64_t target);

/* An item whose spots are filled in. It must fit (that is not asked). */
void time_put(struct time_state *st, uint32_t item);
void time_take(struct time_state *st, uint32_t item);

/* Would the spots of an item fit: where it is known from elsewhere. */
int time_fits(struct time_state *st, uint32_t item, const struct pack_spot *spots);
/* What an item costs at these spots: lateness, flow, moves, resize. */
int64_t time_item_price(const struct time_state *st, uint32_t item, const struct pack_spot *spots);
/* Has the class prices that depend on when a bin is used. */
int time_class_is_timed(const struct pack_problem *p, const struct pack_class *c);
/* Of these, has it any that more than hours on and switches decide: recuts, overload. */
int time_class_is_detailed(const struct pack_problem *p, const struct pack_class *c);
/* What a bin of a class without such details would cost more with a task over [from, to). */
int64_t time_on_increase(const struct time_state *st, uint32_t bin, int64_t from, int64_t to);

int64_t time_last_end(const struct time_state *st);
void time_state_value(const struct time_state *st, struct time_value *out);
/* As pack_value_of says it, by what is kept here. */
struct pack_value time_plan_value(const struct time_state *st);

#define TIME_SHARE_BITS 10
/* A price beside `over` times a price of an hour. */
#define TIME_PRICE_UNIT ((wide_i128)PACK_HOUR_US << TIME_SHARE_BITS)

/* How far an item ends past the target, times its share of a bin. Bounded so that the sum of a
 * million times a price fits 128 bits. */
static inline wide_i128 time_over(const struct time_state *st, uint32_t config, int64_t end) {
    if (end <= st->target || end == PACK_FOREVER) return 0;
    uint64_t past = (uint64_t)end - (uint64_t)st->target;
    if (past > (uint64_t)1 << 50) past = (uint64_t)1 << 50;
    return (wide_i128)past * st->share[config];
}

#endif
