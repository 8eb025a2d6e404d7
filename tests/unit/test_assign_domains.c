/* Dealing out tasks to the domains of a tree: random small trees against every way there is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/topology/assign_deal.h"
#include "engine/topology/assign_evenly.h"
#include "property/chance.h"

enum { MOST = 64 };

/* A map without columns: only what assign_domains.c reads. */
struct tree {
    struct topology_map m;
    uint32_t row[MOST + 1], parent[MOST + 1], child[MOST + 1], number[MOST + 1];
    int64_t room[MOST], cap[MOST], share[MOST], squares[MOST];
    uint32_t held[MOST], list[MOST], tmp[MOST];
    struct assign_domains d;
    struct tree_part parts[MOST];
    uint32_t n_parts;
};

static void tree_begin(struct tree *t, uint32_t levels) {
    memset(t, 0, sizeof *t);
    t->m.n_levels = levels;
    t->m.parent = t->parent;
    t->m.child = t->child;
    t->d = (struct assign_domains){.map = &t->m,
                                   .even_level = NO_ROW,
                                   .cap = t->cap,
                                   .share = t->share,
                                   .squares = t->squares,
                                   .list = t->list,
                                   .tmp = t->tmp};
}

/* Every domain gets between 1 and `wide` domains of the next level. */
static void tree_random(struct tree *t, struct chance *c, uint32_t levels, uint32_t wide,
                        uint32_t room) {
    tree_begin(t, levels);
    uint32_t at = 1 + chance_below(c, wide);
    for (uint32_t i = 0; i < at; i++) t->parent[i] = NO_ROW;
    t->m.level_first[1] = at;
    for (uint32_t l = 1; l < levels; l++) {
        for (uint32_t i = t->m.level_first[l - 1]; i < t->m.level_first[l]; i++) {
            t->child[i] = at;
            for (uint32_t n = 1 + chance_below(c, wide); n > 0; n--) t->parent[at++] = i;
        }
        t->m.level_first[l + 1] = at;
    }
    t->m.n_domains = at;
    assert_true(at <= MOST);
    for (uint32_t i = t->m.level_first[levels - 1]; i <= at; i++) t->child[i] = at;
    for (uint32_t i = t->m.level_first[levels - 1]; i < at; i++)
        t->room[i] = chance_below(c, room + 1);
}

static void tree_caps(struct tree *t) {
    memcpy(t->cap, t->room, sizeof t->cap);
    assign_domains_caps(&t->d, t->cap, 0, NULL);
}

static int64_t deal(struct tree *t, uint32_t root, int64_t tasks) {
    int64_t sum = 0;
    t->n_parts = assign_deal(&t->d, root, tasks, t->parts);
    for (uint32_t i = 0; i < t->n_parts; i++) sum += t->parts[i].tasks;
    return sum;
}

static int64_t part_of(const struct tree *t, uint32_t number) {
    for (uint32_t i = 0; i < t->n_parts; i++)
        if (t->parts[i].number == number) return t->parts[i].tasks;
    return 0;
}

/* What the parts put into any domain. */
static int64_t below(const struct tree *t, uint32_t number) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < t->n_parts; i++)
        if (topology_map_outer(&t->m, t->parts[i].number, topology_map_level(&t->m, number)) ==
            number)
            sum += t->parts[i].tasks;
    return sum;
}

/* ---- every way to deal n tasks to the children of a domain, in units: fewest used; the best least share with so many ---- */

struct best {
    uint32_t fewest;
    int64_t least;
};

static struct best brute(const struct tree *t, uint32_t from, uint32_t to, int64_t tasks,
                         int64_t unit) {
    struct best b = {UINT32_MAX, 0};
    int64_t share[MOST] = {0};
    for (;;) {
        int64_t sum = 0, least = INT64_MAX;
        uint32_t used = 0, i = from;
        for (; i < to; i++) {
            sum += share[i];
            if (!share[i]) continue;
            used++;
            if (share[i] < least) least = share[i];
        }
        if (sum == tasks) {
            if (used < b.fewest) b = (struct best){used, least};
            if (used == b.fewest && least > b.least) b.least = least;
        }
        for (i = from; i < to; i++) {
            share[i] += unit;
            if (share[i] <= t->cap[i] && sum <= tasks) break;
            sum -= share[i] - unit;
            share[i] = 0;
        }
        if (i == to) return b;
    }
}

