#define _POSIX_C_SOURCE 200809L
/* Column programs: every operation against its definition on ordinary and odd numbers, with every set of kernels; what is folded,
 * shared and dropped; registers; blocks of any length. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/fixed.h"
#include "policy/column_program.h"

struct world {
    struct alloc alloc;
    struct col_graph g;
    struct col_program p;
    void *block;
    struct col_run run;
};

static void begin(struct world *w) {
    memset(w, 0, sizeof *w);
    assert_int_equal(alloc_init(&w->alloc, NULL, 0), LSCHED_OK);
    col_graph_init(&w->g, &w->alloc);
}

/* Ready to run with n_inputs inputs. */
static void ready(struct world *w, const uint32_t *roots, uint32_t n_roots, uint32_t n_inputs,
                  const struct col_kernels *kernels) {
    assert_int_equal(col_compile(&w->g, roots, n_roots, n_inputs, &w->p), LSCHED_OK);
    free(w->block);
    w->block = NULL;
    if (posix_memalign(&w->block, 32, col_scratch_bytes(&w->p) + 32)) abort();
    memset(w->block, 0xA5, col_scratch_bytes(&w->p) + 32);
    col_begin(&w->run, &w->p, kernels, w->block);
}

static void end(struct world *w) {
    free(w->block);
    col_program_free(&w->p);
    col_graph_free(&w->g);
    assert_int_equal(w->alloc.bytes, 0);
}

static const double odd[] = {0.0,
                             -0.0,
                             1,
                             -1,
                             0.5,
                             -0.5,
                             1.5,
                             2.5,
                             -2.5,
                             0x1p52,
                             0x1p53,
                             -0x1p52,
                             1e308,
                             -1e308,
                             5e-324,
                             0x1p-1022,
                             INFINITY,
                             -INFINITY,
                             NAN,
                             7,
                             -7,
                             3,
                             0.1,
                             1e15,
                             4503599627370495.5,
                             0.49999999999999994,
                             -0.3,
                             24,
                             3600,
                             1e-300};
enum { ODD = sizeof odd / sizeof odd[0], PAIRS = ODD * ODD };

static double defined(enum col_op op, double a, double b) {
    switch (op) {
    case COL_NEG: return -a;
    case COL_ABS: return fabs(a);
    case COL_FLOOR: return floor(a);
    case COL_CEIL: return ceil(a);
    case COL_SQRT: return sqrt(a);
    case COL_EXP: return fixed_exp(a);
    case COL_LOG: return fixed_log(a);
    case COL_ADD: return a + b;
    case COL_SUB: return a - b;
    case COL_MUL: return a * b;
    case COL_DIV: return a / b;
    case COL_MOD: return a - floor(a / b) * b;
    case COL_FMOD: return fmod(a, b);
    case COL_POW: return fixed_pow(a, b);
    case COL_MIN: return a < b ? a : b;
    default: return a > b ? a : b;
    }
}

static int holds(enum col_op op, double a, double b) {
    switch (op) {
    case COL_LT: return a < b;
    case COL_LE: return a <= b;
    case COL_EQ: return a == b;
    default: return a != b;
    }
}

/* Equal bits; all NaN are one, since no program can tell them apart. */
static int same(double x, double y) {
    return (x != x && y != y) || memcmp(&x, &y, sizeof x) == 0;
}

static void check_pairs(struct world *w, enum col_op op, int first_uniform, int second_uniform,
                        const struct col_kernels *kernels, size_t from, size_t n) {
    uint32_t a = col_input(&w->g, 0, 0, first_uniform), b = col_input(&w->g, 1, 0, second_uniform);
    uint32_t root = col_apply(&w->g, op, a, op <= COL_LOG ? 0 : b, 0);
    double out[COL_BLOCK];
    uint8_t truths[COL_BLOCK];
    ready(w, &root, 1, 2, kernels);
    if (first_uniform) col_set_number(&w->run, 0, odd[from / ODD]);
    if (second_uniform) col_set_number(&w->run, 1, odd[from % ODD]);
    col_uniform(&w->run);
    for (size_t i = 0; i < n; i++) {
        if (!first_uniform) col_lanes(&w->run, 0)[i].number = odd[(from + i) / ODD % ODD];
        if (!second_uniform && op > COL_LOG)
            col_lanes(&w->run, 1)[i].number = odd[(from + i) % ODD];
    }
    col_block(&w->run, n);
    if (op < COL_LT)
        col_read_numbers(&w->run, 0, out, n);
    else
        col_read_masks(&w->run, 0, truths, n);
    for (size_t i = 0; i < n; i++) {
        double x = odd[first_uniform ? from / ODD : (from + i) / ODD % ODD];
        double y = odd[second_uniform ? from % ODD : (from + i) % ODD];
        if (op < COL_LT ? same(out[i], defined(op, x, y)) : truths[i] == holds(op, x, y)) continue;
        fail_msg("%s: operation %d of %a and %a: %a, not %a", kernels->name, op, x, y,
                 op < COL_LT ? out[i] : truths[i], op < COL_LT ? defined(op, x, y) : !truths[i]);
    }
    col_program_free(&w->p);
}

