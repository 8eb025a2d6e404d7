/*
 * cmd_pack.c -- the command `lsched pack FILE`, which packs over time without a cluster. This file
 * has the words and options of the command, and decides from the content of a file what kind of
 * input it is.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/options.h"
#include "cli/support/did_you_mean.h"
#include "cli/packing/mig80_jobs.h"
#include "cli/packing/pack_command.h"
#include "cli/input/row_scan.h"
#include "cli/input/tar_entries.h"
#include "cli/input/xz_input.h"

#define WORK_MAX ((int64_t)1 << 50)

enum { GPUS_MAX = 1024, BEAM_MAX = 65536, SECONDS_MAX = 86400, TIMED_WORK_S = 100000000 };

static const char *const kind_names[KINDS + 1] = {"tbpp", "services", "mig", NULL};

/* Work units per problem if the command does not say how many: about half a second. */
static const int64_t work_default[KINDS] = {20000000, 20000000, 5000000};

#define AT(field) offsetof(struct pack_args, field)
/* The options of all kinds of input come first, then those of services, then those of MIG lists. */
static const struct option options[] = {
    {"json", NULL, "print JSON instead of text", AT(json), OPTION_FLAG},
    {"items", NULL, "say of every item where it goes", AT(items), OPTION_FLAG},
    {"method", "M",
     "auto, seed (greedy), dp (dynamic programme), ruin (ruin and recreate), exact (few items) or "
     "bound",
     AT(method), OPTION_TEXT},
    {"work", "N",
     "units of work per problem, about 30 ns each; more is never worse (20000000, of mig 5000000 "
     "per seed)",
     AT(work), OPTION_COUNT},
    {"seconds", "S", "stop after so long on a core instead; then plans depend on the machine",
     AT(seconds), OPTION_TEXT},
    {"seed", "S", "of the search (1)", AT(seed), OPTION_COUNT},
    {"beam", "W", "beam width of the dynamic programme: states that it keeps per step (32)",
     AT(beam), OPTION_COUNT},
    {"bins", "N", "at most so many bins; what does not fit is left out", AT(bins), OPTION_COUNT},
    {"kind", "KIND", "tbpp, services or mig, if the content does not tell", AT(kind), OPTION_TEXT},
    {"svg", "FILE", "draw the picture into a file as well", AT(svg), OPTION_TEXT},
    {"ascii", NULL, "draw with plain characters", AT(ascii), OPTION_FLAG},
    {"progress", NULL, "show progress on stderr even if that is no terminal", AT(progress),
     OPTION_FLAG},
    {"no-progress", NULL, "show no progress", AT(no_progress), OPTION_FLAG},

    {"capacity", "C", "services: what a bin has (100)", AT(capacity), OPTION_TEXT},
    {"resource", "NAME=FILE:C",
     "services: samples of one of several resources, and what a bin has of it, such as 80GiB",
     AT(resources), OPTION_LIST},
    {"slot", "WIDTHS", "services: width of the slots, such as 15m or 12x5m,12x15m,1h (as sampled)",
     AT(slot), OPTION_TEXT},
    {"sample", "SPAN", "services: how far apart the samples are, if the file does not tell",
     AT(sample), OPTION_TEXT},
    {"quantile", "Q", "services: of the samples in a slot, what counts (1: the most)", AT(quantile),
     OPTION_TEXT},
    {"n-sigma", "Z",
     "services: resources are soft: mean and deviation of a slot count; mean + Z sigma must fit",
     AT(n_sigma), OPTION_TEXT},
    {"min-samples", "N", "services: leave out those with fewer samples of a resource",
     AT(min_samples), OPTION_COUNT},

    {"gpus", "N", "mig: GPUs of the server (8)", AT(gpus), OPTION_COUNT},
    {"mig-table", "T", "mig: what the GPUs are (h100-80gb)", AT(mig_table), OPTION_TEXT},
    {"seeds", "N", "mig: the first N seeds of the list only", AT(seeds), OPTION_COUNT},
    {"timeline", "SEED", "mig: whose timeline to draw, or none (the first)", AT(timeline),
     OPTION_TEXT},
};
#undef AT
enum { N_OPTIONS = sizeof options / sizeof options[0] };
/* First option, and end of the options, that only this kind of input has. */
static const size_t option_range[KINDS][2] = {{N_OPTIONS, N_OPTIONS}, {13, 20}, {20, N_OPTIONS}};

