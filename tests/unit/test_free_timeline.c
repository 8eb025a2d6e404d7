/*
 * Free amounts over time against a model that keeps a list of all takings for each bin: the counts,
 * the earliest start of several tasks, the maps, and which bins share a profile.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/support/free_start.h"
#include "property/chance.h"
#include "support/place_world.h"

enum { BINS = 9, TAKES = 24, MAPS = 3, KINDS = 2, NOW = 100, HORIZON = 60 };

struct taken {
    int64_t from, to, times;
    struct free_timeline_amount amount;
};

struct model_bin {
    int is_empty;
    uint32_t rank;
    struct free_timeline_amount free;
    struct taken take[TAKES];
    uint32_t n;
};

struct pair {
    struct place_memory memory;
    lsched_algorithm_env env;
    struct free_timeline line;
    struct free_start search;
    struct free_counts_choice *choices;
    uint32_t cap_choices;
    struct model_bin bins[BINS];
    uint8_t maps[MAPS][BINS];
    uint32_t n_bins, n_maps;
};

static int64_t free_at(const struct model_bin *b, uint32_t kind, int64_t at) {
    int64_t free = b->free.of[kind];
    for (uint32_t i = 0; i < b->n; i++)
        if (at >= b->take[i].from && at < b->take[i].to)
            free -= b->take[i].amount.of[kind] * b->take[i].times;
    return free;
}

/* Tasks that fit in a bin for a run from `from` on, instant by instant. */
static uint32_t model_count(const struct model_bin *b, int64_t from, int64_t length,
                            const struct free_timeline_amount *need, uint32_t most) {
    int64_t to = length > 4 * HORIZON ? NOW + 8 * HORIZON : from + length;
    for (int64_t at = from; at < to; at++)
        for (uint32_t k = 0; k < KINDS; k++) {
            int64_t free = free_at(b, k, at);
            int64_t n = need->of[k] ? (free < 0 ? 0 : free / need->of[k]) : most;
            if (n < most) most = (uint32_t)n;
        }
    return most;
}

static int64_t model_start(const struct pair *p, uint32_t map, int64_t length,
                           const struct free_timeline_amount *need, uint32_t tasks) {
    for (int64_t at = NOW; at < NOW + 4 * HORIZON; at++) {
        uint64_t sum = 0;
        for (uint32_t b = 0; b < p->n_bins; b++)
            if (p->maps[map][b] && !p->bins[b].is_empty)
                sum += model_count(&p->bins[b], at, length, need, tasks);
        if (sum >= tasks) return at;
    }
    return FREE_TIMELINE_FOREVER;
}

static int model_fits_now(const struct pair *p, uint32_t map, int64_t length,
                          const struct free_timeline_amount *need, uint32_t tasks) {
    uint64_t sum = 0;
    for (uint32_t b = 0; b < p->n_bins; b++)
        if (p->maps[map][b] && !p->bins[b].is_empty)
            sum += model_count(&p->bins[b], NOW, length, need, tasks);
    return sum >= tasks;
}

static void begin(struct pair *p, struct chance *c) {
    p->n_bins = 1 + chance_below(c, BINS);
    p->n_maps = 0;
    free_timeline_clear(&p->line, NOW, KINDS);
    assert_int_equal(free_timeline_bins(&p->line, p->n_bins), LSCHED_OK);
    uint32_t turn = chance_below(c, p->n_bins);
    for (uint32_t b = 0; b < p->n_bins; b++) {
        memset(&p->bins[b], 0, sizeof p->bins[b]);
        p->bins[b].rank = (b + turn) % p->n_bins;
        free_timeline_rank(&p->line, b, p->bins[b].rank);
        p->bins[b].is_empty = chance_one_in(c, 4);
        if (p->bins[b].is_empty) continue;
        for (uint32_t k = 0; k < KINDS; k++) p->bins[b].free.of[k] = 2 * chance_below(c, 3);
        assert_int_equal(free_timeline_draft(&p->line, &p->bins[b].free), LSCHED_OK);
        assert_int_equal(free_timeline_reset(&p->line, b), LSCHED_OK);
    }
}

