/*
 * test_verify_rows.c -- rows and contents that are wrong in more than one word, so that no single
 * change reaches the check that is meant for them: canonical bytes and the columns that repeat them
 * are changed alike, lists and counts follow. Each is refused by that check.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/verify/verify.h"
#include "model/jobs/job_sizes.h"
#include "model/budgets/eviction_count.h"
#include "model/image/state.h"
#include "model/pressure/memory_pressure.h"
#include "model/jobs/task_row.h"
#include "model/jobs/releasing.h"
#include "model/jobs/job.h"
#include "model/jobs/job_cost.h"
#include "model/resizes/resize.h"
#include "model/resizes/resize_list.h"
#include "model/shapes/daily_demand.h"
#include "model/store/generation.h"
#include "model/nodes/node.h"
#include "model/told/decision.h"
#include "model/told/decision_life.h"
#include "model/shapes/resource_kind.h"
#include "model/shapes/shape.h"
#include "support/model_world.h"
#include "support/verify_refused.h"

static struct model_world world;
#define K (&world.k)

static int open_world(void **unused) {
    (void)unused;
    return world_open(&world, NULL) != LSCHED_OK || world_fill(&world, 0) != LSCHED_OK;
}

static int open_empty_world(void **unused) {
    (void)unused;
    return world_open(&world, NULL) != LSCHED_OK;
}

static int close_world(void **unused) {
    (void)unused;
    world_close(&world);
    return 0;
}

static void expect_sound(void) {
    verify_sound(K);
}

static void expect_refused(const char *part) {
    verify_refused(K, part);
}

static uint32_t job_named(const char *name) {
    return world_job_named(&world, name);
}

static uint32_t jobshape_of(const char *job) {
    return K->c[C_JOB_SHAPE].u32[job_named(job)];
}

static uint32_t shape_of(const char *job) {
    return group_shape(K, jobshape_of(job), 0);
}

/* ---- contents ---- */

static void index_anew(uint32_t table, uint32_t index) {
    memset(K->c[table_first[index]].u8, 0, (size_t)K->capacity[index] * sizeof(uint32_t));
    set_meta(K, META_TABLE(index, TW_LIVE), 0);
    for (uint32_t row = 0; row < table_rows(K, table); row++)
        if (row_is_live(K, table, row)) index_add(K, index, row);
}

/* Each place of these bytes in a text gets others; the hash follows. How many there were. */
static uint32_t replace(uint32_t in, const void *old, const void *now, size_t n) {
    uint32_t len = text_len(K, in), found = 0;
    uint8_t *p = (uint8_t *)&K->c[C_TEXT_WORD].u64[in + 1];
    for (uint32_t i = 0; i + n <= len; i++) {
        if (memcmp(p + i, old, n) != 0) continue;
        memcpy(p + i, now, n);
        found++;
    }
    K->c[C_TEXT_WORD].u64[in] = (uint64_t)text_hash_of(p, len) << 32 | len;
    return found;
}

/* The bytes of a task's shape, and of the jobs' shapes that repeat them. */
static void change_shape(uint32_t shape, const void *old, const void *now, size_t n) {
    static uint8_t before[LIMIT_SHAPE_BYTES];
    uint32_t blob = K->c[C_SHAPE_BLOB].u32[shape], len = text_len(K, blob), found = 0;
    assert_true(len <= sizeof before);
    memcpy(before, text_bytes(K, blob), len);
    assert_int_equal(replace(blob, old, now, n), 1);
    for (uint32_t j = 0; j < table_rows(K, T_JOBSHAPE); j++)
        if (row_is_live(K, T_JOBSHAPE, j))
            found += replace(K->c[C_JOBSHAPE_BLOB].u32[j], before, text_bytes(K, blob), len);
    assert_true(found > 0);
    index_anew(T_SHAPE, T_IX_SHAPE);
    index_anew(T_JOBSHAPE, T_IX_JOBSHAPE);
}

/* A group of a job's shape: its numbers in the bytes and in the columns. */
static void change_group(const char *job, uint32_t g, uint32_t parent, uint32_t children,
                         uint32_t min, uint32_t max) {
    uint32_t shape = jobshape_of(job), row = group_row(K, shape, g);
    uint32_t old[] = {K->c[C_GROUP_PARENT].u32[row], K->c[C_GROUP_CHILDREN].u32[row],
                      K->c[C_GROUP_MIN].u32[row], K->c[C_GROUP_MAX].u32[row]},
             now[] = {parent, children, min, max};
    assert_int_equal(replace(K->c[C_JOBSHAPE_BLOB].u32[shape], old, now, sizeof old), 1);
    index_anew(T_JOBSHAPE, T_IX_JOBSHAPE);
    K->c[C_GROUP_PARENT].u32[row] = parent;
    K->c[C_GROUP_CHILDREN].u32[row] = children;
    K->c[C_GROUP_MIN].u32[row] = K->c[C_GROUP_LEAST].u32[row] = min;
    K->c[C_GROUP_SPAN].u32[row] = children ? 0 : max;
    K->c[C_GROUP_MAX].u32[row] = K->c[C_GROUP_MEMBERS].u32[row] = max;
}