static void operations_are_as_defined(void **state) {
    (void)state;
    const struct col_kernels *kernels[] = {&col_kernels_portable, col_kernels_best()};
    for (int k = 0; k < 2; k++) {
        for (enum col_op op = COL_NEG; op <= COL_NE; op++) {
            struct world w;
            begin(&w);
            for (size_t from = 0; from < PAIRS; from += 251) {
                for (int uniform = 0; uniform < 4; uniform++) {
                    size_t n = PAIRS - from < 251 ? PAIRS - from : 251;
                    if (op <= COL_LOG && uniform) continue;
                    col_graph_clear(&w.g);
                    check_pairs(&w, op, uniform & 1, uniform >> 1, kernels[k], from, n);
                }
            }
            end(&w);
        }
    }
}

static void constants_are_folded(void **state) {
    (void)state;
    struct world w;
    begin(&w);
    for (enum col_op op = COL_NEG; op <= COL_NE; op++) {
        for (int i = 0; i < ODD; i++) {
            for (int j = 0; j < ODD; j++) {
                col_graph_clear(&w.g);
                uint32_t a = col_number(&w.g, odd[i]), b = col_number(&w.g, odd[j]);
                uint32_t x = col_apply(&w.g, op, a, op <= COL_LOG ? 0 : b, 0);
                assert_int_equal(w.g.nodes[x].op, COL_CONST);
                if (op < COL_LT)
                    assert_true(same((union col_lane){.mask = w.g.nodes[x].word}.number,
                                     defined(op, odd[i], odd[j])));
                else
                    assert_true(col_is_truth(&w.g, x, holds(op, odd[i], odd[j])));
            }
        }
    }
    end(&w);
}

static void masks_and_choices(void **state) {
    (void)state;
    struct world w;
    begin(&w);
    uint32_t a = col_input(&w.g, 0, 1, 0), b = col_input(&w.g, 1, 1, 0),
             c = col_input(&w.g, 2, 1, 1);
    uint32_t x = col_input(&w.g, 3, 0, 0), y = col_input(&w.g, 4, 0, 1);
    uint32_t roots[] = {col_apply(&w.g, COL_AND, a, b, 0),    col_apply(&w.g, COL_OR, a, c, 0),
                        col_apply(&w.g, COL_NOT, a, 0, 0),    col_apply(&w.g, COL_SAME, a, b, 0),
                        col_apply(&w.g, COL_SELECT, a, b, c), col_apply(&w.g, COL_SELECT, a, x, y),
                        col_apply(&w.g, COL_SELECT, c, x, y)};
    ready(&w, roots, 7, 5, col_kernels_best());
    col_set_mask(&w.run, 2, 1);
    col_set_number(&w.run, 4, -8);
    col_uniform(&w.run);
    for (uint32_t i = 0; i < 37; i++) {
        col_lanes(&w.run, 0)[i].mask = i & 1 ? UINT64_MAX : 0;
        col_lanes(&w.run, 1)[i].mask = i & 2 ? UINT64_MAX : 0;
        col_lanes(&w.run, 3)[i].number = i;
    }
    col_block(&w.run, 37);
    for (uint32_t r = 0; r < 5; r++) {
        uint8_t out[37];
        col_read_masks(&w.run, r, out, 37);
        for (uint32_t i = 0; i < 37; i++) {
            int p = i & 1, q = i >> 1 & 1;
            const int want[] = {p && q, 1, !p, p == q, p ? q : 1};
            assert_int_equal(out[i], want[r]);
        }
    }
    double out[37];
    col_read_numbers(&w.run, 5, out, 37);
    for (uint32_t i = 0; i < 37; i++) assert_true(same(out[i], i & 1 ? (double)i : -8));
    col_read_numbers(&w.run, 6, out, 37);
    for (uint32_t i = 0; i < 37; i++) assert_true(same(out[i], i));
    end(&w);
}

