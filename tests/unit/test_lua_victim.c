/* The hook `victim`: what it sees of a candidate, what its answers mean, how it fails. */
#include <math.h>

#include "unit/lua_fixture.h"

enum { HOOK = 6, MANY = 600 };

static struct fake fake;

static int begin(void **unused) {
    (void)unused;
    fake_begin(&fake);
    return 0;
}

static int32_t ask(struct loaded *l, const struct policy_candidate *c, size_t n, double *out) {
    return l->policy.ops->victim(l->policy.self, &fake.view, 1, c, n, out, &l->err);
}

static double cost(const char *expression, const struct policy_candidate *c) {
    struct loaded l;
    char text[300];
    double out = -1;
    snprintf(text, sizeof text, "return { api = 1, victim = function(job, c) return %s end }",
             expression);
    load(&l, text);
    if (ask(&l, c, 1, &out) != LSCHED_OK) fail_msg("%s: %s", expression, l.err.message);
    unload(&l);
    return out;
}

static void fields_are_in_natural_units(void **unused) {
    (void)unused;
    const struct policy_candidate c = {.job = 3,
                                       .queue = 40,
                                       .tasks = 5,
                                       .whole = 1,
                                       .cpu_milli = 2500,
                                       .memory_bytes = INT64_C(3) << 29,
                                       .gpu_milli = 500,
                                       .runtime_us = 1500000,
                                       .lost_us = 250000,
                                       .restart_us = 90000000,
                                       .disruptions = 2};
    assert_true(cost("c.tasks", &c) == 5);
    assert_true(cost("c.whole and 1 or 0", &c) == 1);
    assert_true(cost("c.cpu", &c) == 2.5);
    assert_true(cost("c.memory", &c) == 1.5);
    assert_true(cost("c.gpu", &c) == 0.5);
    assert_true(cost("c.runtime", &c) == 1.5);
    assert_true(cost("c.lost", &c) == 0.25);
    assert_true(cost("c.restart", &c) == 90);
    assert_true(cost("c.disruptions", &c) == 2);
    /* of its job, row 3, and of its queue, row 40 */
    static const char *const of_job[] = {"priority", "submitted", "duration", "deadline",
                                         "tasks_placed"};
    for (size_t i = 0; i < sizeof of_job / sizeof *of_job; i++) {
        char expression[40];
        snprintf(expression, sizeof expression, "c.%s", of_job[i]);
        assert_true(cost(expression, &c) == 3);
    }
    assert_true(cost("c.interactive and 1 or 0", &c) == 1);
    assert_true(cost("c.queue_gpu_used + c.queue_gpu_quota", &c) == 80);
    fake.names[3] = "eval";
    assert_true(cost("c.name == 'eval' and c.queue == 'eval' and 1 or 0", &c) == 1);
    assert_true(cost("1000 * job.tasks + c.tasks", &c) == 1005);
}

static void each_candidate_is_asked_in_order(void **unused) {
    (void)unused;
    static struct policy_candidate c[MANY];
    static double out[MANY];
    struct loaded l;
    for (uint32_t i = 0; i < MANY; i++)
        c[i] = (struct policy_candidate){.job = i, .queue = i, .gpu_milli = (int64_t)i * 1000};
    load(&l, "return { api = 1, victim = function(job, c)\n"
             "  if c.gpu % 3 == 0 then return nil end\n"
             "  return c.gpu * 1000 + c.priority\nend }");
    for (size_t n = 0; n <= MANY; n = n * 2 + 1) {
        assert_int_equal(ask(&l, c, n, out), LSCHED_OK);
        for (size_t i = 0; i < n; i++)
            assert_true(out[i] == (i % 3 ? (double)(i * 1001) : POLICY_NEVER));
    }
    unload(&l);
}

static void only_what_is_read_is_filled(void **unused) {
    (void)unused;
    const struct policy_candidate c = {.job = 3};
    struct loaded l;
    double out;
    load(&l, "return { api = 1, victim = function(job, c) return c.lost + c.priority end }");
    fake_begin(&fake);
    assert_int_equal(ask(&l, &c, 1, &out), LSCHED_OK);
    for (int f = 0; f < POLICY_FIELDS; f++)
        assert_int_equal(fake.filled[f], f == POLICY_F_JOB_PRIORITY);
    assert_int_equal(l.policy.desc.hooks, LSCHED_HOOK_VICTIM);
    assert_false(l.policy.desc.uses_now[HOOK]);
    int f = POLICY_F_CANDIDATE_LOST;
    assert_true(l.policy.desc.fields_read[HOOK][f / 64] >> (f % 64) & 1);
    unload(&l);
}

