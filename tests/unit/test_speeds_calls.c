/* The calls of speeds.h: known answers, holes, bad calls, the end of work and memory, rounds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/speeds.h>

enum { V100, K80, MODELS };
static const lsched_speeds_model one_of_each[MODELS] = {{3, 1, 0}, {1, 1, 0}};

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static lsched_speeds_query query_of(const double *speeds, size_t rows,
                                    const lsched_speeds_job *jobs, size_t n) {
    lsched_speeds_query query = LSCHED_INIT(lsched_speeds_query);
    query.models = one_of_each;
    query.n_models = MODELS;
    query.speeds = speeds;
    query.n_rows = rows;
    query.jobs = jobs;
    query.n_jobs = n;
    return query;
}

static lsched_speeds_answer solve(const lsched_speeds_query *query, double *shares, double *alone) {
    lsched_speeds_answer answer = LSCHED_INIT(lsched_speeds_answer);
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t rc = lsched_speeds_solve(query, shares, alone, &answer, &err);
    if (rc != LSCHED_OK) fail_msg("%s", err.message);
    return answer;
}

/* Two jobs, of which one is much faster on the first model: each gets the model that it uses
 * better, and the first one gives what it has above the other. */
static void test_max_min(void **state) {
    (void)state;
    static const double speeds[2 * MODELS] = {4, 1, 2, 1.5};
    static const lsched_speeds_job jobs[2] = {{.row = 0, .devices = 1}, {.row = 1, .devices = 1}};
    lsched_speeds_query query = query_of(speeds, 2, jobs, 2);
    double shares[2 * MODELS], alone[2];
    lsched_speeds_answer answer = solve(&query, shares, alone);
    assert_near(alone[0], 2.5);
    assert_near(alone[1], 1.75);
    /* x of the second job on the first model: (4 - 3x) / 2.5 = (1.5 + 0.5x) / 1.75 */
    double x = (4 / 2.5 - 1.5 / 1.75) / (3 / 2.5 + 0.5 / 1.75);
    assert_near(shares[0], 1 - x);
    assert_near(shares[1], x);
    assert_near(shares[2], x);
    assert_near(shares[3], 1 - x);
    assert_near(answer.least, (4 - 3 * x) / 2.5);
    assert_near(answer.cost, 4);
    assert_int_equal(answer.different, 2);
    assert_int_equal(answer.flags, 0);
    assert_true(answer.work > 0 && answer.makespan == 0);
}

/* A job that cannot use more gives the rest to others: 3 jobs on 1 + 1 devices, of which one runs
 * on the second model only. */
static void test_second_level(void **state) {
    (void)state;
    static const double speeds[3 * MODELS] = {1, 1, 0, 1, 1, 1};
    static const lsched_speeds_job jobs[3] = {
        {.row = 0, .devices = 1}, {.row = 1, .devices = 1, .weight = 2}, {.row = 2, .devices = 1}};
    lsched_speeds_query query = query_of(speeds, 3, jobs, 3);
    double shares[3 * MODELS], alone[3];
    lsched_speeds_answer answer = solve(&query, shares, alone);
    assert_near(alone[0], 0.5);
    assert_near(alone[1], 0.5);
    double rates[3] = {shares[0] + shares[1], shares[3], shares[4] + shares[5]};
    assert_near(rates[0] + rates[1] + rates[2], 2);
    assert_near(rates[0], 2.0 / 3);
    assert_near(rates[1], 2.0 / 3);
    assert_near(answer.least, 4.0 / 3);
    query.n_jobs = 2; /* the second one is held down by its time */
    answer = solve(&query, shares, alone);
    assert_near(shares[3], 1);
    assert_near(shares[0] + shares[1], 1);
}

static void test_makespan(void **state) {
    (void)state;
    static const double speeds[MODELS] = {4, 1};
    static const lsched_speeds_job jobs[2] = {{.row = 0, .devices = 1, .work = 300},
                                              {.row = 0, .devices = 1, .work = 250}};
    lsched_speeds_query query = query_of(speeds, 1, jobs, 2);
    double shares[2 * MODELS];
    query.policy = LSCHED_SPEEDS_MAKESPAN;
    lsched_speeds_answer answer = solve(&query, shares, NULL);
    /* 5 in a unit of time, but each job has at least the 2.5 that it has alone */
    assert_near(answer.makespan, 120);
    assert_near(answer.least, 1);
}