static void a_parent_that_comes_later_is_found(void **unused) {
    (void)unused;
    change_group("tree", 3, 3, 0, 1, 2);
    expect_refused("the parent of a group is not an inner group that comes before the group");
}

static void a_minimum_above_the_size_is_found(void **unused) {
    (void)unused;
    change_group("spread", 0, 0, 0, 9, 3);
    expect_refused("the minimum of a group is greater than its size");
}

static void too_many_tasks_are_found(void **unused) {
    (void)unused;
    change_group("spread", 0, 0, 0, 1, LSCHED_TASKS_PER_JOB_MAX + 1);
    expect_refused("too many tasks");
}

static void a_child_that_is_missing_is_found(void **unused) {
    (void)unused;
    change_group("tree", 0, 0, 3, 1, 0);
    expect_refused("the number of children of a group is wrong");
}

static void a_size_without_a_task_is_found(void **unused) {
    (void)unused;
    struct job_form f = {.name = "moldable",
                         .queue = world_queue_named(&world, "research"),
                         .groups = {{.min = 1, .max = 3, .cpu = 10, .fixed = 1}}};
    struct group_sizes n[LSCHED_GROUPS_PER_JOB_MAX];
    uint32_t job, shape;
    assert_int_equal(world_job(&world, &f, &job), LSCHED_OK);
    assert_int_equal(undo_begin(K), LSCHED_OK);
    jobshape_counts(K, K->c[C_JOB_SHAPE].u32[job], n);
    n[0].size = 2;
    assert_int_equal(jobshape_with_counts(K, K->c[C_JOB_SHAPE].u32[job], n, &shape), LSCHED_OK);
    assert_int_equal(job_sizes_take_shape(K, job, shape), LSCHED_OK);
    undo_end(K);
    expect_refused("has no tasks, but its group 0 has the chosen size 2");
}

static void a_share_above_a_device_is_found(void **unused) {
    (void)unused;
    uint32_t old[] = {2, 1000}, now[] = {2, 1001}, shape = shape_of("runs");
    change_shape(shape, old, now, sizeof old);
    K->c[C_SHAPE_DEVICE_MILLI].u32[shape] = 1001;
    expect_refused("devices that cannot be");
}

static void a_profile_of_no_device_is_found(void **unused) {
    (void)unused;
    uint32_t old[] = {1, 125}, now[] = {0, 125}, shape = shape_of("slots");
    change_shape(shape, old, now, sizeof old);
    K->c[C_SHAPE_DEVICES].u32[shape] = 0;
    expect_refused("it asks for a MIG profile, but for no device");
}

static void a_curve_above_its_request_is_found(void **unused) {
    (void)unused;
    int64_t old = 3000, now = 2002;
    uint32_t shape = shape_of("curves");
    change_shape(shape, &old, &now, sizeof old);
    K->c[C_SHAPE_REQ + LSCHED_CPU].i64[shape] = now;
    expect_refused("exceeds its request");
}

/* A job of one task with these amounts of each kind, and these steps over the day. */
static uint32_t daily_job(const struct task_spec *t) {
    struct group_spec g = {.min = 1, .max = 1};
    struct bytes b;
    uint32_t job;
    bytes_init(&b, &world.alloc);
    shape_encode_job(&b, 0, 0, 1);
    shape_encode_group(&b, &g);
    shape_encode_leaf(&b, 1);
    size_t at = shape_begin_task(&b);
    shape_encode_task(&b, t);
    shape_end_task(&b, at);
    struct job_spec spec = {.name = {"all", 3}, .shape_bytes = b.p, .shape_n = b.n};
    spec.queue = world_queue_named(&world, "alone");
    assert_int_equal(job_add(K, &spec, &job), LSCHED_OK);
    bytes_close(&b);
    return job;
}

