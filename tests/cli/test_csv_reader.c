/* The CSV reader: fields are where they were written, and numbers are read whole or not at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/input/csv_reader.h"

static const char *const wanted[] = {"b", "a"};

static int32_t begin(struct csv *csv, const char *text, size_t *place, lsched_error *err) {
    return csv_begin(csv, text, strlen(text), wanted, 2, place, err);
}

static void fields_are_found_by_the_name_of_their_column(void **unused) {
    (void)unused;
    struct csv csv;
    size_t place[2];
    lsched_error err = LSCHED_ERROR_INIT;
    assert_int_equal(begin(&csv, "a,x,b\n1,two,3\r\n,,\n", place, &err), 0);
    assert_int_equal(csv_next(&csv, &err), 1);
    assert_int_equal(csv.n_fields, 3);
    assert_memory_equal(csv.fields[place[0]].text, "3", 1);
    assert_memory_equal(csv.fields[place[1]].text, "1", 1);
    assert_int_equal(csv.fields[1].len, 3);
    assert_int_equal(csv.fields[place[0]].len, 1); /* no carriage return */
    assert_int_equal(csv.fields[2].column, 7);
    assert_int_equal(csv_next(&csv, &err), 1);
    assert_int_equal(csv.line, 3);
    assert_int_equal(csv.fields[2].len, 0);
    assert_int_equal(csv_next(&csv, &err), 0);
    assert_int_equal(csv_next(&csv, &err), 0); /* the end stays the end */
}

static void every_cut_of_a_file_is_an_error_or_ends_with_a_line(void **unused) {
    (void)unused;
    static const char text[] = "a,b\n12,345\n6,7\n";
    for (size_t len = 0; len < sizeof text - 1; len++) {
        struct csv csv;
        size_t place[2];
        lsched_error err = LSCHED_ERROR_INIT;
        int32_t rc = csv_begin(&csv, text, len, wanted, 2, place, &err);
        while (rc == 0 && (rc = csv_next(&csv, &err)) == 1) rc = 0;
        if (len > 0 && text[len - 1] == '\n') {
            assert_int_equal(rc, 0);
        } else {
            assert_int_equal(rc, LSCHED_E_SYNTAX);
            assert_true(err.line >= 1 && err.column >= 1 && err.message[0] != '\0');
        }
    }
}

static int32_t number(const char *field, int64_t min, int64_t max, int64_t *out) {
    char text[64] = "a,b\n";
    struct csv csv;
    size_t place[2];
    lsched_error err = LSCHED_ERROR_INIT;
    strcat(strcat(text, field), ",\n");
    assert_int_equal(begin(&csv, text, place, &err), 0);
    assert_int_equal(csv_next(&csv, &err), 1);
    int32_t rc = csv_number(&csv, place[1], min, max, out, &err);
    assert_int_equal(rc, err.code);
    return rc;
}

static void numbers(void **unused) {
    (void)unused;
    int64_t got = -7;
    assert_int_equal(number("0", 0, 9, &got), 0);
    assert_int_equal(got, 0);
    assert_int_equal(number("007", 0, 9, &got), 0);
    assert_int_equal(got, 7);
    assert_int_equal(number("-3", -5, 9, &got), 0);
    assert_int_equal(got, -3);
    assert_int_equal(number("9223372036854775807", 0, INT64_MAX, &got), 0);
    assert_true(got == INT64_MAX);
    got = 1;
    static const char *const out_of_range[] = {"10", "-1", "9223372036854775808",
                                               "99999999999999999999999999"};
    static const char *const no_number[] = {"", "-", "+1", " 1", "1 ", "0x1", "1e3", "1.0", "--1"};
    for (size_t i = 0; i < sizeof out_of_range / sizeof out_of_range[0]; i++) {
        assert_int_equal(number(out_of_range[i], 0, 9, &got), LSCHED_E_RANGE);
    }
    for (size_t i = 0; i < sizeof no_number / sizeof no_number[0]; i++) {
        assert_int_equal(number(no_number[i], 0, 9, &got), LSCHED_E_SYNTAX);
    }
    assert_int_equal(got, 1); /* errors leave it alone */
}

static void empty_lines_end_a_file_and_stand_nowhere_else(void **unused) {
    (void)unused;
    struct csv csv;
    size_t place[2];
    lsched_error err = LSCHED_ERROR_INIT;
    assert_int_equal(begin(&csv, "b,a\n1,2\n\n\r\n", place, &err), 0);
    assert_int_equal(csv_next(&csv, &err), 1);
    assert_int_equal(csv_next(&csv, &err), 0);
    assert_int_equal(begin(&csv, "b,a\n1,2\n\n3,4\n", place, &err), 0);
    assert_int_equal(csv_next(&csv, &err), 1);
    assert_int_equal(csv_next(&csv, &err), LSCHED_E_SYNTAX);
    assert_int_equal(err.line, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_found_by_the_name_of_their_column),
        cmocka_unit_test(every_cut_of_a_file_is_an_error_or_ends_with_a_line),
        cmocka_unit_test(numbers),
        cmocka_unit_test(empty_lines_end_a_file_and_stand_nowhere_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
