/* Demand that follows the day, below the public calls: curves of steps, sums on nodes, and questions
 * about tasks that are not there or not there any more, against counting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "engine/verify/verify.h"
#include "model/jobs/releasing.h"
#include "model/shapes/daily_demand.h"
#include "model/nodes/node.h"
#include "model/nodes/node_count.h"
#include "model/devices/device_select.h"
#include "property/chance.h"
#include "support/model_world.h"

#define STEPS_MAX 12u

static struct model_world world;
static uint64_t seed_now;

/* ---- curves ---- */

struct step {
    int64_t from_us, amount;
};

static void put_steps(struct bytes *b, const struct step *s, uint32_t n) {
    lsched_text cpu = {"cpu", 3}, other = {"memory", 6};
    bytes_u32(b, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        bytes_text(b, cpu);
        bytes_i64(b, s[i].from_us);
        bytes_i64(b, s[i].amount);
        if (i > 0) continue;
        bytes_text(b, other);
        bytes_i64(b, s[i].from_us);
        bytes_i64(b, 12345);
    }
}

static int curve_of_steps(const struct step *s, uint32_t n, int64_t *cells) {
    struct alloc alloc;
    struct bytes b;
    alloc_init(&alloc, NULL, 0);
    bytes_init(&b, &alloc);
    put_steps(&b, s, n);
    assert_false(b.failed);
    int rc = daily_demand_curve((struct reader){b.p, b.p + b.n, 0}, (lsched_text){"cpu", 3}, cells);
    bytes_close(&b);
    return rc;
}

static int64_t value_at(const struct step *s, uint32_t n, int64_t at) {
    int64_t v = s[n - 1].amount;
    for (uint32_t i = 0; i < n; i++)
        if (s[i].from_us <= at) v = s[i].amount;
    return v;
}

/* Beginnings of quarters and of steps are the only times at which it changes. */
static int64_t most_in(const struct step *s, uint32_t n, uint32_t quarter) {
    int64_t begin = quarter * DAY_CELL_US, most = value_at(s, n, begin);
    for (uint32_t i = 0; i < n; i++) {
        if (s[i].from_us < begin || s[i].from_us >= begin + DAY_CELL_US) continue;
        if (s[i].amount > most) most = s[i].amount;
    }
    return most;
}

static void a_curve_has_the_most_of_each_quarter(void **unused) {
    (void)unused;
    uint64_t first = chance_seed(1);
    for (uint64_t seed = first; seed < first + chance_rounds(3000); seed++) {
        struct chance c = {seed};
        struct step s[STEPS_MAX];
        int64_t cells[DAY_CELLS], at = chance_below(&c, 3) ? chance_between(&c, 0, DAY_US / 4) : 0;
        uint32_t n = 0;
        for (uint32_t want = 1 + chance_below(&c, STEPS_MAX); n < want && at < DAY_US; n++) {
            s[n] = (struct step){at, chance_between(&c, 0, 9)};
            int64_t wide = chance_one_in(&c, 2) ? DAY_CELL_US : DAY_US / 8;
            at +=
                chance_one_in(&c, 4) ? DAY_CELL_US - at % DAY_CELL_US : chance_between(&c, 1, wide);
        }
        assert_int_equal(curve_of_steps(s, n, cells), 1);
        for (uint32_t q = 0; q < DAY_CELLS; q++) {
            if (cells[q] == most_in(s, n, q)) continue;
            print_error("seed %llu quarter %u of %u steps\n", (unsigned long long)seed, q, n);
            assert_int_equal(cells[q], most_in(s, n, q));
        }
    }
}

