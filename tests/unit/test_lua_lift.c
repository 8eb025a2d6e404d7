/* What of the language can be lifted, every reason why something cannot, where it points, and that Lua answers what a program
 * declines. That the answers are equal is the matter of test_lua_lift_random. */
#include <math.h>

#include "lua_fixture.h"

#include "lua/lift/lua_lift.h"

struct sample {
    const char *body; /* of score = function(job, node, now), from line 4 on */
    const char *reason;
    uint32_t line, column; /* 0: any */
};

static void load_score(struct loaded *l, const char *body) {
    static char text[8192];
    snprintf(text, sizeof text,
             "local K, T, NAME, floor = 3, { x = 2, deep = { y = 5 } }, 'good', math.floor\n"
             "local function double(a) return a * 2 end\n"
             "return { api = 1, params = { p = 4, on = true }, score = function(job, node, now)\n"
             "%s\nend }\n",
             body);
    load(l, text);
}

static const struct lifted *score_of(const struct loaded *l) {
    return &((const struct lua_host *)l->policy.self)->lifted[POLICY_HOOK_SCORE];
}

static const char *const bodies[] = {
    "return 1",
    "return node.gpu_free * params.p - node['cpu_free'] / K + T.x + T.deep.y",
    "local a = node.gpu_free if a > 2 then return a elseif a > 1 then a = a + 1 end return -a",
    "local a, b = 1, 2 a, b = b, a return a - b",
    "local x do local y = 2 x = y end return x",
    "local x if params.on then x = 1 else x = 'text' end return x",
    "local best if job.gpu > 1 then best = 1 else best = 2 end return best",
    "return job.interactive and 1 or 2",
    "return (job.name == NAME or node.labels.zone == 'a') and 1 or 0",
    "if not node.labels.spot and node.labels.zone ~= nil then return 1 end return 2",
    "return double(double(node.gpu)) + floor(now / 3600)",
    "local function sum(a, b) if a > b then return a end return b end return sum(node.gpu, 3)",
    "local f = math.max return f(node.gpu, 1, 2)",
    "return hour(now) + weekday(now, 2) + units.hour",
    "return decay.half_life(8, job.waiting, units.day) + usage.ratio(1, 2) * decay.rise(1, 2)",
    "return math.fmod(node.gpu, 3) + math.pow(2, node.gpu) % 5 + math.exp(0) * math.log(2)",
    "if true then return node.gpu end local t = {} return #t",
    "local name = job.name if name == 'x' then return 1 end return 2",
    "return (1 > 2) == (node.gpu < 1) and 1 or 2",
    "return job.name == 5 and 1 or 2",
};

static void plain_texts_are_lifted(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        struct loaded l;
        load_score(&l, bodies[i]);
        if (!score_of(&l)->is_lifted)
            fail_msg("'%s' is not lifted: %s", bodies[i], score_of(&l)->reason);
        assert_true(score_of(&l)->cost > 0);
        unload(&l);
    }
}

