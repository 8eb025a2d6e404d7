/* victim_right.c -- see victim_right.h. */
#include "engine/rights/victim_right.h"

#include "base/wide.h"
#include "engine/rights/victim_unit.h"
#include "model/queues/queue.h"
#include "model/queues/user_queue.h"
#include "model/store/steps.h"
#include "model/jobs/task_row.h"

int victim_right_is_own(const struct lsched_cycle *cy, uint32_t queue) {
    return cy->victims->both && queue_same_real(cy->k, queue, cy->victims->queue);
}

int64_t victim_right(const struct lsched_cycle *cy, uint32_t queue, uint32_t kind,
                     int guarantee_only) {
    const struct share_tree *s = &cy->c->share;
    int64_t guarantee = 0, share = 0;
    if (!s->ops->amounts ||
        s->ops->amounts(s->self, cycle_view(cy), queue, kind, &guarantee, &share) != LSCHED_OK)
        return LSCHED_UNLIMITED;
    return guarantee_only || guarantee > share ? guarantee : share;
}

uint32_t victim_right_ancestor(const struct lsched_cycle *cy, uint32_t victim_queue) {
    const struct victim_search *h = cy->victims;
    const struct columns *k = cy->k;
    for (uint32_t q = victim_queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q])
        for (uint32_t i = 0; i < h->n_path; i++)
            if (h->path[i] == q) return i;
    return h->n_path;
}

struct victim_levels victim_right_levels(const struct lsched_cycle *cy, uint32_t queue) {
    const struct victim_search *h = cy->victims;
    uint32_t at = victim_right_ancestor(cy, queue), top = queue;
    uint32_t end = at == h->n_path ? NO_ROW : h->path[at];
    while (at > 0 && cy->k->c[C_QUEUE_PARENT].u32[top] != end)
        top = cy->k->c[C_QUEUE_PARENT].u32[top];
    int whole_path = cycle_eviction(cy)->protection == POLICY_PROTECT_PATH;
    return (struct victim_levels){whole_path ? queue : top, top, end, at};
}

int64_t victim_right_given(const struct lsched_cycle *cy, uint32_t q, uint32_t r,
                           const struct victim_set *set) {
    int64_t sum = 0;
    for (uint32_t i = 0; set && i < set->n; i++)
        if (set->unit[i].chosen && queue_is_below(cy->k, set->unit[i].queue, q))
            sum += victim_unit_amount(cy->k, &set->unit[i], r);
    return sum;
}

int32_t victim_right_over(const struct lsched_cycle *cy, uint32_t top,
                          const struct victim_set *set) {
    const struct victim_search *h = cy->victims;
    const struct columns *k = cy->k;
    if (h->reason != LSCHED_FOR_RECLAIM || !h->has_amounts) return 0;
    int64_t most = 0;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t total = (int64_t)meta(k, M_TOTAL_READY + r), right;
        if (!(h->kinds >> r & 1) || total <= 0) continue;
        right = victim_right(cy, top, r, 0);
        int64_t used = k->c[C_QUEUE_USED + r].i64[top] - victim_right_given(cy, top, r, set);
        int64_t over = used > right ? (int64_t)((wide_i128)(used - right) * 64 / total) : 0;
        if (over > most) most = over;
    }
    return (int32_t)-most;
}

/* True if `used` is above `right`. With guarantee_only, `right` is a guarantee, and any larger
 * amount is above it. Otherwise `right` is an entitlement, and `used` must exceed it by the
 * policy's factor `saturation`. */
static int victim_right_is_above(const struct lsched_cycle *cy, int64_t used, int64_t right,
                                 int guarantee_only) {
    int64_t saturation = cycle_eviction(cy)->saturation_milli;
    if (guarantee_only || right == LSCHED_UNLIMITED) return used > right;
    return used > right && (wide_i128)used * 1000 > (wide_i128)right * saturation;
}

uint32_t victim_right_kinds_above(const struct lsched_cycle *cy, uint32_t q, int guarantee_only,
                                  uint32_t kinds, const int64_t *less) {
    uint32_t above = 0;
    for (uint32_t r = 1; r < meta(cy->k, M_N_KINDS); r++) {
        int64_t used = cy->k->c[C_QUEUE_USED + r].i64[q] - (less ? less[r] : 0);
        if ((kinds >> r & 1) && used > 0 &&
            victim_right_is_above(cy, used, victim_right(cy, q, r, guarantee_only), guarantee_only))
            above |= 1u << r;
    }
    return above;
}

