/* part_quota.c -- see part_quota.h. */
#include "engine/rights/part_quota.h"

#include "engine/rights/victim_unit.h"
#include "model/devices/resource_part.h"
#include "model/queues/queue.h"
#include "model/demand/job_counts.h"
#include "model/shapes/job_states.h"

/* ---- what is held ---- */

static int64_t task_part(const struct columns *k, uint32_t task, uint32_t d) {
    struct hold hold = task_hold(k, task);
    return resource_part_held(k, d, task_shape(k, task), k->c[C_TASK_NODE].u32[task], &hold);
}

/* Returns how much the eviction unit holds of the resource part. *surplus: upper bound of the
 * amount that the unit's surplus tasks hold. Surplus tasks are eviction units of their own and are
 * evicted before the group. */
static int64_t unit_part(const struct columns *k, const struct victim_unit *u, uint32_t d,
                         int64_t *surplus) {
    int64_t sum = 0;
    *surplus = 0;
    if (u->group == NO_ROW) return task_part(k, u->task, d);
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[u->job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        uint32_t g = k->c[C_LEAF_GROUP].u32[l], have = job_leaf_held(k, u->job, g),
                 min = k->c[C_GROUP_MIN].u32[group_row(k, k->c[C_JOB_SHAPE].u32[u->job], g)];
        int64_t most = 0;
        if (!victim_unit_has_leaf(k, u->group, l)) continue;
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            int64_t held = task_placed(k->c[C_TASK_STATE].u8[t]) ? task_part(k, t, d) : 0;
            sum += held;
            if (held > most) most = held;
        }
        if (have > min) *surplus += most * (have - min);
    }
    return sum;
}

int64_t part_quota_given(const struct lsched_cycle *cy, uint32_t q, uint32_t d,
                         const struct victim_set *set) {
    int64_t sum = 0, ignored;
    for (uint32_t i = 0; set && i < set->n; i++)
        if (set->unit[i].chosen && queue_is_below(cy->k, set->unit[i].queue, q))
            sum += unit_part(cy->k, &set->unit[i], d, &ignored);
    return sum;
}

/* Returns how much of the resource part the queue would hold without the chosen eviction units of
 * the set and without work that has not started (victim_right_is_pending()). */
static int64_t used_without(const struct lsched_cycle *cy, uint32_t q, uint32_t d,
                            const struct victim_set *set) {
    const struct columns *k = cy->k;
    return resource_part_get(k, q, KINDS_MAX + d).used - part_quota_given(cy, q, d, set) -
           cy->victims->quota.pending[(size_t)q * resource_part_count(k) + d];
}

static void count_pending(struct lsched_cycle *cy, uint32_t task) {
    const struct columns *k = cy->k;
    uint32_t n = resource_part_count(k);
    for (uint32_t d = 0; d < n; d++) {
        int64_t held = task_part(k, task, d);
        for (uint32_t q = held ? k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[task]] : NO_ROW;
             q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q])
            cy->victims->quota.pending[(size_t)q * n + d] += held;
    }
}

int part_quota_guarded(const struct columns *k, uint8_t *guarded) {
    int any = 0;
    for (uint32_t a = 0; a < table_rows(k, T_QAMOUNT); a++) {
        if (!row_is_live(k, T_QAMOUNT, a) || k->c[C_QAMOUNT_QUOTA].i64[a] == 0) continue;
        guarded[k->c[C_QAMOUNT_DERIVED].u32[a]] = 1;
        any = 1;
    }
    return any;
}

int32_t part_quota_open(struct lsched_cycle *cy) {
    const struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    if (!part_quota_guarded(k, h->quota.guarded) || !h->has_amounts ||
        h->reason != LSCHED_FOR_RECLAIM)
        return LSCHED_OK;
    h->quota.cap = (size_t)table_rows(k, T_QUEUE) * resource_part_count(k);
    h->quota.pending = alloc_zero(cy->k->alloc, h->quota.cap * sizeof *h->quota.pending);
    if (!h->quota.pending) return LSCHED_E_NOMEM;
    for (uint32_t o = (uint32_t)meta(k, M_OPEN_HEAD); o != NO_ROW;
         o = k->c[C_DECISION_NEXT].u32[o]) {
        uint32_t t = k->c[C_DECISION_TASK].u32[o];
        if (victim_right_is_pending(k, o)) count_pending(cy, t);
    }
    return LSCHED_OK;
}

