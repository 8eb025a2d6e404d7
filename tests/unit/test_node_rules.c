/* Rules of tasks about nodes and jobs: what single rules say, that order carries no meaning, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/state/cluster.h"
#include "model/shapes/node_rules.h"
#include "support/api_world.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static lsched_text text(const char *s) {
    return (lsched_text){s, strlen(s)};
}

static void whole_numbers_and_nothing_else(void **unused) {
    static const struct {
        const char *text;
        int is_number;
        int64_t value;
    } cases[] = {{"0", 1, 0},
                 {"-7", 1, -7},
                 {"+12", 1, 12},
                 {"9223372036854775807", 1, INT64_MAX},
                 {"-9223372036854775808", 1, INT64_MIN},
                 {"9223372036854775808", 0, 0},
                 {"-9223372036854775809", 0, 0},
                 {"", 0, 0},
                 {"-", 0, 0},
                 {"+", 0, 0},
                 {"1.5", 0, 0},
                 {" 1", 0, 0},
                 {"1k", 0, 0}};
    (void)unused;
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t value = 0;
        assert_int_equal(rules_whole_number(text(cases[i].text), &value), cases[i].is_number);
        if (cases[i].is_number) assert_true(value == cases[i].value);
    }
}

/* One rule with the values a and 7 where it has any. */
static int holds(uint32_t operation, const char *label) {
    static const uint8_t two[] = {1, 0, 0, 0, 'a', 1, 0, 0, 0, '7'}, one[] = {1, 0, 0, 0, '7'};
    int compares = operation >= LSCHED_LABEL_GREATER;
    int lists = operation <= LSCHED_LABEL_NOT_IN;
    struct reader values = {two, two + sizeof two, 0};
    if (compares) values = (struct reader){one, one + sizeof one, 0};
    int result = rules_label_holds(operation, label != NULL, text(label ? label : ""), &values,
                                   lists ? 2 : (uint32_t)compares);
    assert_false(values.bad);
    return result;
}

static void every_operation(void **unused) {
    (void)unused;
    assert_true(holds(LSCHED_LABEL_IN, "a") && holds(LSCHED_LABEL_IN, "7"));
    assert_false(holds(LSCHED_LABEL_IN, "b") || holds(LSCHED_LABEL_IN, NULL));
    assert_true(holds(LSCHED_LABEL_NOT_IN, "b") && holds(LSCHED_LABEL_NOT_IN, NULL));
    assert_false(holds(LSCHED_LABEL_NOT_IN, "7"));
    assert_true(holds(LSCHED_LABEL_EXISTS, "") && !holds(LSCHED_LABEL_EXISTS, NULL));
    assert_true(holds(LSCHED_LABEL_ABSENT, NULL) && !holds(LSCHED_LABEL_ABSENT, ""));
    assert_true(holds(LSCHED_LABEL_GREATER, "8") && holds(LSCHED_LABEL_GREATER, "10"));
    assert_false(holds(LSCHED_LABEL_GREATER, "7") || holds(LSCHED_LABEL_GREATER, "b") ||
                 holds(LSCHED_LABEL_GREATER, NULL));
    assert_true(holds(LSCHED_LABEL_LESS, "-1") && !holds(LSCHED_LABEL_LESS, "7") &&
                !holds(LSCHED_LABEL_LESS, "six") && !holds(LSCHED_LABEL_LESS, NULL));
}

/* ---- through the public calls ---- */

static struct api_world world;

static int open_world(void **unused) {
    (void)unused;
    return api_world_make(&world, NULL);
}

static int close_world(void **unused) {
    (void)unused;
    api_world_drop(&world);
    return 0;
}

static int32_t submit(const char *name, const lsched_group_desc *group, lsched_error *err) {
    lsched_job_desc job = api_job(name, group, 1);
    return lsched_jobs_submit(world.cluster, &job, 1, sizeof job, NULL, NULL, NULL, err);
}

static uint32_t shape_of(const char *name) {
    lsched_id id = lsched_find(world.cluster, LSCHED_KIND_JOB, lsched_cstr(name));
    assert_true(id != 0);
    return world.cluster->k.c[C_JOB_SHAPE].u32[(uint32_t)id];
}

