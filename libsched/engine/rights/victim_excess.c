/* victim_excess.c -- see victim_excess.h. */
#include "engine/rights/victim_excess.h"

#include "engine/state/transaction.h"
#include "engine/rights/part_quota.h"
#include "engine/rights/victim_right.h"
#include "model/queues/user_queue.h"
#include "model/store/steps.h"

/* Returns the kinds, one bit each, of which the queue holds more than its right, without the work
 * that has not started. */
static uint32_t kinds_above(const struct lsched_cycle *cy, uint32_t q, int guarantee_only) {
    const struct columns *k = cy->k;
    uint32_t above = 0;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t used =
            k->c[C_QUEUE_USED + r].i64[q] - cy->victims->pending[(size_t)q * KINDS_MAX + r];
        if (used > 0 && used > victim_right(cy, q, r, guarantee_only)) above |= 1u << r;
    }
    return above;
}

static int32_t find_excess(struct lsched_cycle *cy) {
    const struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    size_t bytes = (h->cap_queues + 1ul) * sizeof *h->excess.row;
    if (!h->excess.row) h->excess.row = alloc_new(k->alloc, bytes);
    if (!h->excess.row) return LSCHED_E_NOMEM;
    memset(h->excess.row, 0, bytes);
    steps_add(k, h->cap_queues + 1ul);
    act_spend(cy, table_live(k, T_QUEUE));
    for (uint32_t i = 0; i < table_live(k, T_QUEUE); i++) {
        uint32_t q = cy->c->share.order[i], parent = k->c[C_QUEUE_PARENT].u32[q];
        struct victim_above *up = &h->excess.row[parent == NO_ROW ? h->cap_queues : parent];
        for (int g = 0; g < 2; g++) {
            uint32_t above = h->excess.row[q].self[g] = kinds_above(cy, q, g);
            up->many[g] |= up->any[g] & above;
            up->any[g] |= above;
        }
    }
    h->excess.known = 1;
    return LSCHED_OK;
}

int victim_excess_curable(const struct lsched_cycle *cy, uint32_t level, int guarantee_only,
                          const int64_t *below) {
    const struct victim_search *h = cy->victims;
    for (uint32_t r = 1; r < meta(cy->k, M_N_KINDS); r++)
        if ((h->kinds >> r & 1) && h->over[level][guarantee_only][r] > 0 &&
            h->over[level][guarantee_only][r] > below[r])
            return 0;
    return 1;
}

/* True if a branch that leaves the job's path at this level is above its right. */
static int any_above(const struct victim_search *h, uint32_t level, int guarantee_only) {
    const struct victim_above *up =
        &h->excess.row[level < h->n_path ? h->path[level] : h->cap_queues];
    uint32_t own = level > 0 ? h->excess.row[h->path[level - 1]].self[guarantee_only] : 0;
    return (h->kinds & (up->many[guarantee_only] | (up->any[guarantee_only] & ~own))) != 0;
}

int32_t victim_excess_none(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    const int64_t nothing[KINDS_MAX] = {0};
    /* another alternative than the one that is chosen now can need less, or more */
    int chooses = jobshape_chooses(cy->k, h->jobshape);
    /* the other users of the job's own queue are in branches beside the path, too */
    int users = h->both && queue_real(cy->k, h->queue) != h->queue;
    if (h->reason != LSCHED_FOR_RECLAIM || !h->has_amounts || users || part_quota_entitled(cy) ||
        (h->both && h->quota.pending))
        return 0;
    int32_t rc = h->excess.known ? LSCHED_OK : find_excess(cy);
    if (rc != LSCHED_OK) return rc;
    for (uint32_t level = 0; level <= h->n_path; level++) {
        /* work of the job's own queue can bring its side within each of its rights */
        int guaranteed = h->both || level == 0 || chooses;
        if (!guaranteed && !victim_excess_curable(cy, level - 1, 0, nothing)) return 1;
        guaranteed = guaranteed || victim_excess_curable(cy, level - 1, 1, nothing);
        h->may_guarantee |= guaranteed && level > 0 && (chooses || !h->guarantee[level - 1]);
        if (any_above(h, level, guaranteed)) return 0;
    }
    return 1;
}

void victim_excess_close(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    alloc_free(cy->k->alloc, h->excess.row,
               h->excess.row ? (h->cap_queues + 1ul) * sizeof *h->excess.row : 0);
}
