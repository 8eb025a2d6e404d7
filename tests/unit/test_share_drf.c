/*
 * share "drf" on small clusters with known answers: the tables of the two papers, and the corners
 * that the papers leave open (weights of 0, priorities, idle siblings, capacity that goes away,
 * memory that runs out).
 */
#include "property/drf_model.h"

#include "algorithms/builtin.h"

#define ROOT LSCHED_NO_ROW

static const int64_t cpu_task[2] = {1, 0};
static const int64_t memory_task[2] = {0, 1};
static const int64_t both_task[2] = {1, 1};

/* NSDI'11, table 2: 9 CPU, 18 GB; A asks (1, 4), B asks (3, 1). */
static void test_paper_table_and_its_order(void **state) {
    (void)state;
    struct model m;
    model_init(&m, &share_drf, 2, (const int64_t[]){9, 18});
    uint32_t b = model_queue(&m, ROOT, 1000, (const int64_t[]){3, 1}, MODEL_FOREVER);
    uint32_t a = model_queue(&m, ROOT, 1000, (const int64_t[]){1, 4}, MODEL_FOREVER);
    model_begin(&m);
    const uint32_t order[] = {b, a, a, b, a};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        assert_int_equal(model_place(&m), order[i]);
    assert_int_equal(model_place(&m), LSCHED_NO_ROW);
    assert_int_equal(m.used[1][a], 3);
    assert_int_equal(m.used[2][a], 12);
    assert_int_equal(m.used[1][b], 6);
    assert_int_equal(m.used[2][b], 2);
    assert_int_equal(m.pool_free[1], 0);
    assert_memory_equal(&m.key[a], &m.key[b], sizeof m.key[a]); /* 2/3 and 2/3 */
    assert_int_equal(m.key[a].word[1], (((int64_t)2 << 40) + 1) / 3);
    model_end(&m);
}

/* The same with A at twice the weight and ten times the cluster: dominant shares 12/13 and 6/13,
 * which are 41.54 tasks of A and 13.85 of B. The 3 GB that are too few for a 42nd task of A go
 * to B. */
static void test_weight_two_gets_twice_the_share(void **state) {
    (void)state;
    struct model m;
    model_init(&m, &share_drf, 2, (const int64_t[]){90, 180});
    uint32_t b = model_queue(&m, ROOT, 1000, (const int64_t[]){3, 1}, MODEL_FOREVER);
    uint32_t a = model_queue(&m, ROOT, 2000, (const int64_t[]){1, 4}, MODEL_FOREVER);
    model_begin(&m);
    while (m.queue[a].placed < 41) model_place(&m);
    assert_in_range(m.queue[b].placed, 13, 14);
    model_fill(&m);
    assert_int_equal(m.queue[a].placed, 41);
    assert_int_equal(m.queue[b].placed, 16);
    model_end(&m);
}

/* Weights per kind: what A holds of memory weighs half, of CPU in full. */
static void test_weight_of_one_kind(void **state) {
    (void)state;
    struct model m;
    model_init(&m, &share_drf, 2, (const int64_t[]){300, 300});
    uint32_t a = model_queue(&m, ROOT, 1000, memory_task, MODEL_FOREVER);
    uint32_t b = model_queue(&m, ROOT, 1000, memory_task, MODEL_FOREVER);
    m.weight_milli[2][a] = 2000;
    model_begin(&m);
    model_fill(&m);
    assert_int_equal(m.queue[a].placed, 200);
    assert_int_equal(m.queue[b].placed, 100);
    model_end(&m);
}

/* SoCC'13: sci and eng share alike, dev and prod inside eng want different things. */
static void test_rescaling(void **state) {
    (void)state;
    struct model m;
    model_init(&m, &share_drf, 2, (const int64_t[]){10, 10});
    uint32_t sci = model_queue(&m, ROOT, 50000, both_task, MODEL_FOREVER);
    uint32_t eng = model_queue(&m, ROOT, 50000, NULL, 0);
    uint32_t dev = model_queue(&m, eng, 50000, cpu_task, MODEL_FOREVER);
    uint32_t prod = model_queue(&m, eng, 50000, memory_task, MODEL_FOREVER);
    model_begin(&m);
    model_fill(&m);
    assert_int_equal(m.queue[sci].placed, 5);
    assert_int_equal(m.queue[dev].placed, 5);
    assert_int_equal(m.queue[prod].placed, 5);
    model_end(&m);
}

