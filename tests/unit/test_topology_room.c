/* Room of domains, kept from the touch log: after any placement, end or rollback it is what a count of all nodes says, and the
 * best node of a domain is the one that a scan finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/indexes/topology_room.h"
#include "model/nodes/node.h"
#include "model/nodes/node_count.h"
#include "model/devices/device_select.h"
#include "property/chance.h"
#include "support/model_world.h"

enum { NODES = 24, SHAPES = 4 };

static struct model_world world;
static struct view_cache view;
static struct search search;
static struct topology_map map;
static uint32_t queue, node[NODES], job[SHAPES];

/* Fullest first, as binpack would. */
static int32_t score(void *user, const struct search_key *key, const uint32_t *nodes, size_t n,
                     int64_t *scores) {
    (void)user, (void)key;
    for (size_t i = 0; i < n; i++) scores[i] = -world.k.c[C_NODE_FREE + LSCHED_CPU].i64[nodes[i]];
    return LSCHED_OK;
}

static const struct search_scorer scorer = {.score = score};

static uint32_t shape_of(uint32_t j) {
    return group_shape(&world.k, world.k.c[C_JOB_SHAPE].u32[job[j]], 0);
}

/* Whole devices, parts of one, cores alone, memory beside cores. */
static void add_jobs(void) {
    static const struct group_form forms[SHAPES] = {
        {.cpu = 700, .max = 4000, .min = 1, .devices = 2, .milli = 1000},
        {.cpu = 100, .max = 4000, .min = 1, .devices = 1, .milli = 300},
        {.cpu = 900, .max = 4000, .min = 1},
        {.cpu = 300, .memory = INT64_C(1) << 36, .max = 4000, .min = 1},
    };
    static const char *const names[SHAPES] = {"two", "part", "cores", "memory"};
    for (uint32_t j = 0; j < SHAPES; j++) {
        struct job_form f = {.name = names[j], .queue = queue, .groups = {forms[j]}};
        assert_int_equal(world_job(&world, &f, &job[j]), LSCHED_OK);
        assert_int_equal(world_admit(&world, job[j]), LSCHED_OK);
    }
}

static void open_all(struct chance *c) {
    memset(&view, 0, sizeof view);
    memset(&search, 0, sizeof search);
    memset(&map, 0, sizeof map);
    assert_int_equal(world_open(&world, NULL), LSCHED_OK);
    assert_int_equal(world_topology(&world), LSCHED_OK);
    assert_int_equal(world_queue(&world, "q", NO_ROW, &queue), LSCHED_OK);
    for (uint32_t i = 0; i < NODES; i++) {
        char name[16], rack[16];
        snprintf(name, sizeof name, "n%08x-%u", (unsigned)(chance_word(c) & 0xffffffffu), i);
        snprintf(rack, sizeof rack, "r%u", chance_below(c, 5));
        assert_int_equal(world_node(&world, name, chance_between(c, 1, 8) * 1000,
                                    chance_below(c, 9), chance_one_in(c, 2),
                                    chance_one_in(c, 8) ? NULL : rack, &node[i]),
                         LSCHED_OK);
    }
    add_jobs();
}

static void close_all(void) {
    topology_map_close(&map, &world.k);
    search_drop_all(&search, &world.k);
    view_close(&view, &world.k);
    world_close(&world);
}

/* By placing one after the other. */
static uint32_t count_by_hand(uint32_t n, uint32_t shape) {
    struct columns *k = &world.k;
    struct hold h;
    uint32_t tasks = 0;
    assert_int_equal(undo_begin(k), LSCHED_OK);
    while (k->c[C_NODE_STATE].u8[n] == LSCHED_NODE_READY && node_able(k, n, shape) &&
           node_fits(k, n, shape) && device_select(k, n, shape, DEVICE_NOW, NULL, &h)) {
        assert_int_equal(undo_room(k), LSCHED_OK);
        node_take(k, n, shape, &h);
        tasks++;
    }
    undo_rollback(k, 0);
    undo_end(k);
    return tasks;
}

