/*
 * Orders that other systems publish, with the numbers from their own tests: Mesos' sorter, Kueue's
 * shares, YuniKorn's share, Slurm's Fair Tree. Where an algorithm of ours answers otherwise on
 * purpose, the test says so.
 */
#include "property/drf_model.h"
#include "property/quota_world.h"

#define CPU    LSCHED_CPU
#define MEMORY LSCHED_MEMORY
#define GPU    LSCHED_GPU

static struct world w;

static void begin(const lsched_algorithm *algorithm) {
    world_init(&w, algorithm);
}

/* ---- Mesos: the DRF sorter. Order by dominant share; `drf` agrees. --------------------------- */

static struct model mesos;

static uint32_t framework(const char *letter, int64_t cpu, int64_t memory) {
    uint32_t row = model_queue(&mesos, ROOT, 1000, (const int64_t[]){cpu, memory}, 1);
    (void)letter; /* rows in order of letters */
    model_take(&mesos, row, 1);
    mesos.queue[row].task[CPU] = mesos.queue[row].task[MEMORY] = 0; /* wants more, of nothing */
    return row;
}

static void hold_more(uint32_t row, int64_t cpu, int64_t memory) {
    mesos.used[CPU][row] += cpu;
    mesos.used[MEMORY][row] += memory;
}

static void assert_order(const char *letters) {
    model_begin(&mesos);
    for (const char *at = letters; *at; at++) {
        uint32_t best = model_best(&mesos, ROOT);
        assert_int_equal(best == ROOT ? '-' : 'a' + (int)best, *at);
        mesos.active[best] = 0;
    }
    assert_int_equal(model_best(&mesos, ROOT), ROOT);
}

static void pool(int64_t cpu, int64_t memory) {
    mesos.view.total_capacity[CPU] = cpu;
    mesos.view.total_capacity[MEMORY] = memory;
}

static void test_mesos_sorter(void **state) {
    (void)state;
    model_init(&mesos, &share_drf, 2, (const int64_t[]){100, 100});
    uint32_t a = framework("a", 5, 5), b = framework("b", 6, 6);
    uint32_t c = framework("c", 1, 1);
    framework("d", 3, 1);
    assert_order("cdab");
    mesos.live[a] = 0;
    hold_more(b, -4, -4);
    assert_order("cbd");
    framework("e", 1, 5);
    pool(50, 100);
    assert_order("cbed");
    pool(50, 200);
    framework("f", 5, 1);
    hold_more(c, 0, 15);
    assert_order("ebdcf");
    model_end(&mesos);
}

/* Mesos: equal shares go to the one with fewer allocations so far, then by name. Here: to the older
 * queue, then by name; a count of past allocations is history that a restart would forget. */
static void test_mesos_ties(void **state) {
    (void)state;
    model_init(&mesos, &share_drf, 2, (const int64_t[]){100, 100});
    framework("a", 1, 1);
    framework("b", 1, 1);
    assert_order("ab");
    model_end(&mesos);
}

/* ---- Kueue: (usage - quota) * 1000 / lendable of the cohort / weight, the largest of all kinds - */

/* In thousandths, as Kueue states it; keys are rounded down. */
static int64_t kueue_share(uint32_t queue) {
    return (world_key(&w, queue, ROOT).word[1] * 1000 + ((INT64_C(1) << 40) - 1)) >> 40;
}

