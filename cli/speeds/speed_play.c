/* speed_play.c -- see speed_play.h. */
#include "cli/speeds/speed_play.h"

#include <stdlib.h>

#include "cli/support/cli_errors.h"

struct play_state {
    lsched_speeds_turn *turns;
    uint32_t *before;
    uint64_t *received;
};

/* Adds what each job did in a round. */
static void play_count(const struct speed_input *input, const struct play_state *state,
                       double restart, double *got) {
    for (size_t i = 0; i < input->jobs.n; i++) {
        uint32_t now = state->turns[i].model;
        if (now == LSCHED_SPEEDS_NOWHERE) continue;
        double speed = input->speeds[input->list[i].row * input->n_models + now];
        if (speed < 0) speed = 1; /* it is not known */
        got[i] += now != state->before[i] ? speed * (1 - restart) : speed;
    }
}

static int32_t play_rounds(const struct speed_input *input, const lsched_speeds_query *query,
                           const double *shares, double keep, double restart,
                           struct play_state *state, struct speed_play *out, lsched_error *err) {
    for (uint64_t r = 0; r < out->rounds; r++) {
        lsched_speeds_round_result round = LSCHED_INIT(lsched_speeds_round_result);
        for (size_t i = 0; i < input->jobs.n; i++) state->before[i] = state->turns[i].model;
        int32_t rc =
            lsched_speeds_round(query, shares, keep, state->turns, state->received, &round, err);
        if (rc != LSCHED_OK) return rc;
        out->starts += round.starts;
        out->moves += round.moves;
        out->idle += round.idle;
        play_count(input, state, restart, out->got);
    }
    return LSCHED_OK;
}

int32_t speed_play_run(const struct speed_input *input, const lsched_speeds_query *query,
                       const double *shares, const double *alone, uint64_t rounds, double keep,
                       double restart, struct speed_play *out, lsched_error *err) {
    size_t n = input->jobs.n;
    struct play_state state = {
        .turns = must_alloc_zero((n + 1) * sizeof state.turns[0]),
        .before = must_alloc_zero((n + 1) * sizeof state.before[0]),
        .received = must_alloc_zero((n + 1) * input->n_models * sizeof state.received[0])};
    *out =
        (struct speed_play){.rounds = rounds, .got = must_alloc_zero((n + 1) * sizeof out->got[0])};
    for (size_t i = 0; i < n; i++) state.turns[i].model = LSCHED_SPEEDS_NOWHERE;
    int32_t rc = play_rounds(input, query, shares, keep, restart, &state, out, err);
    for (size_t i = 0; rc == LSCHED_OK && i < n; i++) {
        out->got[i] /= (double)rounds;
        if (i == 0 || out->got[i] / alone[i] < out->least) out->least = out->got[i] / alone[i];
    }
    free(state.turns);
    free(state.before);
    free(state.received);
    return rc;
}

void speed_play_free(struct speed_play *play) {
    free(play->got);
}
