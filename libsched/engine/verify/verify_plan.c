/*
 * verify_plan.c -- checks a plan against the state that it left: each decision agrees with the
 * objects that it names, none is given twice, and every placement was allowed.
 *
 * A cycle only takes room, because an evicted task keeps its room until it is gone. Therefore a
 * resource kind that is overdrawn at the end, and of which a placement took some, was overdrawn by
 * that placement or before it: both are wrong. Limits are checked at the end, when evicted tasks
 * are no longer charged. Limits are not checked for tasks that were nominated before and are
 * placed now: such a task was charged when it was nominated, and an eviction that the orchestrator
 * rejected since then may have brought its queue past a limit. verify_nodes.c checks that
 * nominations fit the room that will be free, and verify_evictions.c which tasks evictions may
 * stop.
 */
#include "engine/verify/verify.h"
#include "engine/verify/verify_parts.h"
#include "model/store/index.h"

/* The rows that the plan touches. Each job and each node is checked once, after all decisions. */
struct plan_check {
    struct check c;
    uint8_t *decision, *job;
    uint8_t *node;
    uint16_t *mask; /* by node: devices on which the plan places tasks */
    size_t at;      /* position of the current decision */
    struct verify_decisions plan;
};
/* Marks of a node (TAKEN: a task is placed; CLAIMED: a task is nominated) and of a job (TAKEN,
 * EVICTED, STALE, ENDED). */
enum { TAKEN = 1, CLAIMED = 2, EVICTED = 4, STALE = 8, ENDED = 16 };

static int32_t verify_plan_bad(struct plan_check *p, const char *what) {
    return check_fail(&p->c, "decision %zu of the plan: %s", p->at, what);
}

/* Returns the row that an id names, or NO_ROW if the id names no live object of the kind. */
static uint32_t verify_plan_row_of(const struct columns *k, lsched_id id, uint32_t kind,
                                   uint32_t table, uint32_t gen) {
    uint32_t row = (uint32_t)id;
    int same = (uint32_t)(id >> 60) == kind && row_is_live(k, table, row) &&
               (uint32_t)(id >> 32 & LIMIT_GENERATION_MAX) == k->c[gen].u32[row];
    return same ? row : NO_ROW;
}

static int32_t check_words(struct plan_check *p, const lsched_decision *d, uint32_t row,
                           uint32_t task) {
    const struct columns *k = p->c.k;
    uint32_t job = k->c[C_TASK_JOB].u32[task], node = k->c[C_TASK_NODE].u32[task],
             shape = verify_shape(k, task);
    if (verify_plan_row_of(k, d->job, LSCHED_KIND_JOB, T_JOB, C_JOB_GEN) != job)
        return verify_plan_bad(p, "its job is not the task's");
    if (verify_plan_row_of(k, d->node, LSCHED_KIND_NODE, T_NODE, C_NODE_GEN) != node)
        return verify_plan_bad(p, "its node is not the task's");
    if (d->job_tag != k->c[C_JOB_TAG].u64[job] || d->node_tag != k->c[C_NODE_TAG].u64[node])
        return verify_plan_bad(p, "its tags are others");
    if (d->task_index != k->c[C_TASK_INDEX].u32[task] ||
        d->group_index != k->c[C_LEAF_GROUP].u32[k->c[C_TASK_LEAF].u32[task]])
        return verify_plan_bad(p, "its task or group is another");
    if (d->kind != k->c[C_DECISION_KIND].u8[row])
        return verify_plan_bad(p, "it is of another kind");
    if (d->reserved_zero) return verify_plan_bad(p, "a word that must be zero is not");
    if (d->reason != k->c[C_DECISION_REASON].u8[row] ||
        d->for_job != k->c[C_DECISION_FOR_JOB].u64[row] ||
        d->cost != k->c[C_DECISION_COST].i64[row])
        return verify_plan_bad(p, "its reason is another");
    if ((d->kind == LSCHED_MIGRATE) != (p->plan.to_node[p->at] != NO_ROW) ||
        (d->kind != LSCHED_MIGRATE && d->to_node))
        return verify_plan_bad(p, "it moves to no node that is, or from where it stays");
    if (d->group != k->c[C_DECISION_GROUP].u64[row] || d->at_us != k->c[C_DECISION_AT].i64[row])
        return verify_plan_bad(p, "its group or time is another");
    uint32_t mask = k->c[C_TASK_MASK].u16[task];
    struct verify_part part = {0};
    if (mask)
        part = verify_part(k, k->c[C_NODE_DEVICE_FIRST].u32[node] + (uint32_t)__builtin_ctz(mask),
                           shape);
    int parts = k->c[C_SHAPE_MIG_SLICES].u8[shape] == 0;
    for (uint32_t m = mask; parts && m && (d->kind == LSCHED_PLACE || d->kind == LSCHED_NOMINATE);
         m &= m - 1)
        if (verify_part(k, k->c[C_NODE_DEVICE_FIRST].u32[node] + (uint32_t)__builtin_ctz(m), shape)
                .milli != part.milli)
            return verify_plan_bad(p, "its devices do not all give the same share");
    if (d->device_mask != mask || d->device_milli != part.milli)
        return verify_plan_bad(p, "its devices are others");
    if (d->device_memory_bytes != part.memory)
        return verify_plan_bad(p, "its device memory is another");
    if (d->device_starts != k->c[C_TASK_STARTS].u64[task] ||
        d->nic_mask != k->c[C_TASK_NICS].u16[task] || d->numa_mask != k->c[C_TASK_NUMA].u8[task] ||
        d->alternative != k->c[C_LEAF_ALTERNATIVE].u8[k->c[C_TASK_LEAF].u32[task]] ||
        d->recut_mask != (d->kind == LSCHED_PLACE ? k->c[C_TASK_RECUT].u16[task] : 0u))
        return verify_plan_bad(p, "what it takes inside its node is another");
    return LSCHED_OK;
}

