/*
 * Evictions end: in random worlds with a fixed set of jobs (none comes, none ends, and who is
 * stopped waits again) cycles come to rest, under each share that has evictions and any order of
 * the actions.
 *
 * The proof that model/jobs/stops.h gives is tested with it. The measure of a state is how many
 * jobs are marked, and then how many tasks are held, in the order
 *   of jobs without a mark before marked ones, of higher priority before lower, of minimums before
 *   what is above them.
 * A cycle that stops work must raise it, read from the front; no cycle may lower it. As the set of
 * jobs is finite it cannot rise for ever. (Jobs of several leaves are left out of the measure:
 * which of their tasks are minimums is a matter of groups.)
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed under each share.
 */
#include "property/evict_world.h"

#include "engine/state/cluster.h"
#include "model/jobs/stops.h"

#include <stdlib.h>

#define PRIORITIES 3u
#define CLASSES    (2u * PRIORITIES * 2u)
#define CYCLES_MAX 60u /* the most that was seen in 12,000 worlds is 12 */
#define QUIET      3u

struct measure {
    uint32_t marks, held[CLASSES];
};

static struct measure measure_of(const struct ev_world *w) {
    struct measure m = {0};
    for (uint32_t j = 0; j < w->n_jobs; j++) {
        const struct ev_job *job = &w->job[j];
        uint32_t marked = (uint32_t)stops_stand(&w->c->k, (uint32_t)job->id),
                 held = ev_info(w, job).tasks_placed,
                 class = 2 * (marked * PRIORITIES + PRIORITIES - 1 - (uint32_t)job->priority);
        m.marks += marked;
        m.held[class] += held < job->min ? held : job->min;
        m.held[class + 1] += held < job->min ? 0 : held - job->min;
    }
    return m;
}

/* Positive if the second is greater. */
static int rises(const struct measure *a, const struct measure *b) {
    if (a->marks != b->marks) return a->marks < b->marks ? 1 : -1;
    for (uint32_t i = 0; i < CLASSES; i++)
        if (a->held[i] != b->held[i]) return a->held[i] < b->held[i] ? 1 : -1;
    return 0;
}

struct seen {
    uint64_t worlds, evicted, cycles_most, marked;
};

static uint64_t evicted_by(const lsched_plan *plan) {
    uint64_t n = 0;
    for (size_t i = 0; i < lsched_plan_size(plan); i++)
        n += lsched_plan_at(plan, i)->kind == LSCHED_DECIDE_EVICT;
    return n;
}

static void come_to_rest(struct ev_world *w, struct seen *s) {
    struct measure before = measure_of(w);
    uint32_t still = 0;
    for (w->step = 0; still < QUIET; w->step++) {
        w->now_us += 1000000;
        lsched_plan *plan = ev_cycle(w, w->c);
        uint64_t evicted = evicted_by(plan);
        if (w->step + 8 > CYCLES_MAX) ev_print(w, plan); /* what goes to and fro */
        EV_CHECK(w, w->step < CYCLES_MAX, "%u cycles and no rest", w->step);
        still = lsched_plan_size(plan) ? 0 : still + 1;
        ev_settle_all(w, plan, LSCHED_OUTCOME_CONFIRMED);
        ev_obey(w);
        struct measure after = measure_of(w);
        int up = rises(&before, &after);
        if (!w->o.trees && (up < 0 || (evicted && up == 0))) ev_print(w, plan);
        EV_CHECK(w, w->o.trees || up > 0 || (up == 0 && !evicted),
                 "%llu tasks were stopped, and the measure %s", (unsigned long long)evicted,
                 up < 0 ? "falls" : "stays");
        lsched_plan_destroy(plan);
        before = after;
        s->evicted += evicted;
    }
    s->marked += before.marks;
    if (w->step > s->cycles_most) s->cycles_most = w->step;
}

static void random_policy(struct ev_world *w, struct chance *c, const char *share) {
    static const char *const pipelines[] = {EV_PIPELINE, "'allocate', 'reclaim', 'preempt'",
                                            "'allocate', 'preempt', 'reclaim'",
                                            "'reclaim', 'allocate', 'preempt'"};
    static const char *const protections[] = {"path", "divergence"};
    static const char *const victims[] = {"cheapest", "newest", "fewest"};
    char eviction[120];
    snprintf(eviction, sizeof eviction, "protection = '%s', victims = '%s'",
             protections[chance_one_in(c, 3)], victims[chance_below(c, 3)]);
    ev_policy(w, share, pipelines[chance_below(c, 4)], eviction);
}

/* Up to 60 jobs come in up to five batches, with a cycle after each. */
static void run_world(uint64_t seed, const char *share, struct seen *s) {
    struct ev_world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    struct chance c = {seed ^ 0xca1ff};
    struct ev_options o = {.one_gpu = chance_one_in(&c, 4),
                           .limits = chance_one_in(&c, 4),
                           .firm = chance_one_in(&c, 4),
                           .trees = chance_one_in(&c, 4),
                           .scarce = chance_one_in(&c, 3),
                           .lend = chance_one_in(&c, 5),
                           .parts = chance_one_in(&c, 3),
                           .zero_quota = chance_one_in(&c, 8)};
    ev_begin(w, seed, o);
    random_policy(w, &c, share);
    for (uint32_t batches = 1 + chance_below(&c, 5); batches > 0; batches--) {
        for (uint32_t n = 2 + chance_below(&w->chance, 10); n > 0; n--) ev_random_job(w);
        w->now_us += INT64_C(60000000);
        lsched_plan *plan = ev_cycle(w, w->c);
        ev_settle_all(w, plan, LSCHED_OUTCOME_CONFIRMED);
        lsched_plan_destroy(plan);
        ev_obey(w);
    }
    come_to_rest(w, s);
    s->worlds++;
    ev_end(w);
    free(w);
}

static void run_worlds(uint64_t first, const char *share) {
    struct seen s = {0};
    uint64_t seed = chance_seed(first), n = chance_rounds(200);
    print_message("%s: seeds %llu .. +%llu\n", share, (unsigned long long)seed,
                  (unsigned long long)n);
    for (uint64_t i = 0; i < n; i++) run_world(seed + i, share, &s);
    print_message("%llu worlds: %llu tasks stopped, at most %llu cycles, %llu jobs marked\n",
                  (unsigned long long)s.worlds, (unsigned long long)s.evicted,
                  (unsigned long long)s.cycles_most, (unsigned long long)s.marked);
}

static void guarantees(void **state) {
    (void)state;
    run_worlds(1, "quota");
}

static void cohorts(void **state) {
    (void)state;
    run_worlds(100001, "cohort");
}

static void dominant_shares(void **state) {
    (void)state;
    run_worlds(200001, "drf");
}

static void priorities_alone(void **state) {
    (void)state;
    run_worlds(300001, "fair-tree");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(guarantees), cmocka_unit_test(cohorts),
                                       cmocka_unit_test(dominant_shares),
                                       cmocka_unit_test(priorities_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
