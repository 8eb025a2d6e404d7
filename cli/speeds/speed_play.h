/*
 * speed_play.h -- plays rounds with shares, and counts what each job got.
 *
 * A job that starts loses a part of its first round: it loads its checkpoint. What a job got is
 * therefore less than its share promises, and the more so the more often it starts.
 */
#ifndef LSCHED_CLI_SPEED_PLAY_H
#define LSCHED_CLI_SPEED_PLAY_H

#include "cli/speeds/speed_input.h"

struct speed_play {
    uint64_t rounds, starts, moves, idle; /* `idle`: sum over rounds of devices without a job */
    double *got;                          /* owned; by job: mean throughput */
    double least;                         /* the least one, divided by what the job has alone */
};

/* `restart` is the part of a round that a start costs, from 0 to 1. */
int32_t speed_play_run(const struct speed_input *input, const lsched_speeds_query *query,
                       const double *shares, const double *alone, uint64_t rounds, double keep,
                       double restart, struct speed_play *out, lsched_error *err);
void speed_play_free(struct speed_play *play);

#endif
