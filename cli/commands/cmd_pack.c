/*
 * cmd_pack.c -- the command `lsched pack FILE`, which solves packing problems over time without a
 * cluster. This file has the options of the command, and finds out from the content of an input
 * file which kind of problem the file has.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/support/options.h"
#include "cli/packing/mig80_jobs.h"
#include "cli/packing/mig80_run.h"
#include "cli/packing/pack_instances.h"
#include "cli/packing/pack_service_run.h"
#include "cli/packing/rcpsp_run.h"
#include "cli/packing/reassign_run.h"
#include "cli/input/row_scan.h"
#include "cli/input/tar_entries.h"
#include "cli/input/xz_input.h"

#define WORK_MAX ((int64_t)1 << 50)

enum { GPUS_MAX = 1024, BEAM_MAX = 65536, SECONDS_MAX = 86400, TIMED_WORK_S = 100000000 };

enum pack_kind { KIND_TBPP, KIND_SERVICES, KIND_MIG, KIND_RCPSP, KIND_REASSIGN, KINDS };
/* masks of kinds of problems; each option has the mask of the kinds for which it can be given */
enum {
    SERVICES = 1 << KIND_SERVICES,
    MIG = 1 << KIND_MIG,
    BINS = 1 << KIND_TBPP | SERVICES | MIG,
    REASSIGN = 1 << KIND_REASSIGN
};

static const char *const kind_names[KINDS + 1] = {"tbpp",  "services", "mig",
                                                  "rcpsp", "reassign", NULL};

/* Default budget of work units for one problem of each kind, which takes half a second to a
 * second. */
static const int64_t work_default[KINDS] = {20000000, 20000000, 5000000, 20000000, 50000000};

#define ARGS struct pack_args
static const struct option options[] = {
    FLAG(ALL, "json", json, "print JSON instead of text"),
    FLAG(ALL, "items", items, "print for every item where it is placed"),
    TEXT(BINS, "method", "M", method,
         "auto, seed (greedy), dp (dynamic programme), ruin (ruin and recreate), exact (few "
         "items) or bound"),
    COUNT(ALL, "work", "N", work, NOT_GIVEN, 1, WORK_MAX,
          "work units per problem, about 30 ns each; more is never worse, but for reassign it can "
          "be (20000000; for mig 5000000 per seed, for reassign 50000000)"),
    TEXT(ALL, "seconds", "S", seconds,
         "stop after this CPU time instead; plans then depend on the machine"),
    COUNT(ALL, "seed", "S", seed, 1, 0, INT64_MAX, "of the search (1)"),
    COUNT(BINS, "beam", "W", beam, 0, 1, BEAM_MAX,
          "beam width of the dynamic programme: states that it keeps per step (32)"),
    COUNT(BINS, "bins", "N", bins, LSCHED_PACK_UNLIMITED, 1, UINT32_MAX - 1,
          "use at most N bins; items that do not fit are left out"),
    TEXT(ALL, "kind", "KIND", kind,
         "tbpp, services, mig or rcpsp, if the kind does not follow from the content; reassign: "
         "the files are MODEL and ASSIGNMENT"),
    OUTPUT(REASSIGN, "out", "FILE", out, "reassign: write the assignment into a file"),
    OUTPUT(REASSIGN, "moves", "FILE", moves,
           "reassign: write the moves into a file, in an order in which each is feasible"),
    OUTPUT(BINS, "svg", "FILE", svg, "also draw a picture into a file"),
    FLAG(BINS, "ascii", ascii, "draw with plain characters"),
    PROGRESS_OPTIONS,

    TEXT(SERVICES, "capacity", "C", capacity, "services: capacity of a bin (100)"),
    LIST(SERVICES, "resource", "NAME=FILE:C", resources,
         "services: samples of one of several resources, and the capacity of a bin in "
         "it, such as 80GiB"),
    TEXT(SERVICES, "slot", "WIDTHS", slot,
         "services: width of the slots, such as 15m or 12x5m,12x15m,1h (as sampled)"),
    TEXT(SERVICES, "sample", "SPAN", sample,
         "services: time between two samples, if the file does not say it"),
    TEXT(SERVICES, "quantile", "Q", quantile,
         "services: quantile of the samples in a slot that is used (1: the largest)"),
    TEXT(SERVICES, "n-sigma", "Z", n_sigma,
         "services: use mean and standard deviation of each slot; the sum of the means plus Z "
         "standard deviations must fit in a bin"),
    COUNT(SERVICES, "min-samples", "N", min_samples, 0, 0, INT32_MAX,
          "services: leave out services with fewer samples of a resource"),

    COUNT(MIG, "gpus", "N", gpus, 8, 1, GPUS_MAX, "mig: GPUs of the server (8)"),
    TEXT(MIG, "mig-table", "T", mig_table, "mig: model of the GPUs (h100-80gb)"),
    COUNT(MIG, "seeds", "N", seeds, INT64_MAX, 1, INT32_MAX,
          "mig: only the first N seeds of the list"),
    TEXT(MIG, "timeline", "SEED", timeline,
         "mig: seed whose timeline is drawn, or none (the first seed)"),
};

