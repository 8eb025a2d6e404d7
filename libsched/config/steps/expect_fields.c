/* expect_fields.c -- see expect_fields.h. */
#include "config/steps/expect_fields.h"

#define ROW(struct_name, name, type, units, member) \
    { name, type, units, 0, offsetof(struct_name, member) }
#define NUMBER(struct_name, name, type, member) ROW(struct_name, name, type, UNITS_COUNT, member)
#define FLAG(struct_name, name, bits, member) \
    { name, VALUE_FLAG, UNITS_COUNT, bits, offsetof(struct_name, member) }
/* A row for a field that is not a member of an info struct. */
#define NO_MEMBER(name, type, bits) \
    { name, type, UNITS_COUNT, bits, 0 }
#define END \
    { NULL, 0, 0, 0, 0 }

static const struct expect_field job_rows[] = {
    NUMBER(lsched_job_info, "wanted", VALUE_U32, tasks_wanted),
    NUMBER(lsched_job_info, "min", VALUE_U32, tasks_min),
    NUMBER(lsched_job_info, "placed", VALUE_U32, tasks_placed),
    NUMBER(lsched_job_info, "running", VALUE_U32, tasks_running),
    NUMBER(lsched_job_info, "done", VALUE_U32, tasks_done),
    NUMBER(lsched_job_info, "priority", VALUE_I32, priority),
    NUMBER(lsched_job_info, "tag", VALUE_HASH, tag),
    FLAG(lsched_job_info, "parked", UINT32_MAX, parked),
    FLAG(lsched_job_info, "stale", UINT32_MAX, stale_gang),
    ROW(lsched_job_info, "stale_since", VALUE_TIME, UNITS_DURATION_US, stale_since_us),
    ROW(lsched_job_info, "submitted", VALUE_TIME, UNITS_DURATION_US, submit_us),
    ROW(lsched_job_info, "duration", VALUE_I64, UNITS_DURATION_US, duration_us),
    NUMBER(lsched_job_info, "queue", VALUE_NAME, queue),
    ROW(lsched_job_info, "time_limit", VALUE_I64, UNITS_DURATION_US, time_limit_us),
    ROW(lsched_job_info, "due", VALUE_TIME, UNITS_DURATION_US, due_us),
    ROW(lsched_job_info, "running_since", VALUE_TIME, UNITS_DURATION_US, running_since_us),
    FLAG(lsched_job_info, "held", UINT32_MAX, held),
    NUMBER(lsched_job_info, "min_submitted", VALUE_U32, tasks_min_submitted),
    ROW(lsched_job_info, "hold_until", VALUE_TIME, UNITS_DURATION_US, hold_until_us),
    ROW(lsched_job_info, "begin", VALUE_TIME, UNITS_DURATION_US, begin_us),
    ROW(lsched_job_info, "expires", VALUE_TIME, UNITS_DURATION_US, expires_us),
    NUMBER(lsched_job_info, "dependencies", VALUE_U32, dependencies),
    NUMBER(lsched_job_info, "dependencies_never", VALUE_U32, dependencies_never),
    ROW(lsched_job_info, "first_start", VALUE_TIME, UNITS_DURATION_US, first_start_us),
    END,
};

static const struct expect_field queue_rows[] = {
    NUMBER(lsched_queue_info, "priority", VALUE_I32, priority),
    NUMBER(lsched_queue_info, "priority_now", VALUE_I32, priority_now),
    NUMBER(lsched_queue_info, "jobs", VALUE_I64, jobs),
    NUMBER(lsched_queue_info, "pending", VALUE_I64, jobs_pending),
    NUMBER(lsched_queue_info, "tag", VALUE_HASH, tag),
    NUMBER(lsched_queue_info, "parent", VALUE_NAME, parent),
    ROW(lsched_queue_info, "created", VALUE_TIME, UNITS_DURATION_US, created_us),
    NO_MEMBER("used", VALUE_AMOUNTS, AMOUNT_USED),
    NO_MEMBER("quota", VALUE_AMOUNTS, AMOUNT_QUOTA),
    NO_MEMBER("limit", VALUE_AMOUNTS, AMOUNT_LIMIT),
    END,
};

static const struct expect_field node_rows[] = {
    FLAG(lsched_node_info, "cordoned", LSCHED_NODE_CORDONED, state),
    FLAG(lsched_node_info, "draining", LSCHED_NODE_DRAINING, state),
    NUMBER(lsched_node_info, "devices", VALUE_U32, n_devices),
    NUMBER(lsched_node_info, "tasks", VALUE_U32, n_tasks),
    NUMBER(lsched_node_info, "tag", VALUE_HASH, tag),
    ROW(lsched_node_info, "price", VALUE_I64, UNITS_MONEY_MICRO, price_micro_per_hour),
    ROW(lsched_node_info, "leaves", VALUE_TIME, UNITS_DURATION_US, leaves_us),
    ROW(lsched_node_info, "back", VALUE_TIME, UNITS_DURATION_US, back_us),
    NO_MEMBER("free", VALUE_AMOUNTS, AMOUNT_FREE),
    NO_MEMBER("capacity", VALUE_AMOUNTS, AMOUNT_CAPACITY),
    NO_MEMBER("device_free", VALUE_CHECK_SHARES, CHECK_DEVICES_FREE),
    END,
};

