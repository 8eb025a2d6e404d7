/*
 * hooks.c -- the policy as the engine sees it: fields filled from columns, scores quantised, failures turned into a restart.
 *
 * A score is rounded to 2^-20 before it is compared, so that the last bit of a double decides nothing. Without a policy, or with
 * its hook off in this cycle, the placement strategy scores.
 */
#include "engine/cycle.h"
#include "model/decay.h"
#include "model/node.h"
#include "model/watch.h"

#define GIB     1073741824.0
#define HOUR_US 3600000000.0

int hook_on(const struct lsched_cycle *y, uint32_t hook) {
    const struct policy_slot *p = &y->c->policy;
    return p->policy.ops && (p->policy.desc.hooks & hook) && !(y->hooks_off & hook);
}

int32_t hook_fail(struct lsched_cycle *y, uint32_t hook, int32_t rc, const lsched_error *err) {
    if (rc == LSCHED_E_NOMEM)
        return rc; /* the host's memory, not the policy's cap: the call fails and changes nothing */
    if (rc == LSCHED_E_INTERRUPTED) {
        y->flags |= LSCHED_PLAN_INTERRUPTED;
        y->c->interrupted = 1;
    }
    y->hook_failed = hook;
    y->policy_error = rc;
    memcpy(y->policy_message, err->message, sizeof y->policy_message);
    return LSCHED_E_POLICY;
}

/* ---- fields ---- */

static lsched_text name_text(const struct columns *k, uint32_t text) {
    return text_of(k, text);
}

static double sum_request(const struct columns *k, uint32_t jobshape, uint32_t kind) {
    int64_t sum = 0;
    uint32_t first = group_row(k, jobshape, 0), n = k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape];
    for (uint32_t g = 0; g < n; g++) {
        uint32_t s = k->c[C_GROUP_SHAPE].u32[first + g];
        if (s != NO_ROW) sum += k->c[C_SHAPE_REQ + kind].i64[s] * k->c[C_GROUP_MAX].u32[first + g];
    }
    return (double)sum;
}

/* Unlimited amounts read as math.huge. */
static double amount_of(int64_t amount, double unit) {
    return amount >= LSCHED_UNLIMITED ? (double)HUGE_VAL : (double)amount / unit;
}

/* Who submitted it, as far as queues are divided by that: the last part of the name of the sub-queue; "-" stands for nobody. */
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

/* The leaf that fields about "a task" speak of. */
static uint32_t task_shape_of(const struct lsched_cycle *y, uint32_t job) {
    const struct columns *k = y->k;
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job], g = job == y->job ? y->policy_group : 0;
    uint32_t n = k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape];
    while (g < n && group_shape(k, jobshape, g) == NO_ROW) g++;
    return group_shape(k, jobshape, g < n ? g : 0);
}

static union policy_value number(double v) {
    return (union policy_value){.number = v};
}

