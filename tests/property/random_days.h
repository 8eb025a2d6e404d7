/*
 * random_days.h -- tasks whose demand follows the time of day, for hosts that do anything; and what
 * they use at which quarter of an hour, counted minute by minute.
 */
#ifndef TESTS_RANDOM_DAYS_H
#define TESTS_RANDOM_DAYS_H

#include <libsched/libsched.h>

#include "property/chance.h"

#define DAY_QUARTERS 96u
#define DAY_STEPS    16u
#define MINUTE_US    ((int64_t)60000000)

#define DAY_KINDS 5u

struct random_day {
    lsched_demand_step step[DAY_STEPS];
    int64_t use[DAY_KINDS][DAY_QUARTERS]; /* by kind; -1: the kind is a number */
};

/* The most of the minutes of a quarter. */
static inline int64_t random_day_most(const lsched_group_desc *d, uint32_t kind, uint32_t quarter) {
    int64_t most = -1;
    for (int64_t minute = 15 * (int64_t)quarter; minute < 15 * ((int64_t)quarter + 1); minute++) {
        int64_t now = -1, last = -1;
        for (uint32_t i = 0; i < d->n_demand; i++) {
            if (d->demand[i].kind != kind) continue;
            last = d->demand[i].amount;
            if (d->demand[i].from_us <= minute * MINUTE_US) now = last;
        }
        if (now < 0) now = last;
        most = now > most ? now : most;
    }
    return most;
}

/* Up to four times of the day, at each of which some of what the group requests changes. */
static inline void random_day_task(struct chance *c, lsched_group_desc *d, struct random_day *day) {
    uint32_t times = 1 + chance_below(c, 4), kinds = chance_below(c, 8);
    int64_t minute = chance_one_in(c, 2) ? 0 : chance_between(c, 0, 600);
    for (uint32_t t = 0; t < times; t++) {
        for (uint32_t i = 0; i < d->n_request; i++) {
            const lsched_amount *a = &d->request[i];
            int changes = t == 0 || chance_one_in(c, 2);
            int64_t amount = a->amount * chance_between(c, 0, 4) / 4;
            if (a->kind == LSCHED_GPU || !(kinds >> i & 1) || !changes) continue;
            day->step[d->n_demand++] =
                (lsched_demand_step){sizeof day->step[0], a->kind, minute * MINUTE_US, amount};
        }
        minute += 1 + chance_between(c, 0, 279);
    }
    d->demand = day->step;
    d->demand_period_us = d->n_demand ? 24 * 60 * MINUTE_US : 0;
    for (uint32_t kind = 0; kind < DAY_KINDS; kind++)
        for (uint32_t q = 0; q < DAY_QUARTERS; q++) day->use[kind][q] = random_day_most(d, kind, q);
}

/* Does the task use another amount of the kind at another time. */
static inline int random_day_has(const lsched_group_desc *d, const struct random_day *day,
                                 uint32_t kind) {
    return d->demand_period_us && day->use[kind][0] >= 0;
}

#endif
