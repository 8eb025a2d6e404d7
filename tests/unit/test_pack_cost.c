/* Prices of packing over time, computed by hand: bins, hours, switches, lateness, flow, makespan, moves, resizes, cuts and
 * expected overload; each by pack_value_of and by lsched_pack_check. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pack/cost/cost_loss.h"
#include "pack/cost/cost.h"
#include "support/pack_inside.h"

#define MINUTE_US INT64_C(60000000)
#define HOUR_US   (60 * MINUTE_US)
enum { ITEMS_MAX = 6 };

struct desk {
    lsched_pack_resource resource;
    lsched_pack_class class;
    int64_t capacity, demand[ITEMS_MAX], sigma[ITEMS_MAX];
    lsched_pack_config configs[ITEMS_MAX][2];
    lsched_pack_item items[ITEMS_MAX];
    uint32_t now[ITEMS_MAX];
    lsched_pack_reservation reservation;
    lsched_pack_problem problem;
    lsched_pack_opts opts;
    lsched_pack_place places[ITEMS_MAX];
    lsched_pack_info info;
};

/* n items of demand 50 on bins of 100, of one hour each, at any time; all is free of charge. */
static void lay(struct desk *d, uint32_t n) {
    memset(d, 0, sizeof *d);
    d->capacity = 100;
    d->resource.size = sizeof d->resource;
    d->class = (lsched_pack_class){.size = sizeof d->class, .count = 4, .capacity = &d->capacity};
    for (uint32_t i = 0; i < n; i++) {
        d->demand[i] = 50;
        for (uint32_t c = 0; c < 2; c++)
            d->configs[i][c] = (lsched_pack_config){
                .size = sizeof d->configs[i][c], .duration_us = HOUR_US, .demand = &d->demand[i]};
        d->items[i] = (lsched_pack_item){
            .size = sizeof d->items[i], .configs = d->configs[i], .n_configs = 2};
        d->places[i] = (lsched_pack_place){.item = i};
    }
    d->problem = (lsched_pack_problem){.size = sizeof d->problem,
                                       .n_resources = 1,
                                       .resources = &d->resource,
                                       .classes = &d->class,
                                       .items = d->items,
                                       .n_classes = 1,
                                       .n_items = n};
    d->opts.size = sizeof d->opts;
    d->opts.patience_milli = 2000;
}

static void put(struct desk *d, uint32_t item, uint32_t bin, int64_t start_us) {
    d->places[item].bin = bin;
    d->places[item].start_us = start_us;
}

static int internal_value(struct desk *d, struct pack_value *value, lsched_pack_info *parts) {
    struct pack_inside in;
    struct pack_arena arena = {0};
    struct pack_spot spots[ITEMS_MAX];
    uint32_t bad;
    lsched_error err = LSCHED_ERROR_INIT;
    if (pack_inside_make(&in, &d->problem, &d->opts, &err) != 0) fail_msg("%s", err.message);
    (void)pack_cost_new(&in.problem, &arena);
    void *block = pack_inside_block(&arena);
    struct pack_cost *cost = pack_cost_new(&in.problem, &arena);
    for (uint32_t i = 0; i < d->problem.n_items; i++)
        spots[i] = (struct pack_spot){.bin = d->places[i].bin,
                                      .config = (uint16_t)d->places[i].config,
                                      .slice = (uint8_t)d->places[i].slice,
                                      .start = d->places[i].start_us};
    int rc = pack_value_of(cost, spots, value, &bad, parts);
    free(block);
    pack_inside_free(&in);
    return rc;
}

/* Both say that the plan costs this; -1: that it is none. Overload may differ by a thousandth. */
static void expect(struct desk *d, int64_t compared) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct pack_value value;
    lsched_pack_info judged = {.size = sizeof judged};
    for (uint32_t i = 0; i < d->problem.n_items; i++) {
        int64_t duration = d->configs[i][d->places[i].config].duration_us;
        d->places[i].end_us = duration == INT64_MAX ? duration : d->places[i].start_us + duration;
    }
    memset(&d->info, 0, sizeof d->info);
    int32_t verdict =
        lsched_pack_check(&d->problem, &d->opts, d->places, d->problem.n_items, &judged, &err);
    int rc = internal_value(d, &value, &d->info);
    if (compared < 0) {
        assert_int_equal(rc, -1);
        assert_int_equal(verdict, LSCHED_E_STATE);
        return;
    }
    if (verdict != 0) fail_msg("%s", err.message);
    assert_int_equal(rc, 0);
    int64_t room = judged.overload_micro / 1000 + (judged.overload_micro > 0);
    assert_in_range(judged.compared_micro, compared - room, compared + room);
    assert_in_range(value.price, compared - room, compared + room);
    assert_int_equal(value.left_out, judged.left_out_weight);
    assert_int_equal(d->info.transition_micro, judged.transition_micro);
    assert_int_equal(d->info.switch_ons, judged.switch_ons);
}

