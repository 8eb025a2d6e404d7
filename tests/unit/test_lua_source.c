/* What is read off a policy text without running it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lua/front/lua_parse.h"
#include "lua/front/lua_source.h"

static struct alloc memory;

static void parse(struct parse_tree *tree, const char *text) {
    struct fault fault;
    fault_clear(&fault);
    if (parse_text(tree, &memory, text, strlen(text), &fault) < 0)
        fail_msg("%s: %s", text, fault.text);
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static void tokens_are_cut_as_luajit_cuts_them(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        uint32_t kinds[8];
    } cases[] = {
        {"a.b..c...d", {LEX_NAME, '.', LEX_NAME, LEX_CONCAT, LEX_NAME, LEX_DOTS, LEX_NAME, 0}},
        {"1..2", {LEX_NUMBER, 0}}, /* malformed, but one token */
        {"0x1p+4 1e-5 .5", {LEX_NUMBER, LEX_NUMBER, LEX_NUMBER, 0}},
        {"a==b~=c<=d",
         {LEX_NAME, LEX_EQUAL, LEX_NAME, LEX_UNLIKE, LEX_NAME, LEX_LESS_EQUAL, LEX_NAME, 0}},
        {"::a::", {LEX_LABEL, LEX_NAME, LEX_LABEL, 0}},
        {"a--b\nc --[[ x\n]] d --[==[ ]] ]==] e", {LEX_NAME, LEX_NAME, LEX_NAME, LEX_NAME, 0}},
        {"'a\\'b' \"\\\"\" [[x]] [=[ ]] ]=]", {LEX_STRING, LEX_STRING, LEX_STRING, LEX_STRING, 0}},
        {"t[t[1]]", {LEX_NAME, '[', LEX_NAME, '[', LEX_NUMBER, ']', ']', 0}},
        {"'a\\\nb' '\\z  \n  c'", {LEX_STRING, LEX_STRING, 0}},
        {"end ending \xC3\xA4", {LEX_KEY_END, LEX_NAME, LEX_NAME, 0}},
        {"goto a while", {LEX_NAME, LEX_NAME, LEX_WHILE, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct lex lex;
        struct lex_token token;
        lex_begin(&lex, cases[i].text, strlen(cases[i].text));
        for (size_t k = 0; k < 8; k++) {
            assert_int_equal(lex_next(&lex, &token), LSCHED_OK);
            if (token.kind != cases[i].kinds[k])
                fail_msg("%s: token %u is %u", cases[i].text, (unsigned)k, token.kind);
            if (token.kind == LEX_END) break;
        }
    }
}

static void places_count_lines_as_luajit_does(void **unused) {
    (void)unused;
    static const char text[] = "a\r\nb\n\rc\n\nd --[[\n]] e 'x\\\ny' f";
    static const uint32_t places[][2] = {{1, 1}, {2, 1}, {3, 1}, {5, 1}, {6, 4}, {6, 6}, {7, 4}};
    struct lex lex;
    struct lex_token token;
    lex_begin(&lex, text, strlen(text));
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(lex_next(&lex, &token), LSCHED_OK);
        assert_int_equal(token.line, places[i][0]);
        assert_int_equal(token.column, places[i][1]);
    }
}

/* ---- arguments ------------------------------------------------------------------------------- */

struct seen {
    char text[400];
};

/* 0.gpu: read for certain; (0.gpu): in a function that it is given to; 0.gpu=: assigned. */
static int32_t note(void *user, uint32_t argument, uint32_t node, const char *word, uint32_t len,
                    int is_assigned, int is_certain) {
    struct seen *seen = user;
    size_t n = strlen(seen->text);
    (void)node;
    snprintf(seen->text + n, sizeof seen->text - n, "%s%s%u.%.*s%s%s", n ? " " : "",
             is_certain ? "" : "(", argument, (int)len, word, is_assigned ? "=" : "",
             is_certain ? "" : ")");
    return 0;
}

