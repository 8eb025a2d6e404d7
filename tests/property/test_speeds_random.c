/*
 * Shares of random jobs on random models: what holds under every policy, the best level of two
 * models by another method, policies compared with each other, and rounds that are played.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/speeds.h>

#include "property/chance.h"

enum { MODELS_MAX = 6, ROWS_MAX = 12, JOBS_MAX = 60 };
#define SLACK 1e-7

struct world {
    lsched_speeds_model models[MODELS_MAX];
    double speeds[ROWS_MAX * MODELS_MAX];
    lsched_speeds_job jobs[JOBS_MAX];
    lsched_speeds_query query;
    double shares[LSCHED_SPEEDS_POLICIES][JOBS_MAX * MODELS_MAX], alone[JOBS_MAX];
    lsched_speeds_answer answers[LSCHED_SPEEDS_POLICIES];
    uint64_t seed;
};

#define must(w, condition)                                                            \
    do {                                                                              \
        if (!(condition))                                                             \
            fail_msg("seed %llu: not %s", (unsigned long long)(w)->seed, #condition); \
    } while (0)

/* The speed of a job on a model, as the header describes it. */
static double speed_of(const struct world *w, size_t job, size_t model) {
    double speed = w->speeds[w->jobs[job].row * w->query.n_models + model];
    if (w->jobs[job].devices > w->models[model].devices) return 0;
    return speed < 0 ? 1 : speed;
}

static double rate_of(const struct world *w, uint32_t policy, size_t job) {
    double sum = 0;
    for (size_t m = 0; m < w->query.n_models; m++)
        sum += w->shares[policy][job * w->query.n_models + m] * speed_of(w, job, m);
    return sum;
}

/* Draws a world in which each job can run somewhere. */
static void draw(struct world *w, struct chance *c, uint32_t models, uint32_t jobs) {
    uint32_t rows = 1 + chance_below(c, ROWS_MAX);
    memset(w, 0, sizeof *w);
    for (uint32_t m = 0; m < models; m++) {
        w->models[m].devices = m == 0 ? 8 + chance_below(c, 40) : chance_below(c, 40);
        w->models[m].price = chance_one_in(c, 4) ? 0 : 1 + chance_below(c, 900) / 100.0;
    }
    w->models[0].price = 3;
    for (uint32_t i = 0; i < rows * models; i++) {
        w->speeds[i] = (double)chance_between(c, 1, 10000) / 100;
        if (i % models == 0) continue; /* every job can run on the first model */
        if (chance_one_in(c, 6)) w->speeds[i] = 0;
        if (chance_one_in(c, 10)) w->speeds[i] = LSCHED_SPEED_UNKNOWN;
        if (chance_one_in(c, 6)) w->speeds[i] = w->speeds[i - 1];
    }
    for (uint32_t i = 0; i < jobs; i++) {
        w->jobs[i].row = chance_below(c, rows);
        w->jobs[i].devices = 1u << chance_below(c, 4);
        w->jobs[i].weight = chance_below(c, 4);
        w->jobs[i].work = (double)chance_between(c, 1, 100000);
    }
    w->query = (lsched_speeds_query)LSCHED_INIT(lsched_speeds_query);
    w->query.models = w->models;
    w->query.n_models = models;
    w->query.speeds = w->speeds;
    w->query.n_rows = rows;
    w->query.jobs = w->jobs;
    w->query.n_jobs = jobs;
}

static void solve_all(struct world *w, uint64_t seed) {
    w->seed = seed;
    for (uint32_t policy = 0; policy < LSCHED_SPEEDS_POLICIES; policy++) {
        lsched_error err = LSCHED_ERROR_INIT;
        w->query.policy = policy;
        w->answers[policy] = (lsched_speeds_answer)LSCHED_INIT(lsched_speeds_answer);
        if (lsched_speeds_solve(&w->query, w->shares[policy], w->alone, &w->answers[policy],
                                &err) != LSCHED_OK)
            fail_msg("seed %llu: %s", (unsigned long long)seed, err.message);
        must(w, w->answers[policy].flags == 0);
    }
}

/* ---- what holds under every policy ---- */

