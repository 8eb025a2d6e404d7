/*
 * judge.h -- judging a plan, inside: what check_plan.c (problem, items, result) and check_bin.c
 * (does all of one bin fit, and what does the bin cost) share: the problem as the host gave it,
 * what is refused, and prices. Works on the host's problem in the host's units; knows nothing of
 * solvers, cells, or cost.c, so that a mistake there shows here. Calls neither of the two.
 */
#ifndef LIBSCHED_PACK_JUDGE_H
#define LIBSCHED_PACK_JUDGE_H

#include "base/alloc.h"
#include "base/wide.h"
#include "pack/problem/problem_read.h"

#define JUDGE_NONE UINT32_MAX
#define JUDGE_MOST (INT64_MAX / 4) /* prices stop here */

struct mig_table;

struct judge {
    lsched_pack_problem in;
    lsched_pack_opts opts;
    const lsched_pack_place *places;
    uint32_t n_places, n_bins;
    lsched_error *err;
    struct alloc alloc;
    int is_fixed;           /* every item has one start, one way and one task, and none is of MIG */
    int64_t begin, end;     /* nothing before counts; what has no end is counted to here at least */
    uint32_t *first, *next; /* places by bin: first[bin], next[place], ascending */
    uint32_t *first_block, *next_block;
    uint32_t *first_now, *next_now; /* places by the bin that their tasks are in now */
    uint32_t *class_of, *first_bin; /* [n_bins]; of classes */
    /* of one bin */
    int64_t *at; /* instants at which something changes, ascending */
    uint32_t n_at;
    int64_t *running; /* [n_at] tasks from this instant on */
    wide_i128 *mean;  /* [n_at] what begins at this instant, less what ends: of one resource */
    wide_u128 *var;
    struct judge_instance *instances;
    lsched_pack_info info;
    int64_t compared;
};

/* One bin's class as the host gave it. */
struct judge_class {
    lsched_pack_class given;
    const struct mig_table *mig;
    uint32_t first_bin;
};

struct judge_instance { /* of MIG: an interval of slices */
    int64_t from, to;
    uint32_t slices, profile, first; /* profile JUDGE_NONE: a reservation */
    uint32_t place;
};

void judge_item(const struct judge *j, uint32_t i, lsched_pack_item *out);
/* A way to run the item, by its number; of slots with the length that they have. */
void judge_config_of(const struct judge *j, const lsched_pack_item *item, uint32_t number,
                     lsched_pack_config *out);
void judge_config(const struct judge *j, const lsched_pack_place *place, lsched_pack_config *out);
void judge_class(const struct judge *j, uint32_t bin, struct judge_class *out);
/* From when to when it takes its bin; what is over is cut off. INT64_MAX: for ever. */
void judge_span(const struct judge *j, int64_t start, int64_t end, int64_t *from, int64_t *to);
/* "place 4 (item 'web', task 0): ...", LSCHED_E_STATE. */
int32_t judge_refuse(const struct judge *j, uint32_t place, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* A price that stops at JUDGE_MOST. */
int64_t judge_capped(wide_u128 price);
void judge_pay(struct judge *j, int64_t price);
void judge_transition(struct judge *j, int64_t price, uint32_t n);
int64_t judge_hours(int64_t us, int64_t price);

#endif
