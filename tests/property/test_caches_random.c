/*
 * What an earlier cycle left behind decides nothing. After each change of every kind - nodes, their
 * labels, taints, bounds, prices, capacities, absences and MIG instances, queues, jobs, tasks, policies whose
 * hooks fail now and then or read what moves, calls that fail - the cluster, a clone, and a clone in
 * the place of an older one are scheduled at one time:
 *   - all plans are equal, and so are the images, and what the counters of events have counted;
 *   - who waits after the cycle gets nothing when all are woken by force: parking is a memory of a
 *     "no", and it is true;
 *   - every cache of the warm cluster says what a cold one says (engine/state/cache_check.h);
 *   - room that is free now and not promised is also there later (act_index.c relies on it).
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed.
 */
#include "api/calls/skip_check.h"
#include "api/door/args.h"
#include "engine/cycle/wake.h"
#include "engine/state/cache_check.h"
#include "model/devices/device.h"
#include "model/nodes/node.h"
#include "property/random_changes.h"
#include "support/counted.h"
#include "support/job_priority.h"

enum { STEPS = 50, ROUNDS = 60 };

/* What the test counts, and the clone that is used again. */
static struct {
    lsched_cluster *used;
    uint64_t closed_after; /* number of the latest cycle after which a node has closed */
    uint64_t woken, cycles, decisions, evictions, failures, skips, gangs, fits, fits_later;
} all;

/* ---- plans ---- */

/* Returns the number of the bundle, of the job with the id in the cluster. */
static uint32_t bundle_of(const struct run *r, lsched_id job) {
    uint32_t row = NO_ROW;
    CHECK(&r->at, arg_id(&r->c->k, job, LSCHED_KIND_JOB, &row, NULL) == LSCHED_OK, "no such job");
    return r->c->k.c[C_JOB_BUNDLE].u32[row];
}

/* True if the plan starts several tasks of a job at once that the latest cycle of the cluster has
 * refused, or a cycle since which a node has closed. The seats of such a job are sought one after
 * the other, and never exchanged. Tasks that started after the search, or a node that closed, can
 * lead the next search another way, to seats that were there before. No event tells this, so the
 * job stays parked (docs/semantics.md, 7). */
static int starts_refused_gang(const struct run *r, const lsched_plan *plan) {
    const struct columns *k = &r->c->k;
    for (size_t i = 1; i < lsched_plan_size(plan); i++) {
        const lsched_decision *a = lsched_plan_at(plan, i - 1), *d = a + 1;
        if (a->job != d->job || a->group != d->group) continue;
        uint32_t b = bundle_of(r, d->job);
        if (b == NO_ROW) continue;
        uint64_t tried = k->c[C_BUNDLE_TRIED].u64[b];
        if (tried >= meta(k, M_PASS_FROM) || tried <= all.closed_after) return 1;
    }
    return 0;
}

static lsched_plan_info plan_of(struct run *r, lsched_cluster *c, const lsched_schedule_opts *opts,
                                int *gang) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan *plan = NULL;
    lsched_plan_info info = {.size = sizeof info};
    must(r, lsched_schedule(c, opts, &plan, &err), &err);
    must(r, lsched_plan_get(plan, &info, NULL), &err);
    if (gang) *gang = starts_refused_gang(r, plan);
    lsched_plan_destroy(plan);
    return info;
}

static void check_same(const struct run *r, const lsched_plan_info *a, const lsched_plan_info *b,
                       const char *what) {
    CHECK(&r->at,
          a->plan_hash == b->plan_hash && a->work_spent == b->work_spent && a->flags == b->flags &&
              a->jobs_tried == b->jobs_tried && a->hooks_off == b->hooks_off &&
              a->next_wake_us == b->next_wake_us,
          "%s: %llu decisions, work %llu, flags %x, tried %llu; the original: %llu, %llu, %x, %llu",
          what, (unsigned long long)a->decisions, (unsigned long long)a->work_spent, a->flags,
          (unsigned long long)a->jobs_tried, (unsigned long long)b->decisions,
          (unsigned long long)b->work_spent, b->flags, (unsigned long long)b->jobs_tried);
}

/* Just after a whole cycle in which nobody was stopped, on a copy: every job that waits was refused
 * in that cycle, so waking everybody brings no more than another cycle does, except seats for a
 * gang (starts_refused_gang). Places that `allocate`
 * gives after an action that evicts may entitle other jobs to stop that work; these jobs look for
 * victims once the work has started. */
static void check_parked(struct run *r, lsched_cluster *copy, const lsched_schedule_opts *opts) {
    lsched_error err = LSCHED_ERROR_INIT;
    int gang;
    lsched_plan_info next = plan_of(r, copy, opts, NULL);
    must(r, lsched_cluster_clone(r->c, &copy, &err), &err);
    cache_check_wake_all(copy);
    lsched_plan_info more = plan_of(r, copy, opts, &gang);
    all.gangs += (uint64_t)gang;
    if (gang || (r->evicts_first && more.evictions + more.moves > 0)) return;
    CHECK(&r->at, more.decisions == next.decisions,
          "%llu decisions when all are woken by force, else %llu",
          (unsigned long long)more.decisions, (unsigned long long)next.decisions);
    all.woken++;
}

