/*
 * verify_tasks.c -- see verify_tasks.h.
 *
 * A task that the scheduler placed must satisfy all these rules for as long as it holds room,
 * because models and sharing modes of a node do not change while the node exists. The only
 * exceptions are labels and taints (of nodes and devices), because they can change later
 * (verify_node_rules.c). It is not checked whether an imported task is on an allowed node. Such a
 * task is marked, and only the room that it holds is counted.
 */
#include "engine/verify/verify_tasks.h"

#include "engine/verify/verify_device.h"
#include "engine/verify/verify_node_rules.h"
#include "engine/verify/verify_read.h"

/* ---- devices ---- */

static int model_is_allowed(const struct columns *k, uint32_t shape, uint32_t device) {
    uint32_t n = k->c[C_SHAPE_N_MODELS].u32[shape];
    const uint32_t *models = n ? text_bytes(k, k->c[C_SHAPE_MODELS].u32[shape]) : NULL;
    int good = n == 0;
    for (uint32_t i = 0; i < n; i++) good |= models[i] == k->c[C_DEVICE_MODEL].u32[device];
    return good;
}

static int32_t check_devices(struct check *c, uint32_t task) {
    const struct columns *k = c->k;
    uint32_t shape = verify_shape(k, task), node = k->c[C_TASK_NODE].u32[task], n = 0;
    struct verify_devices held = verify_devices_of(k, task);
    for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++) {
        uint32_t d = k->c[C_NODE_DEVICE_FIRST].u32[node] + i;
        if (!verify_has_device(&held, i)) continue;
        n++;
        if (!model_is_allowed(k, shape, d))
            return check_fail(c,
                              "%s is on device %u of %s, which has a model that it did not ask for",
                              NAME(T_TASK, task), i, NAME(T_NODE, node));
        if (!verify_device_charge(k, d, shape).may)
            return check_fail(c,
                              "%s has a part of device %u of %s, which does not allow such sharing",
                              NAME(T_TASK, task), i, NAME(T_NODE, node));
    }
    if (n != k->c[C_SHAPE_DEVICES].u32[shape])
        return check_fail(c, "%s asked for %u devices, but has %u", NAME(T_TASK, task),
                          k->c[C_SHAPE_DEVICES].u32[shape], n);
    return LSCHED_OK;
}

/* ---- one task ---- */

static int32_t check_held(struct check *c, uint32_t task) {
    const struct columns *k = c->k;
    uint32_t node = k->c[C_TASK_NODE].u32[task];
    int leaves = verify_state_of(k, task) == LSCHED_TASK_RELEASING;
    if (!leaves && (k->c[C_TASK_STUCK].u8[task] || k->c[C_TASK_RELEASE_AT].i64[task]))
        return check_fail(c, "%s is not releasing, but it has a time at which it should be gone",
                          NAME(T_TASK, task));
    if (k->c[C_TASK_IMPORTED].u8[task]) {
        if (k->c[C_TASK_STRAY].u8[task])
            return check_fail(c, "%s is imported, but it is marked as unwelcome",
                              NAME(T_TASK, task));
        if (!leaves && verify_state_of(k, task) != LSCHED_TASK_RUNNING &&
            k->c[C_TASK_DECISION].u32[task] != NO_ROW)
            return check_fail(c, "%s is imported, but it has a decision", NAME(T_TASK, task));
        return LSCHED_OK;
    }
    if (k->c[C_TASK_EXCESS].u8[task])
        return check_fail(c, "%s is marked as excess, but not as imported", NAME(T_TASK, task));
    int node_allows = verify_node_rules_allow(k, node, verify_shape(k, task)),
        devices_allow = verify_node_rules_devices_allow(k, task);
    if (k->c[C_TASK_STRAY].u8[task] && node_allows && devices_allow)
        return check_fail(c, "%s is marked as unwelcome on %s, but its labels and taints allow it",
                          NAME(T_TASK, task), NAME(T_NODE, node));
    if (!k->c[C_TASK_STRAY].u8[task] && !node_allows)
        return check_fail(c, "%s is on %s, whose labels or taints do not allow it",
                          NAME(T_TASK, task), NAME(T_NODE, node));
    if (!k->c[C_TASK_STRAY].u8[task] && !devices_allow)
        return check_fail(c, "%s holds a device of %s with a taint that does not allow it",
                          NAME(T_TASK, task), NAME(T_NODE, node));
    return check_devices(c, task);
}

