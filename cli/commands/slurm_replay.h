/*
 * slurm_replay.h -- the arguments of `lsched slurm`, and its part `replay`, which replays an
 * accounting dump through the simulator of `lsched simulate swf`.
 */
#ifndef LSCHED_CLI_SLURM_REPLAY_H
#define LSCHED_CLI_SLURM_REPLAY_H

#include "cli/support/command.h"
#include "cli/traces/job_list.h"

struct slurm_args {
    const char *conf, *gres, *topology, *squeue, *sinfo, *queues, *default_queue, *scenario;
    struct text_list dumps, policies;
    int64_t jobs;
    bool slurm_priority, json;
    /* replay */
    const char *sacct, *by, *per_job;
    struct text_list params;
    int64_t procs, nodes, gpus;
    bool perfect_estimates, overrun, verify, progress, no_progress;
};

#define SLURM_REPLAY_OPTIONS(bits)                                                             \
    INPUT(bits, "sacct", "FILE", sacct,                                                        \
          "output of sacct -P or sacct --json; '-' is standard input"),                        \
        COUNT(bits, "procs", "M", procs, NOT_GIVEN, 1, JOB_UNITS_MAX,                          \
              "CPUs of the machine; jobs count with their CPUs"),                              \
        COUNT(bits, "nodes", "M", nodes, NOT_GIVEN, 1, JOB_UNITS_MAX,                          \
              "nodes of the machine; jobs count with their nodes, as whole nodes"),            \
        COUNT(bits, "gpus", "M", gpus, NOT_GIVEN, 1, JOB_UNITS_MAX,                            \
              "GPUs of the machine; jobs count with their GPUs, others are left out"),         \
        TEXT(bits, "by", "WHAT", by, "queues: one (the default), account, user or partition"), \
        LIST(bits, "param", "NAME=VALUE", params, "set a parameter of the policies"),          \
        FLAG(bits, "perfect-estimates", perfect_estimates,                                     \
             "the limit of each job is its run time"),                                         \
        FLAG(bits, "overrun", overrun, "a run may outlast its limit, and is not cut there"),   \
        FLAG(bits, "verify", verify, "check every plan with the independent verifier"),        \
        OUTPUT(bits, "per-job", "FILE.csv", per_job, "write when each job started and ended"), \
        FLAG(bits, "progress", progress, "show progress on stderr even if it is no terminal"), \
        FLAG(bits, "no-progress", no_progress, "show no progress"),

/* Runs the replay. Returns an exit code. */
int slurm_replay(const struct slurm_args *args);

#endif
