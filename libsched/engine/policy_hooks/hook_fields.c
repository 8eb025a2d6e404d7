/*
 * hook_fields.c -- see hook_fields.h.
 *
 * One tight loop for each type of column reads the values. The field is looked up once per call,
 * and not once per row. Cost: 1 to 2 ns per value. The code divides a value by the unit. It does
 * not multiply by the inverse of the unit, because 100 milli-cores must become exactly the double
 * 0.1.
 */
#include "engine/policy_hooks/hook_fields.h"

#include "engine/state/cycle_state.h"
#include "model/queues/usage_decay.h"
#include "model/nodes/node.h"
#include "model/jobs/job_limits.h"
#include "model/demand/job_counts.h"
#include "model/shapes/domain.h"
#include "model/shapes/node_rules.h"

#define GIB           1073741824.0
#define FIELD_HOUR_US 3600000000.0
#define SECOND        1e6

/* ---- columns ---- */

enum via { DIRECT = 1, OF_JOBSHAPE, OF_TASK_SHAPE };

/* A field whose value is the value of a column divided by `unit`. If `via` is 0, the field has no
 * column. */
struct field_column {
    uint16_t column;
    uint8_t via;
    uint8_t is_amount; /* 1: the policy reads an unlimited amount as math.huge */
    double unit;
};

#define QUEUE(name, kind) C_QUEUE_##name + LSCHED_##kind, DIRECT
#define NODE(name, kind)  C_NODE_##name + LSCHED_##kind, DIRECT, 0
static const struct field_column field_columns[POLICY_FIELDS] = {
    [POLICY_F_JOB_PRIORITY] = {C_JOB_PRIORITY, DIRECT, 0, 1},
    [POLICY_F_JOB_SUBMITTED] = {C_JOB_SUBMIT, DIRECT, 0, SECOND},
    [POLICY_F_JOB_DURATION] = {C_JOB_DURATION, DIRECT, 0, SECOND},
    [POLICY_F_JOB_DEADLINE] = {C_JOB_DEADLINE, DIRECT, 0, SECOND},
    [POLICY_F_JOB_TASKS] = {C_JOBSHAPE_TASKS, OF_JOBSHAPE, 0, 1},
    [POLICY_F_JOB_TASKS_MIN] = {C_JOBSHAPE_TASKS_MIN, OF_JOBSHAPE, 0, 1},
    [POLICY_F_JOB_CPU] = {C_SHAPE_REQ + LSCHED_CPU, OF_TASK_SHAPE, 0, 1000},
    [POLICY_F_JOB_MEMORY] = {C_SHAPE_REQ + LSCHED_MEMORY, OF_TASK_SHAPE, 0, GIB},
    [POLICY_F_JOB_GPU] = {C_SHAPE_REQ + LSCHED_GPU, OF_TASK_SHAPE, 0, 1000},
    [POLICY_F_JOB_GPU_MEMORY] = {C_SHAPE_DEVICE_MEM, OF_TASK_SHAPE, 0, GIB},
    [POLICY_F_QUEUE_DEPTH] = {C_QUEUE_DEPTH, DIRECT, 0, 1},
    [POLICY_F_QUEUE_PRIORITY] = {C_QUEUE_PRIORITY, DIRECT, 0, 1},
    [POLICY_F_QUEUE_JOBS] = {C_QUEUE_JOBS, DIRECT, 0, 1},
    [POLICY_F_QUEUE_JOBS_PENDING] = {C_QUEUE_PENDING, DIRECT, 0, 1},
    [POLICY_F_QUEUE_CPU_USED] = {QUEUE(USED, CPU), 0, 1000},
    [POLICY_F_QUEUE_MEMORY_USED] = {QUEUE(USED, MEMORY), 0, GIB},
    [POLICY_F_QUEUE_GPU_USED] = {QUEUE(USED, GPU), 0, 1000},
    [POLICY_F_QUEUE_CPU_QUOTA] = {QUEUE(QUOTA, CPU), 1, 1000},
    [POLICY_F_QUEUE_MEMORY_QUOTA] = {QUEUE(QUOTA, MEMORY), 1, GIB},
    [POLICY_F_QUEUE_GPU_QUOTA] = {QUEUE(QUOTA, GPU), 1, 1000},
    [POLICY_F_QUEUE_GPU_QUOTA_NOW] = {QUEUE(QUOTA_NOW, GPU), 1, 1000},
    [POLICY_F_QUEUE_GPU_LIMIT] = {QUEUE(LIMIT, GPU), 1, 1000},
    [POLICY_F_QUEUE_GPU_LIMIT_NOW] = {QUEUE(LIMIT_NOW, GPU), 1, 1000},
    [POLICY_F_NODE_CPU] = {NODE(CAP, CPU), 1000},
    [POLICY_F_NODE_CPU_FREE] = {NODE(FREE, CPU), 1000},
    [POLICY_F_NODE_MEMORY] = {NODE(CAP, MEMORY), GIB},
    [POLICY_F_NODE_MEMORY_FREE] = {NODE(FREE, MEMORY), GIB},
    [POLICY_F_NODE_GPU] = {C_NODE_N_DEVICES, DIRECT, 0, 1},
    [POLICY_F_NODE_GPU_FREE] = {NODE(FREE, GPU), 1000},
    [POLICY_F_NODE_GPU_WHOLE_FREE] = {C_NODE_GPU_WHOLE, DIRECT, 0, 1},
    [POLICY_F_NODE_TASKS] = {C_NODE_TASKS, DIRECT, 0, 1},
    [POLICY_F_NODE_PRICE] = {C_NODE_PRICE, DIRECT, 0, 1e6},
    [POLICY_F_NODE_POWER] = {C_NODE_POWER, DIRECT, 0, 1000},
};
#undef QUEUE
#undef NODE

