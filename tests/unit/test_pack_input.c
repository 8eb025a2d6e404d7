/* Problems, options and plans that are none: each is refused with a message that names the element and says what was
 * expected, and nothing is left behind: no packer, no memory, and a packer that was asked wrongly goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/pack.h>

#include "support/fault_alloc.h"

#define MINUTE_US INT64_C(60000000)
enum { SLOTS = 4, ITEMS = 3, BINS = 3 };

/* Two nodes and a GPU; a service with a profile, a job that may wait, a MIG instance. */
struct host {
    lsched_pack_resource resources[2];
    int64_t capacity[2][2], profile[2][SLOTS], job[2], taken[2][2], bounds[SLOTS + 1];
    lsched_pack_class classes[2];
    lsched_pack_config configs[ITEMS][2];
    lsched_pack_item items[ITEMS];
    lsched_pack_reservation reservations[2];
    uint32_t now[2], allowed[2];
    lsched_pack_problem problem;
    lsched_pack_opts opts;
    struct fault_alloc fault;
    lsched_allocator hooks;
};

static void fill_configs(struct host *h) {
    for (uint32_t i = 0; i < ITEMS; i++) {
        h->items[i] =
            (lsched_pack_item){.size = sizeof *h->items, .configs = h->configs[i], .n_configs = 1};
        for (uint32_t c = 0; c < 2; c++)
            h->configs[i][c] = (lsched_pack_config){
                .size = sizeof **h->configs, .duration_us = 10 * MINUTE_US, .demand = h->job};
    }
    h->configs[0][0].n_slots = SLOTS;
    h->configs[0][0].demand = h->profile[0];
    h->configs[2][0].demand = NULL;
    h->configs[2][0].mig_profile = LSCHED_TEXT("3g.40gb");
    h->items[0].name = LSCHED_TEXT("web");
    h->items[1].name = LSCHED_TEXT("job");
    h->items[2].name = LSCHED_TEXT("part");
}

static void fill(struct host *h) {
    memset(h, 0, sizeof *h);
    for (uint32_t r = 0; r < 2; r++) {
        h->resources[r].size = sizeof *h->resources;
        h->job[r] = 30;
        for (uint32_t s = 0; s < SLOTS; s++) h->profile[r][s] = 10 * (s + 1);
        for (uint32_t c = 0; c < 2; c++) h->capacity[c][r] = 100;
    }
    h->resources[0].name = LSCHED_TEXT("cpu");
    h->resources[1].name = LSCHED_TEXT("memory");
    for (uint32_t s = 0; s <= SLOTS; s++) h->bounds[s] = s * 15 * MINUTE_US;
    for (uint32_t c = 0; c < 2; c++)
        h->classes[c] = (lsched_pack_class){.size = sizeof *h->classes,
                                            .count = 2 - c,
                                            .capacity = h->capacity[c],
                                            .open_price_micro = 1000000};
    h->classes[0].name = LSCHED_TEXT("node");
    h->classes[1].name = LSCHED_TEXT("gpu");
    h->classes[1].mig_table = LSCHED_TEXT("h100-80gb");
    fill_configs(h);
    for (uint32_t i = 0; i < 2; i++)
        h->reservations[i] = (lsched_pack_reservation){.size = sizeof *h->reservations,
                                                       .bin = 2 * i,
                                                       .from_us = 0,
                                                       .flags = LSCHED_PACK_RESERVATION_HAS_END,
                                                       .to_us = 20 * MINUTE_US,
                                                       .amount = h->taken[i]};
    h->problem = (lsched_pack_problem){.size = sizeof h->problem,
                                       .n_resources = 2,
                                       .resources = h->resources,
                                       .classes = h->classes,
                                       .items = h->items,
                                       .reservations = h->reservations,
                                       .n_classes = 2,
                                       .n_items = ITEMS,
                                       .n_reservations = 2,
                                       .n_slots = SLOTS,
                                       .slot_bounds = h->bounds};
    h->hooks = fault_hooks(&h->fault);
    lsched_init(&h->opts, sizeof h->opts);
    h->opts.allocator = &h->hooks;
}

