/*
 * judge.h -- what check_plan.c and check_bin.c have in common as parts of the judge
 * (lsched_pack_check): access to the orchestrator's problem, error messages and prices.
 * check_plan.c checks the items and computes the result; check_bin.c checks one bin.
 *
 * The judge works on the orchestrator's problem and amounts. It does not use the solvers, the cells
 * or cost.c; therefore it can find mistakes in them. judge.c calls neither check_plan.c nor
 * check_bin.c.
 */
#ifndef LIBSCHED_PACK_JUDGE_H
#define LIBSCHED_PACK_JUDGE_H

#include "base/alloc.h"
#include "base/wide.h"
#include "pack/problem/problem_read.h"

#define JUDGE_NONE UINT32_MAX
#define JUDGE_MOST (INT64_MAX / 4) /* greatest sum of prices; a greater sum counts as this */

struct mig_table;

struct judge {
    lsched_pack_problem in;
    lsched_pack_opts opts;
    const lsched_pack_place *places;
    uint32_t n_places, n_bins;
    lsched_error *err;
    struct alloc alloc;
    /* true if every item has a fixed start, one config and one task, and no item needs MIG */
    int is_fixed;
    /* microseconds; time before `begin` does not count; an item without an end counts until `end`
     * or longer */
    int64_t begin, end;
    /* one list of places for each bin, ascending: first[bin] is the first place of the list,
     * next[place] the next one */
    uint32_t *first, *next;
    uint32_t *first_block, *next_block;
    /* the same kind of lists for each present bin (bins_now): places of the tasks that are in it
     * before the plan */
    uint32_t *first_now, *next_now;
    /* [n_bins] class of each bin; [n_classes] first bin of each class */
    uint32_t *class_of, *first_bin;
    /* The members from here on describe the bin that is being checked. */
    int64_t *at; /* instants at which a task, a reservation or a slot begins or ends, ascending */
    uint32_t n_at;
    int64_t *running; /* [n_at] number of tasks that run from this instant to the next one */
    /* [n_at] change of the load of one resource at this instant: demands that begin minus demands
     * that end */
    wide_i128 *mean;
    wide_u128 *var;
    struct judge_instance *instances;
    lsched_pack_info info;
    int64_t compared;
};

/* The class of one bin, as the orchestrator describes it. */
struct judge_class {
    lsched_pack_class given;
    const struct mig_table *mig;
    uint32_t first_bin;
};

struct judge_instance { /* a MIG instance, or the memory slices of a reservation, over [from, to) */
    int64_t from, to;
    /* mask of the memory slices; index of the profile, JUDGE_NONE for a reservation; first memory
     * slice */
    uint32_t slices, profile, first;
    uint32_t place;
};

void judge_item(const struct judge *j, uint32_t i, lsched_pack_item *out);
/* Copies config `number` of the item to *out. If the config is a profile, *out gets the sum of the
 * lengths of its slots as duration. */
void judge_config_of(const struct judge *j, const lsched_pack_item *item, uint32_t number,
                     lsched_pack_config *out);
void judge_config(const struct judge *j, const lsched_pack_place *place, lsched_pack_config *out);
void judge_class(const struct judge *j, uint32_t bin, struct judge_class *out);
/* Sets [*from, *to) to the interval in which a task or a reservation over [start, end) occupies its
 * bin. Time before j->begin is cut off. An end of INT64_MAX means for ever. */
void judge_span(const struct judge *j, int64_t start, int64_t end, int64_t *from, int64_t *to);
/* Reports an error such as "place 4 (item 'web', task 0): ..." and returns LSCHED_E_STATE. */
int32_t judge_refuse(const struct judge *j, uint32_t place, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* Returns the price, or JUDGE_MOST if the price is greater. */
int64_t judge_capped(wide_u128 price);
void judge_pay(struct judge *j, int64_t price);
void judge_transition(struct judge *j, int64_t price, uint32_t n);
int64_t judge_hours(int64_t us, int64_t price);

#endif
