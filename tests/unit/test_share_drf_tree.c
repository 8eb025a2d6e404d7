/* The tree of sums against a walk over all members, through random insertions and removals. */
#include <stdio.h>

#include "property/drf_model.h"

#include "algorithms/share_drf/drf_tree.h"
#include "property/chance.h"

enum { ROWS = 200, LANES = 2 };

struct forest {
    struct drf_table table;
    struct drf_row rows[ROWS];
    struct drf_lane lanes[ROWS * LANES];
    uint8_t inside[ROWS];
    uint32_t root;
};

static void check_sums(struct forest *f, uint64_t level) {
    drf_wide fraction[LANES] = {0}, ratio[LANES] = {0};
    drf_wide want_fraction[LANES] = {0}, want_ratio[LANES] = {0};
    for (uint32_t q = 0; q < ROWS; q++) {
        for (uint32_t k = 0; f->inside[q] && k < LANES; k++) {
            if (f->rows[q].share <= level)
                want_fraction[k] += f->lanes[q * LANES + k].fraction;
            else
                want_ratio[k] += f->lanes[q * LANES + k].ratio;
        }
    }
    drf_tree_sum(&f->table, f->root, level, fraction, ratio);
    for (uint32_t k = 0; k < LANES; k++) {
        assert_true(fraction[k] == want_fraction[k]);
        assert_true(ratio[k] == want_ratio[k]);
    }
}

/* Depth of a row by its parent links, which also proves that they lead to the root. */
static uint32_t depth_of(const struct forest *f, uint32_t row) {
    uint32_t depth = 0;
    for (; row != f->root; row = f->rows[row].parent) {
        assert_true(row != DRF_NONE && ++depth < ROWS);
    }
    return depth;
}

static void test_sums_equal_a_walk(void **state) {
    (void)state;
    uint64_t seed = chance_seed(11);
    struct chance c = {seed};
    struct forest *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->table = (struct drf_table){f->rows, f->lanes, LANES};
    f->root = DRF_NONE;
    print_message("seed %llu\n", (unsigned long long)seed);
    uint32_t rounds = chance_rounds(20000);
    for (uint32_t round = 0; round < rounds; round++) {
        uint32_t q = chance_below(&c, ROWS);
        if (f->inside[q]) {
            drf_tree_remove(&f->table, &f->root, q);
        } else {
            f->rows[q].share = chance_one_in(&c, 3) ? chance_below(&c, 4) : chance_word(&c) >> 2;
            for (uint32_t k = 0; k < LANES; k++) {
                f->lanes[q * LANES + k].fraction = chance_word(&c) >> chance_below(&c, 64);
                f->lanes[q * LANES + k].ratio = chance_word(&c) >> 2;
            }
            drf_tree_insert(&f->table, &f->root, q);
        }
        f->inside[q] ^= 1;
        uint32_t other = chance_below(&c, ROWS);
        check_sums(f, chance_one_in(&c, 2) ? f->rows[other].share : chance_word(&c) >> 2);
        if (f->inside[other]) assert_true(depth_of(f, other) < 40); /* 2 ln 200 is 11 */
    }
    for (uint32_t q = 0; q < ROWS; q++)
        if (f->inside[q]) drf_tree_remove(&f->table, &f->root, q);
    assert_int_equal(f->root, DRF_NONE);
    free(f);
}

/* Shares that come in order, as they do when queues go idle one after the other, must not make a list. */
static void test_depth_of_rising_shares(void **state) {
    (void)state;
    struct forest *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->table = (struct drf_table){f->rows, f->lanes, LANES};
    f->root = DRF_NONE;
    for (int pass = 0; pass < 3; pass++) {
        for (uint32_t q = 0; q < ROWS; q++) {
            f->rows[q].share = (uint64_t)(pass + 1) * 1000 + q;
            if (f->inside[q]) drf_tree_remove(&f->table, &f->root, q);
            drf_tree_insert(&f->table, &f->root, q);
            f->inside[q] = 1;
        }
        for (uint32_t q = 0; q < ROWS; q++) assert_true(depth_of(f, q) < 25);
    }
    free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_equal_a_walk),
        cmocka_unit_test(test_depth_of_rising_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
