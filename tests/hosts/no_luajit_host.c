/* A host on a machine without LuaJIT: its dlopen finds nothing. The ready-made policies without hooks
 * load all the same and give the plans that they give with LuaJIT. A policy with hooks is refused with
 * a message that says what is missing, the policy before stays, and everything else works.
 * Skipped (77) where LuaJIT is linked, or is not there to compare with. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include <libsched/libsched.h>

#if !defined(LSCHED_LUAJIT_STATIC)

static int finds_nothing;
static int asked;

/* Found before that of the C library, because it stands in the program. */
void *dlopen(const char *file, int mode) {
    void *(*real)(const char *, int);
    void *symbol = dlsym(RTLD_NEXT, "dlopen");
    memcpy(&real, &symbol, sizeof real);
    asked++;
    return finds_nothing ? NULL : real(file, mode);
}

static const char *const without_hooks[] = {"best-fit",
                                            "binpack",
                                            "cohort",
                                            "drf",
                                            "fgd",
                                            "fifo",
                                            "first-fit",
                                            "guaranteed-quota",
                                            "least-fragmentation",
                                            "least-peak",
                                            "plan-ahead",
                                            "spread"};
enum { POLICIES = sizeof without_hooks / sizeof without_hooks[0] };

static int32_t load(lsched_cluster *cluster, const char *name, const char *text,
                    lsched_error *err) {
    return lsched_policy_load(cluster, lsched_cstr(name),
                              (lsched_text){text, text ? strlen(text) : 0}, NULL, err);
}

/* Fills a cluster in which a queue must reclaim its quota, and returns its third plan's hash. */
static int32_t plan_under(lsched_cluster *cluster, const char *policy, uint64_t *hash,
                          lsched_error *err) {
    lsched_device_desc gpus = LSCHED_DEVICE_DESC_INIT;
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_amount quota = {LSCHED_GPU, 0, 8000}, needs = {LSCHED_GPU, 0, 3000};
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    lsched_plan *plan = NULL;
    lsched_plan_info info = {.size = sizeof info};
    char name[16] = "";
    int32_t rc = load(cluster, policy, NULL, err);
    gpus.count = 8, gpus.model.ptr = "H100-80GB", gpus.model.len = 9;
    node.devices = &gpus, node.n_devices = 1;
    queue.quota = &quota, queue.n_quota = 1;
    group.request = &needs, group.n_request = 1;
    job.groups = &group, job.n_groups = 1, job.duration_us = 3600000000;
    for (int i = 0; i < 12 && rc >= 0; i++) {
        snprintf(name, sizeof name, "x%d", i);
        node.name = queue.name = job.name = job.queue_name = (lsched_text){name, strlen(name)};
        if (i < 3) rc = lsched_nodes_add(cluster, &node, 1, sizeof node, NULL, NULL, NULL, err);
        if (i < 2 && rc >= 0)
            rc = lsched_queues_add(cluster, &queue, 1, sizeof queue, NULL, NULL, NULL, err);
        job.queue_name = i < 7 ? (lsched_text){"x0", 2} : (lsched_text){"x1", 2};
        job.submit_us = 12 - i;
        lsched_schedule_opts now = LSCHED_SCHEDULE_OPTS_INIT;
        now.now_us = 1 + i * INT64_C(1000000);
        if (i < 2 || rc < 0) continue;
        rc = lsched_jobs_submit(cluster, &job, 1, sizeof job, NULL, NULL, NULL, err);
        if (rc >= 0) rc = lsched_schedule(cluster, &now, &plan, err);
        if (rc < 0) break;
        lsched_plan_get(plan, &info, NULL);
        *hash = *hash * 31 + info.plan_hash;
        for (size_t d = 0; d < lsched_plan_size(plan) && rc >= 0; d++) {
            const lsched_decision *at = lsched_plan_at(plan, d);
            lsched_task_event event = LSCHED_TASK_EVENT_INIT;
            event.event = LSCHED_EVENT_STARTED;
            event.job = at->job, event.task_index = at->task_index;
            if (at->kind == LSCHED_DECIDE_PLACE)
                rc = lsched_tasks_report(cluster, &event, 1, sizeof event, NULL, NULL, err);
        }
        lsched_plan_destroy(plan);
    }
    return rc;
}

static int equal_plans(void) {
    int failures = 0;
    for (int i = 0; i < POLICIES; i++) {
        lsched_error err = LSCHED_ERROR_INIT;
        uint64_t hash[2] = {0, 0};
        int32_t rc = LSCHED_OK;
        for (finds_nothing = 0; finds_nothing < 2 && rc >= 0; finds_nothing++) {
            lsched_cluster *cluster = NULL;
            rc = lsched_cluster_create(NULL, &cluster, &err);
            if (rc >= 0) rc = plan_under(cluster, without_hooks[i], &hash[finds_nothing], &err);
            lsched_cluster_destroy(cluster);
            if (rc == LSCHED_E_NOLUA && !finds_nothing) return -1;
        }
        if (rc < 0 || hash[0] != hash[1]) {
            printf("%s: %s, %016llx and %016llx\n", without_hooks[i], err.message,
                   (unsigned long long)hash[0], (unsigned long long)hash[1]);
            failures++;
        }
    }
    return failures;
}

int main(void) {
    static const char hooked[] = "return { api = 1, priority = function(job) return 1 end }";
    lsched_cluster *cluster = NULL;
    lsched_plan *plan = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_policy_info info = {.size = sizeof info};
    opts.now_us = 1;
    int different = equal_plans();
    if (different < 0) return puts("skipped: LuaJIT is not there to compare with"), 77;
    finds_nothing = 1;
    asked = 0;
    int32_t created = lsched_cluster_create(NULL, &cluster, &err);
    int at_create = asked; /* then, and never again: what a policy finds is what the host had */
    int32_t plain = load(cluster, "quotas.lua", "return { api = 1, fair_share = 'quota' }", &err);
    int32_t loaded = load(cluster, "p.lua", hooked, &err);
    int says_so = strstr(err.message, "p.lua:1:30: the hook priority needs LuaJIT") &&
                  strstr(err.message, "libluajit-5.1");
    printf("%s\n", err.message);
    lsched_policy_get(cluster, &info, NULL);
    int32_t scheduled = lsched_schedule(cluster, &opts, &plan, &err);
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(cluster);
    return !(different == 0 && at_create == 1 && asked == 1 && created == LSCHED_OK &&
             plain == LSCHED_OK && loaded == LSCHED_E_NOLUA && says_so &&
             strcmp(info.fair_share, "quota") == 0 && scheduled == LSCHED_OK);
}

#else

int main(void) {
    puts("skipped: LuaJIT is linked into this build");
    return 77;
}

#endif