static void check_valid(const struct world *w, uint32_t policy) {
    size_t models = w->query.n_models;
    double used[MODELS_MAX] = {0}, least = INFINITY;
    for (size_t i = 0; i < w->query.n_jobs; i++) {
        double time = 0, rate = rate_of(w, policy, i);
        for (size_t m = 0; m < models; m++) {
            double share = w->shares[policy][i * models + m];
            must(w, share >= 0 && (share <= 0 || speed_of(w, i, m) > 0));
            time += share;
            used[m] += share * w->jobs[i].devices;
        }
        must(w, time <= 1 + SLACK);
        must(w, rate >= w->alone[i] * (1 - SLACK) && rate >= w->jobs[i].least * (1 - SLACK));
        if (rate / w->alone[i] < least) least = rate / w->alone[i];
    }
    must(w, fabs(least - w->answers[policy].least) <= SLACK * least);
    for (size_t m = 0; m < models; m++) must(w, used[m] <= w->models[m].devices + SLACK);
}

/* True if the largest gangs of a model leave no room in some round for a smaller job, so that the
 * policy makespan can leave devices idle: more of them would not fit. */
static int is_tight(const struct world *w, uint32_t policy, size_t m) {
    uint32_t gang = 0;
    double gangs = 0;
    for (size_t i = 0; i < w->query.n_jobs; i++)
        if (speed_of(w, i, m) > 0 && w->jobs[i].devices > gang &&
            w->jobs[i].devices <= w->models[m].devices)
            gang = w->jobs[i].devices;
    for (size_t i = 0; i < w->query.n_jobs; i++)
        if (w->jobs[i].devices == gang) gangs += w->shares[policy][i * w->query.n_models + m];
    for (size_t i = 0; i < w->query.n_jobs; i++) {
        uint32_t own = w->jobs[i].devices, full = w->models[m].devices / (gang > 0 ? gang : 1);
        if (own >= gang) continue;
        uint32_t barred = full - (w->models[m].devices - own) / gang;
        double share = w->shares[policy][i * w->query.n_models + m];
        if (barred > 0 && gangs + barred * share > full - 1e-3) return 1;
    }
    return 0;
}

/* No job can have more of what is left, except under `cost`. */
static void check_nothing_left(const struct world *w, uint32_t policy) {
    size_t models = w->query.n_models;
    double left[MODELS_MAX];
    for (size_t m = 0; m < models; m++) left[m] = w->models[m].devices;
    for (size_t i = 0; i < w->query.n_jobs; i++)
        for (size_t m = 0; m < models; m++)
            left[m] -= w->shares[policy][i * models + m] * w->jobs[i].devices;
    for (size_t i = 0; i < w->query.n_jobs; i++) {
        double time = 1;
        for (size_t m = 0; m < models; m++) time -= w->shares[policy][i * models + m];
        for (size_t m = 0; m < models; m++)
            if (speed_of(w, i, m) > 0)
                must(w, time < 1e-5 || left[m] < 1e-4 ||
                            (policy == LSCHED_SPEEDS_MAKESPAN && is_tight(w, policy, m)));
    }
}

/* Each policy is at least as good at what it wants as the others, whose shares it could have. */
static void check_best(const struct world *w) {
    for (uint32_t other = 0; other < LSCHED_SPEEDS_POLICIES; other++) {
        must(w, w->answers[LSCHED_SPEEDS_MAX_MIN].least >= w->answers[other].least * (1 - SLACK));
        must(w, w->answers[LSCHED_SPEEDS_MAKESPAN].makespan <=
                    w->answers[other].makespan * (1 + SLACK));
        must(w, w->answers[LSCHED_SPEEDS_COST].cost <= w->answers[other].cost * (1 + SLACK));
    }
}

static void test_policies(void **state) {
    (void)state;
    static struct world w;
    uint64_t seed = chance_seed(1);
    for (uint32_t i = 0; i < chance_rounds(400); i++, seed++) {
        struct chance c = {seed};
        draw(&w, &c, 1 + chance_below(&c, MODELS_MAX), 1 + chance_below(&c, JOBS_MAX));
        solve_all(&w, seed);
        /* some jobs must have a little more than alone, as far as max-min could give it */
        if (chance_one_in(&c, 3)) {
            double more = 1 + (w.answers[LSCHED_SPEEDS_MAX_MIN].least - 1) * 0.9;
            for (size_t job = 0; job < w.query.n_jobs; job += 3)
                w.jobs[job].least = w.alone[job] * more;
            solve_all(&w, seed);
        }
        for (uint32_t policy = 0; policy < LSCHED_SPEEDS_POLICIES; policy++)
            check_valid(&w, policy);
        check_nothing_left(&w, LSCHED_SPEEDS_MAX_MIN);
        check_nothing_left(&w, LSCHED_SPEEDS_MAKESPAN);
        check_best(&w);
    }
}

