/*
 * mig80_arms.h -- simple ways to use a server of MIG GPUs, with which the planner is compared:
 * strict first come, first served, on whole GPUs (A), on instances of the size that the job asks
 * for (B), and on the smallest instances that are enough (C).
 *
 * All jobs are there at time 0, and no job overtakes the head of the queue. An instance is made on
 * the lowest GPU where it fits, at the highest free start on this GPU (which keeps the low slices
 * free for large instances), and never moves. Instances that end at an instant are free before
 * jobs start at the same instant.
 */
#ifndef LSCHED_CLI_MIG80_ARMS_H
#define LSCHED_CLI_MIG80_ARMS_H

#include "cli/packing/mig80_jobs.h"

enum mig_arm { ARM_WHOLE, ARM_ASKED, ARM_NEEDED, ARM_PLANNER, ARMS };

struct mig_spot { /* where and when one job runs */
    uint32_t gpu, slice;
    uint32_t width; /* memory slices of the job's instance */
    uint32_t needs; /* memory slices of the smallest instance that is enough for the job */
    int64_t start_us, end_us;
};

/* Runs an arm other than ARM_PLANNER. `spots` has seed->n entries. Returns the time at which the
 * last job ends, in microseconds. */
int64_t mig_arm_run(const struct mig_list *list, const struct mig_seed *seed, uint32_t gpus,
                    enum mig_arm arm, struct mig_spot *spots);
/* Returns a lower bound on the end of the last job: the largest of several bounds. One is the run
 * time of the longest job; the others follow from the memory slices, the compute slices, and the
 * whole and half GPUs that the jobs need over time. */
int64_t mig_area_bound(const struct mig_list *list, const struct mig_seed *seed, uint32_t gpus);
/* Returns the memory slices that the jobs need over time, in slice-microseconds. */
double mig_needed_area(const struct mig_list *list, const struct mig_seed *seed);

#endif
