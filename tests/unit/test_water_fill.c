/*
 * Fair shares of siblings in one resource, on cases with known answers: the nine golden rows of a
 * two-queue table, and each rule alone (quotas, weights, priorities, remainders, whole devices,
 * lending, use, amounts at the edge of what fits).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/share_quota/water_fill.h"

#define GPU INT64_C(1000)
#define ANY LSCHED_UNLIMITED

static struct sibling queues[8];
static uint32_t rows[8];
static int64_t usage_weight_milli;
static int weightless_share;

static void start(void) {
    memset(queues, 0, sizeof queues);
    for (int i = 0; i < 8; i++) {
        queues[i].limit = queues[i].lend = ANY;
        queues[i].weight = 1000;
    }
    usage_weight_milli = 1000;
    weightless_share = 0;
}

static void queue(int i, int64_t quota, int64_t need, int64_t weight) {
    queues[i].quota = queues[i].guarantee = quota;
    queues[i].need = need;
    queues[i].weight = weight;
}

static void fill(uint32_t n, int64_t total, int64_t step) {
    const struct fill_rules rules = {total, step, usage_weight_milli, weightless_share};
    struct fill_state state;
    water_fill(queues, n, &rules, rows, &state);
}

static void assert_claims(uint32_t n, const int64_t *claims) {
    for (uint32_t i = 0; i < n; i++)
        if (queues[i].claim != claims[i])
            fail_msg("queue %u: expected %lld, found %lld", i, (long long)claims[i],
                     (long long)queues[i].claim);
}

/* The reference's table: two queues, whole GPUs, the first one older. */
static void test_golden_rows(void **state) {
    (void)state;
    static const struct {
        int64_t total, quota, need[2], weight[2];
        int32_t priority[2];
        int64_t expected[2];
    } table[] = {
        {8, 2, {6, 6}, {1, 3}, {0, 0}, {3, 5}},
        {11, 2, {10, 10}, {1, 4}, {0, 0}, {3, 8}},
        {11, 2, {6, 6}, {2, 2}, {0, 0}, {6, 5}},
        {6, 2, {6, 6}, {1, 1}, {1, 2}, {2, 4}},
        {6, 2, {6, 6}, {9, 1}, {1, 2}, {2, 4}},
        {4, 2, {6, 6}, {1, 3}, {0, 0}, {2, 2}},
        {3, 2, {6, 6}, {1, 3}, {0, 0}, {2, 2}}, /* guarantees of more than there is */
        {8, 2, {1, 6}, {1, 1}, {0, 0}, {1, 6}}, /* nobody gets what it cannot use */
        {12, 2, {6, 6}, {1, 3}, {0, 0}, {6, 6}},
        {10, 2, {6, 6}, {0, 1}, {0, 0}, {2, 6}}, /* weight 0: its quota and no more */
        {10, 2, {6, 6}, {0, 0}, {0, 0}, {2, 2}},
    };
    for (size_t row = 0; row < sizeof table / sizeof table[0]; row++) {
        start();
        for (int i = 0; i < 2; i++) {
            queue(i, table[row].quota * GPU, table[row].need[i] * GPU, table[row].weight[i] * GPU);
            queues[i].priority = table[row].priority[i];
        }
        fill(2, table[row].total * GPU, GPU);
        assert_claims(
            2, (const int64_t[]){table[row].expected[0] * GPU, table[row].expected[1] * GPU});
    }
}

