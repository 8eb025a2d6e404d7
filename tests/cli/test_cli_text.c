/* What the program writes: times, lists of names, tables, JSON, and what it takes a word for. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/support/did_you_mean.h"
#include "cli/support/json_writer.h"
#include "cli/support/name_list.h"
#include "cli/support/prng.h"
#include "cli/support/text_table.h"
#include "cli/support/time_text.h"

#define DAY_US ((int64_t)86400 * 1000000)

static void times_are_written_and_read_in_utc(void **unused) {
    (void)unused;
    static const struct {
        int64_t us;
        const char *text;
    } cases[] = {
        {0, "1970-01-01T00:00:00Z"},
        {951782400 * (int64_t)1000000, "2000-02-29T00:00:00Z"},
        {1767601800 * (int64_t)1000000, "2026-01-05T08:30:00Z"},
        {4107542399 * (int64_t)1000000, "2100-02-28T23:59:59Z"},
    };
    char text[TIME_TEXT_BYTES];
    int64_t back;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(time_format(cases[i].us, text), cases[i].text);
        assert_true(time_parse(cases[i].text, 0, &back));
        assert_true(back == cases[i].us);
    }
    assert_string_equal(time_format(1250000, text), "1970-01-01T00:00:01.25Z");
    assert_string_equal(time_format(LSCHED_NEVER_US, text), "never");
    for (int64_t day = 0; day < 200000; day += 97) { /* five centuries */
        assert_true(time_parse(time_format(day * DAY_US, text), 0, &back));
        assert_true(back == day * DAY_US);
    }
}

static void times_may_count_from_a_start(void **unused) {
    (void)unused;
    int64_t got = 0;
    assert_true(time_parse("2026-01-05", 0, &got) && got == 1767571200 * (int64_t)1000000);
    assert_true(time_parse("2026-01-05T08:30Z", 0, &got) && got == 1767601800 * (int64_t)1000000);
    assert_true(time_parse("0", 5, &got) && got == 5);
    assert_true(time_parse("2h30m", 5, &got) && got == 9000 * (int64_t)1000000 + 5);
    assert_true(time_parse("+1d", 0, &got) && got == DAY_US);
    assert_true(time_parse("1s500ms", 0, &got) && got == 1500000);
    static const char *const wrong[] = {"",
                                        "now",
                                        "5",
                                        "h",
                                        "-1h",
                                        "1.5h",
                                        "2026-02-30",
                                        "2026-13-01",
                                        "1969-12-31",
                                        "2026-01-05T08:30",
                                        "2026-01-05T24:00Z",
                                        "2026-01-05T08:30:61Z",
                                        "99999999999999d",
                                        "2026-01-05 "};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_false(time_parse(wrong[i], 0, &got));
    }
    char text[TIME_TEXT_BYTES];
    assert_string_equal(span_format(9000 * (int64_t)1000000, text), "2h30m");
    assert_string_equal(span_format(0, text), "0s");
    assert_string_equal(span_format(-90500000, text), "-1m30.5s");
}

static void check_list(const char *const *words, size_t n, const char *expected) {
    lsched_text names[16];
    for (size_t i = 0; i < n; i++) names[i] = (lsched_text){words[i], strlen(words[i])};
    char *got = name_list(names, n, 3);
    assert_string_equal(got, expected);
    free(got);
}

static void names_are_listed_as_people_count(void **unused) {
    (void)unused;
    check_list((const char *const[]){"n10", "n9", "n8", "n8"}, 4, "n[8-10]");
    check_list((const char *const[]){"n09", "n10", "n11"}, 3, "n[09-11]");
    check_list((const char *const[]){"n9", "n010"}, 2, "n9, n010");
    check_list((const char *const[]){"b", "a-1", "a-3"}, 3, "a-1, a-3, b");
    check_list((const char *const[]){"e", "d", "c", "b", "a"}, 5, "a, b, c and 2 more");
    check_list((const char *const[]){"7", "8"}, 2, "[7-8]");
    check_list((const char *const[]){"a999999999", "a1000000000"}, 2, "a999999999, a1000000000");
    check_list((const char *const[]){"n-b", "n-a", "n-96", "n-95"}, 4, "n-[95-96], n-[a-b]");
    check_list((const char *const[]){"alpha", "alphb"}, 2, "alpha, alphb");
    check_list(NULL, 0, "");
}