static void check_level(const struct tree *t, uint32_t from, uint32_t to, int64_t tasks,
                        uint32_t level) {
    int64_t unit = assign_domains_unit(&t->d, level), least = INT64_MAX;
    struct best b = brute(t, from, to, tasks, unit);
    uint32_t used = 0;
    for (uint32_t i = from; i < to; i++) {
        int64_t share = below(t, i);
        assert_true(share <= t->cap[i]);
        assert_int_equal(share % unit, 0);
        used += share > 0;
        if (share && share < least) least = share;
    }
    assert_int_equal(used, b.fewest);
    if (t->d.balanced) assert_true(least == b.least);
}

static void check_all_levels(const struct tree *t, uint32_t root, int64_t tasks) {
    uint32_t level = root == NO_ROW ? 0 : topology_map_level(&t->m, root) + 1;
    if (root == NO_ROW) check_level(t, 0, t->m.level_first[1], tasks, 0);
    for (uint32_t l = root == NO_ROW ? 1 : level; l < t->m.n_levels; l++) {
        uint32_t from, to;
        topology_map_below(&t->m, root, l - 1, &from, &to);
        for (uint32_t i = from; i < to; i++) {
            int64_t here = below(t, i);
            if (here) check_level(t, t->child[i], t->child[i + 1], here, l);
        }
    }
}

static void every_level_is_best(int balanced, int sliced) {
    uint64_t seed = chance_seed(20261), rounds = chance_variable("LSCHED_TEST_ROUNDS", 2000);
    printf("seed %llu\n", (unsigned long long)seed);
    for (uint64_t round = 0; round < rounds; round++) {
        struct chance c = {seed + round};
        struct tree t;
        tree_random(&t, &c, 1 + chance_below(&c, 3), 3, sliced ? 9 : 6);
        t.d.balanced = (uint32_t)balanced;
        if (sliced) { /* 4 per domain of some level, 2 of them per deeper one */
            t.d.slice[t.d.n_slices++] = (struct tree_slice){chance_below(&c, t.m.n_levels), 4};
            if (t.d.slice[0].level + 1 < t.m.n_levels)
                t.d.slice[t.d.n_slices++] = (struct tree_slice){t.m.n_levels - 1, 2};
        }
        tree_caps(&t);
        uint32_t root = chance_one_in(&c, 2) ? NO_ROW : chance_below(&c, t.m.level_first[1]);
        int64_t cap = 0, unit = assign_domains_unit(&t.d, root == NO_ROW ? 0 : 1);
        if (root == NO_ROW)
            for (uint32_t i = 0; i < t.m.level_first[1]; i++) cap += t.cap[i];
        else
            cap = t.cap[root];
        assert_int_equal(deal(&t, root, cap + 1), 0);
        for (int64_t n = unit; n <= cap; n += unit) {
            if (deal(&t, root, n) != n)
                fail_msg("seed %llu: not all of %lld of %lld", (unsigned long long)(seed + round),
                         (long long)n, (long long)cap);
            check_all_levels(&t, root, n);
        }
    }
}

static void as_few_as_possible(void **unused) {
    (void)unused;
    every_level_is_best(0, 0);
}
static void as_few_slices(void **unused) {
    (void)unused;
    every_level_is_best(0, 1);
}
static void as_even_as_possible(void **unused) {
    (void)unused;
    every_level_is_best(1, 0);
}
static void slices_as_even(void **unused) {
    (void)unused;
    every_level_is_best(1, 1);
}

/* ---- by hand: one level ---- */

static void flat(struct tree *t, uint32_t n, const int64_t *room) {
    tree_begin(t, 1);
    t->m.level_first[1] = t->m.n_domains = n;
    for (uint32_t i = 0; i <= n; i++) t->child[i] = n;
    for (uint32_t i = 0; i < n; i++) t->room[i] = room[i], t->parent[i] = NO_ROW;
    tree_caps(t);
}

static void the_last_one_is_the_tightest(void **unused) {
    (void)unused;
    static const int64_t room[] = {3, 8, 2, 5, 2};
    struct tree t;
    flat(&t, 5, room);
    assert_int_equal(deal(&t, NO_ROW, 2), 2); /* the first of two that are full with it */
    assert_int_equal(part_of(&t, 2), 2);
    assert_int_equal(deal(&t, NO_ROW, 10), 10);
    assert_int_equal(part_of(&t, 1), 8);
    assert_int_equal(part_of(&t, 2), 2);
    assert_int_equal(deal(&t, NO_ROW, 15), 15);
    assert_int_equal(part_of(&t, 3), 5);
    assert_int_equal(part_of(&t, 2), 2);
    t.d.balanced = 1;
    assert_int_equal(deal(&t, NO_ROW, 10), 10);
    assert_int_equal(part_of(&t, 1), 5);
    assert_int_equal(part_of(&t, 3), 5);
    assert_int_equal(deal(&t, NO_ROW, 12), 12);
    assert_int_equal(part_of(&t, 1), 7);
    assert_int_equal(part_of(&t, 3), 5);
}