/* An empty bin is filled, or another one becomes empty. */
static void come_or_go(struct pair *p, struct chance *c) {
    uint32_t bin = chance_below(c, p->n_bins);
    struct model_bin *b = &p->bins[bin];
    if (!b->is_empty) {
        free_timeline_remove(&p->line, bin);
        b->is_empty = 1;
        return;
    }
    b->is_empty = 0;
    b->n = 0;
    for (uint32_t k = 0; k < KINDS; k++) b->free.of[k] = 2 * chance_below(c, 3);
    assert_int_equal(free_timeline_draft(&p->line, &b->free), LSCHED_OK);
    assert_int_equal(free_timeline_reset(&p->line, bin), LSCHED_OK);
    for (uint32_t m = 0; m < p->n_maps; m++)
        assert_int_equal(free_timeline_map_set(&p->line, m, bin, p->maps[m][bin]), LSCHED_OK);
}

/* A bin changes in a map. */
static void change_map(struct pair *p, struct chance *c) {
    if (p->n_maps == 0) return;
    uint32_t map = chance_below(c, p->n_maps), bin = chance_below(c, p->n_bins);
    p->maps[map][bin] ^= 1;
    if (!p->bins[bin].is_empty)
        assert_int_equal(free_timeline_map_set(&p->line, map, bin, p->maps[map][bin]), LSCHED_OK);
}

/* Takes an amount where it is free all the time, or gives one of the takings back. */
static void change(struct pair *p, struct chance *c) {
    uint32_t bin = chance_below(c, p->n_bins);
    struct model_bin *b = &p->bins[bin];
    struct taken t = {NOW + chance_below(c, HORIZON), 0, 1, {{0}}};
    if (b->is_empty) return;
    t.to = chance_one_in(c, 4) ? FREE_TIMELINE_FOREVER : t.from + 1 + chance_below(c, HORIZON);
    for (uint32_t k = 0; k < KINDS; k++) t.amount.of[k] = chance_below(c, 2);
    if (b->n > 0 && chance_one_in(c, 3)) {
        t = b->take[--b->n];
        t.times = -t.times;
    } else if (b->n < TAKES && model_count(b, t.from, t.to - t.from, &t.amount, 1)) {
        b->take[b->n++] = t;
    } else {
        return;
    }
    if (chance_one_in(c, 2)) free_timeline_pull(&p->line, bin);
    assert_int_equal(free_timeline_take(&p->line, bin, t.from, t.to, &t.amount, t.times),
                     LSCHED_OK);
}

/* Writes a bin anew: the same takings, drafted in another order. */
static void redraft(struct pair *p, struct chance *c) {
    uint32_t bin = chance_below(c, p->n_bins);
    const struct model_bin *b = &p->bins[bin];
    if (b->is_empty) return;
    assert_int_equal(free_timeline_draft(&p->line, &b->free), LSCHED_OK);
    for (uint32_t i = b->n; i-- > 0;)
        assert_int_equal(free_timeline_draft_take(&p->line, b->take[i].from, b->take[i].to,
                                                  &b->take[i].amount, b->take[i].times),
                         LSCHED_OK);
    assert_int_equal(free_timeline_reset(&p->line, bin), LSCHED_OK);
}

static void add_map(struct pair *p, struct chance *c) {
    if (p->n_maps == MAPS) {
        assert_int_equal(free_timeline_maps_clear(&p->line), LSCHED_OK);
        p->n_maps = 0;
    }
    for (uint32_t b = 0; b < p->n_bins; b++) p->maps[p->n_maps][b] = !chance_one_in(c, 3);
    assert_int_equal(free_timeline_map(&p->line, p->maps[p->n_maps]), p->n_maps);
    p->n_maps++;
}