static const struct sample samples[] = {
    {"local s = 0 for i = 1, 3 do s = s + i end return s", "a loop", 4, 13},
    {"local s = 0 while s < 3 do s = s + 1 end return s", "a loop", 4, 13},
    {"local s = 0 repeat s = s + 1 until s > 3 return s", "a loop", 4, 13},
    {"for _, v in ipairs({ 1 }) do return v end return 1", "a loop", 4, 1},
    {"assert(true) return 1", "it calls a function for its effect, not for its value", 4, 1},
    {"return tonumber('1')", "'tonumber' cannot be lifted", 4, 8},
    {"return string.len(job.name)", "'string' cannot be lifted", 4, 8},
    {"return #job.name", "takes the length of a text", 4, 8},
    {"local s = 'a' .. 'b' return 1", "joins texts", 4, 15},
    {"local t = { 1 } return t[1]", "makes a table", 4, 11},
    {"return T[job.name] or 1", "it uses an index that is known only at run time", 4, 10},
    {"return node[job.interactive and 'gpu' or 'cpu']",
     "it uses an index that is known only at run time", 4, 0},
    {"return '1' + node.gpu", "calculates with a text", 4, 12},
    {"return -('1')", "negates a text", 4, 8},
    {"return (job.name < 'x') and 1 or 2", "orders a text", 4, 0},
    {"local x if node.gpu > 1 then x = 1 else x = 'a' end return x == 1 and 1 or 2",
     "a local whose type depends on a condition", 4, 0},
    {"local x = job.interactive and 1 return x and x + 1 or 1", "calculates with a number or false",
     4, 0},
    {"local t = node.labels.a or 'none' return t == 'none' and 1 or 2",
     "compares a value of several types with a text", 4, 0},
    {"local function f(x) return f(x) end if node.gpu < 0 then return f(1) end return 1",
     "a function that calls itself", 4, 0},
    {"local function f() return 1, 2 end return f()", "it returns several values", 4, 0},
    {"local function f() return 1, 2 end local a, b = f() return a + b",
     "it returns several values", 4, 0},
    {"local function f(...) return 1 end return f(2)", "a variable number of arguments", 4, 0},
    {"local function f() return function() return 1 end end return f()()",
     "a function that returns a function", 4, 0},
    {"return math.abs(job.name == 'x' and 1 or -1) + select('#', 1)", "'select' cannot be lifted",
     4, 0},
    {"return math.max(node.gpu, job.interactive and 1 or 2, hash('x'))", "'hash' cannot be lifted",
     4, 0},
    {"return calendar and 1 or 2", "'calendar' cannot be lifted", 4, 0},
#if !defined(LSCHED_LUA_PUC)
    {"goto done ::done:: return 1", "it contains a statement that cannot be lifted", 4, 1},
#endif
    {"return job.name == '\\65' and 1 or 2", "a text with escapes", 4, 0},
};

static void reasons_point_at_the_text(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        const struct sample *s = &samples[i];
        struct loaded l;
        load_score(&l, s->body);
        const struct lifted *x = score_of(&l);
        if (x->is_lifted) fail_msg("'%s' is lifted", s->body);
        if (!strstr(x->reason, s->reason))
            fail_msg("'%s': '%s' is not '%s'", s->body, x->reason, s->reason);
        if (x->reason_line != s->line || (s->column && x->reason_column != s->column))
            fail_msg("'%s': %u:%u", s->body, x->reason_line, x->reason_column);
        unload(&l);
    }
}

static const double odd[] = {0.0,       -0.0,   1,     -1,     0.5,    -0.5, 1.5,    2.5,      -2.5,
                             0x1p52,    0x1p53, 1e308, -1e308, 5e-324, 7,    -7,     INFINITY, NAN,
                             -INFINITY, 3,      0.1,   24,     -0.3,   1e15, 1e-300, 3600};
enum { ODD = sizeof odd / sizeof odd[0] };

/* Row i is a pair of them: price and power. */
static void fill_pairs(void *engine, enum policy_field field, const uint32_t *rows, size_t n,
                       union policy_value *out) {
    (void)engine;
    for (size_t i = 0; i < n; i++) {
        out[i] = (union policy_value){.number = 1};
        if (field == POLICY_F_NODE_PRICE) out[i].number = odd[rows[i] / ODD];
        if (field == POLICY_F_NODE_POWER) out[i].number = odd[rows[i] % ODD];
    }
}

