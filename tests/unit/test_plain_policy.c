/* The reader of policies without LuaJIT against LuaJIT: where it reads a text, LuaJIT makes the same
 * settings, the same parameters and the same hash of the text; where LuaJIT refuses a text, the
 * reader refuses it, too. */
#include "embedded_text.h"
#include "lua/plain/plain_policy.h"
#include "unit/lua_fixture.h"

static struct alloc memory;

static int set_up(void **unused) {
    (void)unused;
    alloc_init(&memory, NULL, 0);
    return 0;
}

struct outcome {
    int32_t rc;
    struct policy policy;
    lsched_error err;
};

static struct outcome read_as(int plain, const char *text, const lsched_policy_opts *opts) {
    struct outcome out = {.err = LSCHED_ERROR_INIT};
    out.rc = (plain ? plain_policy_create : lua_policy_create)(&memory, "p.lua", text, strlen(text),
                                                               opts, &out.policy, &out.err);
    return out;
}

static void drop(struct outcome *out) {
    if (out->rc == LSCHED_OK) out->policy.ops->destroy(out->policy.self);
}

static void assert_params_equal(const struct policy *a, const struct policy *b) {
    uint32_t n, m;
    const lsched_param *p = a->ops->params(a->self, &n), *q = b->ops->params(b->self, &m);
    assert_int_equal(n, m);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(p[i].key.len, q[i].key.len);
        assert_memory_equal(p[i].key.ptr, q[i].key.ptr, (size_t)p[i].key.len);
        assert_int_equal(p[i].text.ptr != NULL, q[i].text.ptr != NULL);
        assert_int_equal(p[i].text.len, q[i].text.len);
        if (p[i].text.ptr) assert_memory_equal(p[i].text.ptr, q[i].text.ptr, (size_t)p[i].text.len);
        assert_memory_equal(&p[i].number, &q[i].number, sizeof p[i].number);
    }
}

/* Returns 1 if the reader read the text. */
static int compare(const char *text, const lsched_policy_opts *opts) {
    struct outcome lua = read_as(0, text, opts), plain = read_as(1, text, opts);
    if (lua.rc == LSCHED_E_NOLUA) skip();
    if (plain.rc == LSCHED_OK) {
        if (lua.rc != LSCHED_OK) fail_msg("only the plain reader takes: %s", text);
        assert_memory_equal(&lua.policy.desc, &plain.policy.desc, sizeof lua.policy.desc);
        assert_params_equal(&lua.policy, &plain.policy);
    } else if (lua.rc == LSCHED_OK) {
        if (plain.rc != LSCHED_E_NOLUA) fail_msg("%s: %s", plain.err.message, text);
        assert_non_null(strstr(plain.err.message, "LuaJIT"));
        assert_true(plain.err.line > 0);
    } else if (plain.rc != LSCHED_E_NOLUA) {
        assert_int_equal(plain.rc, lua.rc);
    }
    int read = plain.rc == LSCHED_OK;
    drop(&lua);
    drop(&plain);
    return read;
}

static void ready_made_policies_without_hooks(void **unused) {
    (void)unused;
    char known[512] = "";
    for (const struct embedded_text *e = embedded_policies; e->name; e++)
        if (compare(e->text, NULL)) strcat(strcat(known, e->name), " ");
    assert_string_equal(known, "best-fit binpack cohort drf fgd fifo first-fit "
                               "guaranteed-quota least-fragmentation least-peak plan-ahead "
                               "spread ");
}

static void options_replace_parameters(void **unused) {
    (void)unused;
    const char *text = "local week = 7 * 24 * 3600\n"
                       "return { api = 1, params = { half = 2, word = 'newest', on = true },\n"
                       "  fair_share = 'quota', usage = { half_life = week },\n"
                       "  eviction = function() return { victims = params.word,\n"
                       "    release_seconds = (params.half + 1) * 10.25, moves_max = -(-3) } end }";
    static const struct {
        lsched_param param;
        int32_t code;
    } rows[] = {
        {{{"half", 4}, {NULL, 0}, 7.5}, LSCHED_OK},
        {{{"half", 4}, {NULL, 0}, -2}, LSCHED_E_RANGE},
        {{{"half", 4}, {"7", 1}, 0}, LSCHED_E_TYPE},
        {{{"word", 4}, {"fewest", 6}, 0}, LSCHED_OK},
        {{{"word", 4}, {"oldest", 6}, 0}, LSCHED_E_KEY},
        {{{"on", 2}, {"false", 5}, 0}, LSCHED_OK},
        {{{"on", 2}, {"no", 2}, 0}, LSCHED_E_TYPE},
        {{{"haff", 4}, {NULL, 0}, 1}, LSCHED_E_KEY},
    };
    assert_true(compare(text, NULL));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
        opts.params = &rows[i].param, opts.n_params = 1;
        struct outcome plain = read_as(1, text, &opts);
        assert_int_equal(plain.rc, rows[i].code);
        drop(&plain);
        compare(text, &opts);
    }
}

