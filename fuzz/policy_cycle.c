/* Any bytes as the policy of two equal clusters, for whole cycles: jobs wait, run, are evicted and end, usage is reported,
 * time passes. Both must come to the same plans and states, every plan must verify, an error must be one of policies, and
 * afterwards nothing may be left. Texts of an odd length run without lifting in the second cluster: all but what it costs
 * must be the same. Budgets are small, so that a run is short. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libsched/libsched.h>

#include "engine/state/cluster.h"
#include "lua/state/lua_host.h"
#include "support/policy_mutator.h"
#include "tests/support/fault_alloc.h"

#define SECOND INT64_C(1000000)
#define GIB    (INT64_C(1) << 30)

enum { TWINS = 2, CYCLES = 4, SUB_NOT_DETERMINISTIC = 1 };

struct twin {
    struct fault_alloc memory;
    lsched_cluster *cluster;
    lsched_plan_info info;
    char error[LSCHED_MESSAGE_BYTES];
    int32_t rc;
};

static void stop(const char *what, const char *more) {
    fprintf(stderr, "%s: %s\n", what, more);
    abort();
}

/* ---- the cluster ----------------------------------------------------------------------------- */

static void must(int32_t rc, const lsched_error *err) {
    if (rc < 0) stop("the cluster is not made", err->message);
}

static void add_nodes(lsched_cluster *c) {
    static const lsched_amount capacity[] = {{LSCHED_CPU, 0, 32000}, {LSCHED_MEMORY, 0, 256 * GIB}};
    static const lsched_label labels[][1] = {{{LSCHED_TEXT_INIT("zone"), LSCHED_TEXT_INIT("a")}},
                                             {{LSCHED_TEXT_INIT("zone"), LSCHED_TEXT_INIT("b")}}};
    static const lsched_device_desc devices[] = {
        {.size = sizeof(lsched_device_desc), .count = 4, .model = LSCHED_TEXT_INIT("H100")},
        {.size = sizeof(lsched_device_desc),
         .count = 2,
         .model = LSCHED_TEXT_INIT("A10"),
         .share_mode = LSCHED_SHARING_FRACTION}};
    static const char *const names[] = {"n0", "n1", "n2", "n3", "n4"};
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t i = 0; i < 5; i++) {
        lsched_node_desc node = LSCHED_NODE_DESC_INIT;
        node.name = (lsched_text){names[i], 2};
        node.capacity = capacity, node.n_capacity = 2;
        node.labels = labels[i % 2], node.n_labels = 1;
        node.devices = &devices[i % 2], node.n_devices = i < 4;
        node.price_micro_per_hour = 1000000 * (int64_t)(i + 1);
        node.power_milliwatt = 500000;
        must(lsched_nodes_add(c, &node, 1, sizeof node, NULL, NULL, NULL, &err), &err);
    }
}

static void add_queues(lsched_cluster *c) {
    static const lsched_amount quota[] = {{LSCHED_GPU, 0, 4000}, {LSCHED_CPU, 0, 32000}};
    static const lsched_amount limit[] = {{LSCHED_GPU, 0, 10000}};
    static const char *const names[] = {"root", "red", "blue", "free"};
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t i = 0; i < 4; i++) {
        lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
        queue.name = (lsched_text){names[i], strlen(names[i])};
        if (i == 1 || i == 2) queue.parent_name = (lsched_text){"root", 4};
        if (i != 3) queue.quota = quota, queue.n_quota = 2;
        if (i == 2) queue.limit = limit, queue.n_limit = 1;
        queue.priority = (int32_t)i;
        must(lsched_queues_add(c, &queue, 1, sizeof queue, NULL, NULL, NULL, &err), &err);
    }
}