/* The curve of the shape's last kind again, as that of the kind after it. */
static void add_curve(uint32_t shape) {
    uint32_t last = K->c[C_SHAPE_DAY].u32[shape] - 1, row = row_new(K, T_DAY);
    while (K->c[C_DAY_NEXT].u32[last]) last = K->c[C_DAY_NEXT].u32[last] - 1;
    uint32_t cells = block_new(K, BLOCKS_CELL, DAY_CELLS), from = K->c[C_DAY_CELLS].u32[last];
    K->c[C_DAY_NEXT].u32[last] = row + 1;
    K->c[C_DAY_KIND].u8[row] = (uint8_t)(K->c[C_DAY_KIND].u8[last] + 1);
    K->c[C_DAY_PEAK].i64[row] = K->c[C_DAY_PEAK].i64[last];
    K->c[C_DAY_CELLS].u32[row] = cells;
    for (uint32_t i = 0; i < DAY_CELLS; i++)
        K->c[C_CELL_NOW].i64[cells + i] = K->c[C_CELL_NOW].i64[from + i];
}

/* Four kinds over the day, the last in two steps; then the second of these is one of a fifth. */
static void too_many_curves_are_found(void **unused) {
    (void)unused;
    static const char *const names[] = {"k1", "k2", "k3", "k4", "k5"};
    enum { N = LIMIT_DAILY_KINDS + 1 };
    struct demand_spec demand[N];
    struct task_spec t = {.n_demand = N, .demand = demand, .daily = 1};
    int64_t noon = INT64_C(12) * 3600 * 1000000;
    assert_int_equal(undo_begin(K), LSCHED_OK);
    for (uint32_t i = 0; i < N; i++) {
        lsched_text name = {names[i], 2};
        assert_true(kind_add(K, names[i], 2) >= 0);
        t.request[t.n_request++] = (struct amount_spec){name, 8};
        demand[i] = (struct demand_spec){name, 0, 7};
    }
    demand[N - 1] = (struct demand_spec){{names[N - 2], 2}, noon, 7};
    uint32_t job = daily_job(&t);
    expect_sound();
    char old[10] = "k4", now[10] = "k5";
    memcpy(old + 2, &noon, 8);
    memcpy(now + 2, &noon, 8);
    uint32_t shape = group_shape(K, K->c[C_JOB_SHAPE].u32[job], 0);
    change_shape(shape, old, now, sizeof old);
    add_curve(shape);
    undo_end(K);
    expect_refused("has 5 daily demand curves");
}

/* ---- rows ---- */

static void a_leaf_of_nothing_is_found(void **unused) {
    (void)unused;
    struct job_form f = {.name = "once",
                         .queue = world_queue_named(&world, "alone"),
                         .n_groups = 1,
                         .groups = {{.min = 1, .max = 2, .cpu = 78}}};
    uint32_t job;
    assert_int_equal(world_job(&world, &f, &job), LSCHED_OK);
    assert_int_equal(world_admit(&world, job), LSCHED_OK);
    assert_int_equal(world_propose(&world, job, 0, world_node_named(&world, "n1"), 1), LSCHED_OK);
    assert_int_equal(world_start(&world, job, 0), LSCHED_OK);
    assert_int_equal(world_release(&world, job, 0, LSCHED_TASK_DONE), LSCHED_OK);
    expect_sound();
    uint32_t leaf = job_leaf(K, job, 0), task = K->c[C_LEAF_TASK_FIRST].u32[leaf];
    K->c[C_LEAF_TASK_FIRST].u32[leaf] = NO_ROW; /* begun once, and to be begun again */
    K->c[C_LEAF_AGAIN_FIRST].u32[leaf] = task;
    K->c[C_TASK_STATE].u8[task] = LSCHED_TASK_NONE;
    K->c[C_LEAF_DONE].u32[leaf] = 0;
    expect_refused("it has a leaf row, but nothing to record there");
}

static void two_leaves_of_a_group_are_found(void **unused) {
    (void)unused;
    uint32_t a = K->c[C_JOB_LEAVES].u32[job_named("tree")], b = K->c[C_LEAF_NEXT].u32[a];
    assert_int_not_equal(b, NO_ROW);
    K->c[C_LEAF_GROUP].u32[b] = K->c[C_LEAF_GROUP].u32[a];
    expect_refused("it has two leaf rows for one group");
}

static void a_job_that_leaves_nothing_is_found(void **unused) {
    (void)unused;
    uint32_t job = job_named("evicted");
    assert_int_equal(undo_begin(K), LSCHED_OK);
    for (uint32_t i = 1; i < 4; i++)
        assert_int_equal(releasing_end(K, releasing_find(K, job, i)), LSCHED_OK);
    undo_end(K);
    expect_refused("although 0 of its tasks are releasing");
}

static void a_reason_of_who_was_not_refused_is_found(void **unused) {
    (void)unused;
    uint32_t reason = K->c[C_JOB_REASON].u32[job_named("refused")];
    K->c[C_JOB_REASON].u32[job_named("runs")] = reason;
    K->c[C_STRING_REFS].u32[reason]++;
    expect_refused("has the reason of a refusal in phase");
}