static void test_bins_hours_and_switches(void **unused) {
    (void)unused;
    static struct desk d;
    lay(&d, 3);
    d.class.open_price_micro = 7;
    d.class.on_price_micro_per_hour = 1000;
    d.class.switch_price_micro = 100;
    expect(&d, -1);         /* three in one bin at one time */
    put(&d, 2, 0, HOUR_US); /* touches: on for two hours without a break */
    expect(&d, 7 + 2000 + 100);
    put(&d, 2, 0, HOUR_US + 1); /* one microsecond off */
    expect(&d, 7 + 2000 + 200);
    put(&d, 2, 1, 30 * MINUTE_US);
    expect(&d, 14 + 2000 + 200);
    d.class.on_now = 1; /* the first bin needs no switch at first */
    expect(&d, 14 + 2000 + 100);
    put(&d, 1, 0, HOUR_US / 2); /* overlap: 1.5 hours */
    expect(&d, 14 + 2500 + 100);
    d.configs[1][0].duration_us = 1; /* hours are rounded up once per bin: 1 h and 1 h */
    expect(&d, 14 + 2000 + 100);
    put(&d, 1, 0, HOUR_US);
    expect(&d, 14 + 1001 + 1000 + 100);
    d.demand[0] = 51, d.demand[1] = 49;
    put(&d, 1, 0, 0);
    expect(&d, 14 + 2000 + 100);
    d.demand[1] = 50;
    expect(&d, -1);
}

static void test_what_has_no_end(void **unused) {
    (void)unused;
    static struct desk d;
    lay(&d, 2);
    d.class.on_price_micro_per_hour = 1000;
    d.configs[0][0].duration_us = INT64_MAX;
    d.items[1].ready_us = 3 * HOUR_US;
    put(&d, 1, 1, 3 * HOUR_US);
    /* hours are counted to the last known instant, that of item 1's end, and a microsecond */
    expect(&d, 4001 + 1000);
    put(&d, 1, 0, 9 * HOUR_US); /* or the bin's last event */
    expect(&d, 10000);
    d.demand[1] = 51;
    expect(&d, -1); /* it is there for ever */
}

static void test_times_of_items(void **unused) {
    (void)unused;
    static struct desk d;
    lay(&d, 2);
    d.items[0].flow_price_micro_per_hour = 10;
    d.items[0].ready_us = 30 * MINUTE_US;
    put(&d, 0, 0, 30 * MINUTE_US);
    expect(&d, 10);
    put(&d, 0, 0, 30 * MINUTE_US + 1); /* up */
    expect(&d, 11);
    put(&d, 0, 0, 30 * MINUTE_US - 1);
    expect(&d, -1); /* not ready */
    put(&d, 0, 0, 90 * MINUTE_US);
    d.items[0].flags |= LSCHED_PACK_ITEM_HAS_LATEST;
    d.items[0].latest_us = 89 * MINUTE_US;
    expect(&d, -1);
    d.items[0].latest_us = 90 * MINUTE_US;
    d.items[0].flags |= LSCHED_PACK_ITEM_HAS_DEADLINE;
    d.items[0].deadline_us = 2 * HOUR_US;
    d.items[0].late_price_micro_per_hour = 1000;
    expect(&d, 20 + 500);
    d.problem.makespan_price_micro_per_hour = 100;
    expect(&d, 20 + 500 + 250);
    d.problem.now_us = HOUR_US; /* what waits can start now at the earliest */
    expect(&d, -1);             /* the other at 0 */
    put(&d, 1, 1, HOUR_US);
    expect(&d, 15 + 500 + 150); /* it was ready from now on */
    d.places[0].bin = LSCHED_PACK_NONE;
    d.items[0].weight = 5;
    expect(&d, 100);
    assert_int_equal(d.info.left_out_weight + (int64_t)d.info.left_out, 6);
}