static int32_t submit(lsched_cluster *c, uint32_t i, int64_t now_us) {
    static const char *const names[] = {"j0", "j1", "j2", "j3", "j4", "j5", "j6",
                                        "j7", "j8", "j9", "ja", "jb", "jc", "jd"};
    static const char *const queues[] = {"red", "blue", "free"};
    const lsched_amount request[] = {
        {LSCHED_CPU, 0, 1000 * (int64_t)(1 + i % 3)},
        {LSCHED_MEMORY, 0, 4 * GIB},
        {LSCHED_GPU, 0, i % 5 == 4 ? 500 : 1000 * (int64_t)(1 + i % 2)}};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    group.request = request, group.n_request = i % 4 == 3 ? 2 : 3;
    group.max_count = 1 + i % 4;
    group.min_count = i % 3 ? 1 : group.max_count;
    job.name = (lsched_text){names[i], 2};
    job.queue_name = lsched_cstr(queues[i % 3]);
    job.groups = &group, job.n_groups = 1;
    job.priority = (int32_t)(i % 3) * 10;
    job.submit_us = now_us;
    job.duration_us = i % 2 ? 600 * SECOND * (int64_t)i : 0;
    job.deadline_us = i % 4 ? 0 : now_us + 7200 * SECOND;
    job.time_limit_us = i % 6 == 5 ? 3600 * SECOND : 0;
    job.checkpoint_period_us = 300 * SECOND;
    job.user = (lsched_text){i % 2 ? "ann" : "bob", 3};
    if (i == 2) job.flags = LSCHED_JOB_NON_PREEMPTIBLE;
    return lsched_jobs_submit(c, &job, 1, sizeof job, NULL, NULL, NULL, NULL);
}

/* ---- cycles ---------------------------------------------------------------------------------- */

static void report(lsched_cluster *c, const lsched_decision *d, uint32_t event, int64_t now_us) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = event;
    e.job = d->job;
    e.task_index = d->task_index;
    e.at_us = now_us;
    lsched_tasks_report(c, &e, 1, sizeof e, NULL, NULL, NULL);
}

static void use_gpu(lsched_cluster *c, const lsched_decision *d, int64_t now_us) {
    lsched_usage_sample s = LSCHED_USAGE_SAMPLE_INIT;
    s.job = d->job;
    s.task_index = d->task_index;
    s.kind = LSCHED_GPU;
    s.amount = d->task_index % 2 ? 900 : 0;
    s.at_us = now_us;
    lsched_usage_report(c, &s, 1, sizeof s, NULL, NULL, NULL);
}

/* The host does most of what the plan says. */
static void carry_out(struct twin *t, const lsched_plan *plan, int64_t now_us, uint32_t cycle) {
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_outcome outcome = i % 7 == 6 ? LSCHED_OUTCOME_REJECTED : LSCHED_OUTCOME_CONFIRMED;
        lsched_settlement answer = {.size = sizeof answer, .outcome = outcome, .decision = d->id};
        if (lsched_settle(t->cluster, &answer, 1, sizeof answer, NULL, NULL, NULL, NULL) < 0 ||
            outcome == LSCHED_OUTCOME_REJECTED)
            continue;
        if (d->kind == LSCHED_DECIDE_PLACE) {
            report(t->cluster, d, LSCHED_EVENT_STARTED, now_us);
            use_gpu(t->cluster, d, now_us);
            if (cycle && i % 3 == 0) report(t->cluster, d, LSCHED_EVENT_ENDED, now_us);
        } else if (d->kind == LSCHED_DECIDE_EVICT) {
            report(t->cluster, d, LSCHED_EVENT_ENDED, now_us);
        }
    }
}

static int is_of_policies(int32_t rc) {
    return rc == LSCHED_OK || rc == LSCHED_E_POLICY || rc == LSCHED_E_BUDGET ||
           rc == LSCHED_E_RANGE || rc == LSCHED_E_KEY || rc == LSCHED_E_TYPE ||
           rc == LSCHED_E_NOENT || rc == LSCHED_E_LIMIT;
}

static void run_cycle(struct twin *t, int64_t now_us, uint32_t cycle) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan *plan;
    opts.now_us = now_us;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    opts.work_budget = 20000;
    t->rc = lsched_schedule(t->cluster, &opts, &plan, &err);
    if (t->rc < 0) stop("no plan", err.message);
    t->info = (lsched_plan_info){.size = sizeof t->info};
    lsched_plan_get(plan, &t->info, NULL);
    snprintf(t->error, sizeof t->error, "%s", lsched_plan_policy_error(plan));
    if (!is_of_policies(t->info.policy_error)) stop("not an error of policies", t->error);
    if (strpbrk(t->error, "\n\r\t")) stop("more than a line", t->error);
    carry_out(t, plan, now_us, cycle);
    lsched_plan_destroy(plan);
    if (lsched_verify(t->cluster, NULL, &err) < 0) stop("the state is wrong", err.message);
}

/* ---- twins ----------------------------------------------------------------------------------- */

