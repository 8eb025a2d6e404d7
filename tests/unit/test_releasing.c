/* What evictions do to rows: every transition of model/jobs/releasing.h as numbers, random
 * sequences that the verifier judges after each step and that copies follow, and failing allocations that
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
#include "model/jobs/nominated_tasks.h"
#include "model/jobs/decision_reject.h"
#include "model/jobs/task.h"
#include "model/jobs/releasing.h"
#include "model/image/image.h"
#include "model/image/meaning.h"
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

/* Three nodes of 8 A100; queues a and b below org. */
static int open_world(void **unused) {
    (void)unused;
    uint32_t row, org;
    return world_open(&world, NULL) || world_topology(&world) ||
           world_node(&world, "n1", 64000, 8, 0, "r1", &row) ||
           world_node(&world, "n2", 64000, 8, 0, "r2", &row) ||
           world_node(&world, "n3", 64000, 8, 0, "r2", &row) ||
           world_queue(&world, "org", NO_ROW, &org) || world_queue(&world, "a", org, &row) ||
           world_queue(&world, "b", org, &row);
}

static int close_world(void **unused) {
    (void)unused;
    world_close(&world);
    return 0;
}

static uint32_t add_job(const char *name, const char *queue, struct group_form g) {
    struct job_form f = {
        .name = name, .queue = world_queue_named(&world, queue), .n_groups = 1, .groups = {g}};
    uint32_t job = NO_ROW;
    assert_int_equal(world_job(&world, &f, &job), LSCHED_OK);
    assert_int_equal(world_admit(&world, job), LSCHED_OK);
    return job;
}

static uint32_t node(const char *name) {
    return world_node_named(&world, name);
}

static int64_t used(const char *queue) {
    return world.k.c[C_QUEUE_USED + LSCHED_GPU].i64[world_queue_named(&world, queue)];
}

static int64_t free_gpu(const char *name) {
    return world.k.c[C_NODE_FREE + LSCHED_GPU].i64[node(name)];
}

static int64_t coming_gpu(const char *name) {
    return world.k.c[C_NODE_COMING + LSCHED_GPU].i64[node(name)];
}

static uint32_t state_of(uint32_t job, uint32_t index) {
    uint32_t t = task_find(&world.k, job, index);
    return t == NO_ROW ? LSCHED_TASK_NONE : world.k.c[C_TASK_STATE].u8[t];
}

static uint32_t phase(uint32_t job) {
    return world.k.c[C_JOB_PHASE].u8[job];
}

static uint64_t next_group(void) {
    return meta(&world.k, M_GROUP_SERIAL) + 1;
}

/* A job of n tasks with `gpus` each that run on a node. */
static uint32_t runs(const char *name, const char *queue, const char *where, uint32_t n,
                     uint32_t min, uint32_t gpus) {
    uint32_t job = add_job(
        name, queue,
        (struct group_form){.max = n, .min = min, .devices = gpus, .milli = gpus ? 1000 : 0});
    assert_int_equal(world_propose(&world, job, 0, node(where), n), LSCHED_OK);
    for (uint32_t i = 0; i < n; i++) assert_int_equal(world_start(&world, job, i), LSCHED_OK);
    return job;
}

static uint32_t wants(const char *name, const char *queue, uint32_t n, uint32_t gpus) {
    return add_job(name, queue,
                   (struct group_form){.max = n, .min = n, .devices = gpus, .milli = 1000});
}

/* ---- one task ---- */

