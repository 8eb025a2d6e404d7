/* test_oom.c -- fails the n-th allocation, for every n.
 *
 * A scenario is a list of steps, each one public call. For each n it runs from the start with the n-th allocation failing:
 * the step that meets it either succeeds all the same or returns LSCHED_E_NOMEM with the cluster's image unchanged; tried
 * again with memory it succeeds; at the end the image is that of the undisturbed run and nothing is left allocated. So
 * a failure neither leaks, nor half-applies, nor leaves a trace that shows later.
 * Small scenarios walk every n; larger ones every k-th from a start given by the seed, LSCHED_TEST_SEED. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/libsched.h>

#include "support/api_world.h"
#include "support/fault_alloc.h"
#include "support/settle.h"
#include "support/queue_update.h"

enum { EVERY_N_UP_TO = 2000, SAMPLES = 400, MANY_NODES = 64, MANY_JOBS = 600 };

struct run {
    struct fault_alloc memory;
    lsched_cluster *cluster, *copy;
    lsched_plan *plan;
    lsched_id nodes[3], queues[3], jobs[4];
    int64_t now_us;
    lsched_error err;
    unsigned char *saved;
    size_t saved_bytes;
};

typedef int32_t (*step_fn)(struct run *r);

struct scenario {
    const char *name;
    const step_fn *steps;
    size_t n_steps;
};

/* ---- steps ----------------------------------------------------------------------------------- */

static int32_t step_create(struct run *r) {
    lsched_allocator hooks = fault_hooks(&r->memory);
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.allocator = &hooks;
    return lsched_cluster_create(&opts, &r->cluster, &r->err);
}

static int32_t step_resource(struct run *r) {
    return lsched_resource_add(r->cluster, LSCHED_TEXT("licence"), &r->err);
}

static int32_t step_model(struct run *r) {
    lsched_resource_part part = LSCHED_RESOURCE_PART_INIT;
    part.name = LSCHED_TEXT("gpu:H100"), part.model = LSCHED_TEXT("H100-80GB");
    return lsched_resource_add_part(r->cluster, &part, &r->err);
}

static int32_t step_topology(struct run *r) {
    static const lsched_text levels[] = {LSCHED_TEXT_INIT("zone"), LSCHED_TEXT_INIT("rack")};
    lsched_topology_desc topology = {
        .size = sizeof topology, .name = LSCHED_TEXT("site"), .levels = levels, .n_levels = 2};
    return lsched_topologies_add(r->cluster, &topology, 1, sizeof topology, NULL, NULL, NULL,
                                 &r->err);
}

static int32_t step_supplies(struct run *r) {
    lsched_supply_desc s[] = {LSCHED_SUPPLY_DESC_INIT, LSCHED_SUPPLY_DESC_INIT};
    s[0].name = LSCHED_TEXT("ansys"), s[0].amount = 4;
    s[1].name = LSCHED_TEXT("watts"), s[1].amount = LSCHED_UNLIMITED;
    return lsched_supplies_add(r->cluster, s, 2, sizeof s[0], NULL, NULL, &r->err);
}

/* The node is in a rack, which becomes a place while a task runs there. */
static int32_t step_supply_node(struct run *r) {
    lsched_label labels[] = {{LSCHED_TEXT("rack"), LSCHED_TEXT("r9")},
                             {LSCHED_TEXT("zone"), LSCHED_TEXT("z9")}};
    lsched_node_desc node = api_node("n9");
    node.labels = labels;
    node.n_labels = 2;
    return lsched_nodes_add(r->cluster, &node, 1, sizeof node, NULL, r->nodes, NULL, &r->err);
}

static int32_t step_supply_places(struct run *r) {
    lsched_label labels[] = {{LSCHED_TEXT("zone"), LSCHED_TEXT("z9")},
                             {LSCHED_TEXT("rack"), LSCHED_TEXT("r9")}};
    lsched_supply_update u[] = {LSCHED_SUPPLY_UPDATE_INIT, LSCHED_SUPPLY_UPDATE_INIT};
    for (uint32_t i = 0; i < 2; i++) {
        u[i].supply = LSCHED_TEXT("watts");
        u[i].labels = labels;
        u[i].n_labels = i + 1;
        u[i].set = LSCHED_SUPPLY_SET_AMOUNT | LSCHED_SUPPLY_SET_FOREIGN;
        u[i].amount = 9, u[i].foreign = 1;
    }
    return lsched_supplies_update(r->cluster, u, 2, sizeof u[0], NULL, NULL, &r->err);
}