/* Checks that a task without room on a node names no node, devices, marks or usage. */
static int32_t check_idle(struct check *c, uint32_t task) {
    const struct columns *k = c->k;
    if (k->c[C_TASK_NODE].u32[task] != NO_ROW || k->c[C_TASK_MASK].u64[task] ||
        k->c[C_TASK_STARTS].u64[task] || k->c[C_TASK_EXCESS].u8[task] ||
        k->c[C_TASK_IMPORTED].u8[task] || k->c[C_TASK_STRAY].u8[task] ||
        k->c[C_TASK_OUT].u8[task] || k->c[C_TASK_STUCK].u8[task] ||
        k->c[C_TASK_RELEASE_AT].i64[task] || k->c[C_TASK_USAGE].u32[task] != NO_ROW)
        return check_fail(c, "%s holds nothing, but it names a node, devices, a mark or usage",
                          NAME(T_TASK, task));
    return LSCHED_OK;
}

/* True if the task's mark for lack of device memory agrees with the kind of its open decision. A
 * task that a decision pauses or suspends has the mark from the decision on. A task that a decision
 * resumes keeps the mark until it has resumed. */
static int out_agrees(uint32_t out, uint32_t kind) {
    return kind == LSCHED_DECIDE_PAUSE ? out == LSCHED_MEMORY_STATE_PAUSED
           : kind == LSCHED_DECIDE_SUSPEND
               ? out == LSCHED_MEMORY_STATE_SWAPPED
               : kind == LSCHED_DECIDE_RESUME && out > LSCHED_MEMORY_STATE_RETURNING;
}

/* True if the task's state agrees with its open decision. A placed or nominated task has a decision
 * until the decision is settled. An evicted task also has a decision, unless the eviction was
 * imported. */
static int decision_agrees(const struct columns *k, uint32_t task) {
    uint32_t d = k->c[C_TASK_DECISION].u32[task], kind = 0, state = 0;
    if (d != NO_ROW) {
        kind = k->c[C_DECISION_KIND].u8[d];
        state = k->c[C_DECISION_STATE].u8[d];
    }
    switch (verify_state_of(k, task)) {
    case LSCHED_TASK_PROPOSED:
        return kind == LSCHED_DECIDE_PLACE && state == LSCHED_DECISION_PROPOSED;
    case LSCHED_TASK_CONFIRMED:
        return kind == LSCHED_DECIDE_PLACE && state == LSCHED_DECISION_CONFIRMED;
    case LSCHED_TASK_NOMINATED: return kind == LSCHED_DECIDE_NOMINATE;
    case LSCHED_TASK_RELEASING:
        return d == NO_ROW || kind == LSCHED_DECIDE_EVICT || kind == LSCHED_DECIDE_MIGRATE ||
               kind == LSCHED_DECIDE_CHECKPOINT;
    case LSCHED_TASK_RUNNING:
        if (d == NO_ROW || kind == LSCHED_DECIDE_RESIZE || kind == LSCHED_DECIDE_WARN)
            return state != LSCHED_DECISION_CONFIRMED &&
                   k->c[C_TASK_OUT].u8[task] <= LSCHED_MEMORY_STATE_SWAPPED;
        return state == LSCHED_DECISION_PROPOSED && out_agrees(k->c[C_TASK_OUT].u8[task], kind);
    default: return d == NO_ROW;
    }
}

/* Checks a task that is marked as out of device memory. It must be running or releasing, on a
 * device under memory pressure. */
