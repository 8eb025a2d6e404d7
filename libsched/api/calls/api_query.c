/* api_query.c -- queries about nodes, queues, jobs and tasks, releasing tasks included. These
 * functions do not change the state. */
#include "api/door/args.h"
#include "model/devices/resource_part.h"
#include "model/devices/device.h"
#include "model/jobs/job_limits.h"
#include "model/dependencies/gate.h"
#include "model/life/host_hold.h"
#include "model/demand/job_counts.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/task_row.h"
#include "model/jobs/bundle.h"
#include "model/nodes/absence.h"

/* Copies the answer to the caller's struct. */
static int32_t query_end(void *out, const void *info, uint32_t size, lsched_error *err) {
    int32_t rc = arg_out(out, info, size);
    return rc == LSCHED_OK
               ? rc
               : fail(err, rc, "out: its size is not set; set it to sizeof of the struct");
}

LSCHED_API int32_t lsched_node_get(const lsched_cluster *c, lsched_id id, lsched_node_info *out,
                                   lsched_error *err) {
    uint32_t n;
    int32_t rc = arg_query(c, out, err);
    if (rc != LSCHED_OK) return rc;
    const struct columns *k = &c->k;
    rc = arg_id(k, id, LSCHED_KIND_NODE, &n, err);
    if (rc != LSCHED_OK) return rc;
    lsched_node_info info = {.size = sizeof info,
                             .state = k->c[C_NODE_STATE].u8[n],
                             .tag = k->c[C_NODE_TAG].u64[n],
                             .n_devices = k->c[C_NODE_N_DEVICES].u8[n],
                             .n_tasks = k->c[C_NODE_TASKS].u32[n],
                             .cpu_milli = k->c[C_NODE_CAP + LSCHED_CPU].i64[n],
                             .cpu_free_milli = k->c[C_NODE_FREE + LSCHED_CPU].i64[n],
                             .memory_bytes = k->c[C_NODE_CAP + LSCHED_MEMORY].i64[n],
                             .memory_free_bytes = k->c[C_NODE_FREE + LSCHED_MEMORY].i64[n],
                             .gpu_milli = k->c[C_NODE_CAP + LSCHED_GPU].i64[n],
                             .gpu_free_milli = k->c[C_NODE_FREE + LSCHED_GPU].i64[n],
                             .price_micro_per_hour = k->c[C_NODE_PRICE].i64[n],
                             .leaves_us = absence_own(k, C_NODE_LEAVES, n),
                             .back_us = absence_own(k, C_NODE_BACK, n),
                             .leaves_every_us = absence_own(k, C_NODE_LEAVES_EVERY, n)};
    return query_end(out, &info, (uint32_t)sizeof info, err);
}

LSCHED_API int32_t lsched_node_amount(const lsched_cluster *c, lsched_id id, uint32_t kind,
                                      int64_t *capacity, int64_t *free_amount, lsched_error *err) {
    uint32_t n;
    int32_t rc = arg_query(c, c, err);
    if (rc != LSCHED_OK) return rc;
    rc = arg_id(&c->k, id, LSCHED_KIND_NODE, &n, err);
    if (rc != LSCHED_OK) return rc;
    rc = arg_kind(&c->k, kind, "node", err);
    if (rc != LSCHED_OK) return rc;
    if (capacity) *capacity = c->k.c[C_NODE_CAP + kind].i64[n];
    if (free_amount) *free_amount = c->k.c[C_NODE_FREE + kind].i64[n];
    return LSCHED_OK;
}

LSCHED_API int32_t lsched_queue_get(const lsched_cluster *c, lsched_id id, lsched_queue_info *out,
                                    lsched_error *err) {
    uint32_t q;
    int32_t rc = arg_query(c, out, err);
    if (rc != LSCHED_OK) return rc;
    const struct columns *k = &c->k;
    rc = arg_id(k, id, LSCHED_KIND_QUEUE, &q, err);
    if (rc != LSCHED_OK) return rc;
    uint32_t parent = k->c[C_QUEUE_PARENT].u32[q];
    lsched_queue_info info = {.size = sizeof info,
                              .priority = k->c[C_QUEUE_PRIORITY].i32[q],
                              .tag = k->c[C_QUEUE_TAG].u64[q],
                              .parent =
                                  parent == NO_ROW ? 0 : arg_id_of(k, LSCHED_KIND_QUEUE, parent),
                              .jobs = k->c[C_QUEUE_JOBS].u64[q],
                              .jobs_pending = k->c[C_QUEUE_PENDING].u64[q],
                              .created_us = k->c[C_QUEUE_CREATED].i64[q],
                              .priority_now = k->c[C_QUEUE_PRIORITY_NOW].i32[q]};
    return query_end(out, &info, (uint32_t)sizeof info, err);
}