#define EACH(member)                                                      \
    for (size_t i = 0; i < n; i++) out[i] = (double)word.member[rows[i]]; \
    break

typedef double pair __attribute__((vector_size(16)));

/* Divides the n values of x[] by `unit`, two values at a time, because most of the cost of a
 * value is the division. */
static void divide(double *x, size_t n, double unit) {
    size_t i = 0;
    if (unit == 1) return;
    for (; i + 2 <= n; i += 2) {
        pair v;
        memcpy(&v, x + i, sizeof v);
        v /= unit;
        memcpy(x + i, &v, sizeof v);
    }
    if (i < n) x[i] /= unit;
}

static void read_column(const struct columns *k, const struct field_column *f, const uint32_t *rows,
                        size_t n, double *out) {
    const union column_data word = k->c[f->column];
    const double unit = f->unit;
    if (f->is_amount) {
        for (size_t i = 0; i < n; i++)
            out[i] = word.i64[rows[i]] >= LSCHED_UNLIMITED ? (double)HUGE_VAL
                                                           : (double)word.i64[rows[i]] / unit;
        return;
    }
    switch (column_defs[f->column].type) {
    case COL_U8: EACH(u8);
    case COL_U32: EACH(u32);
    case COL_I32: EACH(i32);
    case COL_U64: EACH(u64);
    default: EACH(i64);
    }
    divide(out, n, unit);
}

/* ---- computed fields ---- */

static double sum_request(const struct columns *k, uint32_t job, uint32_t kind) {
    int64_t sum = 0;
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job];
    uint32_t first = group_row(k, jobshape, 0), n = k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape];
    for (uint32_t g = 0; g < n; g++) {
        uint32_t s = k->c[C_GROUP_SHAPE].u32[first + g];
        if (s != NO_ROW) sum += k->c[C_SHAPE_REQ + kind].i64[s] * k->c[C_GROUP_MAX].u32[first + g];
    }
    return (double)sum;
}

