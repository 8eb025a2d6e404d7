/*
 * speed_turns.c -- the call of speeds.h that decides who runs in a round.
 *
 * What is due to a pair of a job and a model is a time: the rounds that the job has seen, this one
 * included, less the rounds that it has got on the model, divided by its share there. The pairs are
 * served in the order of what is due, as long as there are devices. Pairs that are ahead of their
 * share come last, so that they use only what is left.
 *
 * A job that runs stays until it is ahead by `keep`, divided by the square root of its share. A
 * start costs a part of a turn, and a turn costs a part of the precision; their sum is least when
 * turns grow with the root of the share. With equal turns, a job with a small share waits very long
 * for its first one; with equal times, it starts again in each of its rounds.
 *
 * The rule of Gavel, the share divided by the rounds that were got, has the same order where
 * nothing runs yet, but does not let a job keep its devices, so that every round moves jobs.
 *
 * What always holds: no model is used beyond its devices, and no job runs on two models.
 */
#include "base/call_args.h"
#include "base/sort.h"
#include "speeds/shares/speed_query.h"

#define TURN_SHARE_LEAST 1e-9 /* a smaller share is none */
#define TURN_SHARE_MOST  1.000001
#define KEEP_MOST        1e9
#define ROOT_STEPS       24 /* enough for 1e-9 */

struct turn_pair {
    double due, share;
    uint32_t job, model;
};

static int turn_before(const struct turn_pair *a, const struct turn_pair *b) {
    if (a->due > b->due || a->due < b->due) return a->due > b->due;
    if (a->share > b->share || a->share < b->share) return a->share > b->share;
    if (a->job != b->job) return a->job < b->job;
    return a->model < b->model;
}

#define TURN_PAIR_BEFORE(of, a, b) turn_before(&(a), &(b))
SORT_IN_PLACE(turn_sort, struct turn_pair, const void *, TURN_PAIR_BEFORE)

struct turn_round {
    const lsched_speeds_query *query;
    const double *shares;
    double keep;
    lsched_speeds_turn *turns;
    uint64_t *received;
    struct turn_pair *pairs;
    uint32_t *now; /* by job: where it runs in this round */
    size_t n;
};

static int32_t turn_check(const struct turn_round *round, lsched_error *err) {
    const lsched_speeds_query *query = round->query;
    for (size_t i = 0; i < query->n_jobs; i++) {
        int32_t rc =
            arg_reserved_at(round->turns[i].reserved_zero, "reserved_zero", NULL, "turns", i, err);
        if (rc != LSCHED_OK) return speed_query_at(err, i, rc);
        if (round->turns[i].model != LSCHED_SPEEDS_NOWHERE &&
            round->turns[i].model >= query->n_models)
            return speed_query_at(err, i,
                                  fail(err, LSCHED_E_RANGE,
                                       "model of a turn is %u; there are %zu models",
                                       round->turns[i].model, query->n_models));
        for (size_t m = 0; m < query->n_models; m++) {
            double share = round->shares[i * query->n_models + m];
            if (share >= 0 && share <= TURN_SHARE_MOST) continue;
            return speed_query_at(
                err, i, fail(err, LSCHED_E_RANGE, "a share is %g; expected 0 to 1", share));
        }
    }
    return LSCHED_OK;
}

/* Returns the square root of a share from TURN_SHARE_LEAST to TURN_SHARE_MOST, without libm. */
static double turn_root(double share) {
    double root = 1;
    for (int i = 0; i < ROOT_STEPS; i++) root = (root + share / root) / 2;
    return root;
}

static void turn_pairs(struct turn_round *round) {
    size_t models = round->query->n_models;
    for (size_t i = 0; i < round->query->n_jobs; i++) {
        const lsched_speeds_turn *turn = &round->turns[i];
        round->now[i] = LSCHED_SPEEDS_NOWHERE;
        for (size_t m = 0; m < models; m++) {
            double share = round->shares[i * models + m];
            if (share <= TURN_SHARE_LEAST) continue;
            double due = (double)turn->seen + 1 - (double)round->received[i * models + m] / share;
            if (turn->model == m) due += round->keep / turn_root(share);
            round->pairs[round->n++] = (struct turn_pair){due, share, (uint32_t)i, (uint32_t)m};
        }
    }
    turn_sort(NULL, round->pairs, round->n);
}

