/* The words of codes.def: each code has one, no two codes of a list share a word, and a number that
 * is in no list has the word "unknown". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

struct code {
    const char *word;
    uint32_t value;
};

/* Whether each code of a list has its own word, and all other numbers up to 200 have none. */
static void check_list(const struct code *codes, size_t n, const char *(*word_of)(uint32_t)) {
    uint8_t listed[200] = {0};
    for (size_t i = 0; i < n; i++) {
        assert_true(codes[i].value < 200);
        assert_false(listed[codes[i].value]);
        listed[codes[i].value] = 1;
        assert_string_equal(word_of(codes[i].value), codes[i].word);
        assert_string_not_equal(codes[i].word, "unknown");
        for (size_t j = 0; j < i; j++) assert_string_not_equal(codes[i].word, codes[j].word);
    }
    for (uint32_t code = 0; code < 200; code++)
        if (!listed[code]) assert_string_equal(word_of(code), "unknown");
    assert_string_equal(word_of(UINT32_MAX), "unknown");
}

#define CODE(name, value, word) {word, value},

static void test_decisions(void **state) {
    static const struct code codes[] = {
#define LSCHED_X_DECISION CODE
#include <libsched/codes.def>
    };
    (void)state;
    check_list(codes, sizeof codes / sizeof *codes, lsched_decision_kind_name);
    assert_string_equal(lsched_decision_kind_name(LSCHED_DECIDE_MIGRATE), "migrate");
}

static void test_reasons(void **state) {
    static const struct code codes[] = {
#define LSCHED_X_FOR CODE
#include <libsched/codes.def>
    };
    (void)state;
    check_list(codes, sizeof codes / sizeof *codes, lsched_reason_name);
    assert_string_equal(lsched_reason_name(LSCHED_FOR_STALE_GANG), "stale-gang");
}

static void test_task_states(void **state) {
    static const struct code codes[] = {
#define LSCHED_X_TASK CODE
#include <libsched/codes.def>
    };
    (void)state;
    check_list(codes, sizeof codes / sizeof *codes, lsched_task_state_name);
    assert_string_equal(lsched_task_state_name(LSCHED_TASK_NONE), "waiting");
}

static void test_waits(void **state) {
    static const struct code codes[] = {
#define LSCHED_X_WAIT CODE
#include <libsched/codes.def>
    };
    (void)state;
    check_list(codes, sizeof codes / sizeof *codes, lsched_wait_name);
    assert_string_equal(lsched_wait_name(LSCHED_WAIT_NEVER_FITS), "never-fits");
}

static void test_evicts(void **state) {
    static const struct code codes[] = {
#define LSCHED_X_NO_VICTIM CODE
#include <libsched/codes.def>
    };
    (void)state;
    check_list(codes, sizeof codes / sizeof *codes, lsched_no_victim_name);
    assert_string_equal(lsched_no_victim_name(LSCHED_NO_VICTIM_MIN_RUNTIME), "min-runtime");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decisions),   cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_task_states), cmocka_unit_test(test_waits),
        cmocka_unit_test(test_evicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
