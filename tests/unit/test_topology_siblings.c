/*
 * Groups side by side that each need a domain of their own level, inside one that the job needs:
 * bin packing on a tree. On every tree of up to seven leaves against brute force over all ways to
 * give domains to groups. What is placed keeps to the levels, and no job waits though a way exists.
 * LSCHED_TEST_SHOW=1 prints those that do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/tree_shapes.h"

enum { GROUPS = 3, NO_LEVEL = TREE_LEVELS_MAX };

struct tally {
    uint64_t requests, possible, placed;
};

struct siblings {
    const struct tree_shape *shape;
    uint32_t capacity[TREE_LEAVES_MAX];
    uint32_t outer, inner; /* levels */
    uint32_t tasks[GROUPS];
};

static int same_domain(const struct tree_shape *s, uint32_t a, uint32_t b, uint32_t level) {
    return level == NO_LEVEL || memcmp(s->path[a], s->path[b], level + 1) == 0;
}

/* Do the groups fit when group g is in the inner domain of leaf at[g]. */
static int fits(const struct siblings *x, const uint32_t *at) {
    for (uint32_t g = 0; g < GROUPS; g++) {
        uint32_t need = 0, room = 0;
        if (!same_domain(x->shape, at[0], at[g], x->outer)) return 0;
        for (uint32_t h = 0; h < GROUPS; h++)
            if (same_domain(x->shape, at[g], at[h], x->inner)) need += x->tasks[h];
        for (uint32_t i = 0; i < x->shape->leaves; i++)
            if (same_domain(x->shape, at[g], i, x->inner)) room += x->capacity[i];
        if (need > room) return 0;
    }
    return 1;
}

static int can_be(const struct siblings *x) {
    uint32_t n = x->shape->leaves, at[GROUPS];
    for (at[0] = 0; at[0] < n; at[0]++)
        for (at[1] = 0; at[1] < n; at[1]++)
            for (at[2] = 0; at[2] < n; at[2]++)
                if (fits(x, at)) return 1;
    return 0;
}

static void complain(const struct siblings *x, uint32_t (*placed)[TREE_LEAVES_MAX],
                     const char *what) {
    fprintf(stderr, "%s: groups of %u %u %u each in one l%u, all in l%d; leaf room placed:", what,
            x->tasks[0], x->tasks[1], x->tasks[2], x->inner,
            x->outer == NO_LEVEL ? -1 : (int)x->outer);
    for (uint32_t i = 0; i < x->shape->leaves; i++)
        fprintf(stderr, "  %s %u %u/%u/%u", x->shape->path[i], x->capacity[i], placed[1][i],
                placed[2][i], placed[3][i]);
    fprintf(stderr, "\n");
}

static int keeps_to_levels(const struct siblings *x, uint32_t (*placed)[TREE_LEAVES_MAX]) {
    uint32_t first = 0;
    while (!placed[1][first]) first++;
    for (uint32_t g = 1; g <= GROUPS; g++) {
        uint32_t own = 0;
        while (!placed[g][own]) own++;
        for (uint32_t i = 0; i < x->shape->leaves; i++) {
            if (!placed[g][i]) continue;
            if (!same_domain(x->shape, own, i, x->inner)) return 0;
            if (!same_domain(x->shape, first, i, x->outer)) return 0;
        }
    }
    return 1;
}

static void check_siblings(struct tree_world *world, const struct siblings *x,
                           struct tally *tally) {
    uint32_t placed[GROUPS + 1][TREE_LEAVES_MAX], wanted = 0;
    lsched_group_desc groups[GROUPS + 1];
    lsched_init(&groups[0], sizeof groups[0]);
    if (x->outer != NO_LEVEL) groups[0].required_level = topology_map_level(x->outer);
    for (uint32_t g = 0; g < GROUPS; g++) {
        groups[g + 1] = tree_group(x->tasks[g]);
        groups[g + 1].required_level = topology_map_level(x->inner);
        wanted += x->tasks[g];
    }
    uint32_t got = tree_world_try(world, groups, GROUPS + 1, placed, NULL);
    int possible = can_be(x);
    tally->requests++;
    tally->possible += possible != 0;
    tally->placed += got > 0;
    if (got != 0 && (got != wanted || !possible || !keeps_to_levels(x, placed))) {
        complain(x, placed, "placed against its wish");
        fail();
    }
    if (possible && !got && getenv("LSCHED_TEST_SHOW")) complain(x, placed, "waits");
}

