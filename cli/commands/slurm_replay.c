/* slurm_replay.c -- see slurm_replay.h. */
#include "cli/commands/slurm_replay.h"

int slurm_replay(const struct slurm_args *args) {
    (void)args;
    return usage_error("slurm", "replay is not there yet");
}
