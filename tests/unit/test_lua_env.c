/* What policy text can call: results, order, determinism, and that nothing else is there. */
#include <math.h>

#include "base/fixed.h"
#include "unit/lua_fixture.h"

static struct fake fake;

/* The value of statements that end in a return, as a hook gives it. */
static double value_of(const char *statements) {
    struct loaded l;
    char text[2000];
    uint32_t row = 7;
    double out = 0;
    fake_begin(&fake);
    fake.names[7] = "good";
    snprintf(
        text, sizeof text,
        "return { api = 1, params = { n = 3, s = 'x', b = true }, priority = function(job, queue)\n %s\n end }",
        statements);
    load(&l, text);
    if (l.policy.ops->priority(l.policy.self, &fake.view, &row, &row, 1, &out, &l.err) != LSCHED_OK)
        fail_msg("%s: %s", statements, l.err.message);
    unload(&l);
    return out;
}

/* The text that statements return; it travels in an error. */
static void text_is(const char *expression, const char *want) {
    struct loaded l;
    char text[2000];
    snprintf(text, sizeof text, "error(%s, 0)", expression);
    load_with(&l, text, NULL);
    assert_int_equal(l.rc, LSCHED_E_POLICY);
    const char *got = strstr(l.err.message, ": ");
    assert_non_null(got);
    got = strchr(got, ' ') + 1;
    if (strcmp(got, want) != 0) fail_msg("%s\n  got  '%s'\n  want '%s'", expression, got, want);
}

static void pairs_goes_by_sorted_keys(void **unused) {
    (void)unused;
    assert_true(
        value_of("local t = { b = 1, a = 2, c = 3, [10] = 4, [2] = 5, [-1.5] = 6, aa = 7 }\n"
                 "local x = 0 for k, v in pairs(t) do x = x * 10 + v end return x") == 6542713);
    assert_true(
        value_of(
            "local x = 0 for i = 1, 100 do\n"
            "  local t = {} for k = 1, i do t['k' .. (k * 7919 % i)] = k end\n"
            "  local last = '' for k in pairs(t) do if not (last < k) then return -1 end last = k x = x + 1 end\n"
            "end return x") > 300);
    assert_true(
        value_of("local n = 0 for k, v in pairs(params) do n = n + string.len(k) end return n") ==
        3);
    assert_true(value_of("local t = { a = 1, b = 2, c = 3 } local n = 0\n"
                         "for k, v in pairs(t) do n = n + v t.b = nil end return n") == 4);
    assert_true(value_of("for k in pairs({}) do return 1 end return 0") == 0);
}

static void ipairs_and_select_are_those_of_lua(void **unused) {
    (void)unused;
    assert_true(
        value_of(
            "local x = 0 for i, v in ipairs({ 5, 6, nil, 7 }) do x = x * 10 + i * v end return x") ==
        62);
    assert_true(value_of("return select('#', 1, nil, 3) * 10 + select(2, 4, 5)") == 35);
    assert_true(value_of("return tonumber('0x10') + tonumber('12', 3) + (tonumber('x') or 100)") ==
                121);
    assert_true(value_of("return type({}) == 'table' and type(job) == 'table' and 1 or 0") == 1);
    assert_true(value_of("return assert(5, 'no')") == 5);
}

static void tables_grow_shrink_and_sort(void **unused) {
    (void)unused;
    assert_true(value_of("local t = { 1 } table.append(t, 2) table.append(t, 3)\n"
                         "local last = table.remove_last(t) return #t * 10 + last") == 23);
    assert_true(value_of("return table.remove_last({}) == nil and 1 or 0") == 1);
    assert_true(
        value_of("local t = { 3, 1, 2 } table.sort(t) return t[1] * 100 + t[2] * 10 + t[3]") ==
        123);
    assert_true(
        value_of(
            "local t = { 'b', 'a', 'aa' } table.sort(t) return (t[1] .. t[2] .. t[3]) == 'aaab' and 1 or 0") ==
        1);
    assert_true(value_of("local t = {} for i = 1, 101 do t[i] = i * 37 % 101 end\n"
                         "table.sort(t, function(a, b) return a > b end)\n"
                         "for i = 1, 101 do if t[i] ~= 101 - i then return i end end return 0") ==
                0);
}

