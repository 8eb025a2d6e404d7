/* Decayed use: exact against a sum of steps done one by one, the same however often it was asked,
 * half after a half-life, gone with the window, and nothing at all while it is off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/check/check.h"
#include "model/queues/usage_decay.h"
#include "model/image/image.h"
#include "model/queues/queue.h"
#include "property/chance.h"
#include "support/model_world.h"

#define S INT64_C(1000000)

static struct model_world world;
static uint32_t org, leaf;

static int open_world(void **unused) {
    (void)unused;
    uint32_t row;
    return world_open(&world, NULL) || world_topology(&world) ||
           world_node(&world, "n1", 64000, 8, 0, "r1", &row) ||
           world_queue(&world, "org", NO_ROW, &org) || world_queue(&world, "a", org, &leaf);
}

static int close_world(void **unused) {
    (void)unused;
    world_close(&world);
    return 0;
}

static void configure(int64_t half_life, int64_t window) {
    assert_int_equal(undo_begin(&world.k), LSCHED_OK);
    assert_int_equal(usage_decay_configure(&world.k, half_life, window), LSCHED_OK);
    undo_end(&world.k);
}

static void set_now(int64_t at) {
    assert_int_equal(undo_begin(&world.k), LSCHED_OK);
    set_meta(&world.k, M_NOW, (uint64_t)at);
    undo_end(&world.k);
}

/* As placing and releasing do, without the tasks: the test looks at sums only. */
static void use(int64_t amount) {
    struct columns *k = &world.k;
    assert_int_equal(undo_begin(k), LSCHED_OK);
    if (usage_decay_is_on(k)) usage_decay_settle(k, leaf);
    for (uint32_t q = leaf; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q])
        set_i64(k, C_QUEUE_USED + LSCHED_GPU, q, amount);
    undo_end(k);
}

/* ---- a reference: every step, one after the other ---- */

struct reference {
    wide_u128 sum;
    int64_t at, used, half_life, window;
};

static wide_u128 step_down(wide_u128 v) { /* times 2^(-1/64) in 64 bits, rounded down */
    const uint64_t factor = UINT64_C(18248035989933441396);
    uint64_t lo = (uint64_t)v, hi = (uint64_t)(v >> 64);
    return (wide_u128)hi * factor + ((wide_u128)lo * factor >> 64);
}

static void reference_to(struct reference *r, int64_t to) {
    int64_t step = r->half_life / 64;
    while (r->at < to) {
        int64_t next = to;
        if (step && (r->at / step + 1) * step < next) next = (r->at / step + 1) * step;
        if (r->window && (r->at / r->window + 1) * r->window < next)
            next = (r->at / r->window + 1) * r->window;
        r->sum += (wide_u128)(uint64_t)r->used * (uint64_t)(next - r->at);
        r->at = next;
        if (step && r->at % step == 0) r->sum = step_down(r->sum);
        if (r->window && r->at % r->window == 0) r->sum = 0;
    }
}

static void equals_every_step_done(struct chance *c, int64_t half_life, int64_t window) {
    configure(half_life, window);
    struct reference r = {0, (int64_t)meta(&world.k, M_NOW), 0, half_life, window};
    r.used = world.k.c[C_QUEUE_USED + LSCHED_GPU].i64[leaf];
    for (int i = 0; i < 60; i++) {
        int64_t at = r.at + (int64_t)chance_below(c, chance_below(c, 4) ? 3 * S : 200 * S);
        reference_to(&r, at);
        if (chance_below(c, 3))
            assert_true(usage_decay_spent(&world.k, leaf, LSCHED_GPU, at) == r.sum);
        if (chance_below(c, 2)) continue;
        set_now(at);
        r.used = (int64_t)chance_below(c, 9) * 1000;
        use(r.used);
        assert_true(usage_decay_spent(&world.k, org, LSCHED_GPU, at) == r.sum);
    }
    configure(0, 0);
}

static void sums_are_those_of_every_step(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct chance c = {seed};
        int64_t half_life = chance_below(&c, 3) ? 64 * (1 + (int64_t)chance_below(&c, 2 * S)) : 0;
        int64_t window =
            chance_below(&c, 2) || !half_life ? S + (int64_t)chance_below(&c, 100 * S) : 0;
        print_message("seed %llu: half-life %lld, window %lld\n", (unsigned long long)seed,
                      (long long)half_life, (long long)window);
        equals_every_step_done(&c, half_life, window);
    }
}

/* Settled a thousand times or never: the same to the last bit. */
static void asking_changes_nothing(void **unused) {
    (void)unused;
    configure(3600 * S, 0);
    use(5000);
    int64_t begin = (int64_t)meta(&world.k, M_NOW), end = begin + 50000 * S + 17;
    wide_u128 at_once = usage_decay_spent(&world.k, leaf, LSCHED_GPU, end);
    for (int64_t at = begin; at < end; at += 49 * S + 13) {
        set_now(at);
        assert_int_equal(undo_begin(&world.k), LSCHED_OK);
        usage_decay_settle(&world.k, leaf);
        usage_decay_settle_capacity(&world.k);
        undo_end(&world.k);
    }
    assert_true(usage_decay_spent(&world.k, leaf, LSCHED_GPU, end) == at_once);
    lsched_error err = LSCHED_ERROR_INIT;
    assert_int_equal(columns_check(&(struct check){&world.k, &err, LSCHED_E_VERIFY}), LSCHED_OK);
}