static void test_kueue_share(void **state) {
    (void)state;
    begin(&share_cohort);
    w.view.total_capacity[CPU] = w.view.total_capacity[GPU] = 10;
    uint32_t cohort = world_queue(&w, ROOT);
    uint32_t cq = world_queue(&w, cohort), lender = world_queue(&w, cohort);
    w.quota[CPU][cq] = 2;
    w.quota[GPU][cq] = 5;
    w.quota[CPU][lender] = 8;
    w.quota[GPU][lender] = 5;
    world_load(&w, cq, CPU, 3, 0);
    world_load(&w, cq, GPU, 7, 0);
    world_begin(&w);
    assert_int_equal(kueue_share(cq), 200); /* gpu: (7 - 5) * 1000 / 10 */
    assert_int_equal(kueue_share(lender), 0);
    assert_int_equal(kueue_share(cohort), 0); /* within what its members have */
    world_load(&w, cq, GPU, -4, 0);
    assert_int_equal(kueue_share(cq), 100); /* cpu: (3 - 2) * 1000 / 10 */
    w.want[cq][GPU] = 6;
    assert_int_equal(kueue_share(cq), 400); /* with what it asks for: 9 of 5 */
    w.weight[GPU][cq] = w.weight[CPU][cq] = 2000;
    assert_int_equal(kueue_share(cq), 200);
    w.weight[GPU][cq] = w.weight[CPU][cq] =
        0; /* behind all weights while it borrows, else nothing */
    int64_t behind = world_key(&w, cq, ROOT).word[1];
    assert_true(behind > (int64_t)1 << 61);
    w.want[cq][GPU] = 5; /* among equals, who borrows less goes first */
    assert_true(world_key(&w, cq, ROOT).word[1] < behind);
    world_load(&w, cq, CPU, -1, 0);
    w.want[cq][GPU] = 0;
    assert_int_equal(kueue_share(cq), 0);
    world_end(&w);
}

/* What a member does not lend is not there to borrow; a cohort in a cohort borrows up to its
 * limit. */
static void test_kueue_lendable(void **state) {
    (void)state;
    begin(&share_cohort);
    w.view.total_capacity[GPU] = 40;
    uint32_t left = world_queue(&w, ROOT), right = world_queue(&w, ROOT);
    uint32_t a = world_queue(&w, left), b = world_queue(&w, left);
    w.quota[GPU][a] = 4;
    w.quota[GPU][b] = 6;
    w.quota[GPU][right] = 30;
    world_load(&w, a, GPU, 8, 0);
    world_begin(&w);
    assert_int_equal(kueue_share(a), 100); /* 4 of 10 + 30 */
    w.lend[GPU][b] = 2;
    w.lend[GPU][right] = 14;
    world_begin(&w);
    assert_int_equal(kueue_share(a), 200); /* 4 of 6 + 14 */
    w.limit[GPU][left] = 16;
    world_begin(&w);
    assert_int_equal(kueue_share(a), 250);
    world_end(&w);
}

/* A cohort has what its members bring, though it has no quota itself. */
static void test_kueue_cohort_without_a_quota(void **state) {
    (void)state;
    begin(&share_cohort);
    w.view.total_capacity[GPU] = 10;
    uint32_t colours = world_queue(&w, ROOT);
    uint32_t red = world_queue(&w, colours), blue = world_queue(&w, colours);
    w.quota[GPU][red] = w.quota[GPU][blue] = 4;
    w.lend[GPU][blue] = 1;
    world_load(&w, red, GPU, 0, 20);
    world_begin(&w);
    assert_int_equal(world_guarantee(&w, colours, GPU), 8);
    assert_int_equal(world_guarantee(&w, red, GPU), 4);
    assert_int_equal(world_guarantee(&w, blue, GPU), 4);
    assert_int_equal(world_share(&w, red, GPU), 7); /* all but what blue does not lend */
    w.limit[GPU][colours] = 6;
    world_begin(&w);
    assert_int_equal(world_guarantee(&w, colours, GPU), 6);
    assert_int_equal(world_guarantee(&w, red, GPU), 3);
    world_end(&w);
}

/* Without any quota shares are of the cluster; a kind nobody has a quota of does not count. */
static void test_kueue_without_quotas(void **state) {
    (void)state;
    begin(&share_cohort);
    w.view.total_capacity[CPU] = w.view.total_capacity[GPU] = 10;
    uint32_t a = world_queue(&w, ROOT), b = world_queue(&w, ROOT);
    world_load(&w, a, CPU, 4, 0);
    world_load(&w, b, GPU, 3, 0);
    world_begin(&w);
    assert_int_equal(kueue_share(a), 400);
    assert_int_equal(kueue_share(b), 300);
    w.quota[GPU][b] = 2;
    world_begin(&w);
    assert_int_equal(kueue_share(a), 0);
    assert_int_equal(kueue_share(b), 500); /* 1 of the 2 that are lent */
    world_end(&w);
}