/* Every operation on every pair, as this LuaJIT computes it. What is no finite result, and the sign of 0, is told by numbers. */
static void operations_are_luajit_s(void **state) {
    (void)state;
    static const char *const operations[] = {"a + b",
                                             "a - b",
                                             "a * b",
                                             "a / b",
                                             "a % b",
                                             "-a",
                                             "math.min(a, b)",
                                             "math.max(a, b)",
                                             "math.fmod(a, b)",
                                             "math.pow(a, b)",
                                             "math.floor(a)",
                                             "math.ceil(a)",
                                             "math.abs(a)",
                                             "math.sqrt(a)",
                                             "math.exp(a)",
                                             "math.log(a)",
                                             "a < b and 1 or 2",
                                             "a <= b and 1 or 2",
                                             "a == b and 1 or 2",
                                             "a ~= b and 1 or 2",
                                             "not (a < b) and 1 or 2",
                                             "not (a >= b) and 1 or 2",
                                             "math.min(a, b, 0, a)",
                                             "math.max(b, a, (-0), b)"};
    static double out[2][ODD * ODD];
    static uint32_t nodes[ODD * ODD];
    const struct policy_view view = {.now_s = 1, .fill = fill_pairs};
    for (uint32_t i = 0; i < ODD * ODD; i++) nodes[i] = i;
    for (size_t o = 0; o < sizeof operations / sizeof operations[0]; o++) {
        char body[512];
        struct loaded l;
        snprintf(body, sizeof body,
                 "local a, b = node.price, node.power local r = %s\n"
                 "if r ~= r then return 1e9 elseif r == math.huge then return 2e9\n"
                 "elseif r == -math.huge then return 3e9\n"
                 "elseif r == 0 then return 1 / r > 0 and 4e9 or 5e9 end return r",
                 operations[o]);
        load_score(&l, body);
        assert_true(score_of(&l)->is_lifted);
        struct lua_host *host = l.policy.self;
        for (uint32_t off = 0; off < 2; off++) {
            host->is_lifting_off = off;
            assert_int_equal(
                l.policy.ops->score(host, &view, 0, nodes, ODD * ODD, out[off], &l.err), LSCHED_OK);
        }
        for (uint32_t i = 0; i < ODD * ODD; i++)
            if (memcmp(&out[0][i], &out[1][i], sizeof out[0][0]) != 0)
                fail_msg("%s of %a and %a: %a, not %a", operations[o], odd[i / ODD], odd[i % ODD],
                         out[0][i], out[1][i]);
        unload(&l);
    }
}

/* Depth and size end in a reason, not in a crash. */
static void sizes_are_bounded(void **state) {
    (void)state;
    static char text[60000];
    struct loaded l;
    size_t n = (size_t)snprintf(text, sizeof text,
                                "return { api = 1, score = function(job, node)\n"
                                "local a = node.gpu\n");
    for (int i = 0; i < 1000; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "a = a * a + %d\n", i);
    snprintf(text + n, sizeof text - n, "return a > 1 and 1 or 0 end }\n");
    load(&l, text);
    assert_true(score_of(&l)->is_lifted);
    unload(&l);
    n = (size_t)snprintf(text, sizeof text, "local function f0(x) return x + 1 end\n");
    for (int i = 1; i < 15; i++)
        n +=
            (size_t)snprintf(text + n, sizeof text - n,
                             "local function f%d(x) return f%d(x) + f%d(x) end\n", i, i - 1, i - 1);
    snprintf(
        text + n, sizeof text - n,
        "return { api = 1, score = function(job, node) return node.gpu < 0 and f14(1) or 1 end }");
    load(&l, text);
    assert_false(score_of(&l)->is_lifted);
    assert_non_null(strstr(score_of(&l)->reason, "nested too deep"));
    unload(&l);
}

/* What Lua would answer with an error, Lua answers: same words, same element, lifted or not. */
static void errors_are_lua_s(void **state) {
    (void)state;
    struct loaded l;
    struct fake fake;
    uint32_t nodes[600], job = 1;
    double out[600];
    char first[sizeof l.err.message];
    fake_begin(&fake);
    load(&l, "return { api = 1, score = function(job, node)\n"
             "  return 1 / (node.cpu - 500)\nend }");
    struct lua_host *host = l.policy.self;
    assert_true(score_of(&l)->is_lifted);
    for (uint32_t i = 0; i < 600; i++) nodes[i] = i;
    for (uint32_t off = 0; off < 2; off++) {
        host->is_lifting_off = off;
        assert_int_equal(l.policy.ops->score(host, &fake.view, job, nodes, 600, out, &l.err),
                         LSCHED_E_POLICY);
        assert_int_equal(l.err.index, 500);
        if (off) assert_string_equal(first, l.err.message);
        memcpy(first, l.err.message, sizeof first);
    }
    host->is_lifting_off = 0;
    assert_int_equal(l.policy.ops->score(host, &fake.view, job, nodes, 500, out, &l.err),
                     LSCHED_OK);
    assert_true(out[499] == -1);
    unload(&l);
}

