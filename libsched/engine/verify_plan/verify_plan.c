/*
 * verify_plan.c -- see verify_plan.h.
 *
 * A cycle never frees room, because an evicted task keeps its room until it is gone. Suppose that a
 * node has less than 0 free of a resource kind after the cycle, and a placement of the cycle took
 * some of that kind. Then the placement made the free amount negative, or the amount was negative
 * before. The placement was an error in both cases.
 *
 * Limits are checked for the state after the plan, in which evicted tasks are no longer charged.
 * Limits are not checked for a task that was nominated earlier and is placed now, because the task
 * was charged when it was nominated. Since then, the orchestrator can have rejected an eviction,
 * and this can have brought the queue above its limit. verify_nodes.c checks that nominations fit
 * the room that will be free. verify_evictions.c checks which tasks evictions stop.
 */
#include "engine/verify_plan/verify_plan.h"

#include "engine/verify/verify_device.h"
#include "engine/verify_plan/verify_evictions.h"
#include "engine/verify_plan/verify_neighbours.h"
#include "engine/verify/verify_jobs.h"
#include "engine/verify/verify_node_rules.h"
#include "engine/verify/verify_read.h"
#include "engine/verify/verify_supplies.h"
#include "engine/verify_reserved/verify_reserved.h"
#include "engine/verify_plan/verify_warnings.h"
#include "engine/verify/verify_resource_part.h"
#include "model/store/index.h"

/* The state of a check. It marks the rows that the plan touches, so that each job and each node is
 * checked once, after all decisions. */
struct plan_check {
    struct check c;
    uint8_t *decision, *job;
    uint8_t *node;
    /* on[node]: devices of the node on which the plan places tasks */
    struct verify_devices *on;
    size_t at; /* position in the plan of the decision that is being checked */
    struct verify_decisions plan;
};
/* Marks of a node and of a job:
 *   TAKEN    a task of the job is placed or nominated; a task is placed on the node
 *   CLAIMED  a task is nominated for the node
 *   EVICTED  a task of the job is evicted for another reason than those below
 *   STALE    a task of the job is evicted because the job is a stale gang
 *   ENDED    a task of the job is ended because of its time limit, because it is idle, or because
 *            an allowance is spent */
enum { TAKEN = 1, CLAIMED = 2, EVICTED = 4, STALE = 8, ENDED = 16 };

static int32_t verify_plan_bad(struct plan_check *p, const char *what) {
    return check_fail(&p->c, "decision %zu of the plan: %s", p->at, what);
}

/* Returns the row of the object with the id, NO_ROW if no live object of the kind has this id. */
static uint32_t verify_plan_row_of(const struct columns *k, lsched_id id, uint32_t kind,
                                   uint32_t table, uint32_t gen) {
    uint32_t row = (uint32_t)id;
    int same = (uint32_t)(id >> 60) == kind && row_is_live(k, table, row) &&
               (uint32_t)(id >> 32 & LIMIT_GENERATION_MAX) == k->c[gen].u32[row];
    return same ? row : NO_ROW;
}

/* Compares the decision with the rows that it names: its task, job and node, what happens to the
 * task, and the reason. Returns a text that names the first difference, NULL if there is none. */
static const char *names_wrong(const struct columns *k, const lsched_decision *d, uint32_t task) {
    uint32_t job = k->c[C_TASK_JOB].u32[task], node = k->c[C_TASK_NODE].u32[task];
    if (verify_plan_row_of(k, d->job, LSCHED_KIND_JOB, T_JOB, C_JOB_GEN) != job)
        return "it names another job than the task's job";
    if (verify_plan_row_of(k, d->node, LSCHED_KIND_NODE, T_NODE, C_NODE_GEN) != node)
        return "it names another node than the task's node";
    if (d->job_tag != k->c[C_JOB_TAG].u64[job] || d->node_tag != k->c[C_NODE_TAG].u64[node])
        return "its tags are others";
    return d->task_index == k->c[C_TASK_INDEX].u32[task] &&
                   d->group_index == verify_group_of(k, task)
               ? NULL
               : "it names another task or group than the recorded decision";
}

/* True if the orchestrator asked for decisions of this kind in the latest cycle, whose plan this
 * is. */
