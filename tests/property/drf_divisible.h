/*
 * drf_divisible.h -- dominant-resource fairness of tasks that can be cut: the allocation that the
 * discrete one is measured by, written from the paper and sharing nothing with the library.
 *
 * The level rises from 0; at level x a user has x * weight of its dominant resource. A user stops
 * when its demand is met or a resource that it needs is used up. At most n + m steps, each O(n m).
 */
#ifndef TESTS_DRF_DIVISIBLE_H
#define TESTS_DRF_DIVISIBLE_H

#include <math.h>
#include <stdint.h>

#include "property/chance.h"

#define USERS 6
#define KINDS 4

struct users {
    int n, m;
    double capacity[KINDS];
    double task[USERS][KINDS]; /* what one task needs; something of something */
    double demand[USERS];      /* tasks, or INFINITY */
    double weight[USERS];
};

/* Share of its dominant resource that one task takes. */
static inline double share_per_task(const struct users *u, int i) {
    double most = 0;
    for (int r = 0; r < u->m; r++) most = fmax(most, u->task[i][r] / u->capacity[r]);
    return most;
}

/* How far the level may rise from where `left` is left, and what stops it: a user (>= 0) or a
 * resource. */
static inline double next_stop(const struct users *u, const int *rising, const double *left,
                               const double *tasks) {
    double step = INFINITY;
    for (int r = 0; r < u->m; r++) {
        double rate = 0;
        for (int i = 0; i < u->n; i++)
            if (rising[i]) rate += u->weight[i] / share_per_task(u, i) * u->task[i][r];
        if (rate > 0) step = fmin(step, left[r] / rate);
    }
    for (int i = 0; i < u->n; i++)
        if (rising[i])
            step = fmin(step, (u->demand[i] - tasks[i]) * share_per_task(u, i) / u->weight[i]);
    return step;
}

static inline void divide(const struct users *u, double *tasks) {
    double left[KINDS];
    int rising[USERS];
    int n_rising = u->n;
    for (int r = 0; r < u->m; r++) left[r] = u->capacity[r];
    for (int i = 0; i < u->n; i++) {
        tasks[i] = 0;
        rising[i] = 1;
    }
    while (n_rising) {
        double step = next_stop(u, rising, left, tasks);
        for (int i = 0; i < u->n; i++) {
            if (!rising[i]) continue;
            double more = step * u->weight[i] / share_per_task(u, i);
            tasks[i] += more;
            for (int r = 0; r < u->m; r++) left[r] -= more * u->task[i][r];
        }
        for (int i = 0; i < u->n; i++) {
            int stop = tasks[i] >= u->demand[i] * (1 - 1e-13);
            for (int r = 0; r < u->m; r++)
                stop |= u->task[i][r] > 0 && left[r] <= u->capacity[r] * 1e-13;
            if (!rising[i] || !stop) continue;
            rising[i] = 0;
            n_rising--;
        }
    }
}

/* Tasks of user i that fit in a bundle. */
static inline double tasks_in(const struct users *u, int i, const double *bundle) {
    double most = INFINITY;
    for (int r = 0; r < u->m; r++)
        if (u->task[i][r] > 0) most = fmin(most, bundle[r] / u->task[i][r]);
    return fmin(most, u->demand[i]);
}

static inline void bundle_of(const struct users *u, int i, double tasks, double *bundle) {
    for (int r = 0; r < u->m; r++) bundle[r] = tasks * u->task[i][r];
}

/* Whole numbers throughout, so that the same instance can be given to the library. parts: a task
 * is at most capacity / parts. */
static inline void random_users(struct users *u, struct chance *c, int weighted, int64_t parts) {
    u->n = 1 + (int)chance_below(c, USERS);
    u->m = 1 + (int)chance_below(c, KINDS);
    for (int r = 0; r < u->m; r++)
        u->capacity[r] = (double)chance_between(c, 20 * parts, 200 * parts);
    for (int i = 0; i < u->n; i++) {
        u->weight[i] = weighted ? (double)chance_between(c, 1, 4) : 1;
        for (int r = 0; r < u->m; r++)
            u->task[i][r] = chance_one_in(c, 4)
                                ? 0
                                : (double)chance_between(c, 1, (int64_t)u->capacity[r] / parts);
        int needed = (int)chance_below(c, (uint32_t)u->m);
        if (share_per_task(u, i) <= 0) u->task[i][needed] = 1;
        u->demand[i] = chance_one_in(c, 3) ? (double)chance_between(c, 0, 2 * parts) : INFINITY;
    }
}

#endif
