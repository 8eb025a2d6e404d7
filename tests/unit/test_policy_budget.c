/* The budget of a cycle does not depend on what an earlier one left in the indexes of the search: answers that are held are
 * charged as if they were asked for. So a clone, whose indexes are empty, spends what the original does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/api_world.h"
#include <cmocka.h>

enum { NODES = 400 };

/* A loop keeps it from being lifted out of Lua; each node costs about the same. */
static const char text[] = "return { api = 1, score = function(job, node)\n"
                           "  local sum = 0\n"
                           "  for i = 1, 10 do sum = sum + node.gpu_free * i end\n"
                           "  return -sum\n"
                           "end }\n";

static lsched_cluster *world(uint64_t per_cycle) {
    lsched_cluster *c;
    lsched_id id;
    assert_int_equal(lsched_cluster_create(NULL, &c, NULL), 0);
    for (int i = 0; i < NODES; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%03d", i);
        lsched_node_desc node = api_node(name);
        node.n_labels = 0;
        assert_int_equal(lsched_nodes_add(c, &node, 1, sizeof node, NULL, &id, NULL, NULL), 1);
    }
    lsched_queue_desc queue = api_queue("q", NULL);
    assert_int_equal(lsched_queues_add(c, &queue, 1, sizeof queue, NULL, &id, NULL, NULL), 1);
    lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    opts.instructions_per_cycle = per_cycle;
    if (lsched_policy_load(c, LSCHED_TEXT("budget"), lsched_cstr(text), &opts, &err) != 0)
        fail_msg("%s", err.message);
    return c;
}

static lsched_plan_info cycle_with(lsched_cluster *c, const char *job, int64_t now_us) {
    lsched_group_desc group = api_group(1);
    lsched_job_desc desc = api_job(job, &group, 1);
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan *plan;
    lsched_id id;
    desc.queue_name = (lsched_text){"q", 1};
    assert_int_equal(lsched_jobs_submit(c, &desc, 1, sizeof desc, NULL, &id, NULL, NULL), 1);
    opts.now_us = now_us;
    assert_int_equal(lsched_schedule(c, &opts, &plan, NULL), 0);
    assert_int_equal(lsched_plan_size(plan), 1);
    assert_int_equal(lsched_plan_get(plan, &info, NULL), 0);
    lsched_plan_destroy(plan);
    return info;
}

static void held_answers_are_charged(void **state) {
    (void)state;
    lsched_cluster *c = world(0), *clone = NULL;
    lsched_plan_info first = cycle_with(c, "a", 1000000);
    assert_int_equal(first.nodes_scored, NODES);
    assert_int_equal(lsched_cluster_clone(c, &clone, NULL), 0);
    lsched_plan_info warm = cycle_with(c, "b", 2000000);
    lsched_plan_info cold = cycle_with(clone, "b", 2000000);
    assert_true(warm.nodes_scored < 10);
    assert_int_equal(cold.nodes_scored, NODES);
    assert_int_equal(warm.plan_hash, cold.plan_hash);
    assert_in_range(warm.policy_instructions, cold.policy_instructions * 97 / 100,
                    cold.policy_instructions * 103 / 100);
    lsched_cluster_destroy(clone);
    lsched_cluster_destroy(c);
}

/* A budget that is too small for one look at all nodes is so in every cycle, and the message says why. */
static void held_answers_can_end_a_cycle(void **state) {
    (void)state;
    lsched_cluster *c = world(0);
    lsched_plan_info first = cycle_with(c, "a", 1000000);
    uint64_t needed = first.policy_instructions;
    lsched_cluster_destroy(c);
    c = world(needed + needed / 20);
    for (int i = 0; i < 2; i++)
        assert_int_equal(cycle_with(c, i ? "b" : "a", 1000000 * (i + 1)).policy_error, 0);
    lsched_cluster_destroy(c);
    c = world(needed / 2);
    for (int i = 0; i < 2; i++) {
        lsched_plan_info info = cycle_with(c, i ? "b" : "a", 1000000 * (i + 1));
        assert_int_equal(info.policy_error, LSCHED_E_BUDGET);
        assert_true(info.flags & LSCHED_PLAN_POLICY_FAILED);
    }
    lsched_cluster_destroy(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_answers_are_charged),
        cmocka_unit_test(held_answers_can_end_a_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