static uint32_t function_named(const struct parse_tree *tree, const char *name) {
    for (uint32_t i = 0; i < tree->n; i++) {
        if (tree->nodes[i].kind == PARSE_VARIABLE && tree_is_word(tree, i, name))
            return tree_initial(tree, i);
    }
    return PARSE_NONE;
}

static const struct {
    const char *text, *fields;
    uint32_t escapes; /* bit: argument */
} uses[] = {
    {"local f = function(a, b) return a.x + b.y end", "0.x 1.y", 0},
    {"local f = function(a, b) return a['x'] + a[\"y\"] end", "0.x 0.y", 0},
    {"local f = function(a) return a[k] end", "", 1},
    {"local f = function(a) return a[1] end", "", 1},
    {"local f = function(a) return a['x' .. k] end", "", 1},
    {"local f = function(a) return a['\\120'] end", "", 1},
    {"local k = 'x' local f = function(a) return a[k] end", "0.x", 0},
    {"local k = 'x' k = 'y' local f = function(a) return a[k] end", "", 1},
    {"local f = function(a) return g(a) end", "", 1},
    {"local f = function(a) return g(a.x, a.y) end", "0.x 0.y", 0},
    {"local f = function(a) return x.a + x:a() end", "", 0},
    {"local f = function(a) return { a = 1, b = a.x } end", "0.x", 0},
    {"local f = function(a) return { a } end", "", 1},
    {"local f = function(a) return { [a.x] = 1 } end", "0.x", 0},
    {"local f = function(a) return t[a] end", "", 1},
    {"local f = function(a) a.x = 1 end", "0.x=", 0},
    {"local f = function(a) a.x, y = 1, 2 end", "0.x=", 0},
    {"local f = function(a) y, a.x, z = 1, 2 end", "0.x=", 0},
    {"local f = function(a) y[a.x] = 1, 2 end", "0.x", 0},
    {"local f = function(a) a.x.y = 1, 2 end", "0.x", 0},
    {"local f = function(a) function a.x() end end", "0.x=", 0},
    {"local f = function(a) if a.x == 1 then return a.y end end", "0.x 0.y", 0},
    {"local f = function(a) if a and a.x or not a or a == nil then end end", "0.x", 0},
    {"local f = function(a) return b and a end", "", 1},
    {"local f = function(a) return a or b end", "", 1},
    {"local f = function(a) if a then while a do end repeat until not a end end", "", 0},
    {"local f = function(a) local c = a == nil, a ~= b end", "", 0},
    {"local f = function(a) local a = 1 return a.x end", "", 0},
    {"local f = function(a) for a in b do return a.x end end", "", 0},
    {"local f = function(a) for k in a do end end", "", 1},
    {"local f = function(a) a = 1 return a.x end", "", 1},
    {"local f = function(a) return function(a) return a.x end end", "", 0},
    {"local f = function(a) return function() return a.x end end", "0.x", 0},
    {"local f = function(a) return a:x() end", "", 1},
    {"local f = function(a) return a end", "", 1},
    {"local f = function(a) return a() end", "", 1},
    {"local f = function(a) b = a end", "", 1},
    {"local f = function(a) return (a).x end", "0.x", 0},
    {"local f = function(a, a) return a.x end", "1.x", 0},
    {"local f = function(a) return a.x.y end return a.z", "0.x", 0},
    {"local f = function(a) goto a ::a:: end", "", 0},
    {"local f = function(goto) return goto.x end", "0.x", 0},
    {"local f = function(a) return a.labels.zone end", "0.labels", 0},
    {"local function f(a) return a.x end", "0.x", 0},
    {"local function f(a, ...) return a.x end", "0.x", 2},
    {"local function f(...) return ... end", "", 3},
    /* under another name */
    {"local f = function(a) local b = a return b.x end", "0.x", 0},
    {"local f = function(a) local b, c = a.y, (a) return c.x end", "0.y 0.x", 0},
    {"local f = function(a) local b = a local c = b return c.x + b.y end", "0.y 0.x", 0},
    {"local f = function(a) local b = a b = 1 return b.x end", "", 1},
    {"local f = function(a) local b = a or c return b.x end", "", 1},
    {"local f = function(a) local b = 1, a end", "", 0},
    {"local f = function(a) local b = { a } end", "", 1},
    {"local f = function(a) local b = a b.x = 1 end", "0.x=", 0},
    /* given to functions that are known */
    {"local function g(p) return p.x end local f = function(a) return g(a) end", "(0.x)", 0},
    {"local g = function(q, p) return p.x end local f = function(a, b) return g(b, a) end", "(0.x)",
     0},
    {"local function g(p) return p end local f = function(a) return g(a) end", "", 1},
    {"local function g() end local f = function(a) return g(a) end", "", 0},
    {"local function g(...) end local f = function(a) return g(a) end", "", 1},
    {"local function g(p) p = 1 end local f = function(a) return g(a) end", "", 1},
    {"local function g(p) p.x = 1 end local f = function(a) return g(a) end", "(0.x=)", 0},
    {"local function g(p) return g(p.x) + g(p) end local f = function(a) return g(a) end", "(0.x)",
     0},
    {"local function h(p) return p.x end local function g(p) local q = p return h(q) end "
     "local f = function(a, b) return g(a) + h(b) end",
     "(1.x) (0.x)", 0},
    {"local g = function() end g = h local f = function(a) return g(a) end", "", 1},
    {"local function g(p) return p.x end local f = function(a) return (g)((a)) end", "(0.x)", 0},
    {"local f = function(a) return (function(p) return p.x end)(a) end", "(0.x)", 0},
};

