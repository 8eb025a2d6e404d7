/*
 * test_objects.c -- see test_objects.h.
 */
#define _GNU_SOURCE /* needed for open_memstream */
#include "cli/policy_test/test_objects.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plan/plan_view.h"
#include "cli/plan/plan_words.h"
#include "cli/policy_test/test_running.h"

enum { TEXT_BYTES = 4096, WAITS_MAX = 1024, TERMS_MAX = 64 };

/* ---- fields ---- */

void test_set_text(struct test_state *state, const char *key, const char *text, size_t len) {
    state->lua.pushlstring(state->L, text, len);
    state->lua.setfield(state->L, -2, key);
}

void test_set_string(struct test_state *state, const char *key, const char *text) {
    if (text != NULL) test_set_text(state, key, text, strlen(text));
}

void test_set_number(struct test_state *state, const char *key, double number) {
    state->lua.pushnumber(state->L, number);
    state->lua.setfield(state->L, -2, key);
}

void test_set_bool(struct test_state *state, const char *key, bool value) {
    state->lua.pushboolean(state->L, value);
    state->lua.setfield(state->L, -2, key);
}

/* Sets a field to an amount in the units of policies: CPUs, GPUs, or GiB of memory.
 * LSCHED_UNLIMITED and LSCHED_NEVER_US become math.huge. */
static void set_amount(struct test_state *state, const char *key, uint32_t kind, int64_t amount) {
    double unit = kind == LSCHED_CPU || kind == LSCHED_GPU || kind >= LSCHED_RESOURCE_KINDS_MAX
                      ? 1000
                  : kind == LSCHED_MEMORY ? 1073741824
                                          : 1;
    test_set_number(state, key, amount == LSCHED_UNLIMITED ? HUGE_VAL : (double)amount / unit);
}

static void set_seconds(struct test_state *state, const char *key, int64_t us) {
    test_set_number(state, key, us == LSCHED_NEVER_US ? HUGE_VAL : (double)us / 1e6);
}

static void set_name(struct test_state *state, const char *key, const lsched_cluster *cluster,
                     lsched_id id) {
    lsched_text name = name_of(cluster, id);
    if (id != 0) test_set_text(state, key, name.ptr, name.len);
}

static void set_devices(struct test_state *state, const uint64_t *device_words, uint32_t milli) {
    int n = 0;
    state->lua.createtable(state->L, 8, 0);
    for (uint32_t i = 0; i < LSCHED_DEVICES_PER_NODE_MAX; i++) {
        if (!device_set_holds(device_words, i)) continue;
        state->lua.pushnumber(state->L, i);
        state->lua.rawseti(state->L, -2, ++n);
    }
    state->lua.setfield(state->L, -2, "devices");
    test_set_number(state, "gpus", (double)n * milli / 1000);
}

/* ---- a plan ---- */

static void push_decision(struct test_state *state, const lsched_cluster *cluster,
                          const lsched_decision *decision) {
    state->lua.createtable(state->L, 0, 12);
    test_set_string(state, "kind", lsched_decision_kind_name(decision->kind));
    set_name(state, "job", cluster, decision->job);
    test_set_number(state, "task", decision->task_index);
    set_name(state, "node", cluster, decision->node);
    set_devices(state, decision->device_words, decision->device_milli);
    test_set_number(state, "bundle", (double)decision->group);
    set_seconds(state, "at", decision->at_us);
    test_set_string(state, "reason", reason_word(decision->reason));
    set_name(state, "for_job", cluster, decision->for_job);
    set_name(state, "to", cluster, decision->to_node);
    if (decision_stops(decision->kind)) test_set_number(state, "cost", (double)decision->cost);
}