static void what_is_evicted_waits_and_still_runs(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t job = runs("j", "a", "n1", 1, 1, 4), other = wants("other", "b", 1, 8);
    assert_int_equal(world_evict(&world, job, 0, next_group(), LSCHED_FOR_RECLAIM, other),
                     LSCHED_OK);
    assert_int_equal(state_of(job, 0), LSCHED_TASK_NONE);
    assert_int_equal(used("a"), 0); /* not charged any more */
    assert_int_equal(free_gpu("n1"), 4000);
    assert_int_equal(coming_gpu("n1"), 4000);
    assert_int_equal(meta(k, M_LEAVING), 1);
    assert_int_equal(job_releasing(k, job), 1);
    assert_int_equal(phase(job), JOB_RELEASING); /* and nothing of it is placed anew */
    uint32_t d = world_decision(&world, job, 0, 1);
    assert_int_equal(k->c[C_DECISION_KIND].u8[d], LSCHED_DECIDE_EVICT);
    assert_int_equal((uint32_t)k->c[C_DECISION_FOR_JOB].u64[d], other);
    assert_int_equal(k->c[C_DECISION_AT].i64[d], (int64_t)meta(k, M_NOW) + 60000000);
    expect_sound();
    assert_int_equal(world_left(&world, job, 0), LSCHED_OK);
    assert_int_equal(free_gpu("n1"), 8000);
    assert_int_equal(coming_gpu("n1"), 0);
    assert_int_equal(k->c[C_NODE_FUTURE].u32[node("n1")], 0);
    assert_int_equal(phase(job), JOB_QUEUED);
    assert_int_equal(table_live(k, T_TASK) + table_live(k, T_DECISION), 0);
    expect_sound();
}

static void usage_of(uint32_t job) {
    struct columns *k = &world.k;
    uint32_t task = task_find(k, job, 0);
    assert_int_equal(undo_begin(k), LSCHED_OK);
    uint32_t u = row_new(k, T_USAGE);
    assert_int_not_equal(u, NO_ROW);
    set_u32(k, C_USAGE_TASK, u, task);
    set_u32(k, C_USAGE_KIND, u, LSCHED_GPU);
    set_u32(k, C_USAGE_NEXT, u, NO_ROW);
    set_i64(k, C_USAGE_AMOUNT, u, 77);
    set_u32(k, C_TASK_USAGE, task, u);
    undo_end(k);
}

static void what_is_refused_is_as_before(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t job = runs("j", "a", "n1", 3, 2, 2), told;
    usage_of(job);
    uint64_t before = meaning_hash(k);
    int64_t start = k->c[C_TASK_START].i64[task_find(k, job, 0)];
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(world_evict(&world, job, 2 - i, next_group(), LSCHED_FOR_PREEMPT, NO_ROW),
                         LSCHED_OK);
        expect_sound();
    }
    assert_int_not_equal(meaning_hash(k), before);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(world_reject(&world, world_decision(&world, job, i, 1), &told), LSCHED_OK);
        assert_int_equal(told, 0);
        expect_sound();
    }
    assert_true(meaning_hash(k) == before);
    assert_int_equal(k->c[C_TASK_START].i64[task_find(k, job, 0)], start);
    assert_int_not_equal(k->c[C_TASK_USAGE].u32[task_find(k, job, 0)], NO_ROW);
    assert_int_equal(meta(k, M_LEAVING) + meta(k, M_OPEN_COUNT), 0);
    assert_int_equal(phase(job), JOB_FULL);
}

static void undo_brings_back_every_word(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t job = runs("j", "a", "n1", 12, 2, 0), other = wants("other", "b", 1, 8), row, decision;
    uint64_t image = image_hash(k);
    struct evict_spec s = {.now = (int64_t)meta(k, M_NOW),
                           .release_at = (int64_t)meta(k, M_NOW) + 5,
                           .group = next_group(),
                           .reason = LSCHED_FOR_RECLAIM};
    assert_int_equal(undo_begin(k), LSCHED_OK);
    set_meta(k, M_GROUP_SERIAL, s.group);
    for (uint32_t i = 0; i < 12; i++)
        assert_int_equal(task_evict(k, task_find(k, job, i), &s, &row, &decision), LSCHED_OK);
    struct place_spec p = {.job = other,
                           .node = node("n1"),
                           .hold = {.mask = 0xff},
                           .index = NO_ROW,
                           .state = LSCHED_TASK_NOMINATED,
                           .now = s.now,
                           .decision_group = s.group};
    assert_int_equal(task_place(k, &p, &row, &decision), LSCHED_OK);
    assert_int_equal(decision_reject(k, decision, s.now, NULL, NULL), LSCHED_OK);
    undo_rollback(k, 0);
    undo_end(k);
    assert_true(image_hash(k) == image);
    expect_sound();
}

/* ---- claims ---- */

