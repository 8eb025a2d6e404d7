/* The price of a plan, computed twice: pack_value_of, which the packer works by, and lsched_pack_check, which shares no
 * code with it, over random problems of every mixture of features and random plans of these,
 * legal ones and others. Both must say the same of each, to the last micro-unit; expected overload, which
 * one takes from a table and the other from the error function, within a thousandth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pack/cost/cost.h"
#include "property/chance.h"
#include "support/pack_inside.h"
#include "support/pack_random.h"

#define MINUTE_US INT64_C(60000000)
enum { ITEMS_MAX = 10, TASKS_MAX = 3 * ITEMS_MAX, TRIES = 5 };

struct pair {
    struct pack_random r;
    struct pack_inside in;
    struct pack_cost *cost;
    void *block;
    struct pack_spot spots[TASKS_MAX];
    lsched_pack_place places[TASKS_MAX];
    uint64_t accepted, refused, overloaded, recuts;
};

static void begin(struct pair *w, uint64_t seed) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct pack_arena arena = {0};
    uint32_t n = 1 + (uint32_t)(seed % ITEMS_MAX);
    pack_random_make(&w->r, seed, n, pack_random_features(seed, PACK_RANDOM_ALL));
    if (pack_inside_make(&w->in, &w->r.problem, &w->r.opts, &err) != 0) fail_msg("%s", err.message);
    assert_null(pack_cost_new(&w->in.problem, &arena));
    uint64_t bytes = arena.used;
    w->block = pack_inside_block(&arena);
    w->cost = pack_cost_new(&w->in.problem, &arena);
    assert_non_null(w->cost);
    assert_int_equal(arena.used, bytes);
    for (uint32_t t = 0; t < TASKS_MAX; t++) w->spots[t].bin = PACK_NO_BIN;
}

static void end(struct pair *w) {
    free(w->block);
    pack_inside_free(&w->in);
    pack_random_free(&w->r);
}

static void to_places(struct pair *w) {
    const struct pack_problem *p = &w->in.problem;
    uint32_t k = 0;
    for (uint32_t i = 0; i < p->n_items; i++)
        for (uint32_t t = 0; t < p->items[i].tasks; t++, k++) {
            const struct pack_spot *spot = &w->spots[k];
            uint32_t config = spot->config < p->items[i].n_configs ? spot->config : 0;
            int64_t duration = p->configs[p->items[i].first_config + config].duration;
            w->places[k] = (lsched_pack_place){
                .item = i,
                .task = t,
                .bin = spot->bin,
                .config = spot->config,
                .start_us = spot->start,
                .end_us = duration == PACK_FOREVER ? INT64_MAX : spot->start + duration,
                .slice = spot->slice};
        }
}

static int is_near(int64_t a, int64_t b, int64_t overload, uint32_t bins, int is_big) {
    int64_t difference = a < b ? b - a : a - b;
    return difference <= overload / (is_big ? 200 : 1000) + 50 * (int64_t)bins;
}

/* 1: a plan. */
static int compare(struct pair *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_pack_info mine = {.size = sizeof mine}, judged = {.size = sizeof judged};
    struct pack_value value = {0, 0};
    uint32_t bad = 0;
    int is_big = (w->r.features & PACK_RANDOM_BIG) != 0;
    to_places(w);
    int rc = pack_value_of(w->cost, w->spots, &value, &bad, &mine);
    int32_t verdict = lsched_pack_check(&w->r.problem, &w->r.opts, w->places, w->in.problem.n_tasks,
                                        &judged, &err);
    if (rc != 0) {
        assert_true(bad < w->in.problem.n_tasks);
        /* amounts in units are rounded so that less fits */
        if (verdict == 0 && !is_big)
            fail_msg(
                "seed %llu, features %#x: task %u does not fit, and the other judge says it does",
                (unsigned long long)w->r.seed, w->r.features, bad);
        if (verdict != 0) assert_true(verdict == LSCHED_E_STATE && strstr(err.message, "place "));
        w->refused++;
        return 0;
    }
    if (verdict != 0) fail_msg("judged: %s", err.message);
    assert_int_equal(value.left_out, judged.left_out_weight);
    assert_int_equal(mine.left_out, judged.left_out);
    assert_int_equal(mine.bins, judged.bins);
    assert_int_equal(mine.moves, judged.moves);
    assert_int_equal(mine.resizes, judged.resizes);
    assert_int_equal(mine.recuts, judged.recuts);
    assert_int_equal(mine.switch_ons, judged.switch_ons);
    assert_int_equal(mine.end_us, judged.end_us);
    assert_int_equal(mine.transition_micro, judged.transition_micro);
    if (!is_near(mine.overload_micro, judged.overload_micro, judged.overload_micro, judged.bins,
                 is_big))
        fail_msg("seed %llu, features %#x: overload %lld, judged %lld",
                 (unsigned long long)w->r.seed, w->r.features, (long long)mine.overload_micro,
                 (long long)judged.overload_micro);
    assert_true(
        is_near(value.price, judged.compared_micro, judged.overload_micro, judged.bins, is_big));
    assert_int_equal(mine.compared_micro, value.price);
    assert_int_equal(mine.price_micro - mine.overload_micro,
                     judged.price_micro - judged.overload_micro);
    w->accepted++;
    w->overloaded += mine.overload_micro > 0;
    w->recuts += mine.recuts;
    return 1;
}