static union policy_value job_field(const struct lsched_cycle *y, enum policy_field f, uint32_t j) {
    const struct columns *k = y->k;
    uint32_t shape = k->c[C_JOB_SHAPE].u32[j], s;
    switch (f) {
    case POLICY_F_JOB_NAME:
        return (union policy_value){.text = name_text(k, k->c[C_JOB_NAME].u32[j])};
    case POLICY_F_JOB_QUEUE:
        return (union policy_value){
            .text = name_text(k, k->c[C_QUEUE_NAME].u32[k->c[C_JOB_QUEUE].u32[j]])};
    case POLICY_F_JOB_PRIORITY: return number(k->c[C_JOB_PRIORITY].i32[j]);
    case POLICY_F_JOB_WAITING: {
        int64_t w = y->now - k->c[C_JOB_SUBMIT].i64[j];
        return number(k->c[C_JOB_PHASE].u8[j] == JOB_FULL || w < 0 ? 0 : (double)w / 1e6);
    }
    case POLICY_F_JOB_SUBMITTED: return number((double)k->c[C_JOB_SUBMIT].i64[j] / 1e6);
    case POLICY_F_JOB_DURATION: return number((double)k->c[C_JOB_DURATION].i64[j] / 1e6);
    case POLICY_F_JOB_DEADLINE: return number((double)k->c[C_JOB_DEADLINE].i64[j] / 1e6);
    case POLICY_F_JOB_PREEMPTIBLE:
        return (union policy_value){.boolean =
                                        !(k->c[C_JOB_FLAGS].u8[j] & LSCHED_JOB_NON_PREEMPTIBLE)};
    case POLICY_F_JOB_INTERACTIVE:
        return (union policy_value){.boolean =
                                        (k->c[C_JOB_FLAGS].u8[j] & LSCHED_JOB_INTERACTIVE) != 0};
    case POLICY_F_JOB_TASKS: return number(k->c[C_JOBSHAPE_TASKS].u32[shape]);
    case POLICY_F_JOB_TASKS_MIN: return number(k->c[C_JOBSHAPE_TASKS_MIN].u32[shape]);
    case POLICY_F_JOB_TASKS_PLACED: return number(job_count(k, j).placed);
    case POLICY_F_JOB_CPU_TOTAL: return number(sum_request(k, shape, LSCHED_CPU) / 1000);
    case POLICY_F_JOB_MEMORY_TOTAL: return number(sum_request(k, shape, LSCHED_MEMORY) / GIB);
    case POLICY_F_JOB_GPU_TOTAL: return number(sum_request(k, shape, LSCHED_GPU) / 1000);
    case POLICY_F_JOB_USER:
        return (union policy_value){
            .text = submitter(k, k->c[C_JOB_QUEUE].u32[j], LSCHED_QUEUE_IS_USER)};
    case POLICY_F_JOB_USER_GROUP:
        return (union policy_value){
            .text = submitter(k, k->c[C_JOB_QUEUE].u32[j], LSCHED_QUEUE_IS_GROUP)};
    case POLICY_F_JOB_TIME_LIMIT:
        return number(job_limit_submitted(k, j) ? (double)job_limit_submitted(k, j) / 1e6
                                                : (double)HUGE_VAL);
    case POLICY_F_JOB_RUNTIME: return number((double)job_runtime_us(k, j, y->now) / 1e6);
    case POLICY_F_JOB_GPU_UTILIZATION: return number((double)job_gpu_used_milli(k, j) / 1000);
    case POLICY_F_JOB_IDLE: return number((double)job_idle_us(k, j, y->now) / 1e6);
    case POLICY_F_JOB_CHECKPOINT: {
        uint32_t cost = k->c[C_JOB_COST].u32[j];
        return number(cost == NO_ROW ? 0 : (double)k->c[C_COST_CHECKPOINT].i64[cost] / 1e6);
    }
    default: s = task_shape_of(y, j); break;
    }
    switch (f) {
    case POLICY_F_JOB_CPU: return number((double)k->c[C_SHAPE_REQ + LSCHED_CPU].i64[s] / 1000);
    case POLICY_F_JOB_MEMORY: return number((double)k->c[C_SHAPE_REQ + LSCHED_MEMORY].i64[s] / GIB);
    case POLICY_F_JOB_GPU: return number((double)k->c[C_SHAPE_REQ + LSCHED_GPU].i64[s] / 1000);
    default: return number((double)k->c[C_SHAPE_DEVICE_MEM].i64[s] / GIB);
    }
}

static union policy_value queue_field(const struct lsched_cycle *y, enum policy_field f,
                                      uint32_t q) {
    const struct columns *k = y->k;
    uint32_t parent = k->c[C_QUEUE_PARENT].u32[q];
    switch (f) {
    case POLICY_F_QUEUE_NAME:
        return (union policy_value){.text = name_text(k, k->c[C_QUEUE_NAME].u32[q])};
    case POLICY_F_QUEUE_PARENT:
        if (parent == NO_ROW) return (union policy_value){.text = {"", 0}};
        return (union policy_value){.text = name_text(k, k->c[C_QUEUE_NAME].u32[parent])};
    case POLICY_F_QUEUE_DEPTH: return number(k->c[C_QUEUE_DEPTH].u32[q]);
    case POLICY_F_QUEUE_PRIORITY: return number(k->c[C_QUEUE_PRIORITY].i32[q]);
    case POLICY_F_QUEUE_JOBS: return number((double)k->c[C_QUEUE_JOBS].u64[q]);
    case POLICY_F_QUEUE_JOBS_PENDING: return number((double)k->c[C_QUEUE_PENDING].u64[q]);
    case POLICY_F_QUEUE_CPU_USED:
        return number((double)k->c[C_QUEUE_USED + LSCHED_CPU].i64[q] / 1000);
    case POLICY_F_QUEUE_MEMORY_USED:
        return number((double)k->c[C_QUEUE_USED + LSCHED_MEMORY].i64[q] / GIB);
    case POLICY_F_QUEUE_GPU_USED:
        return number((double)k->c[C_QUEUE_USED + LSCHED_GPU].i64[q] / 1000);
    case POLICY_F_QUEUE_GPU_QUOTA:
        return number(amount_of(k->c[C_QUEUE_QUOTA + LSCHED_GPU].i64[q], 1000));
    case POLICY_F_QUEUE_CPU_QUOTA:
        return number(amount_of(k->c[C_QUEUE_QUOTA + LSCHED_CPU].i64[q], 1000));
    case POLICY_F_QUEUE_GPU_QUOTA_NOW:
        return number(amount_of(k->c[C_QUEUE_QUOTA_NOW + LSCHED_GPU].i64[q], 1000));
    case POLICY_F_QUEUE_GPU_LIMIT:
    case POLICY_F_QUEUE_GPU_LIMIT_NOW:
        return number(amount_of(k->c[C_QUEUE_LIMIT + LSCHED_GPU].i64[q], 1000));
    case POLICY_F_QUEUE_GPU_USED_DECAYED:
        return number((double)decay_spent(k, q, LSCHED_GPU, y->now) / (1000 * HOUR_US));
    default: return number(amount_of(k->c[C_QUEUE_QUOTA + LSCHED_MEMORY].i64[q], GIB));
    }
}

