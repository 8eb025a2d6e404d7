/*
 * judge.h -- the parts of the judge (lsched_pack_check) that check_plan.c and check_bin.c share:
 * access to the problem in the orchestrator's form, refusals and prices. check_plan.c judges the
 * problem, items and result; check_bin.c judges one bin.
 *
 * The judge works on the orchestrator's problem and amounts. The judge uses neither solvers, cells
 * nor cost.c, so that a mistake there shows here. judge.c calls neither check_plan.c nor
 * check_bin.c.
 */
#ifndef LIBSCHED_PACK_JUDGE_H
#define LIBSCHED_PACK_JUDGE_H

#include "base/alloc.h"
#include "base/wide.h"
#include "pack/problem/problem_read.h"

#define JUDGE_NONE UINT32_MAX
#define JUDGE_MOST (INT64_MAX / 4) /* prices saturate here */

struct mig_table;

struct judge {
    lsched_pack_problem in;
    lsched_pack_opts opts;
    const lsched_pack_place *places;
    uint32_t n_places, n_bins;
    lsched_error *err;
    struct alloc alloc;
    /* true if every item has one possible start, one config and one task, and none needs MIG */
    int is_fixed;
    /* microseconds; time before `begin` does not count, and an item without an end counts at least
     * until `end` */
    int64_t begin, end;
    uint32_t *first, *next; /* lists of places by bin: first[bin], next[place], ascending */
    uint32_t *first_block, *next_block;
    /* lists of places by the bin in which their tasks are now (bins_now) */
    uint32_t *first_now, *next_now;
    uint32_t *class_of, *first_bin; /* class_of: [n_bins]; first_bin: [n_classes] */
    /* The next members describe the bin that is judged currently. */
    int64_t *at; /* instants at which a task, a reservation or a slot begins or ends, ascending */
    uint32_t n_at;
    int64_t *running; /* [n_at] tasks that run from this instant on */
    /* [n_at] change of the load of one resource at this instant: demands that begin less demands
     * that end */
    wide_i128 *mean;
    wide_u128 *var;
    struct judge_instance *instances;
    lsched_pack_info info;
    int64_t compared;
};

/* The class of one bin as the orchestrator gave it. */
struct judge_class {
    lsched_pack_class given;
    const struct mig_table *mig;
    uint32_t first_bin;
};

struct judge_instance { /* a MIG instance or reserved slices during [from, to) */
    int64_t from, to;
    /* slices: mask. profile: JUDGE_NONE for a reservation. first: first slice */
    uint32_t slices, profile, first;
    uint32_t place;
};

void judge_item(const struct judge *j, uint32_t i, lsched_pack_item *out);
/* Reads a config of the item by its number. If the config has slots, its duration becomes the sum
 * of their lengths. */
void judge_config_of(const struct judge *j, const lsched_pack_item *item, uint32_t number,
                     lsched_pack_config *out);
void judge_config(const struct judge *j, const lsched_pack_place *place, lsched_pack_config *out);
void judge_class(const struct judge *j, uint32_t bin, struct judge_class *out);
/* Sets the interval in which a task or a reservation over [start, end) occupies its bin, without
 * time before j->begin. INT64_MAX means for ever. */
void judge_span(const struct judge *j, int64_t start, int64_t end, int64_t *from, int64_t *to);
/* Reports an error such as "place 4 (item 'web', task 0): ..." and returns LSCHED_E_STATE. */
int32_t judge_refuse(const struct judge *j, uint32_t place, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* Limits a price to JUDGE_MOST. */
int64_t judge_capped(wide_u128 price);
void judge_pay(struct judge *j, int64_t price);
void judge_transition(struct judge *j, int64_t price, uint32_t n);
int64_t judge_hours(int64_t us, int64_t price);

#endif
