/* The selectors of devices: what they say of classes, what is refused and in which words, what a failure leaves behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lua/selector/lua_selector.h"

static struct alloc alloc;
static struct selectors *state;

static int open_state(void **unused) {
    (void)unused;
    lsched_error err = LSCHED_ERROR_INIT;
    alloc_init(&alloc, NULL, 0);
    return selectors_open(&alloc, &state, &err);
}

static int close_state(void **unused) {
    (void)unused;
    selectors_close(state);
    return alloc.bytes == 0 ? 0 : -1;
}

static lsched_text text(const char *s) {
    return (lsched_text){s, strlen(s)};
}

#define LABEL(k, v)          \
    {                        \
        {k, sizeof k - 1}, { \
            v, sizeof v - 1  \
        }                    \
    }
static const lsched_label attributes[] = {LABEL("driver", "535.104"), LABEL("ecc", "true"),
                                          LABEL("fabric", "00ff"), LABEL("vendor", "nvidia")};
static const struct selector_device h100 = {{"H100-80GB", 9},     (int64_t)80 << 30, 132,
                                            LSCHED_SHARING_WHOLE, attributes,        4};
static const struct selector_device t4 = {
    {"T4", 2}, (int64_t)16 << 30, 40, LSCHED_SHARING_TIME_SLICE, NULL, 0};

static void begins(const char *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t rc = selector_begin(state, text(s), NULL, &err);
    if (rc != LSCHED_OK) fail_msg("%s: %s", s, err.message);
}

static uint8_t says(const char *s, const struct selector_device *d) {
    lsched_error err = LSCHED_ERROR_INIT;
    uint8_t answer = 0;
    begins(s);
    assert_int_equal(selector_ask(state, d, &answer, &err), LSCHED_OK);
    return answer;
}

static void refused(const char *s, int32_t code, const char *message) {
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t rc = selector_begin(state, text(s), NULL, &err);
    if (strcmp(err.message, message) != 0)
        fail_msg("'%s' gives\n  '%s', not\n  '%s'", s, err.message, message);
    if (rc != code) fail_msg("'%s' gives %d, not %d", s, rc, code);
    begins("device.memory >= 40"); /* as if nothing had been */
}