static const char *kind_word(const void *list, size_t i) {
    (void)list;
    return kind_names[i];
}

/* ---- packing ---- */

static void step(void *user, uint64_t done, uint64_t of) {
    struct pack_run *run = user;
    uint64_t part = done < of ? done * 1000 / of : 1000;
    progress_step(&run->progress, run->done * 1000 + part, run->label);
}

int pack_run_solve(struct pack_run *run, const char *file, const lsched_pack_problem *problem,
                   const struct pack_origin *origins, const struct pack_wish *wish,
                   struct pack_result *out) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct pack_wish watched = *wish;
    if (wish->method == LSCHED_PACK_EXACT && problem->n_items > LSCHED_PACK_EXACT_MAX) {
        progress_hide(&run->progress);
        return usage_error(&command_pack,
                           "%s: --method exact: expected at most %u items, got %" PRIu32,
                           run->label, LSCHED_PACK_EXACT_MAX, problem->n_items);
    }
    watched.step = step;
    watched.user = run;
    int32_t rc = pack_solve(problem, &watched, out, &err);
    run->done++;
    step(run, 0, 1);
    if (rc == 0) return EXIT_OK;
    progress_hide(&run->progress);
    if (err.line == 0 && err.index >= 0 && err.index < problem->n_items && origins != NULL) {
        err.line = origins[err.index].line;
        err.column = origins[err.index].column;
    }
    return library_error(file, &err);
}

/* ---- input ---- */

static enum pack_kind guess_kind(const struct input_file *file) {
    const char *newline = memchr(file->text, '\n', file->len);
    size_t first = newline != NULL ? (size_t)(newline - file->text) : file->len;
    if (tar_is(file->text, file->len)) return KIND_TBPP;
    if (mig_is_list(file->text, file->len)) return KIND_MIG;
    return memchr(file->text, ',', first) != NULL ? KIND_SERVICES : KIND_TBPP;
}

static int choose_kind(const struct pack_run *run, enum pack_kind *kind) {
    const char *word = run->args->kind;
    *kind = run->args->resources.n > 0 ? KIND_SERVICES : guess_kind(&run->files[0]);
    if (word == NULL) return EXIT_OK;
    for (*kind = KIND_TBPP; *kind < KINDS; ++*kind)
        if (strcmp(word, kind_names[*kind]) == 0) return EXIT_OK;
    const char *meant = suggest(word, kind_word, NULL);
    return usage_error(&command_pack, "--kind: expected tbpp, services or mig, got '%s'%s%s%s",
                       word, meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
                       meant != NULL ? "'?" : "");
}

static int open_file(const char *path, struct input_file *out) {
    int rc = input_read(path, out);
    if (rc == EXIT_OK) rc = input_unxz(out);
    if (rc != EXIT_OK || out->len < 2 || memcmp(out->text, "\x1f\x8b", 2) != 0) return rc;
    complain("%s: is compressed with gzip; unpack it: gzip -dc %s | lsched pack -", out->name,
             out->name);
    return EXIT_INPUT;
}

/* Sets *path to the FILE of resource i, from the word "NAME=FILE:CAPACITY". Returns EXIT_OK, or the
 * code of a usage error if the word has another form or an earlier word has the same name. The
 * caller owns the path. */
static int resource_path(const struct text_list *resources, size_t i, char **path) {
    const char *word = resources->items[i];
    const char *equals = strchr(word, '='), *colon = equals != NULL ? strrchr(equals, ':') : NULL;
    if (equals == word || colon == NULL || colon == equals + 1)
        return usage_error(&command_pack, "--resource: expected NAME=FILE:CAPACITY, got '%s'",
                           word);
    size_t name = (size_t)(equals - word) + 1;
    for (size_t before = 0; before < i; before++)
        if (strncmp(resources->items[before], word, name) == 0)
            return usage_error(&command_pack, "--resource: expected each name once, got '%s'",
                               word);
    *path = must_copy(equals + 1, (size_t)(colon - equals - 1));
    return EXIT_OK;
}