static void test_transitions_count_patience_fold(void **unused) {
    (void)unused;
    static struct desk d;
    lay(&d, 1);
    d.items[0].move_price_micro = 30;
    d.configs[0][0].resize_price_micro =
        500; /* a price of the first is paid by those who come back */
    d.configs[0][1].resize_price_micro = 7;
    expect(&d, 0);
    d.places[0].config = 1; /* nowhere yet: more than the first */
    expect(&d, 14);
    d.items[0].bins_now = d.now;
    d.items[0].config_now = 1;
    expect(&d, 0);
    d.places[0].config = 0;
    expect(&d, 1000);
    put(&d, 0, 1, 0);
    expect(&d, 1060);
    assert_int_equal(d.info.price_micro, 530);
    assert_int_equal(d.info.moves + d.info.resizes, 2);
    d.opts.patience_milli = 1001; /* rounded up */
    expect(&d, 501 + 31);
    d.items[0].flags = LSCHED_PACK_ITEM_PINNED;
    expect(&d, -1);
    put(&d, 0, 0, 0);
    expect(&d, -1);
    d.places[0].config = 1;
    expect(&d, 0);
    put(&d, 0, 0, 1);
    expect(&d, -1);
    d.items[0].flags = 0;
    expect(&d, 0);
    d.items[0].flags |= LSCHED_PACK_ITEM_HAS_MOVED_AT;
    d.items[0].moved_at_us = -10 * MINUTE_US;
    d.opts.dwell_us = 10 * MINUTE_US;
    expect(&d, 0);
    d.opts.dwell_us++;
    expect(&d, -1);
    d.places[0].bin = LSCHED_PACK_NONE;
    expect(&d, 0);
}

/* ---- MIG ---- */

static void ask(struct desk *d, uint32_t item, const char *profile) {
    d->demand[item] = 0;
    d->configs[item][0].mig_profile = (lsched_text){profile, strlen(profile)};
}

static void cut(struct desk *d, uint32_t item, uint32_t slice, int64_t start_us) {
    put(d, item, 0, start_us);
    d->places[item].slice = slice;
}

static void test_cuts(void **unused) {
    (void)unused;
    static struct desk d;
    lay(&d, 4);
    d.class.mig_table = LSCHED_TEXT("h100-80gb");
    d.class.recut_price_micro = 10;
    for (uint32_t i = 0; i < 4; i++) ask(&d, i, i < 2 ? "3g.40gb" : "1g.10gb");
    cut(&d, 1, 4, 0);
    cut(&d, 2, 0, HOUR_US);
    cut(&d, 3, 1, HOUR_US);
    expect(&d, 4 * 20);
    cut(&d, 3, 0, 2 * HOUR_US); /* takes over what item 2 leaves */
    expect(&d, 3 * 20);
    cut(&d, 2, 4, HOUR_US);
    cut(&d, 3, 5, HOUR_US);
    cut(&d, 1, 0, 2 * HOUR_US); /* item 0's still stands */
    expect(&d, 3 * 20);
    cut(&d, 1, 4, 2 * HOUR_US); /* the small ones are in its way, then gone */
    expect(&d, 4 * 20);
    cut(&d, 3, 6, 3 * HOUR_US - 1); /* in use */
    expect(&d, -1);
    cut(&d, 3, 7, 0); /* no instance begins there */
    expect(&d, -1);
    cut(&d, 3, 4, 4 * HOUR_US); /* its first one is gone */
    expect(&d, 4 * 20);
    cut(&d, 3, 4, 4 * HOUR_US);
    d.items[1].bins_now = d.now; /* there is one of item 1 now, where the plan wants it later */
    d.items[1].slice_now = 4;
    expect(&d, 4 * 20); /* item 2 destroys it before */
    cut(&d, 2, 1, HOUR_US);
    expect(&d, 3 * 20);
    d.problem.reservations = &d.reservation;
    d.problem.n_reservations = 1;
    d.reservation = (lsched_pack_reservation){.size = sizeof d.reservation,
                                              .flags = LSCHED_PACK_RESERVATION_HAS_END,
                                              .to_us = 1,
                                              .mig_slices = 0x80};
    expect(&d, 4 * 20); /* so does who took a slice of it */
    d.reservation.to_us = 2 * HOUR_US + 1;
    expect(&d, -1);
}

static void test_media_engines_exist_once(void **unused) {
    (void)unused;
    static struct desk d;
    lay(&d, 3);
    d.class.mig_table = LSCHED_TEXT("h100-80gb");
    d.class.recut_price_micro = 1;
    for (uint32_t i = 0; i < 3; i++) ask(&d, i, "1g.10gb+me");
    cut(&d, 1, 1, 0);
    cut(&d, 2, 0, 5 * HOUR_US);
    expect(&d, -1);
    cut(&d, 1, 1, HOUR_US);
    expect(&d, 6); /* the second takes the engines, so the third has to be made again */
    cut(&d, 1, 0, HOUR_US);
    expect(&d, 2);
}

/* ---- soft resources ---- */