int64_t victim_right_dominant(const struct lsched_cycle *cy, uint32_t q, const int64_t *more,
                              const struct victim_set *set, const struct victim_unit *without) {
    const struct columns *k = cy->k;
    int64_t most = 0;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t total = (int64_t)meta(k, M_TOTAL_READY + r), weight;
        if (total <= 0) continue;
        wide_i128 used =
            (wide_i128)k->c[C_QUEUE_USED + r].i64[q] - victim_right_given(cy, q, r, set);
        if (more) used += more[r];
        if (without) used -= victim_unit_amount(k, without, r);
        weight = k->c[C_QUEUE_WEIGHT_NOW + r].i64[q];
        if (used <= 0) continue;
        if (weight <= 0) return INT64_MAX;
        wide_i128 share = (used << 30) / total * 1000 / weight;
        if (share > most) most = share > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)share;
    }
    return most;
}

uint32_t victim_right_guaranteed_kinds(const struct columns *k) {
    uint32_t kinds = 0;
    steps_add(k, table_rows(k, T_QUEUE));
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++) {
        if (!row_is_live(k, T_QUEUE, q)) continue;
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
            if (k->c[C_QUEUE_QUOTA_NOW + r].i64[q] > 0) kinds |= 1u << r;
    }
    return kinds;
}

/* Work that is placed or nominated and has not started is the latest work that its queue got, and
 * it cannot be evicted. If a queue is above its entitlement only with such work, running work of
 * the queue must not be evicted instead. Otherwise two queues would evict each other's work in
 * turn for ever. Nominations that can be taken away are not counted as pending. */
int victim_right_is_pending(const struct columns *k, uint32_t decision) {
    uint32_t t = k->c[C_DECISION_TASK].u32[decision], job = k->c[C_TASK_JOB].u32[t];
    uint8_t state = k->c[C_TASK_STATE].u8[t];
    /* a decision that the current stage of the action has made is not pending */
    if (k->c[C_DECISION_GROUP].u64[decision] > meta(k, M_PASS_GROUP)) return 0;
    if (state == LSCHED_TASK_RELEASING || state == LSCHED_TASK_RUNNING ||
        (k->c[C_JOB_FLAGS].u8[job] & LSCHED_JOB_NON_PREEMPTIBLE))
        return 0;
    return state != LSCHED_TASK_NOMINATED ||
           k->c[C_DECISION_STATE].u8[decision] != LSCHED_DECISION_CONFIRMED;
}

int32_t victim_right_open(struct lsched_cycle *cy) {
    const struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    h->cap_queues = table_rows(k, T_QUEUE);
    h->has_amounts = cy->c->share.ops->amounts != NULL;
    h->guaranteed = victim_right_guaranteed_kinds(k);
    if (h->cap_queues == 0) return LSCHED_OK;
    h->pending = alloc_zero(k->alloc, h->cap_queues * sizeof(int64_t) * KINDS_MAX);
    if (!h->pending) return LSCHED_E_NOMEM;
    /* only reclaim tests protection, therefore only reclaim needs these amounts */
    uint32_t d = h->reason == LSCHED_FOR_RECLAIM ? (uint32_t)meta(k, M_OPEN_HEAD) : NO_ROW;
    for (; d != NO_ROW; d = k->c[C_DECISION_NEXT].u32[d]) {
        uint32_t t = k->c[C_DECISION_TASK].u32[d], job = k->c[C_TASK_JOB].u32[t];
        steps_add(k, 1);
        if (!victim_right_is_pending(k, d)) continue;
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
            int64_t amount = task_amount(k, t, r);
            for (uint32_t q = k->c[C_JOB_QUEUE].u32[job]; amount && q != NO_ROW;
                 q = k->c[C_QUEUE_PARENT].u32[q])
                h->pending[(size_t)q * KINDS_MAX + r] += amount;
        }
    }
    return LSCHED_OK;
}

void victim_right_close(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    alloc_free(cy->k->alloc, h->pending, h->cap_queues * sizeof(int64_t) * KINDS_MAX);
}

int victim_right_keeps(const struct lsched_cycle *cy, int64_t gpu) {
    const struct victim_search *h = cy->victims;
    if (!h || h->reason != LSCHED_FOR_RECLAIM || !h->has_amounts || !(h->kinds >> LSCHED_GPU & 1))
        return 1;
    for (uint32_t i = 0; i < h->n_path && h->share_ok[i]; i++) {
        int sure = h->guarantee[i] && h->standing[i + 1][SIDE_GUARANTEE];
        int64_t right = victim_right(cy, h->path[i], LSCHED_GPU, sure);
        int64_t used = cy->k->c[C_QUEUE_USED + LSCHED_GPU].i64[h->path[i]];
        if (right != LSCHED_UNLIMITED && used + gpu > right) return 0;
    }
    return 1;
}