/* The lowest bin of the profile that has not come out of the copied set yet, by brute force. */
static void check_sets(const struct pair *p) {
    const struct free_timeline *r = &p->line;
    uint32_t bins = 0, filled = 0;
    for (uint32_t b = 0; b < p->n_bins; b++) filled += !p->bins[b].is_empty;
    for (uint32_t i = 0; i < r->n_live; i++) {
        const struct free_timeline_profile *profile = &r->profiles[r->live[i]];
        uint32_t lowest = BIN_HEAP_NONE, n = 0;
        for (uint32_t b = p->n_bins; b-- > 0;) {
            if (r->bins[b].profile != r->live[i]) continue;
            assert_int_equal(r->bins[b].group, profile->group);
            if (n == 0 || p->bins[b].rank < p->bins[lowest].rank) lowest = b;
            n++;
        }
        assert_int_equal(profile->lowest, lowest);
        assert_int_equal(profile->n_bins, n);
        bins += n;
    }
    assert_int_equal(bins, filled);
}

/* Two bins of a group share a profile if they are free alike at all times. */
static void check_shared(const struct pair *p) {
    const struct free_timeline *r = &p->line;
    for (uint32_t a = 0; a < p->n_bins; a++)
        for (uint32_t b = 0; b < a; b++) {
            if (p->bins[a].is_empty || p->bins[b].is_empty) continue;
            int alike = r->bins[a].group == r->bins[b].group;
            for (uint32_t m = 0; m < p->n_maps; m++)
                if (p->maps[m][a] != p->maps[m][b]) assert_false(alike);
            for (int64_t at = NOW; at < NOW + 3 * HORIZON && alike; at++)
                for (uint32_t k = 0; k < KINDS; k++)
                    alike &= free_at(&p->bins[a], k, at) == free_at(&p->bins[b], k, at);
            assert_int_equal(r->bins[a].profile == r->bins[b].profile, alike);
        }
}

/* The choices have each bin that has room, with its room. */
static void check_choices(struct pair *p, uint32_t map, int64_t at, int64_t length,
                          const struct free_timeline_amount *need, uint32_t most) {
    uint32_t n, bins = 0;
    assert_int_equal(free_start_choices(&p->search, &p->line, map, at, length, need, most,
                                        &p->choices, &p->cap_choices, &n),
                     LSCHED_OK);
    for (uint32_t i = 0; i < n; i++) {
        const struct free_timeline_profile *profile = &p->line.profiles[p->choices[i].profile];
        assert_int_equal(p->choices[i].room,
                         model_count(&p->bins[profile->lowest], at, length, need, most));
        bins += profile->n_bins;
    }
    for (uint32_t b = 0; b < p->n_bins; b++)
        if (p->maps[map][b] && !p->bins[b].is_empty)
            bins -= model_count(&p->bins[b], at, length, need, most) > 0;
    assert_int_equal(bins, 0);
}

static void check_answers(struct pair *p, struct chance *c) {
    struct free_timeline_amount need = {{chance_below(c, 2), 1}};
    int64_t start, length = chance_one_in(c, 4) ? FREE_TIMELINE_FOREVER : 1 + chance_below(c, 40);
    uint32_t tasks = 1 + chance_below(c, 8), bin = chance_below(c, p->n_bins), map;
    int64_t at = NOW + chance_below(c, 2 * HORIZON);
    if (!p->bins[bin].is_empty)
        assert_int_equal(free_timeline_count(&p->line, bin, at, length, &need, tasks),
                         model_count(&p->bins[bin], at, length, &need, tasks));
    if (p->n_maps == 0) return;
    map = chance_below(c, p->n_maps);
    for (uint32_t b = 0; b < p->n_bins; b++)
        if (!p->bins[b].is_empty)
            assert_int_equal(free_timeline_allows(&p->line, map, b), p->maps[map][b]);
    int64_t expected = model_start(p, map, length, &need, tasks);
    assert_int_equal(free_start_find(&p->search, &p->line, map, length, &need, tasks, &start),
                     LSCHED_OK);
    assert_int_equal(start, expected);
    check_choices(p, map, at, length, &need, tasks);
    int64_t longest, fits = 0;
    assert_int_equal(free_start_longest(&p->search, &p->line, map, &need, tasks, &longest),
                     LSCHED_OK);
    while (fits < 4 * HORIZON && model_fits_now(p, map, fits + 1, &need, tasks)) fits++;
    assert_int_equal(longest, fits < 4 * HORIZON ? fits : FREE_TIMELINE_FOREVER);
    assert_int_equal(free_start_is_now(&p->search, &p->line, map, length, &need, tasks),
                     expected == NOW);
}

