/* Names that stand for many: order, padding, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "config/read/name_range.h"

static void expect_names(const char *text, const char *const *names, size_t n) {
    struct name_range range;
    char buf[NAME_RANGE_BYTES];
    const char *wrong = name_range_parse(&range, text, strlen(text));
    print_message("%s\n", text);
    if (wrong) fail_msg("%s", wrong);
    assert_true(range.count == n);
    for (size_t i = 0; i < n; i++) {
        size_t len = name_range_write(&range, i, buf);
        buf[len] = '\0';
        assert_string_equal(buf, names[i]);
    }
}

#define EXPECT(text, ...)                                        \
    do {                                                         \
        static const char *const names[] = {__VA_ARGS__};        \
        expect_names(text, names, sizeof names / sizeof *names); \
    } while (0)

static void test_names(void **state) {
    (void)state;
    EXPECT("plain", "plain");
    EXPECT("n-[0-2]", "n-0", "n-1", "n-2");
    EXPECT("n-[9-11]", "n-9", "n-10", "n-11");
    EXPECT("n-[08-11]", "n-08", "n-09", "n-10", "n-11");
    EXPECT("n-[007]", "n-007");
    EXPECT("n-[0-1,5,7-8]x", "n-0x", "n-1x", "n-5x", "n-7x", "n-8x");
    EXPECT("zone-[a-c,X]", "zone-a", "zone-b", "zone-c", "zone-X");
    EXPECT("r[0-1]n[0-2]", "r0n0", "r0n1", "r0n2", "r1n0", "r1n1", "r1n2");
    EXPECT("[a-b][0-1]", "a0", "a1", "b0", "b1");
    EXPECT("[999999998-999999999]", "999999998", "999999999");
}

static void test_refused(void **state) {
    static const char *const texts[] = {"n-[",    "n-]",     "n-[]",      "n-[0-]",
                                        "n-[-1]", "n-[2-1]", "n-[a-1]",   "n-[1-a]",
                                        "n-[0,]", "n-[0;1]", "n-[ab]",    "[0][0][0][0][0]",
                                        "n-[0-1", "n-[1.5]", "n-[[0-1]]", "n-[1234567890]"};
    struct name_range range;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        print_message("%s\n", texts[i]);
        assert_non_null(name_range_parse(&range, texts[i], strlen(texts[i])));
    }
    /* 10^36 names */
    assert_non_null(
        name_range_parse(&range, "[0-999999999][0-999999999][0-999999999][0-999999999]", 52));
}

static void test_length_bounds_the_text(void **state) {
    struct name_range range;
    (void)state;
    assert_null(name_range_parse(&range, "ab[0-3]", 2));
    assert_true(range.count == 1);
    assert_non_null(name_range_parse(&range, "ab[0-3]", 5));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_length_bounds_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