static void uses_of_arguments_are_followed(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
        struct parse_tree tree;
        struct source_arguments arguments;
        struct seen seen = {""};
        parse(&tree, uses[i].text);
        source_follow(&tree, function_named(&tree, "f"), 2, &arguments, note, &seen);
        if (strcmp(seen.text, uses[i].fields) != 0 || arguments.escapes != uses[i].escapes)
            fail_msg("%s: '%s' %u", uses[i].text, seen.text, arguments.escapes);
        tree_free(&tree);
    }
}

static void following_is_bounded(void **unused) {
    (void)unused;
    static char text[8000];
    size_t n = (size_t)snprintf(text, sizeof text, "local f = function(a) local v0 = a ");
    for (int i = 1; i < 100; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "local v%d = v%d ", i, i - 1);
    snprintf(text + n, sizeof text - n, "return v99.x end");
    struct parse_tree tree;
    struct source_arguments arguments;
    parse(&tree, text);
    source_follow(&tree, function_named(&tree, "f"), 1, &arguments, NULL, NULL);
    assert_int_equal(arguments.escapes, 1);
    tree_free(&tree);
}

static void arguments_are_counted(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        struct source_arguments want;
    } cases[] = {
        {"local f = function() end", {0, 0, 0, 0}},
        {"local f = function(a, b, c) return c, a end", {3, 0, 1, 5}},
        {"local f = function(a, b) return function() return b.x end end", {2, 0, 0, 2}},
        {"local f = function(a, ...) return ... end", {1, 1, 2, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct parse_tree tree;
        struct source_arguments a;
        parse(&tree, cases[i].text);
        source_follow(&tree, function_named(&tree, "f"), 2, &a, NULL, NULL);
        if (memcmp(&a, &cases[i].want, sizeof a) != 0)
            fail_msg("%s: %u %u %u %u", cases[i].text, a.n_params, a.is_vararg, a.escapes,
                     a.is_used);
        tree_free(&tree);
    }
}

static void functions_are_found_by_their_lines(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        uint32_t line, last;
        const char *key;
        uint32_t want_line, want_column; /* 0: cannot be told */
    } cases[] = {
        {"return {\nf = function() end }", 2, 2, "f", 2, 5},
        {"return {\nf = function() end }", 2, 3, "f", 0, 0},
        {"return {\nf = function() end }", 3, 3, "f", 0, 0},
        {"return { f = function\n(a)\nend }", 2, 3, "f", 1, 14},
        {"function g\n()\nend", 1, 3, "f", 1, 1},
        {"local function g\n()\nend", 2, 3, "f", 1, 7},
        {"return { f = function() end, g = function() end }", 1, 1, "f", 1, 14},
        {"return { f = function() end, g = function() end }", 1, 1, "g", 1, 34},
        {"return { f = function() end, f = function() end }", 1, 1, "f", 1, 34},
        {"return { ['f'] = function() end, g = function() end }", 1, 1, "f", 1, 18},
        {"return { f = function() end, ['\\102'] = function() end }", 1, 1, "f", 0, 0},
        {"return { f = function() end, [f] = function() end }", 1, 1, "f", 0, 0},
        {"return { f = function() end, [g()] = function() end }", 1, 1, "f", 0, 0},
        {"local function h() end return { f = h, g = function() end }", 1, 1, "f", 1, 7},
        {"local t = { f = function() end, g = function() end } return t", 1, 1, "f", 0, 0},
        {"if x then return { f = function() end } end return { f = function() end }", 1, 1, "f", 0,
         0},
        {"return { f = function() return function() end end }", 1, 1, "f", 1, 14},
        {"return { f = function() return { f = function() end } end }", 1, 1, "f", 1, 14},
        {"local f = function() end f = function() end return { f = f }", 1, 1, "f", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct parse_tree tree;
        parse(&tree, cases[i].text);
        uint32_t node = source_function(&tree, cases[i].line, cases[i].last, cases[i].key);
        uint32_t line = node == PARSE_NONE ? 0 : tree.nodes[node].line;
        uint32_t column = node == PARSE_NONE ? 0 : tree.nodes[node].column;
        if (line != cases[i].want_line || column != cases[i].want_column)
            fail_msg("%s: %u:%u", cases[i].text, line, column);
        tree_free(&tree);
    }
}

/* ---- purity ---------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    const char *name; /* NULL: pure */
} assignments[] = {
    {"local n = 0 n = 1", NULL},
    {"n = 1", "n"},
    {"local f = function() n = 1 end", "n"},
    {"function n() end", "n"},
    {"local n local f = function() n = 1 end", "n"},
    {"local n local f = function() n.x = 1 end", "n"},
    {"local n local f = function() (n).x = 1 end", "n"},
    {"local n local f = function() n[1].y[z] = 1 end", "n"},
    {"local n local f = function() local a a, n = 1, 2 end", "n"},
    {"local n local f = function() local m = n m.x = 1 end", "n"},
    {"local n local f = function() local m = n.y.z m.x = 1 end", "n"},
    {"local n local f = function() local m = g(n) m.x = 1 end", NULL}, /* caught when it runs */
    {"local n local f = function() local m = n m = {} m.x = 1 end", NULL},
    {"local n local f = function() local n = 0 n = 1 end", NULL},
    {"local n local f = function() do local n end n = 1 end", "n"},
    {"local n local f = function(n) n = 1 end", NULL},
    {"local n local f = function() for n = 1, 2 do n = 3 end end", NULL},
    {"local n local f = function() for n = 1, 2 do end n = 3 end", "n"},
    {"local n local f = function() for i, n in g() do n = 3 end end", NULL},
    {"local n local f = function() local x = { n = 1 } end", NULL},
    {"local n local f = function() g { n = 1 } end", NULL},
    {"local n local f = function() if n == 1 then return n end end", NULL},
    {"local n local f = function() x.n = 1 end", NULL},
    {"local n local function f() function n() end end", "n"},
    {"local n local function f() function n.x() end end", "n"},
    {"local n local function f() local function n() end n = 1 end", NULL},
    {"local n function n() end", NULL},
    {"local n local f = function() repeat local n n = 1 until n end", NULL},
    {"local n local f = function() if x then n = 1 end end", "n"},
    {"local n local f = function() if x then else n = 1 end end", "n"},
    {"local n local f = function() g() n = 1 end", "n"},
    {"local n local f = function() local a = 1 n = 2 end", "n"},
    {"local n local f = function() local m = function() m = 1 end end", "m"},
    {"do local n local f = function() n = 1 end end", "n"},
    {"local f = function() local n local g = function() n = 1 end end", "n"},
    {"local f = function() local n local g = function() n.x = 1 end end", NULL},
    {"local f = function() local n local g = function() local a a, n = 1, 2 end end", "n"},
    {"local f = function() local n local g = function() local a a, n[1] = 1, 2 end end", NULL},
    {"local f = function() local n local g = function() n() end n = 1 end", NULL},
};