static void sort_is_stable(void **unused) {
    (void)unused;
    assert_true(
        value_of(
            "local t = {} for i = 1, 60 do t[i] = { key = i % 4, at = i } end\n"
            "table.sort(t, function(a, b) return a.key < b.key end)\n"
            "for i = 2, 60 do local a, b = t[i - 1], t[i]\n"
            "  if a.key > b.key or (a.key == b.key and a.at > b.at) then return i end end return 0") ==
        0);
}

static void numbers_are_those_of_fixed(void **unused) {
    (void)unused;
    assert_true(value_of("return math.exp(0.3)") == fixed_exp(0.3));
    assert_true(value_of("return math.log(0.3)") == fixed_log(0.3));
    assert_true(value_of("return math.pow(0.3, 1.7)") == fixed_pow(0.3, 1.7));
    assert_true(
        value_of(
            "return math.abs(-2) + math.ceil(0.5) + math.floor(1.5) + math.max(1, 3) + math.min(1, 3)") ==
        8);
    assert_true(value_of("return math.fmod(-7, 3)") == -1);
    assert_true(value_of("return -7 % 3") == 2);
    assert_true(value_of("return math.sqrt(2)") == sqrt(2));
    assert_true(value_of("return math.huge > 1e308 and math.pi > 3 and 1 or 0") == 1);
}

static void strings_are_plain(void **unused) {
    (void)unused;
    assert_true(
        value_of(
            "return (string.starts_with('h100-3', 'h100') and 1 or 0) + (string.starts_with('h', 'h100') and 10 or 0)") ==
        1);
    assert_true(
        value_of(
            "return (string.ends_with('a.b', '.b') and 1 or 0) + (string.ends_with('b', '.b') and 10 or 0)") ==
        1);
    assert_true(
        value_of(
            "return (string.contains('a-b-c', '-b-') and 1 or 0) + (string.contains('abc', 'bd') and 10 or 0)") ==
        1);
    assert_true(
        value_of("return (('x'):starts_with('') and 1 or 0) + (('x'):contains('') and 10 or 0)") ==
        11);
    assert_true(value_of("return ('abc'):len() + string.byte('a')") == 100);
    text_is("string.upper('aBc') .. string.lower('DeF') .. string.sub('hello', 2, -2)",
            "ABCdefell");
}

static void format_is_exact_and_without_locale(void **unused) {
    (void)unused;
    text_is("string.format('%d|%5d|%-5d|%05d|%x', 42, -42, 42, -42, 255)",
            "42|  -42|42   |-0042|ff");
    text_is("string.format('%s|%8s|%-8s|%.2s', 'abc', 'abc', 'abc', 'abc')",
            "abc|     abc|abc     |ab");
    text_is("string.format('%f|%.0f|%.1f|%8.3f', 1.5, 2.5, 0.25, -3.14159)",
            "1.500000|2|0.2|  -3.142");
    text_is("string.format('%.9f', 0.1)", "0.100000000");
    text_is("string.format('%.2f %.2f', 1e15, 9e18)", "1000000000000000.00 9000000000000000000.00");
    text_is("string.format('%.2f', -0.001)", "0.00");
    text_is("string.format('%.3f', 1e300)", "1e+300");
    text_is("string.format('%f %f', 1/0, 0/0)", "inf nan");
    text_is("string.format('%g %s 100%%', 0.1, true)", "0.1 true 100%");
    text_is("string.format('%s %s', nil, {})", "nil table");
    text_is("string.format('%d', 9007199254740993)", "9007199254740992");
}

