/* The YAML reader: what the tree holds, where things stood, and every bound and refusal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/read/yaml_reader.h"
#include "support/fault_alloc.h"

static const struct ytree_limits roomy = {1 << 20, 10000, 16};

struct parsed {
    struct alloc alloc;
    struct ytree tree;
    lsched_error err;
    int32_t code;
};

static void parse_limited(struct parsed *p, const char *text, size_t len,
                          const struct ytree_limits *limits) {
    memset(p, 0, sizeof *p);
    p->err = (lsched_error)LSCHED_ERROR_INIT;
    struct complain complain = {"x.yaml", &p->err};
    assert_int_equal(alloc_init(&p->alloc, NULL, 0), LSCHED_OK);
    p->code = ytree_read(&p->tree, &p->alloc, limits, text, len, &complain);
}

static void parse(struct parsed *p, const char *text) {
    parse_limited(p, text, strlen(text), &roomy);
}

static void drop(struct parsed *p) {
    ytree_drop(&p->tree);
    assert_true(p->alloc.bytes == 0);
}

static void expect_error(const char *text, int32_t code, const char *message) {
    struct parsed p;
    parse(&p, text);
    if (p.code != code || strcmp(p.err.message, message) != 0)
        fail_msg("%s\nexpected %d %s\ngot %d %s", text, (int)code, message, (int)p.code,
                 p.err.message);
    assert_int_equal(p.err.code, code);
    drop(&p);
}

static uint32_t value_of(const struct ytree *t, uint32_t map, const char *key) {
    uint32_t at = ytree_at(t, map)->first;
    for (uint32_t n = ytree_at(t, map)->n; n > 0; n--) {
        uint32_t value = t->nodes[at].next;
        if (strcmp(ytree_text(t, ytree_at(t, at)), key) == 0) return value;
        at = t->nodes[value].next;
    }
    fail_msg("no key %s", key);
    return 0;
}

static void test_tree_keeps_order_places_and_styles(void **state) {
    struct parsed p;
    (void)state;
    parse(&p, "a: [1, 'two', {b: no}]\n"
              "text: |\n\n"
              "  one\n"
              "  two\n"
              "last:\n");
    assert_int_equal(p.code, 0);
    const struct ytree *t = &p.tree;
    assert_int_equal(t->nodes[0].kind, YTREE_MAP);
    assert_int_equal(t->nodes[0].n, 3);
    uint32_t list = value_of(t, 0, "a"), item = t->nodes[list].first;
    assert_int_equal(t->nodes[list].n, 3);
    assert_string_equal(ytree_text(t, ytree_at(t, item)), "1");
    assert_int_equal(t->nodes[item].mark.line, 1);
    assert_int_equal(t->nodes[item].mark.column, 5);
    assert_int_equal(t->nodes[item].quoted, 0);
    item = t->nodes[item].next;
    assert_string_equal(ytree_text(t, ytree_at(t, item)), "two");
    assert_int_equal(t->nodes[item].quoted, 1);
    item = t->nodes[item].next;
    assert_string_equal(ytree_text(t, ytree_at(t, value_of(t, item, "b"))), "no");
    uint32_t text = value_of(t, 0, "text");
    assert_string_equal(ytree_text(t, ytree_at(t, text)), "\none\ntwo\n");
    assert_int_equal(t->nodes[text].mark.line, 2);
    assert_int_equal(t->nodes[text].block, 3);
    assert_int_equal(ytree_at(t, value_of(t, 0, "last"))->n, 0);
    drop(&p);
}

static void test_aliases_are_followed(void **state) {
    struct parsed p;
    (void)state;
    parse(&p, "a: &x {k: v}\nb: *x\nc: &x w\nd: *x\n");
    assert_int_equal(p.code, 0);
    assert_ptr_equal(ytree_at(&p.tree, value_of(&p.tree, 0, "b")),
                     ytree_at(&p.tree, value_of(&p.tree, 0, "a")));
    assert_string_equal(ytree_text(&p.tree, ytree_at(&p.tree, value_of(&p.tree, 0, "d"))), "w");
    drop(&p);
}

static void test_refusals_say_where(void **state) {
    (void)state;
    expect_error("", LSCHED_E_SYNTAX, "x.yaml:1:1: expected a document, got an empty text");
    expect_error("# nothing\n", LSCHED_E_SYNTAX,
                 "x.yaml:1:1: expected a document, got an empty text");
    expect_error("a: 1\n---\nb: 2\n", LSCHED_E_SYNTAX,
                 "x.yaml:2:1: expected one document, got a second one");
    expect_error("a: 1\nb: 2\na: 3\n", LSCHED_E_EXISTS,
                 "x.yaml:3:1: expected every key once, got \"a\" again (first at line 1)");
    expect_error("a: !!str 1\n", LSCHED_E_SYNTAX,
                 "x.yaml:1:4: expected a value without a tag, got \"tag:yaml.org,2002:str\"");
    expect_error("[a, b]: 1\n", LSCHED_E_TYPE, "x.yaml:1:1: expected a text as key, got a list");
    expect_error("? {a: b}\n: 1\n", LSCHED_E_TYPE, "x.yaml:1:3: expected a text as key, got a map");
    expect_error("a: *b\n", LSCHED_E_NOENT,
                 "x.yaml:1:4: expected an anchor that stands above, got *\"b\"");
    expect_error("a: &b [1, *b]\n", LSCHED_E_CYCLE,
                 "x.yaml:1:11: expected an alias of something else, got *\"b\" in itself");
    expect_error("a: \"x\\0y\"\n", LSCHED_E_TYPE,
                 "x.yaml:1:4: expected a text without NUL bytes, got one");
    expect_error(
        "a: [1,\nb: 2\n", LSCHED_E_SYNTAX,
        "x.yaml:3:1: expected YAML, got: did not find expected ',' or ']' while parsing a flow "
        "sequence");
    expect_error("a: b: c\n", LSCHED_E_SYNTAX,
                 "x.yaml:1:5: expected YAML, got: mapping values are not allowed in this context");
    expect_error(
        "\tb: 1\n", LSCHED_E_SYNTAX,
        "x.yaml:1:1: expected YAML, got: found character that cannot start any token while "
        "scanning for "
        "the next token");
}

static void test_text_must_be_utf8(void **state) {
    struct parsed p;
    (void)state;
    parse(&p, "a: \xff\xfe\n");
    assert_int_equal(p.code, LSCHED_E_SYNTAX);
    assert_non_null(strstr(p.err.message, "expected UTF-8 text"));
    drop(&p);
    parse_limited(&p,
                  "\xff\xfe"
                  "a\0:\0 \0b\0",
                  10, &roomy); /* UTF-16 */
    assert_int_equal(p.code, LSCHED_E_SYNTAX);
    drop(&p);
    parse(&p, "\xef\xbb\xbf"
              "a: b\n"); /* a byte order mark is fine */
    assert_int_equal(p.code, 0);
    drop(&p);
}