static int is_asked_for(const struct columns *k, uint32_t kind) {
    uint64_t asked = meta(k, M_KINDS);
    if (asked == 0) return kind <= LSCHED_DECIDE_RESUME;
    return asked >> kind & 1;
}

static int plan_stops(uint32_t kind) {
    return kind == LSCHED_DECIDE_EVICT || kind == LSCHED_DECIDE_MIGRATE ||
           kind == LSCHED_DECIDE_CHECKPOINT;
}

/* Returns how long the task may write a checkpoint from the decision on, before it is told to stop:
 * also as a part of a move. */
static int64_t verify_plan_writes(const struct columns *k, const lsched_decision *d, uint32_t job) {
    uint32_t cost = k->c[C_JOB_COST].u32[job];
    if (cost == NO_ROW || !(meta(k, M_KINDS) >> LSCHED_DECIDE_CHECKPOINT & 1) ||
        d->reason == LSCHED_FOR_COLLISION || d->checkpoint != LSCHED_CHECKPOINT_NONE)
        return 0;
    return k->c[C_COST_CHECKPOINT_WAIT].i64[cost];
}

/* Checks whether the task is asked to write a checkpoint before it is evicted, for as long as its
 * job says. Returns a text that says what is wrong, NULL if nothing is. */
static const char *checkpoint_wrong(const struct columns *k, const lsched_decision *d,
                                    uint32_t job) {
    int64_t takes = verify_plan_writes(k, d, job);
    if (d->kind == LSCHED_DECIDE_EVICT && takes > 0)
        return "its task is evicted without time to write a checkpoint";
    if (d->kind != LSCHED_DECIDE_CHECKPOINT) return NULL;
    if (takes == 0) return "its task is asked for a checkpoint that its job cannot write";
    wide_i128 until = (wide_i128)d->proposed_us + takes;
    return d->until_us == (until > LSCHED_AMOUNT_MAX ? LSCHED_AMOUNT_MAX : (int64_t)until)
               ? NULL
               : "its task has another time to write a checkpoint than its job says";
}

/* True if the decision stops a task of a job that says how long its tasks take to stop, and another
 * time is expected. */
static int verify_plan_stops_late(const struct columns *k, const lsched_decision *d, uint32_t job) {
    uint32_t cost = k->c[C_JOB_COST].u32[job];
    int64_t takes = cost == NO_ROW ? 0 : k->c[C_COST_RELEASE].i64[cost];
    if (!plan_stops(d->kind) || takes == 0) return 0;
    wide_i128 gone = (wide_i128)d->proposed_us + takes + verify_plan_writes(k, d, job);
    return d->at_us != (gone > LSCHED_AMOUNT_MAX ? LSCHED_AMOUNT_MAX : (int64_t)gone);
}

static const char *purpose_wrong(const struct columns *k, const lsched_decision *d, uint32_t row,
                                 uint32_t to_node) {
    if (d->kind != k->c[C_DECISION_KIND].u8[row])
        return "its kind differs from the recorded decision";
    if (!is_asked_for(k, d->kind)) return "the orchestrator did not ask for decisions of its kind";
    if (d->state != k->c[C_DECISION_STATE].u8[row] || d->state != LSCHED_DECISION_PROPOSED ||
        d->proposed_us != k->c[C_DECISION_PROPOSED].i64[row])
        return "it is not a proposal of this cycle";
    if (d->reason != k->c[C_DECISION_REASON].u8[row] ||
        d->for_job != k->c[C_DECISION_FOR_JOB].u64[row] ||
        d->cost != k->c[C_DECISION_COST].i64[row])
        return "its reason is another";
    if ((d->kind == LSCHED_DECIDE_MIGRATE) != (to_node != NO_ROW) ||
        (d->kind != LSCHED_DECIDE_MIGRATE && d->to_node))
        return "it is a move, but its target node does not exist or is the node that it "
               "leaves";
    uint32_t job = k->c[C_TASK_JOB].u32[k->c[C_DECISION_TASK].u32[row]];
    if (d->checkpoint != k->c[C_DECISION_FOLLOWS].u8[row] || d->reserved_zero)
        return "it says another outcome of the checkpoint than the recorded decision";
    const char *wrong = checkpoint_wrong(k, d, job);
    if (wrong) return wrong;
    if (verify_plan_stops_late(k, d, job))
        return "its task is gone at another time than the one that its job takes to stop";
    int64_t until = k->c[C_DECISION_UNTIL].i64[row];
    if (d->until_us != (until ? until : LSCHED_NEVER_US)) return "its life is another";
    return d->group == k->c[C_DECISION_GROUP].u64[row] && d->at_us == k->c[C_DECISION_AT].i64[row]
               ? NULL
               : "its decision group or its time differs from the recorded decision";
}