/* What queues with a weight leave is divided evenly by those of weight 0, in each priority. */
static void test_weightless_queues_divide_the_rest(void **state) {
    (void)state;
    static const struct {
        int64_t quota[3], need[3], weight[3], used_ppm;
        int32_t priority[3];
        int64_t expected[3];
    } table[] = {
        {{1, 0, 0},
         {9, 9, 0},
         {0, 0, 0},
         0,
         {0, 0, 0},
         {6, 5, 0}}, /* the older has the remainder */
        {{0, 0, 0}, {9, 9, 4}, {0, 0, 1}, 0, {0, 0, 0}, {4, 3, 4}}, /* weights first */
        {{0, 0, 0}, {9, 9, 19}, {0, 0, 1}, 0, {0, 0, 0}, {0, 0, 11}},
        {{0, 0, 0}, {9, 9, 19}, {0, 0, 1}, 0, {1, 0, 0}, {9, 0, 2}}, /* priority before weight */
        {{0, 0, 0}, {9, 9, 4}, {0, 0, 1}, 200000, {0, 0, 0}, {3, 4, 4}}, /* use bends equal parts */
    };
    for (size_t row = 0; row < sizeof table / sizeof table[0]; row++) {
        start();
        weightless_share = 1;
        for (int i = 0; i < 3; i++) {
            queue(i, table[row].quota[i] * GPU, table[row].need[i] * GPU,
                  table[row].weight[i] * GPU);
            queues[i].priority = table[row].priority[i];
        }
        queues[0].used_ppm = table[row].used_ppm;
        fill(3, 11 * GPU, GPU);
        assert_claims(3,
                      (const int64_t[]){table[row].expected[0] * GPU, table[row].expected[1] * GPU,
                                        table[row].expected[2] * GPU});
    }
}

/* The reference gives the first of these 1.0: its last step does not look at what is needed. */
static void test_no_remainder_above_need(void **state) {
    (void)state;
    for (int64_t step = 1; step <= GPU; step += GPU - 1) {
        start();
        for (int i = 0; i < 3; i++) queue(i, 0, 400, 1000);
        fill(3, 1000, step);
        if (step == 1)
            assert_claims(3, (const int64_t[]){334, 333, 333});
        else
            assert_claims(3, (const int64_t[]){400, 400, 200});
    }
}

static void test_no_milli_is_lost(void **state) {
    (void)state;
    start();
    for (int i = 0; i < 7; i++) queue(i, 0, 100000, 1000);
    fill(7, 10000, 1);
    assert_claims(7, (const int64_t[]){1429, 1429, 1429, 1429, 1428, 1428, 1428});
    fill(7, 10000, GPU); /* 1428.57 each: one whole GPU, and three left for the oldest */
    assert_claims(7, (const int64_t[]){2000, 2000, 2000, 1000, 1000, 1000, 1000});
    fill(7, 10300, GPU); /* what is less than a device goes to the next one that can use it */
    assert_claims(7, (const int64_t[]){2000, 2000, 2000, 1300, 1000, 1000, 1000});
}

static void test_larger_remainder_before_age(void **state) {
    (void)state;
    start();
    queue(0, 0, ANY / 4, 1000);
    queue(1, 0, ANY / 4, 2000);
    queue(2, 0, ANY / 4, 4000);
    fill(3, 10, 1); /* 1.43, 2.86, 5.71 */
    assert_claims(3, (const int64_t[]){1, 3, 6});
}

/* Quotas of halves of devices and more than two siblings: what is left fills up a half that the
 * quota gave before it begins a device of its own. */
static void test_halves_are_filled_up(void **state) {
    (void)state;
    start();
    queue(0, 2500, 4 * GPU, 1);
    queue(1, 1500, 8 * GPU, 1);
    queue(2, 1 * GPU, 2 * GPU, 1);
    queue(3, 1 * GPU, 6 * GPU, 4);
    fill(4, 8 * GPU, GPU);
    assert_claims(4, (const int64_t[]){3000, 2000, 1000, 2000});
    start();
    queue(0, 1500, 7 * GPU, 3);
    queue(1, 2500, 8 * GPU, 2);
    queue(2, 500, 1 * GPU, 2);
    queue(3, 500, 7 * GPU, 2);
    fill(4, 6 * GPU, GPU);
    assert_claims(4, (const int64_t[]){2000, 3000, 500, 500});
}

/* A quota of one device and a half: shares are whole where the quota is passed. */
static void test_whole_devices_on_top_of_a_part(void **state) {
    (void)state;
    start();
    queue(0, 1500, 8000, 1000);
    queue(1, 0, 8000, 1000);
    fill(2, 2000, GPU); /* 1750, 250: the older one is made whole */
    assert_claims(2, (const int64_t[]){2000, 0});
    fill(2, 4500, GPU); /* 3000, 1500 */
    assert_claims(2, (const int64_t[]){3000, 1500});
    fill(2, 5500, GPU); /* 3500, 2000 */
    assert_claims(2, (const int64_t[]){3500, 2000});
    queue(1, 1500, 8000, 1000);
    fill(2, 3200, GPU); /* nobody falls below its quota for a whole number */
    assert_claims(2, (const int64_t[]){1700, 1500});
}