struct mistake {
    const char *what;
    void (*make)(struct host *);
    int32_t code;
    const char *says[3]; /* all of it is in the message */
};

#define MISTAKE(name, ...)             \
    static void name(struct host *h) { \
        __VA_ARGS__;                   \
    }

/* what the task names */
MISTAKE(horizon_is_over, h->problem.now_us = 60 * MINUTE_US)
MISTAKE(no_slots, h->problem.n_slots = 0)
MISTAKE(too_large, h->job[0] = 101; h->capacity[1][0] = 90)
MISTAKE(profile_too_large, h->profile[1][2] = 1000)
MISTAKE(negative_demand, h->profile[1][2] = -5)
MISTAKE(negative_constant, h->job[0] = -1)
MISTAKE(demand_beyond, h->job[1] = INT64_MAX)
MISTAKE(negative_sigma, h->configs[1][0].sigma = h->taken[0]; h->taken[0][1] = -3)
MISTAKE(slots_out_of_order, h->bounds[2] = h->bounds[1])
MISTAKE(slots_backwards, h->bounds[3] = h->bounds[1] - 1)
MISTAKE(reservations_overlap, h->reservations[1].bin = 0; h->taken[0][0] = 60; h->taken[1][0] = 41)
MISTAKE(reservations_same_slices, h->reservations[0].bin = 2; h->reservations[0].mig_slices = 3;
        h->reservations[1].mig_slices = 6)
MISTAKE(reservation_too_large, h->taken[1][1] = 101)
/* elements */
MISTAKE(size_not_set, h->items[1].size = 0)
MISTAKE(problem_size, h->problem.size = 0)
MISTAKE(class_size, h->classes[1].size = 4096)
MISTAKE(no_classes, h->problem.n_classes = 0)
MISTAKE(many_resources, h->problem.n_resources = 9)
MISTAKE(one_bin_by_default, h->classes[0].count = 0; h->classes[0].on_now = 2)
MISTAKE(unlimited_first, h->classes[0].count = LSCHED_PACK_UNLIMITED)
MISTAKE(no_capacity, h->classes[1].capacity = NULL)
MISTAKE(negative_capacity, h->capacity[1][1] = -1)
MISTAKE(no_such_table, h->classes[1].mig_table = LSCHED_TEXT("h100-79gb"))
MISTAKE(more_on_than_are, h->classes[0].on_now = 3)
MISTAKE(negative_price, h->classes[0].open_price_micro = -1)
MISTAKE(hard_with_z, h->resources[1].z_milli = 3000)
MISTAKE(soft_z, h->resources[1].soft = 1; h->resources[1].z_milli = 10001)
MISTAKE(no_configs, h->items[1].n_configs = 0)
MISTAKE(no_time, h->configs[1][0].duration_us = 0)
MISTAKE(negative_time, h->configs[1][0].duration_us = -60)
MISTAKE(no_such_profile, h->configs[2][0].mig_profile = LSCHED_TEXT("3g.41gb"))
MISTAKE(profile_of_another_table, h->configs[2][0].mig_profile = LSCHED_TEXT("3g.20gb"))
MISTAKE(profile_past_the_end, h->configs[0][0].first_slot = 1)
MISTAKE(profile_without_demand, h->configs[0][0].demand = NULL)
MISTAKE(two_profiles_differ, h->items[0].n_configs = 2)
MISTAKE(late_before_ready, h->items[1].ready_us = 10; h->items[1].latest_us = 9;
        h->items[1].flags = LSCHED_PACK_ITEM_HAS_LATEST)