static void a_retired_row_in_a_list_is_found(void **unused) {
    (void)unused;
    uint32_t row = world_node_named(&world, "n6");
    assert_int_equal(world_remove_node(&world, row), LSCHED_OK);
    assert_int_equal(row, meta(K, META_TABLE(T_NODE, TW_FREE_HEAD)));
    assert_int_equal(row, meta(K, META_TABLE(T_NODE, TW_FREE_TAIL)));
    K->c[C_META_WORD].u64[META_TABLE(T_NODE, TW_FREE_HEAD)] = NO_ROW;
    K->c[C_META_WORD].u64[META_TABLE(T_NODE, TW_FREE_TAIL)] = NO_ROW;
    K->c[C_NODE_GEN].u32[row] = generation_last(K) + 1;
    expect_sound(); /* its ids are used up */
    K->c[C_NODE_LINK].u32[row] = 0;
    expect_refused("is retired, but it is in a list");
}

static void numbers_that_come_free_are_found(void **unused) {
    (void)unused;
    static const struct {
        uint32_t table;
        const char *refused;
    } cases[] = {{T_TOPOLOGY, "2 topologies in 3 rows"}, {T_DERIVED, "2 quota kinds in 3 rows"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(undo_begin(K), LSCHED_OK);
        uint32_t row = row_new(K, cases[i].table);
        assert_int_not_equal(row, NO_ROW);
        row_free(K, cases[i].table, row);
        expect_refused(cases[i].refused);
        undo_rollback(K, 0);
        undo_end(K);
        expect_sound();
    }
}

static void a_domain_below_the_levels_is_found(void **unused) {
    (void)unused;
    uint32_t node, len = 4 + 4 + 4;
    assert_int_equal(world_topology(&world), LSCHED_OK); /* zone, rack */
    assert_int_equal(world_node(&world, "n", 1000, 0, 0, "r1", &node), LSCHED_OK);
    expect_sound();
    uint32_t text = K->c[C_TOPOLOGY_LEVELS].u32[0];
    memcpy(&K->c[C_TEXT_WORD].u64[text + 1], &len, 4); /* one key that is as long as both */
    K->c[C_TEXT_WORD].u64[text] =
        (uint64_t)text_hash_of(text_bytes(K, text), 16) << 32 | text_len(K, text);
    K->c[C_TOPOLOGY_N_LEVELS].u32[0] = 1;
    expect_refused("is at level 1");
}

static void a_state_without_kinds_is_found(void **unused) {
    (void)unused;
    struct alloc alloc;
    struct columns k;
    lsched_error err = LSCHED_ERROR_INIT;
    alloc_init(&alloc, NULL, 0);
    assert_int_equal(state_open(&k, &alloc), LSCHED_OK);
    assert_int_equal(verify_state(&k, &err), LSCHED_E_VERIFY);
    assert_string_equal(err.message, "there are 0 resource kinds: cpu, memory or gpu is missing");
    state_close(&k);
}

/* Only a set that lsched_schedule() accepts: known kinds, with PLACE; the default is 0. */
static void a_set_of_kinds_that_cannot_be_is_found(void **unused) {
    (void)unused;
    uint64_t *asked = &K->c[C_META_WORD].u64[M_KINDS], *lack = &K->c[C_META_WORD].u64[M_KINDS_LACK];
    const uint64_t place = 1u << LSCHED_DECIDE_PLACE, evict = 1u << LSCHED_DECIDE_EVICT;
    const uint64_t valid[] = {0, place, place | evict};
    const uint64_t wrong[] = {1, evict, place | 1, place | 1u << 5, place | UINT64_C(1) << 63};
    for (size_t i = 0; i < sizeof valid / sizeof *valid; i++) {
        *asked = valid[i], *lack = valid[i] & ~place;
        expect_sound();
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        *asked = wrong[i];
        expect_refused("the latest cycle was asked for the kinds");
    }
    *asked = 0, *lack = 1;
    expect_refused("the latest cycle lacked the kinds 0x1 of decisions");
    *lack = evict | UINT64_C(1) << 40;
    expect_refused("the latest cycle lacked the kinds");
}

/* Who pauses for memory costs nothing, and does it for nobody. */
static void a_pause_at_a_cost_is_found(void **unused) {
    (void)unused;
    uint32_t task = task_find(K, job_named("parts"), 1), decision;
    assert_int_equal(undo_begin(K), LSCHED_OK);
    assert_int_equal(task_go_out(K, task, LSCHED_DECIDE_PAUSE, meta(K, M_GROUP_SERIAL),
                                 (int64_t)meta(K, M_NOW), &decision),
                     LSCHED_OK);
    undo_end(K);
    expect_sound();
    K->c[C_DECISION_COST].i64[decision] = 5;
    expect_refused("relieves memory pressure, but has the reason");
}

/* ---- lives of proposals ---- */

static uint32_t releasing_decision(const char *job, uint32_t index) {
    return K->c[C_TASK_DECISION].u32[releasing_find(K, job_named(job), index)];
}

static void live_until(uint32_t decision, int64_t until) {
    assert_int_equal(undo_begin(K), LSCHED_OK);
    decision_life_end(K, decision);
    decision_life_begin(K, decision, until);
    undo_end(K);
}

static void a_life_of_what_needs_no_settlement_is_found(void **unused) {
    (void)unused;
    uint32_t nomination = K->c[C_TASK_DECISION].u32[task_find(K, job_named("moves"), 0)];
    live_until(nomination, K->c[C_DECISION_UNTIL].i64[releasing_decision("moves", 0)]);
    expect_refused("has a life until");
}

static void a_life_that_has_ended_is_found(void **unused) {
    (void)unused;
    uint64_t until = (uint64_t)K->c[C_DECISION_UNTIL].i64[releasing_decision("moves", 0)];
    set_meta(K, M_NOW, until);
    set_meta(K, M_SCHEDULED, until - 1);
    expect_sound();
    set_meta(K, M_SCHEDULED, until);
    expect_refused("which ended before the latest cycle");
}

static void different_lives_in_a_group_are_found(void **unused) {
    (void)unused;
    uint32_t d = releasing_decision("moves", 1);
    live_until(d, K->c[C_DECISION_UNTIL].i64[d] + 1);
    expect_refused("but another decision of its group until");
}

static void a_root_without_a_life_is_found(void **unused) {
    (void)unused;
    uint32_t evicted = releasing_decision("evicted", 1);
    assert_true(K->c[C_DECISION_UNTIL].i64[evicted] == 0);
    set_meta(K, M_LIFE_HEAD, evicted);
    expect_refused("is the root of the heap of proposals with a life, but has none");
}

/* ---- budgets ---- */

static void a_placement_that_counts_is_found(void **unused) {
    (void)unused;
    uint32_t nomination = K->c[C_TASK_DECISION].u32[task_find(K, job_named("moves"), 0)];
    K->c[C_DECISION_HOUR].u32[nomination] = 1;
    expect_refused("counts for budgets as");
    K->c[C_DECISION_HOUR].u32[nomination] = 0;
    K->c[C_DECISION_COUNTS].u8[releasing_decision("evicted", 1)] = EVICTION_COUNT_MOVE;
    expect_refused("counts for budgets as");
}

static void a_disruption_of_a_job_that_counts_none_is_found(void **unused) {
    (void)unused;
    uint32_t job = job_named("moves"), cost = K->c[C_JOB_COST].u32[job];
    K->c[C_DECISION_COUNTS].u8[releasing_decision("moves", 0)] = EVICTION_COUNT_PART;
    assert_int_equal(undo_begin(K), LSCHED_OK);
    row_free(K, T_COST, cost);
    set_u32(K, C_JOB_COST, job, NO_ROW);
    undo_end(K);
    expect_refused("which counts none");
}

static void a_reason_without_a_hold_is_found(void **unused) {
    (void)unused;
    uint32_t w = 0;
    while (!row_is_live(K, T_WATCH, w) || K->c[C_WATCH_HOST_UNTIL].i64[w]) w++;
    assert_int_equal(undo_begin(K), LSCHED_OK);
    K->c[C_WATCH_HOST_REASON].u32[w] = string_get(K, "none", 4);
    undo_end(K);
    expect_refused("has a reason of a host hold, but no hold");
}

static void more_open_disruptions_than_the_job_counts_are_found(void **unused) {
    (void)unused;
    assert_int_equal(undo_begin(K), LSCHED_OK);
    uint32_t cost = job_cost(K, job_named("moves")), d = releasing_decision("moves", 0);
    assert_int_equal(eviction_count_job(K, cost, d, (int64_t)meta(K, M_NOW), 1), LSCHED_OK);
    undo_end(K);
    expect_sound();
    K->c[C_COST_DISRUPTIONS].u32[cost] = 0;
    expect_refused("of its disruptions can be undone");
}

static void more_open_evictions_than_the_hour_counts_are_found(void **unused) {
    (void)unused;
    uint32_t d = releasing_decision("evicted", 1);
    assert_int_equal(undo_begin(K), LSCHED_OK);
    assert_int_equal(eviction_count_hour(K, d, K->c[C_DECISION_PROPOSED].i64[d]), LSCHED_OK);
    undo_end(K);
    expect_sound();
    set_meta(K, M_EVICTED_HOUR, 0);
    expect_refused("of its evictions can be undone");
    set_meta(K, M_EVICTED_HOUR, 1);
    K->c[C_DECISION_HOUR].u32[d]++;
    expect_refused("which is still to come");
}

/* ---- tasks that write a checkpoint ---- */

static void a_checkpoint_without_a_time_is_found(void **unused) {
    (void)unused;
    uint32_t d = releasing_decision("evicted", 3);
    assert_int_equal(K->c[C_DECISION_KIND].u8[d], LSCHED_DECIDE_CHECKPOINT);
    K->c[C_DECISION_UNTIL].i64[d] = 0;
    expect_refused("asks for a checkpoint in state 1, and the eviction follows at 0");
}

static void a_written_checkpoint_that_waits_is_found(void **unused) {
    (void)unused;
    uint32_t d = releasing_decision("evicted", 3);
    K->c[C_DECISION_STATE].u8[d] = LSCHED_DECISION_CONFIRMED;
    expect_refused("asks for a checkpoint in state 2, and the eviction follows at");
    assert_int_equal(undo_begin(K), LSCHED_OK);
    decision_life_due(K, d, (int64_t)meta(K, M_NOW));
    undo_end(K);
    expect_sound();
}

static void a_checkpoint_without_device_memory_is_found(void **unused) {
    (void)unused;
    K->c[C_DECISION_REASON].u8[releasing_decision("evicted", 3)] = LSCHED_FOR_COLLISION;
    expect_refused("asks for a checkpoint, although its device ran out of memory");
}

static void a_root_that_asks_for_no_checkpoint_is_found(void **unused) {
    (void)unused;
    set_meta(K, M_CHECKPOINT_HEAD, releasing_decision("evicted", 1));
    expect_refused("is the root of the heap of tasks that write a checkpoint, but asks for none");
}

static void what_cannot_follow_a_checkpoint_is_found(void **unused) {
    (void)unused;
    K->c[C_DECISION_FOLLOWS].u8[releasing_decision("evicted", 1)] = LSCHED_CHECKPOINT_WRITTEN;
    expect_sound();
    K->c[C_DECISION_FOLLOWS].u8[releasing_decision("moves", 0)] = LSCHED_CHECKPOINT_WRITTEN;
    expect_refused("is of kind 4, but it follows a checkpoint");
}

/* ---- tasks that are resized where they run ---- */

/* The size of a task of `parts`: 1 has its new amounts, 2 is being resized, 3 waits for its node, 7
 * for its queue, 9 for the next cycle. */
static uint32_t size_of(uint32_t index) {
    return task_size_row(K, task_find(K, job_named("parts"), index));
}

/* Takes a row out of its list, so that the links are sound. */
static void leave_list(uint32_t row) {
    assert_int_equal(undo_begin(K), LSCHED_OK);
    resize_list_leave(K, row);
    undo_end(K);
}

/* Exchanges a shape of a row for another; both keep their holders. */
static void size_change(uint32_t column, uint32_t row, uint32_t shape) {
    assert_int_equal(undo_begin(K), LSCHED_OK);
    task_size_set(K, column, row, shape);
    undo_end(K);
}

static void a_charge_without_a_resize_is_found(void **unused) {
    (void)unused;
    uint32_t row = size_of(3);
    size_change(C_RESIZE_REAL, row, K->c[C_RESIZE_WANT].u32[row]);
    leave_list(row);
    expect_refused("is charged other amounts than it has, without a resize");
}

static void a_charge_below_the_larger_amount_is_found(void **unused) {
    (void)unused;
    uint32_t row = size_of(2), shape;
    int64_t amount[KINDS_MAX] = {0};
    amount[LSCHED_CPU] = 77777;
    assert_int_equal(undo_begin(K), LSCHED_OK);
    assert_int_equal(size_shape_get(K, K->c[C_RESIZE_WANT].u32[row], amount, &shape), LSCHED_OK);
    task_size_set(K, C_RESIZE_WANT, row, shape);
    shape_drop(K, shape);
    undo_end(K);
    expect_refused("of resource kind \"cpu\", while it is resized from");
}

static void a_size_of_what_does_not_run_is_found(void **unused) {
    (void)unused;
    uint32_t row = size_of(3), waits = task_find(K, job_named("parts"), 4);
    leave_list(row);
    K->c[C_TASK_SIZE].u32[K->c[C_RESIZE_TASK].u32[row]] = 0;
    K->c[C_TASK_SIZE].u32[waits] = row + 1;
    K->c[C_RESIZE_TASK].u32[row] = waits;
    expect_refused("has a size of its own, but it does not run");
}

static void a_size_of_other_devices_is_found(void **unused) {
    (void)unused;
    size_change(C_RESIZE_WANT, size_of(3), shape_of("runs"));
    expect_refused("differs from its group in more than amounts");
}

static void a_size_for_nothing_is_found(void **unused) {
    (void)unused;
    uint32_t row = size_of(3);
    size_change(C_RESIZE_WANT, row, shape_of("parts"));
    leave_list(row);
    expect_refused("has and wants what its group has");
}

static void a_resize_in_a_wrong_list_is_found(void **unused) {
    (void)unused;
    leave_list(size_of(3));
    expect_refused("is in list 0 of the resizes, which is wrong");
}

static void a_request_that_never_came_is_found(void **unused) {
    (void)unused;
    K->c[C_RESIZE_SERIAL].u64[size_of(3)] = meta(K, M_RESIZE_SERIAL) + 1;
    expect_refused("by a request that never came");
}

static void a_wait_for_another_reason_is_found(void **unused) {
    (void)unused;
    K->c[C_RESIZE_CODE].u8[size_of(3)] = LSCHED_WAIT_LIMIT;
    expect_refused("of the resizes for the reason 4 and kind 1");
}

static void a_wait_for_room_that_is_free_is_found(void **unused) {
    (void)unused;
    uint32_t row = size_of(3), shape;
    int64_t amount[KINDS_MAX] = {0};
    amount[LSCHED_CPU] = 1;
    assert_int_equal(undo_begin(K), LSCHED_OK);
    assert_int_equal(size_shape_get(K, K->c[C_RESIZE_WANT].u32[row], amount, &shape), LSCHED_OK);
    task_size_set(K, C_RESIZE_WANT, row, shape);
    shape_drop(K, shape);
    while (meta(K, M_GREW_HEAD) != NO_ROW) node_ungrew(K, (uint32_t)meta(K, M_GREW_HEAD));
    undo_end(K);
    expect_refused("waits for room on node \"n3\", which has it");
}

static void wrong_sums_of_sizes_are_found(void **unused) {
    (void)unused;
    uint32_t leaf = K->c[C_JOB_LEAVES].u32[job_named("parts")],
             sums = K->c[C_LEAF_SIZED].u32[leaf] - 1;
    K->c[C_SIZED_MORE + LSCHED_CPU].i64[sums]++;
    expect_refused("for resizes, but it is");
    K->c[C_SIZED_MORE + LSCHED_CPU].i64[sums]--;
    K->c[C_SIZED_TASKS].u32[sums]++;
    expect_refused("counts another number of resized tasks than");
}

static void a_resize_to_nothing_else_is_found(void **unused) {
    (void)unused;
    uint32_t d = K->c[C_TASK_DECISION].u32[task_find(K, job_named("parts"), 2)];
    uint32_t task = task_find(K, job_named("runs"), 0);
    assert_int_equal(K->c[C_DECISION_KIND].u8[d], LSCHED_DECIDE_RESIZE);
    assert_int_equal(undo_begin(K), LSCHED_OK);
    assert_int_equal(resize_confirm(K, task_find(K, job_named("parts"), 2)), LSCHED_OK);
    set_meta(K, M_GROUP_SERIAL, meta(K, M_GROUP_SERIAL) + 1);
    struct decision_spec s = {.kind = LSCHED_DECIDE_RESIZE,
                              .group = meta(K, M_GROUP_SERIAL),
                              .now = (int64_t)meta(K, M_NOW),
                              .at = (int64_t)meta(K, M_NOW)};
    assert_int_not_equal(decision_open(K, task, &s), NO_ROW);
    undo_end(K);
    expect_refused("is to be resized, but to no other amounts");
}

/* A node with more devices than words of MIG starts. */
static void mig_beyond_its_devices_is_found(void **unused) {
    (void)unused;
    uint32_t node, wide = LSCHED_DEVICES_PER_NODE_MAX;
    assert_int_equal(world_node(&world, "wide", 1000, wide, 0, NULL, &node), LSCHED_OK);
    expect_sound();
    uint32_t first = K->c[C_NODE_DEVICE_FIRST].u32[node];
    for (uint32_t i = LSCHED_MIG_INDEXES_MAX; i < wide; i += 37) {
        K->c[C_DEVICE_SHARE].u8[first + i] = LSCHED_SHARING_MIG;
        expect_refused("is in share mode MIG; only devices below 16 can be");
        K->c[C_DEVICE_SHARE].u8[first + i] = LSCHED_SHARING_WHOLE;
    }
    K->c[C_DEVICE_CLOSED].u8[first + wide - 1] = 1; /* the class has other closed devices */
    K->c[C_DEVICE_FREE_MILLI].u16[first + wide - 1] = 0;
    K->c[C_NODE_CLOSED].u8[node] = 1;
    K->c[C_NODE_GPU_WHOLE].u8[node] = (uint8_t)(wide - 1);
    lsched_error err = LSCHED_ERROR_INIT;
    assert_int_equal(verify_state(K, &err), LSCHED_E_VERIFY);
}

/* An image with a run that the cluster can still give out, so that a late report would meet it. */
static void a_run_that_comes_again_is_found(void **unused) {
    (void)unused;
    uint32_t task = task_find(K, job_named("runs"), 0), rows = table_rows(K, T_DECISION);
    uint64_t first = (uint64_t)LSCHED_KIND_DECISION << 60 | (uint64_t)generation_first(K) << 32;
    K->c[C_TASK_RUN].u64[task] = first | rows;
    expect_refused("has a run that a later task can get");
    assert_int_equal(undo_begin(K), LSCHED_OK);
    assert_int_equal(generation_next(K, 1), LSCHED_OK);
    undo_end(K);
    expect_sound(); /* the row gets later generations only */
    for (uint32_t d = 0; d < rows; d++) {
        uint64_t gen = K->c[C_DECISION_GEN].u32[d] + (uint64_t)row_is_live(K, T_DECISION, d);
        K->c[C_TASK_RUN].u64[task] = first | d;
        expect_sound();
        K->c[C_TASK_RUN].u64[task] = (uint64_t)LSCHED_KIND_DECISION << 60 | gen << 32 | d;
        if (gen < generation_first(K)) continue;
        expect_refused("has a run that a later task can get");
    }
    K->c[C_TASK_RUN].u64[task] = (uint64_t)LSCHED_KIND_JOB << 60 | 1;
    expect_refused("has a run that is not the id of a decision");
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(a_parent_that_comes_later_is_found),
        TEST(mig_beyond_its_devices_is_found),
        TEST(a_minimum_above_the_size_is_found),
        TEST(too_many_tasks_are_found),
        TEST(a_child_that_is_missing_is_found),
        TEST(a_size_without_a_task_is_found),
        TEST(a_share_above_a_device_is_found),
        TEST(a_profile_of_no_device_is_found),
        TEST(a_curve_above_its_request_is_found),
        TEST(too_many_curves_are_found),
        TEST(a_leaf_of_nothing_is_found),
        TEST(two_leaves_of_a_group_are_found),
        TEST(a_job_that_leaves_nothing_is_found),
        TEST(a_reason_of_who_was_not_refused_is_found),
        TEST(a_retired_row_in_a_list_is_found),
        TEST(numbers_that_come_free_are_found),
        TEST(a_pause_at_a_cost_is_found),
        TEST(a_set_of_kinds_that_cannot_be_is_found),
        TEST(a_life_of_what_needs_no_settlement_is_found),
        TEST(a_life_that_has_ended_is_found),
        TEST(different_lives_in_a_group_are_found),
        TEST(a_root_without_a_life_is_found),
        TEST(a_placement_that_counts_is_found),
        TEST(a_disruption_of_a_job_that_counts_none_is_found),
        TEST(a_reason_without_a_hold_is_found),
        TEST(more_open_disruptions_than_the_job_counts_are_found),
        TEST(more_open_evictions_than_the_hour_counts_are_found),
        TEST(a_checkpoint_without_a_time_is_found),
        TEST(a_written_checkpoint_that_waits_is_found),
        TEST(a_checkpoint_without_device_memory_is_found),
        TEST(a_root_that_asks_for_no_checkpoint_is_found),
        TEST(what_cannot_follow_a_checkpoint_is_found),
        TEST(a_charge_without_a_resize_is_found),
        TEST(a_charge_below_the_larger_amount_is_found),
        TEST(a_size_of_what_does_not_run_is_found),
        TEST(a_size_of_other_devices_is_found),
        TEST(a_size_for_nothing_is_found),
        TEST(a_resize_in_a_wrong_list_is_found),
        TEST(a_request_that_never_came_is_found),
        TEST(a_wait_for_another_reason_is_found),
        TEST(a_wait_for_room_that_is_free_is_found),
        TEST(wrong_sums_of_sizes_are_found),
        TEST(a_resize_to_nothing_else_is_found),
        TEST(a_run_that_comes_again_is_found),
        cmocka_unit_test_setup_teardown(a_domain_below_the_levels_is_found, open_empty_world,
                                        close_world),
        cmocka_unit_test(a_state_without_kinds_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
