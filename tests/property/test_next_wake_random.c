/*
 * lsched_next_wake keeps its promise: in random worlds with events of every kind (wake_world.h),
 * after each cycle that used no budget up and after each event, no cycle decides or withdraws
 * anything at a time before the time that lsched_next_wake names. The test runs such cycles on
 * clones: now, at a random time before that time, and one microsecond before it; one clone runs
 * them one after the other, so that a cycle without decisions makes no later one possible either.
 *
 * The promise would be cheap with a time that is always now. So the test counts how often a time
 * was named at which a cycle decides nothing, and bounds this share.
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed; LSCHED_TEST_SKIP=3,7,... leaves steps
 * out, LSCHED_TEST_VERBOSE=1 prints events and plans, and LSCHED_TEST_STEPS ends a world early.
 */
#include "property/wake_world.h"

#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define STEPS       150u
#define DAY         (INT64_C(86400) * WK_SECOND)
#define IDLE_PERMIL 500u

struct tally {
    uint64_t cycles, later, never, named, idle, now, now_idle, failed, worlds;
};

/* ---- to print ---- */

static double after_begin(int64_t t) {
    return t == LSCHED_NEVER_US ? -1.0 : (double)(t - WK_BEGIN) / (double)WK_SECOND;
}

static void print_plan(const struct wake_world *w, const lsched_cluster *c, const lsched_plan *p) {
    lsched_plan_info info = {.size = sizeof info};
    (void)lsched_plan_get(p, &info, NULL);
    printf("   cycle +%.6f, wake +%.6f:", after_begin(info.now_us), after_begin(info.next_wake_us));
    for (size_t i = 0; i < lsched_plan_size(p); i++) {
        const lsched_decision *d = lsched_plan_at(p, i);
        size_t n = 0;
        const char *name = lsched_name(c, d->job, &n);
        printf(" %s %.*s/%u%s%s", lsched_decision_kind_name(d->kind), (int)n, name ? name : "",
               d->task_index, d->reason ? " for " : "",
               d->reason ? lsched_reason_name(d->reason) : "");
    }
    printf(" withdrawn %zu\n", lsched_plan_withdrawn_size(p));
    (void)w;
}

static void print_jobs(struct wake_world *w) {
    uint64_t at = 0;
    char text[4000];
    for (lsched_id job; (job = lsched_next(w->c, LSCHED_KIND_JOB, &at)) != 0;)
        if (lsched_explain(w->c, job, text, sizeof text, NULL, &w->err) >= 0) printf("%s", text);
}

/* ---- the check ---- */

/* Runs a cycle on a clone. Returns the number of decisions that it makes or withdraws. */
static size_t decided(struct wake_world *w, lsched_cluster *clone, int64_t at) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    opts.now_us = at;
    opts.decision_kinds = w->kinds;
    WK_CHECK(w, lsched_schedule(clone, &opts, &plan, &w->err) == LSCHED_OK, "cycle of a clone");
    size_t n = lsched_plan_size(plan) + lsched_plan_withdrawn_size(plan);
    if (w->verbose && n) print_plan(w, clone, plan);
    lsched_plan_destroy(plan);
    return n;
}

static lsched_cluster *clone_of(struct wake_world *w) {
    lsched_cluster *clone = NULL;
    WK_CHECK(w, lsched_cluster_clone(w->c, &clone, &w->err) == LSCHED_OK, "clone");
    return clone;
}

/* A time from now on and before `wake`. */
static int64_t time_between(struct wake_world *w, int64_t wake) {
    int64_t end =
        wake == LSCHED_NEVER_US ? w->now + (wk_below(w, 2) ? DAY : 100 * WK_SECOND) : wake;
    return chance_between(&w->chance, w->now, end - 1);
}

static int decides_at(struct wake_world *w, int64_t at) {
    lsched_cluster *clone = clone_of(w);
    size_t n = decided(w, clone, at);
    lsched_cluster_destroy(clone);
    return n > 0;
}

/* Prints the first time, up to `at`, at which a cycle decides anything. */
static void print_first(struct wake_world *w, int64_t at) {
    int64_t low = w->now - 1, high = at;
    int verbose = w->verbose;
    w->verbose = 0;
    if (!decides_at(w, at)) printf("   alone, that cycle decides nothing\n");
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (decides_at(w, middle))
            high = middle;
        else
            low = middle;
    }
    w->verbose = verbose;
    printf("   decides from +%.6f on\n", after_begin(high));
}

/* Returns 1 if no cycle before `wake` decides anything. */
static int is_quiet_before(struct wake_world *w, int64_t wake) {
    int64_t times[3] = {w->now, time_between(w, wake),
                        wake == LSCHED_NEVER_US ? w->now + 2 * DAY : wake - 1};
    lsched_cluster *clone = NULL;
    int alone = chance_one_in(&w->chance, 2), quiet = 1;
    for (uint32_t i = 0; i < 3 && quiet; i++) {
        if (clone && alone) {
            lsched_cluster_destroy(clone);
            clone = NULL;
        }
        if (!clone) clone = clone_of(w);
        size_t n = decided(w, clone, times[i]);
        quiet = n == 0;
        if (quiet) continue;
        printf("LSCHED_TEST_SEED=%" PRIu64 ": step %u, after '%s' at +%.6f: next_wake is +%.6f, "
               "but the cycle at +%.6f decides %zu\n",
               w->seed, w->step, w->event, after_begin(w->now), after_begin(wake),
               after_begin(times[i]), n);
        if (w->verbose) print_first(w, times[i]), print_jobs(w);
    }
    lsched_cluster_destroy(clone);
    return quiet;
}

