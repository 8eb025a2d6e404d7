/*
 * test_verify_places.c -- places that no allocator may give, each made with the model's own
 * functions, so that all sums around it are right: the check that is meant for it refuses it, and
 * no other. One mistake a test: selectors and matching devices, links, NUMA nodes, cards, MIG,
 * shares, claims on room that will not be there, rules about other jobs, and what a plan alone
 * shows. Places of the tasks of one group are in test_verify_groups.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/state/cluster.h"
#include "engine/verify/verify.h"
#include "engine/verify_plan/verify_plan.h"
#include "model/nodes/device_closing.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/task_row.h"
#include "model/jobs/task.h"
#include "model/jobs/releasing.h"
#include "model/jobs/job.h"
#include "model/devices/device_match.h"
#include "model/mig/mig.h"
#include "model/nodes/node.h"
#include "model/shapes/node_rules.h"
#include "support/model_world.h"
#include "support/verify_refused.h"

static struct model_world world;
#define K   (&world.k)
#define GIB (INT64_C(1) << 30)

static int open_world(void **unused) {
    (void)unused;
    return world_open(&world, NULL) != LSCHED_OK || world_fill(&world, 0) != LSCHED_OK;
}

static int close_world(void **unused) {
    (void)unused;
    world_close(&world);
    return 0;
}

static void expect_sound(void) {
    verify_sound(K);
}

static void expect_said(int32_t rc, const lsched_error *err, const char *part) {
    if (rc != LSCHED_E_VERIFY || !strstr(err->message, part))
        fail_msg("expected \"%s\", found %d, \"%s\"", part, rc, err->message);
}

static void expect_refused(const char *part) {
    verify_refused(K, part);
}

static lsched_text text(const char *s) {
    return (lsched_text){s ? s : "", s ? strlen(s) : 0};
}

static uint32_t job_named(const char *name) {
    return world_job_named(&world, name);
}

static uint32_t node_named(const char *name) {
    return world_node_named(&world, name);
}

static void drop_job(const char *name) {
    assert_int_equal(world_remove_job(&world, job_named(name)), LSCHED_OK);
}

/* ---- jobs and places ---- */

/* A job of `max` such tasks that waits; app: the value of its label of that name, or NULL. */
static uint32_t add_job(const char *name, uint32_t max, const struct task_spec *t,
                        const char *app) {
    struct bytes b, labels;
    uint32_t job = NO_ROW;
    struct group_spec g = {.min = 1, .max = max};
    bytes_init(&b, &world.alloc);
    bytes_init(&labels, &world.alloc);
    bytes_u32(&labels, 1);
    bytes_text(&labels, text("app"));
    bytes_text(&labels, text(app));
    shape_encode_job(&b, 0, 0, 1);
    shape_encode_group(&b, &g);
    shape_encode_leaf(&b, 1);
    size_t at = shape_begin_task(&b);
    shape_encode_task(&b, t);
    shape_end_task(&b, at);
    struct job_spec spec = {.name = text(name),
                            .queue = world_queue_named(&world, "research"),
                            .submit = 30,
                            .labels = app ? &labels : NULL,
                            .shape_bytes = b.p,
                            .shape_n = b.n};
    assert_int_equal(undo_begin(K), LSCHED_OK);
    assert_int_equal(job_add(K, &spec, &job), LSCHED_OK);
    undo_end(K);
    bytes_close(&b);
    bytes_close(&labels);
    assert_int_equal(world_admit(&world, job), LSCHED_OK);
    expect_sound();
    return job;
}

static uint32_t cpu_job(const char *name, uint32_t max, int64_t cpu, const char *app) {
    struct task_spec t = {.n_request = 1, .request = {{text("cpu"), cpu}}};
    return add_job(name, max, &t, app);
}

static uint32_t gpu_job(const char *name, uint32_t max, uint32_t devices) {
    struct task_spec t = {.n_request = 1,
                          .request = {{text("gpu"), (int64_t)devices * 1000}},
                          .devices = devices,
                          .device_milli = 1000};
    return add_job(name, max, &t, NULL);
}