static void where_the_group_is_comes_first(void **unused) {
    (void)unused;
    static const int64_t room[] = {1, 8, 1, 3};
    struct tree t;
    flat(&t, 4, room);
    t.d.held = t.held;
    t.held[3] = 2;
    assert_int_equal(deal(&t, NO_ROW, 1), 1);
    assert_int_equal(part_of(&t, 3), 1);
    assert_int_equal(deal(&t, NO_ROW, 4), 4);
    assert_int_equal(part_of(&t, 3), 3);
    assert_int_equal(part_of(&t, 0), 1);
    t.d.balanced = 1; /* 2 are there: 3 and 3 in all */
    assert_int_equal(deal(&t, NO_ROW, 4), 4);
    assert_int_equal(part_of(&t, 3), 1);
    assert_int_equal(part_of(&t, 1), 3);
}

static void limits_hold_at_their_level(void **unused) {
    (void)unused;
    static const int64_t room[] = {4, 4, 4}, limit[] = {1, 3, 0};
    struct tree t;
    flat(&t, 3, room);
    memcpy(t.cap, t.room, sizeof t.cap);
    assign_domains_caps(&t.d, t.cap, 0, limit);
    assert_int_equal(deal(&t, NO_ROW, 4), 4);
    assert_int_equal(part_of(&t, 1), 3);
    assert_int_equal(part_of(&t, 0), 1);
    assert_int_equal(deal(&t, NO_ROW, 5), 0);
}

/* Three of each domain, in slices of two that lie below it: two, and what is more is refused whole,
 * dealt out evenly or not. */
static void limits_tear_no_slices(void **unused) {
    (void)unused;
    static const int64_t limit[] = {3, 3, 2};
    for (uint32_t balanced = 0; balanced < 2; balanced++) {
        struct tree t;
        tree_begin(&t, 2);
        t.m.level_first[1] = 3;
        t.m.level_first[2] = t.m.n_domains = 9;
        for (uint32_t i = 0; i < 3; i++) t.parent[i] = NO_ROW;
        for (uint32_t i = 3; i < 9; i++) t.parent[i] = (i - 3) / 2;
        for (uint32_t i = 0; i <= 9; i++) t.child[i] = i < 3 ? 3 + 2 * i : 9;
        for (uint32_t i = 3; i < 9; i++) t.room[i] = 4;
        t.d.balanced = balanced;
        t.d.n_slices = 1;
        t.d.slice[0] = (struct tree_slice){1, 2};
        memcpy(t.cap, t.room, sizeof t.cap);
        assign_domains_caps(&t.d, t.cap, 0, limit);
        assert_int_equal(t.cap[0], 2);
        assert_int_equal(deal(&t, NO_ROW, 6), 6);
        for (uint32_t i = 0; i < 3; i++) assert_int_equal(below(&t, i), 2);
        assert_int_equal(deal(&t, NO_ROW, 8), 0);
    }
}

/* ---- evenly below a preferred level ---- */

/* Of values[0, n): the fewest whose sum is so much, the greatest first; n + 1 if all are not. */
static uint32_t fewest_of(const int64_t *values, uint32_t n, int64_t tasks, int64_t *last) {
    int64_t v[MOST];
    memcpy(v, values, n * sizeof *v);
    for (uint32_t used = 0; used < n; used++) {
        uint32_t best = used;
        for (uint32_t i = used; i < n; i++)
            if (v[i] > v[best]) best = i;
        int64_t x = v[best];
        v[best] = v[used];
        v[used] = x;
        *last = x;
        tasks -= x;
        if (tasks <= 0) return used + 1;
    }
    return n + 1;
}

/* What the head of assign_evenly.h says, counted anew: least slices of a lower domain, 0 if it does
 * not fit; siblings that are needed. Siblings are level 0, lower is level 1. */
static int64_t least_even(const struct tree *t, int64_t tasks, int64_t unit, uint32_t *siblings) {
    int64_t lower[MOST], last = 0, sum[MOST] = {0};
    uint32_t n = 0, first = t->m.level_first[1], end = t->m.level_first[2];
    for (uint32_t i = first; i < end; i++) lower[n++] = t->cap[i];
    uint32_t k = fewest_of(lower, n, tasks, &last);
    if (k > n || last == 0) return 0;
    int64_t each = tasks / unit / k;
    if (last / unit < each) each = last / unit;
    for (uint32_t i = first; i < end; i++)
        if (t->cap[i] >= each * unit) sum[t->parent[i]] += t->cap[i];
    *siblings = fewest_of(sum, first, tasks, &last);
    return *siblings > first ? 0 : each;
}