static int32_t step_supply_jobs(struct run *r) {
    lsched_supply_need need[] = {LSCHED_SUPPLY_NEED_INIT, LSCHED_SUPPLY_NEED_INIT};
    lsched_group_desc group = api_group(1);
    need[0].supply = LSCHED_TEXT("watts"), need[0].amount = 3;
    need[1].supply = LSCHED_TEXT("ansys"), need[1].amount = 3;
    group.supplies = need;
    group.n_supplies = 2;
    group.supply_elem_size = sizeof need[0];
    lsched_job_desc jobs[] = {api_job("licensed", &group, 1), api_job("waits", &group, 1)};
    return lsched_jobs_submit(r->cluster, jobs, 2, sizeof jobs[0], NULL, r->jobs, NULL, &r->err);
}

static int32_t step_supply_node_goes(struct run *r) {
    return lsched_nodes_remove(r->cluster, r->nodes, 1, NULL, NULL, &r->err);
}

/* Allowances of two queues of one path: too little for all jobs, and a new period after an hour. */
static int32_t step_allowances(struct run *r) {
    lsched_amount price = {LSCHED_GPU, 0, 1000000};
    lsched_allowance_desc a[] = {LSCHED_ALLOWANCE_DESC_INIT, LSCHED_ALLOWANCE_DESC_INIT};
    for (int i = 0; i < 2; i++) {
        a[i].queue_name = i ? LSCHED_TEXT("research") : LSCHED_TEXT("org");
        a[i].price = &price;
        a[i].n_price = 1;
        a[i].amount_micro = 4000000;
        a[i].period_us = INT64_C(3600000000);
        a[i].spent = i ? LSCHED_SPENT_END : LSCHED_SPENT_RUN_ON;
    }
    return lsched_allowances_set(r->cluster, a, 2, sizeof a[0], NULL, NULL, &r->err);
}

static int32_t step_allowance_ends(struct run *r) {
    return lsched_allowances_remove(r->cluster, r->queues, 1, NULL, NULL, &r->err);
}

/* A window for research on a node of the cluster, another node, and none. */
static int32_t step_reservation(struct run *r) {
    lsched_reservation_desc d = LSCHED_RESERVATION_DESC_INIT;
    d.name = LSCHED_TEXT("r");
    d.queue_name = LSCHED_TEXT("research");
    d.nodes = r->nodes;
    d.n_nodes = 1;
    d.start_us = INT64_C(1) << 60;
    d.end_us = d.start_us + 10;
    return lsched_reservations_set(r->cluster, &d, 1, sizeof d, NULL, NULL, &r->err);
}

static int32_t step_reservation_moves(struct run *r) {
    lsched_reservation_desc d = LSCHED_RESERVATION_DESC_INIT;
    d.name = LSCHED_TEXT("r");
    d.queue_name = LSCHED_TEXT("org");
    d.nodes = r->nodes + 1;
    d.n_nodes = 1;
    d.end_us = INT64_C(1) << 60;
    return lsched_reservations_set(r->cluster, &d, 1, sizeof d, NULL, NULL, &r->err);
}

static int32_t step_reservation_ends(struct run *r) {
    lsched_text name = LSCHED_TEXT("r");
    return lsched_reservations_remove(r->cluster, &name, 1, NULL, NULL, &r->err);
}

static int32_t step_nodes(struct run *r) {
    lsched_node_desc nodes[] = {api_node("n1"), api_node("n2"), api_node("n3")};
    return lsched_nodes_add(r->cluster, nodes, 3, sizeof nodes[0], NULL, r->nodes, NULL, &r->err);
}

static int32_t step_queues(struct run *r) {
    lsched_queue_desc queues[] = {api_queue("org", NULL), api_queue("research", "org"),
                                  api_queue("product", "org")};
    return lsched_queues_add(r->cluster, queues, 3, sizeof queues[0], NULL, r->queues, NULL,
                             &r->err);
}

static int32_t step_jobs(struct run *r) {
    static const lsched_text models[] = {LSCHED_TEXT_INIT("H100-80GB"), LSCHED_TEXT_INIT("A100")};
    static const lsched_text racks[] = {LSCHED_TEXT_INIT("r1"), LSCHED_TEXT_INIT("r2")};
    lsched_selector in_racks = {
        .size = sizeof in_racks, .key = LSCHED_TEXT("rack"), .values = racks, .n_values = 2};
    lsched_group_desc tree[] = {LSCHED_GROUP_DESC_INIT, api_group(2), api_group(3)};
    tree[1].required_level = LSCHED_TEXT("rack");
    tree[2].selectors = &in_racks;
    tree[2].n_selectors = 1;
    tree[2].device_models = models;
    tree[2].n_device_models = 2;
    tree[2].min_count = 1;
    lsched_group_desc one = api_group(1), large = api_group(40);
    lsched_job_desc jobs[] = {api_job("tree", tree, 3), api_job("one", &one, 1),
                              api_job("large", &large, 1), api_job("other", &one, 1)};
    jobs[3].queue_name = LSCHED_TEXT("product");
    return lsched_jobs_submit(r->cluster, jobs, 4, sizeof jobs[0], NULL, r->jobs, NULL, &r->err);
}