static uint32_t mig_job(const char *name, const char *profile, uint32_t slices) {
    struct task_spec t = {.n_request = 1,
                          .request = {{text("gpu"), (int64_t)slices * 125}},
                          .devices = 1,
                          .device_milli = slices * 125,
                          .profile = text(profile),
                          .mig_slices = slices};
    return add_job(name, 1, &t, NULL);
}

/* Place as task_place does, asking nobody; a claim is due now. Returns the task. */
static uint32_t put(uint8_t state, uint32_t job, uint32_t node, struct hold hold) {
    uint32_t task, decision, alternative = 0;
    uint64_t serial = meta(K, M_GROUP_SERIAL) + 1;
    if (jobshape_chooses(K, K->c[C_JOB_SHAPE].u32[job])) alternative = 1;
    struct place_spec p = {.job = job,
                           .alternative = (uint8_t)alternative,
                           .node = node,
                           .hold = hold,
                           .index = NO_ROW,
                           .state = state,
                           .now = (int64_t)meta(K, M_NOW),
                           .decision_group = serial};
    assert_int_equal(undo_begin(K), LSCHED_OK);
    set_meta(K, M_GROUP_SERIAL, serial);
    assert_int_equal(task_place(K, &p, &task, &decision), LSCHED_OK);
    assert_int_equal(job_requeue(K, job), LSCHED_OK);
    if (state == LSCHED_TASK_NOMINATED) future_note(K, p.now);
    undo_end(K);
    return task;
}

static uint32_t place(uint32_t job, const char *node, struct hold hold) {
    return put(LSCHED_TASK_PROPOSED, job, node_named(node), hold);
}

static uint32_t claim(uint32_t job, const char *node, struct hold hold) {
    return put(LSCHED_TASK_NOMINATED, job, node_named(node), hold);
}

#define DEVICES(m) ((struct hold){.mask = (m)})

/* ---- selectors, and devices that go together ---- */

static void a_device_that_a_selector_excludes_is_found(void **unused) {
    (void)unused;
    place(job_named("choosy-waits"), "claimed", DEVICES(0xC));
    expect_refused("which its selector does not allow");
}

static void devices_that_may_not_be_together_are_found(void **unused) {
    (void)unused;
    uint32_t node = node_named("claimed"), first = K->c[C_NODE_DEVICE_FIRST].u32[node],
             waits = job_named("choosy-waits");
    uint32_t shape = group_alternative(K, group_row(K, K->c[C_JOB_SHAPE].u32[waits], 0), 1);
    drop_job("choosy");
    assert_int_equal(undo_begin(K), LSCHED_OK); /* the selector takes both kinds; roots differ */
    assert_int_equal(device_selector_put_answer(K, K->c[C_SHAPE_SELECTOR].u32[shape],
                                                K->c[C_DEVICE_CLASS].u16[first + 2],
                                                SELECTOR_TAKES),
                     LSCHED_OK);
    undo_end(K);
    expect_sound();
    place(waits, "claimed", DEVICES(0x6));
    expect_refused("which its request does not allow together");
}

/* ---- inside of a node ---- */

static void links_that_are_too_weak_are_found(void **unused) {
    (void)unused;
    drop_job("pinned");
    place(job_named("floats"), "inside", DEVICES(0x5));
    expect_refused("it asks for");
}

/* A device of node "inside" that nobody has or claims, and what the task that stays there has. */
static uint32_t free_device(void) {
    uint32_t node = node_named("inside"), used = 0;
    for (uint32_t t = K->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = K->c[C_TASK_NODE_NEXT].u32[t])
        used |= (uint32_t)K->c[C_TASK_MASK].u64[t];
    for (uint32_t i = 0; i < 4; i++)
        if (!(used >> i & 1)) return i;
    fail_msg("every device of the node is in use");
    return 0;
}

static struct hold beside_the_first(void) {
    uint32_t i = free_device(), runs = task_find(K, job_named("pinned"), 0);
    return (struct hold){
        .mask = 1u << i, .numa = (uint8_t)(1u << i / 2), .nics = K->c[C_TASK_NICS].u16[runs]};
}

static void a_card_that_is_given_twice_is_found(void **unused) {
    (void)unused;
    place(job_named("pinned"), "inside", beside_the_first());
    expect_refused("which another task has, too");
}