static int32_t check_out(struct check *c, uint32_t task) {
    const struct columns *k = c->k;
    uint32_t out = k->c[C_TASK_OUT].u8[task], state = verify_state_of(k, task);
    if (out == LSCHED_MEMORY_STATE_NORMAL) return LSCHED_OK;
    struct verify_devices held = verify_devices_of(k, task);
    for (uint32_t r = 0; r < table_rows(k, T_COLLISION); r++)
        if (row_is_live(k, T_COLLISION, r) &&
            k->c[C_COLLISION_NODE].u32[r] == k->c[C_TASK_NODE].u32[task] &&
            verify_has_device(&held, k->c[C_COLLISION_DEVICE].u32[r]) &&
            (state == LSCHED_TASK_RUNNING ||
             (state == LSCHED_TASK_RELEASING && out <= LSCHED_MEMORY_STATE_SWAPPED)))
            return LSCHED_OK;
    return check_fail(c,
                      "%s has memory state %u in task state %u; expected a running or releasing "
                      "task on a device that ran out of memory",
                      NAME(T_TASK, task), out, state);
}

static int32_t check_usage(struct check *c, uint32_t task) {
    const struct columns *k = c->k;
    uint32_t seen = 0;
    for (uint32_t u = k->c[C_TASK_USAGE].u32[task]; u != NO_ROW; u = k->c[C_USAGE_NEXT].u32[u]) {
        uint32_t bit = 1u << k->c[C_USAGE_KIND].u32[u];
        if (seen & bit)
            return check_fail(c, "%s has two usage samples of one kind", NAME(T_TASK, task));
        seen |= bit;
    }
    return LSCHED_OK;
}

static int32_t verify_tasks_check_task(struct check *c, uint32_t task) {
    const struct columns *k = c->k;
    int32_t rc = check_out(c, task);
    if (rc != LSCHED_OK) return rc;
    uint32_t d = k->c[C_TASK_DECISION].u32[task];
    if (!decision_agrees(k, task))
        return check_fail(
            c,
            "%s is in state %u, which does not go with its decision of kind %u in state "
            "%u (0: no decision)",
            NAME(T_TASK, task), verify_state_of(k, task),
            d == NO_ROW ? 0 : k->c[C_DECISION_KIND].u8[d],
            d == NO_ROW ? 0 : k->c[C_DECISION_STATE].u8[d]);
    rc = verify_is_on_node(k, task) ? check_held(c, task) : check_idle(c, task);
    return rc == LSCHED_OK ? check_usage(c, task) : rc;
}

/* ---- decisions ---- */

/* Checks the reason, the cost and the time of a decision:
 *   - Only an eviction can have a cost or name a job that gets the room.
 *   - An eviction takes effect at the time at which the task is expected to be gone.
 *   - A decision to pause, suspend or resume a task has the reason memory pressure.
 *   - Any other decision that is not an eviction has no reason. */
static int32_t check_purpose(struct check *c, uint32_t d) {
    const struct columns *k = c->k;
    uint32_t task = k->c[C_DECISION_TASK].u32[d], kind = k->c[C_DECISION_KIND].u8[d],
             reason = k->c[C_DECISION_REASON].u8[d];
    uint64_t for_job = k->c[C_DECISION_FOR_JOB].u64[d];
    int64_t cost = k->c[C_DECISION_COST].i64[d], at = k->c[C_DECISION_PROPOSED].i64[d],
            gone = k->c[C_TASK_RELEASE_AT].i64[task];
    int evicts = kind == LSCHED_DECIDE_EVICT || kind == LSCHED_DECIDE_MIGRATE ||
                 kind == LSCHED_DECIDE_CHECKPOINT;
    if (kind != LSCHED_DECIDE_PLACE && k->c[C_DECISION_SEATED].u8[d])
        return check_fail(c, "the decision on %s is of kind %u, but it was a nomination before",
                          NAME(T_DECISION, d), kind);
    if (kind >= LSCHED_DECIDE_SUSPEND && kind <= LSCHED_DECIDE_RESUME) {
        if (reason == LSCHED_FOR_COLLISION && cost == 0 && for_job == 0) return LSCHED_OK;
        return check_fail(
            c,
            "the decision on %s relieves memory pressure, but has the reason %u and the "
            "cost %lld",
            NAME(T_DECISION, d), reason, (long long)cost);
    }
    if (evicts != (reason != LSCHED_FOR_NONE) || cost < 0 || (!evicts && (cost || for_job)))
        return check_fail(
            c,
            "the decision on %s of kind %u has the reason %u and the cost %lld, which do "
            "not go together",
            NAME(T_DECISION, d), kind, reason, (long long)cost);
    if (for_job && for_job >> 60 != LSCHED_KIND_JOB)
        return check_fail(c, "the decision on %s is for an id that is not a job",
                          NAME(T_DECISION, d));
    if (evicts && k->c[C_DECISION_AT].i64[d] != (gone > at ? gone : at))
        return check_fail(
            c, "the decision on %s takes effect at %lld, but the task is gone at %lld",
            NAME(T_DECISION, d), (long long)k->c[C_DECISION_AT].i64[d], (long long)gone);
    return LSCHED_OK;
}

