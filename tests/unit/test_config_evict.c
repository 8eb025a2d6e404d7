/* Scenarios about evictions: what of the text comes out as which field, decision or event. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "config/steps/expect_fields.h"
#include "config/read/scenario_form.h"

static lsched_scenario *parse(const char *text) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_scenario *s = NULL;
    if (lsched_scenario_parse(NULL, lsched_cstr(text), LSCHED_TEXT("x.yaml"), &s, &err) !=
        LSCHED_OK)
        fail_msg("%s", err.message);
    return s;
}

static const void *items_of(const lsched_scenario *s, uint32_t step, uint32_t kind) {
    const struct action *actions = scn_step(s, step)->actions.items;
    for (uint32_t i = 0; i < scn_step(s, step)->actions.n; i++)
        if (actions[i].kind == kind) return actions[i].items.items;
    fail_msg("no action %u in step %u", kind, step);
    return NULL;
}

static void assert_text(lsched_text text, const char *want) {
    assert_int_equal(text.len, strlen(want));
    assert_memory_equal(text.ptr, want, text.len);
}

static void test_queues(void **state) {
    lsched_scenario *s = parse(
        "queues:\n"
        "  - {name: q, preemption_delay: 5m, jobs_max: 4, submitted_max: 100, per_user: true,\n"
        "     user_limit: {gpu: 2}, user_jobs_max: 3, user_submitted_max: 7, group_jobs_max: 5,\n"
        "     group_submitted_max: 6, group_limit: {gpu: 8, memory: unlimited}}\n"
        "  - {name: r, per_group: true, per_user: true}\n"
        "  - {name: s, per_user: false}\n");
    const lsched_queue_desc *q = items_of(s, 0, ACTION_QUEUES);
    (void)state;
    assert_true(q[0].preemption_delay_us == 300 * INT64_C(1000000));
    assert_true(q[0].jobs_max == 4 && q[0].submitted_max == 100);
    assert_int_equal(q[0].flags, LSCHED_QUEUE_PER_USER);
    assert_int_equal(q[0].n_user_limit, 1);
    assert_true(q[0].user_limit[0].kind == LSCHED_GPU && q[0].user_limit[0].amount == 2000);
    assert_int_equal(q[0].n_group_limit, 2);
    assert_true(q[0].group_limit[1].amount == LSCHED_UNLIMITED);
    assert_true(q[0].user_jobs_max == 3 && q[0].user_submitted_max == 7);
    assert_true(q[0].group_jobs_max == 5 && q[0].group_submitted_max == 6);
    assert_int_equal(q[1].flags, LSCHED_QUEUE_PER_USER | LSCHED_QUEUE_PER_GROUP);
    assert_int_equal(q[2].flags, 0);
    lsched_scenario_destroy(s);
}

static void test_jobs(void **state) {
    lsched_scenario *s = parse(
        "topology: [{name: site, levels: [zone, rack]}]\n"
        "queues: [{name: q}]\n"
        "jobs:\n"
        "  - {name: a, queue: q, user: ann, user_group: vision, preemption_delay: 1m,\n"
        "     stale_grace: never, disruptions: {max: 2, window: 24h}, retries: {max: 3, backoff: 30s},\n"
        "     tasks: {cpu: 1, topology_spread: {level: rack, max: 2, tree: site}}}\n"
        "  - {name: b, queue: q, stale_grace: 5s, disruptions: 1, retries: 4,\n"
        "     topology: {required: zone}, tasks: {cpu: 1, topology_spread: rack}}\n"
        "  - {name: c, queue: q, retries: {backoff: 1s}, tasks: {cpu: 1}}\n");
    const lsched_job_desc *j = items_of(s, 0, ACTION_JOBS);
    (void)state;
    assert_text(j[0].user, "ann");
    assert_text(j[0].user_group, "vision");
    assert_true(j[0].preemption_delay_us == 60 * INT64_C(1000000) &&
                j[0].stale_grace_us == LSCHED_NEVER_US);
    assert_true(j[0].disruptions_max == 2 && j[0].disruption_window_us == 24 * INT64_C(3600000000));
    assert_true(j[0].retries_max == 3 && j[0].backoff_us == 30 * INT64_C(1000000));
    assert_text(j[0].groups[0].spread_level, "rack");
    assert_text(j[0].groups[0].topology, "site");
    assert_int_equal(j[0].groups[0].spread_max, 2);
    assert_true(j[1].stale_grace_us == 5 * INT64_C(1000000));
    assert_true(j[1].disruptions_max == 1 && j[1].disruption_window_us == 0);
    assert_true(j[1].retries_max == 4 && j[1].backoff_us == 0);
    assert_text(j[1].groups[0].required_level, "zone");
    assert_text(j[1].groups[0].spread_level, "rack");
    assert_int_equal(j[1].groups[0].spread_max, 1);
    assert_true(j[2].retries_max == 0 && j[2].backoff_us == 1000000);
    assert_true(j[2].stale_grace_us == 0 && j[2].groups[0].spread_max == 0);
    lsched_scenario_destroy(s);
}

static void test_running_and_cycles(void **state) {
    lsched_scenario *s = parse("start: 2026-01-05T08:00Z\n"
                               "running:\n"
                               "  - {task: a/0, node: n}\n"
                               "  - {task: a/1, node: n, state: releasing, release: 20s}\n"
                               "  - {task: a/2, node: n, state: releasing, since: -1h}\n"
                               "schedule: {moves_max: 5, release: 2m}\n");
    const lsched_task_import *t = items_of(s, 0, ACTION_IMPORT);
    (void)state;
    assert_true(t[0].state == LSCHED_TASK_RUNNING && t[0].release_us == 0);
    assert_true(t[1].state == LSCHED_TASK_RELEASING);
    assert_true(t[1].release_us == s->start_us + 20 * INT64_C(1000000));
    assert_true(t[2].state == LSCHED_TASK_RELEASING && t[2].release_us == 0);
    assert_true(t[2].start_us == s->start_us - INT64_C(3600000000));
    assert_int_equal(scn_step(s, 0)->schedule.moves_max, 5);
    assert_true(scn_step(s, 0)->schedule.release_us == 120 * INT64_C(1000000));
    lsched_scenario_destroy(s);
}

static void test_settling_by_kind(void **state) {
    lsched_scenario *s =
        parse("events:\n"
              "  - settle: {confirm: all, reject: evictions, start: placements, stop: [a, b/1]}\n");
    const struct step *step = scn_step(s, 1);
    const struct settle_item *i = step->settle.items;
    (void)state;
    assert_int_equal(step->settle.n, 5);
    assert_true(i[0].what == SETTLE_DO_CONFIRM && i[0].kinds == SETTLE_ALL);
    assert_true(i[1].what == SETTLE_DO_REJECT && i[1].kinds == 1u << LSCHED_DECIDE_EVICT);
    assert_true(i[2].what == SETTLE_DO_START && i[2].kinds == 1u << LSCHED_DECIDE_PLACE);
    assert_true(i[3].what == SETTLE_DO_STOP && i[3].kinds == 0);
    assert_text(i[3].task.job, "a");
    assert_true(i[4].task.first == 1 && i[4].task.last == 1);
    lsched_scenario_destroy(s);
}

static const char *field_of(const struct expectation *c) {
    return expect_fields[c->object][c->field].name;
}

static void test_expected_decisions(void **state) {
    lsched_scenario *s =
        parse("expect:\n"
              "  evict: [\"a-[0-1]\", b/2-3]\n"
              "  migrate: {c/0: n2, d: {to: n3, reason: consolidate, cost: \"<= 9\"}}\n"
              "  nominate: []\n"
              "  shares: {q: {gpu: {guarantee: 4, fair_share: \">= 6\", decayed: 10}}}\n"
              "  tasks: {a/0: {state: nominated, releasing: n1}}\n"
              "  waiting: {e: {evict: share, evict_need: {gpu: 2}}}\n");
    const struct expectation *c = scn_step(s, 0)->checks.items;
    (void)state;
    assert_int_equal(scn_step(s, 0)->checks.n, 14);
    assert_true(c[0].kind == CHECK_DECISIONS && c[0].resource == LSCHED_DECIDE_EVICT &&
                c[0].n == 3);
    assert_text(c[0].refs[1].job, "a-1");
    assert_true(c[0].refs[1].last == TASK_REF_ALL);
    assert_true(c[0].refs[2].first == 2 && c[0].refs[2].last == 3);
    assert_true(c[1].kind == CHECK_FIELD && c[1].object == OBJECT_DECISION);
    assert_true(c[1].resource == LSCHED_DECIDE_MIGRATE);
    assert_string_equal(field_of(&c[1]), "to");
    assert_text(c[1].text, "n2");
    assert_string_equal(field_of(&c[3]), "reason");
    assert_int_equal(c[3].value, LSCHED_FOR_CONSOLIDATE);
    assert_true(c[4].compare == COMPARE_LE && c[4].value == 9);
    assert_true(c[5].kind == CHECK_DECISIONS && c[5].n == 2);
    assert_true(c[6].kind == CHECK_DECISIONS && c[6].resource == LSCHED_DECIDE_NOMINATE &&
                c[6].n == 0);
    assert_true(c[7].object == OBJECT_SHARE && c[7].resource == LSCHED_GPU && c[7].value == 4000);
    assert_true(c[8].compare == COMPARE_GE && c[8].value == 6000);
    assert_int_equal(c[9].value, 10);
    assert_true(c[10].kind == CHECK_TASK_STATE && c[10].value == LSCHED_TASK_NOMINATED);
    assert_true(c[11].kind == CHECK_TASK_RELEASING);
    assert_string_equal(field_of(&c[12]), "evict");
    assert_int_equal(c[12].value, LSCHED_NO_VICTIM_SHARE);
    assert_int_equal(c[13].kind, CHECK_AMOUNT);
    assert_string_equal(field_of(&c[13]), "evict_need");
    lsched_scenario_destroy(s);
}

/* ---- what a failed expectation says ---------------------------------------------------------- */

