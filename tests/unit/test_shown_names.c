/* test_shown_names.c -- names are any bytes; what the library says is UTF-8 without control
 * characters, whatever a tenant calls a job. Every door is called with such names, refused, and
 * its message looked at; likewise what lsched_explain and lsched_waiting_text say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/libsched.h>
#include <libsched/scenario.h>

#include "base/utf8_text.h"
#include "support/api_world.h"

/* A lone continuation, a cut character, an overlong slash, a surrogate, an escape sequence, a new
 * line, a mark that turns directions. */
static const char *const names[] = {
    "a\x80z",     "\xc3",           "\xc0\xaf",     "\xed\xa0\x80", "\x1b[2Jx",
    "two\nlines", "x\xe2\x80\xaey", "\xff\xfe\xfd", "\xc2\x85",     "ok-\xf4\x90\x80\x80"};
enum { NAMES = sizeof names / sizeof names[0] };

/* `lines`: new lines are the library's own. */
static void is_shown(const char *text, int lines, const char *where) {
    size_t len = strlen(text);
    for (size_t i = 0; i < len;) {
        size_t n = utf8_bytes(text + i, len - i);
        if (n == 0 || (utf8_is_control(text + i, n) && !(lines && text[i] == '\n')))
            fail_msg("%s: byte %zu of '%s' cannot be shown", where, i, text);
        i += n;
    }
}

/* A refusal that names the bytes. */
static void says(int32_t rc, const lsched_error *err, const char *where, size_t i) {
    if (rc >= 0) fail_msg("%s: name %zu was accepted", where, i);
    if (!err->message[0]) fail_msg("%s: no message", where);
    is_shown(err->message, 0, where);
    if (!strstr(err->message, "\\x")) fail_msg("%s: '%s' hides the bytes", where, err->message);
}

static void every_door(lsched_cluster *c, const char *name, size_t i) {
    lsched_text text = {name, strlen(name)};
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_amount bad = {LSCHED_CPU, 0, -1};
    lsched_node_desc n = api_node("fresh");
    n.name = text, n.capacity = &bad, n.n_capacity = 1;
    says(lsched_nodes_add(c, &n, 1, sizeof n, NULL, NULL, NULL, &err), &err, "nodes_add", i);
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.name = text;
    says(lsched_nodes_update(c, &u, 1, sizeof u, NULL, NULL, &err), &err, "nodes_update", i);
    lsched_queue_desc q = api_queue("fresh", NULL);
    q.name = text, q.quota = &bad, q.n_quota = 1;
    says(lsched_queues_add(c, &q, 1, sizeof q, NULL, NULL, NULL, &err), &err, "queues_add", i);
    lsched_group_desc g = api_group(1);
    g.request = &bad, g.n_request = 1;
    lsched_job_desc j = api_job("fresh", &g, 1);
    j.name = text;
    says(lsched_jobs_submit(c, &j, 1, sizeof j, NULL, NULL, NULL, &err), &err, "jobs_submit", i);
    g = api_group(1);
    g.required_level = text;
    j = api_job("fresh", &g, 1);
    says(lsched_jobs_submit(c, &j, 1, sizeof j, NULL, NULL, NULL, &err), &err, "level", i);
    j.queue_name = text;
    says(lsched_jobs_submit(c, &j, 1, sizeof j, NULL, NULL, NULL, &err), &err, "queue of a job", i);
    lsched_task_import m = LSCHED_TASK_IMPORT_INIT;
    m.job_name = text;
    says(lsched_tasks_import(c, &m, 1, sizeof m, NULL, NULL, &err), &err, "tasks_import", i);
    lsched_collision col = {.size = sizeof col, .node_name = text};
    says(lsched_collisions_report(c, &col, 1, sizeof col, NULL, NULL, &err), &err, "collisions", i);
    lsched_topology_desc t = LSCHED_TOPOLOGY_DESC_INIT;
    t.name = text;
    says(lsched_topologies_add(c, &t, 1, sizeof t, NULL, NULL, NULL, &err), &err, "topologies", i);
    /* control characters of policies are blanks */
    assert_true(lsched_policy_load(c, lsched_cstr(name), LSCHED_TEXT("return {"), NULL, &err) < 0);
    is_shown(err.message, 0, "policy_load");
}

