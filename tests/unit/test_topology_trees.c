/*
 * A gang with a required and a preferred level, on every tree of up to eight leaves, against brute
 * force over all sets of leaves: it is placed if any domain of the levels it allows can hold it, in
 * one of the deepest such level, the one with least room left over, the smallest name among equals.
 * From there down each domain has its part in as few of its children as possible.
 *
 * So the gang is in as few domains as possible of the level below the one that holds it. Further
 * down that need not be so, because racks are chosen by their room and not by the nodes that make
 * it up: how many leaves are used, and would be in the fewest domains of all levels, the widest
 * counting first, is printed.
 *
 * Capacities of the leaves: all combinations of 1 and 3 on up to four leaves, some of 0 to 3 on
 * more. Requests: every number of tasks up to one more than there is room for, every pair of levels.
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

enum { SETS = 1 << TREE_LEAVES_MAX, ANYWHERE = TREE_LEVELS_MAX };

/* What brute force knows of one tree with its capacities, by sets of leaves. */
struct known {
    const struct tree_shape *shape;
    const uint32_t *capacity;
    uint32_t all, sets;
    uint32_t room[SETS];
    uint64_t domains[SETS]; /* how many of each level, four bits a level, the
                             widest first */
};

struct tally {
    uint64_t requests, placed;
    uint64_t leaves, least_leaves; /* used, and in the way with the fewest domains of all levels */
};

static int same_domain(const struct tree_shape *s, uint32_t a, uint32_t b, uint32_t level) {
    return memcmp(s->path[a], s->path[b], level + 1) == 0;
}

static void know(struct known *k, const struct tree_shape *shape, const uint32_t *capacity) {
    k->shape = shape;
    k->capacity = capacity;
    k->sets = 1u << shape->leaves;
    k->all = k->sets - 1;
    for (uint32_t set = 0; set < k->sets; set++) {
        k->room[set] = 0;
        k->domains[set] = 0;
        for (uint32_t i = 0; i < shape->leaves; i++) {
            if (!(set >> i & 1)) continue;
            k->room[set] += capacity[i];
            for (uint32_t l = 0; l < shape->levels; l++) {
                uint32_t first = 1;
                for (uint32_t j = 0; j < i; j++)
                    if ((set >> j & 1) && same_domain(shape, i, j, l)) first = 0;
                k->domains[set] += (uint64_t)first << 4 * (TREE_LEVELS_MAX - 1 - l);
            }
        }
    }
}

/* The leaves of the domain of a level that leaf i is in. */
static uint32_t domain_set(const struct known *k, uint32_t i, uint32_t level) {
    uint32_t set = 0;
    if (level == ANYWHERE) return k->all;
    for (uint32_t j = 0; j < k->shape->leaves; j++)
        set |= (uint32_t)same_domain(k->shape, i, j, level) << j;
    return set;
}

/* The domain that must hold `tasks`: its leaves, or 0 if it has to wait. *level
 * is where it is. */
static uint32_t right_domain(const struct known *k, uint32_t tasks, uint32_t required,
                             uint32_t preferred, uint32_t *level) {
    for (*level = preferred != ANYWHERE ? preferred : required;; --*level) {
        uint32_t best = 0;
        for (uint32_t i = 0; i < k->shape->leaves; i++) {
            uint32_t set = domain_set(k, i, *level);
            if (k->room[set] < tasks) continue;
            if (!best || k->room[set] < k->room[best]) best = set; /* paths are in order */
        }
        if (best || *level == required || *level == ANYWHERE) return best;
        if (*level == 0) *level = ANYWHERE + 1;
    }
}

/* How many children of a domain are used, and how many would do: the shortest
 * prefix of them, most room first. */
static void count_children(const struct known *k, uint32_t domain, uint32_t level,
                           const uint32_t *placed, uint32_t *used, uint32_t *least) {
    uint32_t room[TREE_LEAVES_MAX], n = 0, tasks = 0;
    *used = *least = 0;
    for (uint32_t i = 0; i < k->shape->leaves; i++) {
        uint32_t child = domain_set(k, i, level), here = 0;
        if (!(domain >> i & 1)) continue;
        tasks += placed[i];
        if (child & ((1u << i) - 1)) continue; /* not its first leaf */
        for (uint32_t j = i; j < k->shape->leaves; j++) here += child >> j & 1 ? placed[j] : 0;
        *used += here > 0;
        uint32_t at = n++;
        for (; at > 0 && room[at - 1] < k->room[child]; at--) room[at] = room[at - 1];
        room[at] = k->room[child];
    }
    for (uint32_t sum = 0; sum < tasks; sum += room[(*least)++]) {}
}

/* In every domain from the one that holds the gang down, as few children as
 * hold what it got. */
static int in_fewest(const struct known *k, uint32_t within, uint32_t level,
                     const uint32_t *placed) {
    for (uint32_t l = level == ANYWHERE ? 0 : level + 1; l < k->shape->levels; l++)
        for (uint32_t i = 0; i < k->shape->leaves; i++) {
            uint32_t used, least, parent = l == 0 ? k->all : domain_set(k, i, l - 1);
            if (!(within >> i & 1)) continue;
            count_children(k, parent, l, placed, &used, &least);
            if (used != least) return 0;
        }
    return 1;
}