static void assignments_to_what_is_not_ones_own_are_found(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof assignments / sizeof assignments[0]; i++) {
        struct fault fault;
        struct source_facts facts;
        struct parse_tree tree;
        char want[40];
        fault_clear(&fault);
        parse(&tree, assignments[i].text);
        int32_t rc = source_check(&tree, &facts, &fault);
        snprintf(want, sizeof want, "'%s'", assignments[i].name ? assignments[i].name : "");
        if (assignments[i].name ? rc != LSCHED_E_POLICY || !strstr(fault.text, want)
                                : rc != LSCHED_OK)
            fail_msg("%s: %d %s", assignments[i].text, rc, fault.text);
        tree_free(&tree);
    }
}

static void assignments_that_may_last_are_noticed(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        uint32_t assigns;
    } cases[] = {
        {"local x x = 1 t.y = 2", 0},
        {"function t.f() end", 0},
        {"local f = function() local a = 1 for i = 1, 2 do local b, c = 1, 2 end end", 0},
        {"local f = function() return { a = 1, [b] = 2 } end", 0},
        {"local f = function() return a == b end", 0},
        {"local f = function(a) a = 1 end", 0},
        {"local f = function() local t = {} t.x = 1 t[2] = 3 end", 0},
        {"local f = function() local t = {} local u = t u.x = 1 end", 0},
        {"local f = function() local t = { g } t.x.y = 1 end", 1},
        {"local f = function() local t = { u = g } local v = t.u v.x = 1 end", 1},
        {"local f = function() local t = {} t = g t.x = 1 end", 1},
        {"local f = function() local t = g() t.x = 1 end", 1},
        {"local f = function() local t t.x = 1 end", 1},
        {"local f = function() local t = {} return function() t.x = 1 end end", 1},
        {"local f = function(a) a.b = 1 end", 1},
        {"local f = function(a) (a).b = 1 end", 1},
        {"local f = function(a) g(a)[1] = 1 end", 1},
        {"local f = function(a) return { function() a.b = 1 end } end", 1},
        {"local f = function(a) function a.b() end end", 1},
        {"local f = function(a) local x a.b = 1 end", 1},
        {"local f = function(a) for k, v in pairs(a) do v.b = 1 end end", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fault fault;
        struct source_facts facts;
        struct parse_tree tree;
        fault_clear(&fault);
        parse(&tree, cases[i].text);
        if (source_check(&tree, &facts, &fault) < 0) fail_msg("%s: %s", cases[i].text, fault.text);
        if (facts.assigns != cases[i].assigns) fail_msg("%s: %u", cases[i].text, facts.assigns);
        tree_free(&tree);
    }
}