/* What fn writes, to be freed. */
static char *written(void (*fn)(FILE *out)) {
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    fn(out);
    fclose(out);
    return text;
}

static void write_json(FILE *out) {
    struct json json;
    json_begin(&json, out);
    json_object(&json, NULL, JSON_LINES);
    json_text(&json, "text", "a\"\\\n\x01\xff\xc3\xa4", 8);
    json_int(&json, "least", INT64_MIN);
    json_uint(&json, "most", UINT64_MAX);
    json_fixed(&json, "half", 0.5, 2);
    json_fixed(&json, "none", (double)NAN, 2);
    json_hash(&json, "hash", 0xab);
    json_array(&json, "lines", JSON_LINES);
    json_array(&json, NULL, JSON_LINE);
    json_bool(&json, NULL, true);
    json_object(&json, NULL, JSON_LINES); /* stays on the line of the array around it */
    json_null(&json, "x");
    json_close(&json);
    json_close(&json);
    json_array(&json, NULL, JSON_LINES);
    json_close(&json);
    json_close(&json);
    json_close(&json);
    json_end(&json);
}

static void json_is_exact(void **unused) {
    (void)unused;
    char *text = written(write_json);
    assert_string_equal(text, "{\n"
                              "  \"text\": \"a\\\"\\\\\\n\\u0001\\ufffd\xc3\xa4\",\n"
                              "  \"least\": -9223372036854775808,\n"
                              "  \"most\": 18446744073709551615,\n"
                              "  \"half\": 0.50,\n"
                              "  \"none\": null,\n"
                              "  \"hash\": \"00000000000000ab\",\n"
                              "  \"lines\": [\n"
                              "    [true, {\"x\": null}],\n"
                              "    []\n"
                              "  ]\n"
                              "}\n");
    free(text);
}

static void write_table(FILE *out) {
    struct text_table table;
    table_begin(&table, "lrl");
    table_cell(&table, "name");
    table_cell(&table, "n");
    table_cell(&table, "why");
    table_cell(&table, "%s", "\xc3\xa4\xc3\xb6");
    table_cell(&table, "%d", 1234);
    table_cell(&table, "one two three four five six");
    table_cell(&table, "a\x1b[31m");
    table_cell(&table, "5");
    table_cell(&table, " ");
    table_print(&table, out, 1, 36);
}

static void tables_align_and_wrap_and_keep_control_characters_out(void **unused) {
    (void)unused;
    char *text = written(write_table);
    assert_string_equal(text, " name       n  why\n"
                              " \xc3\xa4\xc3\xb6      1234  one two three four\n"
                              "               five six\n"
                              " a?[31m     5  \n");
    free(text);
}

static const char *word(const void *list, size_t i) {
    return ((const char *const *)list)[i];
}

static void words_are_recognised_by_one_slip_of_the_hand(void **unused) {
    (void)unused;
    static const char *const words[] = {"run", "simulate", "shuffle-nodes", "policies", NULL};
    assert_string_equal(suggest("rnu", word, words), "run");
    assert_string_equal(suggest("simualte", word, words), "simulate");
    assert_string_equal(suggest("shuffle", word, words), "shuffle-nodes");
    assert_string_equal(suggest("policy", word, words), "policies");
    assert_null(suggest("x", word, words));
    assert_null(suggest("", word, words));
    assert_null(suggest("walk", word, words));
    char huge[4096];
    memset(huge, 'r', sizeof huge - 1);
    huge[sizeof huge - 1] = '\0';
    assert_null(suggest(huge, word, words));
}

static void the_generator_is_splitmix64(void **unused) {
    (void)unused;
    struct prng prng = {1234567};
    assert_true(prng_next(&prng) == UINT64_C(6457827717110365317));
    assert_true(prng_next(&prng) == UINT64_C(3203168211198807973));
    assert_true(prng_next(&prng) == UINT64_C(9817491932198370423));
    for (int i = 0; i < 1000; i++) assert_true(prng_below(&prng, 7) < 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_written_and_read_in_utc),
        cmocka_unit_test(times_may_count_from_a_start),
        cmocka_unit_test(names_are_listed_as_people_count),
        cmocka_unit_test(json_is_exact),
        cmocka_unit_test(tables_align_and_wrap_and_keep_control_characters_out),
        cmocka_unit_test(words_are_recognised_by_one_slip_of_the_hand),
        cmocka_unit_test(the_generator_is_splitmix64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
