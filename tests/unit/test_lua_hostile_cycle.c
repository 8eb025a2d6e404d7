/* Every file of tests/hostile_lua as the policy of a cluster, for a whole cycle: the cycle ends with a plan that verifies, the
 * plan names the error that the file promises, a good policy then works as if nothing had been, and nothing leaks.
 *
 * The cluster has one node and two queues and jobs, called "evil" and "good". For hooks about running work "evil" runs there
 * and fills the node; else both wait. */
#define _DEFAULT_SOURCE
#include "unit/lua_fixture.h"

#include "support/fault_alloc.h"
#include "support/settle.h"
#include "unit/hostile_file.h"

#define SECOND INT64_C(1000000)
#define AT(s)  ((s)*SECOND)

static const lsched_amount capacity[] = {{LSCHED_CPU, 0, 64000},
                                         {LSCHED_MEMORY, 0, INT64_C(1) << 40}};
static const lsched_device_desc devices[] = {
    {.size = sizeof(lsched_device_desc), .count = 8, .model = LSCHED_TEXT_INIT("H100")}};
static const lsched_label labels[] = {{LSCHED_TEXT_INIT("zone"), LSCHED_TEXT_INIT("a")}};
static const lsched_amount one_gpu[] = {{LSCHED_GPU, 0, 1000}};
static const lsched_amount all_gpus[] = {{LSCHED_GPU, 0, 8000}};

struct world {
    struct fault_alloc memory;
    lsched_cluster *cluster;
};

static int32_t submit(struct world *w, const char *job_name, const char *queue, uint32_t tasks,
                      uint32_t tasks_min) {
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    group.min_count = tasks_min;
    group.max_count = tasks;
    group.request = one_gpu;
    group.n_request = 1;
    job.name = lsched_cstr(job_name);
    job.queue_name = lsched_cstr(queue);
    job.groups = &group;
    job.n_groups = 1;
    return lsched_jobs_submit(w->cluster, &job, 1, sizeof job, NULL, NULL, NULL, NULL);
}

/* A cycle; what runs from now on is confirmed and started. Returns the code, the plan's flags and
 * its error. */
static int32_t cycle(struct world *w, int64_t now_us, lsched_plan_info *info, char *error) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    lsched_outcome confirmed = LSCHED_OUTCOME_CONFIRMED;
    opts.now_us = now_us;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    int32_t rc = lsched_schedule(w->cluster, &opts, &plan, NULL);
    if (rc < 0) return rc;
    *info = (lsched_plan_info){.size = sizeof *info};
    rc = lsched_plan_get(plan, info, NULL);
    snprintf(error, LSCHED_MESSAGE_BYTES, "%s", lsched_plan_policy_error(plan));
    for (size_t i = 0; rc >= 0 && i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        if (d->kind != LSCHED_DECIDE_PLACE) continue;
        rc = settle_each(w->cluster, &d->id, &confirmed, 1, NULL, NULL);
        e.event = LSCHED_EVENT_STARTED;
        e.job = d->job;
        e.task_index = d->task_index;
        e.at_us = now_us;
        if (rc >= 0) rc = lsched_tasks_report(w->cluster, &e, 1, sizeof e, NULL, NULL, NULL);
    }
    lsched_plan_destroy(plan);
    return rc;
}

static int32_t world_begin(struct world *w, int evil_runs) {
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_queue_desc queues[2] = {LSCHED_QUEUE_DESC_INIT, LSCHED_QUEUE_DESC_INIT};
    *w = (struct world){0};
    lsched_allocator hooks = fault_hooks(&w->memory);
    opts.allocator = &hooks;
    int32_t rc = lsched_cluster_create(&opts, &w->cluster, NULL);
    if (rc < 0) return rc;
    node.name = LSCHED_TEXT("evil-node");
    node.capacity = capacity, node.n_capacity = 2;
    node.labels = labels, node.n_labels = 1;
    node.devices = devices, node.n_devices = 1;
    queues[0].name = LSCHED_TEXT("good");
    queues[0].quota = all_gpus, queues[0].n_quota = 1;
    queues[1].name = LSCHED_TEXT("evil");
    rc = lsched_nodes_add(w->cluster, &node, 1, sizeof node, NULL, NULL, NULL, NULL);
    if (rc >= 0)
        rc = lsched_queues_add(w->cluster, queues, 2, sizeof queues[0], NULL, NULL, NULL, NULL);
    if (rc >= 0) rc = submit(w, "evil", "evil", 8, 8);
    if (rc >= 0 && evil_runs) {
        lsched_plan_info info;
        char error[LSCHED_MESSAGE_BYTES];
        rc = cycle(w, AT(600), &info, error);
        if (rc >= 0 && info.decisions != 8) rc = LSCHED_E_STATE;
    }
    if (rc >= 0) rc = submit(w, "good", "good", 1, 1);
    return rc;
}