static void a_claim_on_a_card_that_stays_taken_is_found(void **unused) {
    (void)unused;
    claim(job_named("pinned"), "inside", beside_the_first());
    expect_refused("are nominated, but they will not come free");
}

static void a_numa_node_that_is_overfull_is_found(void **unused) {
    (void)unused;
    struct task_spec t = {
        .n_request = 1, .request = {{text("cpu"), 17000}}, .numa = LSCHED_NUMA_REQUIRED};
    place(add_job("wide", 1, &t, NULL), "inside", (struct hold){.numa = 1});
    expect_refused("of node \"inside\" is overfull");
}

/* ---- MIG ---- */

static uint32_t *geometry_of(const char *node, uint32_t device) {
    return &K->c[C_SHARED_GEOMETRY].u32[K->c[C_NODE_SHARED_FIRST].u32[node_named(node)] + device];
}

static uint32_t profile(const char *name) {
    return mig_profile_named(mig_table_named(text("h100-80gb")), text(name));
}

static void empty_the_cut_node(void) {
    drop_job("slices");
    drop_job("slots");
    expect_sound();
}

static void a_whole_device_that_is_cut_is_found(void **unused) {
    (void)unused;
    empty_the_cut_node();
    place(gpu_job("whole", 1, 1), "cut", DEVICES(1));
    expect_refused("but asks for no profile of this table");
}

static void an_instance_of_a_device_that_is_not_cut_is_found(void **unused) {
    (void)unused;
    place(mig_job("twin", "1g.10gb", 1), "n8", DEVICES(1));
    expect_refused("asks for a MIG instance and has devices 0x1");
}

static void a_slice_that_is_given_twice_is_found(void **unused) {
    (void)unused;
    uint32_t twin = mig_job("twin", "1g.10gb", 1), slot = task_find(K, job_named("slots"), 0);
    place(twin, "cut", task_hold(K, slot));
    expect_refused("2 tasks hold it");
}

static void media_engines_that_are_claimed_twice_are_found(void **unused) {
    (void)unused;
    empty_the_cut_node();
    *geometry_of("cut", 0) = 0;
    uint32_t a = mig_job("a", "1g.10gb+me", 1), b = mig_job("b", "1g.10gb+me", 1);
    claim(a, "cut", DEVICES(1));
    expect_sound();
    claim(b, "cut", (struct hold){.mask = 1, .starts = 1});
    expect_refused("2 tasks are nominated for the media engines of device 0 of node \"cut\"");
}

static uint32_t import(uint32_t job, uint32_t start, uint8_t excess) {
    uint32_t task, decision;
    struct place_spec p = {.job = job,
                           .node = node_named("cut"),
                           .hold = {.mask = 1, .starts = start},
                           .index = 0,
                           .state = LSCHED_TASK_RUNNING,
                           .excess = excess,
                           .now = (int64_t)meta(K, M_NOW)};
    assert_int_equal(undo_begin(K), LSCHED_OK);
    assert_int_equal(task_place(K, &p, &task, &decision), LSCHED_OK);
    assert_int_equal(job_requeue(K, job), LSCHED_OK);
    undo_end(K);
    return task;
}

/* The media engines of a device are there once. A second task with them, placed or imported, stands
 * on no instance; and a device on which two such instances stand is none. */
static void media_engines_that_are_given_twice_are_found(void **unused) {
    (void)unused;
    uint32_t me = profile("1g.10gb+me");
    empty_the_cut_node();
    *geometry_of("cut", 0) = 0;
    uint32_t a = mig_job("a", "1g.10gb+me", 1), b = mig_job("b", "1g.10gb+me", 1);
    place(a, "cut", DEVICES(1));
    expect_sound();
    place(b, "cut", (struct hold){.mask = 1, .starts = 1});
    expect_refused("but the device has no such instance there");
    *geometry_of("cut", 0) = mig_add(mig_add(0, me, 0), me, 1);
    expect_refused("has 2 instances that use its media engines");
}