/* Checks a CHECKPOINT. It has a time from which on an EVICT follows. If it is written, this time
 * has come. A task that must leave a device without memory is not asked for one. */
static int32_t check_checkpoint(struct check *c, uint32_t d) {
    const struct columns *k = c->k;
    int64_t until = k->c[C_DECISION_UNTIL].i64[d], now = (int64_t)meta(k, M_NOW);
    int written = k->c[C_DECISION_STATE].u8[d] == LSCHED_DECISION_CONFIRMED;
    if (until <= 0 || (written && until > (now > 0 ? now : 1)))
        return check_fail(c,
                          "the decision on %s asks for a checkpoint in state %u, and the eviction "
                          "follows at %lld; now is %lld",
                          NAME(T_DECISION, d), k->c[C_DECISION_STATE].u8[d], (long long)until,
                          (long long)now);
    if (k->c[C_DECISION_REASON].u8[d] == LSCHED_FOR_COLLISION)
        return check_fail(
            c,
            "the decision on %s asks for a checkpoint, although its device ran out of "
            "memory",
            NAME(T_DECISION, d));
    return LSCHED_OK;
}

/* Checks the life of a decision. Only a proposal that needs a settlement can have one. The latest
 * cycle has withdrawn the proposals whose life ended before it. The decisions of a group that have
 * a life have the same one, unless a later cycle made them: *of_group is that of the earlier ones,
 * 0 if none has a life. */
static int32_t check_life(struct check *c, uint32_t d, int64_t *of_group) {
    const struct columns *k = c->k;
    int64_t until = k->c[C_DECISION_UNTIL].i64[d];
    if (k->c[C_DECISION_KIND].u8[d] != LSCHED_DECIDE_EVICT && k->c[C_DECISION_FOLLOWS].u8[d])
        return check_fail(c, "the decision on %s is of kind %u, but it follows a checkpoint",
                          NAME(T_DECISION, d), k->c[C_DECISION_KIND].u8[d]);
    if (k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_CHECKPOINT) return check_checkpoint(c, d);
    if (until == 0) return LSCHED_OK;
    if (k->c[C_DECISION_STATE].u8[d] != LSCHED_DECISION_PROPOSED ||
        k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_NOMINATE)
        return check_fail(
            c, "the decision on %s has a life until %lld, but it is of kind %u in state %u",
            NAME(T_DECISION, d), (long long)until, k->c[C_DECISION_KIND].u8[d],
            k->c[C_DECISION_STATE].u8[d]);
    if (until <= (int64_t)meta(k, M_SCHEDULED))
        return check_fail(
            c,
            "the decision on %s has a life until %lld, which ended before the latest cycle at %lld",
            NAME(T_DECISION, d), (long long)until, (long long)meta(k, M_SCHEDULED));
    /* a later cycle can have made it from a CHECKPOINT or a nomination, with a life of its own */
    if (k->c[C_DECISION_FOLLOWS].u8[d] || k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_PLACE)
        return LSCHED_OK;
    if (*of_group != 0 && *of_group != until)
        return check_fail(c,
                          "the decision on %s has a life until %lld, but another decision of its "
                          "group until %lld",
                          NAME(T_DECISION, d), (long long)until, (long long)*of_group);
    *of_group = until;
    return LSCHED_OK;
}