static const struct expect_field task_rows[] = {
    NUMBER(lsched_task_info, "group", VALUE_U32, group_index),
    FLAG(lsched_task_info, "excess", UINT32_MAX, imported_excess),
    ROW(lsched_task_info, "share", VALUE_U32, UNITS_GPU_MILLI, device_milli),
    NUMBER(lsched_task_info, "starts", VALUE_HASH, device_starts),
    NUMBER(lsched_task_info, "out", VALUE_U32, memory_state),
    NUMBER(lsched_task_info, "alternative", VALUE_U32, alternative),
    ROW(lsched_task_info, "started", VALUE_TIME, UNITS_DURATION_US, start_us),
    NO_MEMBER("state", VALUE_CHECK_STATE, CHECK_TASK_STATE),
    NO_MEMBER("node", VALUE_CHECK_TEXT, CHECK_TASK_NODE),
    NO_MEMBER("devices", VALUE_CHECK_MASK, CHECK_TASK_DEVICES),
    NO_MEMBER("releasing", VALUE_CHECK_TEXT, CHECK_TASK_RELEASING),
    NO_MEMBER("nics", VALUE_CHECK_MASK, CHECK_TASK_NICS),
    NO_MEMBER("numa", VALUE_CHECK_MASK, CHECK_TASK_NUMA),
    END,
};

static const struct expect_field waiting_rows[] = {
    NUMBER(lsched_waiting, "jobs", VALUE_I64, jobs),
    NUMBER(lsched_waiting, "group", VALUE_U32, task_group),
    NUMBER(lsched_waiting, "nodes_able", VALUE_I64, nodes_able),
    NUMBER(lsched_waiting, "nodes_free", VALUE_I64, nodes_free),
    ROW(lsched_waiting, "until", VALUE_TIME, UNITS_DURATION_US, until_us),
    NUMBER(lsched_waiting, "limiting_queue", VALUE_NAME, limiting_queue),
    NUMBER(lsched_waiting, "evict", VALUE_EVICT, evict_code),
    NUMBER(lsched_waiting, "evict_queue", VALUE_NAME, evict_queue),
    NO_MEMBER("need", VALUE_AMOUNTS, AMOUNT_NEED),
    NO_MEMBER("have", VALUE_AMOUNTS, AMOUNT_HAVE),
    NO_MEMBER("evict_need", VALUE_AMOUNTS, AMOUNT_EVICT_NEED),
    NO_MEMBER("evict_have", VALUE_AMOUNTS, AMOUNT_EVICT_HAVE),
    NO_MEMBER("code", VALUE_CHECK_WAIT, CHECK_WAITING),
    NO_MEMBER("text", VALUE_CHECK_TEXT, CHECK_WAITING_TEXT),
    END,
};

static const struct expect_field plan_rows[] = {
    NUMBER(lsched_plan_info, "decisions", VALUE_I64, decisions),
    NUMBER(lsched_plan_info, "waiting", VALUE_I64, waiting),
    NUMBER(lsched_plan_info, "work_spent", VALUE_I64, work_spent),
    NUMBER(lsched_plan_info, "instructions", VALUE_I64, policy_instructions),
    NUMBER(lsched_plan_info, "jobs_tried", VALUE_I64, jobs_tried),
    NUMBER(lsched_plan_info, "nodes_scored", VALUE_I64, nodes_scored),
    NUMBER(lsched_plan_info, "steps", VALUE_I64, steps),
    NUMBER(lsched_plan_info, "evictions", VALUE_I64, evictions),
    NUMBER(lsched_plan_info, "moves", VALUE_I64, moves),
    NUMBER(lsched_plan_info, "searches_proven", VALUE_I64, searches_proven),
    NUMBER(lsched_plan_info, "searches_cut", VALUE_I64, searches_cut),
    NUMBER(lsched_plan_info, "hash", VALUE_HASH, plan_hash),
    NUMBER(lsched_plan_info, "policy_hash", VALUE_HASH, policy_hash),
    NUMBER(lsched_plan_info, "policy_error", VALUE_CODE, policy_error),
    ROW(lsched_plan_info, "next_wake", VALUE_TIME, UNITS_DURATION_US, next_wake_us),
    FLAG(lsched_plan_info, "partial", LSCHED_PLAN_PARTIAL, flags),
    FLAG(lsched_plan_info, "interrupted", LSCHED_PLAN_INTERRUPTED, flags),
    FLAG(lsched_plan_info, "policy_failed", LSCHED_PLAN_POLICY_FAILED, flags),
    FLAG(lsched_plan_info, "policy_ejected", LSCHED_PLAN_POLICY_EJECTED, flags),
    FLAG(lsched_plan_info, "verified", LSCHED_PLAN_VERIFIED, flags),
    FLAG(lsched_plan_info, "not_deterministic", LSCHED_PLAN_POLICY_NOT_DETERMINISTIC, flags),
    /* SIZE_MAX: the text is not a member of the info struct, because lsched_plan_policy_error()
     * returns it */
    {"policy_message", VALUE_PART, UNITS_COUNT, 0, SIZE_MAX},
    END,
};

