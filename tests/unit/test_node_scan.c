/* engine/indexes/node_scan.h: the scan finds the node that an index of the same shape finds, after any placement, end,
 * cordon or new node, and gives up after an eighth of the nodes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/indexes/node_scan.h"
#include "model/nodes/node.h"
#include "property/chance.h"
#include "support/model_world.h"

enum { NODES = 60, NODES_MAX = 90, SHAPES = 4, STEPS = 60 };

static struct model_world world;
static struct view_cache view;
static struct search search;
static struct node_scan scan;
static uint32_t queue, job[SHAPES], n_nodes;

/* Fullest first; nodes with equal free cores are equal, and the first name wins. */
static int32_t score(void *user, const struct search_key *key, const uint32_t *nodes, size_t n,
                     int64_t *scores) {
    (void)user, (void)key;
    for (size_t i = 0; i < n; i++) scores[i] = -world.k.c[C_NODE_FREE + LSCHED_CPU].i64[nodes[i]];
    return LSCHED_OK;
}

static const struct search_scorer scorer = {.score = score, .by_state = 1};

static struct search_key key_of(uint32_t j, uint32_t later) {
    uint32_t shape = group_shape(&world.k, world.k.c[C_JOB_SHAPE].u32[job[j]], 0);
    return (struct search_key){.serial = world.k.c[C_SHAPE_SERIAL].u64[shape],
                               .shape = shape,
                               .queue = NO_ROW,
                               .job = NO_ROW,
                               .later = later};
}

/* c: NULL for a node like all others */
static void add_node(struct chance *c) {
    struct chance plain = {0};
    char name[24];
    uint32_t row;
    int odd = c && chance_one_in(c, 6), devices = c && chance_one_in(c, 3);
    snprintf(name, sizeof name, "n%08x-%u", (unsigned)(chance_word(c ? c : &plain) >> 32),
             n_nodes++);
    assert_int_equal(world_node(&world, name, odd ? 4000 : 8000, devices ? 4 : 0, 0, NULL, &row),
                     LSCHED_OK);
}

static void open_all(struct chance *c) {
    static const struct group_form forms[SHAPES] = {
        {.cpu = 700, .max = 4000, .min = 1},
        {.cpu = 100, .max = 4000, .min = 1, .devices = 2, .milli = 1000},
        {.cpu = 100, .max = 4000, .min = 1, .devices = 1, .milli = 300},
        {.cpu = 8000, .max = 4000, .min = 1}};
    static const char *const names[SHAPES] = {"cores", "devices", "part", "whole"};
    memset(&view, 0, sizeof view);
    memset(&search, 0, sizeof search);
    memset(&scan, 0, sizeof scan);
    n_nodes = 0;
    assert_int_equal(world_open(&world, NULL), LSCHED_OK);
    assert_int_equal(world_queue(&world, "q", NO_ROW, &queue), LSCHED_OK);
    for (uint32_t i = 0; i < NODES; i++) add_node(c);
    for (uint32_t j = 0; j < SHAPES; j++) {
        struct job_form f = {.name = names[j], .queue = queue, .groups = {forms[j]}};
        assert_int_equal(world_job(&world, &f, &job[j]), LSCHED_OK);
        assert_int_equal(world_admit(&world, job[j]), LSCHED_OK);
    }
}

static void close_all(void) {
    search_drop_all(&search, &world.k);
    node_scan_drop(&scan, &world.k);
    view_close(&view, &world.k);
    world_close(&world);
}

/* The best node by an index that is made for this question alone. */
static uint32_t by_index(const struct search_key *key) {
    struct search cold = {.cycle = 1};
    struct search_index *x;
    assert_int_equal(search_get(&cold, &world.k, &view, key, &scorer, &x), LSCHED_OK);
    uint32_t node = search_best(x);
    search_drop_all(&cold, &world.k);
    return node;
}

/* Asks for each shape, for room now and for room later; counts the answers of the scan. */
static uint32_t ask_all(void) {
    uint32_t answers = 0;
    assert_int_equal(view_update_ranked(&view, &world.k, 1), LSCHED_OK);
    for (uint32_t i = 0; i < 2 * SHAPES; i++) {
        struct search_key key = key_of(i / 2, i % 2);
        uint32_t node = 7;
        assert_true(node_scan_serves(&world.k, &key, &scorer));
        int32_t rc = node_scan_best(&scan, &search, &world.k, &view, &key, &scorer, &node);
        assert_true(rc == 0 || rc == 1);
        if (rc == 1) assert_int_equal(node, by_index(&key));
        answers += rc == 1;
    }
    return answers;
}

static uint32_t live_node(struct chance *c) {
    uint32_t row;
    do row = chance_below(c, table_rows(&world.k, T_NODE));
    while (!row_is_live(&world.k, T_NODE, row));
    return row;
}

static void cordon(uint32_t node) {
    struct columns *k = &world.k;
    assert_int_equal(undo_begin(k), LSCHED_OK);
    node_set_state(k, node, k->c[C_NODE_STATE].u8[node] ? LSCHED_NODE_READY : LSCHED_NODE_CORDONED);
    undo_end(k);
}

static void end_task(uint32_t node) {
    const struct columns *k = &world.k;
    uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node];
    if (t == NO_ROW) return;
    uint32_t of = k->c[C_TASK_JOB].u32[t], index = k->c[C_TASK_INDEX].u32[t];
    if (k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_RELEASING)
        assert_int_equal(world_left(&world, of, index), LSCHED_OK);
    else if (k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_RUNNING)
        assert_int_equal(world_release(&world, of, index, LSCHED_TASK_DONE), LSCHED_OK);
}