static int32_t schedule_kinds(struct run *r, uint32_t kinds) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = r->now_us += 1000000;
    opts.flags = LSCHED_SCHEDULE_VERIFY | LSCHED_SCHEDULE_ALL_WAITING;
    opts.decision_kinds = kinds;
    lsched_plan_destroy(r->plan);
    r->plan = NULL;
    return lsched_schedule(r->cluster, &opts, &r->plan, &r->err);
}

static int32_t step_schedule(struct run *r) {
    return schedule_kinds(r, 0);
}

static int32_t step_few_kinds(struct run *r) {
    return schedule_kinds(r, 1u << LSCHED_DECIDE_PLACE);
}

/* Nothing is paid for any more below the queue: what runs there ends in the next cycle. */
static int32_t step_allowance_is_spent(struct run *r) {
    lsched_amount price = {LSCHED_GPU, 0, 1000000};
    lsched_allowance_desc a = LSCHED_ALLOWANCE_DESC_INIT;
    a.queue_name = LSCHED_TEXT("org");
    a.price = &price;
    a.n_price = 1;
    a.spent = LSCHED_SPENT_END;
    return lsched_allowances_set(r->cluster, &a, 1, sizeof a, NULL, NULL, &r->err);
}

static int32_t step_spent_work_ends(struct run *r) {
    int32_t rc = step_schedule(r);
    size_t ended = 0;
    for (size_t i = 0; rc >= 0 && i < lsched_plan_size(r->plan); i++)
        ended += lsched_plan_at(r->plan, i)->reason == LSCHED_FOR_ALLOWANCE;
    assert_true(rc < 0 || ended > 0);
    return rc;
}

/* Rejects what stands and falls with the first decision of the latest plan and confirms the rest. */
static int32_t step_settle(struct run *r) {
    lsched_id ids[64];
    lsched_outcome outcomes[64];
    size_t n = lsched_plan_size(r->plan);
    assert_true(n > 0 && n <= 64);
    for (size_t i = 0; i < n; i++) {
        const lsched_decision *decision = lsched_plan_at(r->plan, i);
        ids[i] = decision->id;
        outcomes[i] = decision->group == lsched_plan_at(r->plan, 0)->group
                          ? LSCHED_OUTCOME_REJECTED
                          : LSCHED_OUTCOME_CONFIRMED;
    }
    return settle_each(r->cluster, ids, outcomes, n, NULL, &r->err);
}

static int32_t step_confirm_all(struct run *r) {
    lsched_id ids[64];
    lsched_outcome outcomes[64];
    size_t n = 0;
    for (size_t i = 0; i < lsched_plan_size(r->plan) && n < 64; i++) {
        ids[n] = lsched_plan_at(r->plan, i)->id;
        outcomes[n++] = LSCHED_OUTCOME_CONFIRMED;
    }
    return settle_each(r->cluster, ids, outcomes, n, NULL, &r->err);
}

static int32_t step_start(struct run *r) {
    lsched_task_event events[64];
    size_t n = 0;
    uint64_t cursor = 0, job_cursor = 0;
    lsched_task_info task = {.size = sizeof task};
    for (lsched_id job; (job = lsched_next(r->cluster, LSCHED_KIND_JOB, &job_cursor)) != 0;
         cursor = 0) {
        while (n < 64 && lsched_tasks_next(r->cluster, job, 0, &cursor, &task, NULL) == 1) {
            if (task.state != LSCHED_TASK_CONFIRMED) continue;
            events[n++] = (lsched_task_event){.size = sizeof events[0],
                                              .event = LSCHED_EVENT_STARTED,
                                              .job = job,
                                              .task_index = task.task_index};
        }
    }
    assert_true(n > 0);
    return lsched_tasks_report(r->cluster, events, n, sizeof events[0], NULL, NULL, &r->err);
}