static int32_t check_room(struct plan_check *p, uint32_t node) {
    const struct columns *k = p->c.k;
    struct check *c = &p->c;
    wide_i128 milli[LSCHED_DEVICES_PER_NODE_MAX] = {0};
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    if (k->c[C_NODE_STATE].u8[node] != LSCHED_NODE_READY)
        return check_fail(c, "the plan uses %s, which is not ready", NAME(T_NODE, node));
    if (verify_crowd(k, node, p->node[node] & TAKEN))
        return check_fail(c, "the plan uses %s, which holds more tasks than it may",
                          NAME(T_NODE, node));
    if (!(p->node[node] & TAKEN)) return LSCHED_OK;
    for (uint32_t r = 1; r < verify_kinds(k); r++)
        if (k->c[C_NODE_FREE + r].i64[node] < 0)
            return check_fail(c, "the plan uses %s, which has %lld of %s", NAME(T_NODE, node),
                              (long long)k->c[C_NODE_FREE + r].i64[node], NAME(T_KIND, r));
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t])
        for (uint32_t i = 0; verify_holds(k, t) && i < LSCHED_DEVICES_PER_NODE_MAX; i++)
            if (k->c[C_TASK_MASK].u16[t] >> i & 1)
                milli[i] += verify_part(k, first + i, verify_shape(k, t)).milli;
    for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++)
        if ((p->mask[node] >> i & 1) &&
            (milli[i] > 1000 || k->c[C_DEVICE_MEM_FREE].i64[first + i] < 0))
            return check_fail(c, "the plan uses device %u of %s, which is overfull", i,
                              NAME(T_NODE, node));
    return LSCHED_OK;
}

static int32_t check_part_limits(struct plan_check *p, uint32_t task, uint32_t q) {
    const struct columns *k = p->c.k;
    struct check *c = &p->c;
    for (uint32_t a = k->c[C_QUEUE_AMOUNTS].u32[q]; a != NO_ROW; a = k->c[C_QAMOUNT_NEXT].u32[a]) {
        uint32_t d = k->c[C_QAMOUNT_DERIVED].u32[a];
        int64_t limit = k->c[C_QAMOUNT_LIMIT_NOW].i64[a], used = k->c[C_QAMOUNT_USED].i64[a];
        if (used <= limit || verify_resource_parts_held(k, task, d) == 0) continue;
        return check_fail(c, "%s is placed while %s uses %lld of %s, limit %lld",
                          NAME(T_TASK, task), NAME(T_QUEUE, q), (long long)used, NAME(T_DERIVED, d),
                          (long long)limit);
    }
    return LSCHED_OK;
}

