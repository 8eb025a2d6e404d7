/* What is read off a policy text without running it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lua/lua_scan.h"

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

/* ---- functions ------------------------------------------------------------------------------- */

struct seen {
    char text[400];
};

static int32_t note(void *user, uint32_t param, const char *word, uint32_t len,
                    const struct lex_token *token, int is_assigned) {
    struct seen *seen = user;
    size_t n = strlen(seen->text);
    (void)token;
    snprintf(seen->text + n, sizeof seen->text - n, "%s%u.%.*s%s", n ? " " : "", param, (int)len,
             word, is_assigned ? "=" : "");
    return 0;
}

static void uses_of_parameters_are_followed(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *fields;
        int escapes; /* bit: parameter */
    } cases[] = {
        {"f = function(a, b) return a.x + b.y end", "0.x 1.y", 0},
        {"f = function(a, b) return a['x'] + a[\"y\"] end", "0.x 0.y", 0},
        {"f = function(a) return a[k] end", "", 1},
        {"f = function(a) return a['x' .. k] end", "", 1},
        {"f = function(a) return a['\\120'] end", "", 1},
        {"f = function(a) return g(a) end", "", 1},
        {"f = function(a) return g(a.x, a.y) end", "0.x 0.y", 0},
        {"f = function(a) local b = a return b.x end", "", 1},
        {"f = function(a) return x.a + x:a() end", "", 0},
        {"f = function(a) return { a = 1, b = a.x } end", "0.x", 0},
        {"f = function(a) return { a } end", "", 1},
        {"f = function(a) return { [a.x] = 1 } end", "0.x", 0},
        {"f = function(a) a.x = 1 end", "0.x=", 0},
        {"f = function(a) a.x, y = 1, 2 end", "0.x", 1},
        {"f = function(a) y, a.x = 1, 2 end", "0.x=", 0},
        {"f = function(a) y, a.x, z = 1, 2 end", "0.x", 1},
        {"f = function(a) if y then y, a.x, z = 1, 2 end end", "0.x", 1},
        {"f = function(a) if a.x == 1 then return a.y end end", "0.x 0.y", 0},
        {"f = function(a) local a = 1 return a.x end", "0.x", 1},
        {"f = function(a) for a in b do end end", "", 1},
        {"f = function(a) for i, a in b do end end", "", 1},
        {"f = function(a) return function(a) return a.x end end", "0.x", 1},
        {"f = function(a) return function() return a.x end end", "0.x", 0},
        {"f = function(a) return a:x() end", "", 1},
        {"f = function(a) return a end", "", 1},
        {"f = function(a) return (a).x end", "", 1},
        {"f = function(a, a) return a.x end", "1.x", 1},
        {"f = function(a) return a.x.y end return a.z", "0.x", 0},
        {"f = function(a) goto a ::a:: end", "", 1},
        {"f = function(goto) return goto.x end", "0.x", 0},
        {"local function f(a) return a.x end", "0.x", 0},
        {"function t.f(a) return a.x end", "0.x", 0},
        {"f = function(a) return a.labels.zone end", "0.labels", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scan_function f;
        struct seen seen = {""};
        scan_function(cases[i].text, strlen(cases[i].text), 1, &f, note, &seen);
        int escapes = 0;
        for (uint32_t p = 0; p < f.n_params; p++) escapes |= f.params[p].escapes ? 1 << p : 0;
        int nested = strstr(cases[i].text, "return function") != NULL;
        assert_int_equal(f.matches, 1 + nested);
        if (strcmp(seen.text, cases[i].fields) != 0 || escapes != cases[i].escapes)
            fail_msg("%s: '%s' %d", cases[i].text, seen.text, escapes);
    }
}

