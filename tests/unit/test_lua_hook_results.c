/* What the hooks about limits, orders, times, idleness, minimums and choices may return, and what is said of other answers. */
#include <math.h>

#include "unit/lua_fixture.h"

static struct fake fake;
static const uint32_t rows[] = {4, 5, 6, 7};
enum { N = 4 };

static int begin(void **unused) {
    (void)unused;
    fake_begin(&fake);
    return 0;
}

static void load_hook(struct loaded *l, const char *hook, const char *parameters,
                      const char *body) {
    char text[700];
    const char *pipeline =
        strcmp(hook, "pipeline") == 0 ? "" : "pipeline = { 'evict-idle', 'evict-overdue' }, ";
    snprintf(text, sizeof text, "return { api = 1, %s%s = function(%s) %s end }", pipeline, hook,
             parameters, body);
    load(l, text);
}

static int32_t order(struct loaded *l, double *out) {
    return l->policy.ops->queue_order(l->policy.self, &fake.view, rows, N, out, &l->err);
}

static void orders_are_rounded_and_bounded(void **unused) {
    (void)unused;
    struct loaded l;
    double out[N];
    load_hook(&l, "queue_order", "queue",
              "if queue.jobs == 4 then return 1.5 elseif queue.jobs == 5 then return -1.5 "
              "elseif queue.jobs == 6 then return 2147483647.4 end return queue.priority");
    assert_int_equal(order(&l, out), LSCHED_OK);
    assert_true(out[0] == 2 && out[1] == -2 && out[2] == 2147483647 && out[3] == 7);
    fake_set(&fake, POLICY_F_QUEUE_PRIORITY, 2147483647.5);
    assert_int_equal(order(&l, out), LSCHED_E_POLICY);
    assert_non_null(strstr(l.err.message, "queue_order of queue 'good': must return a number from "
                                          "-2147483647 to 2147483647, got a larger one"));
    assert_int_equal(l.err.index, 3);
    unload(&l);
}

static int32_t time_limit(struct loaded *l, double *out) {
    return l->policy.ops->time_limit(l->policy.self, &fake.view, rows, rows, N, out, &l->err);
}

static void time_limits_are_nil_huge_or_seconds(void **unused) {
    (void)unused;
    struct loaded l;
    double out[N];
    load_hook(&l, "time_limit", "job",
              "if job.tasks == 4 then return nil elseif job.tasks == 5 then return math.huge "
              "elseif job.tasks == 6 then return 0.5 end return job.priority");
    assert_int_equal(time_limit(&l, out), LSCHED_OK);
    assert_true(out[0] == POLICY_ANY_TIME && out[1] == POLICY_ANY_TIME && out[2] == 0.5 &&
                out[3] == 7);
    fake_set(&fake, POLICY_F_JOB_PRIORITY, 0);
    assert_int_equal(time_limit(&l, out), LSCHED_E_POLICY);
    assert_non_null(
        strstr(l.err.message, "time_limit of job 'good': must return nil or seconds above 0"));
    assert_int_equal(l.err.index, 3);
    unload(&l);
}

static void idle_is_a_boolean_or_nil(void **unused) {
    (void)unused;
    struct loaded l;
    uint8_t out[N] = {9, 9, 9, 9};
    load_hook(&l, "idle", "job",
              "if job.tasks == 4 then return true elseif job.tasks == 5 then return false "
              "elseif job.tasks == 6 and job.priority == 0 then return 1 end");
    assert_int_equal(l.policy.ops->idle(l.policy.self, &fake.view, rows, rows, N, out, &l.err),
                     LSCHED_OK);
    assert_true(out[0] == 1 && out[1] == 0 && out[2] == 0 && out[3] == 0);
    fake_set(&fake, POLICY_F_JOB_PRIORITY, 0);
    assert_int_equal(l.policy.ops->idle(l.policy.self, &fake.view, rows, rows, N, out, &l.err),
                     LSCHED_E_POLICY);
    assert_non_null(
        strstr(l.err.message, "idle of job 'good': must return true, false or nil, got "));
    unload(&l);
}

static void minimums_are_from_one_to_the_tasks(void **unused) {
    (void)unused;
    static const struct {
        double priority;
        const char *message;
    } wrong[] = {{0, "must return nil or a whole number from 1 to 7, the job's tasks, got 0"},
                 {8, "must return nil or a whole number from 1 to 7, the job's tasks, got 8"},
                 {1.5, "must return nil or a whole number from 1 to 7, the job's tasks, got "}};
    struct loaded l;
    uint32_t out[N];
    load_hook(
        &l, "gang_minimum", "job",
        "if job.tasks == 4 then return nil elseif job.tasks == 7 then return job.priority end "
        "return 1");
    assert_int_equal(
        l.policy.ops->gang_minimum(l.policy.self, &fake.view, rows, rows, N, out, &l.err),
        LSCHED_OK);
    assert_true(out[0] == 0 && out[1] == 1 && out[2] == 1 && out[3] == 7);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        fake_set(&fake, POLICY_F_JOB_PRIORITY, wrong[i].priority);
        assert_int_equal(
            l.policy.ops->gang_minimum(l.policy.self, &fake.view, rows, rows, N, out, &l.err),
            LSCHED_E_POLICY);
        if (!strstr(l.err.message, wrong[i].message)) fail_msg("%s", l.err.message);
        assert_int_equal(l.err.index, 3);
    }
    unload(&l);
}