static void test_priority_takes_all_it_can_use(void **state) {
    (void)state;
    start();
    queue(0, 1000, 5000, 1000);
    queue(1, 1000, 3000, 1000);
    queue(2, 1000, 9000, 3000);
    queue(3, 1000, 9000, 1000);
    queues[1].priority = 5;
    queues[0].priority = -5;
    fill(4, 10000, 1);
    /* 6 over quota: 2 to the high one, 4 of the rest as 3 : 1, nothing for the low one. */
    assert_claims(4, (const int64_t[]){1000, 3000, 4000, 2000});
}

/* What the satisfied leave goes to all others by weight, over several levels. */
static void test_levels(void **state) {
    (void)state;
    start();
    queue(0, 0, 10, 1000);
    queue(1, 0, 400, 2000);
    queue(2, 0, 250, 1000);
    queue(3, 0, 5000, 1000);
    fill(4, 1000, 1);
    assert_claims(4, (const int64_t[]){10, 400, 250, 340});
    queue(1, 0, 600, 2000);
    fill(4, 1000, 1); /* 10, then 990 as 2 : 1 : 1 */
    assert_claims(4, (const int64_t[]){10, 495, 248, 247});
}

static void test_lend_limit_hides_unused_quota(void **state) {
    (void)state;
    start();
    queue(0, 6000, 1000, 1000);
    queue(1, 4000, 20000, 1000);
    fill(2, 10000, 1);
    assert_claims(2, (const int64_t[]){1000, 9000});
    assert_int_equal(queues[0].kept, 0);
    queues[0].lend = 2000; /* 5000 unused, 2000 of them seen */
    fill(2, 10000, 1);
    assert_claims(2, (const int64_t[]){1000, 6000});
    assert_int_equal(queues[0].kept, 3000);
    queues[0].lend = 0;
    fill(2, 10000, 1);
    assert_claims(2, (const int64_t[]){1000, 4000});
    queues[0].need = 20000; /* it wants all of it itself: nothing is hidden */
    fill(2, 10000, 1);
    assert_claims(2, (const int64_t[]){6000, 4000});
    assert_int_equal(queues[0].kept, 0);
    queues[0].need = 1000;
    queues[0].kept_below = 4000; /* its children keep these; 1000 more it keeps itself */
    fill(2, 10000, 1);
    assert_claims(2, (const int64_t[]){5000, 4000});
    assert_int_equal(queues[0].kept, 1000);
}

/* n + k (n - u): equal weights, the first one has used half the cluster, the other none. */
static void test_use_bends_weights(void **state) {
    (void)state;
    start();
    queue(0, 0, 100000, 1000);
    queue(1, 0, 100000, 1000);
    queues[0].used_ppm = 500000;
    fill(2, 9000, 1); /* 0.5 and 1.0 */
    assert_claims(2, (const int64_t[]){3000, 6000});
    usage_weight_milli = 0;
    fill(2, 9000, 1);
    assert_claims(2, (const int64_t[]){4500, 4500});
    usage_weight_milli = 2000;
    fill(2, 9000, 1); /* 0.5 and 1.5 */
    assert_claims(2, (const int64_t[]){2250, 6750});
    usage_weight_milli = 1000;
    queues[0].used_ppm = 1000000; /* 0 and 1: all it can use to the other, then the rest */
    queues[1].need = 5000;
    fill(2, 9000, 1);
    assert_claims(2, (const int64_t[]){4000, 5000});
    queue(0, 3000, 100000, 1000); /* its quota is not bent */
    fill(2, 6000, 1);
    assert_claims(2, (const int64_t[]){3000, 3000});
}