/* ---- keys, words, warnings ------------------------------------------------------------------- */

static void keys_and_tokens_are_found(void **unused) {
    (void)unused;
    static const char text[] =
        "local x = { y = { key = 1 } }\nreturn { a = { key = 2 }, key = 3, z = key }";
    struct lex_token at;
    struct parse_tree tree;
    parse(&tree, text);
    uint32_t node = source_key(&tree, "key");
    assert_int_equal(tree.nodes[node].line, 2);
    assert_int_equal(tree.nodes[node].column, 27);
    node = source_inner_key(&tree, "a", "key");
    assert_int_equal(tree.nodes[node].column, 16);
    assert_int_equal(source_inner_key(&tree, "z", "key"), PARSE_NONE);
    assert_int_equal(source_inner_key(&tree, "a", "y"), PARSE_NONE);
    assert_int_equal(source_key(&tree, "x"), PARSE_NONE);
    assert_true(source_token(text, strlen(text), 2, "z", &at));
    assert_int_equal(at.column, 36);
    assert_false(source_token(text, strlen(text), 1, "z", &at));
    assert_true(source_token(text, strlen(text), 0, "", &at));
    assert_int_equal(at.column, 45);
    tree_free(&tree);
}

static void add_word(void *user, const char *word, uint32_t len) {
    struct seen *seen = user;
    size_t n = strlen(seen->text);
    snprintf(seen->text + n, sizeof seen->text - n, "%.*s ", (int)len, word);
}