static void the_order_of_rules_carries_no_meaning(void **unused) {
    lsched_text zones[] = {text("a"), text("b")}, turned[] = {text("b"), text("a")};
    lsched_label_rule rules[] = {{text("zone"), zones, 2, LSCHED_LABEL_IN},
                                 {text("rack"), NULL, 0, LSCHED_LABEL_EXISTS}};
    lsched_label_rule swapped[] = {{text("rack"), NULL, 0, LSCHED_LABEL_EXISTS},
                                   {text("zone"), turned, 2, LSCHED_LABEL_IN}};
    lsched_node_affinity first[] = {{rules, 2, 0}, {rules, 1, 7}},
                         second[] = {{swapped + 1, 1, 7}, {swapped, 2, 0}};
    lsched_toleration t[] = {{text("x"), text("y"), LSCHED_TAINT_STOP, 0, 5},
                             {text("k"), text(""), LSCHED_TOLERATES_ANY_EFFECT, 1, 0}};
    lsched_toleration u[] = {t[1], t[0]};
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_group_desc g = api_group(1);
    (void)unused;
    g.node_affinities = first;
    g.tolerations = t;
    g.n_node_affinities = g.n_tolerations = 2;
    assert_int_equal(submit("one", &g, &err), 1);
    g.node_affinities = second;
    g.tolerations = u;
    assert_int_equal(submit("other", &g, &err), 1);
    assert_int_equal(shape_of("one"), shape_of("other"));
    g.n_tolerations = 1;
    assert_int_equal(submit("less", &g, &err), 1);
    assert_int_not_equal(shape_of("one"), shape_of("less"));
}

static void refused(int32_t want, const char *part, const lsched_group_desc *g) {
    lsched_error err = LSCHED_ERROR_INIT;
    uint64_t before = api_image(world.cluster);
    assert_int_equal(submit("bad", g, &err), want);
    if (!strstr(err.message, part)) fail_msg("expected \"%s\" in: %s", part, err.message);
    assert_true(before == api_image(world.cluster));
}

static void bad_terms_about_nodes(void **unused) {
    lsched_text value = text("3"), word = text("three");
    lsched_label_rule rule = {text("gen"), &value, 1, LSCHED_LABEL_GREATER};
    lsched_node_affinity term = {&rule, 1, 0};
    lsched_group_desc g = api_group(1);
    (void)unused;
    g.n_node_affinities = 1;
    refused(LSCHED_E_NULL, "node_affinities is NULL", &g);
    g.node_affinities = &term;
    rule.operation = 6;
    refused(LSCHED_E_INVAL, "operation 6", &g);
    rule.operation = LSCHED_LABEL_GREATER;
    value = text("9223372036854775808");
    refused(LSCHED_E_INVAL, "expected a whole number from -2^63 to 2^63 - 1", &g);
    value = text("3");
    rule.operation = LSCHED_LABEL_EXISTS;
    refused(LSCHED_E_INVAL, "'exists' about label 'gen' has 1 values; expected none", &g);
    rule.operation = LSCHED_LABEL_LESS;
    rule.values = &word;
    refused(LSCHED_E_INVAL, "expected a whole number", &g);
    rule = (lsched_label_rule){text("gen"), NULL, 0, LSCHED_LABEL_NOT_IN};
    refused(LSCHED_E_INVAL, "expected at least one", &g);
    rule.n_values = 1;
    refused(LSCHED_E_NULL, "values", &g);
    rule = (lsched_label_rule){text(""), NULL, 0, LSCHED_LABEL_EXISTS};
    refused(LSCHED_E_INVAL, "label key", &g);
    term.n_rules = 0;
    refused(LSCHED_E_INVAL, "a node affinity rule has no conditions", &g);
    term = (lsched_node_affinity){NULL, 1, 0};
    refused(LSCHED_E_NULL, "rules", &g);
    term = (lsched_node_affinity){&rule, 1, 101};
    refused(LSCHED_E_RANGE, "the weight of a term about nodes is 101", &g);
}

static void bad_tolerations(void **unused) {
    lsched_toleration t = {text("hot"), text(""), 3, 0, 0};
    lsched_group_desc g = api_group(1);
    (void)unused;
    g.n_tolerations = 1;
    refused(LSCHED_E_NULL, "tolerations is NULL", &g);
    g.tolerations = &t;
    refused(LSCHED_E_INVAL, "effect 3", &g);
    t = (lsched_toleration){text(""), text("x"), LSCHED_TAINT_STOP, 0, 0};
    refused(LSCHED_E_INVAL, "without a key", &g);
    t = (lsched_toleration){text("hot"), text("x"), LSCHED_TAINT_STOP, 1, 0};
    refused(LSCHED_E_INVAL, "any value and yet names 'x'", &g);
    t = (lsched_toleration){text("hot"), text("x"), LSCHED_TAINT_AVOID, 0, 5};
    refused(
        LSCHED_E_INVAL,
        "the toleration of taint 'hot' has a duration, which is allowed only for the effect that stops tasks",
        &g);
    t = (lsched_toleration){text("hot"), text("x"), LSCHED_TAINT_STOP, 0, -1};
    refused(LSCHED_E_RANGE, "-1 us", &g);
    g.n_tolerations = LIMIT_RULES_PER_LIST + 1;
    refused(LSCHED_E_LIMIT, "more than 32 tolerations", &g);
}