/* Duplicates are found by another way in large maps. */
static void test_duplicate_in_a_large_map(void **state) {
    static char text[16384];
    size_t used = 0;
    struct parsed p;
    (void)state;
    for (int i = 0; i < 300; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "key%d: 1\n", (i * 7919) % 1000);
    parse(&p, text);
    assert_int_equal(p.code, 0);
    drop(&p);
    snprintf(text + used, sizeof text - used, "\"key%d\": 2\n", (123 * 7919) % 1000);
    parse(&p, text);
    assert_int_equal(p.code, LSCHED_E_EXISTS);
    assert_int_equal(p.err.line, 301);
    assert_non_null(strstr(p.err.message, "first at line 124"));
    drop(&p);
}

static void test_bounds(void **state) {
    struct ytree_limits limits = {8, 10000, 16};
    struct parsed p;
    char deep[256];
    (void)state;
    parse_limited(&p, "abc: defg\n", 10, &limits);
    assert_int_equal(p.code, LSCHED_E_LIMIT);
    assert_string_equal(p.err.message, "x.yaml: expected at most 8 bytes, got 10");
    limits = (struct ytree_limits){1000, 5, 16};
    parse_limited(&p, "[1, 2, 3, 4]", 12, &limits);
    assert_int_equal(p.code, 0);
    drop(&p);
    parse_limited(&p, "[1, 2, 3, 4, 5]", 15, &limits);
    assert_int_equal(p.code, LSCHED_E_LIMIT);
    assert_int_equal(p.err.column, 14);
    drop(&p);
    memset(deep, '[', 16);
    memset(deep + 16, ']', 16);
    parse_limited(&p, deep, 32, &roomy);
    assert_int_equal(p.code, 0);
    drop(&p);
    memset(deep, '[', 100);
    parse_limited(&p, deep, 100, &roomy);
    assert_int_equal(p.code, LSCHED_E_LIMIT);
    assert_string_equal(p.err.message,
                        "x.yaml:1:17: expected at most 16 levels of nesting, got more");
    drop(&p);
}

