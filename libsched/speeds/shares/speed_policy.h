/*
 * speed_policy.h -- the policies as linear programmes: the shares of each class.
 *
 * The variables are, for each class and each model on which it can run, the part of the time that a
 * job of the class has there; then the floor, a factor of what each job must have; then the level,
 * a factor of what the policy raises; then the fit. The rows are the time of a class, the devices
 * of a model, the level of a class, the floor of a class, and the fit of a class on a model.
 *
 * A policy goes through stages. First the floor is raised to 1, which what each job has alone
 * always allows. `max-min` needs no floor rows unless a job names a `least`, because its level is
 * the same thing. It raises the level, lets the classes go that hold the level down, and raises the
 * level of the others, until none is left. `makespan` raises the level, where a class has the level
 * times its work, keeps it, and then raises the sum of throughputs. `cost` lowers the price of all
 * shares.
 *
 * Devices of a model do not say whether gangs fit beside each other: of 24 devices, gangs of 8 can
 * have 2.5 times 8 and a job of one device all of its time, but never in the same round. Of the
 * largest gangs of a model, and each smaller job, the fit has how much they are at most beyond the
 * gangs that fit, as a part of these. It is a price in the last stage of `makespan` and no
 * condition, because what each job has alone need not fit either. The other policies have it not:
 * their levels and costs leave hardly a choice. A programme that would be too large has it not.
 *
 * Cost: see lp/simplex.h; at most one stage for each class.
 */
#ifndef LIBSCHED_SPEEDS_POLICY_H
#define LIBSCHED_SPEEDS_POLICY_H

#include "speeds/shares/speed_classes.h"

/* Writes the shares of a job of each class to shares[class * models + model], and adds the work to
 * *work. *partial becomes 1 if the work ended first. Errors: LSCHED_E_LIMIT, LSCHED_E_NOMEM,
 * LSCHED_E_RANGE. */
int32_t speed_policy_solve(const struct speed_classes *classes, double *shares, uint64_t *work,
                           int *partial, lsched_error *err);

#endif