/* Beside a job that always has one of 16 devices there is room for one gang of 8, not for 15 / 8 of
 * them: the other one is on the slower model, and rounds keep what the shares promise. */
static void test_gangs_fit(void **state) {
    (void)state;
    enum { JOBS = 3, ROUNDS = 1000 };
    static const lsched_speeds_model models[MODELS] = {{.devices = 16}, {.devices = 16}};
    static const double speeds[2 * MODELS] = {1, 0, 2, 1};
    static const lsched_speeds_job jobs[JOBS] = {
        {.row = 0, .devices = 1, .weight = 4, .work = 1000},
        {.row = 1, .devices = 8, .work = 1},
        {.row = 1, .devices = 8, .work = 1}};
    lsched_speeds_query query = query_of(speeds, 2, jobs, JOBS);
    double shares[JOBS * MODELS], got[JOBS] = {0};
    lsched_speeds_turn turns[JOBS] = {{0}};
    uint64_t received[JOBS * MODELS] = {0};
    query.models = models;
    query.policy = LSCHED_SPEEDS_MAKESPAN;
    lsched_speeds_answer answer = solve(&query, shares, NULL);
    assert_near(answer.makespan, 1000);
    assert_near(shares[0], 1);
    assert_near(shares[2] + shares[4], 1);
    assert_near(shares[3] + shares[5], 1);
    for (int i = 0; i < JOBS; i++) turns[i].model = LSCHED_SPEEDS_NOWHERE;
    for (int r = 0; r < ROUNDS; r++) {
        lsched_speeds_round_result round = LSCHED_INIT(lsched_speeds_round_result);
        assert_int_equal(lsched_speeds_round(&query, shares, 10, turns, received, &round, NULL),
                         LSCHED_OK);
        for (int i = 0; i < JOBS; i++)
            if (turns[i].model != LSCHED_SPEEDS_NOWHERE)
                got[i] += speeds[jobs[i].row * MODELS + turns[i].model];
    }
    for (int i = 0; i < JOBS; i++) {
        const double *own = &shares[i * MODELS], *speed = &speeds[jobs[i].row * MODELS];
        assert_true(got[i] >= 0.98 * ROUNDS * (own[0] * speed[0] + own[1] * speed[1]));
    }
}

static void test_cost(void **state) {
    (void)state;
    static const double speeds[2 * MODELS] = {4, 1, 2, 1.5};
    static const lsched_speeds_job jobs[2] = {{.row = 0, .devices = 1}, {.row = 1, .devices = 1}};
    lsched_speeds_query query = query_of(speeds, 2, jobs, 2);
    double shares[2 * MODELS], alone[2];
    query.policy = LSCHED_SPEEDS_COST;
    lsched_speeds_answer answer = solve(&query, shares, alone);
    /* the first one on the fast model: 2.5 / 4 x 3; the other has half a unit more to make of it */
    assert_near(answer.least, 1);
    assert_near(shares[0] * 4 + shares[1], 2.5);
    assert_near(shares[2], 0.5);
    assert_near(shares[3], 0.5);
    assert_near(shares[1], 0.5);
    assert_near(answer.cost, 0.5 * 3 + 0.5 + 0.5 * 3 + 0.5);
}

/* Holes count as 1.0 and are counted; a model that a gang does not fit into is none. */
static void test_holes(void **state) {
    (void)state;
    static const double speeds[2 * MODELS] = {LSCHED_SPEED_UNKNOWN, 0.5, LSCHED_SPEED_UNKNOWN, 0};
    static const lsched_speeds_job jobs[2] = {{.row = 0, .devices = 1}, {.row = 1, .devices = 1}};
    lsched_speeds_query query = query_of(speeds, 2, jobs, 2);
    double shares[2 * MODELS], alone[2];
    lsched_speeds_answer answer = solve(&query, shares, alone);
    assert_int_equal(answer.holes, 2);
    assert_near(alone[0], 0.75);
    assert_near(alone[1], 0.5);
    assert_true(shares[3] == 0);
}