static union policy_value node_field(const struct columns *k, enum policy_field f, uint32_t n) {
    switch (f) {
    case POLICY_F_NODE_NAME:
        return (union policy_value){.text = name_text(k, k->c[C_NODE_NAME].u32[n])};
    case POLICY_F_NODE_CPU: return number((double)k->c[C_NODE_CAP + LSCHED_CPU].i64[n] / 1000);
    case POLICY_F_NODE_CPU_FREE:
        return number((double)k->c[C_NODE_FREE + LSCHED_CPU].i64[n] / 1000);
    case POLICY_F_NODE_MEMORY: return number((double)k->c[C_NODE_CAP + LSCHED_MEMORY].i64[n] / GIB);
    case POLICY_F_NODE_MEMORY_FREE:
        return number((double)k->c[C_NODE_FREE + LSCHED_MEMORY].i64[n] / GIB);
    case POLICY_F_NODE_GPU: return number(k->c[C_NODE_N_DEVICES].u8[n]);
    case POLICY_F_NODE_GPU_FREE:
        return number((double)k->c[C_NODE_FREE + LSCHED_GPU].i64[n] / 1000);
    case POLICY_F_NODE_GPU_WHOLE_FREE: return number(k->c[C_NODE_GPU_WHOLE].u8[n]);
    case POLICY_F_NODE_GPU_MODEL: {
        uint32_t d = k->c[C_NODE_DEVICE_FIRST].u32[n];
        if (k->c[C_NODE_N_DEVICES].u8[n] == 0) return (union policy_value){.text = {"", 0}};
        return (union policy_value){
            .text = name_text(k, intern_text(k, T_STRING, k->c[C_DEVICE_MODEL].u32[d]))};
    }
    case POLICY_F_NODE_TASKS: return number(k->c[C_NODE_TASKS].u32[n]);
    case POLICY_F_NODE_PRICE: return number((double)k->c[C_NODE_PRICE].i64[n] / 1e6);
    default: return number((double)k->c[C_NODE_POWER].i64[n] / 1000);
    }
}

/* The sum over nodes that take work. */
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

static void view_fill(void *engine, enum policy_field f, const uint32_t *rows, size_t n,
                      union policy_value *out) {
    const struct lsched_cycle *y = engine;
    switch (policy_field_infos[f].object) {
    case POLICY_JOB:
        for (size_t i = 0; i < n; i++) out[i] = job_field(y, f, rows[i]);
        break;
    case POLICY_QUEUE:
        for (size_t i = 0; i < n; i++) out[i] = queue_field(y, f, rows[i]);
        break;
    case POLICY_CLUSTER:
        for (size_t i = 0; i < n; i++) out[i] = number(cluster_field(y->k, f));
        break;
    default:
        for (size_t i = 0; i < n; i++) out[i] = node_field(y->k, f, rows[i]);
        break;
    }
}

static int view_label(void *engine, uint32_t node, const char *key, size_t key_len,
                      lsched_text *value) {
    const struct lsched_cycle *y = engine;
    return node_label(y->k, node, key, key_len, value);
}