/* Each text is read by both; `code` is what the plain reader answers. */
static const struct {
    int32_t code;
    const char *text;
} text_rows[] = {
    {LSCHED_OK, "return { api = 1 }"},
    {LSCHED_OK, "return ({ api = 0x1, order = nil, pipeline = { 'allocate', 'drain' } })"},
    {LSCHED_OK, "return { api = 2, api = 1, name = \"x\", params = { a = 1, a = nil } }"},
    {LSCHED_OK, "local t = { api = 1, params = { x = 1e22, y = .5, z = 5., e = 25E-2 } } return t"},
    {LSCHED_OK, "local function f() return {} end return { api = 1, usage = f }"},
    {LSCHED_OK, "return { api = 1, usage = { window = 1 / 4 + 0.75, weight = -0 } }"},
    {LSCHED_OK, "return { api = 1, params = { x = 1/0, x = 2 } }"},
    {LSCHED_OK, "return { api = 1, params = { x = -(1/0), y = 3, x = ('a') } }"},
    {LSCHED_OK, "return { api = 1, other = 1, other = nil }"},
    {LSCHED_OK, "return { api = 1, usage = { weigth = 1, weight = 0.5, weigth = nil } }"},
    {LSCHED_OK, "return { api = 1, order = 'a b', order = 'fifo', usage = nil }"},
    {LSCHED_OK, "return { api = 'x', api = 1, params = { a = 1, a = nil, a = true } }"},
    {LSCHED_E_RANGE, "return { api = 1, params = { x = 2, x = 1/0 } }"},
    {LSCHED_E_KEY, "return { api = 1, other = nil, other = 1 }"},
    {LSCHED_E_NOLUA, "return { api = 1, pipeline = { 'drain', x = 1 / 0 } }"},
    {LSCHED_E_NOLUA, "return { api = 1, pipeline = { x = 1 } }"},
    {LSCHED_E_NOLUA, "return { api = 1, pipeline = { 'drain', nil } }"},
    /* LuaJIT stores what it computes after all constants: x is the local, NaN, -0 and a table */
    {LSCHED_E_NOLUA, "local a = 3 return { api = 1, params = { x = a, x = 2 } }"},
    {LSCHED_E_NOLUA, "return { api = 1, params = { x = 0/0, x = 2 } }"},
    {LSCHED_E_NOLUA, "return { api = 1, params = { x = -0, x = 2 } }"},
    {LSCHED_E_NOLUA, "return { api = 1, params = { x = {}, x = 2 } }"},
    {LSCHED_E_NOLUA, "return { api = 1, usage = { weight = 1 }, usage = nil }"},
    {LSCHED_E_NOLUA, "return { api = 1, priority = function(job) return 1 end }"},
    {LSCHED_E_NOLUA, "return { api = 1, placement = function() return 'spread' end }"},
    {LSCHED_E_NOLUA, "local a = 1; if a then a = 2 end return { api = 1 }"},
    {LSCHED_E_NOLUA, "return { api = 1, params = { x = 5 % 3 } }"},
    {LSCHED_E_NOLUA, "return { api = 1, params = { x = math.huge } }"},
    {LSCHED_E_NOLUA, "return { api = 1, params = { x = 0.12345678901234567 } }"},
    {LSCHED_E_NOLUA, "return { api = 1, name = 'a\\65' }"},
    {LSCHED_E_NOLUA, "return { api = 1, params = { x = 864..00 } }"},
    {LSCHED_E_NOLUA, "local function f() return 8goto end return { api = 1 }"},
    {LSCHED_E_NOLUA, "local function f() break end return { api = 1 }"},
    {LSCHED_E_NOLUA, "return { api = 1, params = { t }, params = { x = 1 } }"},
    {LSCHED_E_NOLUA, "return { api = 1, order = 1 + {}, order = nil }"},
    {LSCHED_E_NOLUA, "return { ['api'] = 1 }"},
    {LSCHED_OK, "return { api = 1, contention = nil }"},
    {LSCHED_E_NOLUA, "return { api = 1, contention = { slowdown = { a = { a = 1.5 } } } }"},
    {LSCHED_E_NOLUA, "return { api = 1, contention = 7 }"},
    {LSCHED_OK, "return { api = 1, speeds = nil }"},
    {LSCHED_E_NOLUA, "return { api = 1, speeds = { speed = { a = { T4 = 1.5 } } } }"},
    {LSCHED_E_NOLUA, "local function f() return 'a\\q' end return { api = 1 }"},
    {LSCHED_E_NOLUA, "return { api = 1, params = { x = 1e } }"},
    {LSCHED_E_NOLUA, "return { api = 1, params = { x = 1e+ } }"},
    {LSCHED_E_NOLUA, "return { api = 1, params = { x = 1e2e3 } }"},
    {LSCHED_E_NOLUA, "return { api = 1, params = { x = 1e5.0 } }"},
    {LSCHED_E_NOLUA, "local x = units.day return { api = 1 }"},
    {LSCHED_E_NOLUA, "return setmetatable({ api = 1 }, {})"},
    {LSCHED_E_KEY, "return { api = 1, plcement = 'spread' }"},
    {LSCHED_E_KEY, "return { api = 1, eviction = { relase_seconds = 1 } }"},
    {LSCHED_E_KEY, "return { name = 'x' }"},
    {LSCHED_E_KEY, "return { api = 1, eviction = { victims = 'newst' } }"},
    {LSCHED_E_RANGE, "return { api = 1, eviction = { moves_max = 1.5 } }"},
    {LSCHED_E_RANGE, "return { api = 1, usage = { half_life = 0.001 } }"},
    {LSCHED_E_RANGE, "return { api = 1, params = { x = 1 / 0 } }"},
    {LSCHED_E_TYPE, "return { api = 1, pipeline = {} }"},
    {LSCHED_E_TYPE, "return { api = 1, pipeline = 'allocate' }"},
    {LSCHED_E_TYPE, "return { api = 1, name = 'a b' }"},
    {LSCHED_E_TYPE, "return { api = 1, params = { x = {} } }"},
    {LSCHED_E_TYPE, "return { api = '1' }"},
    {LSCHED_E_TYPE, "return { api = 1, eviction = function() return 3 end }"},
    {LSCHED_E_POLICY, "return { api = 1, eviction = { release_seconds = params.x } }"},
    {LSCHED_E_POLICY, "return { api = 1, usage = function() return { weight = params.x } end }"},
    {LSCHED_E_VERSION, "return { api = 2 }"},
    {LSCHED_E_UNSUPPORTED, "return { api = 1, lend_limit = 1 }"},
    {LSCHED_E_SYNTAX, "return { api = 1"},
};

