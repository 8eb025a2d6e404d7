/* queue.c -- see queue.h. Charging costs O(depth x kinds of the request). With decayed use or
 * lend limits it costs O(depth x all kinds). */
#include "model/queues/queue.h"

#include "model/queues/usage_decay.h"
#include "model/queues/lend_limits.h"
#include "model/queues/user_queue.h"
#include "model/queues/user_queue_limits.h"
#include "model/store/row_list.h"
#include "model/told/tally.h"

static void set_amounts(struct columns *k, uint32_t queue, const struct queue_spec *spec) {
    int32_t lenders = 0;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        lenders += (spec->lend[r] != LSCHED_UNLIMITED) -
                   (k->c[C_QUEUE_LEND + r].i64[queue] != LSCHED_UNLIMITED);
        set_i64(k, C_QUEUE_QUOTA + r, queue, spec->quota[r]);
        set_i64(k, C_QUEUE_LIMIT + r, queue, spec->limit[r]);
        set_i64(k, C_QUEUE_WEIGHT + r, queue, spec->weight[r]);
        set_i64(k, C_QUEUE_LEND + r, queue, spec->lend[r]);
        set_i64(k, C_QUEUE_QUOTA_NOW + r, queue, spec->quota[r]);
        set_i64(k, C_QUEUE_LIMIT_NOW + r, queue, spec->limit[r]);
        set_i64(k, C_QUEUE_WEIGHT_NOW + r, queue, spec->weight[r]);
        set_i64(k, C_QUEUE_USER_LIMIT + r, queue, spec->user_limit[r]);
        set_i64(k, C_QUEUE_GROUP_LIMIT + r, queue, spec->group_limit[r]);
    }
    if (lenders) lend_limits_lenders(k, lenders);
    if (lenders || lend_limits_any(k)) lend_limits_update(k, queue);
}

void queue_spec_of(const struct columns *k, uint32_t queue, struct queue_spec *spec) {
    memset(spec, 0, sizeof *spec);
    spec->tag = k->c[C_QUEUE_TAG].u64[queue];
    spec->priority = k->c[C_QUEUE_PRIORITY].i32[queue];
    spec->created = k->c[C_QUEUE_CREATED].i64[queue];
    spec->reclaim_min = k->c[C_QUEUE_RECLAIM_MIN].i64[queue];
    spec->preempt_min = k->c[C_QUEUE_PREEMPT_MIN].i64[queue];
    spec->preempt_delay = k->c[C_QUEUE_PREEMPT_DELAY].i64[queue];
    spec->jobs_max = k->c[C_QUEUE_JOBS_MAX].u32[queue];
    spec->submitted_max = k->c[C_QUEUE_SUBMITTED_MAX].u32[queue];
    spec->flags = k->c[C_QUEUE_FLAGS].u8[queue] & QUEUE_DIVIDES;
    spec->user_jobs_max = k->c[C_QUEUE_USER_JOBS_MAX].u32[queue];
    spec->user_submitted_max = k->c[C_QUEUE_USER_SUBMITTED_MAX].u32[queue];
    spec->group_jobs_max = k->c[C_QUEUE_GROUP_JOBS_MAX].u32[queue];
    spec->group_submitted_max = k->c[C_QUEUE_GROUP_SUBMITTED_MAX].u32[queue];
    for (uint32_t r = 0; r < KINDS_MAX; r++) {
        int known = r > 0 && r < (uint32_t)meta(k, M_N_KINDS);
        spec->quota[r] = known ? k->c[C_QUEUE_QUOTA + r].i64[queue] : 0;
        spec->limit[r] = known ? k->c[C_QUEUE_LIMIT + r].i64[queue] : LSCHED_UNLIMITED;
        spec->weight[r] = known ? k->c[C_QUEUE_WEIGHT + r].i64[queue] : 1000;
        spec->lend[r] = known ? k->c[C_QUEUE_LEND + r].i64[queue] : LSCHED_UNLIMITED;
        spec->user_limit[r] = known ? k->c[C_QUEUE_USER_LIMIT + r].i64[queue] : 0;
        spec->group_limit[r] = known ? k->c[C_QUEUE_GROUP_LIMIT + r].i64[queue] : 0;
    }
    spec->n_part_quotas = resource_part_count(k);
    for (uint32_t r = 0; r < spec->n_part_quotas; r++) {
        struct resource_part_amount a = resource_part_get(k, queue, KINDS_MAX + r);
        spec->part_quotas[r] = a.quota;
        spec->part_limits[r] = a.limit;
    }
}