void part_quota_close(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    alloc_free(cy->k->alloc, h->quota.pending, h->quota.cap * sizeof *h->quota.pending);
}

/* ---- entitlements ---- */

/* True if the task shape names no GPU model, or if the node has a device of a model that the task
 * shape names. */
static int may_be_on(const struct columns *k, uint32_t shape, uint32_t node) {
    uint32_t n = k->c[C_SHAPE_N_MODELS].u32[shape], devices = k->c[C_NODE_N_DEVICES].u8[node];
    const uint32_t *models = n ? text_bytes(k, k->c[C_SHAPE_MODELS].u32[shape]) : NULL;
    for (uint32_t i = 0; i < devices; i++)
        for (uint32_t m = 0; m < n; m++)
            if (models[m] == k->c[C_DEVICE_MODEL].u32[k->c[C_NODE_DEVICE_FIRST].u32[node] + i])
                return 1;
    return n == 0;
}

int part_quota_could(const struct columns *k, uint32_t jobshape, uint32_t d) {
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape]; g++) {
        uint32_t shape = group_shape(k, jobshape, g);
        if (shape != NO_ROW && resource_part_could(k, d, shape, NO_ROW)) return 1;
    }
    return 0;
}

/* True if each leaf group of the current job that could be placed on the node would count in the
 * resource part there. Returns `none` if no leaf group could be placed on the node. */
static int job_counts_in(const struct lsched_cycle *cy, uint32_t d, uint32_t node, int none) {
    const struct columns *k = cy->k;
    uint32_t jobshape = cy->victims->jobshape;
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape]; g++) {
        uint32_t shape = group_shape(k, jobshape, g);
        if (shape == NO_ROW || !may_be_on(k, shape, node)) continue;
        if (!resource_part_could(k, d, shape, node)) return 0;
        none = 1;
    }
    return none;
}

/* True if the job would count in the resource part on each node where the eviction of the unit
 * makes room. A gang can also have tasks on nodes outside the part. An entitlement to the part
 * must not free room on those nodes: such room is not charged to the part's quota, therefore the
 * job could take it again and again. All nodes are tested because it is not known yet on which of
 * them the job will be placed. */
static int counts_in_room(const struct lsched_cycle *cy, const struct victim_unit *u, uint32_t d) {
    const struct columns *k = cy->k;
    if (!job_counts_in(cy, d, k->c[C_TASK_NODE].u32[u->task], 0)) return 0;
    uint32_t l = u->group == NO_ROW ? NO_ROW : k->c[C_JOB_LEAVES].u32[u->job];
    for (; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        uint32_t t = victim_unit_has_leaf(k, u->group, l) ? k->c[C_LEAF_TASK_FIRST].u32[l] : NO_ROW;
        for (; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t])
            if (task_placed(k->c[C_TASK_STATE].u8[t]) &&
                !job_counts_in(cy, d, k->c[C_TASK_NODE].u32[t], 1))
                return 0;
    }
    return 1;
}

int part_quota_has_room(const struct columns *k, uint32_t d, uint32_t queue, int64_t need) {
    struct resource_part_amount a = resource_part_get(k, queue, KINDS_MAX + d);
    return a.quota == LSCHED_UNLIMITED || (a.quota > 0 && need <= a.quota - a.used);
}

/* True if the queue stays within its quota of the resource part when the chosen eviction units are
 * gone and everything that the job still needs is charged to that part. */
static int part_quota_is_within(const struct lsched_cycle *cy, uint32_t d, uint32_t q,
                                const struct victim_set *set) {
    uint32_t base = cy->k->c[C_DERIVED_BASE].u32[d];
    int64_t need = cy->victims->left[base] + (base == LSCHED_GPU ? cy->victims->dearer : 0);
    return part_quota_has_room(cy->k, d, q, need - part_quota_given(cy, q, d, set));
}

int part_quota_look(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    int more = 0;
    for (uint32_t d = 0; h->quota.pending && d < resource_part_count(cy->k); d++) {
        uint32_t levels = part_quota_could(cy->k, h->jobshape, d) ? h->n_path : 0, i = 0;
        while (i < levels && part_quota_is_within(cy, d, h->path[i], NULL)) i++;
        more |= i > h->quota.within[d];
        h->quota.within[d] = (uint8_t)i;
    }
    return more;
}

