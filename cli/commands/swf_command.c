/* swf_command.c -- see swf_command.h. */
#include "cli/commands/swf_command.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/replay/batch_replay.h"
#include "cli/input/xz_input.h"
#include "cli/replay/simulate_report.h"
#include "cli/support/number_text.h"
#include "cli/support/options.h"
#include "cli/traces/swf_trace.h"

struct swf_simulation {
    const struct simulate_args *args;
    struct input_file file;
    struct swf_trace trace;
    struct batch_replay replay;
};

/* ---- the log ---- */

static int find_procs(struct swf_simulation *sim) {
    int64_t procs = sim->args->procs;
    if (procs == NOT_GIVEN)
        procs = sim->trace.max_procs > 0 ? sim->trace.max_procs : sim->trace.max_nodes;
    sim->replay.units = procs;
    if (procs == 0) {
        complain("%s: the header has neither MaxProcs nor MaxNodes; --procs M says how many "
                 "processors there are",
                 sim->file.name);
        return EXIT_INPUT;
    }
    if (procs <= JOB_UNITS_MAX) return EXIT_OK;
    complain("%s: expected at most %d processors (MaxProcs in the header), got %" PRId64,
             sim->file.name, JOB_UNITS_MAX, procs);
    return EXIT_INPUT;
}

/* Tells what the replay does not take from the log as it stands there. */
static void warn_of_log(const struct swf_simulation *sim) {
    const struct swf_trace *trace = &sim->trace;
    if (trace->decimals > 0)
        complain("warning: %s:%" PRIu32 ": the decimals of %" PRIu64
                 " number%s are left out; this is the first line with one",
                 sim->file.name, trace->decimals_line, trace->decimals, plural(trace->decimals));
    if (trace->other_procs > 0 && sim->args->procs == NOT_GIVEN)
        complain("warning: %s: the header says MaxProcs %" PRId64 " and %" PRId64
                 "; the last one counts, and --procs M says another number",
                 sim->file.name, trace->other_procs, trace->max_procs);
    if (trace->repeated > 0)
        complain("warning: %s: %" PRIu64
                 " job%s the number of an earlier job; the first such number is %" PRIu64,
                 sim->file.name, trace->repeated, trace->repeated == 1 ? " has" : "s have",
                 trace->repeated_first);
}

static int read_log(struct swf_simulation *sim, const char *path, size_t by) {
    lsched_error err = LSCHED_ERROR_INIT;
    int rc = input_read_packed(path, &sim->file);
    if (rc != EXIT_OK) return rc;
    enum swf_queues queues = sim->replay.one_queue ? SWF_BY_QUEUE : (enum swf_queues)by;
    if (swf_read(sim->file.text, sim->file.len, queues, !sim->args->drop_zero_runs, &sim->trace,
                 &err) < 0)
        return library_error(sim->file.name, &err);
    sim->replay.file = sim->file.name;
    sim->replay.list = &sim->trace.list;
    sim->replay.never_ran = sim->trace.never_ran;
    warn_of_log(sim);
    return find_procs(sim);
}

/* ---- the command ---- */

static int choose_queues(struct swf_simulation *sim, size_t *by) {
    static const char *const words[] = {"by-queue", "by-user", "by-group", "one", NULL};
    enum { ONE = 3 };
    *by = ONE;
    int rc = options_choose("simulate", "--queues", sim->args->queues, words, by);
    sim->replay.one_queue = *by == ONE;
    return rc;
}

static void begin(struct swf_simulation *sim, const struct simulate_args *args) {
    sim->args = args;
    sim->replay.command = "simulate";
    sim->replay.unit = "processors";
    sim->replay.unit_key = "procs";
    sim->replay.policies = &args->policies;
    sim->replay.params = &args->params;
    sim->replay.per_job = args->per_job;
    sim->replay.perfect_estimates = args->perfect_estimates;
    sim->replay.overrun = args->overrun;
    sim->replay.promises = args->promises;
    sim->replay.verify = args->verify;
    sim->replay.json = args->json;
    sim->replay.progress = args->progress;
    sim->replay.no_progress = args->no_progress;
}

int swf_simulate(const struct simulate_args *args, const char *file) {
    struct swf_simulation *sim = must_alloc_zero(sizeof *sim);
    size_t by = 0;
    begin(sim, args);
    int rc = choose_queues(sim, &by);
    if (rc == EXIT_OK) rc = batch_replay_open(&sim->replay);
    if (rc == EXIT_OK) rc = read_log(sim, file, by);
    if (rc == EXIT_OK) rc = batch_replay_run(&sim->replay);
    batch_replay_close(&sim->replay);
    swf_free(&sim->trace);
    input_free(&sim->file);
    free(sim);
    return rc;
}