/* Nine levels of nine aliases are 9^9 nodes; the reader must say so at once. */
static void test_alias_bomb(void **state) {
    struct parsed p;
    (void)state;
    parse(&p, "a: &a [x,x,x,x,x,x,x,x,x]\n"
              "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
              "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
              "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
              "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\n"
              "f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n");
    assert_int_equal(p.code, LSCHED_E_LIMIT);
    assert_int_equal(p.err.line, 5);
    assert_non_null(strstr(p.err.message, "after following aliases"));
    drop(&p);
}

static void test_messages_stay_clean_and_bounded(void **state) {
    char text[1200];
    struct parsed p;
    (void)state;
    snprintf(text, sizeof text, "a: *%0500d\n", 7);
    parse(&p, text);
    assert_int_equal(p.code, LSCHED_E_NOENT);
    assert_true(strlen(p.err.message) < sizeof p.err.message);
    assert_non_null(strstr(p.err.message, "...\""));
    drop(&p);
    struct quote q = complain_quote("a\x01\n\x7f"
                                    "b",
                                    5);
    assert_string_equal(q.text, "\"a???b\"");
    memset(text, 0, sizeof text);
    for (int i = 0; i < 60; i++) memcpy(text + 2 * i, "\xc3\xa4", 2); /* cut between characters */
    q = complain_quote(text, 120);
    size_t n = strlen(q.text);
    assert_true(n < sizeof q.text);
    assert_string_equal(q.text + n - 4, "...\"");
    assert_int_equal((unsigned char)q.text[n - 5], 0xa4);
}

/* An error record of an older host is shorter; nothing past its size may be written. */
static void test_error_record_of_another_size(void **state) {
    union {
        lsched_error err;
        unsigned char bytes[sizeof(lsched_error)];
    } u;
    (void)state;
    memset(u.bytes, 0xEE, sizeof u.bytes);
    u.err.size = (uint32_t)offsetof(lsched_error, message) + 20;
    struct complain complain = {"x.yaml", &u.err};
    complain_at(&complain, LSCHED_E_TYPE, (struct mark){3, 4}, "a text that is longer than that");
    assert_int_equal(u.err.code, LSCHED_E_TYPE);
    assert_int_equal(u.err.line, 3);
    assert_string_equal(u.err.message, "x.yaml:3:4: a text ");
    for (size_t i = u.err.size; i < sizeof u.bytes; i++) assert_int_equal(u.bytes[i], 0xEE);
}

static void test_out_of_memory_at_every_allocation(void **state) {
    static const char text[] =
        "a: &a [1, 2, {b: c}]\nd: *a\nlong: a rather long text that needs room\n";
    (void)state;
    for (uint64_t n = 1;; n++) {
        struct fault_alloc fault = {.fail_at = n};
        lsched_allocator hooks = fault_hooks(&fault);
        struct alloc alloc;
        struct ytree tree;
        lsched_error err = LSCHED_ERROR_INIT;
        struct complain complain = {"x.yaml", &err};
        assert_int_equal(alloc_init(&alloc, &hooks, 0), LSCHED_OK);
        int32_t code = ytree_read(&tree, &alloc, &roomy, text, strlen(text), &complain);
        ytree_drop(&tree);
        assert_true(fault.live_blocks == 0);
        assert_true(fault.wrong_sizes == 0);
        if (fault.failures == 0) {
            assert_int_equal(code, 0);
            print_message("%llu allocations\n", (unsigned long long)n - 1);
            return;
        }
        assert_int_equal(code, LSCHED_E_NOMEM);
        assert_int_equal(err.code, LSCHED_E_NOMEM);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree_keeps_order_places_and_styles),
        cmocka_unit_test(test_aliases_are_followed),
        cmocka_unit_test(test_refusals_say_where),
        cmocka_unit_test(test_text_must_be_utf8),
        cmocka_unit_test(test_duplicate_in_a_large_map),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_alias_bomb),
        cmocka_unit_test(test_messages_stay_clean_and_bounded),
        cmocka_unit_test(test_error_record_of_another_size),
        cmocka_unit_test(test_out_of_memory_at_every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