/* Compares the devices in the decision with those that its task holds. Returns a text that names
 * the first difference, NULL if there is none. */
static const char *devices_wrong(const struct columns *k, const lsched_decision *d, uint32_t task) {
    uint32_t shape = verify_shape(k, task), node = k->c[C_TASK_NODE].u32[task], n = 0;
    struct verify_devices held = verify_devices_of(k, task);
    struct device_charge part = {0};
    int places = d->kind == LSCHED_DECIDE_PLACE || d->kind == LSCHED_DECIDE_NOMINATE;
    for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++) {
        if (!verify_has_device(&held, i)) continue;
        struct device_charge at = verify_device_charge(k, verify_device_row(k, node, i), shape);
        if (n++ == 0) part = at;
        if (places && !k->c[C_SHAPE_MIG_SLICES].u8[shape] && at.milli != part.milli)
            return "its devices do not all give the same share of a device";
    }
    int is_long = held.word[1] != 0 || held.word[0] > UINT32_MAX;
    if (d->device_words[0] != held.word[0] || d->device_words[1] != held.word[1] ||
        d->device_mask != (is_long ? 0 : held.word[0]) || d->device_milli != part.milli)
        return "its devices are others";
    return d->device_memory_bytes == part.memory
               ? NULL
               : "its device memory differs from what the task holds";
}

static const char *inside_wrong(const struct columns *k, const lsched_decision *d, uint32_t task) {
    return d->device_starts == verify_starts_of(k, task) &&
                   d->nic_mask == k->c[C_TASK_NICS].u16[task] &&
                   d->numa_mask == k->c[C_TASK_NUMA].u8[task] &&
                   d->alternative == k->c[C_LEAF_ALTERNATIVE].u8[k->c[C_TASK_LEAF].u32[task]] &&
                   d->recut_mask ==
                       (d->kind == LSCHED_DECIDE_PLACE ? k->c[C_TASK_RECUT].u16[task] : 0u)
               ? NULL
               : "its NUMA nodes and network cards differ from what the task holds";
}

static int32_t check_words(struct plan_check *p, const lsched_decision *d, uint32_t row,
                           uint32_t task) {
    const char *wrong = names_wrong(p->c.k, d, task);
    if (!wrong) wrong = purpose_wrong(p->c.k, d, row, p->plan.to_node[p->at]);
    if (!wrong) wrong = devices_wrong(p->c.k, d, task);
    if (!wrong) wrong = inside_wrong(p->c.k, d, task);
    return wrong ? verify_plan_bad(p, wrong) : LSCHED_OK;
}