static void placements_are_nil_or_words(void **unused) {
    (void)unused;
    struct loaded l;
    struct policy_word out[N];
    load_hook(&l, "placement", "job, queue",
              "if queue.jobs == 4 then return nil elseif queue.jobs == 5 then return 'best-fit' "
              "elseif job.priority == 0 then return 'a b' end return job.name");
    assert_int_equal(l.policy.ops->placement(l.policy.self, &fake.view, rows, rows, N, out, &l.err),
                     LSCHED_OK);
    assert_string_equal(out[0].word, "");
    assert_string_equal(out[1].word, "best-fit");
    assert_string_equal(out[3].word, "good");
    fake_set(&fake, POLICY_F_JOB_PRIORITY, 0);
    assert_int_equal(l.policy.ops->placement(l.policy.self, &fake.view, rows, rows, N, out, &l.err),
                     LSCHED_E_POLICY);
    assert_non_null(strstr(l.err.message, "must return nil or the name of a strategy, got "));
    unload(&l);
}

static int32_t pipeline(struct loaded *l, struct policy_pipeline *out) {
    return l->policy.ops->pipeline(l->policy.self, &fake.view, out, &l->err);
}

static void pipelines_are_nil_or_lists(void **unused) {
    (void)unused;
    struct loaded l;
    struct policy_pipeline out;
    load_hook(&l, "pipeline", "cluster, now",
              "if cluster.jobs == 1 then return { 'allocate', 'reclaim' } end "
              "if cluster.jobs == 2 then return {} end "
              "if cluster.jobs == 3 then return { 'allocate', 7 } end "
              "if cluster.jobs == 4 then return 'allocate' end");
    assert_int_equal(pipeline(&l, &out), LSCHED_OK);
    assert_int_equal(out.given, 0);
    fake_set(&fake, POLICY_F_CLUSTER_JOBS, 1);
    assert_int_equal(pipeline(&l, &out), LSCHED_OK);
    assert_true(out.given && out.n == 2);
    assert_string_equal(out.actions[1].word, "reclaim");
    for (int i = 2; i <= 4; i++) {
        fake_set(&fake, POLICY_F_CLUSTER_JOBS, i);
        assert_int_equal(pipeline(&l, &out), LSCHED_E_POLICY);
        if (!strstr(l.err.message,
                    "pipeline: must return nil or a list of 1 to 16 names of actions, got "))
            fail_msg("%s", l.err.message);
    }
    assert_int_equal(l.policy.desc.hooks, LSCHED_HOOK_PIPELINE);
    unload(&l);
}

static void limits_are_as_quotas(void **unused) {
    (void)unused;
    struct loaded l;
    struct policy_quota out;
    load_hook(&l, "limit", "queue, now",
              "if queue.jobs == 4 then return nil, now + 60 end "
              "return { gpu = 3, cpu = math.huge }, now + 3600");
    assert_int_equal(l.policy.ops->limit(l.policy.self, &fake.view, 4, &out, &l.err), LSCHED_OK);
    assert_true(!out.given && out.until_s == 1700000060);
    assert_int_equal(l.policy.ops->limit(l.policy.self, &fake.view, 5, &out, &l.err), LSCHED_OK);
    assert_true(out.given && out.n == 2 && out.until_s == 1700003600);
    assert_true(out.entries[0].amount == HUGE_VAL && out.entries[1].amount == 3);
    unload(&l);
}

/* ---- trial runs ------------------------------------------------------------------------------ */

static void unusual_objects_warn_and_typical_ones_refuse(void **unused) {
    (void)unused;
    static const struct {
        const char *hook, *parameters, *body, *warning; /* NULL: none */
    } cases[] = {
        {"score", "job, node", "return node.gpu_free / node.gpu",
         "p.lua: score of job 'trial' on node 'trial-empty': must return a number, got NaN (0/0?)"},
        {"score", "job, node", "return node.labels.price * 2",
         "score of job 'trial' on node 'trial-empty': arithmetic needs numbers, got field 'price'"},
        {"priority", "job, queue", "return 1 / job.duration",
         "priority of job 'trial-empty': must return a number, got infinity (a division by 0?)"},
        {"gang_minimum", "job", "return 2",
         "gang_minimum of job 'trial-empty': must return nil or a"},
        {"weight", "queue", "return queue.gpu_quota",
         "weight of queue 'trial-large': must return a"},
        {"score", "job, node", "return node.gpu_free", NULL},
        {"priority", "job, queue", "return 1 / math.max(job.duration, 60)", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct loaded l;
        load_hook(&l, cases[i].hook, cases[i].parameters, cases[i].body);
        const char *got = l.policy.ops->warning(l.policy.self, 0);
        if (!cases[i].warning != !got || (got && !strstr(got, strchr(cases[i].warning, ' '))))
            fail_msg("%s: expected %s, got %s", cases[i].body,
                     cases[i].warning ? cases[i].warning : "no warning", got ? got : "none");
        assert_null(l.policy.ops->warning(l.policy.self, 1));
        unload(&l);
    }
    struct loaded l;
    load_with(&l, "return { api = 1, priority = function(job) return nil + 1 end }", NULL);
    assert_int_equal(l.rc, LSCHED_E_POLICY);
    unload(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(orders_are_rounded_and_bounded, begin),
        cmocka_unit_test_setup(time_limits_are_nil_huge_or_seconds, begin),
        cmocka_unit_test_setup(idle_is_a_boolean_or_nil, begin),
        cmocka_unit_test_setup(minimums_are_from_one_to_the_tasks, begin),
        cmocka_unit_test_setup(placements_are_nil_or_words, begin),
        cmocka_unit_test_setup(pipelines_are_nil_or_lists, begin),
        cmocka_unit_test_setup(limits_are_as_quotas, begin),
        cmocka_unit_test_setup(unusual_objects_warn_and_typical_ones_refuse, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
