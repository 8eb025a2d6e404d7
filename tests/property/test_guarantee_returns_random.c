/*
 * A guarantee comes back: if a job within the guarantee of its queue would start without the work
 * of a queue that has no guarantee, then it gets room with that work, too, by evictions. It does
 * not matter what else is short meanwhile: free room that another queue does not lend, or a supply
 * of the cluster or of a rack, of which that work holds some.
 *
 * Each world is played with all guests, and without any: if the job starts without them, it must
 * get room beside them. Then the world is played without the guests that were evicted, but with one
 * of them: if the job starts, that eviction was needless. Nothing idle is taken from a queue that
 * does not lend it.
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed; LSCHED_TEST_SHOW=1 prints its worlds.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "property/random_checks.h"
#include "support/reasons_world.h"

enum { NODES = 4, GPUS = 4, GUESTS = 10, LOOK_MAX = 4000, ROUNDS = 500 };
/* what can be short beside room */
enum lacks { LENT, TOKENS_OF_CLUSTER, TOKENS_OF_RACK, N_LACKS };

struct guest {
    char name[12];
    uint32_t node, gpus, tokens, low;
    uint32_t owned; /* 1 for work of queue l, within its guarantee */
};

struct returns {
    struct where at;
    struct chance chance;
    struct rw_text text;
    enum lacks lacks;
    uint32_t n_nodes, n_guests, used[NODES];
    struct guest guest[GUESTS];
    uint32_t quota, lend, pipeline, tokens[2]; /* tokens: of the cluster in [0], or of each rack */
    uint32_t count, gpus, model, job_tokens, child, firm;
    uint64_t worlds, no_lua, returned[N_LACKS], evicted;
};

struct result {
    uint32_t placed, nominated, gone; /* gone: guests without a place, one bit each */
    char why[LOOK_MAX];
};

#define PUT(w, ...) rw_put(&(w)->text, __VA_ARGS__)

static const char *const models[] = {"A100", "H100", "A100, H100"};

static uint32_t below(struct returns *w, uint32_t n) {
    return chance_below(&w->chance, n);
}

static int one_in(struct returns *w, uint32_t n) {
    return chance_one_in(&w->chance, n);
}

/* ---- the world ---- */

static void draw_guests(struct returns *w) {
    w->n_guests = 0;
    memset(w->used, 0, sizeof w->used);
    uint32_t own = w->lacks == LENT ? below(w, 3) : 0;
    for (uint32_t i = 2 + below(w, GUESTS - 1); i > 0; i--) {
        struct guest *g = &w->guest[w->n_guests];
        *g = (struct guest){.node = below(w, w->n_nodes), .gpus = 1 + below(w, 2)};
        g->tokens = w->lacks == LENT ? 0 : below(w, 3);
        g->low = below(w, 2);
        g->owned = own >= g->gpus && one_in(w, 3);
        if (w->used[g->node] + g->gpus > GPUS) continue;
        w->used[g->node] += g->gpus;
        if (g->owned) own -= g->gpus;
        snprintf(g->name, sizeof g->name, "g%u", w->n_guests++);
    }
}

static uint32_t tokens_held(const struct returns *w, uint32_t rack) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < w->n_guests; i++)
        if (w->lacks == TOKENS_OF_CLUSTER || w->guest[i].node % 2 == rack)
            sum += w->guest[i].tokens;
    return sum;
}

static void draw(struct returns *w, uint64_t seed) {
    w->at = (struct where){seed, 0, "begin"};
    w->chance.state = seed;
    w->lacks = (enum lacks)below(w, N_LACKS);
    w->n_nodes = 2 + below(w, NODES - 1);
    draw_guests(w);
    w->count = one_in(w, 4) ? 2 : 1;
    w->gpus = 1 + below(w, 2);
    w->quota = w->count * w->gpus + below(w, 2);
    w->lend = below(w, 2);
    w->model = below(w, 3);
    w->child = below(w, 2);
    w->firm = one_in(w, 4) ? 1 : 0;
    w->pipeline = below(w, 4);
    w->job_tokens = w->lacks == LENT ? 0 : 1 + below(w, 2);
    for (uint32_t r = 0; r < 2; r++) w->tokens[r] = tokens_held(w, r) + below(w, 3);
}