/* A node that has room for a task now has it when releasing tasks are gone and nominated tasks are placed. */
static void check_room(const struct run *r) {
    const struct columns *k = &r->c->k;
    EACH_LIVE(k, T_SHAPE, s) {
        EACH_LIVE(k, T_NODE, n) {
            int now = node_fits(k, n, s), later = node_fits_later(k, n, s);
            all.fits += now != 0;
            all.fits_later += later && !now;
            if (k->c[C_SHAPE_PICKY].u8[s] || shape_charge_varies(k, s)) continue;
            CHECK(&r->at, !now || later, "node row %u has room for shape %u now, but not later", n,
                  s);
        }
    }
}

static void schedule_all(struct run *r) {
    struct chance *c = &r->chance;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *copy = NULL;
    r->w.now_us += chance_one_in(c, 3) ? chance_between(c, 1, 200) * 1000000 : 1;
    opts.now_us = r->w.now_us;
    opts.work_budget = chance_one_in(c, 12) ? 1 + chance_below(c, 100) : 0;
    must(r, lsched_cluster_clone(r->c, &copy, &err), &err);
    must(r, lsched_cluster_clone(r->c, &all.used, &err), &err);
    must(r, cache_checks_cold.all(all.used, &err), &err);
    cache_check_on(all.used);
    lsched_counters before = counted(r->c);
    lsched_plan_info by_copy = plan_of(r, copy, &opts, NULL),
                     by_used = plan_of(r, all.used, &opts, NULL),
                     info = plan_of(r, r->c, &opts, NULL);
    check_room(r);
    check_same(r, &by_copy, &info, "a clone");
    check_same(r, &by_used, &info, "a clone in the place of another");
    CHECK(&r->at, image_of(copy) == image_of(r->c) && image_of(all.used) == image_of(r->c),
          "image");
    lsched_counters cold = counted(copy), warm = counted(r->c);
    CHECK(&r->at, counted_adds_up(&before, &cold, &warm), "a clone has counted other events");
    CHECK(&r->at, counted_work_adds_up(&before, &cold, &warm), "counted work");
    if (!(info.flags & LSCHED_PLAN_PARTIAL) && info.evictions + info.moves == 0 && r->steady)
        check_parked(r, copy, &opts);
    lsched_cluster_destroy(copy);
    all.cycles++;
    all.decisions += info.decisions;
    all.evictions += info.evictions + info.moves;
    all.failures += (info.flags & LSCHED_PLAN_POLICY_FAILED) != 0;
}

/* ---- runs ---- */

static void watch_caches(struct run *r) {
    cache_check_on(r->c);
    skip_check_on(r->c, chance_skips());
    /* with most seeds, bundles wake one after the other, although few wait in these worlds */
    if (r->at.seed % 3) wake_all_max(r->c, (uint32_t)(r->at.seed % 2));
}

static void run_seed(struct run *r, uint64_t seed) {
    begin_world(r, seed, NULL, watch_caches);
    assert_int_equal(lsched_cluster_create(NULL, &all.used, NULL), LSCHED_OK);
    all.closed_after = 0;
    schedule_all(r);
    for (r->at.step = 1; r->at.step <= STEPS; r->at.step++) {
        change_some(r);
        if (r->closed == r->at.step) all.closed_after = meta(&r->c->k, M_CYCLE);
        schedule_all(r);
    }
    all.skips += skip_check_compared(r->c);
    lsched_cluster_destroy(r->c);
    lsched_cluster_destroy(all.used);
    all.used = NULL;
}

static void test_warm_and_cold_clusters_plan_the_same(void **state) {
    (void)state;
    uint64_t first = chance_seed(1);
    uint32_t rounds = chance_rounds(ROUNDS);
    struct run *r = calloc(1, sizeof *r);
    assert_non_null(r);
    for (uint64_t seed = first; seed < first + rounds; seed++) run_seed(r, seed);
    print_message(
        "seeds %llu .. +%u: %llu changes (%llu calls refused), %llu cycles, %llu "
        "decisions, %llu evictions, a hook failed in %llu cycles; all woken %llu times, %llu "
        "times a gang found seats only then; "
        "%llu skipped searches repeated; %llu times a node had room for a shape, and %llu times only later\n",
        (unsigned long long)first, rounds, (unsigned long long)r->changes,
        (unsigned long long)r->refused, (unsigned long long)all.cycles,
        (unsigned long long)all.decisions, (unsigned long long)all.evictions,
        (unsigned long long)all.failures, (unsigned long long)all.woken,
        (unsigned long long)all.gangs, (unsigned long long)all.skips, (unsigned long long)all.fits,
        (unsigned long long)all.fits_later);
    assert_true(chance_enough(all.decisions, 1200, ROUNDS) &&
                chance_enough(all.fits, 1000, ROUNDS) && chance_enough(all.fits_later, 10, ROUNDS));
    free(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_warm_and_cold_clusters_plan_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