static void steps_that_cannot_be_are_found(void **unused) {
    (void)unused;
    int64_t cells[DAY_CELLS];
    const struct step late[] = {{0, 1}, {DAY_US, 1}}, before[] = {{-1, 1}},
                      twice[] = {{5, 1}, {5, 2}}, back[] = {{9, 1}, {8, 1}},
                      negative[] = {{0, 1}, {9, -1}}, good[] = {{DAY_US - 1, 7}};
    assert_int_equal(curve_of_steps(late, 2, cells), -1);
    assert_int_equal(curve_of_steps(before, 1, cells), -1);
    assert_int_equal(curve_of_steps(twice, 2, cells), -1);
    assert_int_equal(curve_of_steps(back, 2, cells), -1);
    assert_int_equal(curve_of_steps(negative, 2, cells), -1);
    assert_int_equal(curve_of_steps(good, 1, cells), 1);
    assert_int_equal(cells[0], 7);
}

/* ---- sums ---- */

enum { SHAPES = 4, TASKS = 6 };

struct day_case {
    uint32_t node, job[SHAPES], shape[SHAPES], task[SHAPES][TASKS], n[SHAPES];
};

static void check(int32_t rc) {
    if (rc == LSCHED_OK) return;
    print_error("seed %llu\n", (unsigned long long)seed_now);
    assert_int_equal(rc, LSCHED_OK);
}

static void expect_sound(void) {
    lsched_error err = LSCHED_ERROR_INIT;
    if (verify_state(&world.k, &err) == LSCHED_OK) return;
    print_error("seed %llu: %s\n", (unsigned long long)seed_now, err.message);
    fail();
}

/* A node, jobs by night, by day and constant; some of their tasks are there, some leave, some of these claim it again. */
static void open_case(struct day_case *d, struct chance *c) {
    struct columns *k = &world.k;
    uint32_t queue;
    memset(d, 0, sizeof *d);
    check(world_open(&world, NULL));
    check(world_queue(&world, "q", NO_ROW, &queue));
    check(world_node(&world, "n", chance_between(c, 2000, 20000), 0, 0, NULL, &d->node));
    for (uint32_t s = 0; s < SHAPES; s++) {
        static const char *const names[] = {"a", "b", "c", "d"};
        struct job_form f = {.name = names[s], .queue = queue, .n_groups = 1};
        int64_t cpu = chance_between(c, 500, 3000);
        f.groups[0] = (struct group_form){.max = TASKS, .min = 1, .cpu = cpu, .memory = 9};
        if (s) f.groups[0].daily = chance_one_in(c, 3) ? 1 : cpu; /* low by day, or high */
        check(world_job(&world, &f, &d->job[s]));
        check(world_admit(&world, d->job[s]));
        d->shape[s] = group_shape(k, k->c[C_JOB_SHAPE].u32[d->job[s]], 0);
        while (d->n[s] < TASKS - 1 && !chance_one_in(c, 3)) {
            if (world_propose(&world, d->job[s], 0, d->node, 1) != LSCHED_OK) break;
            check(world_start(&world, d->job[s], d->n[s]++));
        }
        for (uint32_t t = d->n[s]; t-- > 0 && chance_one_in(c, 3); d->n[s]--) {
            uint64_t serial = meta(k, M_GROUP_SERIAL) + 1;
            check(world_evict(&world, d->job[s], t, serial, LSCHED_FOR_CONSOLIDATE, NO_ROW));
            if (chance_one_in(c, 2)) /* it comes back, if there is room for it then */
                (void)world_nominate(&world, d->job[s], 0, d->node, t, serial);
        }
    }
    /* Claims on what leaves, where there is room for them then. */
    for (uint32_t s = 0; s < SHAPES; s++)
        if (chance_one_in(c, 2) && world_nominate(&world, d->job[s], 0, d->node, NO_ROW,
                                                  meta(k, M_GROUP_SERIAL) + 1) == LSCHED_OK)
            future_note(k, (int64_t)meta(k, M_NOW) + 60000000);
    expect_sound();
}

