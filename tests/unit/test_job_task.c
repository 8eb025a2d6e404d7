/* Jobs, tasks, bundles, driven by the functions of the model: docs/semantics.md 4, 5 and 7 as
 * numbers, and random sequences that the verifier judges after each step; failing allocations
 * change nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/verify/verify.h"
#include "model/demand/job_counts.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/task_row.h"
#include "model/jobs/bundle.h"
#include "model/image/image.h"
#include "model/nodes/node.h"
#include "property/chance.h"
#include "support/fault_alloc.h"
#include "support/model_world.h"

static struct model_world world;

static void expect_sound(void) {
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t rc = verify_state(&world.k, &err);
    if (rc != LSCHED_OK) print_message("%s\n", err.message);
    assert_int_equal(rc, LSCHED_OK);
}

/* Two nodes of 8 A100, one of 4 shared T4; queues a and b below org. */
static int open_world(void **unused) {
    (void)unused;
    uint32_t row, org;
    return world_open(&world, NULL) || world_topology(&world) ||
           world_node(&world, "n1", 64000, 8, 0, "r1", &row) ||
           world_node(&world, "n2", 64000, 8, 0, "r2", &row) ||
           world_node(&world, "n3", 64000, 4, 1, "r2", &row) ||
           world_queue(&world, "org", NO_ROW, &org) || world_queue(&world, "a", org, &row) ||
           world_queue(&world, "b", org, &row);
}

static int close_world(void **unused) {
    (void)unused;
    world_close(&world);
    return 0;
}

static uint32_t add_job(const char *name, const char *queue, int64_t submit, struct group_form g) {
    struct job_form f = {.name = name,
                         .queue = world_queue_named(&world, queue),
                         .n_groups = 1,
                         .groups = {g},
                         .submit = submit};
    uint32_t job = NO_ROW;
    assert_int_equal(world_job(&world, &f, &job), LSCHED_OK);
    assert_int_equal(world_admit(&world, job), LSCHED_OK);
    return job;
}

static uint32_t state_of(uint32_t job, uint32_t index) {
    uint32_t t = task_find(&world.k, job, index);
    return t == NO_ROW ? LSCHED_TASK_NONE : world.k.c[C_TASK_STATE].u8[t];
}

static int64_t used(const char *queue, uint32_t kind) {
    return world.k.c[C_QUEUE_USED + kind].i64[world_queue_named(&world, queue)];
}

static int is_stale(uint32_t job) {
    uint32_t cost = world.k.c[C_JOB_COST].u32[job];
    return cost != NO_ROW && world.k.c[C_COST_STALE_SINCE].i64[cost] != LSCHED_NEVER_US;
}

static uint32_t bundle_of(uint32_t job) {
    return world.k.c[C_JOB_BUNDLE].u32[job];
}

/* ---- the life of a task ---- */

static void a_task_goes_through_its_states(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t job =
        add_job("j", "a", 1,
                (struct group_form){.cpu = 2000, .max = 2, .min = 1, .devices = 2, .milli = 1000});
    uint32_t n1 = world_node_named(&world, "n1");
    assert_int_equal(k->c[C_BUNDLE_KIND].u8[bundle_of(job)], BUNDLE_START);
    assert_int_equal(world_propose(&world, job, 0, n1, 1), LSCHED_OK);
    assert_int_equal(state_of(job, 0), LSCHED_TASK_PROPOSED);
    assert_int_equal(used("a", LSCHED_GPU), 2000);
    assert_int_equal(used("org", LSCHED_CPU), 2000);
    assert_int_equal(used("b", LSCHED_CPU), 0);
    assert_int_equal(meta(k, M_OPEN_COUNT), 1);
    assert_int_equal(k->c[C_BUNDLE_KIND].u8[bundle_of(job)], BUNDLE_GROW);
    expect_sound();
    assert_int_equal(world_confirm(&world, job, 0), LSCHED_OK);
    assert_int_equal(state_of(job, 0), LSCHED_TASK_CONFIRMED);
    expect_sound();
    assert_int_equal(world_start(&world, job, 0), LSCHED_OK);
    assert_int_equal(state_of(job, 0), LSCHED_TASK_RUNNING);
    assert_int_equal(meta(k, M_OPEN_COUNT), 0); /* closed, and its id is stale */
    expect_sound();
    assert_int_equal(world_release(&world, job, 0, LSCHED_TASK_DONE), LSCHED_OK);
    assert_int_equal(state_of(job, 0), LSCHED_TASK_DONE);
    assert_int_equal(used("org", LSCHED_GPU), 0);
    struct job_counts n = job_count(k, job);
    assert_true(n.placed == 0 && n.running == 0 && n.done == 1);
    assert_true(job_satisfied(k, job));
    expect_sound();
}