MISTAKE(latest_unread, h->items[1].latest_us = 9)
MISTAKE(deadline_unread, h->items[1].deadline_us = INT64_MAX)
MISTAKE(moved_at_unread, h->items[1].moved_at_us = INT64_MIN)
MISTAKE(end_unread, h->reservations[1].flags = 0)
MISTAKE(moved_beyond, h->items[1].flags = LSCHED_PACK_ITEM_HAS_MOVED_AT;
        h->items[1].moved_at_us = INT64_MAX)
MISTAKE(reservation_flag, h->reservations[1].flags = 6)
MISTAKE(is_over, h->problem.now_us = 20 * MINUTE_US;
        h->items[1].flags = LSCHED_PACK_ITEM_HAS_LATEST)
MISTAKE(unknown_flag, h->items[1].flags = 16)
MISTAKE(apart_is_2, h->items[1].apart = 2)
MISTAKE(many_tasks, h->items[1].tasks = 65537)
MISTAKE(negative_weight, h->items[1].weight = -1)
MISTAKE(negative_move, h->items[1].move_price_micro = -7)
MISTAKE(class_that_is_none, h->items[1].classes = h->allowed; h->items[1].n_classes = 1;
        h->allowed[0] = 2)
MISTAKE(class_twice, h->items[1].classes = h->allowed; h->items[1].n_classes = 2)
MISTAKE(in_no_bin, h->items[1].bins_now = h->now; h->now[0] = BINS)
MISTAKE(in_no_config, h->items[1].bins_now = h->now; h->items[1].config_now = 1)
MISTAKE(in_no_slice, h->items[1].bins_now = h->now; h->items[1].slice_now = 8)
MISTAKE(pinned_nowhere, h->items[1].flags = LSCHED_PACK_ITEM_PINNED)
MISTAKE(reservation_nowhere, h->reservations[1].bin = BINS)
MISTAKE(reservation_backwards, h->reservations[1].to_us = 0)
MISTAKE(reservation_negative, h->taken[1][0] = -1)
MISTAKE(slices_of_a_node, h->reservations[0].mig_slices = 1)
/* options */
MISTAKE(no_such_method, h->opts.method = 6)
MISTAKE(wide_beam, h->opts.beam = 5000)
MISTAKE(impatient, h->opts.patience_milli = 999)
MISTAKE(negative_dwell, h->opts.dwell_us = -1)
MISTAKE(all_for_bounds, h->opts.bound_percent = 91)
MISTAKE(half_an_allocator, h->hooks.free = NULL)