static void messages_are_utf8_on_one_line(void **state) {
    (void)state;
    struct api_world w;
    memset(&w, 0, sizeof w);
    assert_int_equal(api_world_make(&w, NULL), LSCHED_OK);
    for (size_t i = 0; i < NAMES; i++) every_door(w.cluster, names[i], i);
    api_world_drop(&w);
}

/* A record of any size, down to one that holds no text, is cut before a character. */
static void a_short_record_is_cut_at_a_character(void **state) {
    (void)state;
    struct api_world w;
    memset(&w, 0, sizeof w);
    assert_int_equal(api_world_make(&w, NULL), LSCHED_OK);
    for (uint32_t size = 8; size <= sizeof(lsched_error); size++) {
        lsched_error err = LSCHED_ERROR_INIT;
        lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
        err.size = size;
        u.name = LSCHED_TEXT("\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac \xff\xe2\x82\xac");
        assert_int_equal(lsched_nodes_update(w.cluster, &u, 1, sizeof u, NULL, NULL, &err),
                         LSCHED_E_NOENT);
        if (size > offsetof(lsched_error, message)) is_shown(err.message, 0, "short record");
    }
    api_world_drop(&w);
}

static void explanations_are_utf8(void **state) {
    (void)state;
    char text[4096];
    struct api_world w;
    memset(&w, 0, sizeof w);
    assert_int_equal(api_world_make(&w, NULL), LSCHED_OK);
    for (size_t i = 0; i < NAMES; i++) {
        lsched_text name = {names[i], strlen(names[i])};
        lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
        lsched_amount none = {LSCHED_GPU, 0, i % 2 ? 0 : LSCHED_UNLIMITED};
        q.name = name, q.limit = &none, q.n_limit = 1;
        assert_int_equal(lsched_queues_add(w.cluster, &q, 1, sizeof q, NULL, NULL, NULL, NULL), 1);
        lsched_group_desc g = api_group(1);
        lsched_selector s = {.size = sizeof s, .key = name};
        g.selectors = &s, g.n_selectors = 1;
        lsched_job_desc j = api_job("fresh", &g, 1);
        lsched_id id;
        j.name = name, j.queue_name = name;
        assert_int_equal(lsched_jobs_submit(w.cluster, &j, 1, sizeof j, NULL, &id, NULL, NULL), 1);
        lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
        lsched_plan *plan = NULL;
        o.now_us = w.now_us + 1 + (int64_t)i;
        o.flags = LSCHED_SCHEDULE_ALL_WAITING;
        assert_int_equal(lsched_schedule(w.cluster, &o, &plan, NULL), LSCHED_OK);
        for (size_t r = 0; r < lsched_plan_waiting_size(plan); r++) {
            lsched_waiting_text(w.cluster, lsched_plan_waiting_at(plan, r), text, sizeof text,
                                NULL);
            is_shown(text, 0, "waiting_text");
        }
        lsched_plan_destroy(plan);
        int64_t whole = lsched_explain(w.cluster, id, text, sizeof text, NULL, NULL);
        assert_true(whole > 0 && (size_t)whole == strlen(text));
        is_shown(text, 1, "explain");
        assert_non_null(strstr(text, "\\x"));
    }
    api_world_drop(&w);
}

static void scenarios_are_told_of_in_utf8(void **state) {
    (void)state;
    static const char text[] =
        "nodes: [{name: n, cpu: 1}]\nqueues: [{name: \"q\\e[2J\"}]\n"
        "jobs: [{name: \"j\\n\\u202e\", queue: \"x\\e[2J\", tasks: {cpu: 1}}]\n";
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_scenario *s = NULL;
    lsched_cluster *c = NULL;
    assert_int_equal(lsched_cluster_create(NULL, &c, NULL), LSCHED_OK);
    int32_t rc = lsched_scenario_parse(NULL, (lsched_text){text, sizeof text - 1},
                                       LSCHED_TEXT("a\xff.yaml"), &s, &err);
    if (rc == LSCHED_OK) rc = lsched_scenario_run(s, c, NULL, NULL, &err);
    assert_true(rc < 0);
    is_shown(err.message, 0, "scenario");
    lsched_scenario_destroy(s);
    lsched_cluster_destroy(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_utf8_on_one_line),
        cmocka_unit_test(a_short_record_is_cut_at_a_character),
        cmocka_unit_test(explanations_are_utf8),
        cmocka_unit_test(scenarios_are_told_of_in_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
