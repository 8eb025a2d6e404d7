/* log(text): the lines that a policy says, who is named in front, what becomes of odd bytes; and
 * their way into the plan: at most 32, those of the last try of the cycle only, without effect on
 * what is decided. */
#define _DEFAULT_SOURCE
#include "unit/lua_fixture.h"

#include "support/api_world.h"

enum { HEARD_MAX = 64 };
static struct {
    int n;
    char lines[HEARD_MAX][400];
} heard;

static void hear(void *engine, const char *line, size_t len) {
    (void)engine;
    assert_int_equal(strlen(line), len);
    assert_true(heard.n < HEARD_MAX && len < sizeof heard.lines[0]);
    snprintf(heard.lines[heard.n++], sizeof heard.lines[0], "%s", line);
}

static struct fake fake;

/* What a score hook with these statements says of job 'x' and the nodes 'y' and 'z'. */
static void say(const char *statements) {
    struct loaded l;
    char text[3000];
    uint32_t job = 1, nodes[2] = {2, 3};
    double out[2];
    fake_begin(&fake);
    fake.names[1] = "x", fake.names[2] = "y", fake.names[3] = "z";
    snprintf(
        text, sizeof text,
        "log('while loading')\nreturn { api = 1, score = function(job, node)\n %s\n return 1\n end }",
        statements);
    heard.n = 0;
    load(&l, text);
    assert_int_equal(heard.n, 0);
    fake.view.log = hear;
    if (l.policy.ops->score(l.policy.self, &fake.view, job, nodes, 2, out, &l.err) != LSCHED_OK)
        fail_msg("%s: %s", statements, l.err.message);
    unload(&l);
}

static void heard_is(int i, const char *want) {
    assert_true(i < heard.n);
    if (strcmp(heard.lines[i], want) != 0)
        fail_msg("\n  got  '%s'\n  want '%s'", heard.lines[i], want);
}

static void a_line_names_hook_and_objects(void **unused) {
    (void)unused;
    say("log('free: ' .. node.gpu_free)");
    assert_int_equal(heard.n, 2);
    heard_is(0, "score of job 'x' on node 'y': free: 2");
    heard_is(1, "score of job 'x' on node 'z': free: 3");
    say("if node.name == 'z' then log(1.5) log(true) end");
    assert_int_equal(heard.n, 2);
    heard_is(0, "score of job 'x' on node 'z': 1.5");
    heard_is(1, "score of job 'x' on node 'z': true");
    say("");
    assert_int_equal(heard.n, 0);
}

static void a_line_is_one_line_of_whole_characters(void **unused) {
    (void)unused;
    static const char who[] = "score of job 'x' on node 'y': ";
    char want[400];
    say("log('a\\nb\\27[31mc\\0d\\127')");
    heard_is(0, "score of job 'x' on node 'y': a b [31mc d ");
    say("log('gr\\195\\188n \\226\\130\\172 \\240\\159\\154\\128')"); /* two, three, four bytes */
    heard_is(0, "score of job 'x' on node 'y': gr\xC3\xBCn \xE2\x82\xAC \xF0\x9F\x9A\x80");
    say("log('\\195 \\255 \\192\\175 \\237\\160\\128 \\244\\144\\128\\128')");
    heard_is(0, "score of job 'x' on node 'y': ? ? ?? ??? ????");
    say("log('\\194\\155 \\226\\128\\174x \\226\\129\\166')"); /* C1 CSI, right-to-left marks */
    heard_is(0, "score of job 'x' on node 'y':    x  ");
    say("local s = 'x' for i = 1, 9 do s = s .. s end log(s)");
    assert_int_equal(strlen(heard.lines[0]), sizeof who - 1 + 200);
    say("local s = '\\195\\188' for i = 1, 8 do s = s .. s end log('x' .. s)"); /* cut inside of one */
    assert_int_equal(strlen(heard.lines[0]), sizeof who - 1 + 199);
    snprintf(want, sizeof want, "%sx\xC3\xBC", who);
    assert_memory_equal(heard.lines[0], want, strlen(want));
    fake_begin(&fake);
}

static void names_do_not_break_lines(void **unused) {
    (void)unused;
    struct loaded l;
    uint32_t row = 1;
    double out;
    load(&l, "return { api = 1, weight = function(queue)\n log('!')\n return 1\n end }");
    fake_begin(&fake);
    fake.names[1] =
        "a\nb\x1b[2J aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    fake.view.log = hear;
    heard.n = 0;
    assert_int_equal(l.policy.ops->weight(l.policy.self, &fake.view, &row, 1, &out, &l.err),
                     LSCHED_OK);
    heard_is(0, "weight of queue 'a b [2J aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...': !");
    unload(&l);
}