static void push_waiting(struct test_state *state, const lsched_cluster *cluster,
                         const lsched_waiting *waiting) {
    char text[TEXT_BYTES] = "";
    bool any = waiting->kind == LSCHED_ANY_RESOURCE;
    lsched_waiting_text(cluster, waiting, text, sizeof text, NULL);
    state->lua.createtable(state->L, 0, 14);
    test_set_string(state, "code", lsched_wait_name(waiting->code));
    test_set_string(state, "text", text);
    set_name(state, "queue", cluster, waiting->queue);
    set_name(state, "job", cluster, waiting->job);
    test_set_number(state, "jobs", (double)waiting->jobs);
    if (!any) test_set_string(state, "resource", lsched_resource_name(cluster, waiting->kind));
    set_amount(state, "need", waiting->kind, waiting->need);
    set_amount(state, "have", waiting->kind, waiting->have);
    test_set_number(state, "nodes_able", (double)waiting->nodes_able);
    test_set_number(state, "nodes_free", (double)waiting->nodes_free);
    set_seconds(state, "until", waiting->until_us);
    set_name(state, "limiting_queue", cluster, waiting->limiting_queue);
    if (waiting->evict_code != LSCHED_NO_VICTIM_NOT_TRIED)
        test_set_string(state, "evict", lsched_no_victim_name(waiting->evict_code));
}

/* Pushes a table that maps the name of each waiting job to its wait reason. A wait record of the
 * plan is only about the first of several equal jobs. Therefore the function calls lsched_explain()
 * for each job. Each of these calls searches all nodes, therefore the table is empty if more than
 * WAITS_MAX jobs wait. */
static void push_waits(struct test_state *state, const lsched_cluster *cluster) {
    lsched_cluster_stats stats = {.size = sizeof stats};
    uint64_t cursor = 0;
    lsched_id id;
    lsched_cluster_stats_get(cluster, &stats, NULL);
    state->lua.createtable(state->L, 0, 0);
    if (stats.jobs_pending > WAITS_MAX) return;
    while ((id = lsched_next(cluster, LSCHED_KIND_JOB, &cursor)) != 0) {
        lsched_waiting record = {.size = sizeof record};
        lsched_error err = LSCHED_ERROR_INIT;
        if (lsched_explain(cluster, id, NULL, 0, &record, &err) < 0) continue;
        if (record.code == LSCHED_WAIT_NONE) continue;
        lsched_text name = name_of(cluster, id);
        state->lua.pushlstring(state->L, name.ptr, name.len);
        push_waiting(state, cluster, &record);
        state->lua.rawset(state->L, -3);
    }
}

static void set_flag(void *user, const char *word) {
    struct test_state *state = user;
    char key[32];
    size_t n = strlen(word) < sizeof key - 1 ? strlen(word) : sizeof key - 1;
    for (size_t i = 0; i < n; i++) key[i] = (char)(word[i] == '-' ? '_' : word[i]);
    key[n] = '\0';
    test_set_bool(state, key, true);
}

/* Sets the field with the text of the plan, which is equal to the output of plan_print(). */
static void set_plan_text(struct test_state *state, const lsched_scenario_cycle *cycle) {
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    if (out == NULL) return;
    plan_print(out, cycle, false);
    fclose(out);
    state->lua.pushlstring(state->L, text, len);
    free(text);
    state->lua.setfield(state->L, -2, "text");
}

static void set_plan_info(struct test_state *state, const lsched_plan *plan) {
    lsched_plan_info info = {.size = sizeof info};
    char hash[20];
    lsched_plan_get(plan, &info, NULL);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)info.plan_hash);
    set_seconds(state, "now", info.now_us);
    set_seconds(state, "next_wake", info.next_wake_us);
    test_set_string(state, "hash", hash);
    test_set_number(state, "instructions", (double)info.policy_instructions);
    test_set_number(state, "jobs_tried", (double)info.jobs_tried);
    test_set_number(state, "nodes_scored", (double)info.nodes_scored);
    plan_flag_words(info.flags, set_flag, state);
    if (info.policy_error != LSCHED_OK)
        test_set_string(state, "policy_error", lsched_plan_policy_error(plan));
}

/* Sets the field with the list of lines that the policy has written with log(). */
static void set_log(struct test_state *state, const lsched_plan *plan) {
    const char *line;
    int n = 0;
    state->lua.createtable(state->L, 0, 0);
    while ((line = lsched_plan_log_at(plan, (size_t)n)) != NULL) {
        state->lua.pushlstring(state->L, line, strlen(line));
        state->lua.rawseti(state->L, -2, ++n);
    }
    state->lua.setfield(state->L, -2, "log");
}