/* Parts are of those who stay: b and c divide 90 as 0.4 : 0.8, whatever a's part was. */
static void test_use_counts_among_those_who_compete(void **state) {
    (void)state;
    start();
    queue(0, 0, 10, 1000);
    queue(1, 0, 1000, 1000);
    queue(2, 0, 1000, 1000);
    queues[1].used_ppm = 600000;
    queues[2].used_ppm = 200000;
    fill(3, 100, 1);
    assert_claims(3, (const int64_t[]){10, 30, 60});
}

/* Use of more than the cluster (capacity went away) leaves nobody a part: weights decide. */
static void test_too_much_use(void **state) {
    (void)state;
    start();
    queue(0, 0, 1000, 1000);
    queue(1, 0, 1000, 3000);
    queues[0].used_ppm = queues[1].used_ppm = INT64_MAX / 2;
    fill(2, 100, 1);
    assert_claims(2, (const int64_t[]){25, 75});
}

static void test_unlimited_quota_takes_what_it_wants(void **state) {
    (void)state;
    start();
    queue(0, ANY, 70, 1000);
    queue(1, 20, 50, 1000);
    fill(2, 100, 1);
    assert_claims(2, (const int64_t[]){70, 30});
    queue(0, ANY, 700, 1000);
    fill(2, 100, 1); /* more than there is, as quotas may be */
    assert_claims(2, (const int64_t[]){100, 20});
}

static void test_amounts_at_the_edge(void **state) {
    (void)state;
    start();
    const int64_t most = INT64_C(1) << 62;
    for (int i = 0; i < 4; i++) queue(i, 0, most, most);
    fill(4, most, 1);
    for (int i = 0; i < 4; i++) assert_int_equal(queues[i].claim, most / 4);
    for (int i = 0; i < 4; i++) queue(i, most, most, most);
    fill(4, most, 1);
    for (int i = 0; i < 4; i++) assert_int_equal(queues[i].claim, most);
    queue(0, 0, most, 1);
    for (int i = 1; i < 4; i++) queue(i, 0, most, most);
    fill(4, most - 1, 1);
    assert_int_equal(queues[0].claim + queues[1].claim + queues[2].claim + queues[3].claim,
                     most - 1);
    for (int i = 0; i < 4; i++) queues[i].used_ppm = i * 250000;
    fill(4, most - 1, 1);
    assert_int_equal(queues[0].claim + queues[1].claim + queues[2].claim + queues[3].claim,
                     most - 1);
    fill(4, 0, 1);
    assert_claims(4, (const int64_t[]){0, 0, 0, 0});
    fill(0, most, 1); /* nobody there */
}

/* Weights of a sum past 2^62 lose low bits. A weight of which nothing is left counts as the least
 * that is, and never for more than a larger weight. */
static void test_lost_bits_keep_the_order_of_weights(void **state) {
    (void)state;
    start();
    const int64_t most = INT64_C(1) << 62;
    queue(0, 0, most, 1);
    queue(1, 0, most, 8); /* all weights lose three bits: both count as one */
    for (int i = 2; i < 6; i++) queue(i, 0, most, most);
    fill(6, most - 1, 1);
    assert_true(queues[0].claim <= queues[1].claim);
    assert_true(queues[1].claim <= queues[2].claim / GPU);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_rows),
        cmocka_unit_test(test_weightless_queues_divide_the_rest),
        cmocka_unit_test(test_no_remainder_above_need),
        cmocka_unit_test(test_no_milli_is_lost),
        cmocka_unit_test(test_larger_remainder_before_age),
        cmocka_unit_test(test_halves_are_filled_up),
        cmocka_unit_test(test_whole_devices_on_top_of_a_part),
        cmocka_unit_test(test_priority_takes_all_it_can_use),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_lend_limit_hides_unused_quota),
        cmocka_unit_test(test_use_bends_weights),
        cmocka_unit_test(test_use_counts_among_those_who_compete),
        cmocka_unit_test(test_too_much_use),
        cmocka_unit_test(test_unlimited_quota_takes_what_it_wants),
        cmocka_unit_test(test_amounts_at_the_edge),
        cmocka_unit_test(test_lost_bits_keep_the_order_of_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
