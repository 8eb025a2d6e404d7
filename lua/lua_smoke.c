/*
 * lua_smoke.c -- the trial run of every hook when a policy is loaded, on one job, queue and node
 * that do not exist.
 *
 * It finds what only shows when code runs: nil arithmetic, a missing return, a loop that does not
 * end. The made-up values are plausible (capacities above what is free, nothing zero), so that a
 * sound policy passes.
 */
#include <string.h>

#include "lua/lua_host.h"

static double smoke_number(enum policy_field field) {
    switch (field) {
    case POLICY_F_JOB_PRIORITY: return 50;
    case POLICY_F_JOB_WAITING: return 600;
    case POLICY_F_JOB_SUBMITTED: return 1699999400;
    case POLICY_F_JOB_DURATION: return 3600;
    case POLICY_F_JOB_DEADLINE: return 1700010000;
    case POLICY_F_JOB_TASKS_PLACED: return 0;
    case POLICY_F_QUEUE_GPU_QUOTA:
    case POLICY_F_QUEUE_CPU_QUOTA:
    case POLICY_F_QUEUE_MEMORY_QUOTA: return 64;
    case POLICY_F_NODE_CPU: return 96;
    case POLICY_F_NODE_MEMORY: return 1024;
    case POLICY_F_NODE_GPU: return 8;
    case POLICY_F_NODE_CPU_FREE:
    case POLICY_F_NODE_MEMORY_FREE: return 32;
    case POLICY_F_NODE_GPU_FREE: return 5.5;
    case POLICY_F_NODE_GPU_WHOLE_FREE: return 5;
    default: return 1;
    }
}

static void smoke_fill(void *engine, enum policy_field field, const uint32_t *rows, size_t n,
                       union policy_value *out) {
    (void)engine;
    (void)rows;
    for (size_t i = 0; i < n; i++) {
        switch (policy_field_infos[field].type) {
        case POLICY_NUMBER: out[i].number = smoke_number(field); break;
        case POLICY_BOOL: out[i].boolean = 1; break;
        default: out[i].text = (lsched_text){"trial", 5};
        }
    }
}

/* "1" reads as text and as a number. */
static int smoke_label(void *engine, uint32_t node, const char *key, size_t key_len,
                       lsched_text *value) {
    (void)engine, (void)node, (void)key, (void)key_len;
    *value = (lsched_text){"1", 1};
    return 1;
}

int32_t smoke_run(struct lua_host *host, lsched_error *err) {
    const struct policy_view view = {.now_s = 1700000000, .fill = smoke_fill, .label = smoke_label};
    const uint32_t row = 0;
    double number;
    uint8_t keep;
    struct policy_quota quota;
    struct policy_admission admission;
    const struct policy_candidate candidate = {.tasks = 1,
                                               .whole = 1,
                                               .cpu_milli = 8000,
                                               .memory_bytes = INT64_C(64) << 30,
                                               .gpu_milli = 1000,
                                               .runtime_us = INT64_C(7200000000),
                                               .lost_us = 600000000,
                                               .restart_us = 60000000};
    for (uint32_t i = 0; i < HOST_HOOKS; i++) {
        int32_t rc = LSCHED_OK;
        host->spent = 0;
        if (!host->hooks[i].present) continue;
        switch (1u << i) {
        case LSCHED_HOOK_PRIORITY:
            rc = hook_ops.priority(host, &view, &row, &row, 1, &number, err);
            break;
        case LSCHED_HOOK_QUOTA: rc = hook_ops.quota(host, &view, row, &quota, err); break;
        case LSCHED_HOOK_WEIGHT: rc = hook_ops.weight(host, &view, &row, 1, &number, err); break;
        case LSCHED_HOOK_ADMIT:
            rc = hook_ops.admit(host, &view, &row, &row, 1, &admission, err);
            break;
        case LSCHED_HOOK_FILTER: rc = hook_ops.filter(host, &view, row, &row, 1, &keep, err); break;
        case LSCHED_HOOK_VICTIM:
            rc = hook_ops.victim(host, &view, row, &candidate, 1, &number, err);
            break;
        default: rc = hook_ops.score(host, &view, row, &row, 1, &number, err); break;
        }
        if (rc < 0) return rc;
    }
    host->spent = 0;
    return LSCHED_OK;
}
