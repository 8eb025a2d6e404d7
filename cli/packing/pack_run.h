/*
 * pack_run.h -- the state of one run of `lsched pack` (its arguments and input files), and the
 * function that packs a problem of any kind and shows progress.
 */
#ifndef LSCHED_CLI_PACK_RUN_H
#define LSCHED_CLI_PACK_RUN_H

#include "cli/support/command.h"
#include "cli/input/input_file.h"
#include "cli/packing/pack_input.h"
#include "cli/packing/pack_solve.h"
#include "cli/support/terminal.h"

struct pack_args {
    const char *kind, *method, *seconds, *svg, *out, *moves;
    int64_t work, seed, beam, bins;
    bool json, items, ascii, progress, no_progress;
    /* options for services with measured demand */
    struct text_list resources;
    const char *capacity, *slot, *sample, *quantile, *n_sigma;
    int64_t min_samples;
    /* options for lists of MIG jobs */
    const char *mig_table, *timeline;
    int64_t gpus, seeds;
};

struct pack_run {
    const struct pack_args *args;
    struct input_file *files; /* owned by this struct; n_files input files, already decompressed */
    size_t n_files;
    struct pack_wish wish; /* settings of the packer; wish.start is NULL */
    /* largest number of bins that a plan can use; LSCHED_PACK_UNLIMITED if there is no limit */
    uint32_t bins;
    struct progress progress;
    const char *label; /* name of the problem that is being packed, for the progress display */
    uint64_t done,     /* number of finished problems */
        of;            /* number of all problems of this run */
};

/* Packs the problem and shows progress on stderr. Prints an error if the library refuses the
 * problem. If `origins` is not NULL, an error about an item names the line and the column of that
 * item. Returns an exit code. */
int pack_run_solve(struct pack_run *run, const char *file, const lsched_pack_problem *problem,
                   const struct pack_origin *origins, const struct pack_wish *wish,
                   struct pack_result *out);

#endif