/* Checks the list of open decisions. The oldest decision must come first, and the decisions of one
 * group must be adjacent. Each group number must be one that the cluster has assigned. */
static int32_t verify_tasks_check_decisions(struct check *c) {
    const struct columns *k = c->k;
    int64_t last = INT64_MIN, life = 0;
    uint64_t last_group = 1;
    for (uint32_t d = (uint32_t)meta(k, M_OPEN_HEAD); d != NO_ROW;
         d = k->c[C_DECISION_NEXT].u32[d]) {
        int64_t at = k->c[C_DECISION_PROPOSED].i64[d];
        uint64_t group = k->c[C_DECISION_GROUP].u64[d];
        int follows = k->c[C_DECISION_FOLLOWS].u8[d] != LSCHED_CHECKPOINT_NONE;
        if ((at < last && !follows) || at > (int64_t)meta(k, M_NOW) ||
            k->c[C_DECISION_AT].i64[d] < at)
            return check_fail(
                c,
                "the decision on %s was proposed at %lld for %lld, but the decision before "
                "it was proposed at %lld, and now is %lld",
                NAME(T_DECISION, d), (long long)at, (long long)k->c[C_DECISION_AT].i64[d],
                (long long)last, (long long)meta(k, M_NOW));
        if (group < last_group || group > meta(k, M_GROUP_SERIAL))
            return check_fail(
                c,
                "the decision on %s is in decision group %llu; expected a group from %llu to "
                "%llu",
                NAME(T_DECISION, d), (unsigned long long)group, (unsigned long long)last_group,
                (unsigned long long)meta(k, M_GROUP_SERIAL));
        if (group != last_group) life = 0;
        last_group = group;
        int warns = k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_WARN; /* see check_warnings.c */
        int32_t rc = warns ? LSCHED_OK : check_purpose(c, d);
        if (rc == LSCHED_OK) rc = check_life(c, d, &life);
        if (rc != LSCHED_OK) return rc;
        if (!follows) last = at;
    }
    return LSCHED_OK;
}

/* ---- topology ---- */

/* Checks the task's group and all groups above it. If a group requires a topology level, all its
 * tasks must be in one domain of that level. */
static int32_t check_required(struct check *c, uint32_t task, uint32_t *domain) {
    const struct columns *k = c->k;
    uint32_t job = k->c[C_TASK_JOB].u32[task], g = verify_group_of(k, task),
             node = k->c[C_TASK_NODE].u32[task];
    for (;; g = k->c[C_GROUP_PARENT].u32[verify_group_row(k, job, g)]) {
        uint32_t row = verify_group_row(k, job, g), level = k->c[C_GROUP_REQUIRED].u32[row];
        if (level != NO_ROW) {
            uint32_t d = verify_domain(k, node, k->c[C_GROUP_TOPOLOGY].u32[row], level);
            if (d == NO_ROW || (domain[g] != NO_ROW && domain[g] != d))
                return check_fail(c, "%s is on %s, outside the required domain of its group %u",
                                  NAME(T_TASK, task), NAME(T_NODE, node), g);
            domain[g] = d;
        }
        if (g == 0) return LSCHED_OK;
    }
}

/* Checks the task blocks (slices) of a leaf group. All tasks of a block that the scheduler placed
 * must be in one domain of the block's level. at[block] is scratch space for the row of that
 * domain. */