/* Equal jobs have equal shares, and the order of the list does not matter. */
static void test_order(void **state) {
    (void)state;
    static const double speeds[2 * MODELS] = {4, 1, 2, 1.5};
    enum { N = 5 };
    lsched_speeds_job jobs[N], other[N];
    static const uint32_t order[N] = {3, 0, 4, 2, 1};
    double a[N * MODELS], b[N * MODELS];
    for (uint32_t i = 0; i < N; i++)
        jobs[i] = (lsched_speeds_job){.row = i % 2, .devices = 1, .weight = i == 4 ? 0 : 1};
    for (uint32_t i = 0; i < N; i++) other[i] = jobs[order[i]];
    lsched_speeds_query query = query_of(speeds, 2, jobs, N);
    lsched_speeds_answer answer = solve(&query, a, NULL);
    assert_int_equal(answer.different, 2); /* the weight 0 is 1 */
    query.jobs = other;
    solve(&query, b, NULL);
    for (uint32_t i = 0; i < N; i++)
        assert_memory_equal(&b[i * MODELS], &a[order[i] * MODELS], MODELS * sizeof a[0]);
    assert_memory_equal(&a[0], &a[2 * MODELS], MODELS * sizeof a[0]);
}

struct bad_call {
    const char *says;
    lsched_speeds_job job;
    double speed;
    lsched_speeds_model model;
    uint32_t policy;
    int32_t code;
};

static void test_bad_calls(void **state) {
    (void)state;
    const lsched_speeds_model good = {1, 2, 0};
    const struct bad_call calls[] = {
        {"speed of row 0 on model 0 is nan", {.devices = 1}, NAN, good, 0, LSCHED_E_RANGE},
        {"speed of row 0 on model 0 is inf", {.devices = 1}, INFINITY, good, 0, LSCHED_E_RANGE},
        {"speed of row 0 on model 0 is -2", {.devices = 1}, -2, good, 0, LSCHED_E_RANGE},
        {"weight of a job is nan", {.devices = 1, .weight = NAN}, 1, good, 0, LSCHED_E_RANGE},
        {"weight of a job is -1", {.devices = 1, .weight = -1}, 1, good, 0, LSCHED_E_RANGE},
        {"weight of a job is 1e-09", {.devices = 1, .weight = 1e-9}, 1, good, 0, LSCHED_E_RANGE},
        {"work of a job is inf", {.devices = 1, .work = INFINITY}, 1, good, 0, LSCHED_E_RANGE},
        {"least of a job is -1", {.devices = 1, .least = -1}, 1, good, 0, LSCHED_E_RANGE},
        {"devices of a job is 0", {.devices = 0}, 1, good, 0, LSCHED_E_RANGE},
        {"a job of 3 devices can run nowhere", {.devices = 3}, 1, good, 0, LSCHED_E_RANGE},
        {"a job of 1 devices can run nowhere", {.devices = 1}, 0, good, 0, LSCHED_E_RANGE},
        {"row of a job is 1", {.row = 1, .devices = 1}, 1, good, 0, LSCHED_E_RANGE},
        {"price of a model is -1", {.devices = 1}, 1, {-1, 2, 0}, 0, LSCHED_E_RANGE},
        {"price of a model is nan", {.devices = 1}, 1, {NAN, 2, 0}, 0, LSCHED_E_RANGE},
        {"a model with a price above 0", {.devices = 1}, 1, {0, 2, 0}, 2, LSCHED_E_INVAL},
        {"work of a job is 0", {.devices = 1}, 1, good, 1, LSCHED_E_INVAL},
        {"policy is 3", {.devices = 1}, 1, good, 3, LSCHED_E_RANGE},
        {"reserved_zero", {.devices = 1}, 1, {1, 2, 7}, 0, LSCHED_E_INVAL},
        {"at most 0.6667", {.devices = 2, .least = 1.5}, 1, good, 0, LSCHED_E_RANGE}};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        lsched_speeds_query query = query_of(&calls[i].speed, 1, &calls[i].job, 1);
        lsched_speeds_answer answer = LSCHED_INIT(lsched_speeds_answer);
        lsched_error err = LSCHED_ERROR_INIT;
        double shares = -7, alone = -7;
        query.models = &calls[i].model;
        query.n_models = 1;
        query.policy = calls[i].policy;
        assert_int_equal(lsched_speeds_solve(&query, &shares, &alone, &answer, &err),
                         calls[i].code);
        if (strstr(err.message, calls[i].says) == NULL)
            fail_msg("expected '%s', got '%s'", calls[i].says, err.message);
        assert_true(shares == -7 && alone == -7 && answer.different == 0);
    }
}