/* Returns the task shape for fields that describe one task of a job. */
static uint32_t task_shape_of(const struct lsched_cycle *cy, uint32_t job) {
    const struct columns *k = cy->k;
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job], g = job == cy->turn.job ? cy->policy.group : 0;
    uint32_t n = k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape];
    while (g < n && group_shape(k, jobshape, g) == NO_ROW) g++;
    if (g == n) g = 0;
    return job == cy->turn.job ? leaf_shape(k, job, g) : group_shape(k, jobshape, g);
}

/* Returns the sum of the column over all nodes whose state is LSCHED_NODE_READY. */
static double node_sum(const struct columns *k, uint32_t column) {
    int64_t sum = 0;
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++)
        if (row_is_live(k, T_NODE, n) && k->c[C_NODE_STATE].u8[n] == LSCHED_NODE_READY)
            sum += k->c[column].i64[n];
    return (double)sum;
}

static double ready_nodes(const struct columns *k) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < table_rows(k, T_NODE); i++)
        n += row_is_live(k, T_NODE, i) && k->c[C_NODE_STATE].u8[i] == LSCHED_NODE_READY;
    return n;
}

static double root_sum(const struct columns *k, uint32_t column) {
    uint64_t sum = 0;
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++)
        if (row_is_live(k, T_QUEUE, q) && k->c[C_QUEUE_PARENT].u32[q] == NO_ROW)
            sum += k->c[column].u64[q];
    return (double)sum;
}

static double cluster_field(const struct columns *k, enum policy_field f) {
    switch (f) {
    case POLICY_F_CLUSTER_NODES: return ready_nodes(k);
    case POLICY_F_CLUSTER_CPU: return node_sum(k, C_NODE_CAP + LSCHED_CPU) / 1000;
    case POLICY_F_CLUSTER_CPU_FREE: return node_sum(k, C_NODE_FREE + LSCHED_CPU) / 1000;
    case POLICY_F_CLUSTER_MEMORY: return node_sum(k, C_NODE_CAP + LSCHED_MEMORY) / GIB;
    case POLICY_F_CLUSTER_MEMORY_FREE: return node_sum(k, C_NODE_FREE + LSCHED_MEMORY) / GIB;
    case POLICY_F_CLUSTER_GPU: return node_sum(k, C_NODE_CAP + LSCHED_GPU) / 1000;
    case POLICY_F_CLUSTER_GPU_FREE: return node_sum(k, C_NODE_FREE + LSCHED_GPU) / 1000;
    case POLICY_F_CLUSTER_JOBS: return root_sum(k, C_QUEUE_JOBS);
    case POLICY_F_CLUSTER_JOBS_PENDING: return root_sum(k, C_QUEUE_PENDING);
    default: return root_sum(k, C_QUEUE_JOBS) - root_sum(k, C_QUEUE_PENDING);
    }
}

static double waiting(const struct lsched_cycle *cy, uint32_t j) {
    int64_t w = cy->now - cy->k->c[C_JOB_SUBMIT].i64[j];
    return cy->k->c[C_JOB_PHASE].u8[j] == JOB_FULL || w < 0 ? 0 : (double)w / SECOND;
}

static double limit_submitted(const struct columns *k, uint32_t j) {
    int64_t limit = job_limit_submitted(k, j);
    return limit ? (double)limit / SECOND : (double)HUGE_VAL;
}

static double checkpoint(const struct columns *k, uint32_t j) {
    uint32_t cost = k->c[C_JOB_COST].u32[j];
    return cost == NO_ROW ? 0 : (double)k->c[C_COST_CHECKPOINT].i64[cost] / SECOND;
}