LSCHED_API int32_t lsched_queue_amount(const lsched_cluster *c, lsched_id id, uint32_t kind,
                                       int64_t *used, int64_t *quota, int64_t *limit,
                                       lsched_error *err) {
    uint32_t q;
    int32_t rc = arg_query(c, c, err);
    if (rc != LSCHED_OK) return rc;
    rc = arg_id(&c->k, id, LSCHED_KIND_QUEUE, &q, err);
    if (rc != LSCHED_OK) return rc;
    if (kind_is_part(&c->k, kind)) {
        struct resource_part_amount a = resource_part_get(&c->k, q, kind);
        if (used) *used = a.used;
        if (quota) *quota = a.quota;
        if (limit) *limit = a.limit;
        return LSCHED_OK;
    }
    rc = arg_kind(&c->k, kind, "queue", err);
    if (rc != LSCHED_OK) return rc;
    if (used) *used = c->k.c[C_QUEUE_USED + kind].i64[q];
    if (quota) *quota = c->k.c[C_QUEUE_QUOTA + kind].i64[q];
    if (limit) *limit = c->k.c[C_QUEUE_LIMIT + kind].i64[q];
    return LSCHED_OK;
}

static int job_is_parked(const struct columns *k, uint32_t j) {
    uint8_t phase = k->c[C_JOB_PHASE].u8[j];
    if (phase == JOB_REFUSED) return 1;
    return phase == JOB_QUEUED &&
           k->c[C_BUNDLE_STATE].u8[k->c[C_JOB_BUNDLE].u32[j]] == BUNDLE_PARKED;
}

static uint32_t job_nominated(const struct columns *k, uint32_t j) {
    uint32_t n = 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[j]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        n += k->c[C_LEAF_NOMINATED].u32[l];
    return n;
}

LSCHED_API int32_t lsched_job_get(const lsched_cluster *c, lsched_id id, lsched_job_info *out,
                                  lsched_error *err) {
    uint32_t j;
    int32_t rc = arg_query(c, out, err);
    if (rc != LSCHED_OK) return rc;
    const struct columns *k = &c->k;
    rc = arg_id(k, id, LSCHED_KIND_JOB, &j, err);
    if (rc != LSCHED_OK) return rc;
    uint32_t shape = k->c[C_JOB_SHAPE].u32[j], cost = k->c[C_JOB_COST].u32[j];
    struct job_counts n = job_count(k, j);
    lsched_job_info info = {.size = sizeof info,
                            .flags = k->c[C_JOB_FLAGS].u8[j] & ~(JOB_HOOK_FAILED | JOB_MIN_LATE),
                            .tag = k->c[C_JOB_TAG].u64[j],
                            .queue = arg_id_of(k, LSCHED_KIND_QUEUE, k->c[C_JOB_QUEUE].u32[j]),
                            .priority = k->c[C_JOB_PRIORITY].i32[j],
                            .parked = (uint32_t)job_is_parked(k, j),
                            .tasks_wanted = k->c[C_JOBSHAPE_TASKS].u32[shape],
                            .tasks_min = k->c[C_JOBSHAPE_TASKS_MIN].u32[shape],
                            .tasks_placed = n.placed,
                            .tasks_running = n.running,
                            .tasks_done = n.done,
                            .submit_us = k->c[C_JOB_SUBMIT].i64[j],
                            .duration_us = k->c[C_JOB_DURATION].i64[j],
                            .stale_since_us = cost == NO_ROW ? LSCHED_NEVER_US
                                                             : k->c[C_COST_STALE_SINCE].i64[cost],
                            .time_limit_us = job_limit(k, j),
                            .due_us = job_due(k, j),
                            .running_since_us = n.running ? job_since(k, j) : 0,
                            .held = job_held(k, j),
                            .hold_until_us = job_host_hold(k, j),
                            .hold_reason = host_hold_reason(k, j),
                            .tasks_min_submitted = job_minimum_submitted(k, j),
                            .first_start_us = k->c[C_JOB_STARTED].i64[j],
                            .tasks_nominated = job_nominated(k, j),
                            .tasks_releasing = job_releasing(k, j)};
    uint32_t gate = gate_row(k, j);
    if (gate != NO_ROW) {
        info.begin_us = k->c[C_GATE_BEGIN].i64[gate];
        info.expires_us = k->c[C_GATE_EXPIRES].i64[gate];
        info.dependencies = k->c[C_GATE_WAITS].u32[gate];
        info.dependencies_never = k->c[C_GATE_NEVER].u32[gate];
    }
    if (info.held == LSCHED_HELD_NOT && info.hold_until_us) info.held = LSCHED_HELD_HOST;
    info.stale_gang = info.stale_since_us != LSCHED_NEVER_US;
    return query_end(out, &info, (uint32_t)sizeof info, err);
}

/* ---- tasks ---- */