static void test_against_the_model(void **state) {
    (void)state;
    static struct pair p;
    p.env = place_env(&p.memory);
    free_timeline_open(&p.line, &p.env);
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct chance c = {seed};
        begin(&p, &c);
        for (uint32_t step = 0; step < 40; step++) {
            if (chance_one_in(&c, 8)) add_map(&p, &c);
            change(&p, &c);
            if (chance_one_in(&c, 6)) come_or_go(&p, &c);
            if (chance_one_in(&c, 6)) change_map(&p, &c);
            if (chance_one_in(&c, 4)) redraft(&p, &c);
            check_sets(&p);
            check_shared(&p);
            check_answers(&p, &c);
        }
    }
    free_timeline_close(&p.line);
    free_start_close(&p.search, &p.env);
    env_free(&p.env, p.choices, p.cap_choices * sizeof *p.choices);
}

/* Bins come out of a set in their order, however they went in and whichever left in between. */
static void test_bins_come_in_order(void **state) {
    (void)state;
    enum { N = 60 };
    struct bin_heap_links links[N];
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct chance c = {seed};
        uint32_t root = BIN_HEAP_NONE;
        uint8_t is_in[N] = {0};
        for (uint32_t bin = 0; bin < N; bin++) links[bin].rank = 3 * bin;
        for (uint32_t step = 0; step < 200; step++) {
            uint32_t bin = chance_below(&c, N), lowest = 0;
            root = is_in[bin] ? bin_heap_remove(links, root, bin) : bin_heap_add(links, root, bin);
            is_in[bin] ^= 1;
            while (lowest < N && !is_in[lowest]) lowest++;
            assert_int_equal(root, lowest == N ? BIN_HEAP_NONE : lowest);
        }
        for (uint32_t bin = 0; bin < N; bin++) {
            if (!is_in[bin]) continue;
            assert_int_equal(root, bin);
            root = bin_heap_remove(links, root, root);
        }
        assert_int_equal(root, BIN_HEAP_NONE);
    }
}

/* Equal nodes that do the same share one profile, so that a job costs the same on 16 times the
 * nodes. */
static void test_equal_bins_share(void **state) {
    (void)state;
    struct place_memory memory = {0};
    lsched_algorithm_env env = place_env(&memory);
    struct free_timeline line;
    const struct free_timeline_amount eight = {{8, 8}}, one = {{1, 1}};
    free_timeline_open(&line, &env);
    free_timeline_clear(&line, NOW, KINDS);
    assert_int_equal(free_timeline_bins(&line, 4096), LSCHED_OK);
    for (uint32_t b = 0; b < 4096; b++) {
        assert_int_equal(free_timeline_draft(&line, &eight), LSCHED_OK);
        assert_int_equal(free_timeline_reset(&line, b), LSCHED_OK);
    }
    assert_int_equal(line.n_live, 1);
    for (uint32_t b = 0; b < 4096; b += 2)
        assert_int_equal(free_timeline_take(&line, b, NOW + 5, NOW + 9, &one, 1), LSCHED_OK);
    assert_int_equal(line.n_live, 2);
    assert_true(line.n_pool <= 8);
    for (uint32_t b = 0; b < 4096; b += 2)
        assert_int_equal(free_timeline_take(&line, b, NOW + 5, NOW + 9, &one, -1), LSCHED_OK);
    assert_int_equal(line.n_live, 1);
    free_timeline_close(&line);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_the_model),
        cmocka_unit_test(test_bins_come_in_order),
        cmocka_unit_test(test_equal_bins_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