/* SoCC'13: when CPU is full, pg31 is blocked and must not hold the share of pg3 down while pg32
 * takes memory. */
static void test_blocked_node(void **state) {
    (void)state;
    struct model m;
    model_init(&m, &share_drf, 2, (const int64_t[]){30, 30});
    uint32_t pg1 = model_queue(&m, ROOT, 25000, cpu_task, MODEL_FOREVER);
    uint32_t pg2 = model_queue(&m, ROOT, 25000, cpu_task, MODEL_FOREVER);
    uint32_t pg3 = model_queue(&m, ROOT, 25000, NULL, 0);
    uint32_t pg4 = model_queue(&m, ROOT, 25000, memory_task, MODEL_FOREVER);
    uint32_t pg31 = model_queue(&m, pg3, 50000, cpu_task, MODEL_FOREVER);
    uint32_t pg32 = model_queue(&m, pg3, 50000, memory_task, MODEL_FOREVER);
    model_begin(&m);
    model_fill(&m);
    assert_int_equal(m.queue[pg1].placed, 10);
    assert_int_equal(m.queue[pg2].placed, 10);
    assert_int_equal(m.queue[pg31].placed, 10);
    assert_int_equal(m.queue[pg32].placed, 15);
    assert_int_equal(m.queue[pg4].placed, 15);
    model_end(&m);
}

/* SoCC'13, why shares of a tree are rescaled: inner holds all of memory through one child; each
 * CPU that the other child gives back must not go to outer for that, else it starves task by
 * task. */
static void test_no_starvation_by_a_sibling(void **state) {
    (void)state;
    struct model m;
    model_init(&m, &share_drf, 2, (const int64_t[]){100, 100});
    uint32_t outer = model_queue(&m, ROOT, 1000, cpu_task, MODEL_FOREVER);
    uint32_t inner = model_queue(&m, ROOT, 1000, NULL, 0);
    uint32_t starved = model_queue(&m, inner, 1000, cpu_task, MODEL_FOREVER);
    uint32_t rich = model_queue(&m, inner, 1000, memory_task, MODEL_FOREVER);
    model_begin(&m);
    model_fill(&m);
    assert_int_equal(m.queue[rich].placed, 100);
    for (int round = 0; round < 200; round++) {
        model_release(&m, starved, 1);
        model_fill(&m);
        assert_int_equal(m.queue[starved].placed, 50);
        assert_int_equal(m.queue[outer].placed, 50);
    }
    model_end(&m);
}

/* A sibling that wants no more counts with what it holds: the two halves of the tree stay
 * halves. */
static void test_idle_sibling_counts(void **state) {
    (void)state;
    struct model m;
    model_init(&m, &share_drf, 1, (const int64_t[]){100});
    uint32_t left = model_queue(&m, ROOT, 1000, NULL, 0);
    uint32_t right = model_queue(&m, ROOT, 1000, (const int64_t[]){1}, MODEL_FOREVER);
    uint32_t modest = model_queue(&m, left, 1000, (const int64_t[]){1}, 10);
    uint32_t eager = model_queue(&m, left, 1000, (const int64_t[]){1}, MODEL_FOREVER);
    model_begin(&m);
    model_fill(&m);
    assert_int_equal(m.queue[modest].placed, 10);
    assert_int_equal(m.queue[eager].placed, 40);
    assert_int_equal(m.queue[right].placed, 50);
    model_end(&m);
}

/* ... but with no more than the sibling that is served: nobody pays for what another member took
 * before. 60 of 100 are held by an idle member; of the rest its sibling and the other half get 1
 * : 2. */
