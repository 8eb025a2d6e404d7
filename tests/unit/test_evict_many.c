/* Evictions on nodes, and in places for one job at a time, with more tasks than the search compares
 * (VICTIM_UNITS_MAX): small tasks do not keep the room from a job that is entitled to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/rights/victim_state.h"
#include "libsched/scenario.h"

struct world {
    uint32_t nodes, cpu; /* one rack of so many nodes with so many cores */
    uint32_t guarantee;  /* of the queue `o`, whose work runs */
    const char *work;    /* the jobs that run */
    const char *tasks;   /* of the job `j`, for which work is evicted; its queue is `q` */
    const char *expect;  /* of the cycle with that job */
    int has_window;      /* 1: the node m in another rack is reserved for `o` */
};

static void print_failure(void *user, const lsched_error *failure) {
    (void)user;
    print_message("%s\n", failure->message);
}

static void write_scenario(const struct world *w, char *text, size_t size) {
    int n = snprintf(text, size,
                     "cluster: {verify: true}\n"
                     "start: 2026-01-05T08:00Z\n"
                     "policy: {text: \"return { api = 1, name = 'p', fair_share = 'quota',\n"
                     "  pipeline = { 'allocate', 'reclaim', 'preempt' } }\"}\n"
                     "topology: [rack]\n"
                     "nodes: [{name: \"n[1-%u]\", cpu: %u, labels: {rack: r}}%s\n"
                     "queues: [{name: o, quota: {cpu: %u}}, {name: q, quota: {cpu: %u}}]\n"
                     "jobs: [%s]\n"
                     "events:\n"
                     "  - submit: [{name: j, queue: q, tasks: %s}]\n"
                     "    expect: %s\n",
                     w->nodes, w->cpu,
                     w->has_window ? ", {name: m, cpu: 8, labels: {rack: s}}]\n"
                                     "reservations: {r: {nodes: [m], queue: o, "
                                     "start: 2026-01-05T07:00Z, end: 2026-01-05T10:00Z}}"
                                   : "]",
                     w->guarantee, w->nodes * w->cpu - w->guarantee, w->work, w->tasks, w->expect);
    assert_in_range(n, 1, size - 1);
}

static void play(const struct world *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_scenario_report report = LSCHED_SCENARIO_REPORT_INIT;
    lsched_scenario_run_opts opts = LSCHED_SCENARIO_RUN_OPTS_INIT;
    lsched_scenario *s = NULL;
    lsched_cluster *c = NULL;
    char text[1280];
    opts.on_failure = print_failure;
    write_scenario(w, text, sizeof text);
    if (lsched_scenario_parse(NULL, lsched_cstr(text), LSCHED_TEXT("many.yaml"), &s, &err) ||
        lsched_cluster_create(NULL, &c, &err) || lsched_scenario_run(s, c, &opts, &report, &err))
        fail_msg("%s", err.message);
    assert_int_equal(report.failures, 0);
    assert_true(report.checks > 0);
    lsched_cluster_destroy(c);
    lsched_scenario_destroy(s);
}

/* Most of many equal jobs must go, which are fewer than the bound. */
static void test_most_of_a_node(void **state) {
    (void)state;
    play(&(struct world){.nodes = 1,
                         .cpu = 400,
                         .work = "{name: \"w[1-400]\", queue: o, tasks: {cpu: 1}}",
                         .tasks = "{cpu: 300}",
                         .expect = "{nominate: {j: n1}}"});
}

/* More small jobs than the bound, and the one job whose room is needed. The small ones are cheaper
 * and newer, and come first in every list of the node. */
static void test_small_ones_hide_nothing(void **state) {
    char work[128];
    (void)state;
    snprintf(
        work, sizeof work,
        "{name: big, queue: o, tasks: {cpu: 14}}, {name: \"w[1-%u]\", queue: o, tasks: {cpu: 1m}}",
        VICTIM_UNITS_MAX + 76);
    play(&(struct world){.nodes = 1,
                         .cpu = 16,
                         .work = work,
                         .tasks = "{cpu: 14}",
                         .expect = "{nominate: {j: n1}, evict: [big]}"});
}

/* A job keeps the rack for itself, and all its tasks can be spared. They are more than the bound,
 * on two nodes. */
static void play_exclusive(uint32_t min, uint32_t guarantee, const char *expect) {
    char work[128];
    uint32_t count = VICTIM_UNITS_MAX + 76;
    snprintf(
        work, sizeof work,
        "{name: w, queue: o, tasks: {count: %u, min: %u, cpu: 1, topology: {exclusive: rack}}}",
        count, min);
    play(&(struct world){.nodes = 2,
                         .cpu = count,
                         .guarantee = guarantee,
                         .work = work,
                         .tasks = "{cpu: 1}",
                         .expect = expect});
}

static void test_exclusive(void **state) {
    (void)state;
    play_exclusive(0, 0, "{nominate: [j], evict: [w]}");
    play_exclusive(3, 0, "{nominate: [j], evict: [w]}");
}

/* One task more than its guarantee can go, but then all the others would have to go, too. */
static void test_exclusive_within_guarantee(void **state) {
    (void)state;
    play_exclusive(0, VICTIM_UNITS_MAX, "{nominate: [], evict: []}");
}

/* The job wants the rack for itself, and the work there is more than the bound. */
static void test_for_exclusive(void **state) {
    char work[128];
    (void)state;
    snprintf(work, sizeof work, "{name: w, queue: o, tasks: {count: %u, min: 1, cpu: 1}}",
             VICTIM_UNITS_MAX + 76);
    play(&(struct world){.nodes = 2,
                         .cpu = 600,
                         .work = work,
                         .tasks = "{cpu: 1, topology: {exclusive: rack}}",
                         .expect = "{nominate: [j], evict: [w]}"});
}

/* The same, but with tasks of the work in a window of its queue on another node. They may not stop,
 * and so it cannot leave whole. */
static void test_for_exclusive_beside_a_window(void **state) {
    char work[128];
    (void)state;
    snprintf(work, sizeof work, "{name: w, queue: o, tasks: {count: %u, min: 1, cpu: 1}}",
             VICTIM_UNITS_MAX + 84);
    play(&(struct world){.nodes = 1,
                         .cpu = VICTIM_UNITS_MAX + 76,
                         .work = work,
                         .tasks = "{cpu: 1, topology: {exclusive: rack}}",
                         .expect = "{nominate: [], evict: []}",
                         .has_window = 1});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_most_of_a_node), cmocka_unit_test(test_small_ones_hide_nothing),
        cmocka_unit_test(test_exclusive),      cmocka_unit_test(test_exclusive_within_guarantee),
        cmocka_unit_test(test_for_exclusive),  cmocka_unit_test(test_for_exclusive_beside_a_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