static void a_full_job_leaves_its_bundle_and_comes_back(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t job = add_job("j", "a", 1, (struct group_form){.max = 3, .min = 3}),
             n1 = world_node_named(&world, "n1");
    assert_int_equal(meta(k, M_PENDING_JOBS), 1);
    assert_int_equal(world_propose(&world, job, 0, n1, 3), LSCHED_OK);
    assert_int_equal(k->c[C_JOB_PHASE].u8[job], JOB_FULL);
    assert_int_equal(meta(k, M_PENDING_JOBS), 0);
    assert_int_equal(table_live(k, T_BUNDLE), 0);
    expect_sound();
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(world_start(&world, job, i), LSCHED_OK);
    assert_int_equal(world_release(&world, job, 1, LSCHED_TASK_NONE), LSCHED_OK);
    assert_int_equal(k->c[C_JOB_PHASE].u8[job], JOB_QUEUED);
    assert_int_equal(k->c[C_BUNDLE_KIND].u8[bundle_of(job)], BUNDLE_REPAIR);
    assert_int_equal(meta(k, M_PENDING_JOBS), 1);
    assert_true(is_stale(job));
    expect_sound();
    assert_int_equal(world_propose(&world, job, 0, n1, 1),
                     LSCHED_OK); /* the same index waits again */
    assert_int_equal(state_of(job, 1), LSCHED_TASK_PROPOSED);
}

/* S-gang-reject: below the minimum the proposed go, what runs stays. */
static void a_gang_below_its_minimum_loses_what_is_proposed(void **unused) {
    (void)unused;
    uint32_t job = add_job("j", "a", 1, (struct group_form){.max = 5, .min = 4}),
             n1 = world_node_named(&world, "n1");
    assert_int_equal(world_propose(&world, job, 0, n1, 5), LSCHED_OK);
    assert_int_equal(world_start(&world, job, 0), LSCHED_OK);
    assert_int_equal(world_release(&world, job, 4, LSCHED_TASK_NONE), LSCHED_OK); /* one to spare */
    assert_int_equal(state_of(job, 1), LSCHED_TASK_PROPOSED);
    assert_false(is_stale(job));
    expect_sound();
    assert_int_equal(world_release(&world, job, 3, LSCHED_TASK_NONE), LSCHED_OK);
    assert_int_equal(state_of(job, 0), LSCHED_TASK_RUNNING);
    for (uint32_t i = 1; i < 5; i++) assert_int_equal(state_of(job, i), LSCHED_TASK_NONE);
    assert_true(is_stale(job));
    expect_sound();
    assert_int_equal(world_release(&world, job, 0, LSCHED_TASK_NONE),
                     LSCHED_OK); /* as if it had never begun */
    assert_false(is_stale(job));
    assert_int_equal(table_live(&world.k, T_TASK) + table_live(&world.k, T_LEAF), 0);
    assert_int_equal(world.k.c[C_BUNDLE_KIND].u8[bundle_of(job)], BUNDLE_START);
    expect_sound();
}

static void groups_are_satisfied_by_the_tree(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    struct job_form f = {.name = "t", .queue = world_queue_named(&world, "a"), .n_groups = 4};
    f.groups[0] = (struct group_form){.children = 2, .min = 1};
    f.groups[1] = (struct group_form){.parent = 0, .max = 3, .min = 2};
    f.groups[2] = (struct group_form){.parent = 0, .children = 1, .min = 1};
    f.groups[3] = (struct group_form){.parent = 2, .max = 4, .min = 4, .cpu = 50};
    uint32_t job, n1 = world_node_named(&world, "n1");
    assert_int_equal(world_job(&world, &f, &job), LSCHED_OK);
    assert_int_equal(world_admit(&world, job), LSCHED_OK);
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job];
    assert_int_equal(k->c[C_JOBSHAPE_TASKS].u32[shape], 7);
    assert_int_equal(k->c[C_JOBSHAPE_TASKS_MIN].u32[shape], 2); /* the cheaper of the two */
    assert_int_equal(job_group_of_task(k, job, 2), 1);
    assert_int_equal(job_group_of_task(k, job, 3), 3);
    assert_int_equal(job_group_of_task(k, job, 7), NO_ROW);
    assert_false(job_satisfied(k, job));
    assert_int_equal(world_propose(&world, job, 3, n1, 4), LSCHED_OK);
    assert_true(job_satisfied(k, job));
    assert_int_equal(state_of(job, 3), LSCHED_TASK_PROPOSED);
    assert_int_equal(state_of(job, 0), LSCHED_TASK_NONE);
    expect_sound();
}