static void two_imports_with_media_engines_are_found(void **unused) {
    (void)unused;
    uint32_t me = profile("1g.10gb+me");
    empty_the_cut_node();
    *geometry_of("cut", 0) = 0;
    uint32_t a = mig_job("a", "1g.10gb+me", 1), b = mig_job("b", "1g.10gb+me", 1);
    import(a, 0, 0);
    expect_sound();
    uint32_t second = import(b, 1, 0);
    expect_refused("but the device has no such instance there");
    *geometry_of("cut", 0) = mig_add(mig_add(0, me, 0), me, 1);
    expect_refused("has 2 instances that use its media engines");
    *geometry_of("cut", 0) = mig_add(0, me, 0);
    K->c[C_TASK_EXCESS].u8[second] = 1; /* marked as beyond the room; the node is, too */
    K->c[C_NODE_EXCESS].u8[node_named("cut")] = 1;
    expect_sound();
}

static void instances_that_overlap_are_found(void **unused) {
    (void)unused;
    uint32_t three = profile("3g.40gb"), one = profile("1g.10gb"), me = profile("1g.10gb+me");
    *geometry_of("cut", 0) = mig_add(*geometry_of("cut", 0), one, 1);
    expect_refused("overlaps slice 1, which a task holds");
    *geometry_of("cut", 0) = mig_add(0, three, 0);
    empty_the_cut_node();
    *geometry_of("cut", 0) = mig_add(mig_add(0, three, 0), one, 1);
    expect_refused("two instances of device 0 of node \"cut\" overlap on slice 1");
    *geometry_of("cut", 0) = mig_add(mig_add(0, me, 0), me, 1);
    expect_refused("has 2 instances that use its media engines");
}

/* ---- shares ---- */

/* A node with two devices that are given in parts with SMs and limits, the second smaller. */
static void add_shared_node(void) {
    static struct node_spec spec; /* large; tests have one thread */
    uint32_t row;
    memset(&spec, 0, sizeof spec);
    spec.name = text("mps");
    spec.n_devices = 2;
    for (uint32_t i = 0; i < 2; i++)
        spec.devices[i] = (struct device_spec){.model = text("L40"),
                                               .memory_bytes = (48 - 24 * i) * GIB,
                                               .sm_count = 100,
                                               .share = LSCHED_SHARING_MPS};
    spec.capacity[LSCHED_CPU] = 8000;
    spec.capacity[LSCHED_GPU] = 2000;
    assert_int_equal(undo_begin(K), LSCHED_OK);
    assert_int_equal(node_add(K, &spec, &row), LSCHED_OK);
    for (uint32_t i = 0; i < 2; i++) /* each selector has an answer for each class */
        assert_int_equal(device_selector_put_answer(
                             K, 0, K->c[C_DEVICE_CLASS].u16[K->c[C_NODE_DEVICE_FIRST].u32[row] + i],
                             SELECTOR_TAKES),
                         LSCHED_OK);
    undo_end(K);
    expect_sound();
}

/* Tasks of a tenth of a device that may use 20 GiB of it. */
static uint32_t limit_job(uint32_t max) {
    struct task_spec t = {.n_request = 1,
                          .request = {{text("gpu"), 100}},
                          .devices = 1,
                          .device_milli = 100,
                          .device_limit = 20 * GIB};
    return add_job("limits", max, &t, NULL);
}

static void limits_beyond_a_device_are_found(void **unused) {
    (void)unused;
    add_shared_node();
    uint32_t job = limit_job(3);
    for (int i = 0; i < 2; i++) place(job, "mps", DEVICES(1));
    expect_sound();
    place(job, "mps", DEVICES(1));
    expect_refused("bytes of limits more than it has");
}

static void claims_beyond_the_limits_of_a_device_are_found(void **unused) {
    (void)unused;
    add_shared_node();
    uint32_t job = limit_job(3);
    for (int i = 0; i < 2; i++) place(job, "mps", DEVICES(1));
    claim(job, "mps", DEVICES(1));
    expect_refused("exceed its SMs or its limits");
}

/* ---- claims ---- */

static void a_claim_on_more_than_there_will_be_is_found(void **unused) {
    (void)unused;
    claim(job_named("parked-shape"), "n1", DEVICES(0));
    expect_refused("of resource kind \"cpu\" than will be free there");
}

