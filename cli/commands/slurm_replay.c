/* slurm_replay.c -- see slurm_replay.h. */
#include "cli/commands/slurm_replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/replay/batch_replay.h"
#include "cli/input/xz_input.h"
#include "cli/slurm/sacct_log.h"
#include "cli/support/number_text.h"
#include "cli/support/options.h"

struct replaying {
    const struct slurm_args *args;
    struct input_file file;
    struct sacct_log log;
    struct batch_replay replay;
    enum sacct_unit unit;
};

/* Finds which of --procs, --nodes and --gpus is given, and fills the replay. */
static int find_units(struct replaying *r) {
    static const char *const words[][2] = {
        {"processors", "procs"}, {"nodes", "nodes"}, {"GPUs", "gpus"}};
    const int64_t given[] = {r->args->procs, r->args->nodes, r->args->gpus};
    size_t n = 0;
    for (size_t i = 0; i < 3; i++) {
        if (given[i] == NOT_GIVEN) continue;
        n++;
        r->unit = (enum sacct_unit)i;
        r->replay.units = given[i];
        r->replay.unit = words[i][0];
        r->replay.unit_key = words[i][1];
    }
    return n == 1
               ? EXIT_OK
               : usage_error("slurm", "replay needs one of --procs M, --nodes M and --gpus M, the "
                                      "size of the machine");
}

static int read_log(struct replaying *r, size_t by) {
    lsched_error err = LSCHED_ERROR_INIT;
    int rc = input_read_packed(r->args->sacct, &r->file);
    if (rc != EXIT_OK) return rc;
    if (sacct_read(r->file.text, r->file.len, r->unit, (enum sacct_queues)by, &r->log, &err) < 0)
        return library_error(r->file.name, &err);
    r->replay.file = r->file.name;
    r->replay.list = &r->log.list;
    r->replay.never_ran = r->log.never_ran;
    if (r->log.still_runs > 0)
        fprintf(stderr, "note: %s: %" PRIu64 " job%s still ran and %s left out\n", r->file.name,
                r->log.still_runs, plural(r->log.still_runs),
                r->log.still_runs == 1 ? "is" : "are");
    if (r->log.without_units > 0)
        fprintf(stderr, "note: %s: %" PRIu64 " job%s had no %s and %s left out\n", r->file.name,
                r->log.without_units, plural(r->log.without_units), r->replay.unit,
                r->log.without_units == 1 ? "is" : "are");
    return EXIT_OK;
}

static void begin(struct replaying *r, const struct slurm_args *args) {
    r->args = args;
    r->replay.command = "slurm";
    r->replay.policies = &args->policies;
    r->replay.params = &args->params;
    r->replay.per_job = args->per_job;
    r->replay.perfect_estimates = args->perfect_estimates;
    r->replay.overrun = args->overrun;
    r->replay.verify = args->verify;
    r->replay.json = args->json;
    r->replay.progress = args->progress;
    r->replay.no_progress = args->no_progress;
}

int slurm_replay(const struct slurm_args *args) {
    static const char *const queues[] = {"account", "user", "partition", "one", NULL};
    if (args->sacct == NULL)
        return usage_error("slurm",
                           "replay needs --sacct FILE, made by sacct -X -P or sacct --json");
    struct replaying *r = must_alloc_zero(sizeof *r);
    size_t by = SACCT_ONE;
    begin(r, args);
    int rc = options_choose("slurm", "--by", args->by, queues, &by);
    r->replay.one_queue = by == SACCT_ONE;
    if (rc == EXIT_OK) rc = find_units(r);
    if (rc == EXIT_OK) rc = batch_replay_open(&r->replay);
    if (rc == EXIT_OK) rc = read_log(r, by);
    if (rc == EXIT_OK) rc = batch_replay_run(&r->replay);
    batch_replay_close(&r->replay);
    sacct_free(&r->log);
    input_free(&r->file);
    free(r);
    return rc;
}
