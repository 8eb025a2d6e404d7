/*
 * share "drf" keeps sums and changes them; here random trees go through random changes of use,
 * demand and activity, and after each one
 *   - every key equals that of a new instance that saw only the result, bit for bit;
 *   - every key equals the definition, computed by recursion in long double, within rounding.
 */
#include <math.h>
#include <stdio.h>

#include "property/chance.h"
#include "property/drf_model.h"

#include "algorithms/builtin.h"

#define ROOT LSCHED_NO_ROW

/* ---- the definition
 * --------------------------------------------------------------------------- */

struct defined {
    long double vector[MODEL_KINDS];
    long double share; /* INFINITY: weight 0 */
};

static long double heaviest_sibling(const struct model *m, uint32_t queue) {
    int64_t most = 0;
    for (uint32_t q = 0; q < m->view.n_queues; q++)
        for (uint32_t kind = 1; kind < m->view.n_kinds; kind++)
            if (m->parent[q] == m->parent[queue] && m->weight_milli[kind][q] > most)
                most = m->weight_milli[kind][q];
    return (long double)most;
}

static void define_share(const struct model *m, uint32_t queue, struct defined *out) {
    int any_weight = 0;
    out->share = 0;
    for (uint32_t kind = 1; kind < m->view.n_kinds; kind++) {
        long double weight = (long double)m->weight_milli[kind][queue] / heaviest_sibling(m, queue);
        any_weight |= weight > 0;
        if (out->vector[kind] > 0) out->share = fmaxl(out->share, out->vector[kind] / weight);
    }
    if (!any_weight) out->share = INFINITY;
}

/* Children have greater rows, so one pass from the last row up is the recursion. */
static void define_all(const struct model *m, struct defined *all) {
    for (uint32_t q = m->view.n_queues; q-- > 0;) {
        uint32_t best = m->queue[q].n_children && m->active[q] ? model_best(m, q) : ROOT;
        long double level = best == ROOT ? INFINITY : all[best].share;
        for (uint32_t kind = 1; kind < m->view.n_kinds; kind++) {
            long double sum = 0;
            for (uint32_t c = q + 1; c < m->view.n_queues; c++)
                if (m->parent[c] == q && all[c].vector[kind] > 0)
                    sum += all[c].vector[kind] * fminl(1, level / all[c].share);
            if (!isfinite(level))
                sum = (long double)m->used[kind][q] / (long double)m->view.total_capacity[kind];
            all[q].vector[kind] = sum;
        }
        define_share(m, q, &all[q]);
    }
}

/* ---- the comparison
 * --------------------------------------------------------------------------- */

static void check(struct model *m, uint64_t seed) {
    struct model fresh = *m;
    fresh.keep_activity = 1;
    struct defined all[MODEL_QUEUES];
    assert_int_equal(share_drf.create(&fresh.env, &fresh.self, NULL), LSCHED_OK);
    for (uint32_t kind = 1; kind < m->view.n_kinds; kind++) {
        fresh.view.queue_used[kind] = fresh.used[kind];
        fresh.view.queue_weight_milli[kind] = fresh.weight_milli[kind];
    }
    model_begin(&fresh);
    define_all(m, all);
    for (uint32_t q = 0; q < m->view.n_queues; q++) {
        long double key = (long double)m->key[q].word[1] * 0x1p-40L;
        int same =
            m->key[q].word[0] == fresh.key[q].word[0] && m->key[q].word[1] == fresh.key[q].word[1];
        int right = isfinite(all[q].share) ? fabsl(key - all[q].share) < 1e-9L * (1 + all[q].share)
                                           : m->key[q].word[1] == INT64_MAX;
        if (!same || !right)
            fail_msg("seed %llu queue %u: kept %lld, rebuilt %lld, defined %.15Lg",
                     (unsigned long long)seed, q, (long long)m->key[q].word[1],
                     (long long)fresh.key[q].word[1], all[q].share * 0x1p40L);
    }
    model_end(&fresh);
}

static void make_tree(struct model *m, struct chance *c) {
    uint32_t kinds = 1 + chance_below(c, 4);
    int64_t capacity[MODEL_KINDS];
    for (uint32_t k = 0; k < kinds; k++)
        capacity[k] = chance_between(c, 1000, (int64_t)1 << chance_between(c, 10, 58));
    model_init(m, &share_drf, kinds, capacity);
    uint32_t n = 2 + chance_below(c, 30);
    uint32_t weights =
        chance_below(c, 3); /* 0: all equal, 1: by queue, 2: by queue and kind, some 0 */
    int priorities = chance_one_in(c, 3);
    for (uint32_t q = 0; q < n; q++) {
        uint32_t parent = chance_one_in(c, 5) ? ROOT : chance_below(c, q + 1);
        int64_t weight = weights ? chance_between(c, 1, 5000) : 1000;
        model_queue(m, parent == q ? ROOT : parent, weight, NULL, 0);
        m->priority[q] = priorities ? (int32_t)chance_below(c, 3) - 1 : 0;
        for (uint32_t kind = 1; weights == 2 && kind <= kinds; kind++)
            m->weight_milli[kind][q] = chance_one_in(c, 10) ? 0 : chance_between(c, 1, 5000);
    }
    for (uint32_t q = 0; q < n; q++)
        for (uint32_t kind = 1; kind <= kinds && !m->queue[q].n_children; kind++)
            m->queue[q].task[kind] =
                chance_one_in(c, 3) ? 0 : chance_between(c, 1, capacity[kind - 1] / 15);
    for (uint32_t q = 0; q < n; q++)
        if (!m->queue[q].n_children && chance_one_in(c, 2)) m->queue[q].demand = MODEL_FOREVER;
}

static void change_something(struct model *m, struct chance *c) {
    uint32_t leaf;
    do leaf = chance_below(c, m->view.n_queues);
    while (m->queue[leaf].n_children);
    switch (chance_below(c, 4)) {
    case 0: model_place(m); return;
    case 1: m->queue[leaf].demand = chance_one_in(c, 2) ? MODEL_FOREVER : 0; break;
    case 2:
        if (m->queue[leaf].placed)
            model_take(m, leaf, -chance_between(c, 1, m->queue[leaf].placed));
        break;
    default:
        if (model_fits(m, leaf)) model_take(m, leaf, 1); /* imported: not in turn */
    }
    model_update_path(m, leaf);
}

static void test_kept_equals_rebuilt_equals_defined(void **state) {
    (void)state;
    uint64_t first = chance_seed(1);
    uint32_t rounds = chance_rounds(300);
    print_message("seeds %llu .. +%u\n", (unsigned long long)first, rounds);
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        struct chance c = {seed};
        struct model m;
        make_tree(&m, &c);
        model_begin(&m);
        for (int step = 0; step < 150; step++) {
            change_something(&m, &c);
            check(&m, seed);
        }
        model_end(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kept_equals_rebuilt_equals_defined)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