int part_quota_within(const struct lsched_cycle *cy, uint32_t d, uint32_t at,
                      const struct victim_set *set) {
    const struct victim_search *h = cy->victims;
    if (h->quota.within[d] >= at && !h->dearer) return 1;
    if (!part_quota_could(cy->k, h->jobshape, d)) return 0;
    for (uint32_t i = h->dearer ? 0 : h->quota.within[d]; i < at && !victim_on_credit(cy->victims);
         i++)
        if (!part_quota_is_within(cy, d, h->path[i], set)) return 0;
    return 1;
}

int part_quota_entitled(const struct lsched_cycle *cy) {
    const struct victim_search *h = cy->victims;
    for (uint32_t d = 0; h->quota.pending && d < resource_part_count(cy->k); d++)
        if (h->quota.within[d] > 0) return 1;
    return 0;
}

/* True if each queue of `levels` holds more of the resource part than its quota immediately before
 * the eviction unit is evicted. less: amount of the unit's surplus, which is evicted earlier.
 * guaranteed: 1 to check only queues that have a quota of the part. */
static int part_quota_is_above(const struct lsched_cycle *cy, uint32_t d,
                               const struct victim_set *set, const struct victim_levels *levels,
                               int64_t less, int guaranteed) {
    for (uint32_t q = levels->from; q != levels->end; q = cy->k->c[C_QUEUE_PARENT].u32[q]) {
        int64_t quota = resource_part_get(cy->k, q, KINDS_MAX + d).quota;
        if (guaranteed && quota == 0) continue;
        if (quota == LSCHED_UNLIMITED || used_without(cy, q, d, set) - less <= quota) return 0;
    }
    return 1;
}

enum side_ground part_quota_allow(const struct lsched_cycle *cy, const struct victim_unit *u,
                                  const struct victim_set *set,
                                  const struct victim_levels *levels) {
    const struct columns *k = cy->k;
    if (cy->victims->elsewhere) return SIDE_NONE;
    for (uint32_t d = 0; cy->victims->quota.pending && d < resource_part_count(k); d++) {
        int64_t surplus;
        if (task_part(k, u->task, d) == 0 || !part_quota_within(cy, d, levels->at, set) ||
            !counts_in_room(cy, u, d))
            continue;
        unit_part(k, u, d, &surplus);
        if (part_quota_is_above(cy, d, set, levels, surplus, 0))
            return (enum side_ground)(SIDE_PART + d);
    }
    return SIDE_NONE;
}

int part_quota_decide(const struct lsched_cycle *cy, const struct victim_unit *u) {
    for (uint32_t d = 0; cy->victims->quota.pending && d < resource_part_count(cy->k); d++) {
        int64_t surplus;
        if (cy->victims->quota.guarded[d] && unit_part(cy->k, u, d, &surplus) > 0) return 1;
    }
    return 0;
}

int part_quota_protect(const struct lsched_cycle *cy, const struct victim_unit *u,
                       const struct victim_set *set, const struct victim_levels *levels) {
    for (uint32_t d = 0; cy->victims->quota.pending && d < resource_part_count(cy->k); d++) {
        int64_t surplus;
        if (unit_part(cy->k, u, d, &surplus) > 0 &&
            !part_quota_is_above(cy, d, set, levels, surplus, 1))
            return 1;
    }
    return 0;
}

int part_quota_cross(const struct lsched_cycle *cy, const struct victim_unit *u,
                     const struct victim_set *set, const struct victim_levels *levels) {
    for (uint32_t d = 0; cy->victims->quota.pending && d < resource_part_count(cy->k); d++) {
        int64_t surplus,
            held = cy->victims->quota.guarded[d] ? unit_part(cy->k, u, d, &surplus) : 0;
        if (held <= 0) continue;
        for (uint32_t q = levels->from; q != levels->end; q = cy->k->c[C_QUEUE_PARENT].u32[q])
            if (used_without(cy, q, d, set) - (u->chosen ? 0 : held) <
                resource_part_get(cy->k, q, KINDS_MAX + d).quota)
                return 1;
    }
    return 0;
}