/* ---- input ---- */

static enum pack_kind guess_kind(const struct input_file *file) {
    const char *newline = memchr(file->text, '\n', file->len);
    size_t first = newline != NULL ? (size_t)(newline - file->text) : file->len;
    if (tar_is(file->text, file->len)) return KIND_TBPP;
    if (mig_is_list(file->text, file->len)) return KIND_MIG;
    if (rcpsp_is(file->text, file->len)) return KIND_RCPSP;
    return memchr(file->text, ',', first) != NULL ? KIND_SERVICES : KIND_TBPP;
}

/* Takes FILE from the i-th "NAME=FILE:CAPACITY" and writes it to *path, which the caller frees.
 * Returns a usage error if the text has another form, or if an earlier resource has the same
 * NAME. */
static int resource_path(const struct text_list *resources, size_t i, char **path) {
    const char *word = resources->items[i];
    const char *equals = strchr(word, '='), *colon = equals != NULL ? strrchr(equals, ':') : NULL;
    if (equals == word || colon == NULL || colon == equals + 1)
        return usage_error("pack", "--resource: expected NAME=FILE:CAPACITY, got '%s'", word);
    size_t name = (size_t)(equals - word) + 1;
    for (size_t before = 0; before < i; before++)
        if (strncmp(resources->items[before], word, name) == 0)
            return usage_error("pack", "--resource: expected each name once, got '%s'", word);
    *path = must_copy(equals + 1, (size_t)(colon - equals - 1));
    return EXIT_OK;
}

static int open_files(struct pack_run *run, char *const *paths, size_t n, char **owned) {
    const struct text_list *resources = &run->args->resources;
    size_t all = resources->n > 0 ? resources->n : n;
    bool read_standard = false;
    int rc = EXIT_OK;
    run->files = must_alloc_zero(all * sizeof run->files[0]);
    for (size_t i = 0; rc == EXIT_OK && i < all; i++) {
        const char *path = resources->n > 0 ? NULL : paths[i];
        if (path == NULL) {
            rc = resource_path(resources, i, &owned[i]);
            path = owned[i];
            if (rc == EXIT_OK) rc = options_spare(&command_pack, run->args, path);
        }
        if (rc != EXIT_OK || path == NULL) break;
        if (strcmp(path, "-") == 0 && read_standard) {
            rc = usage_error("pack", "expected standard input once, got '-' again");
            break;
        }
        read_standard |= strcmp(path, "-") == 0;
        run->n_files = i + 1;
        rc = input_read_packed(path, &run->files[i]);
    }
    return rc;
}

/* ---- options ---- */

static int choose_time(const char *word, int64_t *ns) {
    int64_t micro = 0;
    *ns = 0;
    if (word == NULL) return EXIT_OK;
    if (decimal_parse(word, strlen(word), &micro) == DECIMAL_OK && micro > 0 &&
        micro <= SECONDS_MAX * MILLION) {
        *ns = micro * 1000;
        return EXIT_OK;
    }
    return usage_error("pack",
                       "--seconds: expected a number above 0 and at most %d, got "
                       "'%s'",
                       SECONDS_MAX, word);
}

static int check_kind(const struct pack_run *run, const struct parsed *words, enum pack_kind kind) {
    int rc = options_check_kind(&command_pack, words, (uint32_t)kind, kind_names[kind]);
    if (rc != EXIT_OK) return rc;
    bool many = kind == KIND_TBPP || kind == KIND_RCPSP || kind == KIND_REASSIGN;
    if (!many && run->args->resources.n == 0 && run->n_files > 1)
        return usage_error("pack", "expected one FILE of %s, got %zu", kind_names[kind],
                           run->n_files);
    if (kind == KIND_MIG && run->args->bins != LSCHED_PACK_UNLIMITED)
        return usage_error("pack", "--bins does not apply to mig; use --gpus");
    return EXIT_OK;
}

