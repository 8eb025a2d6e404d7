/* lsched_scenario_words: texts of the library in the words of a scenario. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>
#include <libsched/scenario.h>

static void assert_words(const char *text, const char *want) {
    char got[512];
    int64_t n = lsched_scenario_words(lsched_cstr(text), got, sizeof got);
    assert_string_equal(got, want);
    assert_int_equal(n, strlen(want));
}

static void test_words_and_clauses(void **state) {
    (void)state;
    assert_words("raise max_count, or lower min_count", "raise count, or lower min");
    assert_words("an update with LSCHED_JOB_SET_AGAIN lets it start again",
                 "update_jobs with \"again: true\" lets it start again");
    assert_words("the task runs already; LSCHED_BATCH_IDEMPOTENT accepts repeated reports",
                 "the task runs already");
    assert_words("duration_us: -5; expected 0", "duration: -5; expected 0");
    assert_words("checkpoint_period_us and _us", "checkpoint and _us");
    assert_words("", "");
    assert_words("nothing of C in it", "nothing of C in it");
}

/* A longer word is not the phrase that it contains. */
static void test_whole_words_only(void **state) {
    (void)state;
    assert_words("max_counts my_max_count max_count", "max_counts my_max_count count");
    assert_words("until_us2 LSCHED_NEVER_USX", "until_us2 LSCHED_NEVER_USX");
}

static void test_names_stay(void **state) {
    (void)state;
    assert_words("job 'max_count': raise max_count", "job 'max_count': raise count");
    assert_words("the job's max_count is the user's", "the job's count is the user's");
    assert_words("an open 'max_count", "an open 'count");
}

static void test_buffers(void **state) {
    char got[8];
    (void)state;
    assert_int_equal(lsched_scenario_words(LSCHED_TEXT("raise max_count"), NULL, 0), 11);
    memset(got, 'x', sizeof got);
    assert_int_equal(lsched_scenario_words(LSCHED_TEXT("raise max_count"), got, 8), 11);
    assert_string_equal(got, "raise c");
    assert_int_equal(lsched_scenario_words(LSCHED_TEXT("raise max_count"), got, 1), 11);
    assert_int_equal(got[0], 0);
    assert_int_equal(lsched_scenario_words((lsched_text){"until_us or more", 8}, got, 8), 5);
    assert_string_equal(got, "until");
    assert_int_equal(lsched_scenario_words((lsched_text){NULL, 0}, got, 8), 0);
    assert_string_equal(got, "");
}

/* An error of a call carries the words of C; the same error in a scenario does not. */
static void test_errors_of_a_scenario(void **state) {
    static const char text[] = "nodes: [{name: n, cpu: 4}]\n"
                               "queues: [{name: q}]\n"
                               "jobs: [{name: j, queue: q, tasks: {count: 2, cpu: 1}}]\n"
                               "events: [{at: 1m, update_jobs: [{name: j, min: 5}]}]\n";
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_scenario *s = NULL;
    lsched_cluster *c = NULL;
    (void)state;
    assert_int_equal(lsched_cluster_create(NULL, &c, &err), LSCHED_OK);
    assert_int_equal(
        lsched_scenario_parse(NULL, lsched_cstr(text), LSCHED_TEXT("x.yaml"), &s, &err), LSCHED_OK);
    assert_int_equal(lsched_scenario_run(s, c, NULL, NULL, &err), LSCHED_E_RANGE);
    assert_non_null(strstr(err.message, "give a smaller min or a larger count"));
    lsched_group_count count = LSCHED_GROUP_COUNT_INIT;
    lsched_job_update update = LSCHED_JOB_UPDATE_INIT;
    count.min_count = 5;
    update.name = LSCHED_TEXT("j");
    update.set = LSCHED_JOB_SET_COUNTS;
    update.counts = &count;
    update.n_counts = 1;
    assert_int_equal(lsched_jobs_update(c, &update, 1, 0, NULL, NULL, &err), LSCHED_E_RANGE);
    assert_non_null(strstr(err.message, "give a smaller min_count or a larger max_count"));
    lsched_scenario_destroy(s);
    lsched_cluster_destroy(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_and_clauses),    cmocka_unit_test(test_whole_words_only),
        cmocka_unit_test(test_names_stay),           cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_errors_of_a_scenario),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