static int view_interrupted(void *engine) {
    const struct lsched_cycle *y = engine;
    return y->c->interrupted != 0;
}

static void view_log(void *engine, const char *line, size_t len) {
    policy_log_add(&((struct lsched_cycle *)engine)->log, line, len);
}

void hooks_view(struct lsched_cycle *y, struct policy_view *view) {
    *view = (struct policy_view){y, (double)y->now / 1e6, view_fill, view_label, view_interrupted, view_log};
}

/* ---- score and filter for a search ---- */

static int32_t score_by_strategy(void *user, const struct search_key *key, const uint32_t *nodes,
                                 size_t n, int64_t *scores) {
    struct lsched_cycle *y = user;
    if (!y->place || !y->place->score) { /* no strategy: all nodes are equal, names decide */
        memset(scores, 0, n * sizeof *scores);
        return LSCHED_OK;
    }
    lsched_task_shape task;
    view_task_shape(y->k, key->shape, &task);
    return y->place->score(y->place_self, cycle_view(y), &task, nodes, n, scores);
}

static int64_t quantise(double v) {
    double q = v * 1048576.0;
    if (q >= 4.0e18) return (int64_t)4e18;
    if (q <= -4.0e18) return -(int64_t)4e18;
    return (int64_t)(q < 0 ? q - 0.5 : q + 0.5);
}

static int32_t score_by_policy(void *user, const struct search_key *key, const uint32_t *nodes,
                               size_t n, int64_t *scores) {
    struct lsched_cycle *y = user;
    struct policy_view view;
    lsched_error err = LSCHED_ERROR_INIT;
    double out[256];
    (void)key;
    hooks_view(y, &view);
    const struct policy *p = &y->c->policy.policy;
    for (size_t i = 0; i < n; i += 256) {
        size_t m = n - i < 256 ? n - i : 256;
        int32_t rc = p->ops->score(p->self, &view, y->job, nodes + i, m, out, &err);
        if (rc != LSCHED_OK) return hook_fail(y, LSCHED_HOOK_SCORE, rc, &err);
        for (size_t j = 0; j < m; j++) scores[i + j] = quantise(out[j]);
    }
    return LSCHED_OK;
}

/* Room later: a node that has it now before others; then the one that will have least left over, devices before cores; a task without devices keeps off nodes that have some. */
static int32_t score_by_tightness(void *user, const struct search_key *key, const uint32_t *nodes,
                                  size_t n, int64_t *scores) {
    const struct columns *k = ((struct lsched_cycle *)user)->k;
    for (size_t i = 0; i < n; i++) {
        int64_t gpu = k->c[C_NODE_FREE + LSCHED_GPU].i64[nodes[i]] +
                      k->c[C_NODE_COMING + LSCHED_GPU].i64[nodes[i]];
        int64_t cpu = k->c[C_NODE_FREE + LSCHED_CPU].i64[nodes[i]] +
                      k->c[C_NODE_COMING + LSCHED_CPU].i64[nodes[i]];
        int64_t rest = cpu < 0 ? 0 : cpu < (INT64_C(1) << 32) - 1 ? cpu : (INT64_C(1) << 32) - 1;
        scores[i] = -(gpu << 32) - rest;
        if (node_fits(k, nodes[i], key->shape)) scores[i] += INT64_C(1) << 56; /* no waiting */
    }
    return LSCHED_OK;
}

static int32_t keep_by_policy(void *user, const struct search_key *key, const uint32_t *nodes,
                              size_t n, uint8_t *keep) {
    struct lsched_cycle *y = user;
    struct policy_view view;
    lsched_error err = LSCHED_ERROR_INIT;
    (void)key;
    hooks_view(y, &view);
    const struct policy *p = &y->c->policy.policy;
    int32_t rc = p->ops->filter(p->self, &view, y->job, nodes, n, keep, &err);
    return rc == LSCHED_OK ? rc : hook_fail(y, LSCHED_HOOK_FILTER, rc, &err);
}

static uint64_t policy_spent(void *user) {
    const struct lsched_cycle *y = user;
    const struct policy *p = &y->c->policy.policy;
    return p->ops->instructions_spent(p->self);
}

static int32_t policy_charge(void *user, uint64_t instructions) {
    struct lsched_cycle *y = user;
    lsched_error err = LSCHED_ERROR_INIT;
    int by_score = hook_on(y, LSCHED_HOOK_SCORE);
    const struct policy *p = &y->c->policy.policy;
    int32_t rc = p->ops->charge(p->self, by_score ? POLICY_HOOK_SCORE : POLICY_HOOK_FILTER,
                                instructions, &err);
    return rc == LSCHED_OK
               ? rc
               : hook_fail(y, by_score ? LSCHED_HOOK_SCORE : LSCHED_HOOK_FILTER, rc, &err);
}