static int32_t step_import(struct run *r) {
    lsched_task_import tasks[3];
    for (uint32_t i = 0; i < 3; i++) {
        tasks[i] = (lsched_task_import)LSCHED_TASK_IMPORT_INIT;
        tasks[i].job_name = LSCHED_TEXT("large");
        tasks[i].node = r->nodes[i];
        tasks[i].task_index = 3 + i;
    }
    return lsched_tasks_import(r->cluster, tasks, 3, sizeof tasks[0], NULL, NULL, &r->err);
}

static int32_t step_usage(struct run *r) {
    lsched_usage_sample sample = LSCHED_USAGE_SAMPLE_INIT;
    sample.job = r->jobs[2];
    sample.task_index = 3;
    sample.kind = LSCHED_GPU;
    sample.amount = 700;
    sample.at_us = r->now_us;
    return lsched_usage_report(r->cluster, &sample, 1, sizeof sample, NULL, NULL, &r->err);
}

static int32_t step_update(struct run *r) {
    lsched_amount less = {LSCHED_CPU, 0, 1000};
    lsched_node_update updates[] = {LSCHED_NODE_UPDATE_INIT, LSCHED_NODE_UPDATE_INIT};
    updates[0].node = r->nodes[0];
    updates[0].set = LSCHED_NODE_SET_CAPACITY | LSCHED_NODE_SET_PRICE;
    updates[0].capacity = &less;
    updates[0].n_capacity = 1;
    updates[1].name = LSCHED_TEXT("n2");
    updates[1].set = LSCHED_NODE_SET_STATE | LSCHED_NODE_SET_ABSENCE;
    updates[1].leaves_us = r->now_us + 1;
    updates[1].back_us = r->now_us + 2;
    updates[1].state = LSCHED_NODE_CORDONED;
    return lsched_nodes_update(r->cluster, updates, 2, sizeof updates[0], NULL, NULL, &r->err);
}

static int32_t step_update_queue(struct run *r) {
    lsched_queue_desc queue = api_queue("research", "org");
    lsched_amount of_model = {LSCHED_RESOURCE_KINDS_MAX, 0, 6000};
    queue.priority = 3;
    queue.limit = &of_model;
    return queue_update_all(r->cluster, r->queues[1], &queue, &r->err);
}

static int32_t step_priority(struct run *r) {
    lsched_job_update updates[] = {LSCHED_JOB_UPDATE_INIT, LSCHED_JOB_UPDATE_INIT};
    for (uint32_t i = 0; i < 2; i++) {
        updates[i].job = r->jobs[2 + i];
        updates[i].set = LSCHED_JOB_SET_PRIORITY | LSCHED_JOB_SET_AGAIN;
        updates[i].priority = 9 - (int32_t)i;
    }
    return lsched_jobs_update(r->cluster, updates, 2, sizeof updates[0], NULL, NULL, &r->err);
}

static int32_t step_submit_one(struct run *r) {
    lsched_group_desc group = api_group(4);
    lsched_job_desc job = api_job("changed", &group, 1);
    job.queue_name = lsched_cstr("research");
    return lsched_jobs_submit(r->cluster, &job, 1, sizeof job, NULL, NULL, NULL, &r->err);
}

/* Other groups, other labels and limits, and then so many tasks that they come into the index. */
static int32_t step_update_jobs(struct run *r) {
    lsched_label label = {LSCHED_TEXT("app"), LSCHED_TEXT("web")};
    lsched_job_update updates[] = {LSCHED_JOB_UPDATE_INIT, LSCHED_JOB_UPDATE_INIT};
    lsched_group_desc group = api_group(3);
    lsched_group_count count = LSCHED_GROUP_COUNT_INIT;
    group.required_level = (lsched_text){NULL, 0};
    updates[0].name = updates[1].name = lsched_cstr("changed");
    updates[0].set = LSCHED_JOB_SET_GROUPS | LSCHED_JOB_SET_LABELS | LSCHED_JOB_SET_RETRIES |
                     LSCHED_JOB_SET_DISRUPTIONS | LSCHED_JOB_SET_TIME_LIMIT |
                     LSCHED_JOB_SET_RELEASE | LSCHED_JOB_SET_CHECKPOINT | LSCHED_JOB_SET_SOFT_LIMIT;
    updates[0].groups = &group;
    updates[0].n_groups = 1;
    updates[0].labels = &label;
    updates[0].n_labels = 1;
    updates[0].retries_max = 3;
    updates[0].disruptions_max = 2;
    updates[0].release_us = 20000000;
    updates[0].checkpoint_us = 30000000;
    updates[0].soft_limit_us = 1800000000;
    updates[0].time_limit_us = 3600000000;
    updates[1].set = LSCHED_JOB_SET_COUNTS;
    count.max_count = 12;
    updates[1].counts = &count;
    updates[1].n_counts = 1;
    return lsched_jobs_update(r->cluster, updates, 2, sizeof updates[0], NULL, NULL, &r->err);
}