static void test_bad_structs(void **state) {
    (void)state;
    static const double speeds[MODELS] = {2, 1};
    static const lsched_speeds_job job = {.row = 0, .devices = 1};
    lsched_speeds_query query = query_of(speeds, 1, &job, 1), broken;
    lsched_speeds_answer answer = LSCHED_INIT(lsched_speeds_answer), unset = {.size = 0};
    double shares[MODELS];
    assert_int_equal(lsched_speeds_solve(NULL, shares, NULL, &answer, NULL), LSCHED_E_NULL);
    assert_int_equal(lsched_speeds_solve(&query, shares, NULL, NULL, NULL), LSCHED_E_NULL);
    assert_int_equal(lsched_speeds_solve(&query, NULL, NULL, &answer, NULL), LSCHED_E_NULL);
    assert_int_equal(lsched_speeds_solve(&query, shares, NULL, &unset, NULL), LSCHED_E_SIZE);
    broken = query;
    broken.size = 0;
    assert_int_equal(lsched_speeds_solve(&broken, shares, NULL, &answer, NULL), LSCHED_E_SIZE);
    broken = query;
    broken.n_models = 0;
    assert_int_equal(lsched_speeds_solve(&broken, shares, NULL, &answer, NULL), LSCHED_E_NULL);
    broken.n_models = LSCHED_SPEEDS_MODELS_MAX + 1;
    assert_int_equal(lsched_speeds_solve(&broken, shares, NULL, &answer, NULL), LSCHED_E_LIMIT);
    broken = query;
    broken.n_jobs = LSCHED_SPEEDS_JOBS_MAX + 1;
    assert_int_equal(lsched_speeds_solve(&broken, shares, NULL, &answer, NULL), LSCHED_E_LIMIT);
    broken.jobs = NULL;
    assert_int_equal(lsched_speeds_solve(&broken, shares, NULL, &answer, NULL), LSCHED_E_NULL);
    broken = query;
    broken.speeds = NULL;
    assert_int_equal(lsched_speeds_solve(&broken, shares, NULL, &answer, NULL), LSCHED_E_NULL);
    query.n_jobs = 0; /* no job: nothing to divide */
    answer = solve(&query, NULL, NULL);
    assert_true(answer.different == 0 && answer.cost == 0);
    assert_string_equal(lsched_speeds_policy_name(LSCHED_SPEEDS_MAX_MIN), "max-min");
    assert_string_equal(lsched_speeds_policy_name(LSCHED_SPEEDS_COST), "cost");
    assert_null(lsched_speeds_policy_name(LSCHED_SPEEDS_POLICIES));
}

/* However early the work ends, the shares are valid and no job has less than alone. */
static void test_work(void **state) {
    (void)state;
    enum { N = 24 };
    static double speeds[N * MODELS], shares[N * MODELS], alone[N];
    static lsched_speeds_job jobs[N];
    for (uint32_t i = 0; i < N; i++) {
        speeds[i * MODELS] = 2 + i % 7;
        speeds[i * MODELS + 1] = 1 + i % 3;
        jobs[i] = (lsched_speeds_job){.row = i, .devices = 1, .work = 100 + i * i};
    }
    for (uint32_t policy = 0; policy < LSCHED_SPEEDS_POLICIES; policy++) {
        lsched_speeds_query query = query_of(speeds, N, jobs, N);
        query.policy = policy;
        uint64_t all = solve(&query, shares, alone).work;
        int partial = 0;
        for (query.work = 1; query.work < all; query.work += all / 40 + 1) {
            lsched_speeds_answer answer = solve(&query, shares, alone);
            double used[MODELS] = {0, 0};
            partial += (int)answer.flags;
            assert_true(answer.least >= 1 - 1e-9 && answer.work <= all);
            for (uint32_t i = 0; i < N; i++)
                for (uint32_t m = 0; m < MODELS; m++) used[m] += shares[i * MODELS + m];
            assert_true(used[V100] <= 1 + 1e-9 && used[K80] <= 1 + 1e-9);
        }
        assert_true(partial > 20);
        query.work = 1; /* a job that must have more than alone cannot have what is alone */
        jobs[3].least = alone[3] * 1.01;
        lsched_speeds_answer answer = LSCHED_INIT(lsched_speeds_answer);
        assert_int_equal(lsched_speeds_solve(&query, shares, alone, &answer, NULL), LSCHED_E_LIMIT);
        query.work = 0;
        solve(&query, shares, alone);
        assert_true(shares[3 * MODELS] * speeds[3 * MODELS] +
                        shares[3 * MODELS + 1] * speeds[3 * MODELS + 1] >=
                    jobs[3].least * (1 - 1e-9));
        jobs[3].least = 0;
    }
}