/* Where a queue of the path has used up its limit of a model: nodes that could give too few devices of other models go. What
 * the policy says comes first. */
static int32_t keep_within_models(void *user, const struct search_key *key, const uint32_t *nodes,
                                  size_t n, uint8_t *keep) {
    struct lsched_cycle *y = user;
    int32_t rc = LSCHED_OK;
    if (hook_on(y, LSCHED_HOOK_FILTER))
        rc = keep_by_policy(user, key, nodes, n, keep);
    else
        memset(keep, 1, n);
    for (size_t i = 0; rc == LSCHED_OK && i < n; i++)
        if (keep[i] && !derived_pick(y->k, nodes[i], key->shape, &y->model_short)) keep[i] = 0;
    return rc;
}

/* What of a job do the hooks about nodes look at: 0 shape only, 1 the queue too, 2 the job itself or the time, 3 what changes
 * with each of its tasks that is placed. */
static int depth_of_look(const struct lsched_cycle *y) {
    const struct policy_desc *d = &y->c->policy.policy.desc;
    static const struct {
        uint32_t hook, bit;
    } hooks[] = {{LSCHED_HOOK_FILTER, 4}, {LSCHED_HOOK_SCORE, 5}};
    int depth = 0;
    for (int h = 0; h < 2; h++) {
        if (!hook_on(y, hooks[h].hook)) continue;
        if (d->uses_now[hooks[h].bit] && depth < 2) depth = 2;
        for (uint32_t f = 0; f < POLICY_FIELDS; f++) {
            if (!(d->fields_read[hooks[h].bit][f / 64] >> (f % 64) & 1)) continue;
            const struct policy_field_info *info = &policy_field_infos[f];
            if (info->object != POLICY_JOB) continue;
            if (f == POLICY_F_JOB_TASKS_PLACED) return 3;
            if ((info->scope == POLICY_SCOPE_EACH || info->scope == POLICY_SCOPE_NOW) && depth < 2)
                depth = 2;
            if (f == POLICY_F_JOB_QUEUE && depth < 1) depth = 1;
            /* Sums over all groups differ between jobs that share a task shape. */
            if (f != POLICY_F_JOB_CPU && f != POLICY_F_JOB_MEMORY && f != POLICY_F_JOB_GPU &&
                f != POLICY_F_JOB_GPU_MEMORY && f != POLICY_F_JOB_QUEUE)
                return 2;
        }
    }
    return depth;
}

int hooks_per_job(const struct lsched_cycle *y) {
    return y->look >= 2;
}

void hooks_look(struct lsched_cycle *y) {
    y->look = depth_of_look(y);
}

void hooks_search(struct lsched_cycle *y, uint32_t group, struct search_key *key,
                  struct search_scorer *scorer) {
    const struct columns *k = y->k;
    uint32_t shape = group_shape(k, k->c[C_JOB_SHAPE].u32[y->job], group);
    *key = (struct search_key){k->c[C_SHAPE_SERIAL].u64[shape], shape, NO_ROW, NO_ROW, 0, y->later};
    if (y->look >= 1) key->queue = k->c[C_JOB_QUEUE].u32[y->job];
    if (y->look >= 2) key->job = y->job;
    *scorer = (struct search_scorer){.user = y, .score = score_by_strategy};
    if (y->later)
        scorer->score = score_by_tightness; /* strategies know only what is free now */
    else if (hook_on(y, LSCHED_HOOK_SCORE))
        scorer->score = score_by_policy;
    if (hook_on(y, LSCHED_HOOK_FILTER)) scorer->keep = keep_by_policy;
    if (scorer->keep || scorer->score == score_by_policy) {
        scorer->spent = policy_spent;
        scorer->charge = policy_charge;
    }
    if (derived_count(k) == 0 || y->later) return; /* where it is to be nominated, place checks */
    derived_find_short(k, k->c[C_JOB_QUEUE].u32[y->job], shape, &y->model_short);
    if (y->model_short.n == 0) return;
    key->shortage = derived_short_hash(k, &y->model_short);
    scorer->keep = keep_within_models;
    y->why.model_short = 1;
}