static const struct mistake mistakes[] = {
    {"horizon over",
     horizon_is_over,
     LSCHED_E_RANGE,
     {"the horizon is empty: the last slot ends at", "3600000000"}},
    {"no slots", no_slots, LSCHED_E_RANGE, {"item 'web'", "horizon is empty", "4 slots"}},
    {"too large", too_large, LSCHED_E_RANGE, {"item 'job'", "larger than any bin", "101 of 'cpu'"}},
    {"profile too large",
     profile_too_large,
     LSCHED_E_RANGE,
     {"item 'web'", "1000 of 'memory'", "100"}},
    {"negative demand", negative_demand, LSCHED_E_RANGE, {"item 'web'", "slot 2", "-5"}},
    {"negative constant", negative_constant, LSCHED_E_RANGE, {"item 'job'", "cpu", "-1"}},
    {"demand beyond 2^62", demand_beyond, LSCHED_E_RANGE, {"item 'job'", "memory", "2^62"}},
    {"negative sigma", negative_sigma, LSCHED_E_RANGE, {"item 'job'", "sigma of 'memory'", "-3"}},
    {"slots equal",
     slots_out_of_order,
     LSCHED_E_RANGE,
     {"slots are out of order", "slot 1", "900000000"}},
    {"slots backwards", slots_backwards, LSCHED_E_RANGE, {"slots are out of order", "slot 2"}},
    {"reservations",
     reservations_overlap,
     LSCHED_E_STATE,
     {"reservations 0 and 1", "overlap", "bin 0"}},
    {"slices twice",
     reservations_same_slices,
     LSCHED_E_STATE,
     {"reservation 1", "slices", "bin 2"}},
    {"reservation", reservation_too_large, LSCHED_E_RANGE, {"reservation 1", "101", "bin 2"}},
    {"size", size_not_set, LSCHED_E_SIZE, {"item 1", "was it set"}},
    {"problem size", problem_size, LSCHED_E_SIZE, {"problem", "was it set"}},
    {"class size", class_size, LSCHED_E_SIZE, {"class 1", "4096"}},
    {"no classes", no_classes, LSCHED_E_RANGE, {"problem", "0 classes"}},
    {"resources", many_resources, LSCHED_E_RANGE, {"problem", "9 resources", "at most 8"}},
    {"one bin", one_bin_by_default, LSCHED_E_RANGE, {"class 'node'", "on_now is 2", "1 bins"}},
    {"unlimited",
     unlimited_first,
     LSCHED_E_INVAL,
     {"class 'node'", "a class without a bound on its bins must be the last of the 2 classes"}},
    {"capacity", no_capacity, LSCHED_E_NULL, {"class 'gpu'", "capacity is NULL", "2 amounts"}},
    {"capacity < 0", negative_capacity, LSCHED_E_RANGE, {"class 'gpu'", "'memory' is -1"}},
    {"table", no_such_table, LSCHED_E_NOENT, {"class 'gpu'", "h100-79gb"}},
    {"on", more_on_than_are, LSCHED_E_RANGE, {"class 'node'", "on_now is 3", "2 bins"}},
    {"price", negative_price, LSCHED_E_RANGE, {"class 'node'", "open_price_micro is -1"}},
    {"z of hard", hard_with_z, LSCHED_E_INVAL, {"resource 'memory'", "hard"}},
    {"z", soft_z, LSCHED_E_RANGE, {"resource 'memory'", "10001"}},
    {"configs", no_configs, LSCHED_E_RANGE, {"item 'job'", "0 configs", "1 to 16"}},
    {"no time", no_time, LSCHED_E_RANGE, {"item 'job'", "duration_us is 0"}},
    {"time < 0", negative_time, LSCHED_E_RANGE, {"item 'job'", "duration_us is -60"}},
    {"MIG profile", no_such_profile, LSCHED_E_NOENT, {"item 'part'", "3g.41gb"}},
    {"MIG table", profile_of_another_table, LSCHED_E_NOENT, {"item 'part'", "MIG table"}},
    {"profile end",
     profile_past_the_end,
     LSCHED_E_RANGE,
     {"item 'web'", "slots 1 to 4", "below 4"}},
    {"profile of nothing",
     profile_without_demand,
     LSCHED_E_NULL,
     {"item 'web'", "has a profile over 4 slots, but its demand is NULL"}},
    {"profiles", two_profiles_differ, LSCHED_E_INVAL, {"item 'web'", "config 1"}},
    {"latest", late_before_ready, LSCHED_E_RANGE, {"item 'job'", "latest_us (9)", "ready_us (10)"}},
    {"latest without its flag",
     latest_unread,
     LSCHED_E_INVAL,
     {"item 'job'", "latest_us is 9", "set LSCHED_PACK_ITEM_HAS_LATEST in flags"}},
    {"deadline without its flag",
     deadline_unread,
     LSCHED_E_INVAL,
     {"item 'job'", "deadline_us is 9223372036854775807", "LSCHED_PACK_ITEM_HAS_DEADLINE"}},
    {"move without its flag",
     moved_at_unread,
     LSCHED_E_INVAL,
     {"item 'job'", "moved_at_us is -9223372036854775808", "LSCHED_PACK_ITEM_HAS_MOVED_AT"}},
    {"end without its flag",
     end_unread,
     LSCHED_E_INVAL,
     {"reservation 1", "to_us is 1200000000", "LSCHED_PACK_RESERVATION_HAS_END"}},
    {"moved beyond",
     moved_beyond,
     LSCHED_E_RANGE,
     {"item 'job'", "moved_at_us is 9223372036854775807"}},
    {"reservation's flag", reservation_flag, LSCHED_E_INVAL, {"reservation 1", "0x6"}},
    {"over", is_over, LSCHED_E_RANGE, {"item 'job'", "over", "1200000000"}},
    {"flag", unknown_flag, LSCHED_E_INVAL, {"item 'job'", "0x10"}},
    {"apart", apart_is_2, LSCHED_E_INVAL, {"item 'job'", "apart is 2"}},
    {"tasks", many_tasks, LSCHED_E_LIMIT, {"item 'job'", "65537 tasks", "65536"}},
    {"weight", negative_weight, LSCHED_E_RANGE, {"item 'job'", "weight is -1"}},
    {"move", negative_move, LSCHED_E_RANGE, {"item 'job'", "move_price_micro is -7"}},
    {"class", class_that_is_none, LSCHED_E_NOENT, {"item 'job'", "class 2", "below 2"}},
    {"class twice", class_twice, LSCHED_E_INVAL, {"item 'job'", "ascend"}},
    {"bin now", in_no_bin, LSCHED_E_NOENT, {"item 'job'", "bin 3", "below 3"}},
    {"config now", in_no_config, LSCHED_E_RANGE, {"item 'job'", "config_now is 1"}},
    {"slice now", in_no_slice, LSCHED_E_RANGE, {"item 'job'", "slice_now is 8"}},
    {"pinned", pinned_nowhere, LSCHED_E_INVAL, {"item 'job'", "bins_now"}},
    {"reservation's bin",
     reservation_nowhere,
     LSCHED_E_NOENT,
     {"reservation 1", "bin 3", "below 3"}},
    {"reservation's time",
     reservation_backwards,
     LSCHED_E_RANGE,
     {"reservation 1", "its end (0) is not after its beginning"}},
    {"reservation < 0", reservation_negative, LSCHED_E_RANGE, {"reservation 1", "'cpu' is -1"}},
    {"slices", slices_of_a_node, LSCHED_E_RANGE, {"reservation 0", "MIG slices", "bin 0"}},
    {"method", no_such_method, LSCHED_E_INVAL, {"options", "method is 6"}},
    {"beam", wide_beam, LSCHED_E_RANGE, {"options", "5000"}},
    {"patience", impatient, LSCHED_E_RANGE, {"options", "999"}},
    {"dwell", negative_dwell, LSCHED_E_RANGE, {"options", "dwell_us is -1"}},
    {"bounds", all_for_bounds, LSCHED_E_RANGE, {"options", "bound_percent is 91"}},
    {"allocator", half_an_allocator, LSCHED_E_NULL, {"allocator"}},
};