static void a_claim_on_a_device_that_stays_is_found(void **unused) {
    (void)unused;
    uint32_t runs = task_find(K, job_named("runs"), 0);
    claim(gpu_job("more", 1, 1), "n1", DEVICES(1u << __builtin_ctzll(K->c[C_TASK_MASK].u64[runs])));
    expect_refused(
        "device 0 of node \"n1\" are 1000 parts of 1000 and 17179869184 bytes more than will be there");
    lsched_error err = LSCHED_ERROR_INIT;
    expect_said(verify_state(K, &err), &err, "nominations on device");
}

static void claims_alone_below_the_minimum_are_found(void **unused) {
    (void)unused;
    claim(job_named("tree-waits"), "n1", DEVICES(0)); /* one of two */
    expect_refused("has 1 nominated tasks, but it is below its minimum");
}

/* ---- rules about other jobs, and topologies ---- */

static void tasks_that_keep_apart_are_found(void **unused) {
    (void)unused;
    uint32_t api = cpu_job("api", 1, 100, "api");
    place(api, "draining", DEVICES(0)); /* in the rack of "ruled", which must not be beside it */
    expect_refused("must not be beside task 0 of job \"api\", but both are on node \"draining\"");
}

/* A job of two tasks with the exclusive level "rack". */
static uint32_t exclusive_job(void) {
    struct bytes rules;
    bytes_init(&rules, &world.alloc);
    bytes_u32(&rules, 0);
    bytes_u32(&rules, 0);
    bytes_u32(&rules, 1);
    bytes_u32(&rules, RULE_EXCLUSIVE);
    bytes_u32(&rules, 0);
    bytes_text(&rules, text("site"));
    bytes_text(&rules, text("rack"));
    bytes_u32(&rules, 0);
    struct task_spec t = {.n_request = 1, .request = {{text("cpu"), 100}}, .rules = &rules};
    uint32_t job = add_job("alone", 2, &t, NULL);
    bytes_close(&rules);
    return job;
}

static void tasks_beside_an_exclusive_one_are_found(void **unused) {
    (void)unused;
    uint32_t job = exclusive_job();
    place(job, "draining", DEVICES(0)); /* in the rack of "stray" */
    expect_refused("task 0 of job \"alone\" must not be beside task 0 of job \"stray\"");
}

static void an_exclusive_task_in_no_domain_is_found(void **unused) {
    (void)unused;
    add_shared_node();
    uint32_t job = exclusive_job();
    for (int i = 0; i < 2; i++) place(job, "mps", DEVICES(0)); /* beside each other */
    expect_refused("task 0 of job \"alone\" is in no domain of its exclusive level");
}

static void a_task_outside_of_the_tree_is_found(void **unused) {
    (void)unused;
    place(job_named("spread"), "n4", DEVICES(0));
    expect_refused("which is not in the topology over which its group is spread");
}

/* ---- amounts ---- */

static void nodes_with_too_much_are_found(void **unused) {
    (void)unused;
    static const char *const names[] = {"n6", "draining"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(undo_begin(K), LSCHED_OK);
        assert_int_equal(
            node_set_capacity(K, node_named(names[i]), LSCHED_MEMORY, LSCHED_AMOUNT_MAX / 2 + 1),
            LSCHED_OK);
        undo_end(K);
    }
    expect_refused("the nodes together have more than 2^62 of resource kind \"memory\"");
}

/* ---- plans ---- */