static void test_idle_sibling_counts_up_to_the_level(void **state) {
    (void)state;
    struct model m;
    model_init(&m, &share_drf, 1, (const int64_t[]){100});
    uint32_t left = model_queue(&m, ROOT, 1000, NULL, 0);
    uint32_t right = model_queue(&m, ROOT, 1000, (const int64_t[]){1}, MODEL_FOREVER);
    uint32_t idle = model_queue(&m, left, 1000, (const int64_t[]){1}, 0);
    uint32_t late = model_queue(&m, left, 1000, (const int64_t[]){1}, MODEL_FOREVER);
    model_take(&m, idle, 60);
    model_begin(&m);
    model_fill(&m);
    assert_int_equal(m.queue[late].placed, 14); /* 13 1/3, the odd one to the older */
    assert_int_equal(m.queue[right].placed, 26);
    model_end(&m);
}

static void test_weight_zero_goes_last(void **state) {
    (void)state;
    struct model m;
    model_init(&m, &share_drf, 2, (const int64_t[]){10, 10});
    uint32_t zero = model_queue(&m, ROOT, 0, both_task, MODEL_FOREVER);
    uint32_t light = model_queue(&m, ROOT, 1, both_task, 4);
    uint32_t heavy = model_queue(&m, ROOT, 1000000, both_task, 4);
    model_begin(&m);
    assert_int_equal(m.key[zero].word[1], INT64_MAX); /* also while it holds nothing */
    for (int i = 0; i < 8; i++) assert_int_not_equal(model_place(&m), zero);
    model_fill(&m);
    assert_int_equal(m.queue[light].placed + m.queue[heavy].placed, 8);
    assert_int_equal(m.queue[zero].placed, 2); /* what nobody else can use is not wasted */
    model_end(&m);
}

/* Weight 0 inside a queue: what such a child holds does not count against its siblings' parent. */
static void test_weight_zero_inside_a_queue(void **state) {
    (void)state;
    struct model m;
    model_init(&m, &share_drf, 1, (const int64_t[]){100});
    uint32_t left = model_queue(&m, ROOT, 1000, NULL, 0);
    uint32_t right = model_queue(&m, ROOT, 1000, (const int64_t[]){1}, MODEL_FOREVER);
    uint32_t zero = model_queue(&m, left, 0, (const int64_t[]){1}, MODEL_FOREVER);
    uint32_t one = model_queue(&m, left, 1000, (const int64_t[]){1}, 20);
    model_take(&m, zero, 20);
    model_begin(&m);
    for (int i = 0; i < 40; i++) assert_int_not_equal(model_place(&m), zero);
    assert_int_equal(m.queue[one].placed, 20);
    assert_int_equal(m.queue[right].placed, 20);
    /* Now zero is the only active child, so left counts with all that it holds: 40 against 20. */
    for (int i = 0; i < 20; i++) assert_int_equal(model_place(&m), right);
    model_fill(&m);
    assert_int_equal(m.queue[right].placed, 50);
    assert_int_equal(m.queue[zero].placed, 30);
    model_end(&m);
}

static void test_priority_before_share(void **state) {
    (void)state;
    struct model m;
    model_init(&m, &share_drf, 1, (const int64_t[]){100});
    uint32_t left = model_queue(&m, ROOT, 1000, NULL, 0);
    uint32_t right = model_queue(&m, ROOT, 1000, (const int64_t[]){1}, MODEL_FOREVER);
    uint32_t low = model_queue(&m, left, 1000, (const int64_t[]){1}, MODEL_FOREVER);
    uint32_t high = model_queue(&m, left, 1000, (const int64_t[]){1}, 30);
    m.priority[high] = 10;
    model_begin(&m);
    for (int i = 0; i < 59; i++) assert_int_not_equal(model_place(&m), low);
    assert_int_equal(m.queue[high].placed, 30);
    assert_int_equal(m.queue[right].placed, 29);
    model_fill(
        &m); /* high is done and counts no more than low, which holds x of the 41: 2x = 29 + 41 - x */
    assert_int_equal(m.queue[low].placed + m.queue[right].placed, 70);
    assert_in_range(m.queue[low].placed, 23, 24);
    model_end(&m);
}