static void tostring_shows_no_addresses(void **unused) {
    (void)unused;
    text_is(
        "tostring(1.5) .. tostring(-0) .. tostring(0/0) .. tostring(true) .. tostring(nil) .. tostring({}) .. tostring(error)",
        "1.50nantrueniltablefunction");
}

static void hash_depends_on_its_arguments_only(void **unused) {
    (void)unused;
    double one = value_of("return hash('job', 7)");
    assert_true(one >= 0 && one < 1);
    assert_true(value_of("return hash('job', 7)") == one);
    assert_true(value_of("return hash('job', 8)") != one);
    assert_true(value_of("return hash('job')") != one);
    assert_true(value_of("return hash('j', 'ob', 7)") != one);
    assert_true(
        value_of(
            "return hash(0) == hash(-0) and hash(true) ~= hash(1) and hash('1') ~= hash(1) and 1 or 0") ==
        1);
    assert_true(fabs(one - 0.082794714) < 1e-9); /* in every build: a plan may rest on it */
}

static void time_is_cut_into_hours_and_days(void **unused) {
    (void)unused;
    assert_true(value_of("return hour(0) * 10 + weekday(0)") == 4); /* a Thursday */
    assert_true(value_of("return hour(1700000000) * 10 + weekday(1700000000)") == 222);
    assert_true(value_of("return hour(1700000000, 2) * 10 + weekday(1700000000, 2)") ==
                3);                                                           /* Wednesday, 00 h */
    assert_true(value_of("return hour(0, -5) * 10 + weekday(0, -5)") == 193); /* Wednesday, 19 h */
    assert_true(value_of("return hour(3599.9) + hour(3600)") == 1);
}

static void nothing_else_is_there(void **unused) {
    (void)unused;
    char names[] =
        "_G _VERSION collectgarbage coroutine debug dofile ffi gcinfo getfenv getmetatable "
        "io jit bit load loadfile loadstring module newproxy next os package pcall print "
        "rawequal rawget rawlen rawset require setfenv setmetatable unpack xpcall c base "
        "string.dump string.rep string.find string.match string.gmatch string.gsub "
        "string.char string.reverse table.insert table.remove table.concat table.new "
        "table.clear table.unpack math.random math.randomseed math.sin math.ldexp "
        "math.log10 params.q";
    for (char *name = strtok(names, " "); name; name = strtok(NULL, " ")) {
        struct loaded l;
        char text[200];
        snprintf(text, sizeof text, "local x = %s return { api = 1 }", name);
        load_with(&l, text, NULL);
        if (l.rc != LSCHED_E_POLICY) fail_msg("%s is there", name);
        const char *last = strrchr(name, '.');
        if (!strstr(l.err.message, last ? last + 1 : name)) fail_msg("%s: %s", name, l.err.message);
    }
}

static void libraries_can_be_taken_into_locals(void **unused) {
    (void)unused;
    struct loaded l;
    uint32_t row = 5;
    double out;
    fake_begin(&fake);
    load(
        &l,
        "local floor, p = math.floor, params\n"
        "return { api = 1, params = { n = 2 }, priority = function(job) return floor(job.tasks / p.n) end }");
    assert_int_equal(l.policy.ops->priority(l.policy.self, &fake.view, &row, &row, 1, &out, &l.err),
                     LSCHED_OK);
    assert_true(out == 2);
    unload(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_goes_by_sorted_keys),
        cmocka_unit_test(ipairs_and_select_are_those_of_lua),
        cmocka_unit_test(tables_grow_shrink_and_sort),
        cmocka_unit_test(sort_is_stable),
        cmocka_unit_test(numbers_are_those_of_fixed),
        cmocka_unit_test(strings_are_plain),
        cmocka_unit_test(format_is_exact_and_without_locale),
        cmocka_unit_test(tostring_shows_no_addresses),
        cmocka_unit_test(hash_depends_on_its_arguments_only),
        cmocka_unit_test(time_is_cut_into_hours_and_days),
        cmocka_unit_test(nothing_else_is_there),
        cmocka_unit_test(libraries_can_be_taken_into_locals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