/* A number between 10^-6 and 10^6. */
static double far_apart(struct chance *c) {
    return pow(10, (double)chance_between(c, -6000, 6000) / 1000);
}

/* Numbers that lie many powers of ten apart: no job loses what it has alone. */
static void test_far_apart(void **state) {
    (void)state;
    static struct world w;
    uint64_t seed = chance_seed(5000), partial = 0;
    for (uint32_t i = 0; i < chance_rounds(1500); i++, seed++) {
        struct chance c = {seed};
        draw(&w, &c, 1 + chance_below(&c, MODELS_MAX), 1 + chance_below(&c, JOBS_MAX));
        for (uint32_t m = 0; m < w.query.n_models; m++)
            if (chance_one_in(&c, 2))
                w.models[m].devices = (uint32_t)chance_between(&c, 8, 1000000);
        for (size_t k = 0; k < (size_t)w.query.n_rows * w.query.n_models; k++)
            if (w.speeds[k] > 0) w.speeds[k] = far_apart(&c);
        for (size_t k = 0; k < w.query.n_jobs; k++) {
            w.jobs[k].weight = chance_one_in(&c, 3) ? 0 : far_apart(&c);
            w.jobs[k].work = far_apart(&c);
        }
        w.seed = seed;
        for (uint32_t policy = 0; policy < LSCHED_SPEEDS_POLICIES; policy++) {
            lsched_error err = LSCHED_ERROR_INIT;
            w.query.policy = policy;
            w.answers[policy] = (lsched_speeds_answer)LSCHED_INIT(lsched_speeds_answer);
            int32_t rc =
                lsched_speeds_solve(&w.query, w.shares[policy], w.alone, &w.answers[policy], &err);
            must(&w, rc == LSCHED_OK);
            check_valid(&w, policy);
            partial += w.answers[policy].flags != 0;
        }
    }
    printf("%llu answers may not be the best\n", (unsigned long long)partial);
}

/* What a job has alone does not depend on the speeds of others, so that none can take it. */
static void test_others(void **state) {
    (void)state;
    static struct world w, changed;
    uint64_t seed = chance_seed(1000);
    for (uint32_t i = 0; i < chance_rounds(100); i++, seed++) {
        struct chance c = {seed};
        draw(&w, &c, 2 + chance_below(&c, MODELS_MAX - 1), 2 + chance_below(&c, JOBS_MAX - 1));
        solve_all(&w, seed);
        changed = w;
        changed.query.models = changed.models;
        changed.query.speeds = changed.speeds;
        changed.query.jobs = changed.jobs;
        for (size_t job = 1; job < w.query.n_jobs; job++)
            changed.jobs[job].row = chance_below(&c, (uint32_t)w.query.n_rows);
        solve_all(&changed, seed);
        must(&w, fabs(changed.alone[0] - w.alone[0]) <= 1e-12 * w.alone[0]);
        for (uint32_t policy = 0; policy < LSCHED_SPEEDS_POLICIES; policy++)
            must(&w, rate_of(&changed, policy, 0) >= w.alone[0] * (1 - SLACK));
    }
}

/* ---- two models by another method ---- */

/* What a job needs of two models for a throughput: at least `first` of the first one, and then, for
 * each unit more of it, `saved` less of the second one, up to `more` units. */
struct edge {
    double first, second, saved, more;
    uint32_t devices;
};

/* False if the job cannot have the throughput. */
static int edge_of(double a, double b, double rate, struct edge *out) {
    out->saved = out->more = 0;
    if (a < rate && b < rate) return 0;
    if (b >= rate) {
        out->first = 0;
        out->second = rate / b;
    } else if (b <= 0) {
        out->first = rate / a;
        out->second = 0;
    } else {
        out->first = (rate - b) / (a - b);
        out->second = 1 - out->first;
    }
    if (b <= 0 || a <= 0) return 1;
    out->saved = a / b;
    double most = a >= rate ? rate / a : (1 - rate / b) / (1 - a / b);
    out->more = most - out->first;
    return 1;
}

