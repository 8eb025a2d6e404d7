/* speeds.c -- an orchestrator divides 2 fast and 6 slow GPUs between three jobs by how fast each job
 * is on them, and asks who runs where in the next rounds. */
#include <libsched/speeds.h>

#include <stdio.h>

enum { FAST, SLOW, MODELS };
enum { IMAGE, LANGUAGE, ROWS };
enum { JOBS = 3, ROUNDS = 12 };

static const lsched_speeds_model models[MODELS] = {{3.0, 2, 0}, {0.5, 6, 0}}; /* price, devices */
/* measured by the operator, in steps per second; one number is not known yet */
static const double speeds[ROWS * MODELS] = {10, 2.5, 8, LSCHED_SPEED_UNKNOWN};
static const lsched_speeds_job jobs[JOBS] = {{.row = IMAGE, .devices = 2},
                                             {.row = IMAGE, .devices = 1},
                                             {.row = LANGUAGE, .devices = 1, .weight = 2}};

static int failed(const lsched_error *err) {
    fprintf(stderr, "%s\n", err->message);
    return 1;
}

int main(void) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_speeds_query query = LSCHED_INIT(lsched_speeds_query);
    lsched_speeds_answer answer = LSCHED_INIT(lsched_speeds_answer);
    double shares[JOBS * MODELS], alone[JOBS];
    query.policy = LSCHED_SPEEDS_MAX_MIN;
    query.models = models;
    query.n_models = MODELS;
    query.speeds = speeds;
    query.n_rows = ROWS;
    query.jobs = jobs;
    query.n_jobs = JOBS;
    if (lsched_speeds_solve(&query, shares, alone, &answer, &err) < 0) return failed(&err);
    printf("each job gets at least %.3f times what it has alone; speeds not known: %llu\n",
           answer.least, (unsigned long long)answer.holes);
    for (int i = 0; i < JOBS; i++)
        printf("job %d: %.3f of the time on fast GPUs, %.3f on slow ones; alone %.3f\n", i,
               shares[i * MODELS + FAST], shares[i * MODELS + SLOW], alone[i]);

    lsched_speeds_turn turns[JOBS];
    uint64_t received[JOBS * MODELS] = {0};
    for (int i = 0; i < JOBS; i++) turns[i] = (lsched_speeds_turn){0, LSCHED_SPEEDS_NOWHERE, 0};
    for (int round = 0; round < ROUNDS; round++) {
        lsched_speeds_round_result result = LSCHED_INIT(lsched_speeds_round_result);
        if (lsched_speeds_round(&query, shares, 1, turns, received, &result, &err) < 0)
            return failed(&err);
        printf("round %2d:", round);
        for (int i = 0; i < JOBS; i++)
            printf(" %s", turns[i].model == FAST ? "fast" : turns[i].model == SLOW ? "slow" : "-");
        printf("; %u starts\n", result.starts);
    }
    return 0;
}