static void test_each_mistake_is_named(void **unused) {
    (void)unused;
    static struct host h;
    uint32_t wrong = 0;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        const struct mistake *m = &mistakes[i];
        lsched_error err = LSCHED_ERROR_INIT, other = LSCHED_ERROR_INIT;
        lsched_packer *packer = (lsched_packer *)&h;
        uint64_t bytes = 7;
        fill(&h);
        m->make(&h);
        int32_t rc = lsched_packer_create(&h.problem, &h.opts, &packer, &err);
        int bad = rc != m->code || err.code != rc;
        for (int k = 0; k < 3; k++) bad |= m->says[k] && !strstr(err.message, m->says[k]);
        /* asking for the memory says the same */
        bad |= lsched_pack_memory(&h.problem, &h.opts, &bytes, &other) != rc ||
               strcmp(err.message, other.message) != 0;
        bad |= packer != NULL || h.fault.live_blocks != 0 || h.fault.wrong_sizes != 0;
        if (bad) print_error("%s: %d '%s'\n", m->what, rc, err.message);
        if (rc == 0) lsched_packer_destroy(packer);
        wrong += (uint32_t)bad;
    }
    assert_int_equal(wrong, 0);
}

static lsched_packer *create(struct host *h) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_packer *packer = NULL;
    fill(h);
    if (lsched_packer_create(&h->problem, &h->opts, &packer, &err) != 0)
        fail_msg("%s", err.message);
    return packer;
}

