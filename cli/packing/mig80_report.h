/*
 * mig80_report.h -- the four arms of a list of MIG jobs, seed by seed, and how they are printed.
 */
#ifndef LSCHED_CLI_MIG80_REPORT_H
#define LSCHED_CLI_MIG80_REPORT_H

#include "cli/packing/mig80_arms.h"
#include "cli/packing/pack_command.h"

struct mig_outcome {              /* of one seed */
    struct mig_spot *spots[ARMS]; /* owned */
    int64_t end_us[ARMS];
    int64_t area_us;    /* the bound by areas */
    int64_t bound_us;   /* the greatest bound known */
    double needed_area; /* slice-microseconds */
    lsched_pack_info info;
    int64_t core_ns;
    bool cut_off; /* the search */
};

struct mig_study {
    struct pack_run *run;
    uint32_t gpus;
    struct mig_list list;
    struct mig_outcome *outcomes; /* owned; by seed; all, or none after a complaint */
    size_t n_outcomes;
    size_t shown; /* the seed whose timeline is drawn; list.n_seeds: none */
};

/* word: a seed, "none", or NULL: the first. */
int mig_choose_timeline(struct mig_study *study, const char *word);
void mig_print(const struct mig_study *study);
/* To --svg, if that is given. Returns an exit code. */
int mig_draw_svg(const struct mig_study *study);
void mig_print_json(const struct mig_study *study);

#endif