static void a_claim_counts_on_what_leaves(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t job = runs("j", "a", "n1", 1, 1, 8), gets = wants("gets", "b", 1, 8);
    uint64_t g = next_group();
    assert_int_equal(world_nominate(&world, gets, 0, node("n1"), NO_ROW, g), LSCHED_E_STATE);
    assert_int_equal(world_evict(&world, job, 0, g, LSCHED_FOR_RECLAIM, gets), LSCHED_OK);
    assert_int_equal(world_nominate(&world, gets, 0, node("n1"), NO_ROW, g), LSCHED_OK);
    assert_int_equal(state_of(gets, 0), LSCHED_TASK_NOMINATED);
    assert_int_equal(used("b"), 8000); /* charged like a place */
    assert_int_equal(coming_gpu("n1"), 0);
    assert_int_equal(phase(gets), JOB_FULL);
    assert_int_equal(meta(k, M_NOMINATED), 1);
    expect_sound();
    assert_int_equal(world_seat(&world, gets, 0), LSCHED_E_STATE); /* it still runs there */
    assert_int_equal(world_left(&world, job, 0), LSCHED_OK);
    uint32_t shape = group_shape(k, k->c[C_JOB_SHAPE].u32[job], 0);
    assert_false(node_fits(k, node("n1"), shape)); /* free, and spoken for */
    assert_int_equal(world_seat(&world, gets, 0), LSCHED_OK);
    assert_int_equal(state_of(gets, 0), LSCHED_TASK_PROPOSED);
    assert_int_equal(free_gpu("n1"), 0);
    assert_true(k->c[C_DECISION_GROUP].u64[world_decision(&world, gets, 0, 0)] > g);
    expect_sound();
    assert_int_equal(world_start(&world, gets, 0), LSCHED_OK);
    expect_sound();
}

static void free_room_that_a_claim_counts_on_is_not_given_to_others(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t job = runs("j", "a", "n1", 1, 1, 2), gets = wants("gets", "b", 1, 8),
             small = wants("small", "b", 1, 1);
    uint64_t g = next_group();
    assert_int_equal(world_evict(&world, job, 0, g, LSCHED_FOR_RECLAIM, gets), LSCHED_OK);
    assert_int_equal(world_nominate(&world, gets, 0, node("n1"), NO_ROW, g), LSCHED_OK);
    assert_int_equal(free_gpu("n1"), 6000);
    assert_int_equal(world_propose(&world, small, 0, node("n1"), 1), LSCHED_E_STATE);
    assert_int_equal(world_propose(&world, small, 0, node("n2"), 1), LSCHED_OK);
    assert_int_equal(meta(k, M_NOMINATED), 1);
    expect_sound();
}

static void refusing_a_claim_takes_back_its_evictions(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t a = runs("a", "a", "n1", 1, 1, 8), b = runs("b", "a", "n2", 1, 1, 8),
             gets = wants("gets", "b", 2, 8), told;
    uint64_t g = next_group(), before = meaning_hash(k);
    assert_int_equal(world_evict(&world, a, 0, g, LSCHED_FOR_RECLAIM, gets), LSCHED_OK);
    assert_int_equal(world_evict(&world, b, 0, g, LSCHED_FOR_RECLAIM, gets), LSCHED_OK);
    /* both at once, as a gang of two would be half without the other */
    assert_int_equal(undo_begin(k), LSCHED_OK);
    uint32_t row, decision;
    for (uint32_t i = 0; i < 2; i++) {
        struct place_spec p = {.job = gets,
                               .node = node(i ? "n2" : "n1"),
                               .hold = {.mask = 0xff},
                               .index = NO_ROW,
                               .state = LSCHED_TASK_NOMINATED,
                               .now = (int64_t)meta(k, M_NOW),
                               .at = (int64_t)meta(k, M_NOW) + 60000000,
                               .decision_group = g};
        assert_int_equal(task_place(k, &p, &row, &decision), LSCHED_OK);
    }
    assert_int_equal(job_requeue(k, gets), LSCHED_OK);
    undo_end(k);
    expect_sound();
    assert_int_equal(world_reject(&world, decision, &told), LSCHED_OK);
    assert_int_equal(told, 3); /* the other claim and both evictions */
    assert_true(meaning_hash(k) == before);
    expect_sound();
}

