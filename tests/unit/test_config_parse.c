/* Scenarios after reading: what templates expand to, how trees come out, and every typed refusal
 * with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "config/steps/expect_fields.h"
#include "config/read/scenario_form.h"
#include "support/fault_alloc.h"

static lsched_scenario *parse(const char *text) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_scenario *s = NULL;
    if (lsched_scenario_parse(NULL, lsched_cstr(text), LSCHED_TEXT("x.yaml"), &s, &err) !=
        LSCHED_OK)
        fail_msg("%s", err.message);
    return s;
}

static const struct action *action_of(const lsched_scenario *s, uint32_t step, uint32_t kind) {
    const struct step *st = scn_step(s, step);
    const struct action *actions = st->actions.items;
    for (uint32_t i = 0; i < st->actions.n; i++)
        if (actions[i].kind == kind) return &actions[i];
    fail_msg("no action %u in step %u", kind, step);
    return NULL;
}

static void assert_text(lsched_text text, const char *want) {
    assert_int_equal(text.len, strlen(want));
    assert_memory_equal(text.ptr, want, text.len);
}

static void expect_error(const char *text, int32_t code, const char *message) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_scenario *s = NULL;
    int32_t got = lsched_scenario_parse(NULL, lsched_cstr(text), LSCHED_TEXT("x.yaml"), &s, &err);
    assert_null(s);
    if (got != code || strcmp(err.message, message) != 0)
        fail_msg("%s\nexpected %d %s\ngot %d %s", text, (int)code, message, (int)got, err.message);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static void test_node_template(void **state) {
    lsched_scenario *s = parse(
        "topology: [zone, rack, node]\n"
        "nodes:\n"
        "  - {name: \"h100-[0-63]\", count: 64, labels: {zone: a, rack: \"r[0-7]\"}, cpu: 128,\n"
        "     memory: 2Ti, gpus: {count: 8, model: H100-80GB, links: nvswitch}}\n"
        "  - {name: box, count: 2, gpus: 4, price: 2.50, power: 1.2kW, cordoned: true, tag: 0xff}\n"
        "  - {name: bare}\n");
    (void)state;
    const struct action *nodes = action_of(s, 0, ACTION_NODES);
    const lsched_node_desc *d = nodes->items.items;
    assert_int_equal(nodes->items.n, 67);
    assert_text(d[0].name, "h100-0");
    assert_text(d[63].name, "h100-63");
    assert_int_equal(d[0].n_labels, 3);
    assert_text(d[0].labels[1].value, "r0");
    assert_text(d[7].labels[1].value, "r0");
    assert_text(d[8].labels[1].value, "r1");
    assert_text(d[63].labels[1].value, "r7");
    assert_text(d[63].labels[2].key, "node"); /* the level of that name is the node itself */
    assert_text(d[63].labels[2].value, "h100-63");
    assert_int_equal(d[5].n_capacity, 2);
    assert_int_equal(d[5].capacity[0].kind, LSCHED_CPU);
    assert_true(d[5].capacity[0].amount == 128000);
    assert_true(d[5].capacity[1].amount == INT64_C(2) << 40);
    assert_int_equal(d[5].devices[0].count, 8);
    assert_text(d[5].devices[0].model, "H100-80GB");
    assert_text(d[64].name, "box-0");
    assert_text(d[65].name, "box-1");
    assert_int_equal(d[65].state, LSCHED_NODE_CORDONED);
    assert_true(d[65].price_micro_per_hour == 2500000 && d[65].power_milliwatt == 1200000);
    assert_true(d[65].tag == 255);
    assert_text(d[66].name, "bare");
    assert_int_equal(d[66].n_devices, 0);
    assert_int_equal(((const struct mark *)nodes->marks.items)[65].line, 5);
    assert_int_equal(d[5].machine->n_devices, 8);
    assert_int_equal(d[5].machine->links[1].kind, LSCHED_LINK_NVLINK);
    assert_int_equal(d[5].machine->links[1].count, 18);
    assert_int_equal(d[5].machine->links[9].kind, LSCHED_LINK_NONE); /* to itself */
    assert_null(d[64].machine);
    assert_null(lsched_scenario_notes_at(s, 0));
    lsched_scenario_info info = {.size = sizeof info};
    assert_int_equal(lsched_scenario_get(s, &info, NULL), LSCHED_OK);
    assert_true(info.nodes == 67 && info.steps == 1 && info.notes == 0 && info.topologies == 1);
    lsched_scenario_destroy(s);
}

