/*
 * mig80_report.h -- the results of the three simple arms and of the planner for each list of MIG
 * jobs, and the functions that print the results.
 */
#ifndef LSCHED_CLI_MIG80_REPORT_H
#define LSCHED_CLI_MIG80_REPORT_H

#include "cli/packing/mig80_arms.h"
#include "cli/packing/pack_run.h"

struct mig_outcome {              /* results for the job list of one seed */
    struct mig_spot *spots[ARMS]; /* owned by this struct */
    int64_t end_us[ARMS];
    /* lower bound on the end of the last job from mig_area_bound(), in microseconds */
    int64_t area_us;
    int64_t bound_us; /* greatest known lower bound on the end of the last job, in microseconds */
    /* sum over the jobs of needed memory slices x run time, in slice-microseconds */
    double needed_area;
    int64_t core_ns;
    bool cut_off; /* true if the planner's search ended before it proved its plan optimal */
};

struct mig_study {
    struct pack_run *run;
    uint32_t gpus;
    struct mig_list list;
    /* owned by this struct; one outcome for each seed, in the order of list.seeds; the array is
     * empty after an error */
    struct mig_outcome *outcomes;
    size_t n_outcomes;
    /* index of the seed for which a timeline is drawn; list.n_seeds if no timeline is drawn */
    size_t shown;
};

/* Sets study->shown from a word: the number of a seed, "none", or NULL for the first seed. Returns
 * an exit code. */
int mig_choose_timeline(struct mig_study *study, const char *word);
void mig_print(const struct mig_study *study);
/* Draws the timeline into the file that the option --svg names. Does nothing without that option.
 * Returns an exit code. */
int mig_draw_svg(const struct mig_study *study);
void mig_print_json(const struct mig_study *study);

#endif
