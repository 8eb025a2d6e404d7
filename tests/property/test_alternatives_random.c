/*
 * A job that gets room, free or by evictions, with one of its choices alone gets room also with all
 * of them. The choices are alternatives, or the models of GPUs, where the job asks for any GPUs or
 * for an amount of GPU memory. The reason of a job with alternatives names one, often one that a
 * limit, a guarantee, lending or an allowance refuses, and says nothing about the others. A search
 * for victims can find a node that a limit of a model, or the charge of its GPUs, keeps from the job.
 *
 * In each random world, one job waits beside running work, so no other job competes for the room.
 * Its queue has limits, also of a model, and a quota; an owner can refuse to lend, and an allowance
 * can be short. The same world is played once with all choices of the job, and once with each of
 * them alone. One difference is no subject of the test, and its worlds have none: the fair share of a
 * queue follows the demand of the first alternative, which therefore is the largest, and the least
 * charge of GPU memory; so a queue that asks for memory, and takes work from others, has no other work
 * with which it would need more than its guarantee.
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed; LSCHED_TEST_SHOW=1 prints its world.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "property/random_checks.h"
#include "support/reasons_world.h"

enum { ALTERNATIVES = 3, ALL = ALTERNATIVES, LOOK_MAX = 4000 };
/* what the job chooses among */
enum choice { AMONG_ALTERNATIVES, AMONG_GPUS, AMONG_MEMORY, N_CHOICES };

struct alternative {
    uint32_t gpus, model;
};

struct choices {
    struct where at;
    struct chance chance;
    struct rw_text text;
    int reclaims; /* 1: queues take work from each other */
    enum choice choice;
    uint32_t n;
    struct alternative of[ALTERNATIVES];
    uint64_t worlds, no_lua, starts, evicts, hidden[N_CHOICES];
};

#define PUT(w, ...) rw_put(&(w)->text, __VA_ARGS__)

static const char *const models[] = {"A100", "H100"};

static uint32_t below(struct choices *w, uint32_t n) {
    return chance_below(&w->chance, n);
}

static int one_in(struct choices *w, uint32_t n) {
    return chance_one_in(&w->chance, n);
}

/* ---- the world ---- */

static void put_policy(struct choices *w) {
    static const char *const pipelines[] = {"'allocate', 'preempt'",
                                            "'allocate', 'consolidate'",
                                            "'allocate', 'reclaim'",
                                            "'allocate', 'reclaim', 'preempt'",
                                            "'backfill', 'preempt', 'reclaim'",
                                            "'reclaim', 'allocate'"};
    uint32_t i = below(w, 6);
    w->reclaims = i >= 2;
    PUT(w,
        "start: 2026-01-05T08:00Z\ncluster: {verify: true}\n"
        "resource_parts: {\"gpu:A100\": A100, \"gpu:H100\": H100}\n"
        "policy: {name: p, text: \"return { api = 1, fair_share = 'quota', pipeline = { %s } }\"}\n",
        pipelines[i]);
}

static void put_queues(struct choices *w) {
    PUT(w, "queues:\n  - {name: o, quota: {gpu: %u}}\n", below(w, 3));
    if (one_in(w, 3))
        PUT(w, "  - {name: l, quota: {gpu: %u}, lend_limit: {gpu: 0}}\n", below(w, 5));
    /* less than a GPU is enough for memory on the larger GPUs */
    int little = w->choice == AMONG_MEMORY && one_in(w, 3);
    PUT(w, "  - {name: q, quota: {gpu: %s%u}, limit: {cpu: 90", little ? "0." : "",
        1 + below(w, 5));
    if (one_in(w, 3)) PUT(w, ", gpu: %u.5", below(w, 5));
    for (uint32_t m = 0; m < 2; m++)
        if (one_in(w, 2)) PUT(w, ", \"gpu:%s\": %u", models[m], below(w, 3));
    PUT(w, "}}\n");
    if (one_in(w, 4))
        PUT(w,
            "allowances: {q: {price: {gpu: 1}, amount: %u, period: 24h, "
            "start: 2026-01-05T00:00Z, unknown: 1h}}\n",
            1 + below(w, 5));
}

/* Each node is full of one job, half full, or empty. */
static void put_nodes(struct choices *w) {
    uint32_t n = 2 + below(w, 2);
    PUT(w, "nodes:\n");
    for (uint32_t i = 0; i < n; i++)
        PUT(w,
            "  - {name: n%u, cpu: 16, gpus: {count: 4, model: %s, memory: %uGi, sharing: "
            "fraction}}\n",
            i, models[i % 2], 40 + 40 * (i % 2));
    put_queues(w);
    PUT(w, "jobs:\n  - {name: g, queue: o, running_on: n0, tasks: {cpu: 1}}\n");
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = below(w, 3); j > 0; j--) {
            int own = one_in(w, w->reclaims ? 3 : 2) && (!w->reclaims || w->choice != AMONG_MEMORY);
            PUT(w,
                "  - {name: g%u-%u, queue: %s, priority: -%u, running_on: n%u, running_since: -1h, "
                "tasks: {gpu: 2, models: %s}}\n",
                i, j, own ? "q" : "o", below(w, 2), i, models[i % 2]);
        }
}

/* ---- the job ---- */

static void draw_choices(struct choices *w) {
    if (w->choice != AMONG_ALTERNATIVES) {
        /* of memory: 20 GiB for each of the units drawn */
        uint32_t asked = 1 + below(w, w->choice == AMONG_MEMORY ? 2 : 4);
        w->n = 2;
        for (uint32_t i = 0; i < 2; i++) w->of[i] = (struct alternative){asked, i};
        return;
    }
    w->n = 2 + below(w, 2);
    for (uint32_t i = 0; i < w->n; i++)
        w->of[i] = (struct alternative){1 + below(w, i ? w->of[0].gpus : 4), below(w, 2)};
}