static int32_t check_limits(struct plan_check *p, uint32_t task) {
    const struct columns *k = p->c.k;
    struct check *c = &p->c;
    uint32_t shape = verify_shape(k, task);
    for (uint32_t q = k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[task]]; q != NO_ROW;
         q = k->c[C_QUEUE_PARENT].u32[q]) {
        for (uint32_t r = 1; r < verify_kinds(k); r++) {
            int64_t limit = k->c[C_QUEUE_LIMIT_NOW + r].i64[q],
                    used = k->c[C_QUEUE_USED + r].i64[q];
            if (k->c[C_SHAPE_REQ + r].i64[shape] == 0 || limit == LSCHED_UNLIMITED || used <= limit)
                continue;
            return check_fail(c, "%s is placed while %s uses %lld of %s, limit %lld",
                              NAME(T_TASK, task), NAME(T_QUEUE, q), (long long)used,
                              NAME(T_KIND, r), (long long)limit);
        }
        int32_t rc = check_part_limits(p, task, q);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

static uint32_t refusal_of(const struct columns *k, uint32_t of, uint32_t task, uint32_t node) {
    struct index_key key = index_key_refusal(of, k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[task]],
                                             verify_shape(k, task), node);
    uint32_t r = index_find(k, T_IX_REFUSAL, &key);
    return r != NO_ROW && k->c[C_REFUSAL_STATE].u8[r] ? r : NO_ROW;
}

/* Checks that a task is not placed on a node where the orchestrator rejected tasks of its queue
 * and shape, while that refusal lasts. If all nodes refused such tasks, only one transaction may
 * try again. The value 1 for `of` checks the same for nominations that the orchestrator
 * rejected. */
static int32_t check_refused(struct plan_check *p, uint32_t of, uint32_t row, uint32_t task) {
    const struct columns *k = p->c.k;
    uint32_t head = refusal_of(k, of, task, NO_ROW);
    if (refusal_of(k, of, task, k->c[C_TASK_NODE].u32[task]) != NO_ROW)
        return verify_plan_bad(p, "its node refuses such tasks");
    if (head == NO_ROW) return LSCHED_OK;
    if (k->c[C_REFUSAL_STATE].u8[head] == 1)
        return verify_plan_bad(p, "all nodes refuse such tasks");
    if (k->c[C_DECISION_GROUP].u64[row] != k->c[C_REFUSAL_PROBE].u64[head] &&
        !k->c[C_DECISION_SEATED].u8[row])
        return verify_plan_bad(p, "another goes first of those that all nodes refused");
    return LSCHED_OK;
}

static int32_t check_decision(struct plan_check *p, const lsched_decision *d) {
    const struct columns *k = p->c.k;
    uint32_t row = verify_plan_row_of(k, d->id, LSCHED_KIND_DECISION, T_DECISION, C_DECISION_GEN);
    if (row == NO_ROW) return verify_plan_bad(p, "its id names no open decision");
    if (p->decision[row]) return verify_plan_bad(p, "it is in the plan twice");
    uint32_t task = k->c[C_DECISION_TASK].u32[row], job = k->c[C_TASK_JOB].u32[task],
             node = k->c[C_TASK_NODE].u32[task];
    if (!verify_is_on_node(k, task)) return verify_plan_bad(p, "its task is on no node");
    p->decision[row] = 1;
    p->plan.row[p->at] = row;
    p->plan.to_node[p->at] =
        verify_plan_row_of(k, d->to_node, LSCHED_KIND_NODE, T_NODE, C_NODE_GEN);
    int32_t rc = check_words(p, d, row, task);
    if (rc != LSCHED_OK) return rc;
    if (d->kind == LSCHED_EVICT || d->kind == LSCHED_MIGRATE) {
        int ends = d->reason == LSCHED_FOR_TIME_LIMIT || d->reason == LSCHED_FOR_IDLE;
        p->job[job] |= d->reason == LSCHED_FOR_STALE_GANG ? STALE : ends ? ENDED : EVICTED;
        return LSCHED_OK;
    }
    if (d->kind >= LSCHED_SUSPEND && d->kind <= LSCHED_RESUME) return LSCHED_OK;
    rc = check_refused(p, 0, row, task);
    if (rc == LSCHED_OK && d->kind == LSCHED_NOMINATE) rc = check_refused(p, 1, row, task);
    if (rc != LSCHED_OK) return rc;
    p->job[job] |= TAKEN;
    p->node[node] |= d->kind == LSCHED_PLACE ? TAKEN : CLAIMED;
    if (d->kind == LSCHED_PLACE) p->mask[node] |= k->c[C_TASK_MASK].u16[task];
    return k->c[C_DECISION_SEATED].u8[row] ? LSCHED_OK : check_limits(p, task);
}