static int64_t some_start(struct pair *w, struct chance *c, const struct pack_item *item) {
    if (chance_one_in(c, 30)) return item->ready - 1;
    if (item->latest == item->ready || chance_one_in(c, 3)) return item->ready;
    uint32_t other = chance_below(c, w->in.problem.n_tasks);
    const lsched_pack_place *place = &w->places[other];
    if (w->spots[other].bin != PACK_NO_BIN && place->end_us < INT64_MAX && chance_one_in(c, 2))
        return place->end_us > item->ready ? place->end_us : item->ready;
    return item->ready + MINUTE_US * chance_below(c, 400);
}

static void try_item(struct pair *w, struct chance *c, uint32_t i) {
    const struct pack_problem *p = &w->in.problem;
    const struct pack_item *item = &p->items[i];
    struct pack_spot *spots = w->spots + item->first_task;
    int64_t start = some_start(w, c, item);
    uint16_t config = (uint16_t)chance_below(c, item->n_configs);
    int stays = item->now && (item->is_pinned || chance_one_in(c, 3));
    for (uint32_t t = 0; t < item->tasks; t++) {
        uint32_t bins = p->n_bins < 6 ? p->n_bins : 6;
        spots[t] =
            (struct pack_spot){.bin = chance_below(c, chance_one_in(c, 2) ? bins : p->n_bins),
                               .config = config,
                               .slice = (uint8_t)chance_below(c, 8),
                               .start = start};
        if (chance_one_in(c, 2)) spots[t].slice &= 4;
        if (!stays) continue;
        spots[t].bin = item->now[t];
        spots[t].config = (uint16_t)item->config_now;
        spots[t].slice = item->slice_now;
        if (item->is_pinned) spots[t].start = item->ready;
    }
    if (chance_one_in(c, 40)) spots[item->tasks - 1].bin = PACK_NO_BIN;
    if (chance_one_in(c, 40)) spots[item->tasks - 1].start++;
    if (chance_one_in(c, 60)) spots[0].bin = p->n_bins;
}

static void leave_out(struct pair *w, uint32_t i) {
    const struct pack_item *item = &w->in.problem.items[i];
    for (uint32_t t = 0; t < item->tasks; t++) w->spots[item->first_task + t].bin = PACK_NO_BIN;
}

static void test_two_judges(void **unused) {
    (void)unused;
    uint64_t seed = chance_seed(600000), rounds = chance_rounds(12000), accepted = 0, refused = 0;
    uint64_t overloaded = 0, recuts = 0;
    for (uint64_t k = 0; k < rounds; k++) {
        static struct pair w;
        struct chance c = {seed + k};
        memset(&w, 0, sizeof w);
        if (k % 1000 == 0) print_message("seed %llu\n", (unsigned long long)(seed + k));
        begin(&w, seed + k);
        assert_int_equal(compare(&w), 1); /* nothing placed is a plan */
        for (uint32_t i = 0; i < w.in.problem.n_items; i++) {
            int done = 0;
            for (uint32_t n = 0; n < TRIES && !done; n++) {
                try_item(&w, &c, i);
                done = compare(&w);
            }
            if (!done) leave_out(&w, i);
        }
        accepted += w.accepted, refused += w.refused;
        overloaded += w.overloaded, recuts += w.recuts;
        end(&w);
    }
    print_message("%llu plans, %llu that are none; %llu overloaded, %llu recuts\n",
                  (unsigned long long)accepted, (unsigned long long)refused,
                  (unsigned long long)overloaded, (unsigned long long)recuts);
    assert_true(accepted > 2 * rounds && refused > rounds);
    assert_true(rounds < 100 || (overloaded > rounds / 50 && recuts > rounds / 20));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_judges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