/* ---- memory ---- */

struct meter {
    size_t left; /* allocations until one fails */
    int64_t bytes;
};

static void *meter_alloc(void *user, size_t bytes) {
    struct meter *meter = user;
    if (meter->left == 0) return NULL;
    meter->left--;
    meter->bytes += (int64_t)bytes;
    return malloc(bytes);
}

static void *meter_realloc(void *user, void *old, size_t old_bytes, size_t bytes) {
    (void)user, (void)old, (void)old_bytes, (void)bytes;
    fail_msg("nothing here grows");
    return NULL;
}

static void meter_free(void *user, void *old, size_t bytes) {
    struct meter *meter = user;
    if (old != NULL) meter->bytes -= (int64_t)bytes;
    free(old);
}

static void test_memory(void **state) {
    (void)state;
    static const double speeds[2 * MODELS] = {4, 1, 2, 1.5};
    static const lsched_speeds_job jobs[2] = {{.row = 0, .devices = 1}, {.row = 1, .devices = 1}};
    struct meter meter = {0, 0};
    lsched_allocator hooks = LSCHED_INIT(lsched_allocator);
    hooks.user = &meter;
    hooks.alloc = meter_alloc;
    hooks.realloc = meter_realloc;
    hooks.free = meter_free;
    lsched_speeds_query query = query_of(speeds, 2, jobs, 2);
    query.allocator = &hooks;
    lsched_speeds_answer answer = LSCHED_INIT(lsched_speeds_answer);
    lsched_speeds_turn turns[2] = {{0, LSCHED_SPEEDS_NOWHERE, 0}, {0, LSCHED_SPEEDS_NOWHERE, 0}};
    uint64_t received[2 * MODELS] = {0};
    lsched_speeds_round_result round = LSCHED_INIT(lsched_speeds_round_result);
    double shares[2 * MODELS] = {-7};
    size_t n = 0;
    for (;; n++) {
        meter.left = n;
        int32_t rc = lsched_speeds_solve(&query, shares, NULL, &answer, NULL);
        assert_int_equal(meter.bytes, 0);
        if (rc == LSCHED_OK) break;
        assert_int_equal(rc, LSCHED_E_NOMEM);
        assert_true(shares[0] == -7);
    }
    assert_true(n > 10);
    for (n = 0;; n++) {
        meter.left = n;
        int32_t rc = lsched_speeds_round(&query, shares, 0, turns, received, &round, NULL);
        assert_int_equal(meter.bytes, 0);
        if (rc == LSCHED_OK) break;
        assert_int_equal(rc, LSCHED_E_NOMEM);
        assert_true(turns[0].seen == 0 && received[0] == 0);
    }
    assert_int_equal(n, 2);
    hooks.free = NULL;
    assert_int_equal(lsched_speeds_solve(&query, shares, NULL, &answer, NULL), LSCHED_E_NULL);
}

/* ---- rounds ---- */