/* Checks the minimum of a job. A job that gets a place has its minimum. A job that loses tasks
 * still has its minimum or holds nothing. A stale gang has no running task; tasks that an earlier
 * cycle placed and that have not started are left to the orchestrator. */
static int32_t check_gang(struct plan_check *p, uint32_t job) {
    const struct columns *k = p->c.k;
    struct check *c = &p->c;
    uint32_t held[LSCHED_GROUPS_PER_JOB_MAX], placed = 0;
    verify_held(k, job, held);
    if (verify_satisfied(k, job, held)) return LSCHED_OK;
    /* the plan ends the whole job, or the next cycle ends its other tasks */
    if (p->job[job] & ENDED) return LSCHED_OK;
    if (p->job[job] & TAKEN)
        return check_fail(c, "%s is placed below its minimum", NAME(T_JOB, job));
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        placed += p->job[job] & EVICTED ? k->c[C_LEAF_PLACED].u32[l] : k->c[C_LEAF_RUNNING].u32[l];
    if (placed == 0) return LSCHED_OK;
    return check_fail(c, "of %s so much is stopped that %u tasks are left, below its minimum",
                      NAME(T_JOB, job), placed);
}

static int32_t check_touched(struct plan_check *p) {
    const struct columns *k = p->c.k;
    int32_t rc = LSCHED_OK;
    for (uint32_t node = 0; node < table_rows(k, T_NODE) && rc == LSCHED_OK; node++)
        if (p->node[node]) rc = check_room(p, node);
    for (uint32_t job = 0; job < table_rows(k, T_JOB) && rc == LSCHED_OK; job++)
        if (p->job[job]) rc = check_gang(p, job);
    return rc;
}

/* Checks that the decisions of one group are adjacent in the plan, as in the list of open
 * decisions. */
static int32_t verify_plan_check_groups(struct plan_check *p) {
    for (p->at = 1; p->at < p->plan.n; p->at++)
        if (p->c.k->c[C_DECISION_GROUP].u64[p->plan.row[p->at]] <
            p->c.k->c[C_DECISION_GROUP].u64[p->plan.row[p->at - 1]])
            return verify_plan_bad(p, "it is of an earlier group than the one before");
    return LSCHED_OK;
}

int32_t verify_plan_under(const struct columns *k, const struct verify_under *under,
                          const lsched_decision *decisions, size_t n, size_t elem,
                          lsched_error *err) {
    struct plan_check p = {{k, err, LSCHED_E_VERIFY}, NULL, NULL, NULL, NULL, 0,
                           {NULL, NULL, n, under}};
    size_t open = table_rows(k, T_DECISION), jobs = table_rows(k, T_JOB),
           nodes = table_rows(k, T_NODE);
    size_t bytes = n * 2 * sizeof(uint32_t) + nodes * 2 + open + jobs + nodes + 2;
    if (n && (!decisions || elem < sizeof *decisions))
        return check_fail(&p.c, "decisions of %zu bytes, expected %zu", elem, sizeof *decisions);
    p.plan.row = alloc_zero(k->alloc, bytes);
    if (!p.plan.row) return check_nomem(&p.c);
    p.plan.to_node = p.plan.row + n;
    p.mask = (uint16_t *)(p.plan.to_node + n);
    p.node = (uint8_t *)(p.mask + nodes);
    p.decision = p.node + nodes;
    p.job = p.decision + open;
    int32_t rc = LSCHED_OK;
    for (p.at = 0; p.at < n && rc == LSCHED_OK; p.at++) {
        lsched_decision d;
        memcpy(&d, (const char *)decisions + p.at * elem, sizeof d);
        rc = check_decision(&p, &d);
    }
    if (rc == LSCHED_OK) rc = verify_plan_check_groups(&p);
    if (rc == LSCHED_OK) rc = check_touched(&p);
    if (rc == LSCHED_OK) rc = verify_evictions(&p.c, &p.plan);
    alloc_free(k->alloc, p.plan.row, bytes);
    return rc;
}