static int check_args(const struct pack_args *args, size_t n_files, struct pack_run *run) {
    size_t method = LSCHED_PACK_METHOD_AUTO;
    int rc = options_choose("pack", "--method", args->method, pack_method_words, &method);
    run->wish.method = (uint32_t)method;
    if (rc == EXIT_OK) rc = choose_time(args->seconds, &run->wish.most_ns);
    if (rc != EXIT_OK) return rc;
    if (args->resources.n > LSCHED_PACK_RESOURCES_MAX)
        return usage_error("pack", "--resource is given more than %d times",
                           LSCHED_PACK_RESOURCES_MAX);
    if (n_files == 0 && args->resources.n == 0)
        return usage_error("pack", "pack needs FILE, or --resource NAME=FILE:CAPACITY");
    if (n_files > 0 && args->resources.n > 0)
        return usage_error("pack", "--resource names the files already; leave out FILE");
    if (args->resources.n > 0 && args->capacity != NULL)
        return usage_error("pack",
                           "--capacity belongs to FILE; --resource contains its own capacity");
    if (args->progress && args->no_progress)
        return usage_error("pack", "--progress and --no-progress exclude each other");
    if (args->work != NOT_GIVEN && args->seconds != NULL)
        return usage_error("pack", "--work and --seconds exclude each other");
    return EXIT_OK;
}

/* ---- the command ---- */

static int pack_kind_of(struct pack_run *run, const struct parsed *words) {
    const struct pack_args *args = run->args;
    size_t kind = args->resources.n > 0 ? KIND_SERVICES : guess_kind(&run->files[0]);
    int rc = options_choose("pack", "--kind", args->kind, kind_names, &kind);
    if (rc == EXIT_OK) rc = check_kind(run, words, (enum pack_kind)kind);
    if (rc != EXIT_OK) return rc;
    if (args->svg != NULL && args->timeline != NULL && strcmp(args->timeline, "none") == 0)
        return usage_error("pack", "--svg draws the timeline, so it excludes --timeline none");
    int64_t work = run->wish.most_ns / 1000000000 * TIMED_WORK_S + TIMED_WORK_S;
    run->wish.work = args->work != NOT_GIVEN ? args->work
                     : run->wish.most_ns > 0 ? work
                                             : work_default[kind];
    static int (*const runs[KINDS])(struct pack_run * run) = {pack_instances_run, pack_service_run,
                                                              mig80_run, rcpsp_run, reassign_run};
    return runs[kind](run);
}

static int pack(const void *argument, const struct parsed *words) {
    const struct pack_args *args = argument;
    char *owned[OPTION_LIST_MAX] = {NULL};
    struct pack_run run = {.args = args, .bins = (uint32_t)args->bins};
    run.wish.seed = (uint64_t)args->seed;
    run.wish.beam = (uint32_t)args->beam;
    int rc = check_args(args, words->n_positionals, &run);
    if (rc == EXIT_OK) rc = open_files(&run, words->positionals, words->n_positionals, owned);
    if (rc == EXIT_OK) rc = pack_kind_of(&run, words);
    for (size_t i = 0; i < run.n_files; i++) input_free(&run.files[i]);
    for (size_t i = 0; i < OPTION_LIST_MAX; i++) free(owned[i]);
    free(run.files);
    return rc;
}

const struct command command_pack = {
    .name = "pack",
    .arguments = "FILE...",
    .summary = "pack demand that changes over time: fewest bins, or the shortest schedule",
    .about =
        "Packs items over time and says how far from the best the plan can be at most. FILE is "
        "an instance of temporal bin packing (\"n C 0 0\", then rows \"index start end size\"; "
        "several, or an archive of them: a table with sums); or services with measured demand "
        "(CSV: one service per row, a sample per column; or one sample per row with time, name "
        "and value), of which as many share a bin as fit at every time; or a list of jobs for "
        "MIG GPUs (CSV: seed, job, true_profile, requested_profile, duration_s), planned so "
        "that the last ends early, beside three ways of first come, first served; or a project "
        "of PSPLIB (.sm: jobs with precedence and demands on renewable resources), scheduled so "
        "that its last job ends early. With --kind reassign, FILE is a model and an assignment of "
        "machine reassignment (ROADEF/EURO 2012), for which a cheaper assignment is looked for. "
        "Files may be compressed with xz.",
    .examples =
        "  lsched pack examples/mig80/mig80.csv --seeds 5\n"
        "  lsched pack instance.txt --json\n"
        "  lsched pack project.sm --seconds 1 --json\n"
        "  lsched pack --kind reassign model.txt assignment.txt --seconds 60 --out new.txt\n"
        "  lsched pack day.csv --capacity 100 --slot 15m\n"
        "  lsched pack --resource duty=duty.csv.xz:100 --resource memory=mem.csv.xz:80GiB \\\n"
        "      --min-samples 1300",
    COMMAND_OPTIONS(options, ARGS),
    .positionals_min = 0,
    .positionals_max = POSITIONALS_MAX,
    .run = pack,
};
