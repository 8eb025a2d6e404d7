/*
 * share "drf" on random queue trees, in units of the largest task of the instance:
 *   - hierarchical share guarantee: a queue that wants more has at least its part of its parent's
 *     part, down from the whole cluster, less three tasks. A share algorithm that ignores what
 *     blocked queues hold loses any multiple of that;
 *   - group strategy-proofness: no pair of queues gains more than two tasks each by lies;
 *   - no starvation: while queues take turns at ending tasks, one that wants more keeps its part.
 */
#include <math.h>
#include <stdio.h>

#include "property/chance.h"
#include "property/drf_model.h"

#include "algorithms/builtin.h"

#define ROOT   LSCHED_NO_ROW
#define QUEUES 12

static uint64_t first_seed;
static uint32_t n_seeds;

struct tree {
    uint32_t n, n_kinds, n_leaves;
    uint32_t parent[QUEUES];
    uint32_t leaf[QUEUES];
    uint8_t is_inner[QUEUES];
    int64_t capacity[3];
    int64_t weight_milli[QUEUES];
    int64_t task[QUEUES][3];
    int64_t demand[QUEUES];
};

/* Every kind that a task needs takes the same share; see test_drf_discrete for what else does. */
static void grow_leaf(struct tree *t, struct chance *c, uint32_t q, int64_t parts) {
    double share = (double)chance_between(c, 1, 10) / 10 / (double)parts;
    uint32_t always = chance_below(c, t->n_kinds);
    t->leaf[t->n_leaves++] = q;
    for (uint32_t r = 0; r < t->n_kinds; r++)
        if (r == always || chance_one_in(c, 2))
            t->task[q][r] = (int64_t)ceil(share * (double)t->capacity[r]);
    t->demand[q] = chance_one_in(c, 3) ? chance_between(c, 0, parts) : MODEL_FOREVER;
}

static void grow_tree(struct tree *t, struct chance *c) {
    int64_t parts = chance_between(c, 20, 200);
    int weighted = chance_one_in(c, 2);
    memset(t, 0, sizeof *t);
    t->n = 3 + chance_below(c, QUEUES - 2);
    t->n_kinds = 1 + chance_below(c, 3);
    for (uint32_t r = 0; r < t->n_kinds; r++)
        t->capacity[r] = chance_between(c, 20 * parts, 200 * parts);
    for (uint32_t q = 0; q < t->n; q++) {
        t->parent[q] = q == 0 || chance_one_in(c, 3) ? ROOT : chance_below(c, q);
        if (t->parent[q] != ROOT) t->is_inner[t->parent[q]] = 1;
        t->weight_milli[q] = weighted ? chance_between(c, 1, 4) * 1000 : 1000;
    }
    for (uint32_t q = 0; q < t->n; q++)
        if (!t->is_inner[q]) grow_leaf(t, c, q, parts);
}

static void start(struct model *m, const struct tree *t) {
    model_init(m, &share_drf, t->n_kinds, t->capacity);
    for (uint32_t q = 0; q < t->n; q++)
        model_queue(m, t->parent[q], t->weight_milli[q], t->is_inner[q] ? NULL : t->task[q],
                    t->demand[q]);
    model_begin(m);
}

static double share_per_task(const struct tree *t, uint32_t q) {
    double most = 0;
    for (uint32_t r = 0; r < t->n_kinds; r++)
        most = fmax(most, (double)t->task[q][r] / (double)t->capacity[r]);
    return most;
}

static double largest_task(const struct tree *t) {
    double most = 0;
    for (uint32_t i = 0; i < t->n_leaves; i++) most = fmax(most, share_per_task(t, t->leaf[i]));
    return most;
}

/* Its weight among its siblings, times the same of every queue above. */
static double part_of_the_cluster(const struct tree *t, uint32_t q) {
    double part = 1;
    for (; q != ROOT; q = t->parent[q]) {
        double siblings = 0;
        for (uint32_t s = 0; s < t->n; s++)
            if (t->parent[s] == t->parent[q]) siblings += (double)t->weight_milli[s];
        part *= (double)t->weight_milli[q] / siblings;
    }
    return part;
}