int32_t queue_set(struct columns *k, uint32_t queue, const struct queue_spec *spec) {
    set_u64(k, C_QUEUE_TAG, queue, spec->tag);
    set_i32(k, C_QUEUE_PRIORITY, queue, spec->priority);
    set_i32(k, C_QUEUE_PRIORITY_NOW, queue, spec->priority);
    set_i64(k, C_QUEUE_CREATED, queue, spec->created);
    set_i64(k, C_QUEUE_RECLAIM_MIN, queue, spec->reclaim_min);
    set_i64(k, C_QUEUE_PREEMPT_MIN, queue, spec->preempt_min);
    set_i64(k, C_QUEUE_PREEMPT_DELAY, queue, spec->preempt_delay);
    set_u32(k, C_QUEUE_JOBS_MAX, queue, spec->jobs_max);
    set_u32(k, C_QUEUE_SUBMITTED_MAX, queue, spec->submitted_max);
    if (!queue_is_of_user(k, queue)) { /* user queues keep the values of their parent's template */
        set_u8(k, C_QUEUE_FLAGS, queue, (uint8_t)spec->flags);
        set_u32(k, C_QUEUE_USER_JOBS_MAX, queue, spec->user_jobs_max);
        set_u32(k, C_QUEUE_USER_SUBMITTED_MAX, queue, spec->user_submitted_max);
        set_u32(k, C_QUEUE_GROUP_JOBS_MAX, queue, spec->group_jobs_max);
        set_u32(k, C_QUEUE_GROUP_SUBMITTED_MAX, queue, spec->group_submitted_max);
    }
    set_amounts(k, queue, spec);
    queue_gave(k, queue); /* a limit can have grown */
    queue_news(k, queue);
    structure_raise(k);
    int32_t rc = LSCHED_OK;
    for (uint32_t d = 0; d < resource_part_count(k) && rc == LSCHED_OK; d++)
        rc = resource_part_set(k, queue, KINDS_MAX + d,
                               d < spec->n_part_quotas ? spec->part_quotas[d] : 0,
                               d < spec->n_part_quotas ? spec->part_limits[d] : LSCHED_UNLIMITED);
    return rc == LSCHED_OK ? user_queues_follow(k, queue) : rc;
}

static int32_t amend_amount(struct columns *k, uint32_t queue, enum queue_value what, uint32_t kind,
                            int64_t value) {
    int limit = what == QUEUE_VALUE_LIMIT;
    if (kind_is_part(k, kind)) {
        struct resource_part_amount a = resource_part_get(k, queue, kind);
        return resource_part_set(k, queue, kind, limit ? a.quota : value, limit ? value : a.limit);
    }
    set_i64(k, (limit ? C_QUEUE_LIMIT : C_QUEUE_QUOTA) + kind, queue, value);
    set_i64(k, (limit ? C_QUEUE_LIMIT_NOW : C_QUEUE_QUOTA_NOW) + kind, queue, value);
    if (!limit && lend_limits_any(k)) lend_limits_update(k, queue);
    return LSCHED_OK;
}

int32_t queue_amend(struct columns *k, uint32_t queue, enum queue_value what, uint32_t kind,
                    int64_t value) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    if (what == QUEUE_VALUE_JOBS_MAX)
        set_u32(k, C_QUEUE_JOBS_MAX, queue, (uint32_t)value);
    else
        rc = amend_amount(k, queue, what, kind, value);
    queue_gave(k, queue); /* a limit can have grown */
    queue_news(k, queue);
    structure_raise(k);
    return rc;
}

int queue_set_quota_now(struct columns *k, uint32_t queue, uint32_t kind, int64_t amount) {
    if (k->c[C_QUEUE_QUOTA_NOW + kind].i64[queue] == amount) return 0;
    set_i64(k, C_QUEUE_QUOTA_NOW + kind, queue, amount);
    queue_news(k, queue);
    return 1;
}