static void soften(struct desk *d, uint32_t z_milli, int64_t price) {
    d->resource.soft = 1;
    d->resource.z_milli = z_milli;
    d->resource.overload_price_micro = price;
    for (uint32_t i = 0; i < ITEMS_MAX; i++) {
        d->configs[i][0].sigma = &d->sigma[i];
        d->configs[i][1].sigma = &d->sigma[i];
    }
}

static void test_n_sigma_to_the_unit(void **unused) {
    (void)unused;
    static struct desk d;
    lay(&d, 2);
    soften(&d, 3000, 0);
    d.demand[0] = 30, d.demand[1] = 20;
    d.sigma[0] = 6, d.sigma[1] = 8; /* together 10: 50 + 30 */
    d.capacity = 80;
    expect(&d, 0);
    d.sigma[1] = 9;
    expect(&d, -1);
    d.resource.z_milli = 0;
    expect(&d, 0);
    d.demand[1] = 2000;
    expect(&d, 0); /* only priced */
    d.resource.z_milli = 3000;
    d.sigma[1] = 8, d.demand[1] = 20;
    d.configs[0][0].sigma = NULL; /* certain */
    expect(&d, 0);
    d.demand[0] = 37;
    expect(&d, -1);
    d.demand[0] = 36;
    expect(&d, 0);
}

static void test_expected_overload(void **unused) {
    (void)unused;
    static struct desk d;
    lay(&d, 2);
    soften(&d, 0, 100000000); /* 100 for a bin's capacity missing for an hour */
    d.demand[0] = 80, d.demand[1] = 40;
    expect(&d, 20000000); /* 20 of 100 surely */
    d.sigma[0] = d.sigma[1] = 10;
    expect(&d, 20513000); /* 20 + 14.14 x L(1.414) */
    assert_in_range(d.info.overload_micro, 20500000, 20530000);
    put(&d, 1, 0,
        30 * MINUTE_US); /* together for half an hour; alone 80 with sigma 10, half an hour */
    expect(&d, 10256500 + 42454);
    d.demand[0] = 1;
    d.sigma[0] = 0;
    put(&d, 1, 1, 0);
    d.demand[1] = 100; /* a sigma of 10 at the capacity itself: 10 x 0.3989 */
    expect(&d, 3989423);
    d.demand[1] = 39; /* more than six sigma away */
    expect(&d, 0);
}

static void test_sums_stop_at_the_end_of_numbers(void **unused) {
    (void)unused;
    assert_int_equal(pack_hours_price(INT64_MAX / 4, INT64_C(1000000000000)), PACK_PRICE_MAX);
    assert_int_equal(pack_hours_price(1, 1), 1);
    assert_int_equal(pack_hours_price(PACK_HOUR_US, 5), 5);
    assert_int_equal(pack_hours_price(PACK_HOUR_US + 1, 5), 6);
    assert_int_equal(pack_price_add(PACK_PRICE_MAX, PACK_PRICE_MAX), PACK_PRICE_MAX);
    assert_int_equal(pack_price_add(PACK_PRICE_MAX, 0), PACK_PRICE_MAX);
    assert_int_equal(pack_overload_price((wide_u128)1 << 120, 1, INT64_MAX / 4), PACK_PRICE_MAX);
    static struct desk d;
    lay(&d, 2);
    for (uint32_t i = 0; i < 2; i++) {
        d.items[i].flow_price_micro_per_hour = INT64_C(1000000000000);
        put(&d, i, i, INT64_C(1) << 60);
    }
    expect(&d, PACK_PRICE_MAX);
}

/* More load, more overload; never less than what is surely too much. */
static void test_overload_is_monotone(void **unused) {
    (void)unused;
    uint64_t before = 0;
    for (int64_t mean = 0; mean < 3000; mean++) {
        uint64_t over = pack_overload(mean, 90000, 1000);
        assert_true(over >= before);
        assert_true(mean <= 1000 || over >= (uint64_t)(mean - 1000) << PACK_OVERLOAD_BITS);
        before = over;
    }
    before = 0;
    for (uint64_t sigma = 0; sigma < 3000; sigma++) {
        uint64_t over = pack_overload(700, sigma * sigma, 1000);
        assert_true(over + 4 >= before); /* roots are cut at 32 bits */
        before = over;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bins_hours_and_switches),
        cmocka_unit_test(test_what_has_no_end),
        cmocka_unit_test(test_times_of_items),
        cmocka_unit_test(test_transitions_count_patience_fold),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_media_engines_exist_once),
        cmocka_unit_test(test_n_sigma_to_the_unit),
        cmocka_unit_test(test_expected_overload),
        cmocka_unit_test(test_sums_stop_at_the_end_of_numbers),
        cmocka_unit_test(test_overload_is_monotone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