/* A job with a begin, an expiry and a dependency. */
static int32_t step_gate(struct run *r) {
    lsched_dependency after = LSCHED_DEPENDENCY_INIT;
    lsched_group_desc group = api_group(1);
    lsched_job_desc job = api_job("gated", &group, 1);
    after.name = lsched_cstr("changed");
    job.queue_name = lsched_cstr("research");
    job.begin_us = INT64_C(4000000000000000);
    job.expires_us = INT64_C(5000000000000000);
    job.dependencies = &after;
    job.n_dependencies = 1;
    return lsched_jobs_submit(r->cluster, &job, 1, sizeof job, NULL, NULL, NULL, &r->err);
}

/* A job that has started elsewhere waits for a job that is not there. */
static int32_t step_past(struct run *r) {
    lsched_dependency after = LSCHED_DEPENDENCY_INIT;
    lsched_group_desc group = api_group(1);
    lsched_job_desc job = api_job("again", &group, 1);
    after.name = lsched_cstr("gone");
    after.happened_us = 1;
    after.delay_us = INT64_C(2000000000000000);
    job.queue_name = lsched_cstr("research");
    job.first_start_us = 1;
    job.dependencies = &after;
    job.n_dependencies = 1;
    return lsched_jobs_submit(r->cluster, &job, 1, sizeof job, NULL, NULL, NULL, &r->err);
}

/* A dependency that closes a circle. */
static int32_t step_circle(struct run *r) {
    lsched_dependency after = LSCHED_DEPENDENCY_INIT;
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    after.name = lsched_cstr("gated");
    u.name = lsched_cstr("changed");
    u.set = LSCHED_JOB_SET_DEPENDENCIES;
    u.dependencies = &after;
    u.n_dependencies = 1;
    int32_t rc = lsched_jobs_update(r->cluster, &u, 1, sizeof u, NULL, NULL, &r->err);
    return rc == LSCHED_E_CYCLE ? LSCHED_OK : rc < 0 ? rc : LSCHED_E_STATE;
}

/* Holds a job with proposals, and one that gets another end and another reason. */
static int32_t step_hold(struct run *r) {
    lsched_job_hold holds[] = {LSCHED_JOB_HOLD_INIT, LSCHED_JOB_HOLD_INIT, LSCHED_JOB_HOLD_INIT};
    holds[0].job = r->jobs[0];
    holds[0].until_us = LSCHED_NEVER_US;
    holds[1].job = holds[2].job = r->jobs[1];
    holds[1].reason = LSCHED_TEXT("the data is not there");
    holds[2].until_us = INT64_C(4000000000000000);
    holds[2].reason = LSCHED_TEXT("the budget is spent");
    return lsched_jobs_hold(r->cluster, holds, 3, sizeof holds[0], NULL, NULL, &r->err);
}

static int32_t step_release(struct run *r) {
    return lsched_jobs_release(r->cluster, r->jobs, 2, NULL, NULL, &r->err);
}

static int32_t step_remove_one(struct run *r) {
    lsched_id id = lsched_find(r->cluster, LSCHED_KIND_JOB, lsched_cstr("changed"));
    return lsched_jobs_remove(r->cluster, &id, 1, NULL, NULL, &r->err);
}

static int32_t step_lose_node(struct run *r) {
    return lsched_nodes_remove(r->cluster, &r->nodes[0], 1, NULL, NULL, &r->err);
}

static int32_t step_complete_job(struct run *r) {
    return lsched_jobs_complete(r->cluster, &r->jobs[2], 1, NULL, NULL, &r->err);
}

static int32_t step_remove_job(struct run *r) {
    return lsched_jobs_remove(r->cluster, &r->jobs[2], 1, NULL, NULL, &r->err);
}

static int32_t step_clone(struct run *r) {
    int32_t code = lsched_cluster_clone(r->cluster, &r->copy, &r->err);
    if (code >= 0) assert_true(api_image(r->copy) == api_image(r->cluster));
    return code;
}

static int32_t step_explain(struct run *r) {
    char text[256];
    int64_t length = lsched_explain(r->cluster, r->jobs[2], text, sizeof text, NULL, &r->err);
    return length < 0 ? (int32_t)length : LSCHED_OK;
}

static int32_t step_verify(struct run *r) {
    return lsched_verify(r->cluster, NULL, &r->err);
}