static int open_files(struct pack_run *run, char *const *paths, size_t n, char **owned) {
    const struct text_list *resources = &run->args->resources;
    size_t all = resources->n > 0 ? resources->n : n;
    bool read_standard = false;
    int rc = EXIT_OK;
    run->files = must_alloc(all * sizeof run->files[0]);
    for (size_t i = 0; rc == EXIT_OK && i < all; i++) {
        const char *path = resources->n > 0 ? NULL : paths[i];
        if (path == NULL) {
            rc = resource_path(resources, i, &owned[i]);
            path = owned[i];
        }
        if (rc != EXIT_OK || path == NULL) break;
        if (strcmp(path, "-") == 0 && read_standard) {
            rc = usage_error(&command_pack, "expected standard input once, got '-' again");
            break;
        }
        read_standard |= strcmp(path, "-") == 0;
        memset(&run->files[i], 0, sizeof run->files[i]);
        run->n_files = i + 1;
        rc = open_file(path, &run->files[i]);
    }
    return rc;
}

/* ---- options ---- */

static int choose_method(const char *word, uint32_t *method) {
    *method = LSCHED_PACK_AUTO;
    if (word == NULL) return EXIT_OK;
    for (size_t i = 0; pack_method_at(NULL, i) != NULL; i++) {
        *method = (uint32_t)i;
        if (strcmp(word, pack_method_at(NULL, i)) == 0) return EXIT_OK;
    }
    const char *meant = suggest(word, pack_method_at, NULL);
    return usage_error(&command_pack,
                       "--method: expected auto, seed, dp, ruin, exact or bound, got '%s'%s%s%s",
                       word, meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
                       meant != NULL ? "'?" : "");
}

static int choose_time(const char *word, int64_t *ns) {
    int64_t micro = 0;
    *ns = 0;
    if (word == NULL) return EXIT_OK;
    if (decimal_parse(word, strlen(word), &micro) == DECIMAL_OK && micro > 0 &&
        micro <= SECONDS_MAX * MILLION) {
        *ns = micro * 1000;
        return EXIT_OK;
    }
    return usage_error(&command_pack,
                       "--seconds: expected a number above 0 and at most %d, got "
                       "'%s'",
                       SECONDS_MAX, word);
}

static int check_kind(const struct pack_run *run, enum pack_kind kind) {
    for (size_t i = option_range[KIND_SERVICES][0]; i < N_OPTIONS; i++) {
        bool own = i >= option_range[kind][0] && i < option_range[kind][1];
        if (!own && option_is_given(run->args, &options[i]))
            return usage_error(&command_pack, "--%s is not for %s", options[i].name,
                               kind_names[kind]);
    }
    if (kind != KIND_TBPP && run->args->resources.n == 0 && run->n_files > 1)
        return usage_error(&command_pack, "expected one FILE of %s, got %zu", kind_names[kind],
                           run->n_files);
    if (kind == KIND_MIG && run->args->bins != NOT_GIVEN)
        return usage_error(&command_pack, "--bins is not for mig; --gpus is");
    return EXIT_OK;
}

static int check_ranges(const struct pack_args *args) {
    const struct {
        const char *name;
        int64_t value, least, most;
    } ranges[] = {
        {"work", args->work, 1, WORK_MAX},       {"beam", args->beam, 1, BEAM_MAX},
        {"bins", args->bins, 1, UINT32_MAX - 1}, {"gpus", args->gpus, 1, GPUS_MAX},
        {"seeds", args->seeds, 1, INT32_MAX},    {"min-samples", args->min_samples, 0, INT32_MAX}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        int64_t value = ranges[i].value;
        if (value == NOT_GIVEN || (value >= ranges[i].least && value <= ranges[i].most)) continue;
        return usage_error(&command_pack, "--%s: expected %" PRId64 " to %" PRId64 ", got %" PRId64,
                           ranges[i].name, ranges[i].least, ranges[i].most, value);
    }
    return EXIT_OK;
}

static int check_args(const struct pack_args *args, size_t n_files, struct pack_run *run) {
    int rc = check_ranges(args);
    if (rc == EXIT_OK) rc = choose_method(args->method, &run->wish.method);
    if (rc == EXIT_OK) rc = choose_time(args->seconds, &run->wish.most_ns);
    if (rc != EXIT_OK) return rc;
    if (args->resources.n > LSCHED_PACK_RESOURCES_MAX)
        return usage_error(&command_pack, "--resource is given more than %d times",
                           LSCHED_PACK_RESOURCES_MAX);
    if (n_files == 0 && args->resources.n == 0)
        return usage_error(&command_pack, "pack needs FILE, or --resource NAME=FILE:CAPACITY");
    if (n_files > 0 && args->resources.n > 0)
        return usage_error(&command_pack, "--resource names the files; FILE is one too many");
    if (args->resources.n > 0 && args->capacity != NULL)
        return usage_error(&command_pack, "--capacity is for FILE; --resource has its own");
    if (args->progress && args->no_progress)
        return usage_error(&command_pack, "--progress and --no-progress exclude each other");
    if (args->work != NOT_GIVEN && args->seconds != NULL)
        return usage_error(&command_pack, "--work and --seconds exclude each other");
    return EXIT_OK;
}