static void it_halves_in_a_half_life(void **unused) {
    (void)unused;
    int64_t half_life = 86400 * S;
    configure(half_life, 0);
    int64_t now = 64 * half_life;
    set_now(now);
    use(8000);
    set_now(now + half_life / 64);
    use(0);
    wide_u128 first = usage_decay_spent(&world.k, leaf, LSCHED_GPU, now + half_life / 64);
    for (int64_t n = 1; n <= 30; n++) {
        wide_u128 later =
            usage_decay_spent(&world.k, leaf, LSCHED_GPU, now + half_life / 64 + n * half_life);
        wide_u128 expected = first >> n,
                  off = later > expected ? later - expected : expected - later;
        assert_true(off <= 200); /* roundings, of sums of 2^43 */
    }
    assert_true(usage_decay_spent(&world.k, leaf, LSCHED_GPU, now + 200 * half_life) == 0);
}

/* What was used so far has decayed by the old setting; the new one begins now. */
static void another_half_life_begins_now(void **unused) {
    (void)unused;
    int64_t half_life = 6400 * S, now = 64 * half_life;
    for (uint32_t faster = 0; faster < 2; faster++) {
        configure(0, 0);
        configure(half_life, 0);
        set_now(now);
        use(8000);
        set_now(now += half_life);
        use(0);
        set_now(now += 3 * half_life);
        wide_u128 before = usage_decay_spent(&world.k, leaf, LSCHED_GPU, now);
        wide_u128 above = usage_decay_spent(&world.k, org, LSCHED_GPU, now);
        configure(faster ? half_life / 10 : half_life * 10, 0);
        assert_true(before > 0 && usage_decay_spent(&world.k, leaf, LSCHED_GPU, now) == before);
        assert_true(usage_decay_spent(&world.k, org, LSCHED_GPU, now) == above);
        set_now(now += 10 * half_life); /* one of the slower, a hundred of the faster */
        wide_u128 after = usage_decay_spent(&world.k, leaf, LSCHED_GPU, now);
        uint64_t tenths = (uint64_t)(after * 1000 / before);
        assert_in_range(tenths, faster ? 0 : 490, faster ? 1 : 510);
    }
}

static void a_steady_user_has_its_part(void **unused) {
    (void)unused;
    configure(600 * S, 0);
    use(2000); /* of 8,000 */
    int64_t at = (int64_t)meta(&world.k, M_NOW) + 100000 * S;
    int64_t ppm = usage_decay_ppm(usage_decay_spent(&world.k, leaf, LSCHED_GPU, at),
                                  usage_decay_capacity(&world.k, LSCHED_GPU, at));
    assert_in_range(ppm, 249999, 250000);
    use(0);
    configure(0, 0);
    assert_true(usage_decay_spent(&world.k, leaf, LSCHED_GPU, at) == 0);
    assert_int_equal(usage_decay_ppm(0, 0), 0);
    assert_true(usage_decay_ppm((wide_u128)1 << 120, (wide_u128)1 << 119) == 2000000);
}

/* Off is off: not a word, whatever happens; and turning it off leaves no trace. */
static void off_costs_nothing(void **unused) {
    (void)unused;
    uint64_t before = image_hash(&world.k);
    configure(600 * S, 3600 * S);
    use(3000);
    set_now((int64_t)meta(&world.k, M_NOW) + 900 * S);
    use(0);
    set_now((int64_t)meta(&world.k, M_NOW) - 900 * S);
    assert_true(image_hash(&world.k) != before);
    configure(0, 0);
    assert_true(image_hash(&world.k) == before);
}

static void what_is_not_a_time_is_refused(void **unused) {
    (void)unused;
    assert_int_equal(usage_decay_configure(&world.k, -1, 0), LSCHED_E_RANGE);
    assert_int_equal(usage_decay_configure(&world.k, 0, -1), LSCHED_E_RANGE);
    assert_int_equal(usage_decay_configure(&world.k, USAGE_DECAY_US_MAX + 1, 0), LSCHED_E_RANGE);
    configure(USAGE_DECAY_US_MAX, 0); /* the largest of everything does not overflow */
    use(LSCHED_AMOUNT_MAX);
    wide_u128 spent = usage_decay_spent(&world.k, leaf, LSCHED_GPU, LSCHED_AMOUNT_MAX);
    assert_true(spent >> 124 == 0 && spent >> 110 != 0);
    use(0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(sums_are_those_of_every_step),  TEST(asking_changes_nothing),
        TEST(it_halves_in_a_half_life),      TEST(another_half_life_begins_now),
        TEST(a_steady_user_has_its_part),    TEST(off_costs_nothing),
        TEST(what_is_not_a_time_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