static void words_are_listed(void **unused) {
    (void)unused;
    struct parse_tree tree;
    struct seen seen = {""};
    parse(&tree,
          "local a = { b = c.d, ['e'] = f:g('h') } goto i ::i:: function j.k:l() end m = 'n\\n'");
    source_words(&tree, add_word, &seen);
    assert_string_equal(seen.text, "d e g h k l ");
    tree_free(&tree);
}

static void warnings_are_listed(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"return { params = { a = 1, b = 2 }, f = function() return params.a end }",
         "1:28 the parameter 'b' is not used;"},
        {"return { params = { a = 1, b = 2 }, f = function() return params['b'] end }",
         "1:21 the parameter 'a' is not used;"},
        {"return { params = { a = 1 }, f = function(k) return params[k] end }", ""},
        {"return { params = { a = 1 }, f = function(k) return g(params) end }", ""},
        {"local p = params return { params = { a = 1, b = 1 }, f = function() return p.a end }",
         "1:45 the parameter 'b' is not used;"},
        {"local p = params return { params = { a = 1 }, f = function() return p[k] end }", ""},
        {"local p = params p = 1 return { params = { a = 1 } }", ""},
        {"local params = {} return { params = { a = 1 }, f = function() return params.a end }",
         "1:39 the parameter 'a' is not used;"},
        {"return { params = { ts_work = 1 }, pipeline = { 'ts-dpbp' } }", ""}, /* it reads that */
        {"return { params = { ts_work = 1 }, pipeline = { 'allocate' } }",
         "1:21 the parameter 'ts_work' is not used;"},
        {"return { params = { ts_wurk = 1 }, pipeline = { 'ts-dpbp' } }",
         "1:21 the parameter 'ts_wurk' is not used;"},
        {"return { params = {} }", ""},
        {"return { params = g() }", ""},
        {"return { a = 1, b = 2, a = 3 }",
         "1:10 'a' is given twice in this table; only the last value is used;"},
        {"return { a = 1, ['a'] = 3 }",
         "1:10 'a' is given twice in this table; only the last value is used;"},
        {"return { a = 1, b = { a = 3 } }", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct parse_tree tree;
        char text[100], all[400] = "";
        size_t n = 0;
        parse(&tree, cases[i].text);
        for (uint32_t node = PARSE_NONE;;) {
            node = source_warning(&tree, node, text, sizeof text);
            if (node == PARSE_NONE) break;
            n += (size_t)snprintf(all + n, sizeof all - n, "%u:%u %s;", tree.nodes[node].line,
                                  tree.nodes[node].column, text);
        }
        if (strcmp(all, cases[i].want) != 0) fail_msg("%s: %s", cases[i].text, all);
        tree_free(&tree);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_are_cut_as_luajit_cuts_them),
        cmocka_unit_test(places_count_lines_as_luajit_does),
        cmocka_unit_test(uses_of_arguments_are_followed),
        cmocka_unit_test(following_is_bounded),
        cmocka_unit_test(arguments_are_counted),
        cmocka_unit_test(functions_are_found_by_their_lines),
        cmocka_unit_test(assignments_to_what_is_not_ones_own_are_found),
        cmocka_unit_test(assignments_that_may_last_are_noticed),
        cmocka_unit_test(keys_and_tokens_are_found),
        cmocka_unit_test(words_are_listed),
        cmocka_unit_test(warnings_are_listed),
    };
    if (alloc_init(&memory, NULL, 0) != LSCHED_OK) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
