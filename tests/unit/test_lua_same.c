/* Elements that a hook cannot tell apart are asked about once: the answers, the failing element and what is charged are
 * those of asking about each. */
#include "lua_fixture.h"

enum { NODES = 200 };

/* A loop keeps it from being lifted. */
#define LOOP "local s = 0 for i = 1, 5 do s = s + i end "

static void kinds_get_their_own_answer(void **state) {
    (void)state;
    struct fake fake;
    struct loaded l;
    uint32_t rows[NODES], job = 3;
    double out[NODES];
    fake_begin(&fake);
    for (uint32_t i = 0; i < NODES; i++) {
        rows[i] = i;
        fake.numbers[i] = i * 7 % 5;
    }
    load(&l, "return { api = 1, score = function(job, node) " LOOP
             "return s * 1000 + node.gpu_free * 10 + node.tasks end }");
    assert_int_equal(l.policy.ops->score(l.policy.self, &fake.view, job, rows, NODES, out, &l.err),
                     LSCHED_OK);
    for (uint32_t i = 0; i < NODES; i++) assert_true(out[i] == 15000 + 11.0 * (double)(i * 7 % 5));
    unload(&l);
}

static void boolean_answers_too(void **state) {
    (void)state;
    struct fake fake;
    struct loaded l;
    uint32_t rows[NODES];
    uint8_t keep[NODES];
    fake_begin(&fake);
    for (uint32_t i = 0; i < NODES; i++) {
        rows[i] = i;
        fake.numbers[i] = i % 4;
    }
    load(&l,
         "return { api = 1, filter = function(job, node) " LOOP "return node.gpu_free >= 2 end }");
    assert_int_equal(l.policy.ops->filter(l.policy.self, &fake.view, 0, rows, NODES, keep, &l.err),
                     LSCHED_OK);
    for (uint32_t i = 0; i < NODES; i++) assert_int_equal(keep[i], i % 4 >= 2);
    unload(&l);
}

/* The seventh node is the first with a 6: it is named, though it is the third kind or so. */
static void the_first_that_fails_is_named(void **state) {
    (void)state;
    struct fake fake;
    struct loaded l;
    static char names[NODES][8];
    uint32_t rows[NODES];
    double out[NODES];
    fake_begin(&fake);
    for (uint32_t i = 0; i < NODES; i++) {
        rows[i] = i;
        snprintf(names[i], sizeof names[i], "n%u", i % 1000);
        fake.names[i] = names[i];
        fake.numbers[i] = i % 3;
    }
    fake.numbers[77] = fake.numbers[99] = 6;
    load(&l, "return { api = 1, score = function(job, node) " LOOP
             "if node.gpu_free == 6 then return 0/0 end return s end }");
    assert_int_equal(l.policy.ops->score(l.policy.self, &fake.view, 0, rows, NODES, out, &l.err),
                     LSCHED_E_POLICY);
    assert_int_equal(l.err.index, 77);
    assert_non_null(strstr(l.err.message, "on node 'n77'"));
    unload(&l);
}

static uint64_t spent_on(struct loaded *l, struct fake *fake, uint32_t kinds) {
    uint32_t rows[NODES];
    double out[NODES];
    for (uint32_t i = 0; i < NODES; i++) {
        rows[i] = i;
        fake->numbers[i] = i % kinds;
    }
    l->policy.ops->cycle_begin(l->policy.self);
    assert_int_equal(
        l->policy.ops->score(l->policy.self, &fake->view, 0, rows, NODES, out, &l->err), LSCHED_OK);
    return l->policy.ops->instructions_spent(l->policy.self);
}

static void all_are_charged(void **state) {
    (void)state;
    struct fake fake;
    struct loaded l;
    fake_begin(&fake);
    load(&l, "return { api = 1, score = function(job, node) " LOOP LOOP LOOP
             "return node.gpu_free end }");
    uint64_t few = spent_on(&l, &fake, 20), all = spent_on(&l, &fake, NODES);
    assert_in_range(few, all * 8 / 10, all * 12 / 10);
    unload(&l);
}

/* Names, labels and the like tell all nodes apart; then each is asked about. */
static void what_tells_apart_is_never_shared(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "return #node.name + node.gpu_free",
        "return (node.labels.a == 'x' and 1 or 0) + node.gpu_free"};
    static char names[NODES][24];
    for (int b = 0; b < 2; b++) {
        struct fake fake;
        struct loaded l;
        char text[300];
        uint32_t rows[NODES];
        double out[NODES];
        fake_begin(&fake);
        fake.label_key = "a";
        fake.label_value = "x";
        for (uint32_t i = 0; i < NODES; i++) {
            rows[i] = i;
            snprintf(names[i], sizeof names[i], "%0*d", (int)(1 + i % 9), 0);
            fake.names[i] = names[i];
            fake.numbers[i] = 1;
        }
        snprintf(text, sizeof text,
                 "return { api = 1, score = function(job, node) " LOOP "%s end }", bodies[b]);
        load(&l, text);
        assert_int_equal(
            l.policy.ops->score(l.policy.self, &fake.view, 0, rows, NODES, out, &l.err), LSCHED_OK);
        for (uint32_t i = 0; i < NODES; i++) assert_true(out[i] == (b == 0 ? 2.0 + i % 9 : 2.0));
        unload(&l);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_get_their_own_answer),       cmocka_unit_test(boolean_answers_too),
        cmocka_unit_test(the_first_that_fails_is_named),    cmocka_unit_test(all_are_charged),
        cmocka_unit_test(what_tells_apart_is_never_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