static void functions_are_found_by_their_line(void **unused) {
    (void)unused;
    static const char text[] = "local function a() end\n"
                               "return { f = function(x, y, ...)\n return x.p end,\n"
                               " g = function\n(z) return z.q end, h = function() end }";
    struct scan_function f;
    struct seen seen = {""};
    scan_function(text, strlen(text), 2, &f, note, &seen);
    assert_int_equal(f.matches, 1);
    assert_int_equal(f.n_params, 2);
    assert_true(f.is_vararg);
    assert_int_equal(f.line, 2);
    assert_int_equal(f.column, 14);
    assert_string_equal(seen.text, "0.p");
    scan_function(text, strlen(text), 4, &f, note, &seen);
    assert_int_equal(f.matches, 1);
    scan_function(text, strlen(text), 5, &f, note, &seen);
    assert_int_equal(f.matches, 2);
    scan_function(text, strlen(text), 3, &f, note, &seen);
    assert_int_equal(f.matches, 0);
}

/* ---- purity ---------------------------------------------------------------------------------- */

static void assignments_to_the_chunk_are_found(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        const char *name; /* NULL: pure */
    } cases[] = {
        {"local n = 0 n = 1", NULL},
        {"local n local f = function() n = 1 end", "n"},
        {"local n local f = function() n.x = 1 end", "n"},
        {"local n local f = function() n[1].y[z] = 1 end", "n"},
        {"local n local f = function() a, n = 1, 2 end", "n"},
        {"local n local f = function() local m = n m.x = 1 end", NULL}, /* caught when it runs */
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
        {"local f = function() local n local g = function() a, n = 1, 2 end end", "n"},
        {"local f = function() local n local g = function() a, n[1] = 1, 2 end end", NULL},
        {"local f = function() local n local g = function() n() end n = 1 end", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fault fault;
        struct scan_facts facts;
        char want[40];
        fault_clear(&fault);
        int32_t rc = scan_text(cases[i].text, strlen(cases[i].text), &facts, &fault);
        snprintf(want, sizeof want, "'%s'", cases[i].name ? cases[i].name : "");
        if (cases[i].name ? rc != LSCHED_E_POLICY || !strstr(fault.text, want) : rc != LSCHED_OK)
            fail_msg("%s: %d %s", cases[i].text, rc, fault.text);
    }
}

static void assignments_in_functions_are_noticed(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        uint32_t assigns;
    } cases[] = {
        {"x = 1 t.y = 2", 0},
        {"function f() end", 0},
        {"local f = function() local a = 1 for i = 1, 2 do local b, c = 1, 2 end end", 0},
        {"local f = function() return { a = 1, [b] = 2 } end", 0},
        {"local f = function() return a == b end", 0},
        {"local f = function(a) a = 1 end", 1},
        {"local f = function(a) a.b = 1 end", 1},
        {"local f = function(a) (a).b = 1 end", 1},
        {"local f = function(a) g(a)[1] = 1 end", 1},
        {"local f = function(a) return { function() a.b = 1 end } end", 1},
        {"local f = function(a) function a.b() end end", 1},
        {"local f = function(a) local x a.b = 1 end", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fault fault;
        struct scan_facts facts;
        fault_clear(&fault);
        assert_int_equal(scan_text(cases[i].text, strlen(cases[i].text), &facts, &fault),
                         LSCHED_OK);
        if (facts.assigns != cases[i].assigns) fail_msg("%s: %u", cases[i].text, facts.assigns);
    }
}

static void keys_and_words_are_found(void **unused) {
    (void)unused;
    static const char text[] =
        "local x = { y = { key = 1 } }\nreturn { a = { key = 2 }, key = 3, z = key }";
    struct lex_token at;
    assert_true(scan_find_key(text, strlen(text), "key", 3, &at));
    assert_int_equal(at.line, 2);
    assert_int_equal(at.column, 27);
    assert_false(scan_find_key(text, strlen(text), "x", 1, &at));
    assert_true(scan_find_word(text, strlen(text), 2, "z", 1, &at));
    assert_int_equal(at.column, 36);
    assert_false(scan_find_word(text, strlen(text), 1, "z", 1, &at));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_are_cut_as_luajit_cuts_them),
        cmocka_unit_test(places_count_lines_as_luajit_does),
        cmocka_unit_test(uses_of_parameters_are_followed),
        cmocka_unit_test(functions_are_found_by_their_line),
        cmocka_unit_test(assignments_to_the_chunk_are_found),
        cmocka_unit_test(assignments_in_functions_are_noticed),
        cmocka_unit_test(keys_and_words_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