static void test_kind_that_the_cluster_lacks(void **state) {
    (void)state;
    struct model m;
    model_init(&m, &share_drf, 2, (const int64_t[]){10, 0});
    uint32_t a = model_queue(&m, ROOT, 1000, cpu_task, MODEL_FOREVER);
    uint32_t b = model_queue(&m, ROOT, 1000, cpu_task, MODEL_FOREVER);
    m.used[2][a] = 5; /* on nodes that take no new work */
    model_begin(&m);
    model_fill(&m);
    assert_int_equal(m.queue[a].placed, 5);
    assert_int_equal(m.queue[b].placed, 5);
    model_end(&m);

    model_init(&m, &share_drf, 2, (const int64_t[]){0, 0});
    a = model_queue(&m, ROOT, 1000, cpu_task, MODEL_FOREVER);
    model_begin(&m);
    assert_int_equal(m.key[a].word[1], 0);
    model_end(&m);
}

/* Equal shares are ties whatever the equal weights are: rounding must not decide before creation
 * time does. */
static void test_ties_do_not_depend_on_rounding(void **state) {
    (void)state;
    const int64_t weights[] = {1, 3, 1000, 7000, 50000, 999999937, (int64_t)1 << 61};
    uint32_t first[2][120];
    for (size_t w = 0; w < sizeof weights / sizeof weights[0]; w++) {
        struct model m;
        model_init(&m, &share_drf, 2, (const int64_t[]){37, 41});
        uint32_t x = model_queue(&m, ROOT, weights[w], NULL, 0);
        uint32_t y = model_queue(&m, ROOT, weights[w], NULL, 0);
        for (uint32_t i = 0; i < 3; i++)
            model_queue(&m, i == 1 ? x : y, 3 * weights[0], both_task, MODEL_FOREVER);
        model_queue(&m, x, 3, cpu_task, MODEL_FOREVER);
        model_begin(&m);
        uint32_t n = 0;
        for (; n < 120; n++)
            if ((first[w > 0][n] = model_place(&m)) == LSCHED_NO_ROW) break;
        assert_in_range(n, 30, 119);
        if (w) assert_memory_equal(first[0], first[1], n * sizeof first[0][0]);
        model_end(&m);
    }
}

static void test_one_part_in_a_thousand_million_counts(void **state) {
    (void)state;
    struct model m;
    model_init(&m, &share_drf, 1, (const int64_t[]){800000000}); /* milli-GPUs of 100,000 nodes */
    uint32_t a = model_queue(&m, ROOT, 1000, (const int64_t[]){1}, MODEL_FOREVER);
    uint32_t b = model_queue(&m, ROOT, 1000, (const int64_t[]){1}, MODEL_FOREVER);
    model_take(&m, a, 300000001);
    model_take(&m, b, 300000000);
    model_begin(&m);
    assert_true(m.key[b].word[1] < m.key[a].word[1]);
    model_end(&m);
}

/* The largest amounts and weights: keys stay in order and weight 0 stays behind them. */
static void test_ends_of_the_ranges(void **state) {
    (void)state;
    const int64_t most = (int64_t)1 << 62;
    struct model m;
    model_init(&m, &share_drf, 2, (const int64_t[]){1, most});
    uint32_t parent = model_queue(&m, ROOT, 1, NULL, 0);
    uint32_t huge = model_queue(&m, parent, 1, cpu_task, MODEL_FOREVER);
    uint32_t heavy = model_queue(&m, parent, most, memory_task, MODEL_FOREVER);
    uint32_t zero = model_queue(&m, parent, 0, memory_task, MODEL_FOREVER);
    m.used[1][huge] = most; /* capacity went away below it */
    m.used[2][huge] = most / 2;
    m.used[2][heavy] = most / 2;
    m.used[2][zero] = 1;
    m.used[1][parent] = most;
    m.used[2][parent] = most;
    m.pool_free[2] = most;
    model_begin(&m);
    assert_int_equal(m.key[heavy].word[1], (int64_t)1 << 39); /* 1/2 */
    assert_true(m.key[heavy].word[1] < m.key[huge].word[1]);
    assert_true(m.key[huge].word[1] < m.key[zero].word[1]);
    assert_true(m.key[parent].word[1] > 0 && m.key[parent].word[1] < INT64_MAX);
    model_end(&m);
}