static void texts(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof text_rows / sizeof text_rows[0]; i++) {
        struct outcome plain = read_as(1, text_rows[i].text, NULL);
        if (plain.rc != text_rows[i].code)
            fail_msg("%d (%s) and not %d: %s", plain.rc, plain.err.message, text_rows[i].code,
                     text_rows[i].text);
        drop(&plain);
        compare(text_rows[i].text, NULL);
    }
}

/* An expression that is evaluated without end, or that is nested too deeply, is not known. */
static void bounds(void **unused) {
    (void)unused;
    char text[8192];
    size_t n = (size_t)sprintf(text, "local a0 = 1\n");
    for (int i = 1; i < 40; i++)
        n += (size_t)sprintf(text + n, "local a%d = a%d + a%d\n", i, i - 1, i - 1);
    sprintf(text + n, "return { api = 1, params = { x = a39 } }");
    assert_false(compare(text, NULL));
    n = (size_t)sprintf(text, "return { api = 1, params = { x = ");
    for (int i = 0; i < 80; i++) n += (size_t)sprintf(text + n, "1 + ");
    sprintf(text + n, "1 } }");
    compare(text, NULL);
}

/* The ready-made texts with one byte changed, left out or put twice, 20 times each. */
static void changed_texts(void **unused) {
    (void)unused;
    uint64_t seed = 88172645463325252u;
    int read = 0;
    for (const struct embedded_text *e = embedded_policies; e->name; e++) {
        static char text[8192];
        static const char bytes[] = "0123456789.,{}()='\"-+*/ \nabcx";
        for (int trial = 0; trial < 20; trial++) {
            assert_true(e->len < sizeof text - 2);
            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            size_t at = seed % e->len, gap = seed >> 20 & 1;
            memcpy(text, e->text, at);
            text[at] = bytes[(seed >> 40) % (sizeof bytes - 1)];
            memcpy(text + at + gap, e->text + at + 1, e->len - at);
            read += compare(text, NULL);
        }
    }
    assert_true(read > 20);
}

static void out_of_memory(void **unused) {
    (void)unused;
    for (const struct embedded_text *e = embedded_policies; e->name; e++) {
        int32_t rc = LSCHED_E_NOMEM;
        for (uint64_t limit = 1; rc == LSCHED_E_NOMEM; limit += 4096) {
            struct alloc small;
            struct policy policy;
            lsched_error err = LSCHED_ERROR_INIT;
            alloc_init(&small, NULL, limit);
            rc = plain_policy_create(&small, e->name, e->text, e->len, NULL, &policy, &err);
            if (rc == LSCHED_OK) policy.ops->destroy(policy.self);
            assert_int_equal(small.bytes, 0);
        }
        assert_true(rc == LSCHED_OK || rc == LSCHED_E_NOLUA);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ready_made_policies_without_hooks),
        cmocka_unit_test(options_replace_parameters),
        cmocka_unit_test(texts),
        cmocka_unit_test(bounds),
        cmocka_unit_test(changed_texts),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