static void check_even(struct tree *t, int64_t tasks, int64_t unit) {
    uint32_t siblings = 0, used = 0, lower = 0;
    int64_t each = least_even(t, tasks, unit, &siblings), sum = 0;
    struct assign_rank rank = assign_evenly_rank(&t->d, NO_ROW, tasks);
    assert_int_equal(rank.slices, each);
    if (each) assert_int_equal(rank.n, siblings);
    t->n_parts = assign_evenly(&t->d, NO_ROW, tasks, t->parts);
    for (uint32_t i = 0; i < t->n_parts; i++) sum += t->parts[i].tasks;
    if (t->n_parts == 0) return;
    assert_int_equal(sum, tasks);
    for (uint32_t i = 0; i < t->m.level_first[1]; i++) used += below(t, i) > 0;
    assert_int_equal(used, siblings);
    for (uint32_t i = t->m.level_first[1]; i < t->m.level_first[2]; i++) {
        int64_t got = below(t, i);
        assert_true(got <= t->cap[i] && got % unit == 0);
        if (got) assert_true(got >= each * unit);
        lower += got > 0;
    }
    assert_true(lower <= tasks / unit / each);
}

/* Even or not, what all domains hold together is dealt out. */
static void evenly_below_a_preferred_level(void **unused) {
    (void)unused;
    uint64_t even = 0, asked = 0;
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        struct chance c = {seed};
        struct tree t;
        tree_random(&t, &c, 2 + chance_below(&c, 2), 3, 9);
        t.d.even_level = 0;
        int64_t unit = 1 + chance_below(&c, 3), all = 0;
        if (unit > 1) {
            t.d.n_slices = 1;
            t.d.slice[0] = (struct tree_slice){t.m.n_levels - 1, (uint32_t)unit};
        }
        tree_caps(&t);
        for (uint32_t i = 0; i < t.m.level_first[1]; i++) all += t.cap[i];
        for (int64_t tasks = unit; tasks <= all + unit; tasks += unit) {
            check_even(&t, tasks, unit);
            even += t.n_parts > 0;
            asked++;
            assert_int_equal(deal(&t, NO_ROW, tasks), tasks <= all ? tasks : 0);
        }
    }
    printf("%llu of %llu dealt out evenly\n", (unsigned long long)even, (unsigned long long)asked);
    assert_true(even * 2 > asked);
}

/* The first child of a domain in the order of numbers, and so on; room of nodes by rack. */
static void racks(struct tree *t, uint32_t n, const uint32_t *width, const int64_t *room) {
    tree_begin(t, 2);
    uint32_t at = n;
    for (uint32_t i = 0; i < n; i++) {
        t->parent[i] = NO_ROW;
        t->child[i] = at;
        for (uint32_t j = 0; j < width[i]; j++) t->parent[at++] = i;
    }
    t->m.level_first[1] = n;
    t->m.level_first[2] = t->m.n_domains = at;
    for (uint32_t i = n; i <= at; i++) t->child[i] = at;
    memcpy(t->room + n, room, (at - n) * sizeof *room);
    tree_caps(t);
    t->d.even_level = 0;
}

static void even_goes_before_one_domain(void **unused) {
    (void)unused;
    struct tree t;
    racks(&t, 2, (uint32_t[]){2, 3}, (int64_t[]){21, 9, 11, 10, 10});
    assert_int_equal(deal(&t, NO_ROW, 23), 23); /* either rack would do */
    assert_int_equal(part_of(&t, 2), 12);
    assert_int_equal(part_of(&t, 4), 11);
    racks(&t, 2, (uint32_t[]){2, 3}, (int64_t[]){10, 5, 5, 5, 5});
    assert_int_equal(deal(&t, NO_ROW, 15), 15); /* the evener one of equal racks */
    assert_int_equal(below(&t, 1), 15);
    racks(&t, 1, (uint32_t[]){4}, (int64_t[]){10, 6, 5, 4});
    assert_int_equal(deal(&t, NO_ROW, 14), 14); /* two do, each with 6 at least: 5 and 4 are out */
    assert_int_equal(part_of(&t, 1), 8);
    assert_int_equal(part_of(&t, 2), 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_few_as_possible),
        cmocka_unit_test(as_few_slices),
        cmocka_unit_test(as_even_as_possible),
        cmocka_unit_test(slices_as_even),
        cmocka_unit_test(the_last_one_is_the_tightest),
        cmocka_unit_test(where_the_group_is_comes_first),
        cmocka_unit_test(limits_hold_at_their_level),
        cmocka_unit_test(limits_tear_no_slices),
        cmocka_unit_test(evenly_below_a_preferred_level),
        cmocka_unit_test(even_goes_before_one_domain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