/* ---- in a plan ------------------------------------------------------------------------------- */

static struct api_world world;

static int begin(void **unused) {
    (void)unused;
    lsched_group_desc group = api_group(1);
    lsched_job_desc job = api_job("next", &group, 1);
    return api_world_make(&world, NULL) < 0 ||
           lsched_jobs_submit(world.cluster, &job, 1, sizeof job, NULL, NULL, NULL, NULL) < 0;
}

static int end(void **unused) {
    (void)unused;
    api_world_drop(&world);
    return 0;
}

static lsched_plan *plan_under(const char *text) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan *plan = NULL;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_cluster *clone = NULL;
    assert_int_equal(lsched_cluster_clone(world.cluster, &clone, NULL), LSCHED_OK);
    if (lsched_policy_load(clone, LSCHED_TEXT("p.lua"), lsched_cstr(text), NULL, &err) < 0)
        fail_msg("%s", err.message);
    opts.now_us = world.now_us + 100000000;
    assert_int_equal(lsched_schedule(clone, &opts, &plan, NULL), LSCHED_OK);
    lsched_cluster_destroy(clone); /* the plan needs nothing of it */
    return plan;
}

static uint64_t hash_of(const lsched_plan *plan) {
    lsched_plan_info info = {.size = sizeof info};
    assert_int_equal(lsched_plan_get(plan, &info, NULL), LSCHED_OK);
    return info.plan_hash;
}

static void a_plan_keeps_what_was_said(void **unused) {
    (void)unused;
    lsched_plan *plan = plan_under(
        "return { api = 1, priority = function(job)\n if job.name == 'later' then log('p') end\n return job.priority\n end }");
    assert_string_equal(lsched_plan_log_at(plan, 0), "priority of job 'later': p");
    assert_null(lsched_plan_log_at(plan, 1));
    lsched_plan *silent =
        plan_under("return { api = 1, priority = function(job)\n return job.priority\n end }");
    assert_null(lsched_plan_log_at(silent, 0));
    assert_true(hash_of(plan) == hash_of(silent));
    assert_null(lsched_plan_log_at(NULL, 0));
    lsched_plan_destroy(plan);
    lsched_plan_destroy(silent);
}

static void a_plan_keeps_32_lines_and_counts_the_rest(void **unused) {
    (void)unused;
    char want[64];
    lsched_plan *plan = plan_under(
        "return { api = 1, priority = function(job)\n"
        "for i = 1, 50 do if job.name == 'later' then log('line ' .. i) end end return 1\n end }");
    for (size_t i = 0; i < 32; i++) {
        snprintf(want, sizeof want, "priority of job 'later': line %zu", i + 1);
        assert_string_equal(lsched_plan_log_at(plan, i), want);
    }
    assert_string_equal(lsched_plan_log_at(plan, 32), "18 more lines were dropped");
    assert_null(lsched_plan_log_at(plan, 33));
    lsched_plan_destroy(plan);
}

/* A hook fails after another spoke: the cycle begins anew, and what was said in vain is not said
 * twice. */
static void a_cycle_that_begins_anew_says_it_once(void **unused) {
    (void)unused;
    lsched_plan *plan = plan_under(
        "return { api = 1, priority = function(job)\n if job.name == 'later' then log('p') end\n return 1\n end,\n"
        "score = function(job, node)\n log('before it fails')\n"
        "if node.name ~= 'trial' and not node.name:starts_with('trial') then error('no') end\n"
        "return 1\n end }");
    assert_non_null(strstr(lsched_plan_policy_error(plan), "score of job"));
    assert_string_equal(lsched_plan_log_at(plan, 0), "priority of job 'later': p");
    assert_null(lsched_plan_log_at(plan, 1));
    lsched_plan_destroy(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_names_hook_and_objects),
        cmocka_unit_test(a_line_is_one_line_of_whole_characters),
        cmocka_unit_test(names_do_not_break_lines),
        cmocka_unit_test_setup_teardown(a_plan_keeps_what_was_said, begin, end),
        cmocka_unit_test_setup_teardown(a_plan_keeps_32_lines_and_counts_the_rest, begin, end),
        cmocka_unit_test_setup_teardown(a_cycle_that_begins_anew_says_it_once, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
