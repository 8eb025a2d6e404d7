/*
 * mig80_arms.h -- what people do with a server of MIG GPUs, to hold the planner against: strict
 * first come, first served, on whole GPUs (A), on instances as asked for (B), on the smallest that
 * are enough (C).
 *
 * All jobs are there at time 0; nothing overtakes the head of the queue. An instance goes to the
 * lowest GPU where it fits, there at its highest free start (which keeps the low slices for large
 * ones), and never moves. What ends at an instant is free before anything starts at it.
 */
#ifndef LSCHED_CLI_MIG80_ARMS_H
#define LSCHED_CLI_MIG80_ARMS_H

#include "cli/packing/mig80_jobs.h"

enum mig_arm { ARM_WHOLE, ARM_ASKED, ARM_NEEDED, ARM_PLANNER, ARMS };

struct mig_spot { /* of one job */
    uint32_t gpu, slice;
    uint32_t width; /* slices that its instance takes */
    uint32_t needs; /* slices of the smallest instance that is enough */
    int64_t start_us, end_us;
};

/* arm: not ARM_PLANNER. spots: [seed->n]. Returns when the last job ends. */
int64_t mig_arm_run(const struct mig_list *list, const struct mig_seed *seed, uint32_t gpus,
                    enum mig_arm arm, struct mig_spot *spots);
/* The least time by areas: of the longest job, of memory slices, of compute slices, and of whole
 * and half GPUs. */
int64_t mig_area_bound(const struct mig_list *list, const struct mig_seed *seed, uint32_t gpus);
/* Slices that jobs need, in slice-microseconds. */
double mig_needed_area(const struct mig_list *list, const struct mig_seed *seed);

#endif
