/* guarantee_reserve.c -- see guarantee_reserve.h. */
#include "engine/queues/guarantee_reserve.h"

#include "base/amounts.h"
#include "base/vec.h"
#include "engine/queues/queue_guarantee.h"
#include "engine/queues/share_waiters.h"
#include "model/jobs/bundle.h"
#include "model/queues/user_queue.h"
#include "model/store/steps.h"
#include "engine/state/transaction.h"

static int is_owed(const struct columns *k, uint32_t b) {
    return row_is_live(k, T_BUNDLE, b) && k->c[C_BUNDLE_OWED].u8[b] &&
           k->c[C_BUNDLE_STATE].u8[b] == BUNDLE_PARKED;
}

/* Finds the root queues. Users' queues are many and are below other queues: the computation of idle
 * room needs only the roots. */
static int32_t find_roots(lsched_cycle *y) {
    const struct columns *k = y->k;
    steps_add(k, table_rows(k, T_QUEUE));
    y->n_roots = 0;
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++) {
        if (!row_is_live(k, T_QUEUE, q) || k->c[C_QUEUE_PARENT].u32[q] != NO_ROW) continue;
        if (!VEC_ROOM(k->alloc, y->roots, y->cap_roots, y->n_roots + 1)) return LSCHED_E_NOMEM;
        y->roots[y->n_roots++] = q;
    }
    return LSCHED_OK;
}

int32_t guarantee_reserve_begin(lsched_cycle *y) {
    struct columns *k = y->k;
    uint32_t n = 0;
    memset(y->owed, 0, sizeof y->owed);
    y->owed_job = NO_ROW;
    if (meta(k, M_OWED) == 0) return LSCHED_OK;
    /* each bundle is read; the work is charged to the budget */
    act_spend(y, table_live(k, T_BUNDLE));
    steps_add(k, table_rows(k, T_BUNDLE));
    for (uint32_t b = 0; b < table_rows(k, T_BUNDLE); b++) {
        if (!is_owed(k, b)) continue;
        int64_t need[KINDS_MAX] = {0};
        job_next_need(k, bundle_head(k, b), need);
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
            y->owed[r] = amount_sum(y->owed[r], need[r]);
        n++;
    }
    y->owes = n > 0;
    int32_t rc = n > 0 ? find_roots(y) : LSCHED_OK;
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    int fewer = n <= meta(k, M_OWED); /* a reserve can have become smaller */
    set_meta(k, M_OWED, n);
    return fewer ? share_waiters_wake(k) : LSCHED_OK;
}

/* True if the tasks would bring a queue of the path above its guarantee. */
static int goes_beyond(lsched_cycle *y, uint32_t queue, uint32_t shape, int64_t gpu, int64_t n) {
    const struct columns *k = y->k;
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
            int64_t req = r == LSCHED_GPU ? gpu : k->c[C_SHAPE_REQ + r].i64[shape];
            if (req == 0 || y->owed[r] == 0) continue;
            int64_t right = queue_guarantee(y, q, r);
            if (right == LSCHED_UNLIMITED || queue_is_of_user(k, q)) continue;
            if (req * n > right - k->c[C_QUEUE_USED + r].i64[q]) return 1;
        }
    }
    return 0;
}

static int64_t idle(const lsched_cycle *y, uint32_t r) {
    const struct columns *k = y->k;
    int64_t left = (int64_t)meta(k, M_TOTAL_READY + r);
    steps_add(k, y->n_roots);
    for (uint32_t i = 0; i < y->n_roots; i++) left -= k->c[C_QUEUE_USED + r].i64[y->roots[i]];
    return left;
}

/* Returns the job's own portion of the reserve, which must not delay the job itself. The portion is
 * computed before any task of the job is placed, because the first question comes then. */
static const int64_t *owed_to_itself(lsched_cycle *y, uint32_t job) {
    const struct columns *k = y->k;
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    if (y->owed_job == job) return y->owed_mine;
    y->owed_job = job;
    memset(y->owed_mine, 0, sizeof y->owed_mine);
    if (b != NO_ROW && k->c[C_BUNDLE_OWED].u8[b]) job_next_need(k, job, y->owed_mine);
    return y->owed_mine;
}

int guarantee_reserve_allows(lsched_cycle *y, uint32_t job, uint32_t group, int64_t gpu,
                             int64_t n) {
    const struct columns *k = y->k;
    if (!y->owes) return 1;
    const int64_t *mine = owed_to_itself(y, job);
    uint32_t queue = k->c[C_JOB_QUEUE].u32[job], shape = leaf_shape(k, job, group);
    if (!goes_beyond(y, queue, shape, gpu, n)) return 1;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t req = r == LSCHED_GPU ? gpu : k->c[C_SHAPE_REQ + r].i64[shape], have;
        if (req == 0 || y->owed[r] == 0) continue;
        have = idle(y, r) - (y->owed[r] > mine[r] ? y->owed[r] - mine[r] : 0);
        if (req <= (have < 0 ? 0 : have) / n) continue;
        y->why = (struct diagnosis){.code = LSCHED_WAIT_LENDING,
                                    .kind = r,
                                    .group = group,
                                    .limiting = queue,
                                    .need = req * n,
                                    .have = have < 0 ? 0 : have,
                                    .shape = NO_ROW};
        return 0;
    }
    return 1;
}