int queue_set_limit_now(struct columns *k, uint32_t queue, uint32_t kind, int64_t amount) {
    int64_t was = k->c[C_QUEUE_LIMIT_NOW + kind].i64[queue];
    if (was == amount) return 0;
    set_i64(k, C_QUEUE_LIMIT_NOW + kind, queue, amount);
    if (amount > was) queue_gave(k, queue);
    return 1;
}

static const struct row_list child_queues = {C_QUEUE_NEXT, C_QUEUE_PREV};

int32_t queue_add(struct columns *k, const struct queue_spec *spec, uint32_t *out) {
    int32_t rc = undo_room(k);
    if (rc == LSCHED_OK) rc = index_reserve(k, T_IX_QUEUE, 1);
    if (rc != LSCHED_OK) return rc;
    uint32_t text = text_new(k, spec->name.ptr, (size_t)spec->name.len);
    uint32_t q = text == NO_ROW ? NO_ROW : row_new(k, T_QUEUE);
    if (q == NO_ROW || tally_reserve(k, table_memory_rows(k, T_QUEUE)) != LSCHED_OK)
        return LSCHED_E_NOMEM;
    tally_queue_begins(k, q);
    set_u32(k, C_QUEUE_NAME, q, text);
    set_u32(k, C_QUEUE_PARENT, q, spec->parent);
    SET_NONE(k, q, C_QUEUE_CHILD, C_QUEUE_NEXT, C_QUEUE_PREV, C_QUEUE_HEAP, C_QUEUE_PARKED,
             C_QUEUE_AMOUNTS, C_QUEUE_REFUSAL);
    if (spec->parent != NO_ROW) {
        set_u32(k, C_QUEUE_DEPTH, q, k->c[C_QUEUE_DEPTH].u32[spec->parent] + 1);
        row_list_push(k, child_queues, C_QUEUE_CHILD, spec->parent, q);
    }
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        set_i64(k, C_QUEUE_LEND + r, q, LSCHED_UNLIMITED);
    if (usage_decay_is_on(k)) set_i64(k, C_QUEUE_SPENT_AT, q, (int64_t)meta(k, M_NOW));
    rc = queue_set(k, q, spec);
    if (rc != LSCHED_OK) return rc;
    index_add(k, T_IX_QUEUE, q);
    *out = q;
    return LSCHED_OK;
}

void queue_remove(struct columns *k, uint32_t q) {
    assert(k->c[C_QUEUE_JOBS].u64[q] == 0 && queue_is_leaf(k, q));
    uint32_t parent = k->c[C_QUEUE_PARENT].u32[q];
    if (parent != NO_ROW) row_list_remove(k, child_queues, C_QUEUE_CHILD, parent, q);
    int32_t lenders = 0;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        lenders += k->c[C_QUEUE_LEND + r].i64[q] != LSCHED_UNLIMITED;
        set_i64(k, C_QUEUE_LEND + r, q, LSCHED_UNLIMITED);
    }
    /* makes HOLD of the queue 0 and subtracts it from BELOW of the queue above */
    if (lend_limits_any(k)) lend_limits_update(k, q);
    if (lenders) lend_limits_lenders(k, -lenders);
    resource_part_drop(k, q);
    queue_gave_end(k, q);
    index_remove(k, T_IX_QUEUE, q);
    text_free(k, k->c[C_QUEUE_NAME].u32[q]);
    row_free(k, T_QUEUE, q);
    structure_raise(k);
}

int queue_is_below(const struct columns *k, uint32_t queue, uint32_t top) {
    while (queue != NO_ROW && queue != top) queue = k->c[C_QUEUE_PARENT].u32[queue];
    return queue == top;
}

int queue_is_leaf(const struct columns *k, uint32_t queue) {
    return k->c[C_QUEUE_CHILD].u32[queue] == NO_ROW;
}

static int64_t amount_of(const struct columns *k, uint32_t shape, int64_t gpu, uint32_t kind) {
    return kind == LSCHED_GPU ? gpu : k->c[C_SHAPE_REQ + kind].i64[shape];
}