/* The latest task of the node begins to leave, so that its room comes free. */
static void leave_task(uint32_t node) {
    const struct columns *k = &world.k;
    uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node];
    if (t == NO_ROW || k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RUNNING) return;
    assert_int_equal(world_evict(&world, k->c[C_TASK_JOB].u32[t], k->c[C_TASK_INDEX].u32[t], 0,
                                 LSCHED_FOR_RECLAIM, NO_ROW),
                     LSCHED_OK);
}

static void place_task(uint32_t j, uint32_t node) {
    const struct columns *k = &world.k;
    uint32_t shape = key_of(j, 0).shape;
    if (k->c[C_NODE_STATE].u8[node] != LSCHED_NODE_READY || !node_able(k, node, shape) ||
        !node_fits(k, node, shape))
        return;
    assert_int_equal(world_propose(&world, job[j], 0, node, 1), LSCHED_OK);
    uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node];
    assert_int_equal(world_start(&world, job[j], k->c[C_TASK_INDEX].u32[t]), LSCHED_OK);
}

static void nominate(uint32_t j, uint32_t node) {
    const struct columns *k = &world.k;
    uint32_t shape = key_of(j, 0).shape;
    if (k->c[C_NODE_STATE].u8[node] == LSCHED_NODE_READY && node_able(k, node, shape) &&
        node_fits_later(k, node, shape))
        assert_int_equal(
            world_nominate(&world, job[j], 0, node, NO_ROW, meta(k, M_GROUP_SERIAL) + 1),
            LSCHED_OK);
}

static void random_step(struct chance *c) {
    uint32_t j = chance_below(c, SHAPES), n = live_node(c);
    switch (chance_below(c, 14)) {
    case 0:
        if (n_nodes < NODES_MAX) add_node(c);
        break;
    case 1: assert_int_equal(world_remove_node(&world, n), LSCHED_OK); break;
    case 2: cordon(n); break;
    case 3:
    case 4: end_task(n); break;
    case 5:
    case 6: leave_task(n); break;
    case 7: nominate(j, n); break;
    default: place_task(j, n); break;
    }
}

static void test_scan_equals_index(void **state) {
    uint64_t first = chance_seed(1);
    uint32_t rounds = chance_rounds(20), answers = 0;
    (void)state;
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        struct chance c = {seed};
        open_all(&c);
        for (uint32_t i = 0; i < STEPS; i++) {
            random_step(&c);
            /* the scan has used up its tries for these shapes, or keeps its tree and forgets them */
            if (scan.tried && chance_one_in(&c, 2))
                memset(scan.tried, 0, NODE_SCAN_TRIES * sizeof *scan.tried);
            answers += ask_all();
        }
        close_all();
    }
    print_message("%u answers of scans equal those of indexes\n", answers);
    assert_true(answers > rounds * STEPS / 2);
}

/* Equal untouched nodes cost one look. */
static void test_equal_nodes_cost_one(void **state) {
    uint32_t node;
    (void)state;
    open_all(NULL);
    assert_int_equal(view_update_ranked(&view, &world.k, 1), LSCHED_OK);
    struct search_key key = key_of(0, 0);
    assert_int_equal(node_scan_best(&scan, &search, &world.k, &view, &key, &scorer, &node), 1);
    assert_int_equal(node, by_index(&key));
    assert_int_equal(search.scored, 1);
    close_all();
}

/* A shape that has looked at more than an eighth of the nodes gets an index. */
static void test_gives_up(void **state) {
    struct chance c = {2};
    uint32_t asked = 0, node;
    int32_t rc = 1;
    (void)state;
    open_all(&c);
    assert_int_equal(view_update_ranked(&view, &world.k, 1), LSCHED_OK);
    struct search_key key = key_of(0, 0);
    while (rc == 1 && asked < 1000) {
        rc = node_scan_best(&scan, &search, &world.k, &view, &key, &scorer, &node);
        asked++;
    }
    assert_int_equal(rc, 0);
    assert_true(search.scored <= NODES / 8 + 16);
    close_all();
}

static int32_t keep(void *user, const struct search_key *key, const uint32_t *nodes, size_t n,
                    uint8_t *kept) {
    (void)user, (void)key, (void)nodes, (void)n, (void)kept;
    return LSCHED_OK;
}

/* Whatever makes nodes differ between jobs is left to an index. */
static void test_serves(void **state) {
    struct chance c = {3};
    (void)state;
    open_all(&c);
    struct search_key key = key_of(0, 0), other = key;
    struct search_scorer filters = scorer, by_hook = scorer;
    filters.keep = keep;
    by_hook.by_state = 0;
    assert_true(node_scan_serves(&world.k, &key, &scorer));
    assert_false(node_scan_serves(&world.k, &key, &filters));
    assert_false(node_scan_serves(&world.k, &key, &by_hook));
    other.job = job[0];
    assert_false(node_scan_serves(&world.k, &other, &scorer));
    other = key;
    other.queue = queue;
    assert_false(node_scan_serves(&world.k, &other, &scorer));
    other = key;
    other.later = 1;
    assert_true(node_scan_serves(&world.k, &other, &scorer));
    other = key;
    other.shortage = 1;
    assert_false(node_scan_serves(&world.k, &other, &scorer));
    other = key;
    other.charge_max = 500;
    assert_false(node_scan_serves(&world.k, &other, &scorer));
    other = key;
    other.hooks = LSCHED_HOOK_SCORE;
    assert_false(node_scan_serves(&world.k, &other, &scorer));
    close_all();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scan_equals_index), cmocka_unit_test(test_equal_nodes_cost_one),
        cmocka_unit_test(test_gives_up), cmocka_unit_test(test_serves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