static void put_guests(struct returns *w, uint32_t with) {
    PUT(w, "jobs:\n  - {name: first, queue: o, running_on: n0, tasks: {cpu: 1}}\n");
    for (uint32_t i = 0; i < w->n_guests; i++) {
        const struct guest *g = &w->guest[i];
        if (!g->owned && !(with >> i & 1)) continue;
        PUT(w, "  - {name: %s, queue: %s, priority: -%u, running_on: n%u, running_since: -1h, ",
            g->name, g->owned ? "l" : "o", g->low, g->node);
        PUT(w, "tasks: {gpu: %u, models: %s", g->gpus, models[g->node % 2]);
        if (g->tokens) PUT(w, ", supplies: {tokens: %u}", g->tokens);
        PUT(w, "}}\n");
    }
}

static void put_world(struct returns *w, uint32_t with) {
    static const char *const pipelines[] = {
        "'allocate', 'reclaim'", "'allocate', 'reclaim', 'preempt'",
        "'backfill', 'preempt', 'reclaim'", "'reclaim', 'allocate'"};
    w->text.n = 0;
    PUT(w, "start: 2026-01-05T08:00Z\ncluster: {verify: true}\ntopology: [rack]\n");
    PUT(w,
        "policy: {name: p, text: \"return { api = 1, fair_share = 'quota', pipeline = { %s } }\"}\n",
        pipelines[w->pipeline]);
    if (w->lacks != LENT)
        PUT(w, "supplies: {tokens: %u}\n", w->lacks == TOKENS_OF_CLUSTER ? w->tokens[0] : 100);
    PUT(w, "queues:\n  - {name: o, quota: {gpu: 0}}\n");
    PUT(w, "  - {name: t, quota: {gpu: %u}}\n", w->quota);
    PUT(w, "  - {name: q, quota: {gpu: %u}%s}\n", w->quota, w->child ? ", parent: t" : "");
    if (w->lacks == LENT)
        PUT(w, "  - {name: l, quota: {gpu: %u}, lend_limit: {gpu: %u}}\n",
            w->n_nodes * GPUS - w->quota * (w->child ? 1 : 2), w->lend);
    PUT(w, "nodes:\n");
    for (uint32_t i = 0; i < w->n_nodes; i++)
        PUT(w, "  - {name: n%u, cpu: 16, labels: {rack: r%u}, gpus: {count: %u, model: %s}}\n", i,
            i % 2, (uint32_t)GPUS, models[i % 2]);
    if (w->lacks == TOKENS_OF_RACK)
        PUT(w,
            "update_supplies: [{supply: tokens, at: {rack: r0}, amount: %u}, "
            "{supply: tokens, at: {rack: r1}, amount: %u}]\n",
            w->tokens[0], w->tokens[1]);
    put_guests(w, with);
    PUT(w, "schedule: false\nevents:\n  - schedule: true\n    submit: [{name: j, queue: q, %s",
        w->firm ? "preemptible: false, " : "");
    PUT(w, "tasks: {count: %u, cpu: 1, gpu: %u", w->count, w->gpus);
    if (w->model < 2) PUT(w, ", models: %s", models[w->model]);
    if (w->job_tokens) PUT(w, ", supplies: {tokens: %u}", w->job_tokens);
    PUT(w, "}}]\n");
}

/* ---- the comparison ---- */

static uint32_t placed_of(struct returns *w, const lsched_cluster *c, const char *name,
                          uint32_t *nominated) {
    lsched_job_info info = {.size = sizeof info};
    lsched_id job = lsched_find(c, LSCHED_KIND_JOB, (lsched_text){name, strlen(name)});
    if (job == 0) return 0;
    CHECK(&w->at, lsched_job_get(c, job, &info, NULL) >= 0, "job %s", name);
    *nominated = info.tasks_nominated;
    return info.tasks_placed;
}

