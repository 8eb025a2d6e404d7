/*
 * Gangs in slices, and dealt out evenly, on every tree of up to six leaves (balanced: seven),
 * against brute force over all ways to put tasks on leaves.
 *
 * Slices: so many tasks that follow each other lie in one domain of a level, and several levels
 * nest. A gang is placed if any way exists, and then it keeps to one. Balanced: of the level below
 * the domain that holds the gang as few domains as possible, and the one with the least has as many
 * tasks as is possible in so few.
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

enum { TASKS_MAX = 24, NO_LEVEL = TREE_LEVELS_MAX, SLICES_MAX = 2 };

struct wish {
    uint32_t tasks, required, n_slices;
    struct {
        uint32_t level, tasks;
    } slice[SLICES_MAX];
};

struct tally {
    uint64_t requests, placed;
    uint64_t other; /* balanced: not over the fewest lower domains */
};

struct tree_case {
    const struct tree_shape *shape;
    uint32_t capacity[TREE_LEAVES_MAX], room;
};

/* ---- brute force ----------------------------------------------------------------------------- */

static uint32_t same_domain(const struct tree_shape *s, uint32_t a, uint32_t b, uint32_t level) {
    return level == NO_LEVEL || memcmp(s->path[a], s->path[b], level + 1) == 0;
}

/* Tasks in the domain of a level that leaf i is in. */
static uint32_t in_domain(const struct tree_case *t, const uint32_t *on, uint32_t i,
                          uint32_t level) {
    uint32_t sum = 0;
    for (uint32_t j = 0; j < t->shape->leaves; j++)
        if (same_domain(t->shape, i, j, level)) sum += on[j];
    return sum;
}

static int is_one_domain(const struct tree_case *t, const uint32_t *on, uint32_t tasks,
                         uint32_t level) {
    for (uint32_t i = 0; i < t->shape->leaves; i++)
        if (on[i] && in_domain(t, on, i, level) == tasks) return 1;
    return 0;
}

static int is_good(const struct tree_case *t, const struct wish *w, const uint32_t *on) {
    for (uint32_t s = 0; s < w->n_slices; s++)
        for (uint32_t i = 0; i < t->shape->leaves; i++)
            if (in_domain(t, on, i, w->slice[s].level) % w->slice[s].tasks) return 0;
    return w->required == NO_LEVEL || is_one_domain(t, on, w->tasks, w->required);
}

/* The next way to put tasks on leaves; 0 after the last. Begin with none anywhere. */
static int next_way(const struct tree_case *t, uint32_t *on) {
    for (uint32_t i = 0; i < t->shape->leaves; i++) {
        if (on[i] < t->capacity[i]) {
            on[i]++;
            return 1;
        }
        on[i] = 0;
    }
    return 0;
}

static uint32_t sum_of(const struct tree_case *t, const uint32_t *on) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < t->shape->leaves; i++) sum += on[i];
    return sum;
}

static int can_be(const struct tree_case *t, const struct wish *w) {
    uint32_t on[TREE_LEAVES_MAX] = {0};
    while (next_way(t, on))
        if (sum_of(t, on) == w->tasks && is_good(t, w, on)) return 1;
    return 0;
}

/* ---- slices ---------------------------------------------------------------------------------- */

static void complain(const struct tree_case *t, const struct wish *w, const uint32_t *placed,
                     const char *what) {
    fprintf(stderr, "%s: %u tasks, required %d of %u levels, slices", what, w->tasks,
            w->required == NO_LEVEL ? -1 : (int)w->required, t->shape->levels);
    for (uint32_t s = 0; s < w->n_slices; s++)
        fprintf(stderr, " %u of l%u", w->slice[s].tasks, w->slice[s].level);
    fprintf(stderr, "; leaf room placed:");
    for (uint32_t i = 0; i < t->shape->leaves; i++)
        fprintf(stderr, "  %s %u %u", t->shape->path[i], t->capacity[i], placed[i]);
    fprintf(stderr, "\n");
    fail();
}

/* Each slice, by the numbers of its tasks, is in one domain. */
static int slices_are_whole(const struct tree_case *t, const struct wish *w,
                            const uint8_t *leaf_of) {
    for (uint32_t s = 0; s < w->n_slices; s++)
        for (uint32_t i = 0; i < w->tasks; i++) {
            uint32_t first = i - i % w->slice[s].tasks;
            if (!same_domain(t->shape, leaf_of[first], leaf_of[i], w->slice[s].level)) return 0;
        }
    return 1;
}

static void check_wish(struct tree_world *world, const struct tree_case *t, const struct wish *w,
                       struct tally *tally) {
    uint32_t placed[1][TREE_LEAVES_MAX];
    uint8_t leaf_of[TASKS_MAX] = {0};
    lsched_slice slices[SLICES_MAX];
    lsched_group_desc group = tree_group(w->tasks);
    for (uint32_t s = 0; s < w->n_slices; s++)
        slices[s] = (lsched_slice){topology_map_level(w->slice[s].level), w->slice[s].tasks, 0};
    group.slices = slices;
    group.n_slices = w->n_slices;
    if (w->required != NO_LEVEL) group.required_level = topology_map_level(w->required);
    uint32_t got = tree_world_try(world, &group, 1, placed, leaf_of);
    int possible = can_be(t, w);
    tally->requests++;
    tally->placed += got > 0;
    if (got != (possible ? w->tasks : 0))
        complain(t, w, placed[0], possible ? "waits" : "placed against its wish");
    if (!possible) return;
    if (!is_good(t, w, placed[0])) complain(t, w, placed[0], "placed against its wish");
    if (!slices_are_whole(t, w, leaf_of)) complain(t, w, placed[0], "slices are mixed");
}