static void what_was_agreed_stays_when_a_claim_is_refused(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t a = runs("a", "a", "n1", 1, 1, 8), gets = wants("gets", "b", 1, 8), told;
    uint64_t g = next_group();
    assert_int_equal(world_evict(&world, a, 0, g, LSCHED_FOR_RECLAIM, gets), LSCHED_OK);
    assert_int_equal(world_nominate(&world, gets, 0, node("n1"), NO_ROW, g), LSCHED_OK);
    assert_int_equal(undo_begin(k), LSCHED_OK);
    task_confirm(k, releasing_find(k, a, 0));
    undo_end(k);
    expect_sound();
    assert_int_equal(world_reject(&world, world_decision(&world, gets, 0, 0), &told), LSCHED_OK);
    assert_int_equal(told, 0);
    assert_int_equal(meta(k, M_LEAVING), 1);
    assert_int_equal(meta(k, M_NOMINATED), 0);
    expect_sound();
}

static void refusing_an_eviction_takes_the_claim_on_its_room(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t a = runs("a", "a", "n1", 1, 1, 8), gets = wants("gets", "b", 1, 8), told;
    uint64_t g = next_group(), before = meaning_hash(k);
    assert_int_equal(world_evict(&world, a, 0, g, LSCHED_FOR_RECLAIM, gets), LSCHED_OK);
    assert_int_equal(world_nominate(&world, gets, 0, node("n1"), NO_ROW, g), LSCHED_OK);
    assert_int_equal(undo_begin(k), LSCHED_OK);
    task_confirm(k, task_find(k, gets, 0)); /* even a claim that was agreed to */
    undo_end(k);
    assert_int_equal(world_reject(&world, world_decision(&world, a, 0, 1), &told), LSCHED_OK);
    assert_int_equal(told, 1);
    assert_true(meaning_hash(k) == before);
    expect_sound();
}

static void what_is_stuck_is_not_counted_on(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t a = runs("a", "a", "n1", 2, 1, 4), gets = wants("gets", "b", 1, 8);
    uint64_t g = next_group();
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(world_evict(&world, a, i, g, LSCHED_FOR_RECLAIM, gets), LSCHED_OK);
    assert_int_equal(world_nominate(&world, gets, 0, node("n1"), NO_ROW, g), LSCHED_OK);
    assert_int_equal(world_stuck(&world, a, 1), LSCHED_OK);
    assert_int_equal(state_of(gets, 0), LSCHED_TASK_NONE);
    assert_int_equal(coming_gpu("n1"), 4000);
    assert_int_equal(k->c[C_NODE_FUTURE].u32[node("n1")], 2);
    expect_sound();
    assert_int_equal(world_left(&world, a, 1), LSCHED_OK); /* late, but gone */
    assert_int_equal(coming_gpu("n1"), 4000);
    assert_int_equal(free_gpu("n1"), 4000);
    expect_sound();
    assert_int_equal(world_reject(&world, world_decision(&world, a, 0, 1), NULL), LSCHED_OK);
    assert_int_equal(coming_gpu("n1"), 0);
    expect_sound();
}

static void shrinking_and_imports_take_claims_away(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t a = runs("a", "a", "n1", 1, 1, 8), early = wants("early", "b", 1, 4),
             late = wants("late", "b", 1, 4);
    uint64_t g = next_group();
    assert_int_equal(world_evict(&world, a, 0, g, LSCHED_FOR_RECLAIM, early), LSCHED_OK);
    assert_int_equal(world_nominate(&world, early, 0, node("n1"), NO_ROW, g), LSCHED_OK);
    assert_int_equal(world_nominate(&world, late, 0, node("n1"), NO_ROW, g + 1), LSCHED_OK);
    assert_int_equal(undo_begin(k), LSCHED_OK);
    assert_int_equal(node_set_capacity(k, node("n1"), LSCHED_CPU, 1500), LSCHED_OK);
    assert_int_equal(node_trim_nominations(k, node("n1"), (int64_t)meta(k, M_NOW), NULL, NULL),
                     LSCHED_OK);
    undo_end(k);
    assert_int_equal(state_of(early, 0), LSCHED_TASK_NOMINATED); /* the later one goes */
    assert_int_equal(state_of(late, 0), LSCHED_TASK_NONE);
    expect_sound();
}

/* ---- moves ---- */