static uint64_t fewest_domains(const struct known *k, uint32_t within, uint32_t tasks) {
    uint64_t fewest = UINT64_MAX;
    for (uint32_t set = 1; set < k->sets; set++)
        if ((set & ~within) == 0 && k->room[set] >= tasks && k->domains[set] < fewest)
            fewest = k->domains[set];
    return fewest;
}

/* How many leaves a count of domains says are used. */
static uint64_t leaves_of(const struct known *k, uint64_t domains) {
    return domains >> 4 * (TREE_LEVELS_MAX - k->shape->levels) & 15u;
}

static void complain(const struct known *k, uint32_t tasks, uint32_t required, uint32_t preferred,
                     const uint32_t *placed, const char *what) {
    fprintf(stderr, "%s: %u tasks, required %d, preferred %d of %u levels; leaf room placed:", what,
            tasks, required == ANYWHERE ? -1 : (int)required,
            preferred == ANYWHERE ? -1 : (int)preferred, k->shape->levels);
    for (uint32_t i = 0; i < k->shape->leaves; i++)
        fprintf(stderr, "  %s %u %u", k->shape->path[i], k->capacity[i], placed[i]);
    fprintf(stderr, "\n");
    fail();
}

static void check_request(struct tree_world *w, const struct known *k, uint32_t tasks,
                          uint32_t required, uint32_t preferred, struct tally *tally) {
    uint32_t placed[1][TREE_LEAVES_MAX], level, used = 0;
    lsched_group_desc group = tree_group(tasks);
    if (required != ANYWHERE) group.required_level = topology_map_level(required);
    if (preferred != ANYWHERE) group.preferred_level = topology_map_level(preferred);
    uint32_t got = tree_world_try(w, &group, 1, placed, NULL);
    uint32_t domain = right_domain(k, tasks, required, preferred, &level);
    tally->requests++;
    if (got != (domain ? tasks : 0))
        complain(k, tasks, required, preferred, placed[0], domain ? "waits" : "cannot fit");
    if (!domain) return;
    tally->placed++;
    for (uint32_t i = 0; i < k->shape->leaves; i++) used |= (uint32_t)(placed[0][i] > 0) << i;
    if (used & ~domain) complain(k, tasks, required, preferred, placed[0], "in another domain");
    if (!in_fewest(k, domain, level, placed[0]))
        complain(k, tasks, required, preferred, placed[0], "in more domains than needed");
    uint64_t fewest = fewest_domains(k, domain, tasks);
    tally->leaves += leaves_of(k, k->domains[used]);
    tally->least_leaves += leaves_of(k, fewest);
}

static void check_capacity(struct tree_world *w, const uint32_t *capacity, struct tally *tally) {
    static struct known k;
    know(&k, w->shape, capacity);
    tree_world_capacity(w, capacity);
    uint32_t levels = w->shape->levels;
    for (uint32_t tasks = 1; tasks <= k.room[k.all] + 1; tasks++) {
        for (uint32_t r = 0; r < levels; r++) {
            check_request(w, &k, tasks, r, ANYWHERE, tally);
            check_request(w, &k, tasks, ANYWHERE, r, tally);
            for (uint32_t p = r + 1; p < levels; p++) check_request(w, &k, tasks, r, p, tally);
        }
    }
}

static uint32_t scale_percent(void) {
    const char *text = getenv("LSCHED_TEST_SCALE");
    return text ? (uint32_t)strtoul(text, NULL, 10) : 100;
}

/* Capacities are drawn from the number of the combination: no seed, always the
 * same. */
static void combination(uint32_t leaves, uint32_t number, uint32_t *capacity) {
    uint32_t digits = number * 2654435761u;
    for (uint32_t i = 0; i < leaves; i++)
        capacity[i] = leaves <= 4 ? 1 + (number >> i & 1) * 2 : (digits >> (3 + 3 * i)) % 4;
}

static void check_leaves(uint32_t leaves) {
    static struct tree_shape shapes[TREE_SHAPES_MAX];
    static const uint32_t count[TREE_LEAVES_MAX] = {1, 1, 2, 5, 12, 33, 90, 261};
    uint32_t n = tree_shapes_of(leaves, shapes), each = leaves <= 4 ? 1u << leaves : 3;
    struct tally tally = {0};
    if (leaves > 6 && scale_percent() < 100) each = 1;
    assert_int_equal(n, count[leaves - 1]);
    for (uint32_t s = 0; s < n; s++) {
        struct tree_world w;
        tree_world_make(&w, &shapes[s]);
        for (uint32_t c = 0; c < each; c++) {
            uint32_t capacity[TREE_LEAVES_MAX];
            combination(leaves, leaves <= 4 ? c : c + s * 3 + 1, capacity);
            check_capacity(&w, capacity, &tally);
        }
        tree_world_drop(&w);
    }
    printf("%u leaves: %u shapes, %llu requests, %llu placed on %llu leaves, %llu at the least\n",
           leaves, n, (unsigned long long)tally.requests, (unsigned long long)tally.placed,
           (unsigned long long)tally.leaves, (unsigned long long)tally.least_leaves);
}

static void up_to_five(void **state) {
    (void)state;
    for (uint32_t n = 1; n <= 5; n++) check_leaves(n);
}

static void six(void **state) {
    (void)state;
    check_leaves(6);
}

static void seven(void **state) {
    (void)state;
    check_leaves(7);
}

static void eight(void **state) {
    (void)state;
    check_leaves(8);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(up_to_five), cmocka_unit_test(six),
                                       cmocka_unit_test(seven), cmocka_unit_test(eight)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