static char failures[8][LSCHED_MESSAGE_BYTES];
static uint32_t n_failures;

static void keep_failure(void *user, const lsched_error *failure) {
    (void)user;
    if (n_failures < 8) memcpy(failures[n_failures], failure->message, sizeof failure->message);
    n_failures++;
}

static void test_messages(void **state) {
    lsched_scenario *s =
        parse("policy:\n"
              "  text: |\n"
              "    return { api = 1, name = \"p\", fair_share = \"quota\",\n"
              "             pipeline = { \"allocate\", \"reclaim\" } }\n"
              "nodes: [{name: n, gpus: 2}]\n"
              "queues: [{name: a, quota: {gpu: 2}}, {name: b}]\n"
              "jobs:\n"
              "  - {name: v, queue: b, running_on: [n, n], tasks: {count: 2, gpu: 1}}\n"
              "  - {name: w, queue: a, tasks: {gpu: 1}}\n"
              "settle: manual\n"
              "expect:\n"
              "  evict: [v/0]\n"
              "  nominate: {v: n}\n"
              "  migrate: [w]\n"
              "  shares: {a: {gpu: {guarantee: 1}}}\n"
              "  tasks: {v/0: {state: waiting, releasing: m}}\n");
    lsched_scenario_run_opts opts = LSCHED_SCENARIO_RUN_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *c = NULL;
    (void)state;
    opts.on_failure = keep_failure;
    n_failures = 0;
    assert_int_equal(lsched_cluster_create(NULL, &c, &err), LSCHED_OK);
    assert_int_equal(lsched_scenario_run(s, c, &opts, NULL, &err), LSCHED_OK);
    assert_string_equal(failures[0],
                        "x.yaml:12:10: expected no other task to be evicted than named "
                        "here, got v/1 (of v/1, v/0)");
    assert_string_equal(failures[1],
                        "x.yaml:13:17: expected \"v\" to be nominated, got no such decision");
    assert_string_equal(failures[2], "x.yaml:13:14: expected \"v\" to be nominated, got w/0");
    assert_string_equal(failures[3], "x.yaml:14:13: expected \"w\" to be migrated, got none");
    assert_string_equal(failures[4], "x.yaml:15:33: expected guarantee of queue a to be 1, got 2");
    assert_string_equal(failures[5],
                        "x.yaml:16:24: expected task v/0 to be waiting, got releasing");
    assert_string_equal(failures[6], "x.yaml:16:44: expected task v/0 to leave m, got n");
    assert_int_equal(n_failures, 7);
    lsched_cluster_destroy(c);
    lsched_scenario_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queues),
        cmocka_unit_test(test_jobs),
        cmocka_unit_test(test_running_and_cycles),
        cmocka_unit_test(test_settling_by_kind),
        cmocka_unit_test(test_expected_decisions),
        cmocka_unit_test(test_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
