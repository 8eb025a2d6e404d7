/* The count of instructions: what each piece of a policy text is charged, and that every way to run a
 * piece again is charged. The numbers hold with each Lua. */
#include "lua/front/lua_charge.h"
#include "lua/state/lua_host.h"
#include "unit/lua_fixture.h"

/* Instructions of one call of the hook, without what the loop around the hook is charged. */
static uint64_t cost_of(const char *body) {
    char text[2048];
    static struct fake fake;
    struct loaded l;
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t row = 1;
    double out;
    snprintf(text, sizeof text,
             "local function twice(x) return 2 * x end\n"
             "return { api = 1, score = function(job, node)\nlocal n, t = 5, {}\n%s\nend }",
             body);
    load(&l, text);
    assert_int_equal(l.rc, LSCHED_OK);
    ((struct lua_host *)l.policy.self)->is_lifting_off = 1;
    fake_begin(&fake);
    l.policy.ops->cycle_begin(l.policy.self);
    assert_int_equal(l.policy.ops->score(l.policy.self, &fake.view, row, &row, 1, &out, &err),
                     LSCHED_OK);
    uint64_t spent = l.policy.ops->instructions_spent(l.policy.self);
    unload(&l);
    return spent;
}

static void pieces_are_charged_when_they_begin(void **unused) {
    (void)unused;
    static const struct {
        const char *body;
        uint64_t more; /* than `return n` */
    } cases[] = {
        {"return n", 0},
        {"return n + 1", 1},
        {"return n + 1 * n", 2},
        {"if n == 6 then return n end return 1", 1 + 1 + 1},
        {"if n == 6 then if n == 7 then return 2 * n end end return 1", 2 * 2 + 2},
        {"if n == 6 then return n * n * n * n * n * n * n * n * n * n * n * n end return 1", 2},
        {"if n == 5 then return n * n * n * n * n * n * n * n * n * n * n * n end return 1",
         2 + 1 + 1 + 11},
        {"for i = 1, 10 do end return n", 1 + 10},
        {"for i = 1, 10 do n = n + i end return n", 1 + 10 * 3},
        {"while n > 0 do n = n - 1 end return n", 1 + 1 + 5 * 4},
        {"for i = 1, 10 do while n < 0 do end end return n", 1 + 10 * (1 + 1 + 1)},
        {"repeat n = n - 1 until n == 0 return n", 1 + 5 * 4},
        {"do n = n + 1 end return n", 2},
        {"t.a = 1 return n", 2},
        {"return twice(n)", 1 + 2 + 1 + 1 + 1},
        {"return math.abs(n)", 1 + 1 + 8},
    };
    uint64_t least = cost_of(cases[0].body);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t got = cost_of(cases[i].body) - least;
        if (got != cases[i].more)
            fail_msg("%s: %llu, not %llu", cases[i].body, (unsigned long long)got,
                     (unsigned long long)cases[i].more);
    }
}

/* Whatever runs again without end is ended. */
static void what_runs_again_is_charged(void **unused) {
    (void)unused;
    static const char *const loops[] = {
        "while true do end",
        "repeat until false",
        "for i = 1, math.huge do end",
        "for i = 1, 0, 0 do end while 1 do do end end",
        "local f f = function() return f() end f()",
        "local function a(g) return g(g) end a(a)",
        "while true do if false then else end end",
        "local function f() for _, x in ipairs({ 1 }) do return f() end end f()",
        "repeat local z = 1 until z == 2",
#if !defined(LSCHED_LUA_PUC)
        "::again:: goto again",
        "::again:: do do goto again end end",
        "::a:: if true then goto b end ::b:: goto a",
#endif
    };
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        char text[1024];
        struct loaded l;
        snprintf(text, sizeof text, "%s return { api = 1 }", loops[i]);
        load_with(&l, text, NULL);
        if (l.rc != LSCHED_E_BUDGET) fail_msg("%s: %s", loops[i], l.err.message);
        unload(&l);
    }
}

static void reserved_names_are_refused(void **unused) {
    (void)unused;
    struct loaded l;
    load_with(&l, "local __lsched_meter = { 1e9 } return { api = 1 }", NULL);
    assert_int_equal(l.rc, LSCHED_E_SYNTAX);
    assert_string_equal(l.err.message,
                        "p.lua:1:7: names that begin with __lsched belong to the library");
    unload(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_charged_when_they_begin),
        cmocka_unit_test(what_runs_again_is_charged),
        cmocka_unit_test(reserved_names_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