static void expect(int64_t rc, int32_t code, const lsched_error *err, const char *says) {
    if (rc != code || !strstr(err->message, says))
        fail_msg("%lld: %s", (long long)rc, err->message);
}

static void test_nothing_and_small_things(void **unused) {
    (void)unused;
    static struct host h;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_pack_info info = {.size = 0};
    lsched_packer *packer = create(&h), *other = NULL;
    lsched_pack_problem *problem = &h.problem;
    expect(lsched_packer_create(NULL, &h.opts, &other, &err), LSCHED_E_NULL, &err, "problem");
    expect(lsched_packer_create(problem, &h.opts, NULL, &err), LSCHED_E_NULL, &err, "packer");
    expect(lsched_pack_memory(problem, &h.opts, NULL, &err), LSCHED_E_NULL, &err, "bytes");
    expect(lsched_packer_run(NULL, 1, &err), LSCHED_E_NULL, &err, "packer");
    expect(lsched_packer_get(packer, NULL, &err), LSCHED_E_NULL, &err, "info");
    expect(lsched_packer_get(packer, &info, &err), LSCHED_E_SIZE, &err, "size is 0");
    expect(lsched_packer_places(packer, NULL, 3, &err), LSCHED_E_NULL, &err, "places");
    expect(lsched_packer_start_from(packer, NULL, 3, &err), LSCHED_E_NULL, &err, "places");
    expect(lsched_pack_check(problem, &h.opts, NULL, 3, NULL, &err), LSCHED_E_NULL, &err, "places");
    assert_int_equal(lsched_packer_places(packer, NULL, 0, &err), 0); /* no plan before a run */
    lsched_packer_interrupt(NULL);
    lsched_packer_destroy(NULL);
    lsched_init(NULL, 8);
    /* a message is not obligatory, nor is an allocator, nor are options */
    assert_int_equal(lsched_packer_run(NULL, 1, NULL), LSCHED_E_NULL);
    assert_int_equal(lsched_packer_create(problem, NULL, &other, NULL), 0);
    lsched_packer_destroy(other);
    lsched_packer_destroy(packer);
    assert_int_equal(h.fault.live_blocks, 0);
}

static void test_a_plan_to_start_from(void **unused) {
    (void)unused;
    static struct host h;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_pack_place good[ITEMS], bad[ITEMS];
    lsched_packer *packer = create(&h);
    assert_true(lsched_packer_run(packer, 1000, &err) >= 0);
    assert_int_equal(lsched_packer_places(packer, good, ITEMS, &err), ITEMS);
    expect(lsched_packer_start_from(packer, good, ITEMS, &err), LSCHED_E_STATE, &err,
           "has already run");
    lsched_packer_destroy(packer);

    packer = create(&h);
    expect(lsched_packer_start_from(packer, good, 2, &err), LSCHED_E_RANGE, &err,
           "each of 3 tasks");
    memcpy(bad, good, sizeof good);
    bad[1].item = 2;
    expect(lsched_packer_start_from(packer, bad, ITEMS, &err), LSCHED_E_INVAL, &err, "place 1");
    memcpy(bad, good, sizeof good);
    bad[2].bin = BINS;
    expect(lsched_packer_start_from(packer, bad, ITEMS, &err), LSCHED_E_RANGE, &err, "place 2");
    bad[2].bin = good[2].bin;
    bad[2].config = 1;
    expect(lsched_packer_start_from(packer, bad, ITEMS, &err), LSCHED_E_RANGE, &err, "config 1");
    assert_int_equal(lsched_packer_start_from(packer, good, ITEMS, &err), 0);
    assert_true(lsched_packer_run(packer, 1000, &err) >= 0);
    assert_int_equal(lsched_packer_places(packer, bad, ITEMS, &err), ITEMS);
    assert_memory_equal(bad, good, sizeof good);
    lsched_packer_destroy(packer);
}