static double computed(const struct lsched_cycle *cy, enum policy_field f, uint32_t row) {
    const struct columns *k = cy->k;
    switch (f) {
    case POLICY_F_JOB_WAITING: return waiting(cy, row);
    case POLICY_F_JOB_TASKS_PLACED: return job_count(k, row).placed;
    case POLICY_F_JOB_CPU_TOTAL: return sum_request(k, row, LSCHED_CPU) / 1000;
    case POLICY_F_JOB_MEMORY_TOTAL: return sum_request(k, row, LSCHED_MEMORY) / GIB;
    case POLICY_F_JOB_GPU_TOTAL: return sum_request(k, row, LSCHED_GPU) / 1000;
    case POLICY_F_JOB_TIME_LIMIT: return limit_submitted(k, row);
    case POLICY_F_JOB_RUNTIME: return (double)job_runtime_us(k, row, cy->now) / SECOND;
    case POLICY_F_JOB_GPU_UTILIZATION: return (double)job_gpu_used_milli(k, row) / 1000;
    case POLICY_F_JOB_IDLE: return (double)job_idle_us(k, row, cy->now) / SECOND;
    case POLICY_F_JOB_CHECKPOINT: return checkpoint(k, row);
    case POLICY_F_QUEUE_GPU_USED_DECAYED:
        return (double)usage_decay_spent(k, row, LSCHED_GPU, (int64_t)meta(k, M_NOW)) /
               (1000 * FIELD_HOUR_US);
    default: return cluster_field(k, f);
    }
}

/* Reads a column of job shapes or task shapes for the given rows of jobs, in chunks. */
static void read_of_shapes(const struct lsched_cycle *cy, const struct field_column *f,
                           const uint32_t *rows, size_t n, double *out) {
    uint32_t shapes[128];
    for (size_t i = 0; i < n; i += 128) {
        size_t m = n - i < 128 ? n - i : 128;
        for (size_t j = 0; j < m; j++)
            shapes[j] = f->via == OF_JOBSHAPE ? cy->k->c[C_JOB_SHAPE].u32[rows[i + j]]
                                              : task_shape_of(cy, rows[i + j]);
        read_column(cy->k, f, shapes, m, out + i);
    }
}

void hook_fields_fill_numbers(void *engine, enum policy_field field, const uint32_t *rows, size_t n,
                              double *out) {
    const struct lsched_cycle *cy = engine;
    const struct field_column *f = &field_columns[field];
    if (f->via == DIRECT)
        read_column(cy->k, f, rows, n, out);
    else if (f->via)
        read_of_shapes(cy, f, rows, n, out);
    else
        for (size_t i = 0; i < n; i++) out[i] = computed(cy, field, rows[i]);
}

/* ---- texts and booleans ---- */

/* Returns the name of the user or group (`is`) for which the library made the queue or a queue
 * above it: the last component of that queue's name. Returns an empty text if the component is
 * "-", which stands for jobs without a user. */
static lsched_text submitter(const struct columns *k, uint32_t queue, uint32_t is) {
    while (queue != NO_ROW && !(k->c[C_QUEUE_FLAGS].u8[queue] & is))
        queue = k->c[C_QUEUE_PARENT].u32[queue];
    if (queue == NO_ROW) return (lsched_text){"", 0};
    lsched_text name = text_of(k, k->c[C_QUEUE_NAME].u32[queue]);
    lsched_text above = text_of(k, k->c[C_QUEUE_NAME].u32[k->c[C_QUEUE_PARENT].u32[queue]]);
    uint64_t skip = above.len + (is == (uint32_t)LSCHED_QUEUE_IS_GROUP ? 2 : 1); /* "/", "/@" */
    if (name.len == skip + 1 && name.ptr[skip] == '-') return (lsched_text){"", 0};
    return (lsched_text){name.ptr + skip, name.len - skip};
}

static lsched_text model_of(const struct columns *k, uint32_t node) {
    if (k->c[C_NODE_N_DEVICES].u8[node] == 0) return (lsched_text){"", 0};
    uint32_t device = k->c[C_NODE_DEVICE_FIRST].u32[node];
    return text_of(k, intern_text(k, T_STRING, k->c[C_DEVICE_MODEL].u32[device]));
}

