/*
 * pack_command.h -- the arguments of `lsched pack` and its three kinds of input. Each kind has a
 * file that reads, packs and prints it.
 */
#ifndef LSCHED_CLI_PACK_COMMAND_H
#define LSCHED_CLI_PACK_COMMAND_H

#include "cli/support/options.h"
#include "cli/support/command.h"
#include "cli/input/input_file.h"
#include "cli/packing/pack_chart.h"
#include "cli/packing/pack_input.h"
#include "cli/packing/pack_solve.h"
#include "cli/support/terminal.h"

struct pack_args {
    const char *kind, *method, *seconds, *svg;
    int64_t work, seed, beam, bins;
    bool json, items, ascii, progress, no_progress;
    /* for services */
    struct text_list resources;
    const char *capacity, *slot, *sample, *quantile, *n_sigma;
    int64_t min_samples;
    /* for lists of MIG jobs */
    const char *mig_table, *timeline;
    int64_t gpus, seeds;
};

enum pack_kind { KIND_TBPP, KIND_SERVICES, KIND_MIG, KINDS };

struct pack_run {
    const struct pack_args *args;
    struct input_file *files; /* owned; n_files files, decompressed */
    size_t n_files;
    struct pack_wish wish; /* settings of the packer, without a plan to start from */
    uint32_t bins;         /* largest number of bins; LSCHED_PACK_UNLIMITED: no limit */
    struct progress progress;
    const char *label; /* name of the problem that is being packed, for the progress display */
    /* done: number of problems that are finished; of: number of all problems */
    uint64_t done, of, steps;
};

/* Packs the problem and shows progress on stderr. Errors get the line and column from `origins`
 * (may be NULL) and are printed. Returns an exit code. */
int pack_run_solve(struct pack_run *run, const char *file, const lsched_pack_problem *problem,
                   const struct pack_origin *origins, const struct pack_wish *wish,
                   struct pack_result *out);

int pack_run_tbpp(struct pack_run *run);
int pack_run_services(struct pack_run *run);
int pack_run_mig(struct pack_run *run);

struct json;
/* Writes bins, lower_bound, gap_percent, seconds and the related values into an open JSON
 * object. */
void pack_json_result(struct json *json, const struct pack_result *result);
void pack_json_items(struct json *json, const lsched_pack_problem *problem,
                     const struct pack_result *result);
/* Prints a line such as "29 bins; no plan has fewer", and how the result was found. */
void pack_print_result(const struct pack_run *run, const struct pack_result *result);
void pack_print_items(const lsched_pack_problem *problem, const struct pack_result *result,
                      bool numbers);
/* Prints a chart of the load and the bins over the time of the problem. */
void pack_print_chart(const struct pack_run *run, const lsched_pack_problem *problem,
                      const struct pack_result *result, bool numbers);
/* Draws the same chart into the file of --svg, if that option is given. Returns an exit code. */
int pack_draw_svg(const struct pack_run *run, const lsched_pack_problem *problem,
                  const struct pack_result *result, bool numbers);
double pack_gap_percent(double value, double bound); /* NaN if the bound is 0 */
/* Returns the number as text with commas: 123456 as "123,456". */
const char *pack_count(uint64_t number, char out[32]);

#endif