static int32_t check_slices_of(struct check *c, uint32_t leaf, uint32_t level, uint32_t tasks,
                               uint32_t *at) {
    const struct columns *k = c->k;
    uint32_t row = verify_group_row(k, k->c[C_LEAF_JOB].u32[leaf], k->c[C_LEAF_GROUP].u32[leaf]);
    size_t slices = k->c[C_GROUP_SPAN].u32[row] / tasks;
    if (at && slices) memset(at, 0xFF, slices * sizeof *at);
    for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[leaf]; t != NO_ROW;
         t = k->c[C_TASK_NEXT].u32[t]) {
        if (!verify_placed(k, t) || k->c[C_TASK_IMPORTED].u8[t]) continue;
        uint32_t slice = (k->c[C_TASK_INDEX].u32[t] - k->c[C_GROUP_BASE].u32[row]) / tasks,
                 d = verify_domain(k, k->c[C_TASK_NODE].u32[t], k->c[C_GROUP_TOPOLOGY].u32[row],
                                   level);
        if (d == NO_ROW || (at[slice] != NO_ROW && at[slice] != d))
            return check_fail(c, "%s is on %s, outside the domain of its task block of %u tasks",
                              NAME(T_TASK, t), NAME(T_NODE, k->c[C_TASK_NODE].u32[t]), tasks);
        at[slice] = d;
    }
    return LSCHED_OK;
}

static int32_t check_slices(struct check *c, uint32_t leaf) {
    const struct columns *k = c->k;
    uint32_t row = verify_group_row(k, k->c[C_LEAF_JOB].u32[leaf], k->c[C_LEAF_GROUP].u32[leaf]),
             n = k->c[C_GROUP_N_SLICES].u8[row], max = k->c[C_GROUP_SPAN].u32[row];
    uint32_t *at = n ? alloc_new(k->alloc, max * sizeof *at) : NULL;
    int32_t rc = n && !at ? check_nomem(c) : LSCHED_OK;
    for (uint32_t i = 0; i < n && rc == LSCHED_OK; i++)
        rc = check_slices_of(c, leaf, k->c[C_GROUP_SLICE_LEVEL0 + i].u32[row],
                             k->c[C_GROUP_SLICE_TASKS0 + i].u32[row], at);
    alloc_free(k->alloc, at, n ? max * sizeof *at : 0);
    return rc;
}

static int32_t check_topology(struct check *c, uint32_t job) {
    const struct columns *k = c->k;
    uint32_t domain[LSCHED_GROUPS_PER_JOB_MAX];
    if (!k->c[C_JOBSHAPE_PINNED].u8[k->c[C_JOB_SHAPE].u32[job]]) return LSCHED_OK;
    memset(domain, 0xFF, sizeof domain);
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            if (!verify_placed(k, t) || k->c[C_TASK_IMPORTED].u8[t]) continue;
            int32_t rc = check_required(c, t, domain);
            if (rc != LSCHED_OK) return rc;
        }
    }
    return LSCHED_OK;
}

/* Checks the topology spread of one leaf group. The function counts, for each domain of the
 * spread's level, the tasks of the group that the scheduler placed. Imported tasks do not count,
 * because they are allowed in any domain in any number. */
static int32_t check_spread_of(struct check *c, uint32_t leaf, uint32_t *count) {
    const struct columns *k = c->k;
    uint32_t row = verify_group_row(k, k->c[C_LEAF_JOB].u32[leaf], k->c[C_LEAF_GROUP].u32[leaf]);
    uint32_t level = k->c[C_GROUP_SPREAD].u32[row], max = k->c[C_GROUP_SPREAD_MAX].u32[row];
    memset(count, 0, table_rows(k, T_DOMAIN) * sizeof *count);
    for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[leaf]; t != NO_ROW && level != NO_ROW;
         t = k->c[C_TASK_NEXT].u32[t]) {
        uint32_t node = k->c[C_TASK_NODE].u32[t];
        if (node == NO_ROW || k->c[C_TASK_IMPORTED].u8[t]) continue;
        uint32_t d = verify_domain(k, node, k->c[C_GROUP_TOPOLOGY].u32[row], level);
        if (d == NO_ROW)
            return check_fail(
                c, "%s is on %s, which is not in the topology over which its group is spread",
                NAME(T_TASK, t), NAME(T_NODE, node));
        if (++count[d] > max)
            return check_fail(
                c, "%s is one of %u tasks of its group in its domain; at most %u are allowed",
                NAME(T_TASK, t), count[d], max);
    }
    return LSCHED_OK;
}