static lsched_decision decision_of(const char *job, uint32_t index) {
    uint32_t row = job_named(job), t = task_find(K, row, index), d = K->c[C_TASK_DECISION].u32[t],
             node = K->c[C_TASK_NODE].u32[t];
    lsched_decision out = {.size = sizeof out, .kind = K->c[C_DECISION_KIND].u8[d]};
    out.until_us = LSCHED_NEVER_US;
    out.id = (uint64_t)LSCHED_KIND_DECISION << 60 | (uint64_t)K->c[C_DECISION_GEN].u32[d] << 32 | d;
    out.job = (uint64_t)LSCHED_KIND_JOB << 60 | (uint64_t)K->c[C_JOB_GEN].u32[row] << 32 | row;
    out.node = (uint64_t)LSCHED_KIND_NODE << 60 | (uint64_t)K->c[C_NODE_GEN].u32[node] << 32 | node;
    out.job_tag = K->c[C_JOB_TAG].u64[row];
    out.node_tag = K->c[C_NODE_TAG].u64[node];
    out.task_index = index;
    out.device_mask = (uint32_t)K->c[C_TASK_MASK].u64[t];
    out.device_words[0] = K->c[C_TASK_MASK].u64[t];
    out.device_milli = out.device_mask ? 1000 : 0;
    out.device_memory_bytes = out.device_mask ? 16 * GIB : 0;
    out.group = K->c[C_DECISION_GROUP].u64[d];
    out.at_us = K->c[C_DECISION_AT].i64[d];
    out.state = K->c[C_DECISION_STATE].u8[d];
    out.proposed_us = K->c[C_DECISION_PROPOSED].i64[d];
    return out;
}

static void expect_plan(const lsched_decision *plan, size_t n, const char *refused) {
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t rc = verify_plan(K, plan, n, sizeof *plan, &err);
    if (refused) expect_said(rc, &err, refused);
    if (!refused && rc != LSCHED_OK) fail_msg("%s", err.message);
}

static void groups_out_of_order_are_found(void **unused) {
    (void)unused;
    lsched_decision plan[] = {decision_of("spread", 0), decision_of("runs", 2)}, other[2];
    expect_plan(plan, 2, NULL);
    other[0] = plan[1];
    other[1] = plan[0];
    expect_plan(other, 2, "its decision group is earlier than that of the decision before it");
}

static void a_crowded_node_is_found(void **unused) {
    (void)unused;
    lsched_decision d = decision_of("ruled", 0);
    uint32_t class = K->c[C_NODE_CLASS].u32[node_named("ruled")];
    expect_plan(&d, 1, NULL);
    K->c[C_CLASS_TASKS_MAX].u32[class] = 2;
    expect_plan(&d, 1, NULL);
    K->c[C_CLASS_TASKS_MAX].u32[class] = 1;
    expect_plan(&d, 1, "which holds more tasks than allowed");
}

static void an_overfull_device_is_found(void **unused) {
    (void)unused;
    lsched_decision d = decision_of("runs", 2);
    uint32_t i = (uint32_t)__builtin_ctz((uint32_t)d.device_mask),
             device = K->c[C_NODE_DEVICE_FIRST].u32[(uint32_t)d.node] + i;
    expect_plan(&d, 1, NULL);
    K->c[C_DEVICE_MEM_FREE].i64[device]--;
    expect_plan(&d, 1, "which is overfull");
}

/* What the state's own checks would find, too: a plan may be asked about alone. */
static void a_plan_about_what_is_not_so_is_refused(void **unused) {
    (void)unused;
    lsched_decision d = decision_of("runs", 2);
    uint32_t job = job_named("runs"), task = task_find(K, job, 2);
    uint32_t row = group_row(K, K->c[C_JOB_SHAPE].u32[job], 0);
    expect_plan(&d, 1, NULL);
    uint8_t state = K->c[C_TASK_STATE].u8[task];
    K->c[C_TASK_STATE].u8[task] = LSCHED_TASK_DONE;
    expect_plan(&d, 1, "its task is on no node");
    K->c[C_TASK_STATE].u8[task] = state;
    K->c[C_GROUP_MIN].u32[row] = 4; /* three are placed */
    expect_plan(&d, 1, "is placed below its minimum");
}

static void add_wide_node(void) {
    static struct node_spec spec; /* large; tests have one thread */
    uint32_t node;
    memset(&spec, 0, sizeof spec);
    spec.name = text("wide");
    spec.n_devices = 128;
    for (uint32_t i = 0; i < spec.n_devices; i++)
        spec.devices[i] = (struct device_spec){.model = text("A100"), .memory_bytes = 16 * GIB};
    assert_int_equal(undo_begin(K), LSCHED_OK);
    spec.capacity[LSCHED_GPU] = 1000 * (int64_t)spec.n_devices;
    assert_int_equal(node_add(K, &spec, &node), LSCHED_OK);
    assert_int_equal(
        device_selector_put_answer(
            K, 0, K->c[C_DEVICE_CLASS].u16[K->c[C_NODE_DEVICE_FIRST].u32[node]], SELECTOR_TAKES),
        LSCHED_OK);
    undo_end(K);
}