void queue_charge(struct columns *k, uint32_t queue, uint32_t shape, int64_t gpu, int64_t n) {
    uint32_t kinds = (uint32_t)meta(k, M_N_KINDS);
    if (usage_decay_is_on(k)) usage_decay_settle(k, queue);
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        for (uint32_t r = 1; r < kinds; r++)
            queue_amount_add(k, C_QUEUE_USED + r, q, amount_of(k, shape, gpu, r) * n);
        touch_queue(k, C_QUEUE_USED, q);
        if (n < 0) queue_gave(k, q);
    }
    if (!lend_limits_any(k)) return;
    for (uint32_t r = 1; r < kinds; r++) {
        int64_t amount = amount_of(k, shape, gpu, r) * n;
        set_meta(k, M_ROOTS_USED + r, meta(k, M_ROOTS_USED + r) + (uint64_t)amount);
    }
    lend_limits_update(k, queue);
}

void queue_count(struct columns *k, uint32_t queue, int64_t jobs, int64_t pending) {
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        set_u64(k, C_QUEUE_JOBS, q, k->c[C_QUEUE_JOBS].u64[q] + (uint64_t)jobs);
        set_u64(k, C_QUEUE_PENDING, q, k->c[C_QUEUE_PENDING].u64[q] + (uint64_t)pending);
    }
}

void queue_charge_more(struct columns *k, uint32_t queue, const int64_t more[KINDS_MAX]) {
    uint32_t kinds = (uint32_t)meta(k, M_N_KINDS);
    int gives = 0;
    if (usage_decay_is_on(k)) usage_decay_settle(k, queue);
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        for (uint32_t r = 1; r < kinds; r++) {
            queue_amount_add(k, C_QUEUE_USED + r, q, more[r]);
            gives |= more[r] < 0;
        }
        touch_queue(k, C_QUEUE_USED, q);
        if (gives) queue_gave(k, q);
    }
    if (!lend_limits_any(k)) return;
    for (uint32_t r = 1; r < kinds; r++)
        set_meta(k, M_ROOTS_USED + r, meta(k, M_ROOTS_USED + r) + (uint64_t)more[r]);
    lend_limits_update(k, queue);
}

int queue_has_room(const struct columns *k, uint32_t queue, uint32_t shape, int64_t gpu, int64_t n,
                   uint32_t *limiting, uint32_t *kind, int64_t *left) {
    uint32_t kinds = (uint32_t)meta(k, M_N_KINDS);
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        for (uint32_t r = 1; r < kinds; r++) {
            int64_t amount = amount_of(k, shape, gpu, r),
                    limit = k->c[C_QUEUE_LIMIT_NOW + r].i64[q];
            if (amount == 0) continue;
            if (limit > QUEUE_USED_MOST) limit = QUEUE_USED_MOST;
            int64_t room = limit - k->c[C_QUEUE_USED + r].i64[q];
            if (room >= 0 && amount <= (n == 1 ? room : room / n)) continue;
            *limiting = q;
            *kind = r;
            *left = room;
            return 0;
        }
    }
    return 1;
}

int queue_above_limits(const struct columns *k, uint32_t queue) {
    uint32_t kinds = (uint32_t)meta(k, M_N_KINDS);
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        uint32_t jobs = k->c[C_QUEUE_JOBS_MAX].u32[q];
        if (jobs && k->c[C_QUEUE_JOBS_HELD].u32[q] > jobs) return 1;
        for (uint32_t r = 1; r < kinds; r++)
            if (k->c[C_QUEUE_USED + r].i64[q] > k->c[C_QUEUE_LIMIT_NOW + r].i64[q]) return 1;
        for (uint32_t a = k->c[C_QUEUE_AMOUNTS].u32[q]; a != NO_ROW;
             a = k->c[C_QAMOUNT_NEXT].u32[a])
            if (k->c[C_QAMOUNT_USED].i64[a] > k->c[C_QAMOUNT_LIMIT_NOW].i64[a]) return 1;
    }
    return 0;
}

static uint32_t full_by(const struct columns *k, uint32_t queue, uint32_t most, int held) {
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        uint32_t max = k->c[most].u32[q];
        uint64_t n = held ? k->c[C_QUEUE_JOBS_HELD].u32[q] : k->c[C_QUEUE_JOBS].u64[q];
        if (max && n >= max) return q;
    }
    return NO_ROW;
}

uint32_t queue_full_of_holders(const struct columns *k, uint32_t queue) {
    return full_by(k, queue, C_QUEUE_JOBS_MAX, 1);
}

uint32_t queue_full_of_jobs(const struct columns *k, uint32_t queue) {
    return full_by(k, queue, C_QUEUE_SUBMITTED_MAX, 0);
}