/* Hooks about running work are asked by actions that policies must name. */
static void name_actions(char *text, size_t cap) {
    static const char actions[] = " fair_share = \"quota\", pipeline = { \"evict-idle\", "
                                  "\"evict-overdue\", \"allocate\", \"reclaim\", \"preempt\" },";
    char *at = strstr(text, "api = 1,");
    if (!at || strstr(text, "pipeline =") || strlen(text) + sizeof actions > cap) return;
    at += strlen("api = 1,");
    memmove(at + sizeof actions - 1, at, strlen(at) + 1);
    memcpy(at, actions, sizeof actions - 1);
}

static int has_hook(const struct attempt *a, const char *name) {
    char key[32];
    snprintf(key, sizeof key, "\n    %s = ", name);
    return strstr(a->text, key) != NULL;
}

static void complain(struct attempt *a, const char *what, int32_t rc, const char *message) {
    if (!a->complaint[0])
        snprintf(a->complaint, sizeof a->complaint, "%s: %s: %s %s", a->name, what,
                 hostile_code_name(rc), message);
}

static void run_evil(struct attempt *a, struct world *w) {
    lsched_plan_info info;
    char error[LSCHED_MESSAGE_BYTES] = "";
    int32_t rc = cycle(w, AT(HOSTILE_TIME_S), &info, error);
    if (rc < 0)
        complain(a, "no plan", rc, "");
    else if (!(info.flags & LSCHED_PLAN_POLICY_FAILED))
        complain(a, "its hook did not fail", rc, error);
    else
        hostile_is_expected(a, info.policy_error, error);
}

/* The job that comes last gets what is free, under a policy that says where; as if the other had
 * never been. */
static void run_good(struct attempt *a, struct world *w) {
    static const char good[] =
        "return { api = 1, score = function(job, node) return node.gpu_free end }";
    lsched_plan_info info = {.size = sizeof info};
    lsched_error err = LSCHED_ERROR_INIT;
    char error[LSCHED_MESSAGE_BYTES] = "";
    lsched_policy_info policy = {.size = sizeof policy};
    int32_t rc = lsched_policy_load(w->cluster, LSCHED_TEXT("good"),
                                    (lsched_text){good, sizeof good - 1}, NULL, &err);
    if (rc >= 0) rc = submit(w, "after", "good", 1, 1);
    if (rc >= 0) rc = cycle(w, AT(700), &info, error);
    lsched_policy_get(w->cluster, &policy, NULL);
    if (rc < 0 || info.policy_error || policy.failures || strcmp(policy.name, "good") != 0)
        complain(a, "a good policy does not work afterwards", rc, err.message);
}

static void *attempt_run(void *user) {
    struct attempt *a = user;
    static struct world w;
    lsched_error err = LSCHED_ERROR_INIT;
    int evil_runs = has_hook(a, "victim") || has_hook(a, "idle");
    int32_t rc = world_begin(&w, evil_runs);
    if (rc < 0) complain(a, "no world", rc, "");
    if (evil_runs) name_actions(a->text, sizeof a->text);
    if (evil_runs) a->len = strlen(a->text);
    if (rc >= 0)
        rc = lsched_policy_load(w.cluster, lsched_cstr(a->name), (lsched_text){a->text, a->len},
                                NULL, &err);
    if (strcmp(a->stage, "load") == 0)
        hostile_is_expected(a, rc, err.message);
    else if (rc < 0)
        complain(a, "does not load", rc, err.message);
    else
        run_evil(a, &w);
    run_good(a, &w);
    lsched_cluster_destroy(w.cluster);
    if (w.memory.live_bytes || w.memory.wrong_sizes) complain(a, "bytes are lost", 0, "");
    return NULL;
}

static void hostile_files_fail_in_a_cycle_as_they_promise(void **unused) {
    (void)unused;
    hostile_run_all(attempt_run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_files_fail_in_a_cycle_as_they_promise)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