/* The host's own memory, so plain realloc. */
static int32_t append(void *user, const void *bytes, size_t n) {
    struct run *r = user;
    unsigned char *grown = realloc(r->saved, r->saved_bytes + n + 1);
    if (!grown) return 1;
    memcpy(grown + r->saved_bytes, bytes, n);
    r->saved = grown;
    r->saved_bytes += n;
    return 0;
}

static int32_t step_save(struct run *r) {
    r->saved_bytes = 0;
    return lsched_cluster_save(r->cluster, append, r, &r->err);
}

/* Goes on with the loaded cluster, so that what follows also tests what was loaded. */
static int32_t step_load(struct run *r) {
    lsched_allocator hooks = fault_hooks(&r->memory);
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.allocator = &hooks;
    lsched_cluster *loaded = NULL;
    int32_t code = lsched_cluster_load(&opts, r->saved, r->saved_bytes, &loaded, &r->err);
    if (code < 0) {
        assert_null(loaded);
        return code;
    }
    assert_true(api_image(loaded) == api_image(r->cluster));
    lsched_cluster_destroy(r->cluster);
    r->cluster = loaded;
    return code;
}

static int32_t step_warnings(struct run *r) {
    char text[2000];
    int64_t n = lsched_queue_warnings(r->cluster, text, sizeof text, &r->err);
    return n < 0 ? (int32_t)n : LSCHED_OK;
}

static int32_t step_policy(struct run *r) {
    static const char text[] =
        "return {\n"
        "  api = 1, name = 'oom', placement = 'spread', fair_share = 'quota',\n"
        "  priority = function(job, queue) return job.priority + #job.name end,\n"
        "  score = function(job, node) return node.gpu_free - #node.name end,\n"
        "}\n";
    return lsched_policy_load(r->cluster, LSCHED_TEXT("oom.lua"),
                              (lsched_text){text, sizeof text - 1}, NULL, &r->err);
}

static int32_t step_many_nodes(struct run *r) {
    static char names[MANY_NODES][16];
    lsched_node_desc nodes[MANY_NODES];
    for (int i = 0; i < MANY_NODES; i++) {
        snprintf(names[i], sizeof names[i], "node-%d", i);
        nodes[i] = api_node(names[i]);
    }
    return lsched_nodes_add(r->cluster, nodes, MANY_NODES, sizeof nodes[0], NULL, NULL, NULL,
                            &r->err);
}

static int32_t step_many_jobs(struct run *r) {
    static char names[MANY_JOBS][16];
    lsched_group_desc groups[8];
    for (uint32_t i = 0; i < 8; i++) groups[i] = api_group(1 + i % 4);
    lsched_job_desc *jobs = malloc(MANY_JOBS * sizeof *jobs);
    assert_non_null(jobs);
    for (int i = 0; i < MANY_JOBS; i++) {
        snprintf(names[i], sizeof names[i], "job-%d", i);
        jobs[i] = api_job(names[i], &groups[i % 8], 1);
        jobs[i].priority = i % 5;
        if (i % 3 == 0) jobs[i].queue_name = LSCHED_TEXT("product");
    }
    int32_t code =
        lsched_jobs_submit(r->cluster, jobs, MANY_JOBS, sizeof jobs[0], NULL, NULL, NULL, &r->err);
    free(jobs);
    return code;
}

/* ---- scenarios ------------------------------------------------------------------------------- */