static void test_uneven_label_range(void **state) {
    lsched_scenario *s = parse("nodes: [{name: \"n[0-6]\", labels: {r: \"[a-c]\"}}]\n");
    const lsched_node_desc *d = action_of(s, 0, ACTION_NODES)->items.items;
    char racks[8] = "";
    (void)state;
    for (int i = 0; i < 7; i++) racks[i] = d[i].labels[0].value.ptr[0];
    assert_string_equal(racks, "aaabbcc");
    lsched_scenario_destroy(s);
}

static void test_alias_is_a_template(void **state) {
    lsched_scenario *s =
        parse("nodes:\n"
              "  - {name: a, gpus: &g {count: 8, model: H100}}\n"
              "  - {name: b, gpus: *g}\n"
              "  - {name: c, gpus: [*g, {count: 2, model: L4, sharing: fraction}]}\n");
    const lsched_node_desc *d = action_of(s, 0, ACTION_NODES)->items.items;
    (void)state;
    assert_int_equal(d[1].devices[0].count, 8);
    assert_int_equal(d[2].n_devices, 2);
    assert_int_equal(d[2].devices[1].share_mode, LSCHED_SHARING_FRACTION);
    lsched_scenario_destroy(s);
}

/* ---- queues ---------------------------------------------------------------------------------- */

static void test_queue_tree_comes_out_parents_first(void **state) {
    static const char *const forms[] = {
        "queues:\n"
        "  - {name: leaf, parent: mid, quota: {gpu: 2.5, memory: unlimited}, weight: 3}\n"
        "  - {name: mid, parent: top}\n"
        "  - {name: top}\n",
        "queues:\n"
        "  - name: top\n"
        "    children:\n"
        "      - name: mid\n"
        "        children:\n"
        "          - {name: leaf, quota: {gpu: 2.5, memory: unlimited}, weight: 3}\n"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        lsched_scenario *s = parse(forms[i]);
        const lsched_queue_desc *q = action_of(s, 0, ACTION_QUEUES)->items.items;
        assert_int_equal(action_of(s, 0, ACTION_QUEUES)->items.n, 3);
        assert_text(q[0].name, "top");
        assert_text(q[1].name, "mid");
        assert_text(q[1].parent_name, "top");
        assert_text(q[2].name, "leaf");
        assert_text(q[2].parent_name, "mid");
        assert_true(q[2].quota[0].amount == 2500 && q[2].quota[1].amount == LSCHED_UNLIMITED);
        assert_int_equal(q[2].weight_milli[0].kind, LSCHED_ANY_RESOURCE);
        assert_true(q[2].weight_milli[0].amount == 3000);
        lsched_scenario_destroy(s);
    }
}