static void check_levels(struct tree_world *world, struct siblings *x, struct tally *tally) {
    for (x->inner = 0; x->inner < x->shape->levels; x->inner++) {
        for (uint32_t outer = 0; outer <= x->inner; outer++) {
            x->outer = outer == x->inner ? NO_LEVEL : outer;
            for (x->tasks[0] = 1; x->tasks[0] <= 4; x->tasks[0]++)
                for (x->tasks[1] = 1; x->tasks[1] <= 4; x->tasks[1]++)
                    for (x->tasks[2] = 1; x->tasks[2] <= 4; x->tasks[2]++)
                        check_siblings(world, x, tally);
        }
    }
}

static void all_trees(void **state) {
    static struct tree_shape shapes[TREE_SHAPES_MAX];
    struct tally tally = {0};
    (void)state;
    for (uint32_t leaves = 2; leaves <= 7; leaves++) {
        uint32_t n = tree_shapes_of(leaves, shapes);
        for (uint32_t s = 0; s < n; s++) {
            struct tree_world world;
            struct siblings x = {.shape = &shapes[s]};
            uint32_t digits = (s + 1) * 2654435761u;
            tree_world_make(&world, &shapes[s]);
            for (uint32_t i = 0; i < leaves; i++) x.capacity[i] = 1 + (digits >> (5 + 3 * i)) % 4;
            tree_world_capacity(&world, x.capacity);
            check_levels(&world, &x, &tally);
            tree_world_drop(&world);
        }
    }
    printf("%llu jobs, %llu could be placed, %llu were\n", (unsigned long long)tally.requests,
           (unsigned long long)tally.possible, (unsigned long long)tally.placed);
    assert_int_equal(tally.placed, tally.possible);
}

/* ---- a leader and its workers ---------------------------------------------------------------- */

/* Small tasks of one core and large ones of two, all in one domain of a level: a way exists if
 * the domain has nodes for the large ones and room for all. */
static int mix_can_be(const struct siblings *x, uint32_t small, uint32_t large) {
    uint32_t n = x->shape->leaves;
    for (uint32_t a = 0; a < n; a++) {
        uint32_t pairs = 0, room = 0;
        for (uint32_t b = 0; b < n; b++) {
            if (!same_domain(x->shape, a, b, x->outer)) continue;
            pairs += x->capacity[b] / 2;
            room += x->capacity[b];
        }
        if (pairs >= large && room >= small + 2 * large) return 1;
    }
    return 0;
}

static void check_mix(struct tree_world *world, struct siblings *x, uint32_t small, uint32_t large,
                      struct tally *tally) {
    const lsched_amount two_cores = {LSCHED_CPU, 0, 2000};
    int possible = mix_can_be(x, small, large);
    for (uint32_t first = 1; first <= 2; first++) { /* where the small ones are written */
        uint32_t placed[3][TREE_LEAVES_MAX];
        lsched_group_desc groups[3];
        lsched_init(&groups[0], sizeof groups[0]);
        groups[0].required_level = topology_map_level(x->outer);
        groups[first] = tree_group(small);
        groups[3 - first] = tree_group(large);
        groups[3 - first].request = &two_cores;
        uint32_t got = tree_world_try(world, groups, 3, placed, NULL);
        tally->requests++;
        tally->possible += possible != 0;
        tally->placed += got > 0;
        assert_true(got == 0 || (possible && got == small + large));
    }
}

static void large_and_small(void **state) {
    static struct tree_shape shapes[TREE_SHAPES_MAX];
    struct tally tally = {0};
    (void)state;
    for (uint32_t leaves = 1; leaves <= 6; leaves++) {
        uint32_t n = tree_shapes_of(leaves, shapes);
        for (uint32_t s = 0; s < n; s++) {
            struct tree_world world;
            struct siblings x = {.shape = &shapes[s]};
            uint32_t digits = (s + 1 + leaves * 100) * 2654435761u;
            tree_world_make(&world, &shapes[s]);
            for (uint32_t i = 0; i < leaves; i++) x.capacity[i] = 1 + (digits >> (5 + 3 * i)) % 4;
            tree_world_capacity(&world, x.capacity);
            for (x.outer = 0; x.outer < x.shape->levels; x.outer++)
                for (uint32_t small = 1; small <= 6; small++)
                    for (uint32_t large = 1; large <= 4; large++)
                        check_mix(&world, &x, small, large, &tally);
            tree_world_drop(&world);
        }
    }
    printf("%llu jobs, %llu could be placed, %llu were\n", (unsigned long long)tally.requests,
           (unsigned long long)tally.possible, (unsigned long long)tally.placed);
    assert_int_equal(tally.placed, tally.possible);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_trees),
                                       cmocka_unit_test(large_and_small)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