int test_push_plan(lua_State *L) {
    struct test_state *state = test_state_now();
    const lsched_scenario_cycle *cycle = state->lua.touserdata(L, 1);
    size_t n = lsched_plan_size(cycle->plan), waiting = lsched_plan_waiting_size(cycle->plan);
    state->lua.createtable(L, 0, 16);
    set_plan_info(state, cycle->plan);
    set_plan_text(state, cycle);
    set_log(state, cycle->plan);
    state->lua.createtable(L, (int)n, 0);
    for (size_t i = 0; i < n; i++) {
        push_decision(state, cycle->cluster, lsched_plan_at(cycle->plan, i));
        state->lua.rawseti(L, -2, (int)i + 1);
    }
    state->lua.setfield(L, -2, "decisions");
    state->lua.createtable(L, (int)waiting, 0);
    for (size_t i = 0; i < waiting; i++) {
        push_waiting(state, cycle->cluster, lsched_plan_waiting_at(cycle->plan, i));
        state->lua.rawseti(L, -2, (int)i + 1);
    }
    state->lua.setfield(L, -2, "waiting");
    push_waits(state, cycle->cluster);
    state->lua.setfield(L, -2, "waits");
    return 1;
}

/* ---- a cluster ---- */

/* Returns the id of the object whose name is argument 2, or 0 if the cluster has no such object. */
static lsched_id find(struct test_state *state, lsched_cluster *cluster, uint32_t kind) {
    size_t len = 0;
    const char *name = state->lua.tolstring(state->L, 2, &len);
    return name != NULL && len > 0 ? lsched_find(cluster, kind, (lsched_text){name, len}) : 0;
}

static void push_tasks(struct test_state *state, lsched_cluster *cluster, lsched_id job) {
    lsched_task_info task = {.size = sizeof task};
    uint64_t cursor = 0;
    int n = 0;
    state->lua.createtable(state->L, 4, 0);
    while (lsched_tasks_next(cluster, job, 0, &cursor, &task, NULL) == 1) {
        state->lua.createtable(state->L, 0, 6);
        test_set_number(state, "task", task.task_index);
        test_set_string(state, "state", lsched_task_state_name(task.state));
        set_name(state, "node", cluster, task.node);
        set_devices(state, task.device_words, task.device_milli);
        set_seconds(state, "started", task.start_us);
        state->lua.rawseti(state->L, -2, ++n);
    }
}

int test_push_job(lua_State *L) {
    struct test_state *state = test_state_now();
    lsched_cluster *cluster = test_cluster_of(state);
    lsched_job_info info = {.size = sizeof info};
    lsched_id id = find(state, cluster, LSCHED_KIND_JOB);
    if (lsched_job_get(cluster, id, &info, NULL) < 0) return 0;
    state->lua.createtable(L, 0, 16);
    set_name(state, "name", cluster, id);
    set_name(state, "queue", cluster, info.queue);
    test_set_number(state, "priority", info.priority);
    test_set_number(state, "wanted", info.tasks_wanted);
    test_set_number(state, "min", info.tasks_min);
    test_set_number(state, "placed", info.tasks_placed);
    test_set_number(state, "running", info.tasks_running);
    test_set_number(state, "done", info.tasks_done);
    test_set_bool(state, "parked", info.parked != 0);
    test_set_bool(state, "stale", info.stale_gang != 0);
    test_set_bool(state, "held", info.held != LSCHED_HELD_NOT);
    set_seconds(state, "submitted", info.submit_us);
    set_seconds(state, "duration", info.duration_us);
    set_seconds(state, "time_limit", info.time_limit_us);
    push_tasks(state, cluster, id);
    state->lua.setfield(L, -2, "tasks");
    return 1;
}

static void set_share(struct test_state *state, lsched_cluster *cluster, lsched_id queue,
                      uint32_t kind) {
    int64_t used = 0, quota = 0, limit = LSCHED_UNLIMITED;
    lsched_queue_share share = LSCHED_QUEUE_SHARE_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    const char *name = lsched_resource_name(cluster, kind);
    if (name == NULL || lsched_queue_amount(cluster, queue, kind, &used, &quota, &limit, NULL) < 0)
        return;
    state->lua.createtable(state->L, 0, 8);
    set_amount(state, "used", kind, used);
    set_amount(state, "quota", kind, quota);
    set_amount(state, "limit", kind, limit);
    if (kind < LSCHED_RESOURCE_KINDS_MAX &&
        lsched_queue_share_get(cluster, queue, kind, &share, &err) >= 0) {
        set_amount(state, "quota", kind, share.quota);
        set_amount(state, "guarantee", kind, share.guarantee);
        set_amount(state, "fair_share", kind, share.fair_share);
        set_amount(state, "demand", kind, share.demand);
        test_set_number(state, "decayed", (double)share.decayed_ppm / 1e6);
    }
    state->lua.setfield(state->L, -2, name);
}