/* Devices from 64 on are in the second word of the decision, and of the short form in none. */
static void wrong_devices_of_the_second_word_are_found(void **unused) {
    (void)unused;
    add_wide_node();
    place(gpu_job("whole", 1, 1), "wide", DEVICES(device_set_bit(100)));
    expect_sound();
    lsched_decision d = decision_of("whole", 0);
    assert_int_equal(d.device_words[0], 0);
    d.device_words[1] = UINT64_C(1) << 36;
    d.device_milli = 1000;
    d.device_memory_bytes = 16 * GIB;
    expect_plan(&d, 1, NULL);
    d.device_words[1] = UINT64_C(1) << 37;
    expect_plan(&d, 1, "its devices are others");
    d.device_words[1] = 0;
    expect_plan(&d, 1, "its devices are others");
    d.device_words[1] = UINT64_C(1) << 36;
    d.device_mask = 1u << 4;
    expect_plan(&d, 1, "its devices are others");
}

static void devices_of_unequal_shares_are_found(void **unused) {
    (void)unused;
    add_shared_node();
    struct task_spec t = {.n_request = 1,
                          .request = {{text("gpu"), 1000}},
                          .devices = 2,
                          .device_milli = 500,
                          .device_memory = 12 * GIB};
    uint32_t job = add_job("both", 1, &t, NULL);
    place(job, "mps", DEVICES(3)); /* 500 of one and 500 of the other: 12 of 24 GiB */
    expect_sound();
    lsched_decision d = decision_of("both", 0);
    d.device_milli = 500;
    d.device_memory_bytes = 12 * GIB;
    expect_plan(&d, 1, NULL);
    uint32_t second = K->c[C_NODE_DEVICE_FIRST].u32[node_named("mps")] + 1;
    K->c[C_DEVICE_MEM].i64[second] = 16 * GIB; /* 750 of it */
    expect_plan(&d, 1, "its devices do not all give the same share of a device");
}

/* ---- closed devices ---- */

static void close_device(const char *node, uint32_t index, uint8_t closed) {
    assert_int_equal(undo_begin(K), LSCHED_OK);
    assert_int_equal(device_closing_set(K, node_named(node), index, closed), LSCHED_OK);
    undo_end(K);
}

static void a_task_on_a_failed_device_is_found(void **unused) {
    (void)unused;
    uint32_t d = K->c[C_NODE_DEVICE_FIRST].u32[node_named("n8")] + 7;
    place(gpu_job("whole", 1, 1), "n8", DEVICES(1u << 7));
    close_device("n8", 7, DEVICE_CORDONED);
    expect_sound();
    close_device("n8", 7, DEVICE_FAILED);
    expect_refused("has failed, but no failure of it is counted");
    K->c[C_DEVICE_FAILURES].u32[d] = 1;
    expect_refused("has failed, but a task holds 1000 parts of it");
}

static void a_claim_on_a_closed_device_is_found(void **unused) {
    (void)unused;
    close_device("n8", 7, DEVICE_CORDONED);
    expect_sound();
    claim(gpu_job("whole", 1, 1), "n8", DEVICES(1u << 7));
    expect_refused("takes no task, but a task is nominated for it");
}

static void a_wrong_number_of_closed_devices_is_found(void **unused) {
    (void)unused;
    close_device("n8", 7, DEVICE_CORDONED);
    K->c[C_NODE_CLOSED].u8[node_named("n8")] = 2;
    expect_refused("counts 2 closed devices, but has 1");
}

/* ---- devices with taints ---- */

/* Gives the device one taint with the effect. */
static void taint_device(const char *node, uint32_t index, uint32_t effect) {
    struct bytes b;
    bytes_init(&b, K->alloc);
    bytes_u32(&b, 1);
    bytes_text(&b, text("xid"));
    bytes_text(&b, text(""));
    bytes_u32(&b, effect);
    bytes_i64(&b, effect == LSCHED_TAINT_STOP ? (int64_t)meta(K, M_NOW) : 0);
    assert_int_equal(undo_begin(K), LSCHED_OK);
    assert_int_equal(node_set_device_taints(K, node_named(node), index, &b), LSCHED_OK);
    undo_end(K);
    bytes_close(&b);
}