static void a_candidate_may_be_handed_on(void **unused) {
    (void)unused;
    struct loaded l;
    double out;
    const struct policy_candidate c = {.lost_us = 4000000, .restart_us = 3000000};
    load(&l, "local function waste(of) return of.lost + of.restart end\n"
             "return { api = 1, victim = function(job, c) return waste(c) end }");
    assert_int_equal(ask(&l, &c, 1, &out), LSCHED_OK);
    assert_true(out == 7);
    unload(&l);
}

struct answer {
    const char *expression, *message;
};

static void wrong_answers_name_job_and_candidate(void **unused) {
    (void)unused;
    static const struct answer answers[] = {
        {"-1", "must return nil or a number from 0, got a negative one"},
        {"0 / 0", "must return nil or a number from 0, got NaN (0/0?)"},
        {"1 / 0", "must return nil or a number from 0, got infinity (a division by 0?)"},
        {"'1'", "must return nil or a number from 0, got the string '1'"},
        {"false", "must return nil or a number from 0, got false"},
        {"{}", "must return nil or a number from 0, got a table"},
        {"c", "must return nil or a number from 0, got a table"},
    };
    fake.names[1] = "llm";
    fake.names[7] = "evil";
    const struct policy_candidate c[] = {{.job = 2}, {.job = 7}};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct loaded l;
        char text[200], message[200];
        double out[2];
        snprintf(text, sizeof text,
                 "return { api = 1,\n  victim = function(job, c)\n"
                 "    if c.name == 'evil' then return %s end\n    return 0\n  end }",
                 answers[i].expression);
        snprintf(message, sizeof message,
                 "p.lua:2:12: victim of job 'llm' and candidate 'evil': %s", answers[i].message);
        load(&l, text);
        assert_int_equal(ask(&l, c, 2, out), LSCHED_E_POLICY);
        assert_string_equal(l.err.message, message);
        assert_int_equal(ask(&l, c, 1, out), LSCHED_OK); /* works as before */
        assert_true(out[0] == 0);
        unload(&l);
    }
}

static void mistakes_are_found_at_load(void **unused) {
    (void)unused;
    static const struct answer mistakes[] = {
        {"victim = function(job, c) return c.lots end",
         "p.lua:1:54: candidate has no field 'lots'; did you mean 'lost'?"},
        {"victim = function(job, c) return c.gpus end",
         "p.lua:1:54: candidate has no field 'gpus'; did you mean 'gpu'?"},
        {"victim = function(job, c) c.lost = 0 return 0 end",
         "p.lua:1:47: a candidate is read-only: 'lost' cannot be set"},
        {"victim = function(job, c) return c['lo' .. 'st'] end",
         "p.lua:1: victim of job 'trial' and candidate 'trial': candidate['lost'] is read with a "
         "computed name; write candidate.lost, so that the library knows which field to fill in"},
        {"victim = 3", "p.lua:1:19: victim must be a function of this text, got a number"},
        {"victms = 3", "p.lua:1:19: a policy has no 'victms'; did you mean 'victim'?"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct loaded l;
        char text[200];
        snprintf(text, sizeof text, "return { api = 1, %s }", mistakes[i].expression);
        load_with(&l, text, NULL);
        assert_true(l.rc < 0);
        assert_string_equal(l.err.message, mistakes[i].message);
        unload(&l);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(fields_are_in_natural_units, begin),
        cmocka_unit_test_setup(each_candidate_is_asked_in_order, begin),
        cmocka_unit_test_setup(only_what_is_read_is_filled, begin),
        cmocka_unit_test_setup(a_candidate_may_be_handed_on, begin),
        cmocka_unit_test_setup(wrong_answers_name_job_and_candidate, begin),
        cmocka_unit_test_setup(mistakes_are_found_at_load, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