/* Writes one choice of the job, or all. */
static void put_choices(struct choices *w, uint32_t only) {
    if (w->choice != AMONG_ALTERNATIVES) {
        int memory = w->choice == AMONG_MEMORY;
        PUT(w, memory ? "gpu_memory: %uGi" : "gpu: %u", w->of[0].gpus * (memory ? 20 : 1));
        if (only != ALL) PUT(w, ", models: %s", models[w->of[only].model]);
        return;
    }
    PUT(w, "alternatives: [");
    for (uint32_t i = 0; i < w->n; i++)
        if (only == ALL || i == only)
            PUT(w, "%s{gpus: %u, models: %s}", only == ALL && i ? ", " : "", w->of[i].gpus,
                models[w->of[i].model]);
    PUT(w, "]");
}

/* ---- the comparison ---- */

/* Plays the world, which has the job with one alternative, or with all. Returns the number of tasks of
 * the job that have room, and counts those in *later that get it when others have stopped. */
static uint32_t play(struct choices *w, uint32_t only, const char *kind, uint32_t *later,
                     char why[LOOK_MAX]) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_scenario *scenario = NULL;
    lsched_cluster *cluster = NULL;
    lsched_scenario_run_opts opts = LSCHED_SCENARIO_RUN_OPTS_INIT;
    lsched_scenario_report report = LSCHED_SCENARIO_REPORT_INIT;
    lsched_job_info info = {.size = sizeof info};
    size_t n = w->text.n;
    PUT(w, "schedule: false\nevents:\n  - schedule: true\n    submit: [{name: j, queue: q, %s",
        kind);
    PUT(w, "tasks: {cpu: 1, ");
    put_choices(w, only);
    PUT(w, "}}]\n");
    int32_t rc = lsched_scenario_parse(NULL, (lsched_text){w->text.p, w->text.n},
                                       LSCHED_TEXT("world"), &scenario, &err);
    CHECK(&w->at, rc >= 0, "%s\n%s", err.message, w->text.p);
    assert_int_equal(lsched_cluster_create(NULL, &cluster, NULL), LSCHED_OK);
    opts.flags = LSCHED_RUN_NO_CHECKS;
    rc = lsched_scenario_run(scenario, cluster, &opts, &report, &err);
    CHECK(&w->at, rc >= 0 || rc == LSCHED_E_NOLUA, "%s\n%s", err.message, w->text.p);
    lsched_id job = lsched_find(cluster, LSCHED_KIND_JOB, LSCHED_TEXT("j"));
    if (rc >= 0) CHECK(&w->at, lsched_job_get(cluster, job, &info, NULL) >= 0, "job j");
    (void)lsched_explain(cluster, job, why, LOOK_MAX, NULL, NULL);
    if (rc >= 0 && chance_variable("LSCHED_TEST_SHOW", 0)) printf("%s%s\n", w->text.p + n, why);
    w->no_lua += rc == LSCHED_E_NOLUA;
    *later = info.tasks_nominated;
    lsched_scenario_destroy(scenario);
    lsched_cluster_destroy(cluster);
    w->text.n = n;
    w->text.p[n] = 0;
    return rc < 0 ? 0 : info.tasks_placed;
}

static void run_seed(struct choices *w, uint64_t seed) {
    static char all_why[LOOK_MAX], why[LOOK_MAX]; /* large; tests have one thread */
    static const char *const kinds[] = {"", "", "priority: 5, ", "preemptible: false, "};
    uint32_t later, all_later;
    w->at = (struct where){seed, 0, "begin"};
    w->chance.state = seed;
    w->text.n = 0;
    w->choice = (enum choice)below(w, N_CHOICES);
    put_policy(w);
    put_nodes(w);
    draw_choices(w);
    const char *kind = kinds[below(w, 4)];
    if (chance_variable("LSCHED_TEST_SHOW", 0)) printf("%s", w->text.p);
    uint32_t all = play(w, ALL, kind, &all_later, all_why);
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t alone = play(w, i, kind, &later, why);
        w->starts += alone && !later;
        w->evicts += alone && later;
        w->hidden[w->choice] += !alone && all && all_later;
        CHECK(&w->at, all || !alone,
              "choice %u gives the job room %s; all of them together do not: %s", i,
              later ? "by evictions" : "that is free", all_why);
    }
    w->worlds++;
}

static void test_a_choice_that_gives_room_alone_gives_it_among_others(void **state) {
    (void)state;
    static struct choices w; /* large */
    uint64_t first = chance_seed(1);
    uint32_t rounds = chance_rounds(600);
    for (uint64_t seed = first; seed < first + rounds; seed++) run_seed(&w, seed);
    print_message("seeds %" PRIu64 " .. +%u: %" PRIu64 " worlds; alone, %" PRIu64
                  " choices have free room and %" PRIu64 " get it by evictions; %" PRIu64
                  " alternatives, %" PRIu64 " models of GPUs and %" PRIu64
                  " of memory get none where another one gets it by evictions\n",
                  first, rounds, w.worlds, w.starts, w.evicts, w.hidden[AMONG_ALTERNATIVES],
                  w.hidden[AMONG_GPUS], w.hidden[AMONG_MEMORY]);
    if (!w.no_lua)
        assert_true(chance_enough(w.evicts, 120, 600) &&
                    chance_enough(w.hidden[AMONG_ALTERNATIVES], 15, 600) &&
                    chance_enough(w.hidden[AMONG_GPUS], 15, 600) &&
                    chance_enough(w.hidden[AMONG_MEMORY], 15, 600));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_choice_that_gives_room_alone_gives_it_among_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