static void an_import_may_begin_anywhere(void **unused) {
    (void)unused;
    uint32_t job = add_job("j", "a", 1, (struct group_form){.max = 12, .min = 1}),
             n1 = world_node_named(&world, "n1");
    assert_int_equal(world_import(&world, job, 9, n1), LSCHED_OK);
    assert_int_equal(state_of(job, 9), LSCHED_TASK_RUNNING);
    assert_int_equal(state_of(job, 4), LSCHED_TASK_NONE);
    assert_int_not_equal(task_find(&world.k, job, 4), NO_ROW); /* it waits, with a row */
    assert_int_equal(task_find(&world.k, job, 10), NO_ROW);    /* not yet */
    expect_sound();
    assert_int_equal(world_propose(&world, job, 0, n1, 11), LSCHED_OK);
    for (uint32_t i = 0; i < 12; i++) assert_int_not_equal(state_of(job, i), LSCHED_TASK_NONE);
    expect_sound();
    assert_int_equal(world_remove_job(&world, job), LSCHED_OK);
    assert_int_equal(table_live(&world.k, T_TASK), 0);
    expect_sound();
}

/* ---- bundles ---- */

static void equal_jobs_share_a_bundle_in_order(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t late = add_job("late", "a", 9, (struct group_form){.min = 1}),
             b = add_job("b", "a", 5, (struct group_form){.min = 1}),
             a = add_job("a", "a", 5, (struct group_form){.min = 1}),
             other = add_job("other", "a", 1, (struct group_form){.min = 1, .cpu = 7}),
             elsewhere = add_job("elsewhere", "b", 1, (struct group_form){.min = 1});
    assert_true(bundle_of(late) == bundle_of(a) && bundle_of(a) == bundle_of(b));
    assert_true(bundle_of(other) != bundle_of(a) && bundle_of(elsewhere) != bundle_of(a));
    assert_int_equal(bundle_head(k, bundle_of(a)), a); /* submission, then name */
    uint32_t q = world_queue_named(&world, "a");
    assert_int_equal(k->c[C_QUEUE_HEAP].u32[q], bundle_of(other));
    assert_int_equal(undo_begin(k), LSCHED_OK);
    bundle_reorder(k, late, -1); /* the key goes before all else */
    assert_int_equal(bundle_head(k, bundle_of(a)), late);
    assert_int_equal(k->c[C_QUEUE_HEAP].u32[q], bundle_of(a));
    undo_end(k);
    expect_sound();
    assert_int_equal(world_remove_job(&world, late), LSCHED_OK);
    assert_int_equal(k->c[C_QUEUE_HEAP].u32[q], bundle_of(other));
    expect_sound();
}

static void growth_comes_after_starting_at_equal_keys(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t grows = add_job("grows", "a", 1, (struct group_form){.max = 4, .min = 1}),
             starts = add_job("starts", "a", 9, (struct group_form){.min = 1, .cpu = 3}),
             n1 = world_node_named(&world, "n1"), q = world_queue_named(&world, "a");
    assert_int_equal(k->c[C_QUEUE_HEAP].u32[q], bundle_of(grows));
    assert_int_equal(world_propose(&world, grows, 0, n1, 1), LSCHED_OK);
    assert_int_equal(k->c[C_QUEUE_HEAP].u32[q], bundle_of(starts));
    expect_sound();
}