static lsched_text parent_of(const struct columns *k, uint32_t queue) {
    uint32_t parent = k->c[C_QUEUE_PARENT].u32[queue];
    return parent == NO_ROW ? (lsched_text){"", 0} : text_of(k, k->c[C_QUEUE_NAME].u32[parent]);
}

/* Returns the exclusive level of the job. Of several, the widest: the one nearest to the root of
 * its topology, and of equal ones that of the first topology. */
static lsched_text exclusive_level_of(const struct columns *k, uint32_t job) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job], n = k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape];
    struct job_term t, widest = {.topology = NO_ROW, .level = NO_ROW};
    if (!rules_job_is_exclusive(k, jobshape)) return (lsched_text){"", 0};
    for (uint32_t g = 0; g < n; g++) {
        struct reader at = {NULL, NULL, 0};
        uint32_t left = 0, shape = group_shape(k, jobshape, g);
        while (shape != NO_ROW && rules_next_term(k, shape, &at, &left, &t))
            if (t.apart == RULE_EXCLUSIVE &&
                (t.level < widest.level ||
                 (t.level == widest.level && t.topology < widest.topology)))
                widest = t;
    }
    if (widest.level == NO_ROW) return (lsched_text){"node", 4};
    return topology_level_key(k, widest.topology, widest.level);
}

static lsched_text text_field(const struct columns *k, enum policy_field f, uint32_t row) {
    switch (f) {
    case POLICY_F_JOB_NAME: return text_of(k, k->c[C_JOB_NAME].u32[row]);
    case POLICY_F_JOB_QUEUE: return text_of(k, k->c[C_QUEUE_NAME].u32[k->c[C_JOB_QUEUE].u32[row]]);
    case POLICY_F_JOB_USER: return submitter(k, k->c[C_JOB_QUEUE].u32[row], LSCHED_QUEUE_IS_USER);
    case POLICY_F_JOB_USER_GROUP:
        return submitter(k, k->c[C_JOB_QUEUE].u32[row], LSCHED_QUEUE_IS_GROUP);
    case POLICY_F_JOB_EXCLUSIVE_LEVEL: return exclusive_level_of(k, row);
    case POLICY_F_QUEUE_NAME: return text_of(k, k->c[C_QUEUE_NAME].u32[row]);
    case POLICY_F_QUEUE_PARENT: return parent_of(k, row);
    case POLICY_F_NODE_NAME: return text_of(k, k->c[C_NODE_NAME].u32[row]);
    default: return model_of(k, row);
    }
}

static uint32_t flag_field(const struct columns *k, enum policy_field f, uint32_t row) {
    uint8_t flags = k->c[C_JOB_FLAGS].u8[row];
    return f == POLICY_F_JOB_PREEMPTIBLE ? !(flags & LSCHED_JOB_NON_PREEMPTIBLE)
                                         : (flags & LSCHED_JOB_INTERACTIVE) != 0;
}

void hook_fields_fill(void *engine, enum policy_field field, const uint32_t *rows, size_t n,
                      union policy_value *out) {
    const struct columns *k = ((const struct lsched_cycle *)engine)->k;
    double numbers[128];
    switch (policy_field_infos[field].type) {
    case POLICY_TEXT:
        for (size_t i = 0; i < n; i++) out[i].text = text_field(k, field, rows[i]);
        break;
    case POLICY_BOOL:
        for (size_t i = 0; i < n; i++) out[i].boolean = flag_field(k, field, rows[i]);
        break;
    default:
        for (size_t i = 0; i < n; i += 128) {
            size_t m = n - i < 128 ? n - i : 128;
            hook_fields_fill_numbers(engine, field, rows + i, m, numbers);
            for (size_t j = 0; j < m; j++) out[i + j].number = numbers[j];
        }
    }
}
