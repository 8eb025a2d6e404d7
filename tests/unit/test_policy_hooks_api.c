/* What a host may ask about the hooks of its policy: how each is answered, and of what an answer is the sum. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "support/api_world.h"
#include <cmocka.h>

static const char text[] = "return { api = 1,\n"
                           "  priority = function(job) return 2 * job.tasks + 5 end,\n"
                           "  admit = function(job) return true end,\n"
                           "  score = function(job, node)\n"
                           "    for i = 1, 2 do end\n"
                           "    return node.cpu end }\n";

struct asked {
    lsched_cluster *c;
    lsched_id node, job;
};

static struct asked world(const char *policy) {
    struct asked w = {0};
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_node_desc node = api_node("n");
    lsched_queue_desc queue = api_queue("q", NULL);
    lsched_group_desc group = api_group(3);
    lsched_job_desc job = api_job("j", &group, 1);
    lsched_id id;
    job.queue_name = (lsched_text){"q", 1};
    assert_int_equal(lsched_cluster_create(NULL, &w.c, NULL), 0);
    assert_int_equal(lsched_nodes_add(w.c, &node, 1, sizeof node, NULL, &w.node, NULL, NULL), 1);
    assert_int_equal(lsched_queues_add(w.c, &queue, 1, sizeof queue, NULL, &id, NULL, NULL), 1);
    assert_int_equal(lsched_jobs_submit(w.c, &job, 1, sizeof job, NULL, &w.job, NULL, NULL), 1);
    if (policy && lsched_policy_load(w.c, LSCHED_TEXT("p"), lsched_cstr(policy), NULL, &err))
        fail_msg("%s", err.message);
    return w;
}

static void hooks_are_listed(void **state) {
    (void)state;
    struct asked w = world(text);
    lsched_policy_hook_info i = {.size = sizeof i};
    assert_int_equal(lsched_policy_hooks_at(w.c, 0, &i, NULL), 0);
    assert_string_equal(i.name, "priority");
    assert_int_equal(i.hook, LSCHED_HOOK_PRIORITY);
    assert_int_equal(i.lifted, 1);
    assert_true(i.ops > 0 && i.instructions > 0);
    assert_string_equal(i.reason, "");
    assert_int_equal(lsched_policy_hooks_at(w.c, 1, &i, NULL), 0);
    assert_string_equal(i.name, "admit");
    assert_int_equal(i.lifted, 0);
    assert_int_equal(lsched_policy_hooks_at(w.c, 2, &i, NULL), 0);
    assert_string_equal(i.name, "score");
    assert_int_equal(i.lifted, 0);
    assert_string_equal(i.reason, "a loop");
    assert_int_equal(i.reason_line, 5);
    assert_int_equal(i.reason_column, 5);
    assert_int_equal(lsched_policy_hooks_at(w.c, 3, &i, NULL), LSCHED_E_NOENT);
    assert_int_equal(lsched_policy_hooks_at(w.c, 0, NULL, NULL), LSCHED_E_NULL);
    lsched_cluster_destroy(w.c);
    w = world(NULL);
    assert_int_equal(lsched_policy_hooks_at(w.c, 0, &i, NULL), LSCHED_E_NOENT);
    lsched_cluster_destroy(w.c);
}

static void answers_are_sums(void **state) {
    (void)state;
    struct asked w = world(text);
    lsched_policy_term t[4];
    double value = 0;
    lsched_error err = LSCHED_ERROR_INIT;
    assert_int_equal(
        lsched_policy_terms(w.c, LSCHED_HOOK_PRIORITY, w.job, 0, 0, t, 4, &value, &err), 2);
    assert_true(value == 11 && t[0].value == 6 && t[1].value == 5);
    assert_string_equal(t[0].text, "2 * job.tasks");
    assert_int_equal(
        lsched_policy_terms(w.c, LSCHED_HOOK_PRIORITY, w.job, 0, 0, NULL, 0, &value, &err), 2);
    /* Lua's answer is one number. */
    assert_int_equal(
        lsched_policy_terms(w.c, LSCHED_HOOK_SCORE, w.job, w.node, 0, t, 4, &value, &err), 0);
    assert_true(value > 0);
    lsched_cluster_destroy(w.c);
}

static void wrong_questions_are_refused(void **state) {
    (void)state;
    struct asked w = world(text);
    double value;
    lsched_error err = LSCHED_ERROR_INIT;
    assert_int_equal(
        lsched_policy_terms(w.c, LSCHED_HOOK_ADMIT, w.job, 0, 0, NULL, 0, &value, &err),
        LSCHED_E_INVAL);
    assert_int_equal(
        lsched_policy_terms(w.c, LSCHED_HOOK_WEIGHT, w.job, 0, 0, NULL, 0, &value, &err),
        LSCHED_E_NOENT);
    assert_true(lsched_policy_terms(w.c, LSCHED_HOOK_SCORE, w.job, 0, 0, NULL, 0, &value, &err) <
                0);
    assert_true(
        lsched_policy_terms(w.c, LSCHED_HOOK_PRIORITY, w.node, 0, 0, NULL, 0, &value, &err) < 0);
    assert_true(
        lsched_policy_terms(w.c, LSCHED_HOOK_PRIORITY, w.job, 0, -1, NULL, 0, &value, &err) < 0);
    assert_int_equal(
        lsched_policy_terms(w.c, LSCHED_HOOK_PRIORITY, w.job, 0, 0, NULL, 4, &value, &err),
        LSCHED_E_NULL);
    lsched_cluster_destroy(w.c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hooks_are_listed),
        cmocka_unit_test(answers_are_sums),
        cmocka_unit_test(wrong_questions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