static void bad_terms_about_jobs(void **unused) {
    lsched_label twice[] = {{text("app"), text("a")}, {text("app"), text("b")}};
    lsched_job_affinity term = {.labels = twice, .n_labels = 2, .level = text("rack")};
    lsched_group_desc g = api_group(1);
    (void)unused;
    g.n_job_affinities = 1;
    refused(LSCHED_E_NULL, "job_affinities is NULL", &g);
    g.job_affinities = &term;
    refused(LSCHED_E_INVAL, "'app' is given twice", &g);
    term.n_labels = 1;
    term.level = text("rak");
    refused(LSCHED_E_KEY, "has no level 'rak'; did you mean 'rack'?", &g);
    term.level = text("rack");
    term.topology = text("cite");
    refused(LSCHED_E_KEY, "no topology is called 'cite'", &g);
    term.topology = text("");
    term.apart = 2;
    refused(LSCHED_E_INVAL, "apart is 2", &g);
    term.apart = 1;
    term.weight = 1000;
    refused(LSCHED_E_RANGE, "the weight of a term about jobs is 1000", &g);
    term.weight = 0;
    term.labels = NULL;
    refused(LSCHED_E_NULL, "labels is NULL", &g);
    g.n_job_affinities = LIMIT_JOB_TERMS + 1;
    refused(LSCHED_E_LIMIT, "more than 16 terms about jobs", &g);
}

static void rules_are_for_groups_of_tasks(void **unused) {
    lsched_toleration all = {text(""), text(""), LSCHED_TOLERATES_ANY_EFFECT, 1, 0};
    lsched_group_desc groups[] = {LSCHED_GROUP_DESC_INIT, api_group(1)};
    lsched_job_desc job;
    lsched_error err = LSCHED_ERROR_INIT;
    (void)unused;
    groups[0].tolerations = &all;
    groups[0].n_tolerations = 1;
    job = api_job("bad", groups, 2);
    assert_int_equal(lsched_jobs_submit(world.cluster, &job, 1, sizeof job, NULL, NULL, NULL, &err),
                     LSCHED_E_INVAL);
    assert_non_null(strstr(err.message,
                           "contains groups; tolerations, terms, supplies and a kind of work are "
                           "allowed only in groups of tasks"));
}

static void bad_taints_change_nothing(void **unused) {
    lsched_taint taints[] = {{text("hot"), text(""), LSCHED_TAINT_STOP, 0},
                             {text("hot"), text(""), LSCHED_TAINT_STOP, 0}};
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    uint64_t before = api_image(world.cluster);
    (void)unused;
    u.node = world.nodes[0];
    u.set = LSCHED_NODE_SET_TAINTS | LSCHED_NODE_SET_TASKS_MAX;
    u.tasks_max = 3;
    u.n_taints = 2;
    assert_int_equal(lsched_nodes_update(world.cluster, &u, 1, sizeof u, NULL, NULL, &err),
                     LSCHED_E_NULL);
    u.taints = taints;
    assert_int_equal(lsched_nodes_update(world.cluster, &u, 1, sizeof u, NULL, NULL, &err),
                     LSCHED_E_INVAL);
    taints[1].effect = 3;
    assert_int_equal(lsched_nodes_update(world.cluster, &u, 1, sizeof u, NULL, NULL, &err),
                     LSCHED_E_INVAL);
    taints[1] = (lsched_taint){text(""), text(""), LSCHED_TAINT_AVOID, 0};
    assert_int_equal(lsched_nodes_update(world.cluster, &u, 1, sizeof u, NULL, NULL, &err),
                     LSCHED_E_INVAL);
    assert_true(before == api_image(world.cluster));
    u.n_taints = 1;
    assert_int_equal(lsched_nodes_update(world.cluster, &u, 1, sizeof u, NULL, NULL, &err), 1);
    assert_int_equal(lsched_verify(world.cluster, NULL, &err), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers_and_nothing_else),
        cmocka_unit_test(every_operation),
        cmocka_unit_test_setup_teardown(the_order_of_rules_carries_no_meaning, open_world,
                                        close_world),
        cmocka_unit_test_setup_teardown(bad_terms_about_nodes, open_world, close_world),
        cmocka_unit_test_setup_teardown(bad_tolerations, open_world, close_world),
        cmocka_unit_test_setup_teardown(bad_terms_about_jobs, open_world, close_world),
        cmocka_unit_test_setup_teardown(rules_are_for_groups_of_tasks, open_world, close_world),
        cmocka_unit_test_setup_teardown(bad_taints_change_nothing, open_world, close_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