/* Plays the world with the guests that have a bit in `with`. */
static void play(struct returns *w, uint32_t with, struct result *r) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_scenario *scenario = NULL;
    lsched_cluster *cluster = NULL;
    lsched_scenario_run_opts opts = LSCHED_SCENARIO_RUN_OPTS_INIT;
    lsched_scenario_report report = LSCHED_SCENARIO_REPORT_INIT;
    uint32_t ignored;
    put_world(w, with);
    int32_t rc = lsched_scenario_parse(NULL, (lsched_text){w->text.p, w->text.n},
                                       LSCHED_TEXT("world"), &scenario, &err);
    CHECK(&w->at, rc >= 0, "%s\n%s", err.message, w->text.p);
    assert_int_equal(lsched_cluster_create(NULL, &cluster, NULL), LSCHED_OK);
    opts.flags = LSCHED_RUN_NO_CHECKS;
    rc = lsched_scenario_run(scenario, cluster, &opts, &report, &err);
    CHECK(&w->at, rc >= 0 || rc == LSCHED_E_NOLUA, "%s\n%s", err.message, w->text.p);
    w->no_lua += rc == LSCHED_E_NOLUA;
    r->placed = r->nominated = r->gone = 0;
    if (rc >= 0) r->placed = placed_of(w, cluster, "j", &r->nominated);
    for (uint32_t i = 0; rc >= 0 && i < w->n_guests; i++)
        if (with >> i & 1)
            r->gone |= placed_of(w, cluster, w->guest[i].name, &ignored) ? 0 : 1u << i;
    lsched_id job = lsched_find(cluster, LSCHED_KIND_JOB, LSCHED_TEXT("j"));
    (void)lsched_explain(cluster, job, r->why, LOOK_MAX, NULL, NULL);
    if (chance_variable("LSCHED_TEST_SHOW", 0))
        printf("%sgone %x, placed %u, nominated %u\n%s\n", w->text.p, r->gone, r->placed,
               r->nominated, r->why);
    lsched_scenario_destroy(scenario);
    lsched_cluster_destroy(cluster);
}

/* Queue l finds idle what it does not lend, or as much as before. */
static void check_lender(struct returns *w, const struct result *r) {
    uint32_t all = w->n_nodes * GPUS, own = 0, was = 0, given = 0,
             quota = all - w->quota * (w->child ? 1 : 2);
    for (uint32_t i = 0; i < w->n_guests; i++) {
        was += w->guest[i].gpus;
        if (w->guest[i].owned) own += w->guest[i].gpus;
        if (r->gone >> i & 1) given += w->guest[i].gpus;
    }
    uint32_t idle = all - was, now = idle + given - r->placed * w->gpus,
             keeps = quota > own + w->lend ? quota - own - w->lend : 0;
    CHECK(&w->at, now >= (keeps < idle ? keeps : idle),
          "%u GPUs are idle, %u were, and l keeps %u\n%s", now, idle, keeps, w->text.p);
}

static void run_seed(struct returns *w, uint64_t seed) {
    static struct result without, with, again; /* large; tests have one thread */
    draw(w, seed);
    uint32_t all = (1u << w->n_guests) - 1;
    play(w, 0, &without);
    w->worlds++;
    if (without.placed < w->count || without.nominated) return;
    play(w, all, &with);
    CHECK(&w->at, with.placed == w->count, "without the guests the job starts, with them: %s\n%s",
          with.why, w->text.p);
    if (w->lacks == LENT) check_lender(w, &with);
    w->returned[w->lacks] += with.gone != 0;
    for (uint32_t i = 0; i < w->n_guests; i++) {
        if (!(with.gone >> i & 1)) continue;
        w->evicted++;
        play(w, (all & ~with.gone) | 1u << i, &again);
        CHECK(&w->at, again.placed < w->count || again.nominated,
              "%s was evicted (all: %x), and the job needs its place not\n%s", w->guest[i].name,
              with.gone, w->text.p);
    }
}

static void test_a_job_within_its_guarantee_gets_the_room_of_guests(void **state) {
    (void)state;
    static struct returns w; /* large */
    uint64_t first = chance_seed(1);
    uint32_t rounds = chance_rounds(ROUNDS);
    for (uint64_t seed = first; seed < first + rounds; seed++) run_seed(&w, seed);
    print_message("seeds %" PRIu64 " .. +%u: %" PRIu64
                  " worlds; evictions gave room beside what is "
                  "not lent in %" PRIu64 ", beside tokens of the cluster in %" PRIu64
                  ", of a rack in %" PRIu64 "; %" PRIu64 " guests\n",
                  first, rounds, w.worlds, w.returned[LENT], w.returned[TOKENS_OF_CLUSTER],
                  w.returned[TOKENS_OF_RACK], w.evicted);
    if (!w.no_lua)
        for (uint32_t i = 0; i < N_LACKS; i++)
            assert_true(chance_enough(w.returned[i], 40, ROUNDS));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_job_within_its_guarantee_gets_the_room_of_guests)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
