/* victim_parts.c -- see victim_parts.h. */
#include "engine/victims/victim_parts.h"

#include "engine/victims/victim_side.h"
#include "model/devices/resource_part.h"
#include "model/queues/queue.h"

/* ---- what is held ---- */

static int64_t task_part(const struct columns *k, uint32_t task, uint32_t d) {
    struct hold hold = task_hold(k, task);
    return resource_part_held(k, d, task_shape(k, task), k->c[C_TASK_NODE].u32[task], &hold);
}

/* True if the leaf group is the eviction unit's group or below it. */
static int leaf_is_of(const struct columns *k, const struct victim_unit *u, uint32_t leaf) {
    uint32_t g = k->c[C_LEAF_GROUP].u32[leaf], shape = k->c[C_JOB_SHAPE].u32[u->job];
    while (g > u->group) g = k->c[C_GROUP_PARENT].u32[group_row(k, shape, g)];
    return g == u->group;
}

/* Returns how much the eviction unit holds of the resource part. *surplus is an upper bound for
 * its surplus tasks, which are units of their own and are evicted before it. */
static int64_t unit_part(const struct columns *k, const struct victim_unit *u, uint32_t d,
                         int64_t *surplus) {
    int64_t sum = 0;
    *surplus = 0;
    if (u->group == NO_ROW) return task_part(k, u->task, d);
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[u->job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        uint32_t g = k->c[C_LEAF_GROUP].u32[l], have = job_leaf_held(k, u->job, g),
                 min = k->c[C_GROUP_MIN].u32[group_row(k, k->c[C_JOB_SHAPE].u32[u->job], g)];
        int64_t most = 0;
        if (!leaf_is_of(k, u, l)) continue;
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

/* Returns what the queue would hold of the resource part without the chosen eviction units of the
 * set and without work that has not started yet: see victim_search_is_pending() in
 * victim_search.c. */
static int64_t used_without(const struct lsched_cycle *y, uint32_t q, uint32_t d,
                            const struct victim_set *set) {
    const struct columns *k = y->k;
    int64_t used = resource_part_get(k, q, KINDS_MAX + d).used, ignored;
    for (uint32_t i = 0; set && i < set->n; i++)
        if (set->unit[i].chosen && queue_is_below(k, set->unit[i].queue, q))
            used -= unit_part(k, &set->unit[i], d, &ignored);
    return used - y->search->parts_pending[(size_t)q * resource_part_count(k) + d];
}

static void count_pending(struct lsched_cycle *y, uint32_t task) {
    const struct columns *k = y->k;
    uint32_t n = resource_part_count(k);
    for (uint32_t d = 0; d < n; d++) {
        int64_t held = task_part(k, task, d);
        for (uint32_t q = held ? k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[task]] : NO_ROW;
             q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q])
            y->search->parts_pending[(size_t)q * n + d] += held;
    }
}

int32_t victim_parts_open(struct lsched_cycle *y) {
    const struct columns *k = y->k;
    struct victim_search *h = y->search;
    int any = 0;
    for (uint32_t a = 0; a < table_rows(k, T_QAMOUNT); a++) {
        if (!row_is_live(k, T_QAMOUNT, a) || k->c[C_QAMOUNT_QUOTA].i64[a] == 0) continue;
        h->parts_guarded[k->c[C_QAMOUNT_DERIVED].u32[a]] = 1;
        any = 1;
    }
    if (!any || !h->has_amounts || h->reason != LSCHED_FOR_RECLAIM) return LSCHED_OK;
    h->cap_parts = (size_t)table_rows(k, T_QUEUE) * resource_part_count(k);
    h->parts_pending = alloc_zero(y->k->alloc, h->cap_parts * sizeof *h->parts_pending);
    if (!h->parts_pending) return LSCHED_E_NOMEM;
    for (uint32_t o = (uint32_t)meta(k, M_OPEN_HEAD); o != NO_ROW;
         o = k->c[C_DECISION_NEXT].u32[o]) {
        uint32_t t = k->c[C_DECISION_TASK].u32[o];
        if (victim_search_is_pending(k, o)) count_pending(y, t);
    }
    return LSCHED_OK;
}

