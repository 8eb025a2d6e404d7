/*
 * pack_command.h -- what `lsched pack` was asked for, and its three kinds of input: each reads,
 * packs and prints in a file of its own.
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
    /* services */
    struct text_list resources;
    const char *capacity, *slot, *sample, *quantile, *n_sigma;
    int64_t min_samples;
    /* lists of MIG jobs */
    const char *mig_table, *timeline;
    int64_t gpus, seeds;
};

enum pack_kind { KIND_TBPP, KIND_SERVICES, KIND_MIG, KINDS };

struct pack_run {
    const struct pack_args *args;
    struct input_file *files; /* owned; [n_files], unpacked */
    size_t n_files;
    struct pack_wish wish; /* without a plan to start from */
    uint32_t bins;         /* LSCHED_PACK_UNLIMITED: no limit */
    struct progress progress;
    const char *label;        /* of what is being packed */
    uint64_t done, of, steps; /* problems before this one; of all; in thousandths */
};

/* Packs with progress on stderr. what: of the progress, counted from 0 to run->of. Errors are
 * placed by origins (may be NULL) and printed. Returns an exit code. */
int pack_run_solve(struct pack_run *run, const char *file, const lsched_pack_problem *problem,
                   const struct pack_origin *origins, const struct pack_wish *wish,
                   struct pack_result *out);

int pack_run_tbpp(struct pack_run *run);
int pack_run_services(struct pack_run *run);
int pack_run_mig(struct pack_run *run);

struct json;
/* bins, lower_bound, gap_percent, seconds and what goes with them, into an object that is open. */
void pack_json_result(struct json *json, const struct pack_result *result);
void pack_json_items(struct json *json, const lsched_pack_problem *problem,
                     const struct pack_result *result);
/* "29 bins; no plan has fewer" and how that was found. */
void pack_print_result(const struct pack_run *run, const struct pack_result *result);
void pack_print_items(const lsched_pack_problem *problem, const struct pack_result *result,
                      bool numbers);
/* Load and bins over the time of the problem. */
void pack_print_chart(const struct pack_run *run, const lsched_pack_problem *problem,
                      const struct pack_result *result, bool numbers);
/* The same to --svg, if that is given. Returns an exit code. */
int pack_draw_svg(const struct pack_run *run, const lsched_pack_problem *problem,
                  const struct pack_result *result, bool numbers);
double pack_gap_percent(double value, double bound); /* NaN where the bound is 0 */
/* 123456 as "123,456". */
const char *pack_count(uint64_t number, char out[32]);

#endif