static void test_queue_errors(void **state) {
    (void)state;
    expect_error(
        "queues:\n  - {name: a, parent: b}\n  - {name: b, parent: a}\n", LSCHED_E_CYCLE,
        "x.yaml:2:5: expected queues that form a tree, got a cycle: \"a\" is below \"b\", which "
        "leads back");
    expect_error(
        "queues: [{name: a, parent: a}]\n", LSCHED_E_CYCLE,
        "x.yaml:1:10: expected queues that form a tree, got a cycle: \"a\" is below \"a\", "
        "which leads back");
    expect_error(
        "queues: [{name: a, children: [{name: b, parent: c}]}]\n", LSCHED_E_KEY,
        "x.yaml:1:31: expected a child without \"parent\", got one: it stands below \"a\" already");
    expect_error("queues: [{name: \"a[0-1]\", children: [{name: b}]}]\n", LSCHED_E_TYPE,
                 "x.yaml:1:37: expected a single queue above children, got a list");
    expect_error("queues: [{quota: {gpu: 1}}]\n", LSCHED_E_KEY,
                 "x.yaml:1:10: expected a queue with a name, got a map");
    expect_error(
        "queues: [{name: a, quota: {gpus: 1}}]\n", LSCHED_E_KEY,
        "x.yaml:1:28: expected a key of resource kinds, got \"gpus\"; did you mean \"gpu\"?");
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static void test_job_short_form(void **state) {
    lsched_scenario *s =
        parse("jobs:\n"
              "  - {name: llm, queue: research, priority: 50, duration: 36h,\n"
              "     topology: {required: zone, preferred: rack},\n"
              "     tasks: {count: 32, min: 16, gpu: 8, cpu: 96, memory: 1Ti, select: {ssd: \"*\", "
              "zone: [a, b]}}}\n"
              "  - {name: \"e[0-2]\", queue: q, preemptible: false, tasks: {count: 4, min: 0, gpu: "
              "0.5}}\n");
    const lsched_job_desc *d = action_of(s, 0, ACTION_JOBS)->items.items;
    (void)state;
    assert_int_equal(action_of(s, 0, ACTION_JOBS)->items.n, 4);
    assert_int_equal(d[0].n_groups, 1);
    const lsched_group_desc *g = d[0].groups;
    assert_int_equal(g->max_count, 32);
    assert_int_equal(g->min_count, 16);
    assert_int_equal(g->n_request, 3);
    assert_true(g->request[0].kind == LSCHED_GPU && g->request[0].amount == 8000);
    assert_text(g->required_level, "zone");
    assert_text(g->preferred_level, "rack");
    assert_int_equal(g->selectors[0].n_values, 0);
    assert_int_equal(g->selectors[1].n_values, 2);
    assert_true(d[0].duration_us == INT64_C(36) * 3600 * 1000000);
    assert_int_equal(d[0].flags, 0);
    assert_text(d[3].name, "e2");
    assert_int_equal(d[3].flags, LSCHED_JOB_NON_PREEMPTIBLE);
    assert_int_equal(d[3].groups->min_count, LSCHED_MIN_NONE);
    lsched_scenario_destroy(s);
}

static void test_job_groups_in_the_order_of_the_text(void **state) {
    lsched_scenario *s = parse("jobs:\n"
                               "  - name: j\n"
                               "    queue: q\n"
                               "    min_groups: 2\n"
                               "    groups:\n"
                               "      - name: a\n"
                               "        min_groups: 1\n"
                               "        groups: [{name: a0, count: 2}, {name: a1, count: 3}]\n"
                               "      - {name: b, count: 4}\n");
    const lsched_job_desc *d = action_of(s, 0, ACTION_JOBS)->items.items;
    static const char *const names[] = {"a", "a0", "a1", "b"};
    static const uint32_t parents[] = {0, 1, 1, 0};
    (void)state;
    assert_int_equal(d->n_groups, 5);
    assert_int_equal(d->groups[0].min_groups, 2);
    for (int i = 0; i < 4; i++) {
        assert_text(d->groups[1 + i].name, names[i]);
        assert_int_equal(d->groups[1 + i].parent, parents[i]);
    }
    assert_int_equal(d->groups[3].max_count, 3);
    lsched_scenario_destroy(s);
}

static void test_job_errors(void **state) {
    (void)state;
    expect_error("jobs: [{name: j, queue: q}]\n", LSCHED_E_KEY,
                 "x.yaml:1:8: expected a job with either \"tasks\" or \"groups\", got a map");
    expect_error("jobs: [{name: j, tasks: {}}]\n", LSCHED_E_KEY,
                 "x.yaml:1:8: expected a job with a queue, got a map");
    expect_error("jobs: [{name: j, queue: q, tasks: {count: 0}}]\n", LSCHED_E_RANGE,
                 "x.yaml:1:43: expected a count of at least 1, got \"0\"");
    expect_error(
        "jobs: [{name: j, queue: q, prioritty: 3, tasks: {}}]\n", LSCHED_E_KEY,
        "x.yaml:1:28: expected a key of a job, got \"prioritty\"; did you mean \"priority\"?");
    expect_error(
        "jobs: [{name: a, queue: q, members: 1, tasks: {cpu: 1}}]\n", LSCHED_E_KEY,
        "x.yaml:1:28: expected a key of a job, got \"members\", which is a key of a group of "
        "tasks");
    expect_error(
        "jobs: [{name: a, queue: q, tasks: {cpu: 1, duration: 1h}}]\n", LSCHED_E_KEY,
        "x.yaml:1:44: expected a key of a group of tasks, got \"duration\", which is a key of "
        "a job");
    expect_error("jobs: [{name: j, queue: q, tasks: {memory: 64GB}}]\n", LSCHED_E_TYPE,
                 "x.yaml:1:44: expected a memory size such as 64Gi, 512M or 1024, got \"64GB\"");
    expect_error(
        "jobs: [{name: j, queue: q, tasks: {cpu: -2}}]\n", LSCHED_E_RANGE,
        "x.yaml:1:41: expected an amount of cores such as 8, 1.5 or 500m, got \"-2\", which is "
        "negative");
    expect_error(
        "jobs: [{name: j, queue: q, tasks: {memory: 5Ei}}]\n", LSCHED_E_RANGE,
        "x.yaml:1:44: expected a memory size such as 64Gi, 512M or 1024, got \"5Ei\", which is "
        "above 2^62");
    expect_error("jobs: [{name: j, queue: q, tasks: {claim: {share: 0}}}]\n", LSCHED_E_RANGE,
                 "x.yaml:1:51: expected a share of each device above 0, at most 1, "
                 "got \"0\"");
    expect_error(
        "jobs: [{name: j, queue: q, tasks: {gpu: 0.0001}}]\n", LSCHED_E_RANGE,
        "x.yaml:1:41: expected an amount of GPUs such as 8, 0.5 or 500m, got \"0.0001\", which "
        "is not a whole "
        "number of the smallest unit");
    expect_error("jobs: [{name: j, queue: q, duration: 90, tasks: {}}]\n", LSCHED_E_TYPE,
                 "x.yaml:1:38: expected a duration such as 36h, 2h30m or 500ms, got \"90\"");
    expect_error("jobs: [{name: j, queue: q, preemptible: no, tasks: {}}]\n", LSCHED_E_TYPE,
                 "x.yaml:1:41: expected true or false, got \"no\"");
    expect_error("jobs: [{name: j, queue: q, tasks: {count: 2, groups: [{count: 1}]}}]\n",
                 LSCHED_E_KEY,
                 "x.yaml:1:43: expected no tasks in a group that holds groups, got \"2\"");
    expect_error("jobs: [{name: j, queue: q, groups: []}]\n", LSCHED_E_TYPE,
                 "x.yaml:1:36: expected a list of at least one group, got a list");
    expect_error(
        "jobs: [{name: \"j[0-2]\", count: 4, queue: q, tasks: {}}]\n", LSCHED_E_RANGE,
        "x.yaml:1:8: expected a count of 3, which is what the range of the name gives, got 4");
    expect_error("jobs: {name: j}\n", LSCHED_E_TYPE,
                 "x.yaml:1:7: expected a list of jobs, got a map");
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void test_times_count_from_start_and_step(void **state) {
    lsched_scenario *s =
        parse("start: 2026-01-05T08:00Z\n"
              "jobs: [{name: j, queue: q, tasks: {}, submitted: -10m, deadline: 2h}]\n"
              "events:\n"
              "  - {at: 10s, submit: [{name: k, queue: q, tasks: {}, deadline: 1h}]}\n"
              "  - {finish: j}\n"
              "  - {at: 2026-01-05T09:00Z}\n");
    const int64_t start = INT64_C(1767600000) * 1000000;
    (void)state;
    const lsched_job_desc *j = action_of(s, 0, ACTION_JOBS)->items.items;
    assert_true(j->submit_us == start - 600000000 && j->deadline_us == start + 7200000000);
    const lsched_job_desc *k = action_of(s, 1, ACTION_JOBS)->items.items;
    assert_true(k->submit_us == start + 10000000 && k->deadline_us == start + 3610000000);
    assert_true(scn_step(s, 2)->at_us == start + 10000000);
    assert_true(scn_step(s, 3)->at_us == start + 3600000000);
    lsched_scenario_destroy(s);
}

static void test_which_steps_run_a_cycle(void **state) {
    lsched_scenario *s = parse("settle: manual\n"
                               "events:\n"
                               "  - {at: 1s}\n"
                               "  - {cordon: n}\n"
                               "  - {settle: {reject: all}}\n"
                               "  - {cordon: n, settle: {confirm: all}}\n"
                               "  - {cordon: n, schedule: false}\n"
                               "  - {cordon: n, expect_error: E_NOENT}\n"
                               "  - {expect_error: E_TIME, schedule: {now: -1s}}\n"
                               "  - {expect_error: E_BUDGET}\n");
    static const uint32_t cycles[] = {1, 1, 1, 0, 1, 0, 0, 1, 1};
    (void)state;
    for (uint32_t i = 0; i < 9; i++) {
        print_message("step %u\n", i);
        assert_int_equal(scn_step(s, i)->cycle, cycles[i]);
    }
    assert_int_equal(scn_step(s, 1)->settle_mode, SETTLE_MANUAL);
    assert_true(scn_step(s, 7)->schedule.now_us == 0);
    lsched_scenario_destroy(s);
}

/* Steps that would do nothing, or less than they seem to say. */
static void test_empty_steps(void **state) {
    (void)state;
    expect_error("events: [{update_devices: [{node: n, device: 0}]}]\n", LSCHED_E_KEY,
                 "x.yaml:1:28: expected an update with \"health\", \"geometry\" or \"taints\", got "
                 "a map");
    expect_error("events: [{update_devices: [{node: n, device: [0-2, 1], health: ok}]}]\n",
                 LSCHED_E_RANGE, "x.yaml:1:52: expected each device once, got \"1\"");
    expect_error("events: [{foreign_use: [{node: n, devices: [3-1]}]}]\n", LSCHED_E_RANGE,
                 "x.yaml:1:45: expected a span of devices such as 0-3, got \"3-1\"");
    expect_error("events: [{foreign_use: [{node: n, devices: [0-128]}]}]\n", LSCHED_E_RANGE,
                 "x.yaml:1:45: expected a span of devices such as 0-3, got \"0-128\"");
    expect_error("events: [{foreign_use: [{node: n, devices: [120-128]}]}]\n", LSCHED_E_RANGE,
                 "x.yaml:1:45: expected a device number below 128, got \"120-128\"");
    expect_error("events: [{update_jobs: [{name: j, topology: {exclusive: rack}}]}]\n",
                 LSCHED_E_KEY,
                 "x.yaml:1:45: expected \"tasks\" or \"groups\" beside \"topology\", which is a "
                 "part of them, got a map");
    expect_error("events: [{update_jobs: [{name: j, count: 2, min_groups: 1}]}]\n", LSCHED_E_KEY,
                 "x.yaml:1:25: expected \"groups\" beside \"min_groups\", got a map");
    expect_error("events: [{update_jobs: [{name: j, user: ann}]}]\n", LSCHED_E_KEY,
                 "x.yaml:1:25: expected \"queue\" beside \"user\" and \"user_group\", which are a "
                 "part of it, got a map");
    expect_error("events: [{update_jobs: [{name: j, on_never: remove}]}]\n", LSCHED_E_KEY,
                 "x.yaml:1:25: expected \"after\" beside \"on_never\", got a map");
    expect_error("events: [{at: 1m, hold: [{name: a, until: -5s}]}]\n", LSCHED_E_RANGE,
                 "x.yaml:1:43: expected a time after the step's, such as 10m, which counts from "
                 "the step, got \"-5s\"");
    expect_error("user_allowances: {q: {\"@/x\": {}}}\n", LSCHED_E_TYPE,
                 "x.yaml:1:23: expected a user, @ and a group, or @group/user, got \"@/x\"");
    expect_error("expect: {would_start: {a: yes}}\n", LSCHED_E_TYPE,
                 "x.yaml:1:27: expected one of now, later, never, has-places, got \"yes\"");
    expect_error("expect: {would_help: {a: money}}\n", LSCHED_E_TYPE,
                 "x.yaml:1:26: expected one of none, release, uncordon, label, jobs-max, limit, "
                 "quota, priority, withdraw, add-node, got \"money\"");
}

/* A span of devices is a list of them. */
static void test_device_spans(void **state) {
    lsched_scenario *s =
        parse("events: [{update_devices: [{node: [n, m], device: [0-2, 5], health: ok}]}]\n");
    static const uint32_t devices[] = {0, 1, 2, 5};
    const struct action *a = action_of(s, 1, ACTION_UPDATE_DEVICES);
    const lsched_device_update *updates = a->items.items;
    (void)state;
    assert_int_equal(a->items.n, 8);
    for (uint32_t i = 0; i < 8; i++) assert_int_equal(updates[i].device, devices[i % 4]);
    lsched_scenario_destroy(s);
}

static void test_step_errors(void **state) {
    (void)state;
    expect_error("events: [{at: 10s}, {at: 5s}]\n", LSCHED_E_TIME,
                 "x.yaml:1:26: expected a time not before the last step, got \"5s\"");
    expect_error("events: [{cordon: a, uncordon: b, expect_error: E_STATE}]\n", LSCHED_E_KEY,
                 "x.yaml:1:49: expected one change in a step with \"expect_error\", got 2");
    expect_error("events: [{finish: []}]\n", LSCHED_E_TYPE,
                 "x.yaml:1:19: expected at least one task, got a list");
    expect_error(
        "events: [{finsh: a}]\n", LSCHED_E_KEY,
        "x.yaml:1:11: expected a key of an event, got \"finsh\"; did you mean \"finish\"?");
    expect_error(
        "jobs: []\nexpcet: {}\n", LSCHED_E_KEY,
        "x.yaml:2:1: expected a key of a scenario, got \"expcet\"; did you mean \"expect\"?");
    expect_error(
        "expect: {waiting: {j: rooom}}\n", LSCHED_E_TYPE,
        "x.yaml:1:23: expected one of none, room, never-fits, gang, limit, admit, filter, "
        "policy, budget, "
        "topology, quota, backoff, retries, jobs, lending, releasing, nominated, held, rules, "
        "got \"rooom\"");
    expect_error(
        "expect: {jobs: {j: {runing: 1}}}\n", LSCHED_E_KEY,
        "x.yaml:1:21: expected a key of a job's state, got \"runing\"; did you mean \"running\"?");
    expect_error("expect_error: E_STALEE\n", LSCHED_E_TYPE,
                 "x.yaml:1:15: expected an error code such as E_STALE, or OK, got \"E_STALEE\"");
    expect_error("resources: [cpu]\n", LSCHED_E_EXISTS,
                 "x.yaml:1:13: expected a resource kind that is not there already, got \"cpu\"");
    expect_error(
        "nodes: [{name: n, licence: 3}]\n", LSCHED_E_KEY,
        "x.yaml:1:19: expected a key of a node, got \"licence\"; keys are name, count, labels, "
        "gpus, machine, cordoned, draining, taints, tasks_max, "
        "price, power, tag, leaves, back, leaves_every, cpu, memory, gpu");
    expect_error(
        "nodes: [{name: n, leaves: none, back: 3h}]\n", LSCHED_E_KEY,
        "x.yaml:1:9: expected no key \"back\" and no key \"leaves_every\", because the node "
        "has \"leaves: none\" and stays, got a map");
    expect_error("events: [{update_nodes: [{name: n, leaves: none, leaves_every: 3h}]}]\n",
                 LSCHED_E_KEY,
                 "x.yaml:1:26: expected no key \"back\" and no key \"leaves_every\", because the "
                 "node has \"leaves: none\" and stays, got a map");
    expect_error("nodes: [{name: n, leaves: 0s}]\n", LSCHED_E_KEY,
                 "x.yaml:1:9: expected a time after 1970 at which the node leaves, a later time "
                 "\"back\", or \"leaves: none\" for a node that stays, got a map");
    expect_error("events: [{update_nodes: [{name: n, leaves: 0s, back: 0s}]}]\n", LSCHED_E_KEY,
                 "x.yaml:1:26: expected a time after 1970 at which the node leaves, a later time "
                 "\"back\", or \"leaves: none\" for a node that stays, got a map");
    expect_error(
        "nodes: [{name: n, gpu: 3}]\n", LSCHED_E_KEY,
        "x.yaml:1:19: expected \"gpus\", got \"gpu\": a node's GPUs are counted by its devices");
    expect_error("policy: {params: {a: 1}}\n", LSCHED_E_KEY,
                 "x.yaml:1:9: expected a policy with \"name\", \"text\" or \"file\", got a map");
    expect_error(
        "policy: {name: a, params: {a: 1e3}}\n", LSCHED_E_TYPE,
        "x.yaml:1:31: expected a decimal number of at most 15 digits, or a text in quotes, got "
        "\"1e3\"");
    expect_error("- a\n", LSCHED_E_TYPE,
                 "x.yaml:1:1: expected a map with the keys of a scenario, got a list");
}

static void test_checks(void **state) {
    lsched_scenario *s =
        parse("expect:\n"
              "  placed: {a: 3, b: [n1, n1], c/0-1: n2, d: {count: \">= 2\", in: \"n[0-3]\"}}\n"
              "  waiting: {e: room, f: {code: gang, need: {gpu: 8}}}\n"
              "  queues: {q: {used: {gpu: \"<= 4\"}}}\n"
              "  plan: {hash: 0x0123456789abcdef, partial: true}\n"
              "  next_wake: never\n");
    const struct expectation *c = scn_step(s, 0)->checks.items;
    (void)state;
    assert_int_equal(scn_step(s, 0)->checks.n, 12);
    assert_int_equal(c[0].kind, CHECK_PLACED_COUNT);
    assert_int_equal(c[1].kind, CHECK_PLACED_NODES);
    assert_int_equal(c[1].n, 2);
    assert_true(c[2].task.first == 0 && c[2].task.last == 1);
    assert_text(c[2].task.job, "c");
    assert_true(c[3].compare == COMPARE_GE && c[3].value == 2);
    assert_int_equal(c[4].n, 4);
    assert_true(c[5].kind == CHECK_WAITING && c[5].value == LSCHED_WAIT_ROOM);
    assert_true(c[7].kind == CHECK_AMOUNT && c[7].value == 8000 && c[7].resource == LSCHED_GPU);
    assert_true(c[8].compare == COMPARE_LE && c[8].value == 4000);
    assert_true((uint64_t)c[9].value == UINT64_C(0x0123456789abcdef));
    assert_true(c[11].kind == CHECK_NEXT_WAKE && c[11].value == LSCHED_NEVER_US);
    assert_int_equal(c[11].mark.line, 6);
    lsched_scenario_destroy(s);
}

static void test_every_field_can_be_named_and_is_in_its_struct(void **state) {
    static const size_t sizes[OBJECTS] = {sizeof(lsched_job_info),      sizeof(lsched_queue_info),
                                          sizeof(lsched_node_info),     sizeof(lsched_task_info),
                                          sizeof(lsched_waiting),       sizeof(lsched_plan_info),
                                          sizeof(lsched_cluster_stats), sizeof(lsched_policy_info),
                                          sizeof(lsched_queue_share),   sizeof(lsched_decision)};
    (void)state;
    for (uint32_t o = 0; o < OBJECTS; o++)
        for (const struct expect_field *f = expect_fields[o]; f->name; f++) {
            assert_true(f->offset == SIZE_MAX || f->offset + 4 <= sizes[o]);
            for (const struct expect_field *g = expect_fields[o]; g < f; g++)
                assert_string_not_equal(f->name, g->name);
        }
}

/* ---- bounds and memory ----------------------------------------------------------------------- */

static void test_bound_on_expanded_elements(void **state) {
    static const char text[] =
        "nodes: [{name: \"n[0-99]\"}]\njobs: [{name: j, count: 50, queue: q, tasks: {}}]\n";
    lsched_scenario_opts opts = LSCHED_SCENARIO_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_scenario *s = NULL;
    (void)state;
    opts.elements_max = 150;
    assert_int_equal(
        lsched_scenario_parse(&opts, lsched_cstr(text), (lsched_text){NULL, 0}, &s, &err),
        LSCHED_OK);
    lsched_scenario_destroy(s);
    opts.elements_max = 149;
    assert_int_equal(
        lsched_scenario_parse(&opts, lsched_cstr(text), (lsched_text){NULL, 0}, &s, &err),
        LSCHED_E_LIMIT);
    assert_int_equal(err.line, 2);
    expect_error(
        "nodes: [{name: \"n[0-999999999]\"}]\n", LSCHED_E_LIMIT,
        "x.yaml:1:9: expected fewer elements in all, got 996000000 more than the bound of the "
        "scenario allows");
}

static void test_options_of_another_size(void **state) {
    struct {
        lsched_scenario_opts opts;
        uint64_t later;
    } longer = {LSCHED_SCENARIO_OPTS_INIT, 0};
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_scenario *s = NULL;
    (void)state;
    longer.opts.size = sizeof longer;
    assert_int_equal(
        lsched_scenario_parse(&longer.opts, LSCHED_TEXT("{}"), (lsched_text){NULL, 0}, &s, &err),
        LSCHED_OK);
    lsched_scenario_destroy(s);
    longer.later = 1;
    assert_int_equal(
        lsched_scenario_parse(&longer.opts, LSCHED_TEXT("{}"), (lsched_text){NULL, 0}, &s, &err),
        LSCHED_E_SIZE);
    longer.opts.size = 8; /* only depth_max is there */
    longer.opts.depth_max = 1;
    longer.opts.text_bytes_max = 1;
    assert_int_equal(
        lsched_scenario_parse(&longer.opts, LSCHED_TEXT("{}"), (lsched_text){NULL, 0}, &s, &err),
        LSCHED_OK);
    lsched_scenario_destroy(s);
    assert_int_equal(
        lsched_scenario_parse(NULL, (lsched_text){NULL, 2}, (lsched_text){NULL, 0}, &s, &err),
        LSCHED_E_NULL);
    assert_int_equal(
        lsched_scenario_parse(NULL, LSCHED_TEXT("{}"), (lsched_text){NULL, 0}, NULL, NULL),
        LSCHED_E_NULL);
}

static const char everything[] =
    "start: 2026-01-05\n"
    "resources: [licence]\n"
    "topology: [zone, node]\n"
    "cluster: {memory_limit: 1Gi, open_decisions_max: 10, verify: true}\n"
    "nodes: [{name: \"n[0-9]\", labels: {zone: \"[a-b]\"}, cpu: 8, memory: 1Gi, gpus: [2, "
    "{model: L4}], licence: 3}]\n"
    "queues: [{name: a, children: [{name: b, weight: {gpu: 2}}, {name: c, limit: {cpu: 4}}]}]\n"
    "policy: {name: x, text: \"return {}\", params: {a: 1.5, b: text}, limits: {failures: 2}}\n"
    "task_mix: [{count: 3, gpu: 1, models: L4}]\n"
    "jobs:\n"
    "  - {name: j, queue: b, tasks: {count: 2, demand: [{from: 0s, gpu: 1, memory: 1Gi}]}, "
    "running_on: [n0, n1]}\n"
    "running: [{task: k/0-3, node: \"n[0-3]\", since: -5m, devices: [0, 1]}]\n"
    "expect: {placed: {j: [n0, n1]}, gone: {jobs: x}, nodes: {n0: {device_free: [1, 0.5]}}}\n"
    "events:\n"
    "  - {at: 1s, remember: {d: {decision: j/0}, h: {hash: image}}, usage: [{task: j, gpu: 0.5}]}\n"
    "  - {start: j/0-1, fail: {tasks: j, at: -1s}, priority: {j: -3}, reload: save, interrupt: "
    "true}\n"
    "  - {settle: {confirm: all, reject: [$d, j/1], start: j}, expect: {withdrawn: j/1, "
    "same_hash: h, status: [OK]}}\n";

static void test_out_of_memory_at_every_allocation(void **state) {
    (void)state;
    for (uint64_t n = 1;; n++) {
        struct fault_alloc fault = {.fail_at = n};
        lsched_allocator hooks = fault_hooks(&fault);
        lsched_scenario_opts opts = LSCHED_SCENARIO_OPTS_INIT;
        lsched_error err = LSCHED_ERROR_INIT;
        lsched_scenario *s = NULL;
        opts.allocator = &hooks;
        int32_t code =
            lsched_scenario_parse(&opts, lsched_cstr(everything), LSCHED_TEXT("x.yaml"), &s, &err);
        lsched_scenario_destroy(s);
        assert_true(fault.live_blocks == 0);
        assert_true(fault.wrong_sizes == 0);
        if (fault.failures == 0) {
            if (code) fail_msg("%s", err.message);
            print_message("%llu allocations\n", (unsigned long long)n - 1);
            return;
        }
        assert_int_equal(code, LSCHED_E_NOMEM);
    }
}

static void test_cluster_options(void **state) {
    lsched_scenario *s = parse(everything);
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    (void)state;
    assert_int_equal(lsched_scenario_cluster_opts(s, &opts), LSCHED_OK);
    assert_true(opts.memory_limit_bytes == INT64_C(1) << 30 && opts.open_decisions_max == 10 &&
                opts.verify_every_plan);
    lsched_scenario_destroy(s);
}

static void test_first_cycle(void **state) {
    static const char *const texts[] = {"schedule: {decisions_max: 1, moves_max: 7}\n",
                                        "schedule: false\n", "start: 1970-01-01T00:01Z\n"};
    lsched_schedule_opts opts[3];
    (void)state;
    for (int i = 0; i < 3; i++) {
        lsched_scenario *s = parse(texts[i]);
        opts[i] = (lsched_schedule_opts)LSCHED_SCHEDULE_OPTS_INIT;
        assert_int_equal(lsched_scenario_schedule_opts(s, &opts[i]), i != 1);
        lsched_scenario_destroy(s);
    }
    assert_int_equal(opts[0].decisions_max, 1);
    assert_int_equal(opts[0].moves_max, 7);
    assert_int_equal(opts[1].decisions_max, 0);
    assert_int_equal(opts[2].now_us, INT64_C(60000000));
    opts[0].size = 4;
    lsched_scenario *s = parse(texts[0]);
    assert_int_equal(lsched_scenario_schedule_opts(s, &opts[0]), LSCHED_E_SIZE);
    assert_int_equal(lsched_scenario_schedule_opts(NULL, &opts[1]), LSCHED_E_NULL);
    lsched_scenario_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_cycle),
        cmocka_unit_test(test_node_template),
        cmocka_unit_test(test_uneven_label_range),
        cmocka_unit_test(test_alias_is_a_template),
        cmocka_unit_test(test_queue_tree_comes_out_parents_first),
        cmocka_unit_test(test_queue_errors),
        cmocka_unit_test(test_job_short_form),
        cmocka_unit_test(test_job_groups_in_the_order_of_the_text),
        cmocka_unit_test(test_job_errors),
        cmocka_unit_test(test_times_count_from_start_and_step),
        cmocka_unit_test(test_which_steps_run_a_cycle),
        cmocka_unit_test(test_step_errors),
        cmocka_unit_test(test_empty_steps),
        cmocka_unit_test(test_device_spans),
        cmocka_unit_test(test_checks),
        cmocka_unit_test(test_every_field_can_be_named_and_is_in_its_struct),
        cmocka_unit_test(test_bound_on_expanded_elements),
        cmocka_unit_test(test_options_of_another_size),
        cmocka_unit_test(test_out_of_memory_at_every_allocation),
        cmocka_unit_test(test_cluster_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