void victim_parts_close(struct lsched_cycle *y) {
    struct victim_search *h = y->search;
    alloc_free(y->k->alloc, h->parts_pending, h->cap_parts * sizeof *h->parts_pending);
}

/* ---- entitlements ---- */

/* True if the task shape names no GPU model, or the node has a device of a model that it names. */
static int may_be_on(const struct columns *k, uint32_t shape, uint32_t node) {
    uint32_t n = k->c[C_SHAPE_N_MODELS].u32[shape], devices = k->c[C_NODE_N_DEVICES].u8[node];
    const uint32_t *models = n ? text_bytes(k, k->c[C_SHAPE_MODELS].u32[shape]) : NULL;
    for (uint32_t i = 0; i < devices; i++)
        for (uint32_t m = 0; m < n; m++)
            if (models[m] == k->c[C_DEVICE_MODEL].u32[k->c[C_NODE_DEVICE_FIRST].u32[node] + i])
                return 1;
    return n == 0;
}

/* True if the current job would count in the resource part on the node, whichever of its leaf
 * groups is placed there; `none` if no leaf can be there. With NO_ROW: true if a leaf group can
 * count in it on some node. */
static int job_counts_in(const struct lsched_cycle *y, uint32_t d, uint32_t node, int none) {
    const struct columns *k = y->k;
    uint32_t jobshape = y->search->jobshape;
    int any = none;
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape]; g++) {
        uint32_t shape = group_shape(k, jobshape, g);
        if (shape == NO_ROW || (node != NO_ROW && !may_be_on(k, shape, node))) continue;
        int counts = resource_part_could(k, d, shape, node);
        if (node != NO_ROW && !counts) return 0;
        any |= counts;
    }
    return any;
}

/* True if the job would count in the resource part on all nodes where the eviction unit makes
 * room. A gang can also be on nodes outside the part. An entitlement to the part must not free
 * room there, because that room is not charged to the part's quota and could be taken again and
 * again. On which of the nodes the job will be is not known yet. */
static int counts_in_room(const struct lsched_cycle *y, const struct victim_unit *u, uint32_t d) {
    const struct columns *k = y->k;
    if (!job_counts_in(y, d, k->c[C_TASK_NODE].u32[u->task], 0)) return 0;
    uint32_t l = u->group == NO_ROW ? NO_ROW : k->c[C_JOB_LEAVES].u32[u->job];
    for (; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        uint32_t t = leaf_is_of(k, u, l) ? k->c[C_LEAF_TASK_FIRST].u32[l] : NO_ROW;
        for (; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t])
            if (task_placed(k->c[C_TASK_STATE].u8[t]) &&
                !job_counts_in(y, d, k->c[C_TASK_NODE].u32[t], 1))
                return 0;
    }
    return 1;
}

/* True if the queue, without the chosen eviction units, stays within its quota of the resource
 * part when all that the job still needs is charged to that part. */
static int victim_parts_is_within(const struct lsched_cycle *y, uint32_t d, uint32_t q,
                                  const struct victim_set *set) {
    const struct columns *k = y->k;
    struct resource_part_amount a = resource_part_get(k, q, KINDS_MAX + d);
    int64_t need = y->search->left[k->c[C_DERIVED_BASE].u32[d]], ignored;
    if (a.quota == LSCHED_UNLIMITED) return 1;
    for (uint32_t i = 0; set && i < set->n && need > a.quota - a.used; i++)
        if (set->unit[i].chosen && queue_is_below(k, set->unit[i].queue, q))
            need -= unit_part(k, &set->unit[i], d, &ignored);
    return a.quota > 0 && need <= a.quota - a.used;
}

int victim_parts_look(struct lsched_cycle *y) {
    struct victim_search *h = y->search;
    int more = 0;
    for (uint32_t d = 0; h->parts_pending && d < resource_part_count(y->k); d++) {
        uint32_t levels = job_counts_in(y, d, NO_ROW, 0) ? h->n_path : 0, i = 0;
        while (i < levels && victim_parts_is_within(y, d, h->path[i], NULL)) i++;
        more |= i > h->parts_within[d];
        h->parts_within[d] = (uint8_t)i;
    }
    return more;
}