int test_push_queue(lua_State *L) {
    struct test_state *state = test_state_now();
    lsched_cluster *cluster = test_cluster_of(state);
    lsched_queue_info info = {.size = sizeof info};
    lsched_id id = find(state, cluster, LSCHED_KIND_QUEUE);
    if (lsched_queue_get(cluster, id, &info, NULL) < 0) return 0;
    state->lua.createtable(L, 0, 12);
    set_name(state, "name", cluster, id);
    set_name(state, "parent", cluster, info.parent);
    test_set_number(state, "priority", info.priority);
    test_set_number(state, "jobs", (double)info.jobs);
    test_set_number(state, "pending", (double)info.jobs_pending);
    for (uint32_t kind = LSCHED_CPU; kind < LSCHED_RESOURCE_KINDS_MAX + LSCHED_RESOURCE_PARTS_MAX;
         kind++)
        set_share(state, cluster, id, kind);
    return 1;
}

int test_push_node(lua_State *L) {
    struct test_state *state = test_state_now();
    lsched_cluster *cluster = test_cluster_of(state);
    lsched_node_info info = {.size = sizeof info};
    lsched_id id = find(state, cluster, LSCHED_KIND_NODE);
    if (lsched_node_get(cluster, id, &info, NULL) < 0) return 0;
    state->lua.createtable(L, 0, 12);
    set_name(state, "name", cluster, id);
    set_amount(state, "cpu", LSCHED_CPU, info.cpu_milli);
    set_amount(state, "cpu_free", LSCHED_CPU, info.cpu_free_milli);
    set_amount(state, "memory", LSCHED_MEMORY, info.memory_bytes);
    set_amount(state, "memory_free", LSCHED_MEMORY, info.memory_free_bytes);
    set_amount(state, "gpu", LSCHED_GPU, info.gpu_milli);
    set_amount(state, "gpu_free", LSCHED_GPU, info.gpu_free_milli);
    test_set_number(state, "devices", info.n_devices);
    test_set_number(state, "tasks", info.n_tasks);
    test_set_number(state, "price", (double)info.price_micro_per_hour / 1e6);
    if (info.leaves_us || info.back_us)
        test_set_number(state, "leaves", (double)info.leaves_us / 1e6);
    if (info.back_us) test_set_number(state, "back", (double)info.back_us / 1e6);
    return 1;
}

int test_push_policy(lua_State *L) {
    struct test_state *state = test_state_now();
    lsched_cluster *cluster = test_cluster_of(state);
    lsched_policy_info info = {.size = sizeof info};
    if (lsched_policy_get(cluster, &info, NULL) < 0) return 0;
    state->lua.createtable(L, 0, 12);
    test_set_string(state, "name", info.name);
    test_set_string(state, "placement", info.placement);
    test_set_string(state, "fair_share", info.fair_share);
    test_set_string(state, "order", info.order);
    test_set_string(state, "pipeline", info.pipeline);
    test_set_string(state, "last_error", info.last_error);
    test_set_number(state, "failures", info.failures);
    test_set_bool(state, "ejected", info.ejected != 0);
    return 1;
}

/* Lua function (cluster). Returns a list of the running tasks whose jobs have an estimated
 * duration, and the time at which the next cycle is due. Each element of the list is {job, task,
 * ends}, where `ends` is the time at which the task ends. Times are in microseconds. */