/* What lsched_pack_check finds in a plan that was tampered with. */
static void test_plans_that_are_none(void **unused) {
    (void)unused;
    static struct host h;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_pack_place good[ITEMS], p[ITEMS];
    lsched_packer *packer = create(&h);
    assert_true(lsched_packer_run(packer, 1000, &err) >= 0);
    assert_int_equal(lsched_packer_places(packer, good, ITEMS, &err), ITEMS);
    assert_int_equal(lsched_pack_check(&h.problem, &h.opts, good, ITEMS, NULL, &err), 0);
    static const struct {
        size_t place, field;
        int64_t value;
        int is_wide;
        const char *says;
    } changes[] = {
        {0, offsetof(lsched_pack_place, start_us), 1, 1, "starts at 1"},
        {0, offsetof(lsched_pack_place, end_us), 5, 1, "its end is 5"},
        {1, offsetof(lsched_pack_place, start_us), -1, 1, "starts at -1"},
        {1, offsetof(lsched_pack_place, config), 1, 0, "config 1"},
        {1, offsetof(lsched_pack_place, bin), BINS, 0, "bin 3"},
        {1, offsetof(lsched_pack_place, task), 1, 0, "expected item 1, task 0"},
        {2, offsetof(lsched_pack_place, slice), 1, 0, "slice 1"},
        {2, offsetof(lsched_pack_place, bin), 0, 0, "'3g.40gb'"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char *field = (char *)&p[changes[i].place] + changes[i].field;
        uint32_t narrow = (uint32_t)changes[i].value;
        memcpy(p, good, sizeof good);
        if (changes[i].is_wide)
            memcpy(field, &changes[i].value, sizeof changes[i].value);
        else
            memcpy(field, &narrow, sizeof narrow);
        int32_t rc = lsched_pack_check(&h.problem, &h.opts, p, ITEMS, NULL, &err);
        expect(rc, LSCHED_E_STATE, &err, changes[i].says);
        assert_int_equal(err.index, (int64_t)changes[i].place);
    }
    expect(lsched_pack_check(&h.problem, &h.opts, good, 2, NULL, &err), LSCHED_E_STATE, &err,
           "3 tasks");
    lsched_packer_destroy(packer);
    assert_int_equal(h.fault.live_blocks, 0);
}

/* Names of the maximal length are shortened in their middle, so that the end of the message stays. */
static void test_long_names_leave_the_end(void **unused) {
    static struct host h;
    static char name[LSCHED_NAME_BYTES_MAX + 1];
    static const char *const parts[] = {
        "zz-17' is -1; expected 0 to 2^62", "zz-17'; take one of lsched_mig_tables_at",
        "there is no MIG table with a profile 'yyyyyyyyyyyyyyyy", "zz-17': "};
    (void)unused;
    memset(name, 'y', sizeof name - 1);
    memset(name + sizeof name / 2, 'z', sizeof name / 2 - 4);
    memcpy(name + sizeof name - 4, "-17", 4);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        lsched_error err = LSCHED_ERROR_INIT;
        lsched_packer *packer = NULL;
        fill(&h);
        if (i == 0) h.resources[1].name = lsched_cstr(name), h.capacity[0][1] = -1;
        if (i == 1) h.classes[1].mig_table = lsched_cstr(name);
        if (i == 2) h.configs[2][0].mig_profile = lsched_cstr(name);
        if (i == 3) h.items[1].name = lsched_cstr(name), h.items[1].n_configs = 0;
        assert_true(lsched_packer_create(&h.problem, &h.opts, &packer, &err) < 0);
        if (!strstr(err.message, parts[i])) fail_msg("%zu: %s", i, err.message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_mistake_is_named),
        cmocka_unit_test(test_long_names_leave_the_end),
        cmocka_unit_test(test_nothing_and_small_things),
        cmocka_unit_test(test_a_plan_to_start_from),
        cmocka_unit_test(test_plans_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