static void a_task_that_moves_is_in_two_places_and_counts_once(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t job = runs("j", "a", "n1", 2, 2, 4);
    uint64_t g = next_group();
    assert_int_equal(world_evict(&world, job, 0, g, LSCHED_FOR_CONSOLIDATE, NO_ROW), LSCHED_OK);
    assert_int_equal(world_nominate(&world, job, 0, node("n2"), 0, g), LSCHED_OK);
    assert_int_equal(k->c[C_DECISION_KIND].u8[world_decision(&world, job, 0, 1)],
                     LSCHED_DECIDE_MIGRATE);
    assert_int_equal(used("a"), 8000);
    assert_int_equal(phase(job), JOB_FULL);
    assert_true(job_satisfied(k, job));
    expect_sound();
    assert_int_equal(world_left(&world, job, 0), LSCHED_OK);
    assert_int_equal(world_seat(&world, job, 0), LSCHED_OK);
    assert_int_equal(world_start(&world, job, 0), LSCHED_OK);
    assert_int_equal(k->c[C_TASK_NODE].u32[task_find(k, job, 0)], node("n2"));
    assert_int_equal(free_gpu("n1"), 4000);
    expect_sound();
}

static void a_move_that_is_refused_stays_where_it_is(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t job = runs("j", "a", "n1", 2, 2, 4), told;
    uint64_t before = meaning_hash(k);
    for (int releasing = 0; releasing < 2; releasing++) {
        uint64_t g = next_group();
        assert_int_equal(world_evict(&world, job, 1, g, LSCHED_FOR_CONSOLIDATE, NO_ROW), LSCHED_OK);
        assert_int_equal(world_nominate(&world, job, 0, node("n2"), 1, g), LSCHED_OK);
        assert_int_equal(world_reject(&world, world_decision(&world, job, 1, releasing), &told),
                         LSCHED_OK);
        assert_int_equal(told, 1);
        assert_true(meaning_hash(k) == before);
        expect_sound();
    }
}

static void what_is_lost_on_the_way(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t job = runs("j", "a", "n1", 2, 1, 4);
    uint64_t g = next_group();
    assert_int_equal(world_evict(&world, job, 0, g, LSCHED_FOR_CONSOLIDATE, NO_ROW), LSCHED_OK);
    assert_int_equal(world_nominate(&world, job, 0, node("n2"), 0, g), LSCHED_OK);
    assert_int_equal(world_remove_node(&world, node("n2")), LSCHED_OK); /* where it was to go */
    assert_int_equal(state_of(job, 0), LSCHED_TASK_NONE);
    assert_int_equal(meta(k, M_LEAVING), 1);
    expect_sound();
    assert_int_equal(world_remove_node(&world, node("n1")), LSCHED_OK); /* and where it is */
    assert_int_equal(meta(k, M_LEAVING), 0);
    assert_int_equal(table_live(k, T_TASK), 0);
    expect_sound();
}

static void a_job_goes_with_all_it_left(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t job = runs("j", "a", "n1", 10, 2, 0);
    uint64_t g = next_group();
    for (uint32_t i = 0; i < 10; i += 2)
        assert_int_equal(world_evict(&world, job, i, g, LSCHED_FOR_RECLAIM, NO_ROW), LSCHED_OK);
    assert_int_equal(world_nominate(&world, job, 0, node("n3"), 4, g), LSCHED_OK);
    expect_sound();
    assert_int_equal(world_remove_job(&world, job), LSCHED_OK);
    assert_int_equal(table_live(k, T_TASK) + table_live(k, T_DECISION) + table_live(k, T_LEAF), 0);
    assert_int_equal(meta(k, M_LEAVING) + meta(k, M_NOMINATED), 0);
    expect_sound();
}

/* ---- random sequences ---- */

enum { JOBS = 16, NODES = 3 };

static uint32_t random_node(struct chance *c) {
    char name[4] = {'n', (char)('1' + chance_below(c, NODES)), 0};
    return node(name);
}

static uint32_t random_victim(struct chance *c, uint32_t *index) {
    const struct columns *k = &world.k;
    for (uint32_t tries = 0; tries < 20; tries++) {
        uint32_t t = chance_below(c, table_rows(k, T_TASK) + 1);
        if (t >= table_rows(k, T_TASK) || !row_is_live(k, T_TASK, t) ||
            k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RUNNING)
            continue;
        *index = k->c[C_TASK_INDEX].u32[t];
        uint32_t job = k->c[C_TASK_JOB].u32[t];
        return releasing_find(k, job, *index) == NO_ROW ? job : NO_ROW;
    }
    return NO_ROW;
}