static void a_task_on_a_device_with_a_taint_is_found(void **unused) {
    (void)unused;
    uint32_t job = gpu_job("whole", 1, 1);
    place(job, "n8", DEVICES(1u << 7));
    taint_device("n8", 7, LSCHED_TAINT_AVOID);
    expect_sound();
    taint_device("n8", 7, LSCHED_TAINT_NO_START);
    expect_refused("holds a device of node \"n8\" with a taint that does not allow it");
    K->c[C_TASK_STRAY].u8[task_find(K, job, 0)] = 1;
    expect_sound();
    taint_device("n8", 7, LSCHED_TAINT_STOP);
    expect_sound();
    taint_device("n8", 7, LSCHED_TAINT_AVOID);
    expect_refused("is marked as unwelcome on node \"n8\"");
}

static void wrong_taints_of_devices_are_found(void **unused) {
    (void)unused;
    uint32_t d = K->c[C_NODE_DEVICE_FIRST].u32[node_named("n8")] + 7;
    taint_device("n8", 7, LSCHED_TAINT_STOP);
    expect_sound();
    K->c[C_NODE_TAINTED].u8[node_named("n8")] = 2;
    expect_refused("counts 2 devices with taints, but has 1");
    K->c[C_NODE_TAINTED].u8[node_named("n8")] = 1;
    K->c[C_META_WORD].u64[M_STOPPERS]++;
    expect_refused("are counted as stopping work");
    K->c[C_META_WORD].u64[M_STOPPERS]--;
    uint32_t row = K->c[C_DEVICE_TAINTS].u32[d];
    K->c[C_DEVICE_TAINTS].u32[d] = 1000000;
    expect_refused("taints 1000000");
    K->c[C_DEVICE_TAINTS].u32[d] = 0;
    expect_refused("counts 1 holders and has 0");
    K->c[C_DEVICE_TAINTS].u32[d] = row;
    expect_sound();
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(a_device_that_a_selector_excludes_is_found),
        TEST(devices_that_may_not_be_together_are_found),
        TEST(links_that_are_too_weak_are_found),
        TEST(a_card_that_is_given_twice_is_found),
        TEST(a_claim_on_a_card_that_stays_taken_is_found),
        TEST(a_numa_node_that_is_overfull_is_found),
        TEST(a_whole_device_that_is_cut_is_found),
        TEST(an_instance_of_a_device_that_is_not_cut_is_found),
        TEST(a_slice_that_is_given_twice_is_found),
        TEST(media_engines_that_are_given_twice_are_found),
        TEST(media_engines_that_are_claimed_twice_are_found),
        TEST(two_imports_with_media_engines_are_found),
        TEST(instances_that_overlap_are_found),
        TEST(limits_beyond_a_device_are_found),
        TEST(claims_beyond_the_limits_of_a_device_are_found),
        TEST(a_claim_on_more_than_there_will_be_is_found),
        TEST(a_claim_on_a_device_that_stays_is_found),
        TEST(claims_alone_below_the_minimum_are_found),
        TEST(tasks_that_keep_apart_are_found),
        TEST(tasks_beside_an_exclusive_one_are_found),
        TEST(an_exclusive_task_in_no_domain_is_found),
        TEST(a_task_outside_of_the_tree_is_found),
        TEST(nodes_with_too_much_are_found),
        TEST(groups_out_of_order_are_found),
        TEST(a_crowded_node_is_found),
        TEST(an_overfull_device_is_found),
        TEST(a_plan_about_what_is_not_so_is_refused),
        TEST(wrong_devices_of_the_second_word_are_found),
        TEST(devices_of_unequal_shares_are_found),
        TEST(a_task_on_a_failed_device_is_found),
        TEST(a_claim_on_a_closed_device_is_found),
        TEST(a_wrong_number_of_closed_devices_is_found),
        TEST(a_task_on_a_device_with_a_taint_is_found),
        TEST(wrong_taints_of_devices_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
