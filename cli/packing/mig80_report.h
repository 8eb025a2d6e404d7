/*
 * mig80_report.h -- the results of the four arms for a list of MIG jobs, seed by seed, and the
 * functions that print them.
 */
#ifndef LSCHED_CLI_MIG80_REPORT_H
#define LSCHED_CLI_MIG80_REPORT_H

#include "cli/packing/mig80_arms.h"
#include "cli/packing/pack_command.h"

struct mig_outcome {              /* results of one seed */
    struct mig_spot *spots[ARMS]; /* owned by this struct */
    int64_t end_us[ARMS];
    int64_t area_us;    /* lower bound by areas, in microseconds */
    int64_t bound_us;   /* greatest lower bound known, in microseconds */
    double needed_area; /* memory slices that the jobs need over time, in slice-microseconds */
    lsched_pack_info info;
    int64_t core_ns;
    bool cut_off; /* true if the search ended before it proved its plan optimal */
};

struct mig_study {
    struct pack_run *run;
    uint32_t gpus;
    struct mig_list list;
    /* owned; by seed; one outcome for each seed, or none after an error */
    struct mig_outcome *outcomes;
    size_t n_outcomes;
    size_t shown; /* index of the seed whose timeline is drawn; list.n_seeds: none */
};

/* Sets `shown` from a word: a seed, "none", or NULL for the first seed. */
int mig_choose_timeline(struct mig_study *study, const char *word);
void mig_print(const struct mig_study *study);
/* Draws the timeline into the file of --svg, if that option is given. Returns an exit code. */
int mig_draw_svg(const struct mig_study *study);
void mig_print_json(const struct mig_study *study);

#endif