int victim_parts_within(const struct lsched_cycle *y, uint32_t d, uint32_t at,
                        const struct victim_set *set) {
    const struct victim_search *h = y->search;
    if (h->parts_within[d] >= at) return 1;
    if (!job_counts_in(y, d, NO_ROW, 0)) return 0;
    for (uint32_t i = h->parts_within[d]; i < at && !victim_side_lends(y); i++)
        if (!victim_parts_is_within(y, d, h->path[i], set)) return 0;
    return 1;
}

int victim_parts_entitled(const struct lsched_cycle *y) {
    const struct victim_search *h = y->search;
    for (uint32_t d = 0; h->parts_pending && d < resource_part_count(y->k); d++)
        if (h->parts_within[d] > 0) return 1;
    return 0;
}

/* True if each queue of the levels holds more of the resource part than its quota before the
 * eviction unit is evicted. guaranteed: only queues with a quota are checked. */
static int victim_parts_is_above(const struct lsched_cycle *y, uint32_t d,
                                 const struct victim_set *set, const struct victim_levels *levels,
                                 int64_t less, int guaranteed) {
    for (uint32_t q = levels->from; q != levels->end; q = y->k->c[C_QUEUE_PARENT].u32[q]) {
        int64_t quota = resource_part_get(y->k, q, KINDS_MAX + d).quota;
        if (guaranteed && quota == 0) continue;
        if (quota == LSCHED_UNLIMITED || used_without(y, q, d, set) - less <= quota) return 0;
    }
    return 1;
}

enum side_ground victim_parts_allow(const struct lsched_cycle *y, const struct victim_unit *u,
                                    const struct victim_set *set,
                                    const struct victim_levels *levels) {
    const struct columns *k = y->k;
    if (y->search->elsewhere) return SIDE_NONE;
    for (uint32_t d = 0; y->search->parts_pending && d < resource_part_count(k); d++) {
        int64_t surplus;
        if (task_part(k, u->task, d) == 0 || !victim_parts_within(y, d, levels->at, set) ||
            !counts_in_room(y, u, d))
            continue;
        unit_part(k, u, d, &surplus);
        if (victim_parts_is_above(y, d, set, levels, surplus, 0))
            return (enum side_ground)(SIDE_PART + d);
    }
    return SIDE_NONE;
}

int victim_parts_decide(const struct lsched_cycle *y, const struct victim_unit *u) {
    for (uint32_t d = 0; y->search->parts_pending && d < resource_part_count(y->k); d++) {
        int64_t surplus;
        if (y->search->parts_guarded[d] && unit_part(y->k, u, d, &surplus) > 0) return 1;
    }
    return 0;
}

int victim_parts_protect(const struct lsched_cycle *y, const struct victim_unit *u,
                         const struct victim_set *set, const struct victim_levels *levels) {
    for (uint32_t d = 0; y->search->parts_pending && d < resource_part_count(y->k); d++) {
        int64_t surplus;
        if (unit_part(y->k, u, d, &surplus) > 0 &&
            !victim_parts_is_above(y, d, set, levels, surplus, 1))
            return 1;
    }
    return 0;
}

int victim_parts_cross(const struct lsched_cycle *y, const struct victim_unit *u,
                       const struct victim_set *set, const struct victim_levels *levels) {
    for (uint32_t d = 0; y->search->parts_pending && d < resource_part_count(y->k); d++) {
        int64_t surplus, held = y->search->parts_guarded[d] ? unit_part(y->k, u, d, &surplus) : 0;
        if (held <= 0) continue;
        for (uint32_t q = levels->from; q != levels->end; q = y->k->c[C_QUEUE_PARENT].u32[q])
            if (used_without(y, q, d, set) - (u->chosen ? 0 : held) <
                resource_part_get(y->k, q, KINDS_MAX + d).quota)
                return 1;
    }
    return 0;
}