/* Guarantees and fair shares below `cohort` give the answers of Kueue's fair preemption, in which
 * a, b, c have 3 CPUs each: who may take, and from whom. */
static void test_kueue_who_may_take(void **state) {
    (void)state;
    begin(&share_cohort);
    w.view.total_capacity[CPU] = 9;
    uint32_t a = world_queue(&w, ROOT), b = world_queue(&w, ROOT), c = world_queue(&w, ROOT);
    w.quota[CPU][a] = w.quota[CPU][b] = w.quota[CPU][c] = 3;
    world_load(&w, a, CPU, 3, 0);
    world_load(&w, b, CPU, 5, 0);
    world_load(&w, c, CPU, 1, 1); /* c asks for 1: within its guarantee, b is above its own */
    world_begin(&w);
    assert_true(w.used[CPU][c] + 1 <= world_guarantee(&w, c, CPU));
    assert_true(w.used[CPU][b] > world_guarantee(&w, b, CPU));
    assert_true(w.used[CPU][a] <= world_guarantee(&w, a, CPU));
    world_load(&w, c, CPU, 0, -1);
    world_load(&w, a, CPU, 0, 1); /* a asks for 1: within its fair share of 4, b is above it */
    world_begin(&w);
    assert_int_equal(world_share(&w, a, CPU), 4);
    assert_int_equal(world_share(&w, b, CPU), 4);
    world_load(&w, a, CPU, 0, 1); /* a asks for 2: it would only take b's place */
    world_begin(&w);
    assert_int_equal(world_share(&w, a, CPU), 4);
    world_end(&w);
}

/* ---- YuniKorn: max over resources of allocated / guaranteed, else of the fair maximum -------- */

static double yunikorn_share(uint32_t queue) {
    return (double)world_dominant(world_key(&w, queue, ROOT)) / (double)(INT64_C(1) << 40);
}

static void test_yunikorn_share(void **state) {
    (void)state;
    begin(&share_quota);
    w.view.total_capacity[CPU] = w.view.total_capacity[MEMORY] = 10000;
    uint32_t q = world_queue(&w, ROOT);
    w.weight[CPU][q] = w.weight[MEMORY][q] = 0;
    w.quota[MEMORY][q] = 5000;
    w.quota[CPU][q] = 1000;
    world_load(&w, q, MEMORY, 2500, 0);
    world_load(&w, q, CPU, 100, 0);
    world_begin(&w);
    assert_true(yunikorn_share(q) == 0.5);
    w.quota[CPU][q] = w.quota[MEMORY][q] = 0; /* nothing guaranteed: of what there is */
    w.limit[CPU][q] = w.limit[MEMORY][q] = 10000;
    w.weight[CPU][q] = w.weight[MEMORY][q] = 1000;
    world_load(&w, q, MEMORY, 0, 7500);
    world_load(&w, q, CPU, 0, 9900);
    world_begin(&w);
    assert_true(yunikorn_share(q) == 0.25);
    /* A guarantee of 0 with use: YuniKorn counts 1.0, so such a queue goes before one that is at
     * 1.1 of its guarantee. Here, if weights give it nothing either, it goes behind everybody. */
    uint32_t other = world_queue(&w, ROOT);
    w.quota[CPU][other] = w.quota[MEMORY][other] = 1;
    w.weight[CPU][q] = 0;
    world_begin(&w);
    assert_true(yunikorn_share(q) >= (double)(1 << 19));
    world_load(&w, q, CPU, -100, 0); /* without use it does not count, in both */
    world_begin(&w);
    assert_true(yunikorn_share(q) == 0.25);
    world_end(&w);
}

/* ---- Slurm: Fair Tree ------------------------------------------------------------------------ */