/* Stop a few, and claim what they leave, or let one of them go on there. */
static void random_eviction(struct chance *c) {
    struct columns *k = &world.k;
    uint64_t g = next_group();
    uint32_t index, n = 1 + chance_below(c, 3), victim[3], of[3];
    char name[8];
    snprintf(name, sizeof name, "j%u", chance_below(c, JOBS));
    uint32_t gets = world_job_named(&world, name);
    for (uint32_t i = 0; i < n; i++) {
        victim[i] = random_victim(c, &index);
        of[i] = index;
        if (victim[i] == NO_ROW) return;
        assert_int_equal(world_evict(&world, victim[i], index, g, LSCHED_FOR_RECLAIM, gets),
                         LSCHED_OK);
        expect_sound();
        if (!chance_one_in(c, 3) || !job_satisfied(k, victim[i])) continue;
        int32_t rc = world_nominate(&world, victim[i], 0, random_node(c), of[i], g);
        assert_true(rc == LSCHED_OK || rc == LSCHED_E_STATE);
    }
    if (gets == NO_ROW || phase(gets) != JOB_QUEUED) return;
    uint32_t shape = k->c[C_JOB_SHAPE].u32[gets], held = job_leaf_held(k, gets, 0);
    if (held + 1 < k->c[C_GROUP_MIN].u32[group_row(k, shape, 0)]) return;
    int32_t rc = world_nominate(&world, gets, 0, random_node(c), NO_ROW, g);
    assert_true(rc == LSCHED_OK || rc == LSCHED_E_STATE);
}

static void random_settling(struct chance *c) {
    struct columns *k = &world.k;
    uint32_t d = (uint32_t)meta(k, M_OPEN_HEAD);
    for (uint32_t n = chance_below(c, (uint32_t)meta(k, M_OPEN_COUNT) + 1); n > 0 && d != NO_ROW;
         n--)
        d = k->c[C_DECISION_NEXT].u32[d];
    if (d == NO_ROW) return;
    uint32_t t = k->c[C_DECISION_TASK].u32[d];
    if (chance_one_in(c, 3)) {
        assert_int_equal(world_reject(&world, d, NULL), LSCHED_OK);
    } else if (k->c[C_DECISION_STATE].u8[d] == LSCHED_DECISION_PROPOSED) {
        assert_int_equal(undo_begin(k), LSCHED_OK);
        task_confirm(k, t);
        undo_end(k);
    }
}

static void random_news(struct chance *c, uint32_t job) {
    const struct columns *k = &world.k;
    uint32_t index = chance_below(c, 12), t = task_find(k, job, index);
    if (releasing_find(k, job, index) != NO_ROW) {
        if (chance_one_in(c, 4))
            assert_int_equal(world_stuck(&world, job, index), LSCHED_OK);
        else
            assert_int_equal(world_left(&world, job, index), LSCHED_OK);
    } else if (t != NO_ROW && k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NOMINATED) {
        int32_t rc = world_seat(&world, job, index);
        assert_true(rc == LSCHED_OK || rc == LSCHED_E_STATE);
    } else if (state_of(job, index) == LSCHED_TASK_PROPOSED ||
               state_of(job, index) == LSCHED_TASK_CONFIRMED) {
        assert_int_equal(world_start(&world, job, index), LSCHED_OK);
    } else if (state_of(job, index) == LSCHED_TASK_RUNNING && chance_one_in(c, 6)) {
        assert_int_equal(world_release(&world, job, index,
                                       chance_one_in(c, 2) ? LSCHED_TASK_DONE : LSCHED_TASK_NONE),
                         LSCHED_OK);
    }
}

static void random_job(struct chance *c, const char *name) {
    uint32_t max = 1 + chance_below(c, 10);
    struct group_form g = {.cpu = 4000, .max = max, .min = chance_below(c, max + 1)};
    if (!chance_one_in(c, 3)) g.devices = 1 + chance_below(c, 2), g.milli = 1000;
    add_job(name, chance_one_in(c, 2) ? "a" : "b", g);
}