static int32_t check_room(struct plan_check *p, uint32_t node) {
    const struct columns *k = p->c.k;
    struct check *c = &p->c;
    wide_i128 milli[LSCHED_DEVICES_PER_NODE_MAX];
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    if (k->c[C_NODE_STATE].u8[node] != LSCHED_NODE_READY)
        return check_fail(c, "the plan uses %s, which is not ready", NAME(T_NODE, node));
    if (verify_node_rules_crowd(k, node, p->node[node] & TAKEN))
        return check_fail(c, "the plan uses %s, which holds more tasks than allowed",
                          NAME(T_NODE, node));
    if (!(p->node[node] & TAKEN)) return LSCHED_OK;
    for (uint32_t r = 1; r < verify_kinds(k); r++)
        if (k->c[C_NODE_FREE + r].i64[node] < 0)
            return check_fail(c, "the plan uses %s, which has %lld of %s free", NAME(T_NODE, node),
                              (long long)k->c[C_NODE_FREE + r].i64[node], NAME(T_KIND, r));
    for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++) milli[i] = 0;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t])
        for (uint32_t i = 0; verify_holds(k, t) && i < k->c[C_NODE_N_DEVICES].u8[node]; i++) {
            struct verify_devices held = verify_devices_of(k, t);
            if (verify_has_device(&held, i))
                milli[i] += verify_device_charge(k, first + i, verify_shape(k, t)).milli;
        }
    for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++)
        if (verify_has_device(&p->on[node], i) &&
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
        if (used <= limit || verify_resource_part_held(k, task, d) == 0) continue;
        return check_fail(c, "%s is placed, but %s uses %lld of %s and its limit is %lld",
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
            return check_fail(c, "%s is placed, but %s uses %lld of %s and its limit is %lld",
                              NAME(T_TASK, task), NAME(T_QUEUE, q), (long long)used,
                              NAME(T_KIND, r), (long long)limit);
        }
        int32_t rc = check_part_limits(p, task, q);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

/* Checks a RESIZE. For each kind of which the task gets more than it has, its node must have room
 * now and after releasing and nominated tasks, and its queues must be within their limits. */
static int32_t check_resize(struct plan_check *p, uint32_t task) {
    const struct columns *k = p->c.k;
    uint32_t size = k->c[C_TASK_SIZE].u32[task], node = k->c[C_TASK_NODE].u32[task];
    if (size == 0) return LSCHED_OK; /* verify_resizes() refuses such a decision */
    for (uint32_t r = 1; r < verify_kinds(k); r++) {
        int64_t has = k->c[C_SHAPE_REQ + r].i64[k->c[C_RESIZE_REAL].u32[size - 1]],
                free = k->c[C_NODE_FREE + r].i64[node], coming = k->c[C_NODE_COMING + r].i64[node];
        if (verify_device_amount(k, task, r) <= has || r == LSCHED_GPU) continue;
        if (free < 0 || (coming < 0 && free + coming < 0))
            return verify_plan_bad(p, "its task gets more than its node has free");
        for (uint32_t q = verify_queue_of(k, task); q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q])
            if (k->c[C_QUEUE_LIMIT_NOW + r].i64[q] != LSCHED_UNLIMITED &&
                k->c[C_QUEUE_USED + r].i64[q] > k->c[C_QUEUE_LIMIT_NOW + r].i64[q])
                return verify_plan_bad(p, "its task gets more than the limit of a queue leaves");
    }
    return LSCHED_OK;
}

static uint32_t refusal_of(const struct columns *k, uint32_t of, uint32_t task, uint32_t node) {
    struct index_key key = index_key_refusal(of, k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[task]],
                                             verify_shape(k, task), node);
    uint32_t r = index_find(k, T_IX_REFUSAL, &key);
    return r != NO_ROW && k->c[C_REFUSAL_STATE].u8[r] ? r : NO_ROW;
}

/* Checks that the plan respects refusals. A task must not be placed on a node on which the
 * orchestrator rejected tasks of the same queue and shape, until that refusal ends. If all nodes
 * refused such tasks, only one decision group is allowed to try again. If `of` is 0, the function
 * checks refused placements. If `of` is 1, it checks refused nominations. */
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
        return verify_plan_bad(p, "all nodes refused such tasks, so only the decision group that "
                                  "was chosen for a new try may place them, and this is another");
    return LSCHED_OK;
}

/* True if a task of the job that starts at the time `from` can still run when its node is away, or
 * is reserved for other queues. Goes from one absence to the next, and takes the job's limit, or
 * else its estimate, as its run time. */
static int runs_into_absence(const struct columns *k, uint32_t job, uint32_t node, int64_t from) {
    int64_t runs = verify_neighbours_estimate(k, job), leaves = k->c[C_NODE_LEAVES].i64[node],
            back = k->c[C_NODE_BACK].i64[node], every = k->c[C_NODE_LEAVES_EVERY].i64[node];
    uint32_t watch = k->c[C_JOB_WATCH].u32[job];
    if (watch != NO_ROW && k->c[C_WATCH_LIMIT_NOW].i64[watch])
        runs = k->c[C_WATCH_LIMIT_NOW].i64[watch];
    if ((leaves == 0 && back == 0) || verify_reserved_admits(k, node, job)) return 0;
    if (back == 0) return runs == 0 || leaves - from < runs;
    if (from >= back && every == 0) return 0;
    int64_t since = from < leaves ? 0 : (from - leaves) % (every ? every : INT64_MAX);
    if (from >= leaves && since < back - leaves) return 1;
    int64_t until = from < leaves ? leaves - from : every - since;
    return runs == 0 || until < runs;
}