/* Counts whether the time that is named is worth a cycle. */
static void count_named(struct wake_world *w, int64_t wake, struct tally *t) {
    if (wake == LSCHED_NEVER_US) {
        t->never++;
        return;
    }
    lsched_cluster *clone = clone_of(w);
    int is_now = wake <= w->now;
    int idle = decided(w, clone, is_now ? w->now : wake) == 0;
    if (is_now)
        t->now++, t->now_idle += (uint64_t)idle;
    else
        t->named++, t->idle += (uint64_t)idle;
    lsched_cluster_destroy(clone);
}

static int check(struct wake_world *w, int after_cycle, struct tally *t) {
    int64_t wake = lsched_next_wake(w->c);
    if (after_cycle) count_named(w, wake, t);
    if (wake <= w->now) return 1;
    t->later++;
    return is_quiet_before(w, wake);
}

/* ---- a world ---- */

/* A cycle, at times at the time that was named. Returns 1 if it had bounds: a job that exceeds them
 * waits for a cycle with larger bounds that begins a pass, and no time can name that cycle. */
static int cycle(struct wake_world *w, struct tally *t) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan *plan = NULL;
    int64_t wake = lsched_next_wake(w->c);
    if (wk_below(w, 3) == 0)
        w->now = wake != LSCHED_NEVER_US && wake > w->now && wk_below(w, 2)
                     ? wake
                     : w->now + wk_seconds(w, 0, 60);
    w->event = "cycle";
    opts.now_us = w->now;
    opts.decision_kinds = w->kinds;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    if (wk_below(w, 3) == 0) opts.proposal_life_us = wk_seconds(w, 1, 90);
    if (wk_below(w, 10) == 0) opts.decisions_max = 1 + wk_below(w, 3);
    if (wk_below(w, 10) == 0) opts.work_budget = 1 + wk_below(w, 40);
    WK_CHECK(w, lsched_schedule(w->c, &opts, &plan, &w->err) == LSCHED_OK, "cycle");
    WK_CHECK(w, lsched_plan_get(plan, &info, NULL) == LSCHED_OK, "plan");
    WK_CHECK(w, info.next_wake_us == lsched_next_wake(w->c), "the time in the plan");
    if (w->verbose) print_plan(w, w->c, plan);
    lsched_plan_destroy(plan);
    t->cycles++;
    return opts.decisions_max || opts.work_budget;
}

static int run_steps(struct wake_world *w, struct tally *t) {
    uint64_t steps = chance_variable("LSCHED_TEST_STEPS", STEPS);
    int bounded = 0;
    for (uint32_t i = 0; i < steps; i++) {
        if (!wk_step(w, i)) continue;
        if (wk_below(w, 60) == 0) {
            w->event = "policy";
            wk_policy(w);
        } else {
            wk_event(w);
        }
        if (wk_below(w, 2) && !bounded && !check(w, 0, t)) return 0;
        if (wk_below(w, 2)) continue;
        int had = cycle(w, t);
        bounded = had ? 2 : bounded ? bounded - 1 : 0; /* the next one can finish an open pass */
        if (!bounded && !check(w, 1, t)) return 0;
    }
    return 1;
}

static void nothing_is_decided_before(void **state) {
    (void)state;
    struct wake_world *w = malloc(sizeof *w);
    assert_non_null(w);
    struct tally t = {0};
    uint64_t seed = chance_seed(1), n = chance_rounds(30);
    print_message("seeds %" PRIu64 " .. +%" PRIu64 "\n", seed, n);
    for (uint64_t i = 0; i < n; i++) {
        t.worlds++;
        w->c = NULL;
        if (setjmp(w->end) == 0) {
            wk_begin(w, seed + i);
            t.failed += (uint64_t)!run_steps(w, &t);
        } else {
            t.failed++;
        }
        lsched_cluster_destroy(w->c);
    }
    free(w);
    print_message("%" PRIu64 " of %" PRIu64 " worlds failed; %" PRIu64 " cycles, %" PRIu64
                  " times of a later cycle checked\n",
                  t.failed, t.worlds, t.cycles, t.later);
    print_message("after a cycle: never %" PRIu64 "; later %" PRIu64 ", of which nothing was to "
                  "decide at %" PRIu64 "; now %" PRIu64 ", of which %" PRIu64 " in vain\n",
                  t.never, t.named, t.idle, t.now, t.now_idle);
    assert_int_equal(t.failed, 0);
    assert_true((t.idle + t.now_idle) * 1000 <= (t.cycles + 10) * IDLE_PERMIL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_decided_before)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