static const step_fn everyday[] = {
    step_create,   step_resource,   step_model,        step_topology,   step_nodes,
    step_queues,   step_jobs,       step_schedule,     step_settle,     step_start,
    step_schedule, step_explain,    step_import,       step_usage,      step_verify,
    step_update,   step_submit_one, step_update_jobs,  step_remove_one, step_priority,
    step_schedule, step_lose_node,  step_update_queue, step_schedule,   step_complete_job,
    step_schedule, step_verify,
};
static const step_fn copies[] = {
    step_create, step_topology,   step_nodes, step_queues,   step_jobs,   step_schedule, step_clone,
    step_settle, step_clone,      step_save,  step_load,     step_start,  step_schedule, step_save,
    step_load,   step_remove_job, step_clone, step_schedule, step_verify,
};
static const step_fn holds[] = {
    step_create,  step_topology, step_nodes, step_queues, step_jobs,       step_schedule, step_hold,
    step_release, step_schedule, step_hold,  step_save,   step_remove_job, step_verify,
};
static const step_fn gates[] = {
    step_create,     step_topology,   step_nodes,    step_queues,   step_jobs,   step_schedule,
    step_submit_one, step_gate,       step_past,     step_schedule, step_circle, step_save,
    step_load,       step_remove_one, step_schedule, step_verify,
};
static const step_fn supplied[] = {
    step_create,      step_topology, step_queues, step_supplies,         step_supply_node,
    step_supply_jobs, step_schedule, step_settle, step_supply_places,    step_schedule,
    step_clone,       step_verify,   step_save,   step_supply_node_goes, step_supply_node,
    step_schedule,    step_verify,
};
static const step_fn with_policy[] = {
    step_create,   step_topology, step_nodes,  step_queues,    step_policy,   step_jobs,
    step_warnings, step_schedule, step_settle, step_few_kinds, step_schedule, step_policy,
    step_clone,    step_save,     step_load,   step_schedule,
};
static const step_fn many[] = {
    step_create,      step_many_nodes, step_queues,   step_many_jobs, step_schedule,
    step_confirm_all, step_start,      step_schedule, step_clone,     step_save,
    step_load,        step_schedule,   step_verify,
};
#define SCENARIO(list) \
    { #list, (list), sizeof(list) / sizeof((list)[0]) }

/* ---- the walk -------------------------------------------------------------------------------- */

/* One step under the fault, and once more without it if it failed. */
static void run_step(struct run *r, const struct scenario *s, size_t i, uint64_t n) {
    const uint64_t before = r->cluster ? api_image(r->cluster) : 0;
    const int64_t now_us = r->now_us;
    r->err = (lsched_error)LSCHED_ERROR_INIT;
    int32_t code = s->steps[i](r);
    if (code >= 0) return;
    if (code != LSCHED_E_NOMEM || r->memory.failures == 0) {
        fail_msg("%s, allocation %" PRIu64 ", step %zu: %s: %s", s->name, n, i,
                 lsched_error_name(code), r->err.message);
    }
    if (r->err.code != LSCHED_E_NOMEM)
        fail_msg("%s, allocation %" PRIu64 ", step %zu: no record", s->name, n, i);
    if (r->cluster && api_image(r->cluster) != before) {
        fail_msg("%s, allocation %" PRIu64 ", step %zu: the cluster has changed", s->name, n, i);
    }
    r->memory.fail_at = 0;
    r->now_us = now_us;
    code = s->steps[i](r);
    if (code < 0) {
        fail_msg("%s, allocation %" PRIu64 ", step %zu, again: %s: %s", s->name, n, i,
                 lsched_error_name(code), r->err.message);
    }
}

/* Returns the image at the end; *calls is how many allocations were asked for. */
static uint64_t run_scenario(const struct scenario *s, uint64_t n, uint64_t *calls) {
    struct run r = {.memory.fail_at = n, .now_us = INT64_C(1700000000000000)};
    for (size_t i = 0; i < s->n_steps; i++) run_step(&r, s, i, n);
    uint64_t image = api_image(r.cluster);
    if (calls) *calls = r.memory.calls;
    lsched_plan_destroy(r.plan);
    lsched_cluster_destroy(r.copy);
    lsched_cluster_destroy(r.cluster);
    free(r.saved);
    if (r.memory.live_blocks != 0 || r.memory.live_bytes != 0 || r.memory.wrong_sizes != 0) {
        fail_msg("%s, allocation %" PRIu64 ": %" PRId64 " blocks of %" PRId64
                 " bytes leak, %" PRIu64 " wrong sizes",
                 s->name, n, r.memory.live_blocks, r.memory.live_bytes, r.memory.wrong_sizes);
    }
    return image;
}

static uint64_t seed(void) {
    const char *text = getenv("LSCHED_TEST_SEED");
    return text ? strtoull(text, NULL, 10) : 1;
}

static uint64_t scaled(uint64_t n) {
    const char *text = getenv("LSCHED_TEST_SCALE");
    uint64_t percent = text ? strtoull(text, NULL, 10) : 100;
    return n * percent / 100 ? n * percent / 100 : 1;
}

static void walk(const struct scenario *s) {
    uint64_t calls = 0;
    const uint64_t image = run_scenario(s, 0, &calls);
    uint64_t step = 1, first = 1;
    if (calls > scaled(EVERY_N_UP_TO)) {
        step = calls / scaled(SAMPLES) + 1;
        first = 1 + seed() % step;
    }
    print_message("%s: %" PRIu64 " allocations, every %" PRIu64 " from %" PRIu64
                  " on fails (seed %" PRIu64 ")\n",
                  s->name, calls, step, first, seed());
    for (uint64_t n = first; n <= calls; n += step) {
        if (run_scenario(s, n, NULL) != image) {
            fail_msg("%s, allocation %" PRIu64 ": another state at the end", s->name, n);
        }
    }
}

static void a_day_of_events(void **state) {
    (void)state;
    walk(&(struct scenario)SCENARIO(everyday));
}

static void clones_and_saved_states(void **state) {
    (void)state;
    walk(&(struct scenario)SCENARIO(copies));
}

static const step_fn allowed[] = {
    step_create,
    step_topology,
    step_nodes,
    step_queues,
    step_allowances,
    step_jobs,
    step_schedule,
    step_settle,
    step_start,
    step_schedule,
    step_allowance_is_spent,
    step_spent_work_ends,
    step_clone,
    step_save,
    step_load,
    step_allowances,
    step_schedule,
    step_allowance_ends,
    step_schedule,
    step_verify,
};

static const step_fn reserved[] = {
    step_create,   step_topology, step_nodes,  step_queues, step_reservation,
    step_jobs,     step_schedule, step_settle, step_start,  step_reservation_moves,
    step_schedule, step_clone,    step_save,   step_load,   step_reservation_ends,
    step_schedule, step_verify,
};

static void reservations_of_nodes(void **state) {
    (void)state;
    walk(&(struct scenario)SCENARIO(reserved));
}

static void allowances_of_queues(void **state) {
    (void)state;
    walk(&(struct scenario)SCENARIO(allowed));
}

static void licences_and_watts(void **state) {
    (void)state;
    walk(&(struct scenario)SCENARIO(supplied));
}

static void a_policy_in_lua(void **state) {
    (void)state;
    walk(&(struct scenario)SCENARIO(with_policy));
}

static void held_jobs(void **state) {
    (void)state;
    walk(&(struct scenario)SCENARIO(holds));
}

static void gated_jobs(void **state) {
    (void)state;
    walk(&(struct scenario)SCENARIO(gates));
}

static void many_nodes_and_jobs(void **state) {
    (void)state;
    walk(&(struct scenario)SCENARIO(many));
}

/* Memory that is gone for good, not for one call: everything fails, nothing breaks. */
static void no_memory_at_all(void **state) {
    (void)state;
    struct scenario s = SCENARIO(everyday);
    for (uint64_t n = 1; n < 400; n += 7) {
        struct run r = {.now_us = INT64_C(1700000000000000), .err = LSCHED_ERROR_INIT};
        r.memory.fail_at = n;
        r.memory.fail_period = 1;
        for (size_t i = 0; i < s.n_steps; i++) {
            if (s.steps[i] != step_create &&
                (!r.cluster || s.steps[i] == step_settle || s.steps[i] == step_start))
                break;
            const uint64_t before = r.cluster ? api_image(r.cluster) : 0;
            int32_t code = s.steps[i](&r);
            if (code < 0 && before) assert_true(api_image(r.cluster) == before);
        }
        lsched_plan_destroy(r.plan);
        lsched_cluster_destroy(r.cluster);
        assert_int_equal(r.memory.live_blocks, 0);
        assert_int_equal(r.memory.wrong_sizes, 0);
    }
}

/* The limit of the cluster is a wall like any other, and what a refused call took is given back. */
static void the_memory_limit_is_kept(void **state) {
    (void)state;
    for (uint64_t limit = 1u << 16; limit <= 1u << 22; limit *= 2) {
        struct fault_alloc memory = {0};
        lsched_allocator hooks = fault_hooks(&memory);
        lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
        opts.allocator = &hooks;
        opts.memory_limit_bytes = limit;
        struct run r = {.err = LSCHED_ERROR_INIT};
        int32_t code = lsched_cluster_create(&opts, &r.cluster, NULL);
        if (code >= 0) code = step_queues(&r);
        if (code >= 0) code = step_many_nodes(&r);
        if (code >= 0) {
            const uint64_t before = api_image(r.cluster);
            code = step_many_jobs(&r);
            if (code < 0) assert_true(api_image(r.cluster) == before);
        }
        if (code < 0) assert_int_equal(code, LSCHED_E_NOMEM);
        assert_true(memory.live_bytes <= (int64_t)limit);
        lsched_cluster_destroy(r.cluster);
        assert_int_equal(memory.live_blocks, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_day_of_events),
        cmocka_unit_test(clones_and_saved_states),
        cmocka_unit_test(held_jobs),
        cmocka_unit_test(gated_jobs),
        cmocka_unit_test(licences_and_watts),
        cmocka_unit_test(allowances_of_queues),
        cmocka_unit_test(reservations_of_nodes),
        cmocka_unit_test(a_policy_in_lua),
        cmocka_unit_test(many_nodes_and_jobs),
        cmocka_unit_test(no_memory_at_all),
        cmocka_unit_test(the_memory_limit_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