/* Returns when the task of the decision starts: now, or for a nomination when its room should be
 * free and all old tasks of its job should be gone. */
static int64_t start_of(const struct columns *k, uint32_t row, uint32_t task) {
    int64_t at = (int64_t)k->c[C_META_WORD].u64[M_NOW];
    if (k->c[C_TASK_STATE].u8[task] != LSCHED_TASK_NOMINATED) return at;
    if (k->c[C_DECISION_AT].i64[row] > at) at = k->c[C_DECISION_AT].i64[row];
    for (uint32_t t = 0; k->c[C_META_WORD].u64[M_ABSENCES] && t < table_rows(k, T_TASK); t++)
        if (row_is_live(k, T_TASK, t) && k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_RELEASING &&
            k->c[C_TASK_JOB].u32[t] == k->c[C_TASK_JOB].u32[task] && !k->c[C_TASK_STUCK].u8[t] &&
            k->c[C_TASK_RELEASE_AT].i64[t] > at)
            at = k->c[C_TASK_RELEASE_AT].i64[t];
    return at;
}

/* Checks that the node stays until the task has ended, that the table of slow-downs bars no
 * neighbour of the task, and that places of supplies have enough for the task that is placed or
 * nominated. Unless the room was nominated before, also checks that the
 * limits of queues have enough. */
static int32_t check_amounts_left(struct plan_check *p, const lsched_decision *d, uint32_t row,
                                  uint32_t task) {
    const struct columns *k = p->c.k;
    uint32_t node = k->c[C_TASK_NODE].u32[task];
    if (runs_into_absence(k, k->c[C_TASK_JOB].u32[task], node, start_of(k, row, task)))
        return verify_plan_bad(p, k->c[C_NODE_RESERVATION].u32[node] == NO_ROW
                                      ? "its node leaves before the task surely ends"
                                      : "its node is reserved for others before the task surely "
                                        "ends");
    int32_t rc = verify_neighbours(&p->c, task, d->kind == LSCHED_DECIDE_NOMINATE);
    if (rc == LSCHED_OK)
        rc = verify_supplies_placed(&p->c, task, d->kind == LSCHED_DECIDE_NOMINATE);
    if (rc != LSCHED_OK || p->c.k->c[C_DECISION_SEATED].u8[row]) return rc;
    return check_limits(p, task);
}

/* True if decisions of the kind are about a task that runs on where it is. */
static int stays_in_place(uint32_t kind) {
    return (kind >= LSCHED_DECIDE_SUSPEND && kind <= LSCHED_DECIDE_RESUME) ||
           kind == LSCHED_DECIDE_RESIZE || kind == LSCHED_DECIDE_WARN;
}

static int32_t check_in_place(struct plan_check *p, const lsched_decision *d, uint32_t row,
                              uint32_t task) {
    const char *wrong = d->kind == LSCHED_DECIDE_WARN ? verify_warning_wrong(p->c.k, row) : NULL;
    if (wrong) return verify_plan_bad(p, wrong);
    return d->kind == LSCHED_DECIDE_RESIZE ? check_resize(p, task) : LSCHED_OK;
}