static uint32_t count_by_taking(struct day_case *d, uint32_t shape, int later) {
    struct columns *k = &world.k;
    uint32_t n = 0;
    check(undo_begin(k));
    size_t mark = undo_mark(k);
    check(daily_demand_reserve(k, d->node, shape));
    for (struct hold h = {0};
         later ? node_fits_later(k, d->node, shape) : node_fits(k, d->node, shape); n++) {
        check(undo_room(k));
        if (later)
            node_coming(k, d->node, shape, &h, -1, 1);
        else
            node_take(k, d->node, shape, &h);
    }
    undo_rollback(k, mark);
    undo_end(k);
    return n;
}

static void as_many_fit_as_can_be_taken(void **unused) {
    (void)unused;
    uint64_t first = chance_seed(1);
    uint32_t some = 0;
    for (seed_now = first; seed_now < first + chance_rounds(400); seed_now++) {
        struct chance c = {seed_now};
        struct day_case d;
        open_case(&d, &c);
        for (uint32_t s = 0; s < SHAPES; s++)
            for (int later = 0; later < 2; later++) {
                uint32_t n = count_by_taking(&d, d.shape[s], later), says = 0;
                check(node_count(&world.k, d.node, d.shape[s], later ? DEVICE_LATER : DEVICE_NOW,
                                 &says));
                if (says != n) print_error("seed %llu shape %u\n", (unsigned long long)seed_now, s);
                assert_int_equal(says, n);
                some += n > 0;
            }
        expect_sound();
        world_close(&world);
    }
    assert_true(some > 0);
}

/* A room from which tasks were taken out is that of the node when they are gone. */
static void rooms_are_what_is_there_afterwards(void **unused) {
    (void)unused;
    uint64_t first = chance_seed(1);
    for (seed_now = first; seed_now < first + chance_rounds(200); seed_now++) {
        struct chance c = {seed_now ^ 0x500e5};
        struct columns *k = &world.k;
        struct day_case d;
        struct daily_room now, then;
        open_case(&d, &c);
        daily_room_of(k, d.node, LSCHED_CPU, DEVICE_APART, &now);
        for (uint32_t s = 0; s < SHAPES; s++)
            for (uint32_t t = 0; t < d.n[s]; t++) {
                if (chance_one_in(&c, 2)) continue;
                daily_room_add(k, d.shape[s], LSCHED_CPU,
                               k->c[C_SHAPE_REQ + LSCHED_CPU].i64[d.shape[s]], 1, &now);
                check(world_release(&world, d.job[s], t, LSCHED_TASK_DONE));
            }
        daily_room_of(k, d.node, LSCHED_CPU, DEVICE_APART, &then);
        assert_int_equal(daily_room_left(&now), k->c[C_NODE_FREE + LSCHED_CPU].i64[d.node]);
        for (uint32_t s = 0; s < SHAPES; s++) {
            uint32_t cell = 0;
            int64_t fit = daily_room_count(k, d.shape[s], LSCHED_CPU, &now);
            assert_int_equal(fit, daily_room_count(k, d.shape[s], LSCHED_CPU, &then));
            if (s && daily_room_left(&now) >= 0) /* the constant one lacks nothing by the hour */
                assert_int_equal(daily_room_lack(k, d.shape[s], LSCHED_CPU, &now, &cell) == 0,
                                 fit > 0);
        }
        world_close(&world);
    }
}

/* The last one takes the rows along. */
static void nodes_without_such_work_keep_nothing(void **unused) {
    (void)unused;
    struct chance c = {seed_now = 7};
    struct day_case d;
    open_case(&d, &c);
    for (uint32_t s = 0; s < SHAPES; s++) {
        check(world_remove_job(&world, d.job[s]));
    }
    assert_int_equal(world.k.c[C_NODE_DAY].u32[d.node], 0);
    assert_int_equal(table_live(&world.k, T_DAY), 0);
    expect_sound();
    check(world_remove_node(&world, d.node));
    world_close(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_curve_has_the_most_of_each_quarter),
        cmocka_unit_test(steps_that_cannot_be_are_found),
        cmocka_unit_test(as_many_fit_as_can_be_taken),
        cmocka_unit_test(rooms_are_what_is_there_afterwards),
        cmocka_unit_test(nodes_without_such_work_keep_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