int test_push_running(lua_State *L) {
    struct test_state *state = test_state_now();
    lsched_cluster *cluster = test_cluster_of(state);
    uint64_t jobs = 0;
    lsched_id id;
    int n = 0;
    state->lua.createtable(L, 0, 0);
    while ((id = lsched_next(cluster, LSCHED_KIND_JOB, &jobs)) != 0) {
        lsched_job_info info = {.size = sizeof info};
        lsched_task_info task = {.size = sizeof task};
        uint64_t cursor = 0;
        if (lsched_job_get(cluster, id, &info, NULL) < 0 || info.duration_us == 0) continue;
        while (lsched_tasks_next(cluster, id, 0, &cursor, &task, NULL) == 1) {
            if (task.state != LSCHED_TASK_RUNNING) continue;
            state->lua.createtable(L, 0, 3);
            set_name(state, "job", cluster, id);
            test_set_number(state, "task", task.task_index);
            test_set_number(state, "ends", (double)(task.start_us + info.duration_us));
            state->lua.rawseti(L, -2, ++n);
        }
    }
    int64_t wake_us = lsched_next_wake(cluster);
    state->lua.pushnumber(L, wake_us == LSCHED_NEVER_US ? HUGE_VAL : (double)wake_us);
    return 2;
}

/* Lua function (cluster, job). Returns the text of lsched_explain() and the wait record as a table,
 * or nothing if the cluster has no such job. */
int test_explain(lua_State *L) {
    struct test_state *state = test_state_now();
    lsched_cluster *cluster = test_cluster_of(state);
    lsched_waiting record = {.size = sizeof record};
    lsched_error err = LSCHED_ERROR_INIT;
    char text[TEXT_BYTES] = "";
    lsched_id id = find(state, cluster, LSCHED_KIND_JOB);
    if (id == 0 || lsched_explain(cluster, id, text, sizeof text, &record, &err) < 0) return 0;
    state->lua.pushlstring(L, text, strlen(text));
    push_waiting(state, cluster, &record);
    return 2;
}

/* Lua function (cluster, hook, job, node or nil, time in microseconds). Returns the value of the
 * hook and a list of its summands, which are {value, text, line}. The list is empty if the hook is
 * not compiled. After an error, returns nil and a message. */
int test_ask(lua_State *L) {
    static const struct {
        const char *name;
        uint32_t hook;
    } hooks[] = {
        {"priority", LSCHED_HOOK_PRIORITY},     {"preempt_priority", LSCHED_HOOK_PREEMPT_PRIORITY},
        {"weight", LSCHED_HOOK_WEIGHT},         {"score", LSCHED_HOOK_SCORE},
        {"time_limit", LSCHED_HOOK_TIME_LIMIT}, {"queue_order", LSCHED_HOOK_QUEUE_ORDER}};
    struct test_state *state = test_state_now();
    lsched_cluster *cluster = test_cluster_of(state);
    const char *word = state->lua.tolstring(L, 2, NULL);
    size_t job_len = 0, node_len = 0;
    const char *job = state->lua.tolstring(L, 3, &job_len),
               *node = state->lua.tolstring(L, 4, &node_len);
    int64_t now_us = (int64_t)state->lua.tonumber(L, 5);
    lsched_policy_term terms[TERMS_MAX];
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t hook = 0;
    double value = 0;
    for (size_t i = 0; word != NULL && i < sizeof hooks / sizeof hooks[0]; i++)
        if (strcmp(hooks[i].name, word) == 0) hook = hooks[i].hook;
    lsched_id job_id =
        job_len > 0 ? lsched_find(cluster, LSCHED_KIND_JOB, (lsched_text){job, job_len}) : 0;
    lsched_id node_id =
        node_len > 0 ? lsched_find(cluster, LSCHED_KIND_NODE, (lsched_text){node, node_len}) : 0;
    int32_t n =
        lsched_policy_terms(cluster, hook, job_id, node_id, now_us, terms, TERMS_MAX, &value, &err);
    if (n < 0) {
        state->lua.pushnil(L);
        state->lua.pushlstring(L, err.message, strlen(err.message));
        return 2;
    }
    state->lua.pushnumber(L, value);
    state->lua.createtable(L, n, 0);
    for (int32_t i = 0; i < n && i < TERMS_MAX; i++) {
        state->lua.createtable(L, 0, 3);
        test_set_number(state, "value", terms[i].value);
        test_set_string(state, "text", terms[i].text);
        test_set_number(state, "line", terms[i].line);
        state->lua.rawseti(L, -2, i + 1);
    }
    return 2;
}
