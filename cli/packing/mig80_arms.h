/*
 * mig80_arms.h -- three simple ways to run a list of jobs on a server of MIG GPUs. The planner is
 * compared with them. Each way is called an arm and starts the jobs in the order of the list: arm A
 * on whole GPUs, arm B on instances of the size that the job asks for, and arm C on the smallest
 * instance that is enough for the job.
 *
 * All jobs wait from time 0, and no job overtakes an earlier job of the list. An instance is made
 * on the GPU with the lowest index where it fits, at the highest free start slice of this GPU. This
 * choice keeps the low slices free for large instances. An instance never moves. When a job ends,
 * its instance is free for jobs that start at the same time.
 */
#ifndef LSCHED_CLI_MIG80_ARMS_H
#define LSCHED_CLI_MIG80_ARMS_H

#include "cli/packing/mig80_jobs.h"

/* ARM_WHOLE is arm A, ARM_ASKED is B, ARM_NEEDED is C, and ARM_PLANNER is the planner (D). */
enum mig_arm { ARM_WHOLE, ARM_ASKED, ARM_NEEDED, ARM_PLANNER, ARMS };

struct mig_spot { /* the place and the time of one job in a plan */
    uint32_t gpu, slice;
    uint32_t width; /* memory slices of the job's instance */
    uint32_t needs; /* memory slices of the smallest instance that is enough for the job */
    int64_t start_us, end_us;
};

/* Simulates an arm, which must not be ARM_PLANNER, and writes the place and the time of each job of
 * the seed to `spots`, which has seed->n entries. Returns the time at which the last job ends, in
 * microseconds. */
int64_t mig_arm_run(const struct mig_list *list, const struct mig_seed *seed, uint32_t gpus,
                    enum mig_arm arm, struct mig_spot *spots);
/* Returns a lower bound on the time at which the last job ends, in microseconds. This is the
 * largest of four bounds. The first bound is the run time of the longest job. Each of the other
 * bounds divides what the jobs need, summed over their run times, by what the server has: memory
 * slices, compute slices, or halves of a GPU. */
int64_t mig_area_bound(const struct mig_list *list, const struct mig_seed *seed, uint32_t gpus);
/* Returns the sum over the jobs of needed memory slices x run time, in slice-microseconds. */
double mig_needed_area(const struct mig_list *list, const struct mig_seed *seed);

#endif