static void parked_bundles_wake_from_their_list(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t job[5], q = world_queue_named(&world, "a");
    char name[4] = "j0";
    for (uint32_t i = 0; i < 5; i++) {
        name[1] = (char)('0' + i);
        job[i] = add_job(name, "a", i, (struct group_form){.min = 1, .cpu = 100 + i});
    }
    uint32_t shape = group_shape(k, k->c[C_JOB_SHAPE].u32[job[0]], 0);
    assert_int_equal(world_park(&world, job[0], PARKED_SHAPE, shape, LSCHED_WAIT_ROOM), LSCHED_OK);
    assert_int_equal(world_park(&world, job[1], PARKED_QUEUE, q, LSCHED_WAIT_LIMIT), LSCHED_OK);
    assert_int_equal(world_park(&world, job[2], PARKED_NEVER, 0, LSCHED_WAIT_NEVER_FITS),
                     LSCHED_OK);
    assert_int_equal(world_park(&world, job[3], PARKED_REFRESH, 0, LSCHED_WAIT_POLICY), LSCHED_OK);
    assert_int_equal(world_park(&world, job[4], PARKED_ANY, 0, LSCHED_WAIT_GANG), LSCHED_OK);
    expect_sound();
    assert_true(meta(k, M_ACTIVE) == 0 && meta(k, M_PARKED_JOBS) == 5);
    uint32_t more =
        add_job("more", "a", 7,
                (struct group_form){.min = 1, .cpu = 100}); /* joins a parked bundle, asleep */
    assert_int_equal(bundle_of(more), bundle_of(job[0]));
    assert_true(meta(k, M_ACTIVE) == 0 && meta(k, M_PARKED_JOBS) == 6);
    expect_sound();
    assert_int_equal(undo_begin(k), LSCHED_OK);
    assert_int_equal(bundles_wake_shape(k, shape), LSCHED_OK);
    assert_true(meta(k, M_ACTIVE) == 1 && meta(k, M_PARKED_JOBS) == 4);
    assert_int_equal(meta(k, M_PARKED_SHAPES), NO_ROW);
    assert_int_equal(bundles_wake_limited(k, q), LSCHED_OK);
    assert_int_equal(bundles_wake_never(k), LSCHED_OK);
    assert_int_equal(bundles_wake_refresh(k, 0), LSCHED_OK);
    expect_sound();
    assert_int_equal(bundles_wake_any(k), LSCHED_OK);
    undo_end(k);
    assert_true(meta(k, M_ACTIVE) == 5 && meta(k, M_PARKED_JOBS) == 0);
    expect_sound();
}

static void refused_jobs_wait_in_order_of_refusal(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t job[3], org = world_queue_named(&world, "org");
    static const char *const names[] = {"x", "y", "z"};
    for (int i = 0; i < 3; i++) {
        struct job_form f = {.name = names[i],
                             .queue = world_queue_named(&world, "a"),
                             .n_groups = 1,
                             .groups = {{.min = 1}}};
        assert_int_equal(world_job(&world, &f, &job[i]), LSCHED_OK);
    }
    assert_int_equal(world_refuse(&world, job[2], "no"), LSCHED_OK);
    assert_int_equal(world_refuse(&world, job[0], "no"), LSCHED_OK);
    assert_true(meta(k, M_REFUSED_HEAD) == job[2] && meta(k, M_REFUSED_TAIL) == job[0] &&
                meta(k, M_REFUSED_JOBS) == 2);
    assert_true(meta(k, M_WAIT_HEAD) == job[1] && meta(k, M_WAIT_TAIL) == job[1]);
    assert_int_equal(table_live(k, T_STRING), 1 + 2); /* one reason; two device models */
    assert_int_equal(k->c[C_QUEUE_PENDING].u64[org], 3);
    expect_sound();
    assert_int_equal(undo_begin(k), LSCHED_OK);
    job_ask_again(k, job[2]);
    undo_end(k);
    expect_sound();
    assert_int_equal(world_admit(&world, job[0]), LSCHED_OK);
    assert_int_equal(table_live(k, T_STRING), 2);
    expect_sound();
}

/* ---- random sequences ---- */

enum { JOBS = 24 };

static void random_place(struct chance *c, uint32_t job) {
    const struct columns *k = &world.k;
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job], held = job_leaf_held(k, job, 0),
             first = group_row(k, shape, 0);
    uint32_t min = k->c[C_GROUP_MIN].u32[first], max = k->c[C_GROUP_MAX].u32[first];
    uint32_t least = held < min ? min - held : 1;
    if (k->c[C_JOB_PHASE].u8[job] != JOB_QUEUED || held + least > max) return;
    uint32_t n = least + chance_below(c, max - held - least + 1);
    int32_t rc = world_propose(&world, job, 0, chance_below(c, 3), n);
    assert_true(rc == LSCHED_OK || rc == LSCHED_E_STATE); /* no room: rolled back */
}

static void random_task(struct chance *c, uint32_t job) {
    uint32_t index = chance_below(c, 10), state = state_of(job, index);
    if (task_find(&world.k, job, index) == NO_ROW && chance_one_in(c, 8) &&
        index < world.k.c[C_JOBSHAPE_TASKS].u32[world.k.c[C_JOB_SHAPE].u32[job]])
        assert_int_equal(world_import(&world, job, index, chance_below(c, 3)), LSCHED_OK);
    else if (state == LSCHED_TASK_PROPOSED && chance_one_in(c, 2))
        assert_int_equal(world_confirm(&world, job, index), LSCHED_OK);
    else if ((state == LSCHED_TASK_PROPOSED || state == LSCHED_TASK_CONFIRMED) &&
             chance_one_in(c, 2))
        assert_int_equal(world_start(&world, job, index), LSCHED_OK);
    else if (state == LSCHED_TASK_RUNNING && chance_one_in(c, 2))
        assert_int_equal(world_release(&world, job, index, LSCHED_TASK_DONE), LSCHED_OK);
    else if (task_holds((uint8_t)state) && chance_one_in(c, 2))
        assert_int_equal(world_release(&world, job, index, LSCHED_TASK_NONE), LSCHED_OK);
}