/* Two jobs that share one device 3 to 1, and a third one that always runs. */
static void test_rounds(void **state) {
    (void)state;
    static const double shares[3 * MODELS] = {0.75, 0, 0.25, 0, 0, 1};
    static const lsched_speeds_job jobs[3] = {{.devices = 1}, {.devices = 1}, {.devices = 1}};
    lsched_speeds_query query = query_of(NULL, 0, jobs, 3);
    uint64_t starts[2] = {0, 0};
    for (int keep = 0; keep < 2; keep++) {
        lsched_speeds_turn turns[3];
        uint64_t received[3 * MODELS] = {0};
        for (int i = 0; i < 3; i++) turns[i] = (lsched_speeds_turn){.model = LSCHED_SPEEDS_NOWHERE};
        for (int r = 1; r <= 400; r++) {
            lsched_speeds_round_result round = LSCHED_INIT(lsched_speeds_round_result);
            assert_int_equal(
                lsched_speeds_round(&query, shares, keep * 10, turns, received, &round, NULL), 0);
            assert_int_equal(round.running, 2);
            assert_int_equal(round.idle, 0);
            assert_int_equal(round.moves, 0);
            assert_int_equal(round.stops + (r == 1 ? 2 : 0), round.starts);
            starts[keep] += round.starts;
            assert_int_equal(received[0] + received[2], (uint64_t)r);
            assert_true(fabs((double)received[2] - 0.25 * r) <= 1 + 10 * keep);
        }
        assert_int_equal(received[5], 400);
        assert_int_equal(turns[2].seen, 400);
    }
    assert_true(starts[0] > 150 && starts[1] < 60);
}

static void test_bad_rounds(void **state) {
    (void)state;
    static const lsched_speeds_job job = {.devices = 1};
    lsched_speeds_query query = query_of(NULL, 0, &job, 1);
    double shares[MODELS] = {0.5, 0.5};
    lsched_speeds_turn turn = {0, LSCHED_SPEEDS_NOWHERE, 0};
    uint64_t received[MODELS] = {0};
    lsched_speeds_round_result round = LSCHED_INIT(lsched_speeds_round_result), unset = {.size = 0};
    assert_int_equal(lsched_speeds_round(NULL, shares, 0, &turn, received, &round, NULL),
                     LSCHED_E_NULL);
    assert_int_equal(lsched_speeds_round(&query, shares, 0, &turn, received, NULL, NULL),
                     LSCHED_E_NULL);
    assert_int_equal(lsched_speeds_round(&query, NULL, 0, &turn, received, &round, NULL),
                     LSCHED_E_NULL);
    assert_int_equal(lsched_speeds_round(&query, shares, 0, NULL, received, &round, NULL),
                     LSCHED_E_NULL);
    assert_int_equal(lsched_speeds_round(&query, shares, 0, &turn, NULL, &round, NULL),
                     LSCHED_E_NULL);
    assert_int_equal(lsched_speeds_round(&query, shares, NAN, &turn, received, &round, NULL),
                     LSCHED_E_RANGE);
    assert_int_equal(lsched_speeds_round(&query, shares, -1, &turn, received, &round, NULL),
                     LSCHED_E_RANGE);
    assert_int_equal(lsched_speeds_round(&query, shares, 0, &turn, received, &unset, NULL),
                     LSCHED_E_SIZE);
    turn.model = MODELS;
    assert_int_equal(lsched_speeds_round(&query, shares, 0, &turn, received, &round, NULL),
                     LSCHED_E_RANGE);
    turn.model = 0;
    turn.reserved_zero = 1;
    assert_int_equal(lsched_speeds_round(&query, shares, 0, &turn, received, &round, NULL),
                     LSCHED_E_INVAL);
    turn.reserved_zero = 0;
    shares[1] = 1.5;
    assert_int_equal(lsched_speeds_round(&query, shares, 0, &turn, received, &round, NULL),
                     LSCHED_E_RANGE);
    shares[1] = NAN;
    assert_int_equal(lsched_speeds_round(&query, shares, 0, &turn, received, &round, NULL),
                     LSCHED_E_RANGE);
    assert_true(turn.seen == 0 && received[0] == 0 && round.running == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_max_min),     cmocka_unit_test(test_second_level),
        cmocka_unit_test(test_makespan),    cmocka_unit_test(test_gangs_fit),
        cmocka_unit_test(test_cost),        cmocka_unit_test(test_holes),
        cmocka_unit_test(test_order),       cmocka_unit_test(test_bad_calls),
        cmocka_unit_test(test_bad_structs), cmocka_unit_test(test_work),
        cmocka_unit_test(test_memory),      cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_bad_rounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