static int32_t check_decision(struct plan_check *p, const lsched_decision *d) {
    const struct columns *k = p->c.k;
    uint32_t row = verify_plan_row_of(k, d->id, LSCHED_KIND_DECISION, T_DECISION, C_DECISION_GEN);
    if (row == NO_ROW)
        return verify_plan_bad(
            p,
            "its id names no open decision; verify a plan right after its cycle, with its cluster");
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
    if (d->checkpoint != LSCHED_CHECKPOINT_NONE) return LSCHED_OK; /* an earlier plan chose it */
    if (plan_stops(d->kind)) {
        int ends = d->reason == LSCHED_FOR_TIME_LIMIT || d->reason == LSCHED_FOR_IDLE ||
                   d->reason == LSCHED_FOR_ALLOWANCE;
        p->job[job] |= d->reason == LSCHED_FOR_STALE_GANG ? STALE : ends ? ENDED : EVICTED;
        return LSCHED_OK;
    }
    if (stays_in_place(d->kind)) return check_in_place(p, d, row, task);
    rc = check_refused(p, 0, row, task);
    if (rc == LSCHED_OK && d->kind == LSCHED_DECIDE_NOMINATE) rc = check_refused(p, 1, row, task);
    if (rc != LSCHED_OK) return rc;
    p->job[job] |= TAKEN;
    p->node[node] |= d->kind == LSCHED_DECIDE_PLACE ? TAKEN : CLAIMED;
    struct verify_devices held = verify_devices_of(k, task);
    for (uint32_t w = 0; w < 2 && d->kind == LSCHED_DECIDE_PLACE; w++)
        p->on[node].word[w] |= held.word[w];
    return check_amounts_left(p, d, row, task);
}

/* Checks the minimum of a job. A job that gets a place or a nomination must have its minimum. A job
 * that loses tasks must still have its minimum or hold no task. A stale gang must have no running
 * task, but it can have tasks that an earlier cycle placed and that have not started. */
static int32_t check_gang(struct plan_check *p, uint32_t job) {
    const struct columns *k = p->c.k;
    struct check *c = &p->c;
    uint32_t held[LSCHED_GROUPS_PER_JOB_MAX], placed = 0;
    verify_jobs_held(k, job, held);
    if (verify_jobs_satisfied(k, job, held)) return LSCHED_OK;
    /* the plan ends all tasks of the job, or the next cycle ends the other tasks */
    if (p->job[job] & ENDED) return LSCHED_OK;
    if (p->job[job] & TAKEN)
        return check_fail(c, "%s is placed below its minimum", NAME(T_JOB, job));
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        placed += p->job[job] & EVICTED ? k->c[C_LEAF_PLACED].u32[l] : k->c[C_LEAF_RUNNING].u32[l];
    if (placed == 0) return LSCHED_OK;
    return check_fail(c,
                      "the plan stops so many tasks of %s that %u are left, which is below its "
                      "minimum",
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

/* Checks that the decisions of each group are adjacent in the plan, as they are in the list of open
 * decisions. */
static int32_t verify_plan_check_groups(struct plan_check *p) {
    for (p->at = 1; p->at < p->plan.n; p->at++)
        if (p->c.k->c[C_DECISION_GROUP].u64[p->plan.row[p->at]] <
            p->c.k->c[C_DECISION_GROUP].u64[p->plan.row[p->at - 1]])
            return verify_plan_bad(
                p, "its decision group is earlier than that of the decision before it");
    return LSCHED_OK;
}

int32_t verify_plan_under(const struct columns *k, const struct verify_under *under,
                          const lsched_decision *decisions, size_t n, size_t elem,
                          lsched_error *err) {
    struct plan_check p = {{k, err, LSCHED_E_VERIFY}, NULL, NULL, NULL, NULL, 0,
                           {NULL, NULL, n, under}};
    size_t open = table_rows(k, T_DECISION), jobs = table_rows(k, T_JOB),
           nodes = table_rows(k, T_NODE);
    size_t bytes = n * 2 * sizeof(uint32_t) + nodes * sizeof *p.on + open + jobs + nodes + 2;
    if (n && (!decisions || elem < sizeof *decisions))
        return check_fail(&p.c, "the plan's decisions have %zu bytes; expected %zu", elem,
                          sizeof *decisions);
    p.on = alloc_zero(k->alloc, bytes);
    if (!p.on) return check_nomem(&p.c);
    p.plan.row = (uint32_t *)(p.on + nodes);
    p.plan.to_node = p.plan.row + n;
    p.node = (uint8_t *)(p.plan.to_node + n);
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
    if (rc == LSCHED_OK) rc = verify_warned(&p.c);
    alloc_free(k->alloc, p.on, bytes);
    return rc;
}