static void must_agree(const struct twin *a, const struct twin *b, int is_lifting_compared) {
    uint64_t states[TWINS];
    char text[160];
    lsched_cluster_hash(a->cluster, LSCHED_HASH_MEANING, &states[0], NULL);
    lsched_cluster_hash(b->cluster, LSCHED_HASH_MEANING, &states[1], NULL);
    if (a->info.policy_error != b->info.policy_error || strcmp(a->error, b->error) != 0)
        stop("other errors", a->error[0] ? a->error : b->error);
    if (a->info.plan_hash != b->info.plan_hash || a->info.decisions != b->info.decisions ||
        a->info.waiting != b->info.waiting || states[0] != states[1]) {
        snprintf(text, sizeof text, "%llu and %llu decisions",
                 (unsigned long long)a->info.decisions, (unsigned long long)b->info.decisions);
        stop("other plans", text);
    }
    if (!is_lifting_compared && a->info.policy_instructions != b->info.policy_instructions) {
        snprintf(text, sizeof text, "%llu and %llu",
                 (unsigned long long)a->info.policy_instructions,
                 (unsigned long long)b->info.policy_instructions);
        stop("other instructions", text);
    }
}

static void begin(struct twin *t) {
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    memset(t, 0, sizeof *t);
    lsched_allocator hooks = fault_hooks(&t->memory);
    opts.allocator = &hooks;
    must(lsched_cluster_create(&opts, &t->cluster, &err), &err);
    add_nodes(t->cluster);
    add_queues(t->cluster);
    for (uint32_t i = 0; i < 9; i++) submit(t->cluster, i, (int64_t)i * 60 * SECOND);
}

static int32_t load(struct twin *t, const uint8_t *data, size_t size, lsched_error *err) {
    lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
    opts.instructions_per_call = 3000;
    opts.instructions_per_cycle = 60000;
    opts.memory_limit_bytes = UINT64_C(64) << 20;
    return lsched_policy_load(t->cluster, LSCHED_TEXT("fuzz.lua"),
                              (lsched_text){(const char *)data, size}, &opts, err);
}

static int is_of_budget(const struct twin *t) {
    return t->info.policy_error == LSCHED_E_BUDGET;
}

static void run_all(struct twin *twins, int is_lifting_compared) {
    struct lua_host *second = twins[1].cluster->policy.policy.self;
    second->is_lifting_off = (uint32_t)is_lifting_compared;
    for (uint32_t cycle = 0; cycle < CYCLES; cycle++) {
        int64_t now_us = 3600 * SECOND * (int64_t)(cycle + 1);
        for (int i = 0; i < TWINS; i++) {
            if (cycle == 1) {
                for (uint32_t k = 9; k < 14; k++) submit(twins[i].cluster, k, now_us);
            }
            run_cycle(&twins[i], now_us, cycle);
        }
        if ((twins[0].info.flags | twins[1].info.flags) & LSCHED_PLAN_POLICY_NOT_DETERMINISTIC)
            return;
        if (is_lifting_compared && (is_of_budget(&twins[0]) || is_of_budget(&twins[1]))) return;
        must_agree(&twins[0], &twins[1], is_lifting_compared);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct twin twins[TWINS];
    lsched_error err[TWINS] = {LSCHED_ERROR_INIT, LSCHED_ERROR_INIT};
    int32_t rc[TWINS];
    for (int i = 0; i < TWINS; i++) {
        begin(&twins[i]);
        rc[i] = load(&twins[i], data, size, &err[i]);
        if (rc[i] < 0 && (strpbrk(err[i].message, "\n\r\t") || !err[i].message[0]))
            stop("more or less than a line", err[i].message);
    }
    int is_certain = err[0].sub != SUB_NOT_DETERMINISTIC && err[1].sub != SUB_NOT_DETERMINISTIC;
    if (is_certain &&
        (rc[0] != rc[1] || (rc[0] < 0 && strcmp(err[0].message, err[1].message) != 0)))
        stop("loaded otherwise", err[0].message);
    if (rc[0] == LSCHED_OK && rc[1] == LSCHED_OK) run_all(twins, size % 2 == 1);
    for (int i = 0; i < TWINS; i++) {
        lsched_cluster_destroy(twins[i].cluster);
        if (twins[i].memory.live_bytes || twins[i].memory.wrong_sizes) stop("bytes are lost", "");
    }
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
    return policy_mutate(data, size, max_size, seed);
}