static void equal_nodes_are_one(void **state) {
    (void)state;
    struct world w;
    begin(&w);
    struct col_graph *g = &w.g;
    uint32_t x = col_input(g, 0, 0, 0), y = col_input(g, 1, 0, 0), m = col_input(g, 2, 1, 0);
    uint32_t one = col_number(g, 1), zero = col_number(g, 0), yes = col_truth(g, 1);
    assert_int_equal(col_apply(g, COL_ADD, x, y, 0), col_apply(g, COL_ADD, y, x, 0));
    assert_int_not_equal(col_apply(g, COL_MIN, x, y, 0), col_apply(g, COL_MIN, y, x, 0));
    assert_int_equal(col_apply(g, COL_MUL, x, one, 0), x);
    assert_int_equal(col_apply(g, COL_DIV, x, one, 0), x);
    assert_int_equal(col_apply(g, COL_SUB, x, zero, 0), x);
    assert_int_not_equal(col_apply(g, COL_ADD, x, zero, 0), x); /* -0 + 0 is 0 */
    assert_int_not_equal(col_number(g, -0.0), zero);
    assert_int_equal(col_apply(g, COL_NOT, col_apply(g, COL_NOT, m, 0, 0), 0, 0), m);
    assert_int_equal(col_apply(g, COL_AND, m, yes, 0), m);
    assert_int_equal(col_apply(g, COL_OR, m, yes, 0), yes);
    assert_int_equal(col_apply(g, COL_SELECT, m, x, x), x);
    assert_int_equal(col_apply(g, COL_SELECT, yes, x, y), x);
    assert_int_equal(col_apply(g, COL_SELECT, col_apply(g, COL_NOT, m, 0, 0), x, y),
                     col_apply(g, COL_SELECT, m, y, x));
    end(&w);
}

/* A long sum needs few registers, and what no root needs is not computed. */
static void dead_code_and_registers(void **state) {
    (void)state;
    struct world w;
    begin(&w);
    uint32_t x = col_input(&w.g, 0, 0, 0), sum = x;
    for (int i = 0; i < 100; i++) {
        uint32_t square = col_apply(&w.g, COL_MUL, sum, sum, 0);
        sum = col_apply(&w.g, COL_ADD, square, col_number(&w.g, i), 0);
        col_apply(&w.g, COL_SQRT, square, 0, 0);
    }
    ready(&w, &sum, 1, 1, &col_kernels_portable);
    assert_int_equal(w.p.n_code, 200);
    assert_in_range(w.p.n_registers, 1, 3);
    end(&w);
}

/* A graph that grows without bound, or whose memory ends, says so once and frees all. */
static void limits(void **state) {
    (void)state;
    struct world w;
    begin(&w);
    uint32_t x = col_input(&w.g, 0, 0, 0);
    for (int i = 0; i < 2 * COL_NODES_MAX; i++)
        x = col_apply(&w.g, COL_ADD, x, col_number(&w.g, i + 0.5), 0);
    assert_int_equal(w.g.failed, LSCHED_E_LIMIT);
    assert_int_equal(col_compile(&w.g, &x, 1, 1, &w.p), LSCHED_E_LIMIT);
    end(&w);
    for (uint64_t limit = 0; limit < 40000; limit += 1000) {
        begin(&w);
        w.alloc.limit_bytes = limit;
        x = col_input(&w.g, 0, 0, 0);
        for (int i = 0; i < 200; i++) x = col_apply(&w.g, COL_MUL, x, col_number(&w.g, i + 0.5), 0);
        int32_t rc = col_compile(&w.g, &x, 1, 1, &w.p);
        assert_true(rc == LSCHED_OK || rc == LSCHED_E_NOMEM);
        if (limit == 0) assert_int_equal(rc, LSCHED_E_NOMEM);
        end(&w);
    }
}

static void odd_results_are_found(void **state) {
    (void)state;
    const struct col_kernels *kernels[] = {&col_kernels_portable, col_kernels_best()};
    double x[23];
    for (int k = 0; k < 2; k++) {
        for (size_t n = 0; n < 23; n++) {
            for (size_t bad = 0; bad < n; bad++) {
                for (size_t i = 0; i < n; i++) x[i] = 1e308 - (double)i;
                assert_int_equal(kernels[k]->find_odd(x, n), n);
                x[bad] = bad & 1 ? NAN : -INFINITY;
                x[n - 1] = INFINITY;
                assert_int_equal(kernels[k]->find_odd(x, n), bad);
            }
        }
    }
}

static void remainders_are_exact(void **state) {
    (void)state;
    uint64_t z = 42;
    for (int i = 0; i < 200000; i++) {
        union col_lane a, b;
        z = z * 6364136223846793005u + 1442695040888963407u;
        a.mask = z ^ z >> 29;
        z = z * 6364136223846793005u + 1442695040888963407u;
        b.mask = z ^ z >> 31;
        if (i & 1) b.mask = (b.mask & ~(UINT64_C(0x7FF) << 52)) | (a.mask & UINT64_C(0x7FF) << 52);
        double have = fixed_fmod(a.number, b.number), want = fmod(a.number, b.number);
        if (!same(have, want))
            fail_msg("fmod(%a, %a) is %a, not %a", a.number, b.number, have, want);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_are_as_defined), cmocka_unit_test(constants_are_folded),
        cmocka_unit_test(masks_and_choices),         cmocka_unit_test(equal_nodes_are_one),
        cmocka_unit_test(dead_code_and_registers),   cmocka_unit_test(limits),
        cmocka_unit_test(odd_results_are_found),     cmocka_unit_test(remainders_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