/* Serves the pairs in their order, and counts what changes. */
static void turn_serve(struct turn_round *round, lsched_speeds_round_result *out) {
    const lsched_speeds_query *query = round->query;
    uint64_t left[LSCHED_SPEEDS_MODELS_MAX];
    for (size_t m = 0; m < query->n_models; m++) left[m] = query->models[m].devices;
    for (size_t i = 0; i < round->n; i++) {
        const struct turn_pair *pair = &round->pairs[i];
        uint32_t devices = query->jobs[pair->job].devices;
        if (round->now[pair->job] != LSCHED_SPEEDS_NOWHERE || devices > left[pair->model]) continue;
        left[pair->model] -= devices;
        round->now[pair->job] = pair->model;
    }
    for (size_t i = 0; i < query->n_jobs; i++) {
        uint32_t before = round->turns[i].model, now = round->now[i];
        out->running += now != LSCHED_SPEEDS_NOWHERE;
        out->starts += now != LSCHED_SPEEDS_NOWHERE && now != before;
        out->moves +=
            now != LSCHED_SPEEDS_NOWHERE && before != LSCHED_SPEEDS_NOWHERE && now != before;
        out->stops += now == LSCHED_SPEEDS_NOWHERE && before != LSCHED_SPEEDS_NOWHERE;
    }
    for (size_t m = 0; m < query->n_models; m++) out->idle += left[m];
}

/* Writes the round to the caller's lists. Nothing fails after this. */
static void turn_commit(struct turn_round *round) {
    size_t models = round->query->n_models;
    for (size_t i = 0; i < round->query->n_jobs; i++) {
        round->turns[i].seen++;
        round->turns[i].model = round->now[i];
        if (round->now[i] != LSCHED_SPEEDS_NOWHERE) round->received[i * models + round->now[i]]++;
    }
}

static int32_t turn_run(struct turn_round *round, struct alloc *alloc,
                        lsched_speeds_round_result *out, lsched_error *err) {
    size_t jobs = round->query->n_jobs;
    size_t pair_bytes = jobs * round->query->n_models * sizeof round->pairs[0];
    size_t now_bytes = jobs * sizeof round->now[0];
    lsched_speeds_round_result found = LSCHED_INIT(lsched_speeds_round_result);
    int32_t rc = LSCHED_OK;
    round->pairs = alloc_new(alloc, pair_bytes);
    round->now = alloc_new(alloc, now_bytes);
    int complete = jobs == 0 || (round->pairs != NULL && round->now != NULL);
    if (!complete) rc = fail(err, LSCHED_E_NOMEM, "no memory for a round of %zu jobs", jobs);
    if (complete) {
        turn_pairs(round);
        turn_serve(round, &found);
        rc = arg_out(out, &found, sizeof found);
        if (rc != LSCHED_OK) fail(err, rc, "lsched_speeds_round_result: size is not set");
    }
    if (complete && rc == LSCHED_OK) turn_commit(round);
    alloc_free(alloc, round->pairs, pair_bytes);
    alloc_free(alloc, round->now, now_bytes);
    return rc;
}

LSCHED_API int32_t lsched_speeds_round(const lsched_speeds_query *query, const double *shares,
                                       double keep, lsched_speeds_turn *turns, uint64_t *received,
                                       lsched_speeds_round_result *out, lsched_error *err) {
    lsched_speeds_query read;
    struct alloc alloc;
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (query == NULL || out == NULL)
        return fail(err, LSCHED_E_NULL, "%s is NULL", query == NULL ? "the query" : "out");
    rc = speed_query_read(query, &read, &alloc, err);
    if (rc != LSCHED_OK) return rc;
    if (read.n_jobs > 0 && (shares == NULL || turns == NULL || received == NULL))
        return fail(err, LSCHED_E_NULL, "shares, turns or received is NULL");
    if (!(keep >= 0 && keep <= KEEP_MOST))
        return fail(err, LSCHED_E_RANGE, "keep is %g; expected 0 to %g rounds", keep, KEEP_MOST);
    struct turn_round round = {
        .query = &read, .shares = shares, .keep = keep, .turns = turns, .received = received};
    rc = turn_check(&round, err);
    return rc == LSCHED_OK ? turn_run(&round, &alloc, out, err) : rc;
}