/* Queues come: begin grows what it keeps and starts from nothing. */
static void test_queues_are_added_between_cycles(void **state) {
    (void)state;
    struct model m;
    model_init(&m, &share_drf, 1, (const int64_t[]){60});
    model_queue(&m, ROOT, 1000, (const int64_t[]){1}, 20);
    for (uint32_t n = 1; n < 30; n++) {
        model_begin(&m);
        model_place(&m);
        model_queue(&m, ROOT, 1000, (const int64_t[]){1}, 20);
    }
    model_begin(&m);
    model_fill(&m);
    for (uint32_t q = 0; q < m.view.n_queues; q++) assert_in_range(m.queue[q].placed, 2, 2);
    m.live[3] = 0; /* and go: what the row held is no longer anybody's */
    model_begin(&m);
    assert_int_equal(model_best(&m, ROOT), LSCHED_NO_ROW); /* the pool is full */
    model_end(&m);
}

static uint32_t allocations_left;

static void *failing_alloc(void *engine, size_t bytes) {
    return allocations_left-- ? model_alloc(engine, bytes) : NULL;
}

static void test_out_of_memory(void **state) {
    (void)state;
    for (uint32_t allowed = 0; allowed < 3; allowed++) {
        struct model m;
        model_init(&m, &share_drf, 1, (const int64_t[]){10});
        model_end(&m);
        m.env.alloc = failing_alloc;
        uint32_t q = model_queue(&m, ROOT, 1000, (const int64_t[]){1}, MODEL_FOREVER);
        lsched_share_key key;
        allocations_left = allowed;
        if (allowed == 0) {
            assert_int_equal(share_drf.create(&m.env, &m.self, NULL), LSCHED_E_NOMEM);
            continue;
        }
        assert_int_equal(share_drf.create(&m.env, &m.self, NULL), LSCHED_OK);
        assert_int_equal(share_drf.share->begin(m.self, &m.view), LSCHED_E_NOMEM);
        assert_int_equal(
            share_drf.share->update(m.self, &m.view, q, 1, LSCHED_NO_ROW, m.want[q], &key),
            LSCHED_E_STATE);
        allocations_left = 99;
        model_begin(&m);
        model_fill(&m);
        assert_int_equal(m.queue[q].placed, 10);
        /* The next cycle fails: what the last one left behind is not used. */
        for (int i = 0; i < 40; i++) model_queue(&m, ROOT, 1000, cpu_task, 0);
        allocations_left = allowed - 1;
        assert_int_equal(share_drf.share->begin(m.self, &m.view), LSCHED_E_NOMEM);
        assert_int_equal(
            share_drf.share->update(m.self, &m.view, q, 1, LSCHED_NO_ROW, m.want[q], &key),
            LSCHED_E_STATE);
        model_end(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper_table_and_its_order),
        cmocka_unit_test(test_weight_two_gets_twice_the_share),
        cmocka_unit_test(test_weight_of_one_kind),
        cmocka_unit_test(test_rescaling),
        cmocka_unit_test(test_blocked_node),
        cmocka_unit_test(test_no_starvation_by_a_sibling),
        cmocka_unit_test(test_idle_sibling_counts),
        cmocka_unit_test(test_idle_sibling_counts_up_to_the_level),
        cmocka_unit_test(test_weight_zero_goes_last),
        cmocka_unit_test(test_weight_zero_inside_a_queue),
        cmocka_unit_test(test_priority_before_share),
        cmocka_unit_test(test_kind_that_the_cluster_lacks),
        cmocka_unit_test(test_ties_do_not_depend_on_rounding),
        cmocka_unit_test(test_one_part_in_a_thousand_million_counts),
        cmocka_unit_test(test_ends_of_the_ranges),
        cmocka_unit_test(test_queues_are_added_between_cycles),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