static const struct expect_field cluster_rows[] = {
    NUMBER(lsched_cluster_stats, "nodes", VALUE_I64, nodes),
    NUMBER(lsched_cluster_stats, "queues", VALUE_I64, queues),
    NUMBER(lsched_cluster_stats, "jobs", VALUE_I64, jobs),
    NUMBER(lsched_cluster_stats, "pending", VALUE_I64, jobs_pending),
    NUMBER(lsched_cluster_stats, "parked", VALUE_I64, jobs_parked),
    NUMBER(lsched_cluster_stats, "placed", VALUE_I64, tasks_placed),
    NUMBER(lsched_cluster_stats, "open", VALUE_I64, decisions_open),
    ROW(lsched_cluster_stats, "oldest_open", VALUE_TIME, UNITS_DURATION_US,
        oldest_open_decision_us),
    ROW(lsched_cluster_stats, "now", VALUE_TIME, UNITS_DURATION_US, now_us),
    ROW(lsched_cluster_stats, "memory", VALUE_I64, UNITS_MEMORY_BYTES, memory_bytes),
    END,
};

static const struct expect_field policy_rows[] = {
    NUMBER(lsched_policy_info, "name", VALUE_TEXT, name),
    NUMBER(lsched_policy_info, "placement", VALUE_TEXT, placement),
    NUMBER(lsched_policy_info, "fair_share", VALUE_TEXT, fair_share),
    NUMBER(lsched_policy_info, "failures", VALUE_U32, failures),
    NUMBER(lsched_policy_info, "hash", VALUE_HASH, hash),
    FLAG(lsched_policy_info, "ejected", UINT32_MAX, ejected),
    NUMBER(lsched_policy_info, "last_error", VALUE_PART, last_error),
    END,
};

#define AMOUNT(name, member) NUMBER(lsched_queue_share, name, VALUE_AMOUNT, member)
static const struct expect_field share_rows[] = {
    AMOUNT("used", used),
    AMOUNT("non_preemptible_use", used_core),
    AMOUNT("demand", demand),
    AMOUNT("quota", quota),
    AMOUNT("limit", limit),
    AMOUNT("guarantee", guarantee),
    AMOUNT("fair_share", fair_share),
    AMOUNT("not_lent", hold),
    NUMBER(lsched_queue_share, "decayed", VALUE_I64, decayed_ppm),
    END,
};

static const struct expect_field decision_rows[] = {
    NUMBER(lsched_decision, "on", VALUE_NAME, node),
    NUMBER(lsched_decision, "to", VALUE_NAME, to_node),
    NUMBER(lsched_decision, "for", VALUE_NAME, for_job),
    NUMBER(lsched_decision, "reason", VALUE_REASON, reason),
    NUMBER(lsched_decision, "cost", VALUE_I64, cost),
    NUMBER(lsched_decision, "repartition", VALUE_U32, recut_mask),
    NUMBER(lsched_decision, "checkpoint", VALUE_U32, checkpoint),
    ROW(lsched_decision, "until", VALUE_TIME, UNITS_DURATION_US, until_us),
    ROW(lsched_decision, "at", VALUE_TIME, UNITS_DURATION_US, at_us),
    END,
};

const struct expect_field *const expect_fields[OBJECTS] = {
    [OBJECT_JOB] = job_rows,           [OBJECT_QUEUE] = queue_rows,     [OBJECT_NODE] = node_rows,
    [OBJECT_TASK] = task_rows,         [OBJECT_WAITING] = waiting_rows, [OBJECT_PLAN] = plan_rows,
    [OBJECT_CLUSTER] = cluster_rows,   [OBJECT_POLICY] = policy_rows,   [OBJECT_SHARE] = share_rows,
    [OBJECT_DECISION] = decision_rows,
};

const char *const expect_objects[OBJECTS] = {
    [OBJECT_JOB] = "job",
    [OBJECT_QUEUE] = "queue",
    [OBJECT_NODE] = "node",
    [OBJECT_TASK] = "task",
    [OBJECT_WAITING] = "job",
    [OBJECT_PLAN] = "the plan",
    [OBJECT_CLUSTER] = "the cluster",
    [OBJECT_POLICY] = "the policy",
    [OBJECT_SHARE] = "queue",
    [OBJECT_DECISION] = "the decision on",
};

const char *const expect_compares[COMPARE_GE + 1] = {
    [COMPARE_EQ] = "",   [COMPARE_NE] = "!=", [COMPARE_LT] = "<",
    [COMPARE_LE] = "<=", [COMPARE_GT] = ">",  [COMPARE_GE] = ">=",
};