/* Level fair share is shares / usage among siblings: the higher, the earlier. */
static void test_fair_tree_levels(void **state) {
    (void)state;
    begin(&share_fair_tree);
    w.view.total_capacity[CPU] = 1000;
    uint32_t physics = world_queue(&w, ROOT), biology = world_queue(&w, ROOT);
    uint32_t p1 = world_queue(&w, physics), b1 = world_queue(&w, biology);
    w.weight[CPU][physics] = 3000;
    w.weight[CPU][biology] = 1000;
    w.decayed[CPU][physics] = w.decayed[CPU][p1] = 500000; /* 6 : 5 in levels: 0.75 / 0.5 */
    w.decayed[CPU][biology] = w.decayed[CPU][b1] = 200000; /* 0.25 / 0.2 */
    assert_true(world_before(&w, physics, biology));
    w.decayed[CPU][physics] = 600001; /* as many shares per use, and a little more used */
    assert_true(world_before(&w, biology, physics));
    w.decayed[CPU][physics] = 600000;
    lsched_share_key x = world_key(&w, physics, ROOT), y = world_key(&w, biology, ROOT);
    assert_memory_equal(&x, &y, sizeof x);
    /* Levels are equal: less in hand for its shares goes first. */
    world_load(&w, p1, CPU, 300, 0);
    world_load(&w, b1, CPU, 99, 0);
    assert_true(world_before(&w, biology, physics));
    world_load(&w, b1, CPU, 2, 0);
    assert_true(world_before(&w, physics, biology));
    w.priority[biology] = 1;
    assert_true(world_before(&w, biology, physics));
    world_end(&w);
}

static void test_fair_tree_corners(void **state) {
    (void)state;
    begin(&share_fair_tree);
    w.view.total_capacity[CPU] = w.view.total_capacity[GPU] = 1000;
    uint32_t unused = world_queue(&w, ROOT), little = world_queue(&w, ROOT);
    uint32_t none = world_queue(&w, ROOT), over = world_queue(&w, ROOT);
    w.weight[CPU][unused] = w.weight[GPU][unused] = 1;
    for (uint32_t kind = 1; kind < WORLD_KINDS; kind++) w.weight[kind][none] = 0;
    w.decayed[CPU][little] = 1;
    w.decayed[GPU][over] = INT64_MAX / 4;
    assert_true(world_before(&w, little, over));
    w.decayed[GPU][over] = 1 << 23;                /* more than a level has bits for */
    assert_true(world_before(&w, unused, little)); /* no use at all: before any use */
    assert_true(world_before(&w, little, over));
    assert_true(world_before(&w, over, none)); /* no shares: last, used or not */
    assert_true(world_key(&w, none, ROOT).word[0] >= 0);
    w.priority[none] = INT32_MIN;
    assert_true(world_key(&w, none, ROOT).word[0] > 0);
    w.priority[none] = INT32_MAX;
    assert_true(world_before(&w, none, unused));
    /* Shares of one kind only: use of the other counts as use without shares. */
    w.weight[GPU][little] = 0;
    assert_true(world_before(&w, little, over));
    world_load(&w, little, GPU, 1, 0);
    assert_true(world_before(&w, over, little));
    world_end(&w);
}

/* Quotients that differ are keys that differ, for all weights up to 1,448. */
static void test_fair_tree_is_exact(void **state) {
    (void)state;
    begin(&share_fair_tree);
    w.view.total_capacity[CPU] = 1000;
    uint32_t a = world_queue(&w, ROOT), b = world_queue(&w, ROOT);
    for (int64_t weight = 2000; weight <= 1448000; weight += 999) {
        w.weight[CPU][a] = weight;
        w.weight[CPU][b] = weight - 1;
        for (int64_t used = 1; used <= 1000000; used = used * 3 + 1) {
            /* used / weight and (used - 1) / (weight - 1) */
            w.decayed[CPU][a] = used;
            w.decayed[CPU][b] = used - 1;
            int64_t left = used * (weight - 1), right = (used - 1) * weight;
            assert_int_equal(world_before(&w, a, b), left < right);
            assert_int_equal(world_before(&w, b, a), right < left);
        }
    }
    world_end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mesos_sorter),
        cmocka_unit_test(test_mesos_ties),
        cmocka_unit_test(test_kueue_share),
        cmocka_unit_test(test_kueue_lendable),
        cmocka_unit_test(test_kueue_cohort_without_a_quota),
        cmocka_unit_test(test_kueue_without_quotas),
        cmocka_unit_test(test_kueue_who_may_take),
        cmocka_unit_test(test_yunikorn_share),
        cmocka_unit_test(test_fair_tree_levels),
        cmocka_unit_test(test_fair_tree_corners),
        cmocka_unit_test(test_fair_tree_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