static double worst_deficit(const struct tree *t, const struct model *m) {
    double worst = 0;
    for (uint32_t i = 0; i < t->n_leaves; i++) {
        uint32_t q = t->leaf[i];
        double has = (double)m->queue[q].placed * share_per_task(t, q);
        if (m->queue[q].demand > 0)
            worst = fmax(worst, (part_of_the_cluster(t, q) - has) / largest_task(t));
    }
    return worst;
}

static void test_share_guarantee(void **state) {
    (void)state;
    double worst = 0;
    for (uint64_t seed = first_seed; seed < first_seed + n_seeds; seed++) {
        struct chance c = {seed};
        struct tree t;
        struct model m;
        grow_tree(&t, &c);
        start(&m, &t);
        model_fill(&m);
        worst = fmax(worst, worst_deficit(&t, &m));
        model_end(&m);
        if (worst > 3) fail_msg("seed %llu: %.2f tasks short", (unsigned long long)seed, worst);
    }
    print_message("at most %.2f tasks short of the guarantee\n", worst);
}

static void test_no_starvation_under_churn(void **state) {
    (void)state;
    double worst = 0;
    for (uint64_t seed = first_seed; seed < first_seed + n_seeds / 4 + 1; seed++) {
        struct chance c = {seed};
        struct tree t;
        struct model m;
        grow_tree(&t, &c);
        start(&m, &t);
        model_fill(&m);
        for (int turn = 0; turn < 100; turn++) {
            uint32_t q = t.leaf[chance_below(&c, t.n_leaves)];
            if (m.queue[q].placed) model_release(&m, q, chance_between(&c, 1, m.queue[q].placed));
            model_fill(&m);
        }
        worst = fmax(worst, worst_deficit(&t, &m));
        model_end(&m);
        if (worst > 6) fail_msg("seed %llu: %.2f tasks short", (unsigned long long)seed, worst);
    }
    print_message("at most %.2f tasks short after 100 releases\n", worst);
}

static double gain(const struct tree *t, const struct tree *told, const struct model *m, uint32_t q,
                   int64_t honest) {
    double tasks = (double)t->demand[q];
    for (uint32_t r = 0; r < t->n_kinds; r++)
        if (t->task[q][r])
            tasks = fmin(tasks, floor((double)(m->queue[q].placed * told->task[q][r]) /
                                      (double)t->task[q][r]));
    return (tasks - (double)honest) * share_per_task(t, q) /
           fmax(largest_task(t), largest_task(told));
}

static void test_no_pair_gains_by_lies(void **state) {
    (void)state;
    double most = 0;
    for (uint64_t seed = first_seed; seed < first_seed + n_seeds; seed++) {
        static const double factors[] = {0.5, 0.75, 1.5, 2};
        struct chance c = {seed};
        struct tree t;
        struct model honest;
        struct model lying;
        grow_tree(&t, &c);
        struct tree told = t;
        uint32_t pair[2];
        for (int i = 0; i < 2; i++) {
            uint32_t q = pair[i] = t.leaf[chance_below(&c, t.n_leaves)];
            for (uint32_t r = 0; r < t.n_kinds; r++)
                if (told.task[q][r] && chance_one_in(&c, 2))
                    told.task[q][r] =
                        1 + (int64_t)((double)told.task[q][r] * factors[chance_below(&c, 4)]);
        }
        start(&honest, &t);
        start(&lying, &told);
        model_fill(&honest);
        model_fill(&lying);
        double both = fmin(gain(&t, &told, &lying, pair[0], honest.queue[pair[0]].placed),
                           gain(&t, &told, &lying, pair[1], honest.queue[pair[1]].placed));
        most = fmax(most, both);
        model_end(&honest);
        model_end(&lying);
        if (most > 2) fail_msg("seed %llu: both gain %.2f tasks", (unsigned long long)seed, most);
    }
    print_message("pairs gain at most %.2f tasks each\n", most);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_share_guarantee),
        cmocka_unit_test(test_no_starvation_under_churn),
        cmocka_unit_test(test_no_pair_gains_by_lies),
    };
    first_seed = chance_seed(1);
    n_seeds = chance_rounds(2000);
    printf("seeds %llu .. +%u\n", (unsigned long long)first_seed, n_seeds);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