/* The charge is the same for every element on every machine; a budget that is too small says so. */
static void charges_are_fixed(void **state) {
    (void)state;
    struct loaded l;
    struct fake fake;
    uint32_t nodes[600], job = 1;
    double out[600];
    lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
    fake_begin(&fake);
    opts.instructions_per_cycle = 2000;
    load_with(&l, "return { api = 1, score = function(job, node) return node.gpu * 2 end }", &opts);
    assert_int_equal(l.rc, LSCHED_OK);
    struct lua_host *host = l.policy.self;
    uint32_t cost = score_of(&l)->cost;
    for (uint32_t i = 0; i < 600; i++) nodes[i] = i;
    l.policy.ops->cycle_begin(host);
    assert_int_equal(l.policy.ops->score(host, &fake.view, job, nodes, 600, out, &l.err), 0);
    assert_int_equal(l.policy.ops->instructions_spent(host), 600 * cost);
    int32_t rc = LSCHED_OK;
    for (int i = 0; i < 10 && rc == LSCHED_OK; i++)
        rc = l.policy.ops->score(host, &fake.view, job, nodes, 600, out, &l.err);
    assert_int_equal(rc, LSCHED_E_BUDGET);
    assert_non_null(strstr(l.err.message, "instructions"));
    unload(&l);
}

static void an_interrupt_ends_a_lifted_call(void **state) {
    (void)state;
    struct loaded l;
    struct fake fake;
    uint32_t nodes[600], job = 1;
    double out[600];
    fake_begin(&fake);
    load(&l, "return { api = 1, score = function(job, node) return node.gpu * 2 end }");
    for (uint32_t i = 0; i < 600; i++) nodes[i] = i;
    fake.interrupt_after = 2;
    assert_int_equal(l.policy.ops->score(l.policy.self, &fake.view, job, nodes, 600, out, &l.err),
                     LSCHED_E_INTERRUPTED);
    assert_int_equal(l.err.index, 256);
    unload(&l);
}

static void terms_are_told(void **state) {
    (void)state;
    struct loaded l;
    struct fake fake;
    lsched_policy_term t[8];
    fake_begin(&fake);
    load(&l, "return { api = 1, score = function(job, node)\n"
             "  if node.gpu > 5 then return node.gpu end\n"
             "  return 10 * node.gpu\n     - node.cpu / 2 + (node.price - 1)\nend }");
    assert_int_equal(l.policy.ops->terms(l.policy.self, &fake.view, POLICY_HOOK_SCORE, 1, 4, t, 8),
                     3);
    assert_string_equal(t[0].text, "10 * node.gpu");
    assert_true(t[0].value == 40 && t[1].value == -2 && t[2].value == 3);
    assert_string_equal(t[1].text, "- node.cpu / 2");
    assert_string_equal(t[2].text, "(node.price - 1)");
    assert_int_equal(t[1].line, 4);
    assert_int_equal(l.policy.ops->terms(l.policy.self, &fake.view, POLICY_HOOK_SCORE, 1, 9, t, 8),
                     1);
    assert_true(t[0].value == 9);
    unload(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_texts_are_lifted),
        cmocka_unit_test(reasons_point_at_the_text),
        cmocka_unit_test(operations_are_luajit_s),
        cmocka_unit_test(sizes_are_bounded),
        cmocka_unit_test(errors_are_lua_s),
        cmocka_unit_test(charges_are_fixed),
        cmocka_unit_test(an_interrupt_ends_a_lifted_call),
        cmocka_unit_test(terms_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