static void random_step(struct chance *c) {
    const struct columns *k = &world.k;
    char name[8];
    snprintf(name, sizeof name, "j%u", chance_below(c, JOBS));
    uint32_t job = world_job_named(&world, name);
    if (job == NO_ROW) {
        random_job(c, name);
    } else if (chance_one_in(c, 40)) {
        assert_int_equal(world_remove_job(&world, job), LSCHED_OK);
    } else if (chance_one_in(c, 6)) {
        random_eviction(c);
    } else if (chance_one_in(c, 4)) {
        random_settling(c);
    } else if (chance_one_in(c, 4) && phase(job) == JOB_QUEUED) {
        uint32_t shape = k->c[C_JOB_SHAPE].u32[job], held = job_leaf_held(k, job, 0),
                 first = group_row(k, shape, 0), min = k->c[C_GROUP_MIN].u32[first];
        uint32_t least = held < min ? min - held : 1;
        if (held + least > k->c[C_GROUP_MAX].u32[first]) return;
        int32_t rc = world_propose(&world, job, 0, random_node(c), least);
        assert_true(rc == LSCHED_OK || rc == LSCHED_E_STATE);
    } else {
        random_news(c, job);
    }
}

static void random_sequences_stay_sound(void **unused) {
    (void)unused;
    uint64_t seed = chance_seed(31415), most = 0, moves = 0, claims = 0;
    print_message("seed %llu\n", (unsigned long long)seed);
    struct chance c = {seed};
    for (uint32_t round = chance_rounds(8000); round > 0; round--) {
        random_step(&c);
        expect_sound();
        if (meta(&world.k, M_LEAVING) > most) most = meta(&world.k, M_LEAVING);
        claims += meta(&world.k, M_NOMINATED) > 0;
        for (uint32_t d = 0; d < table_rows(&world.k, T_DECISION); d++)
            moves += row_is_live(&world.k, T_DECISION, d) &&
                     world.k.c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_MIGRATE;
    }
    print_message("at most %llu left at once; claims in %llu steps, moves in %llu\n",
                  (unsigned long long)most, (unsigned long long)claims, (unsigned long long)moves);
    assert_true(chance_rounds(8000) < 1000 || (most > 2 && moves > 20 && claims > 20));
}

static void a_copy_has_all_that_is_open(void **unused) {
    (void)unused;
    struct model_world a, b;
    assert_int_equal(world_open(&a, NULL), LSCHED_OK);
    assert_int_equal(world_fill(&a, 0), LSCHED_OK);
    assert_int_equal(world_open(&b, NULL), LSCHED_OK);
    assert_int_equal(columns_copy(&b.k, &a.k), LSCHED_OK);
    assert_true(image_hash(&a.k) == image_hash(&b.k));
    struct model_world *both[] = {&a, &b};
    for (int i = 0; i < 2; i++) {
        struct model_world *w = both[i];
        uint32_t claims = world_job_named(w, "claims"), moves = world_job_named(w, "moves");
        assert_int_equal(world_left(w, moves, 0), LSCHED_OK);
        assert_int_equal(world_left(w, moves, 1), LSCHED_OK);
        assert_int_equal(world_seat(w, claims, 0), LSCHED_OK);
        assert_int_equal(world_seat(w, moves, 1), LSCHED_OK);
        assert_int_equal(world_seat(w, moves, 0), LSCHED_OK);
        assert_int_equal(verify_state(&w->k, NULL), LSCHED_OK);
    }
    assert_true(image_hash(&a.k) == image_hash(&b.k));
    world_close(&a);
    world_close(&b);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(what_is_evicted_waits_and_still_runs),
        TEST(what_is_refused_is_as_before),
        TEST(undo_brings_back_every_word),
        TEST(a_claim_counts_on_what_leaves),
        TEST(free_room_that_a_claim_counts_on_is_not_given_to_others),
        TEST(refusing_a_claim_takes_back_its_evictions),
        TEST(what_was_agreed_stays_when_a_claim_is_refused),
        TEST(refusing_an_eviction_takes_the_claim_on_its_room),
        TEST(what_is_stuck_is_not_counted_on),
        TEST(shrinking_and_imports_take_claims_away),
        TEST(a_task_that_moves_is_in_two_places_and_counts_once),
        TEST(a_move_that_is_refused_stays_where_it_is),
        TEST(what_is_lost_on_the_way),
        TEST(a_job_goes_with_all_it_left),
        TEST(random_sequences_stay_sound),
        cmocka_unit_test(a_copy_has_all_that_is_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
