/*
 * slurm_replay.h -- the arguments of `lsched slurm`, and its part `replay`, which replays an
 * accounting dump through the simulator of `lsched simulate swf`.
 */
#ifndef LSCHED_CLI_SLURM_REPLAY_H
#define LSCHED_CLI_SLURM_REPLAY_H

#include "cli/support/command.h"

struct slurm_args {
    const char *conf, *gres, *topology, *squeue, *sinfo, *queues, *default_queue, *scenario;
    struct text_list dumps, policies;
    int64_t jobs;
    bool slurm_priority, json;
    /* replay */
    const char *sacct;
    int64_t procs, nodes;
};

#define SLURM_REPLAY_OPTIONS(bits)                                                            \
    TEXT(bits, "sacct", "FILE", sacct,                                                        \
         "output of sacct -P or sacct --json; '-' is standard input"),                        \
        COUNT(bits, "procs", "M", procs, NOT_GIVEN, 1, 1048576, "processors of the machine"), \
        COUNT(bits, "nodes", "M", nodes, NOT_GIVEN, 1, 1048576,                               \
              "whole nodes of the machine: each job takes as many as it had"),

/* Runs the replay. Returns an exit code. */
int slurm_replay(const struct slurm_args *args);

#endif