static int32_t task_out(const struct columns *k, uint32_t t, lsched_task_info *out,
                        lsched_error *err) {
    uint32_t job = k->c[C_TASK_JOB].u32[t], node = k->c[C_TASK_NODE].u32[t],
             d = k->c[C_TASK_DECISION].u32[t];
    struct hold hold = task_hold(k, t);
    lsched_task_info info = {.size = sizeof info,
                             .state = k->c[C_TASK_STATE].u8[t],
                             .job = arg_id_of(k, LSCHED_KIND_JOB, job),
                             .task_index = k->c[C_TASK_INDEX].u32[t],
                             .group_index = k->c[C_LEAF_GROUP].u32[k->c[C_TASK_LEAF].u32[t]],
                             .node = node == NO_ROW ? 0 : arg_id_of(k, LSCHED_KIND_NODE, node),
                             .decision = d == NO_ROW ? 0 : arg_id_of(k, LSCHED_KIND_DECISION, d),
                             .device_mask = device_set_short(hold.mask),
                             .device_starts = hold.starts,
                             .nic_mask = k->c[C_TASK_NICS].u16[t],
                             .numa_mask = k->c[C_TASK_NUMA].u8[t],
                             .alternative = k->c[C_LEAF_ALTERNATIVE].u8[k->c[C_TASK_LEAF].u32[t]],
                             .start_us = k->c[C_TASK_START].i64[t],
                             .run = id_outside(k, k->c[C_TASK_RUN].u64[t]),
                             .imported_excess = k->c[C_TASK_EXCESS].u8[t],
                             .memory_state = k->c[C_TASK_OUT].u8[t]};
    device_set_to_array(hold.mask, info.device_words);
    if (hold.mask) {
        uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
        info.device_milli =
            device_milli_need(k, first + device_set_first(hold.mask), task_shape(k, t));
    }
    int32_t rc = arg_devices_fit(out, offsetof(lsched_task_info, device_words), hold.mask, err);
    if (rc != LSCHED_OK) return rc;
    rc = query_end(out, &info, (uint32_t)sizeof info, err);
    return rc == LSCHED_OK ? 1 : rc;
}

/* The cursor of the walk is 1 + the row that is returned next. The rows of a job are returned
 * leaf by leaf: first the leaf's tasks, then its releasing tasks. */
static uint32_t first_of_job(const struct columns *k, uint32_t leaf) {
    for (; leaf != NO_ROW; leaf = k->c[C_LEAF_NEXT].u32[leaf]) {
        if (k->c[C_LEAF_TASK_FIRST].u32[leaf] != NO_ROW) return k->c[C_LEAF_TASK_FIRST].u32[leaf];
        if (k->c[C_LEAF_LEAVING_FIRST].u32[leaf] != NO_ROW)
            return k->c[C_LEAF_LEAVING_FIRST].u32[leaf];
    }
    return NO_ROW;
}

static uint32_t next_of_job(const struct columns *k, uint32_t task) {
    uint32_t leaf = k->c[C_TASK_LEAF].u32[task], next = k->c[C_TASK_NEXT].u32[task];
    if (next != NO_ROW) return next;
    if (k->c[C_TASK_STATE].u8[task] != LSCHED_TASK_RELEASING &&
        k->c[C_LEAF_LEAVING_FIRST].u32[leaf] != NO_ROW)
        return k->c[C_LEAF_LEAVING_FIRST].u32[leaf];
    return first_of_job(k, k->c[C_LEAF_NEXT].u32[leaf]);
}

LSCHED_API int32_t lsched_tasks_next(const lsched_cluster *c, lsched_id job_id, lsched_id node_id,
                                     uint64_t *cursor, lsched_task_info *out, lsched_error *err) {
    uint32_t row = NO_ROW, t;
    int32_t rc = arg_query(c, out, err);
    if (rc != LSCHED_OK) return rc;
    if (!cursor) return fail(err, LSCHED_E_NULL, "cursor is NULL");
    const struct columns *k = &c->k;
    if ((job_id != 0) == (node_id != 0))
        return fail(err, LSCHED_E_INVAL,
                    "the tasks of a job or of a node: one of the ids must be 0");
    rc = job_id ? arg_id(k, job_id, LSCHED_KIND_JOB, &row, err)
                : arg_id(k, node_id, LSCHED_KIND_NODE, &row, err);
    if (rc != LSCHED_OK) return rc;
    if (*cursor == 0)
        t = job_id ? first_of_job(k, k->c[C_JOB_LEAVES].u32[row])
                   : k->c[C_NODE_TASK_FIRST].u32[row];
    else if (*cursor == UINT64_MAX)
        return 0;
    else
        t = (uint32_t)(*cursor - 1);
    if (t == NO_ROW) return 0;
    /* The cluster may have changed since the previous call: the task can wait or be elsewhere now,
     * and another task can have its row. */
    if (!row_is_live(k, T_TASK, t) || k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NONE ||
        k->c[job_id ? C_TASK_JOB : C_TASK_NODE].u32[t] != row)
        return fail(err, LSCHED_E_STATE, "the task at the cursor is gone; begin again with 0");
    uint32_t next = job_id ? next_of_job(k, t) : k->c[C_TASK_NODE_NEXT].u32[t];
    *cursor = next == NO_ROW ? UINT64_MAX : (uint64_t)next + 1;
    return task_out(k, t, out, err);
}