/* All numbers of tasks, with one level of slices and with two. */
static void check_slices(struct tree_world *world, const struct tree_case *t, struct tally *tally) {
    uint32_t levels = t->shape->levels;
    for (uint32_t level = 0; level < levels; level++)
        for (uint32_t size = 2; size <= 4; size++)
            for (uint32_t tasks = size; tasks <= t->room + size; tasks += size) {
                struct wish w = {tasks, NO_LEVEL, 1, {{level, size}, {0, 0}}};
                check_wish(world, t, &w, tally);
                if (level == 0) continue;
                w.required = level - 1;
                check_wish(world, t, &w, tally);
                if (size == 4) continue;
                /* Twice as many in the domain around it. */
                w = (struct wish){2 * tasks, NO_LEVEL, 2, {{level - 1, 2 * size}, {level, size}}};
                if (w.tasks <= t->room + size) check_wish(world, t, &w, tally);
            }
}

/* ---- balanced -------------------------------------------------------------------------------- */

/* Of the level's domains: how many are used, and the least that one of them has. */
static void look(const struct tree_case *t, const uint32_t *on, uint32_t level, uint32_t *used,
                 uint32_t *least) {
    *used = 0;
    *least = UINT32_MAX;
    for (uint32_t i = 0; i < t->shape->leaves; i++) {
        uint32_t first = 1, sum = in_domain(t, on, i, level);
        for (uint32_t j = 0; j < i; j++)
            if (same_domain(t->shape, i, j, level)) first = 0;
        if (!first || sum == 0) continue;
        ++*used;
        if (sum < *least) *least = sum;
    }
}

/* The fewest domains of a level that hold so many tasks, and the most that the one with the least
 * gets among these ways. */
static void best_ways(const struct tree_case *t, uint32_t tasks, uint32_t level, uint32_t *fewest,
                      uint32_t *most) {
    uint32_t on[TREE_LEAVES_MAX] = {0}, used, least;
    *fewest = UINT32_MAX;
    *most = 0;
    while (next_way(t, on)) {
        if (sum_of(t, on) != tasks) continue;
        look(t, on, level, &used, &least);
        if (used < *fewest) *fewest = used, *most = 0;
        if (used == *fewest && least > *most) *most = least;
    }
}

/* A gang that prefers one domain of level 0 and wishes to be dealt out evenly: the domains of the
 * level below get as many at least as any deal over the fewest of them gives. Where that cannot be
 * it goes to the fewest domains of level 0, evenly over them. */
static void check_balanced(struct tree_world *world, const struct tree_case *t,
                           struct tally *tally) {
    uint32_t lower = t->shape->levels > 1 ? 1 : 0;
    for (uint32_t tasks = 1; tasks <= t->room; tasks++) {
        uint32_t placed[1][TREE_LEAVES_MAX], used, least, fewest, most, even;
        struct wish w = {tasks, NO_LEVEL, 0, {{0, 0}, {0, 0}}};
        lsched_group_desc group = tree_group(tasks);
        group.topology_mode = LSCHED_DOMAINS_BALANCED;
        group.preferred_level = topology_map_level(0);
        uint32_t got = tree_world_try(world, &group, 1, placed, NULL);
        tally->requests++;
        tally->placed += got > 0;
        if (got != tasks) complain(t, &w, placed[0], "waits");
        best_ways(t, tasks, lower, &fewest, &even);
        look(t, placed[0], lower, &used, &least);
        if (least >= even) continue;
        tally->other++;
        best_ways(t, tasks, 0, &fewest, &most);
        look(t, placed[0], 0, &used, &least);
        if (used != fewest) complain(t, &w, placed[0], "balanced in more domains than needed");
        if (least != most) complain(t, &w, placed[0], "not balanced");
    }
}

/* ---- all trees ------------------------------------------------------------------------------- */

typedef void check_case(struct tree_world *world, const struct tree_case *t, struct tally *tally);

static void check_all(uint32_t leaves_max, uint32_t each, check_case *check) {
    static struct tree_shape shapes[TREE_SHAPES_MAX];
    struct tally tally = {0};
    for (uint32_t leaves = 1; leaves <= leaves_max; leaves++) {
        uint32_t n = tree_shapes_of(leaves, shapes);
        for (uint32_t s = 0; s < n; s++) {
            struct tree_world world;
            tree_world_make(&world, &shapes[s]);
            for (uint32_t c = 0; c < each; c++) {
                struct tree_case t = {.shape = &shapes[s]};
                uint32_t digits = (s * each + c + 1) * 2654435761u;
                for (uint32_t i = 0; i < leaves; i++)
                    t.room += t.capacity[i] = 1 + (digits >> (5 + 3 * i)) % 3;
                tree_world_capacity(&world, t.capacity);
                check(&world, &t, &tally);
            }
            tree_world_drop(&world);
        }
    }
    printf("%llu requests, %llu placed, %llu otherwise even\n", (unsigned long long)tally.requests,
           (unsigned long long)tally.placed, (unsigned long long)tally.other);
    assert_true(tally.other * 10 <= tally.requests);
}

static void slices(void **state) {
    (void)state;
    check_all(6, 3, check_slices);
}

static void balanced(void **state) {
    (void)state;
    check_all(7, 3, check_balanced);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(slices), cmocka_unit_test(balanced)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