static void random_step(struct chance *c) {
    char name[8];
    snprintf(name, sizeof name, "j%u", chance_below(c, JOBS));
    uint32_t job = world_job_named(&world, name);
    if (job == NO_ROW) {
        uint32_t max = 1 + chance_below(c, 10);
        struct group_form g = {
            .cpu = 4000 + 4000 * chance_below(c, 3), .max = max, .min = chance_below(c, max + 1)};
        if (chance_one_in(c, 2))
            g.devices = 1 + chance_below(c, 2), g.milli = chance_one_in(c, 2) ? 1000 : 250;
        add_job(name, chance_one_in(c, 2) ? "a" : "b", chance_between(c, 0, 5), g);
    } else if (chance_one_in(c, 30)) {
        assert_int_equal(world_remove_job(&world, job), LSCHED_OK);
    } else if (chance_one_in(c, 12) && world.k.c[C_JOB_PHASE].u8[job] == JOB_QUEUED &&
               world.k.c[C_BUNDLE_STATE].u8[bundle_of(job)] == BUNDLE_ACTIVE) {
        uint32_t shape = group_shape(&world.k, world.k.c[C_JOB_SHAPE].u32[job], 0);
        assert_int_equal(world_park(&world, job, PARKED_SHAPE, shape, LSCHED_WAIT_ROOM), LSCHED_OK);
    } else if (chance_one_in(c, 4)) {
        random_place(c, job);
    } else {
        random_task(c, job);
    }
}

static void random_sequences_stay_sound(void **unused) {
    (void)unused;
    uint64_t seed = chance_seed(2718);
    print_message("seed %llu\n", (unsigned long long)seed);
    struct chance c = {seed};
    for (uint32_t round = chance_rounds(6000); round > 0; round--) {
        random_step(&c);
        expect_sound();
    }
}

/* ---- out of memory ---- */

/* A world is filled with the nth allocation failing: the call that meets it is undone to the
 * last word, or it was one of a cache and nobody can tell. */
static void a_failing_allocation_changes_nothing(void **unused) {
    (void)unused;
    struct model_world full;
    assert_int_equal(world_open(&full, NULL), LSCHED_OK);
    assert_int_equal(world_fill(&full, 0), LSCHED_OK);
    uint64_t whole = image_hash(&full.k);
    world_close(&full);
    for (uint64_t n = 1;; n++) {
        struct model_world w;
        struct fault_alloc f = {0};
        lsched_allocator hooks = fault_hooks(&f);
        f.fail_at = n;
        int32_t rc = world_open(&w, &hooks);
        if (rc == LSCHED_OK) {
            w.watch = 1;
            rc = world_fill(&w, 0);
            assert_int_equal(w.broken, 0);
            lsched_error err = LSCHED_ERROR_INIT;
            f.fail_at = 0;
            if (verify_state(&w.k, &err) != LSCHED_OK)
                fail_msg("allocation %llu: %s", (unsigned long long)n, err.message);
        }
        int done = f.failures == 0;
        if (rc == LSCHED_OK)
            assert_true(image_hash(&w.k) == whole);
        else
            assert_int_equal(rc, LSCHED_E_NOMEM);
        if (done) assert_int_equal(rc, LSCHED_OK);
        world_close(&w);
        assert_int_equal(f.live_blocks, 0);
        assert_int_equal(f.wrong_sizes, 0);
        if (done) break;
    }
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(a_task_goes_through_its_states),
        TEST(a_full_job_leaves_its_bundle_and_comes_back),
        TEST(a_gang_below_its_minimum_loses_what_is_proposed),
        TEST(groups_are_satisfied_by_the_tree),
        TEST(an_import_may_begin_anywhere),
        TEST(equal_jobs_share_a_bundle_in_order),
        TEST(growth_comes_after_starting_at_equal_keys),
        TEST(parked_bundles_wake_from_their_list),
        TEST(refused_jobs_wait_in_order_of_refusal),
        TEST(random_sequences_stay_sound),
        cmocka_unit_test(a_failing_allocation_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