/* ---- the command ---- */

static int pack_kind_of(struct pack_run *run, struct pack_args *args) {
    enum pack_kind kind = KIND_TBPP;
    int rc = choose_kind(run, &kind);
    if (rc != EXIT_OK || kind >= KINDS) return EXIT_USAGE;
    rc = check_kind(run, kind);
    if (rc != EXIT_OK) return rc;
    if (args->svg != NULL && args->timeline != NULL && strcmp(args->timeline, "none") == 0)
        return usage_error(&command_pack,
                           "--svg draws the timeline, so it excludes --timeline none");
    int64_t work = run->wish.most_ns / 1000000000 * TIMED_WORK_S + TIMED_WORK_S;
    run->wish.work = args->work != NOT_GIVEN ? args->work
                     : run->wish.most_ns > 0 ? work
                                             : work_default[kind];
    if (args->gpus == NOT_GIVEN) args->gpus = 8;
    if (args->mig_table == NULL) args->mig_table = "h100-80gb";
    switch (kind) {
    case KIND_TBPP: return pack_run_tbpp(run);
    case KIND_SERVICES: return pack_run_services(run);
    default: return pack_run_mig(run);
    }
}

static int pack(const void *argument, char *const *positionals, size_t n_positionals) {
    struct pack_args args = *(const struct pack_args *)argument;
    char *owned[OPTION_LIST_MAX] = {NULL};
    struct pack_run *run = must_alloc(sizeof *run);
    memset(run, 0, sizeof *run);
    run->args = &args;
    run->bins = args.bins == NOT_GIVEN ? LSCHED_PACK_UNLIMITED : (uint32_t)args.bins;
    run->wish.seed = args.seed == NOT_GIVEN ? 1 : (uint64_t)args.seed;
    run->wish.beam = args.beam == NOT_GIVEN ? 0 : (uint32_t)args.beam;
    int rc = check_args(&args, n_positionals, run);
    if (rc == EXIT_OK) rc = open_files(run, positionals, n_positionals, owned);
    if (rc == EXIT_OK) rc = pack_kind_of(run, &args);
    for (size_t i = 0; i < run->n_files; i++) input_free(&run->files[i]);
    for (size_t i = 0; i < OPTION_LIST_MAX; i++) free(owned[i]);
    free(run->files);
    free(run);
    return rc;
}

static void defaults(void *argument) {
    struct pack_args *args = argument;
    args->work = args->seed = args->beam = args->bins = NOT_GIVEN;
    args->min_samples = args->gpus = args->seeds = NOT_GIVEN;
}

const struct command command_pack = {
    .name = "pack",
    .arguments = "FILE...",
    .summary = "pack demand that changes over time: fewest bins, or the shortest schedule",
    .about =
        "Packs items over time and says how far from the best the plan can be at most. FILE is an "
        "instance of temporal bin packing (\"n C 0 0\", then rows \"index start end size\"; "
        "several, "
        "or an archive of them: a table with sums); or services with measured demand (CSV: one "
        "service per row, a sample per column; or one sample per row with time, name and value), "
        "of which as many share a bin as fit at every time; or a list of jobs for MIG GPUs (CSV: "
        "seed, job, true_profile, requested_profile, duration_s), planned so that the last ends "
        "early, beside three ways of first come, first served. Files may be compressed with xz.",
    .examples =
        "  lsched pack examples/mig80/mig80.csv --seeds 5\n"
        "  lsched pack instance.txt --json\n"
        "  lsched pack day.csv --capacity 100 --slot 15m\n"
        "  lsched pack --resource duty=duty.csv.xz:100 --resource memory=mem.csv.xz:80GiB \\\n"
        "      --min-samples 1300",
    .options = options,
    .n_options = N_OPTIONS,
    .positionals_min = 0,
    .positionals_max = POSITIONALS_MAX,
    .defaults = defaults,
    .run = pack,
};
_Static_assert(sizeof(struct pack_args) <= COMMAND_ARGS_BYTES,
               "the argument struct fits its buffer");
