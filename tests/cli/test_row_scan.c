/* Numbers become whole millionths that are never too small; rows are split wherever they end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/input/row_scan.h"

static void decimal_is(const char *text, int64_t expected) {
    int64_t micro = -1;
    if (decimal_parse(text, strlen(text), &micro) != DECIMAL_OK) fail_msg("'%s' is a number", text);
    if (micro != expected) fail_msg("'%s': %lld", text, (long long)micro);
}

static void decimal_is_not(const char *text, enum decimal expected) {
    int64_t micro = 0;
    if (decimal_parse(text, strlen(text), &micro) != expected) fail_msg("'%s'", text);
}

static void test_numbers(void **state) {
    (void)state;
    decimal_is("0", 0);
    decimal_is("-0.0", 0);
    decimal_is("7", 7000000);
    decimal_is("+7", 7000000);
    decimal_is("007.50", 7500000);
    decimal_is(".5", 500000);
    decimal_is("5.", 5000000);
    decimal_is("3.3879490560e10", INT64_C(33879490560000000));
    decimal_is("33879490560.0", INT64_C(33879490560000000));
    decimal_is("1e-6", 1);
    decimal_is("25E-1", 2500000);
    decimal_is("0.000000000000000000000001e24", 1000000);
    decimal_is("100000000000000000000e-20", 1000000);
    decimal_is("4611686018427.387903", DECIMAL_MICRO_MAX);
}

static void test_what_is_lost_rounds_up(void **state) {
    (void)state;
    decimal_is("0.6623353560765585", 662336);
    decimal_is("0.0000001", 1);
    decimal_is("1e-30", 1);
    decimal_is("1.0000000000000000000000001", 1000001);
    decimal_is("1.0000000000000000000000000", 1000000);
    decimal_is("0e99", 0);
}

static void test_what_is_no_number(void **state) {
    static const char *const texts[] = {"",    "-",   ".",   "e5",   "nan", "inf", "0x10", "1e",
                                        "1e+", "1 2", "1,2", "1..2", "--1", "1-",  "NaN",  "1e5.5"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        decimal_is_not(texts[i], DECIMAL_BAD);
    decimal_is_not("-1", DECIMAL_NEGATIVE);
    decimal_is_not("-1e-9", DECIMAL_NEGATIVE);
    decimal_is_not("1e13", DECIMAL_HUGE);
    decimal_is_not("4611686018427.387904", DECIMAL_HUGE);
    decimal_is_not("4611686018427.3879031", DECIMAL_HUGE);
    decimal_is_not("99999999999999999999999999", DECIMAL_HUGE);
    decimal_is_not("1e999999999999", DECIMAL_HUGE);
}

static void test_rows(void **state) {
    static const char text[] = "\xef\xbb\xbf"
                               "a, b ,,c\r\n\n \n1\t 2 3";
    static const char *const fields[] = {"a", "b", "", "c"};
    static const char *const words[] = {"1", "2", "3"};
    struct rows rows;
    struct csv_field field;
    (void)state;
    rows_begin(&rows, text, sizeof text - 1);
    assert_true(rows_next(&rows));
    for (size_t i = 0; i < 4; i++) {
        assert_true(rows_field(&rows, &field));
        assert_int_equal(field.len, strlen(fields[i]));
        assert_memory_equal(field.text, fields[i], field.len);
    }
    assert_false(rows_field(&rows, &field));
    assert_int_equal(rows_end_column(&rows), 9);
    assert_true(rows_next(&rows));
    assert_int_equal(rows.line, 4);
    for (size_t i = 0; i < 3; i++) {
        assert_true(rows_word(&rows, &field));
        assert_int_equal(field.len, 1);
        assert_memory_equal(field.text, words[i], 1);
    }
    assert_int_equal(field.column, 6);
    assert_false(rows_word(&rows, &field));
    assert_false(rows_next(&rows));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_what_is_lost_rounds_up),
        cmocka_unit_test(test_what_is_no_number),
        cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