static int edge_before(const void *x, const void *y) {
    const struct edge *a = x, *b = y;
    return (a->saved < b->saved) - (a->saved > b->saved);
}

/* True if each job can have `level` times what it has alone: the first model goes to the jobs that
 * save most of the second one with it. */
static int two_models_hold(const struct world *w, double level) {
    struct edge edges[JOBS_MAX];
    double left = w->models[0].devices, other = w->models[1].devices;
    for (size_t i = 0; i < w->query.n_jobs; i++) {
        edges[i].devices = w->jobs[i].devices;
        if (!edge_of(speed_of(w, i, 0), speed_of(w, i, 1), level * w->alone[i], &edges[i]))
            return 0;
        left -= edges[i].first * edges[i].devices;
        other -= edges[i].second * edges[i].devices;
    }
    if (left < 0) return 0;
    qsort(edges, w->query.n_jobs, sizeof edges[0], edge_before);
    for (size_t i = 0; i < w->query.n_jobs; i++) {
        double most = edges[i].more * edges[i].devices, take = most < left ? most : left;
        left -= take;
        other += take * edges[i].saved;
    }
    return other >= 0;
}

static void test_two_models(void **state) {
    (void)state;
    static struct world w;
    uint64_t seed = chance_seed(2000);
    uint32_t above = 0;
    for (uint32_t i = 0; i < chance_rounds(400); i++, seed++) {
        struct chance c = {seed};
        draw(&w, &c, 2, 1 + chance_below(&c, JOBS_MAX));
        solve_all(&w, seed);
        double least = w.answers[LSCHED_SPEEDS_MAX_MIN].least;
        if (!two_models_hold(&w, least * (1 - 1e-6)) || two_models_hold(&w, least * (1 + 1e-6)))
            fail_msg("seed %llu: the best level is not %.9f", (unsigned long long)seed, least);
        above += least > 1.01;
    }
    if (chance_rounds(400) >= 100) assert_true(above > 20);
}

/* ---- rounds ---- */

static void test_rounds(void **state) {
    (void)state;
    static struct world w;
    static lsched_speeds_turn turns[JOBS_MAX], before[JOBS_MAX];
    static uint64_t received[JOBS_MAX * MODELS_MAX];
    uint64_t seed = chance_seed(3000);
    for (uint32_t i = 0; i < chance_rounds(60); i++, seed++) {
        struct chance c = {seed};
        draw(&w, &c, 1 + chance_below(&c, MODELS_MAX), 1 + chance_below(&c, JOBS_MAX));
        solve_all(&w, seed);
        size_t models = w.query.n_models, jobs = w.query.n_jobs;
        uint32_t policy = chance_below(&c, LSCHED_SPEEDS_POLICIES);
        double keep = chance_below(&c, 20);
        memset(received, 0, sizeof received);
        for (size_t j = 0; j < jobs; j++)
            turns[j] = (lsched_speeds_turn){.model = LSCHED_SPEEDS_NOWHERE};
        for (uint64_t r = 1; r <= 300; r++) {
            lsched_speeds_round_result round = LSCHED_INIT(lsched_speeds_round_result);
            uint64_t used[MODELS_MAX] = {0}, idle = 0;
            uint32_t running = 0, starts = 0;
            memcpy(before, turns, sizeof turns);
            must(&w, lsched_speeds_round(&w.query, w.shares[policy], keep, turns, received, &round,
                                         NULL) == LSCHED_OK);
            for (size_t j = 0; j < jobs; j++) {
                uint64_t got = 0;
                for (size_t m = 0; m < models; m++) got += received[j * models + m];
                must(&w, turns[j].seen == r && got <= r);
                if (turns[j].model == LSCHED_SPEEDS_NOWHERE) continue;
                must(&w, w.shares[policy][j * models + turns[j].model] > 0);
                used[turns[j].model] += w.jobs[j].devices;
                running++;
                starts += turns[j].model != before[j].model;
            }
            for (size_t m = 0; m < models; m++) {
                must(&w, used[m] <= w.models[m].devices);
                idle += w.models[m].devices - used[m];
            }
            must(&w, round.running == running && round.starts == starts && round.idle == idle);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_policies), cmocka_unit_test(test_far_apart),
        cmocka_unit_test(test_others), cmocka_unit_test(test_two_models),
        cmocka_unit_test(test_rounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
