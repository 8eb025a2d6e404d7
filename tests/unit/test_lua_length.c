/* The operator `#`: what it is of, how it binds, and that it depends on the contents of a table
 * alone, not on how it came to them. */
#include "unit/lua_fixture.h"

static struct fake fake;

static double value_of(const char *statements) {
    struct loaded l;
    char text[4000];
    uint32_t row = 7;
    double out = 0;
    fake_begin(&fake);
    fake.names[7] = "good";
    snprintf(text, sizeof text,
             "local five = { 1, 2, 3, 4, 5 }\nlocal deep = { a = { b = { 1, 2 } }, { 7, 8, 9 } }\n"
             "local function pair() return { 1, 2 }, 3 end\n"
             "return { api = 1, priority = function(job, queue)\n%s\nend }",
             statements);
    load(&l, text);
    if (l.policy.ops->priority(l.policy.self, &fake.view, &row, &row, 1, &out, &l.err) != LSCHED_OK)
        fail_msg("%s: %s", statements, l.err.message);
    unload(&l);
    return out;
}

static void it_binds_as_lua_says(void **unused) {
    (void)unused;
    assert_true(value_of("return #five + 1") == 6);
    assert_true(value_of("return#five*2") == 10);
    assert_true(value_of("return -#five") == -5);
    assert_true(value_of("return 2 * #five % 3") == 1);
    assert_true(value_of("return #five == 5 and not (not #five) and 1 or 0") == 1);
    assert_true(value_of("return #'abc' + #\"de\" + #[[x]]") == 6);
    assert_true(value_of("return #deep.a.b * 10 + #deep[1]") == 23);
    assert_true(value_of("return #deep['a'].b") == 2);
    assert_true(value_of("return #pair()") == 2);
    assert_true(value_of("return #(pair())") == 2);
    assert_true(value_of("return #{ #five, #five, pair() }") == 4);
    assert_true(value_of("return #job.name + #job.name:sub(2):upper()") == 7);
    assert_true(value_of("return #(nil or five) .. #'x' == '51' and 1 or 0") == 1);
    assert_true(value_of("local t = { n = #five, [#five] = 1 }\nreturn t.n * 10 + t[5]") == 51);
    assert_true(value_of("local n = 0\nfor i = 1, #five do n = n + i end\nreturn n") == 15);
    assert_true(
        value_of(
            "local n = 0\nwhile n < #five do n = n + 1 end\nrepeat n = n + 1 until n > #five\nreturn n") ==
        6);
    assert_true(value_of("if #five > 4 then return #five elseif #five > 3 then return 0 end") == 5);
    assert_true(value_of("return select('#', #five, #five)") == 2);
    assert_true(value_of("return #params") == 0);
    assert_true(value_of("return # --[[ # ]] -- #\n five") == 5);
    assert_true(value_of("return #five --[[#]]") == 5);
    assert_true(value_of("return (#five)") == 5);
}

static void it_says_what_it_needs(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"return { api = 1,\n  weight = function(queue)\n    local x = nil\n    return 1 + #x\n  end }",
         "p.lua:4:16: weight of queue 'trial': # needs a list or a string, got nothing"},
        {"return { api = 1,\n  weight = function(queue)\n    return #queue.depth\n  end }",
         "p.lua:3:12: weight of queue 'trial': # needs a list or a string, got 1"},
        {"local n = #print", "p.lua:1:12: no global 'print' in a policy; use log(text)"},
        {"local \xff = 1", "p.lua:1:7: a name contains the byte 0xFF, which is not UTF-8"},
        {"return { api = 1, x = \xff({}) }",
         "p.lua:1:23: a name contains the byte 0xFF, which is not UTF-8"},
        {"return { api = # }", "p.lua:1:18: unexpected symbol near '}'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct loaded l;
        load_with(&l, wrong[i].text, NULL);
        if (l.rc == LSCHED_OK || strcmp(l.err.message, wrong[i].message) != 0)
            fail_msg("%s\n  got  %s\n  want %s", wrong[i].text, l.err.message, wrong[i].message);
        unload(&l);
    }
}

/* The same contents, reached by other ways: in another order, with entries that came and went, from
 * a constructor. LuaJIT's own operator gives different borders for many of these. */
static void it_depends_on_contents_alone(void **unused) {
    (void)unused;
    assert_true(
        value_of(
            "for seed = 1, 60 do\n"
            "  local want = {}\n"
            "  for i = 1, 40 do want[i] = hash(seed, i) < 0.75 end\n"
            "  local first\n"
            "  for way = 1, 6 do\n"
            "    local t = {}\n"
            "    for i = 1, 40 do\n"
            "      local k = way % 2 == 0 and i or 41 - i\n"
            "      if way > 2 then t['x' .. k] = k end\n"
            "      if want[k] or way > 4 then t[k] = k end\n"
            "    end\n"
            "    for i = 1, 40 do t['x' .. i] = nil if not want[i] then t[i] = nil end end\n"
            "    first = first or #t\n"
            "    if #t ~= first or (first > 0 and not want[first]) or want[first + 1] then return seed end\n"
            "  end\n"
            "end\nreturn 0") == 0);
}

static void lists_of_the_library_do_too(void **unused) {
    (void)unused;
    assert_true(value_of("local t = {}\nfor i = 1, 100 do table.append(t, i) end\n"
                         "local last = table.remove_last(t)\nreturn #t * 1000 + last") == 99100);
    assert_true(value_of("local t = { 1, 2, nil, 4 }\ntable.append(t, 5)\n"
                         "return (t[3] == 5 and 1 or 0) + (t[5] == 5 and 2 or 0)") > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_binds_as_lua_says),
        cmocka_unit_test(it_says_what_it_needs),
        cmocka_unit_test(it_depends_on_contents_alone),
        cmocka_unit_test(lists_of_the_library_do_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