static void check_domain(const struct topology_room *r, const struct search_index *x, uint32_t d,
                         uint32_t shape) {
    int64_t room = 0;
    uint32_t best = NO_ROW;
    for (uint32_t p = map.first[d]; p < map.end[d]; p++) {
        uint32_t n = map.node_at[p];
        if (n == NO_ROW) continue;
        room += count_by_hand(n, shape);
        if (x->score[n] == SEARCH_LEAST) continue;
        if (best == NO_ROW || x->score[n] > x->score[best] ||
            (x->score[n] == x->score[best] && view.rank[n] < view.rank[best]))
            best = n;
    }
    assert_int_equal(r->room[d], room);
    assert_int_equal(topology_room_best(r, x, map.first[d], map.end[d]), best);
}

static void check(uint32_t j) {
    struct columns *k = &world.k;
    struct search_key key = {.shape = shape_of(j),
                             .serial = k->c[C_SHAPE_SERIAL].u64[shape_of(j)],
                             .queue = NO_ROW,
                             .job = NO_ROW};
    struct search_index *x;
    const struct topology_room *r;
    assert_int_equal(view_update_ranked(&view, k, 0), LSCHED_OK);
    assert_int_equal(search_get(&search, k, &view, &key, &scorer, &x), LSCHED_OK);
    assert_int_equal(topology_map_update(&map, k, 0), LSCHED_OK);
    assert_int_equal(topology_room_get(&search, k, &view, x, &map, TOPOLOGY_ROOM_FREE, &r),
                     LSCHED_OK);
    for (uint32_t d = 0; d < map.n_domains; d++) check_domain(r, x, d, shape_of(j));
}

static void change(struct chance *c) {
    uint32_t j = chance_below(c, SHAPES), n = node[chance_below(c, NODES)];
    struct columns *k = &world.k;
    if (chance_one_in(c, 3) && k->c[C_NODE_TASK_FIRST].u32[n] != NO_ROW) {
        uint32_t t = k->c[C_NODE_TASK_FIRST].u32[n];
        assert_int_equal(world_release(&world, k->c[C_TASK_JOB].u32[t], k->c[C_TASK_INDEX].u32[t],
                                       LSCHED_TASK_DONE),
                         LSCHED_OK);
    } else if (chance_one_in(c, 12)) {
        assert_int_equal(undo_begin(k), LSCHED_OK);
        node_set_state(k, n, k->c[C_NODE_STATE].u8[n] ? LSCHED_NODE_READY : LSCHED_NODE_CORDONED);
        undo_end(k);
    } else if (node_able(k, n, shape_of(j)) && node_fits(k, n, shape_of(j)) &&
               k->c[C_NODE_STATE].u8[n] == LSCHED_NODE_READY) {
        assert_int_equal(world_propose(&world, job[j], 0, n, 1), LSCHED_OK);
    }
}

static void room_is_what_a_count_says(void **unused) {
    (void)unused;
    uint64_t seed = chance_seed(7000), rounds = chance_variable("LSCHED_TEST_ROUNDS", 12);
    printf("seed %llu\n", (unsigned long long)seed);
    for (uint64_t round = 0; round < rounds; round++) {
        struct chance c = {seed + round};
        open_all(&c);
        for (int step = 0; step < 60; step++) {
            for (uint32_t n = chance_below(&c, 4); n > 0; n--) change(&c);
            check(chance_below(&c, SHAPES));
        }
        close_all();
    }
}

static void numbers_are_ranges(void **unused) {
    (void)unused;
    struct chance c = {chance_seed(1)};
    open_all(&c);
    assert_int_equal(topology_map_update(&map, &world.k, 0), LSCHED_OK);
    assert_int_equal(map.level_first[1], 1); /* all are in zone a */
    uint32_t from, to, n = 0;
    topology_map_below(&map, 0, 1, &from, &to);
    assert_int_equal(from, 1);
    assert_int_equal(to, map.n_domains);
    for (uint32_t d = from; d < to; d++) {
        assert_int_equal(map.parent[d], 0);
        assert_int_equal(map.first[d], d == from ? 0 : map.end[d - 1]);
        for (uint32_t p = map.first[d]; p < map.end[d]; p++) {
            assert_int_equal(topology_map_deepest(&map, p), d);
            assert_int_equal(map.node_at[p] == NO_ROW, p >= map.first[d] + map.held[d]);
            if (map.node_at[p] == NO_ROW) continue;
            n++;
            assert_int_equal(map.position[map.node_at[p]], p);
        }
        if (d > from) assert_true(map.by_name[d] == map.by_name[d - 1] + 1);
    }
    assert_int_equal(n, map.n_nodes);
    close_all();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(room_is_what_a_count_says),
        cmocka_unit_test(numbers_are_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