/* Checks that no node has more tasks of the leaf group than the group's limit for nodes allows.
 * Imported tasks do not count. count: by row of NODE. */
static int32_t check_node_max(struct check *c, uint32_t leaf, uint32_t *count) {
    const struct columns *k = c->k;
    uint32_t row = verify_group_row(k, k->c[C_LEAF_JOB].u32[leaf], k->c[C_LEAF_GROUP].u32[leaf]);
    uint32_t max = k->c[C_GROUP_NODE_MAX].u32[row], first = k->c[C_LEAF_TASK_FIRST].u32[leaf];
    if (max == 0) return LSCHED_OK;
    for (uint32_t t = first; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t])
        if (k->c[C_TASK_NODE].u32[t] != NO_ROW) count[k->c[C_TASK_NODE].u32[t]] = 0;
    for (uint32_t t = first; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t]) {
        uint32_t node = k->c[C_TASK_NODE].u32[t];
        if (node == NO_ROW || k->c[C_TASK_IMPORTED].u8[t] || ++count[node] <= max) continue;
        return check_fail(c,
                          "%s is one of %u tasks of its group on %s; at most %u are allowed there",
                          NAME(T_TASK, t), count[node], NAME(T_NODE, node), max);
    }
    return LSCHED_OK;
}

static int32_t check_spreads(struct check *c) {
    const struct columns *k = c->k;
    uint32_t domains = table_rows(k, T_DOMAIN), nodes = table_rows(k, T_NODE);
    size_t bytes = ((domains > nodes ? domains : nodes) + 1ul) * sizeof(uint32_t);
    uint32_t *count = alloc_new(k->alloc, bytes);
    int32_t rc = count ? LSCHED_OK : LSCHED_E_NOMEM;
    for (uint32_t l = 0; l < table_rows(k, T_LEAF) && rc == LSCHED_OK; l++) {
        if (!row_is_live(k, T_LEAF, l)) continue;
        uint32_t shape = k->c[C_JOB_SHAPE].u32[k->c[C_LEAF_JOB].u32[l]];
        if (k->c[C_JOBSHAPE_PINNED].u8[shape]) rc = check_spread_of(c, l, count);
        if (rc == LSCHED_OK) rc = check_node_max(c, l, count);
    }
    alloc_free(k->alloc, count, bytes);
    return rc;
}

/* Checks the time of the cluster's next check for overdue tasks (M_FUTURE_NEXT). It must not be
 * later than the time at which any releasing or nominated task becomes overdue. */
static int32_t check_future(struct check *c, uint32_t task) {
    const struct columns *k = c->k;
    int64_t next = (int64_t)meta(k, M_FUTURE_NEXT), due = k->c[C_TASK_RELEASE_AT].i64[task];
    if (verify_state_of(k, task) == LSCHED_TASK_NOMINATED)
        due = k->c[C_DECISION_AT].i64[k->c[C_TASK_DECISION].u32[task]];
    else if (!verify_leaves(k, task))
        return LSCHED_OK;
    uint32_t d = k->c[C_TASK_DECISION].u32[task];
    if (d != NO_ROW && k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_CHECKPOINT)
        return LSCHED_OK; /* it has not been told to stop */
    if (next == 0 || next > (due > 1 ? due : 1))
        return check_fail(c, "%s is due at %lld, but the next time of the cluster is %lld",
                          NAME(T_TASK, task), (long long)due, (long long)next);
    return LSCHED_OK;
}

int32_t verify_tasks(struct check *c) {
    int32_t rc = verify_each(c, T_TASK, verify_tasks_check_task);
    if (rc == LSCHED_OK) rc = verify_each(c, T_JOB, check_topology);
    if (rc == LSCHED_OK) rc = check_spreads(c);
    if (rc == LSCHED_OK) rc = verify_each(c, T_LEAF, check_slices);
    if (rc == LSCHED_OK) rc = verify_tasks_check_decisions(c);
    return rc == LSCHED_OK ? verify_each(c, T_TASK, check_future) : rc;
}