static void test_fields(void **unused) {
    (void)unused;
    static const struct {
        const char *selector;
        uint8_t h100, t4;
    } cases[] = {
        {"device.memory >= 40", 1, 2},
        {"device.memory == 16", 2, 1},
        {"device.sm_count > 100 or device.mode == 'time-slice'", 1, 1},
        {"device.model == 'T4'", 2, 1},
        {"not (device.model == \"T4\")", 1, 2},
        {"device.model:starts_with('H100')", 1, 2},
        {"string.contains(device.model, '80GB') and device.sm_count == 132", 1, 2},
        {"device.sm_count >= 40 and device.memory >= 40", 1, 3},
        {"(device.sm_count >= 40 and device.memory >= 16) and device.mode ~= 'whole'", 4, 1},
        {"device.memory / device.sm_count < 0.5", 2, 1},
        {"math.max(device.memory, 20) == 20", 2, 1},
        {"device['memory'] >= 40 -- enough\n", 1, 2},
        {"\n\n  device.memory\n>= 40", 1, 2},
        {"true", 1, 1},
        {"false", 2, 2},
        {"type(device.memory) == 'number'", 1, 1},
        {"tonumber(device.model:sub(2, 2)) == 4", 2, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(says(cases[i].selector, &h100), cases[i].h100);
        assert_int_equal(says(cases[i].selector, &t4), cases[i].t4);
    }
}

/* A text that is a number or a truth is one; what is absent is nil. */
static void test_attributes(void **unused) {
    (void)unused;
    static const struct {
        const char *selector;
        uint8_t h100, t4;
    } cases[] = {
        {"device.attributes.driver >= 535", 1, 2 | SELECTOR_LACKS},
        {"device.attributes.driver == 535.104", 1, 2 | SELECTOR_LACKS},
        {"device.attributes.ecc", 1, 2 | SELECTOR_LACKS},
        {"not device.attributes.ecc", 2, 1},
        {"device.attributes.ecc == true", 1, 2 | SELECTOR_LACKS},
        {"device.attributes.fabric == '00ff'", 1, 2 | SELECTOR_LACKS},
        {"device.attributes['vendor'] == 'nvidia'", 1, 2 | SELECTOR_LACKS},
        {"device.attributes.vendor ~= 'amd'", 1, 1},
        {"device.attributes['vendor'] == nil", 2, 1},
        {"device.memory > 0 and device.attributes.vendor:starts_with('n')", 1, 3 | SELECTOR_LACKS},
        {"device.memory > 40 and device.attributes.driver >= 535", 1, 2},
        {"device.attributes.nowhere == nil", 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t a = says(cases[i].selector, &h100), b = says(cases[i].selector, &t4);
        if (a != cases[i].h100 || b != cases[i].t4)
            fail_msg("%s: %#x %#x", cases[i].selector, a, b);
    }
}

static void test_wrong_type_on_a_class(void **unused) {
    (void)unused;
    lsched_error err = LSCHED_ERROR_INIT;
    uint8_t answer = 0;
    begins("device.memory > 1 and\n device.attributes.vendor >= 535");
    assert_int_equal(selector_ask(state, &h100, &answer, &err), LSCHED_OK);
    assert_int_equal(answer, 3 | SELECTOR_FAILS);
    assert_string_equal(err.message, "selector:2:2: attempt to compare number with string");
    begins("device.attributes.vendor");
    assert_int_equal(selector_ask(state, &h100, &answer, &err), LSCHED_OK);
    assert_int_equal(answer, 2 | SELECTOR_FAILS);
    assert_string_equal(err.message,
                        "selector:1:1: this must be true or false, got the string 'nvidia'");
}

static void test_form(void **unused) {
    (void)unused;
    struct selector_form form;
    lsched_error err = LSCHED_ERROR_INIT;
    const char *s =
        " (device.memory > 1 and (device.sm_count > 2)) and device.attributes.a == 1 and "
        "(device.attributes['b'] == 2 or device.attributes['a'] == 3)";
    assert_int_equal(selector_begin(state, text(s), &form, &err), LSCHED_OK);
    static const char *const parts[] = {
        "device.memory > 1", "device.sm_count > 2", "device.attributes.a == 1",
        "device.attributes['b'] == 2 or device.attributes['a'] == 3"};
    assert_int_equal(form.n_parts, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(form.parts[i].len, strlen(parts[i]));
        assert_memory_equal(s + form.parts[i].at, parts[i], form.parts[i].len);
    }
    assert_int_equal(form.n_reads, 2);
    assert_int_equal(form.reads[0].may_lack, 0);
    assert_int_equal(form.reads[1].may_lack, 1);
    assert_int_equal(s[form.reads[1].key.at], 'b');
    assert_int_equal(form.reads_of[2], 1);
    assert_int_equal(form.reads_of[3], 3);
}

static const struct {
    const char *selector;
    int32_t code;
    const char *message;
} bad[] = {
    {"", LSCHED_E_SYNTAX,
     "selector:1:1: the selector is empty; expected an expression such as device.memory >= 40"},
    {"while true do end", LSCHED_E_SYNTAX,
     "selector:1:1: a selector is one expression, such as device.memory >= 40: no loop may "
     "stand in it"},
    {"(function() while true do end end)()", LSCHED_E_POLICY,
     "selector:1:2: a selector is one expression: no function, and so no loop, may stand in it"},
    {"return device.memory >= 40", LSCHED_E_SYNTAX,
     "selector:1:1: a selector is an expression: leave out 'return'"},
    {"device.memory >= 40, true", LSCHED_E_SYNTAX,
     "selector:1:22: a selector is one expression; join several by 'and'"},
    {"device.memry >= 40", LSCHED_E_KEY,
     "selector:1:8: device has no field 'memry'; did you mean 'memory'?"},
    {"device.memory >= 40 and\n  device.speed > 3", LSCHED_E_KEY,
     "selector:2:10: device has no field 'speed'; it has model, memory, sm_count, mode and "
     "attributes"},
    {"memory >= 40", LSCHED_E_KEY, "selector:1:1: no 'memory' in a selector; write device.memory"},
    {"devic.memory >= 40", LSCHED_E_KEY,
     "selector:1:1: no 'devic' in a selector; did you mean 'device'?"},
    {"device.memory >= '40'", LSCHED_E_TYPE,
     "selector:1:18: device.memory is a number and is compared with a text; leave out the "
     "quotes"},
    {"device.model == T4", LSCHED_E_KEY,
     "selector:1:17: no 'T4' in a selector; a selector can name device, math, string, tonumber, "
     "tostring and type; write a text in quotes"},
    {"device.model > 4", LSCHED_E_TYPE,
     "selector:1:16: device.mode and device.model are texts; write a text in quotes"},
    {"device.mode == 'exclusive'", LSCHED_E_TYPE,
     "selector:1:16: device.mode is whole, fraction, mig, mps or time-slice, never "
     "'exclusive'"},
    {"device.attributes.numa == '0'", LSCHED_E_TYPE,
     "selector:1:27: an attribute '0' is a number, not a text; leave out the quotes"},
    {"'true' == device.attributes.ecc", LSCHED_E_TYPE,
     "selector:1:1: an attribute 'true' is true, not a text; leave out the quotes"},
    {"device", LSCHED_E_TYPE,
     "selector:1:1: device is read by its fields: device.model, device.memory, ..."},
    {"device.attributes", LSCHED_E_TYPE,
     "selector:1:8: device.attributes is read by name: device.attributes.x"},
    {"device.attributes[device.model] == 1", LSCHED_E_POLICY,
     "selector:1:19: an attribute is named as it stands: device.attributes.x or "
     "device.attributes[\"x\"]"},
    {"device.memory", LSCHED_E_TYPE,
     "selector:1:1: this must be true or false; device.memory is a number"},
    {"device.model and true", LSCHED_E_TYPE,
     "selector:1:1: each part of an `and` must be true or false; device.model is a text"},
    {"device.memory >= 40 and 3", LSCHED_E_TYPE,
     "selector:1:25: each part of an `and` must be true or false; this is a number"},
    {"device.memory >= 40 and nil", LSCHED_E_TYPE,
     "selector:1:25: each part of an `and` must be true or false; this is nil"},
    {"device.memory >= 40 and device.memory + 'x' > 3", LSCHED_E_POLICY,
     "selector:1:25: arithmetic needs numbers, got a string value"},
    {"#device.model > 3", LSCHED_E_POLICY, "selector:1:1: write string.len(text) for #text"},
    {"{} == nil", LSCHED_E_POLICY, "selector:1:1: no table may stand in a selector"},
    {"math.hypotenuse(1) > 0", LSCHED_E_KEY, "selector:1:6: math has no 'hypotenuse'"},
    {"math.sqr(1) > 0", LSCHED_E_KEY, "selector:1:6: math has no 'sqr'; did you mean 'sqrt'?"},
    {"device.memory > ", LSCHED_E_SYNTAX, "selector:1:17: unexpected symbol near '<eof>'"},
    {"device.memory > 1) or (true", LSCHED_E_SYNTAX, "selector:1:18: '<eof>' expected near ')'"},
    {"device.model:find('x') ~= nil", LSCHED_E_POLICY,
     "selector:1:14: string has no 'find' in a policy; use string.contains"},
    {"... == 1", LSCHED_E_POLICY, "selector:1:1: no '...' may stand in a selector"},
};

static void test_refused(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refused(bad[i].selector, bad[i].code, bad[i].message);
}

static void test_limits(void **unused) {
    (void)unused;
    static char s[8192];
    lsched_error err = LSCHED_ERROR_INIT;
    size_t n = 0;
    for (int i = 0; i < 33; i++)
        n += (size_t)snprintf(s + n, sizeof s - n, "%sdevice.memory > %d", i ? " and " : "", i);
    assert_int_equal(selector_begin(state, text(s), NULL, &err), LSCHED_E_LIMIT);
    n = 0;
    for (int i = 0; i < 33; i++)
        n += (size_t)snprintf(s + n, sizeof s - n, "%sdevice.attributes.a%d == 1", i ? " or " : "",
                              i);
    assert_int_equal(selector_begin(state, text(s), NULL, &err), LSCHED_E_LIMIT);
    memset(s, ' ', 4097);
    memcpy(s + 4093, "true", 5);
    assert_int_equal(selector_begin(state, text(s), NULL, &err), LSCHED_E_LIMIT);
    assert_int_equal(says(s + 1, &t4), 1);
}

/* Right-nested and deep: nothing recurses, and what the parser bounds is refused in its words. */
static void test_deep(void **unused) {
    (void)unused;
    static char s[4097];
    lsched_error err = LSCHED_ERROR_INIT;
    size_t n = 0;
    for (int i = 0; i < 20; i++) n += (size_t)snprintf(s + n, sizeof s - n, "true and (");
    n += (size_t)snprintf(s + n, sizeof s - n, "device.memory > 40");
    for (int i = 0; i < 20; i++) s[n++] = ')';
    s[n] = 0;
    assert_int_equal(says(s, &h100), 1);
    assert_int_equal(says(s, &t4), 22);
    for (int open = 33; open < 2000; open += 700) {
        memset(s, '(', (size_t)open);
        memcpy(s + open, "true", 5);
        assert_true(selector_begin(state, text(s), NULL, &err) < 0);
    }
    n = 0;
    while (n < 4000) n += (size_t)snprintf(s + n, sizeof s - n, "not ");
    memcpy(s + n, "true", 5);
    (void)selector_begin(state, text(s), NULL, &err); /* either way, but it returns */
    assert_int_equal(says("device.memory > 40", &h100), 1);
}

static void test_numbers(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        int is;
        double value;
    } cases[] = {{"0", 1, 0},
                 {"80", 1, 80},
                 {"-3", 1, -3},
                 {"0.5", 1, 0.5},
                 {"12.40", 1, 12.4},
                 {"", 0, 0},
                 {"-", 0, 0},
                 {"1.", 0, 0},
                 {".5", 0, 0},
                 {"007", 0, 0},
                 {"1e3", 0, 0},
                 {"0x10", 0, 0},
                 {"1.2.3", 0, 0},
                 {" 1", 0, 0},
                 {"nan", 0, 0},
                 {"1234567890123456", 0, 0},
                 {"123456789012345", 1, 123456789012345.0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double x = 0;
        assert_int_equal(selector_number(text(cases[i].text), &x), cases[i].is);
        if (cases[i].is) assert_true(x == cases[i].value);
    }
}

/* A made-up expression and a made-up device: the answer is that of the same expression here. */
static uint32_t seed = 0x5EED;
static uint32_t roll(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static void test_random(void **unused) {
    (void)unused;
    static const char *const operators[] = {"<", "<=", ">", ">=", "==", "~="};
    for (int round = 0; round < 2000; round++) {
        char s[512];
        size_t n = 0;
        uint32_t parts = 1 + roll(5), memory = roll(4), sm_count = roll(4), expected = 1;
        struct selector_device d = {{"x", 1}, (int64_t)memory << 30, sm_count, 0, NULL, 0};
        for (uint32_t i = 0; i < parts; i++) {
            uint32_t op = roll(6), value = roll(4), field = roll(2), is_not = roll(2);
            uint32_t have = field ? memory : sm_count;
            int holds = op == 0   ? have < value
                        : op == 1 ? have <= value
                        : op == 2 ? have > value
                        : op == 3 ? have >= value
                        : op == 4 ? have == value
                                  : have != value;
            n += (size_t)snprintf(s + n, sizeof s - n, "%s%s(device.%s %s %u)", i ? " and " : "",
                                  is_not ? "not " : "", field ? "memory" : "sm_count",
                                  operators[op], value);
            if (holds == (int)is_not && expected == 1) expected = SELECTOR_PART + i;
        }
        uint8_t answer = says(s, &d);
        if (answer != expected) fail_msg("round %d: %s: %u, not %u", round, s, answer, expected);
    }
}

/* Every allocation may fail; then nothing is lost and the next call works. */
static uint64_t left;
static void *fussy_alloc(void *user, size_t n) {
    (void)user;
    return left-- ? malloc(n) : NULL;
}
static void *fussy_realloc(void *user, void *old, size_t old_n, size_t n) {
    (void)user, (void)old_n;
    return left-- ? realloc(old, n) : NULL;
}
static void fussy_free(void *user, void *old, size_t n) {
    (void)user, (void)n;
    free(old);
}

static void test_no_memory(void **unused) {
    (void)unused;
    const lsched_allocator hooks = {sizeof hooks, 0, NULL, fussy_alloc, fussy_realloc, fussy_free};
    for (uint64_t n = 0;; n++) {
        struct alloc mine;
        struct selectors *s = NULL;
        lsched_error err = LSCHED_ERROR_INIT;
        uint8_t answer = 0;
        alloc_init(&mine, &hooks, 0);
        left = n;
        int32_t rc = selectors_open(&mine, &s, &err);
        if (rc == LSCHED_OK)
            rc = selector_begin(s, text("device.attributes.driver > 3 and device.sm_count > 4"),
                                NULL, &err);
        if (rc == LSCHED_OK) rc = selector_ask(s, &h100, &answer, &err);
        left = UINT64_MAX;
        if (rc == LSCHED_OK) assert_int_equal(answer, 1);
        if (rc != LSCHED_OK) assert_int_equal(rc, LSCHED_E_NOMEM);
        selectors_close(s);
        assert_int_equal(mine.bytes, 0);
        if (rc == LSCHED_OK) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fields),
                                       cmocka_unit_test(test_attributes),
                                       cmocka_unit_test(test_wrong_type_on_a_class),
                                       cmocka_unit_test(test_form),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_limits),
                                       cmocka_unit_test(test_deep),
                                       cmocka_unit_test(test_numbers),
                                       cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, open_state, close_state);
}
