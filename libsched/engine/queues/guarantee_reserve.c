/* guarantee_reserve.c -- see guarantee_reserve.h. */
#include "engine/queues/guarantee_reserve.h"

#include "base/amounts.h"
#include "engine/queues/queue_guarantee.h"
#include "engine/queues/share_waiters.h"
#include "model/jobs/bundle.h"
#include "model/demand/job_counts.h"
#include "model/queues/user_queue.h"
#include "model/resizes/resize_list.h"
#include "model/store/steps.h"
#include "engine/state/decision_kinds.h"
#include "engine/state/transaction.h"

static int is_owed(const struct columns *k, uint32_t b) {
    return row_is_live(k, T_BUNDLE, b) && k->c[C_BUNDLE_OWED].u8[b] &&
           k->c[C_BUNDLE_STATE].u8[b] == BUNDLE_PARKED;
}

/* Sets owed[kind] to the sum of what the bundles that are owed need, and returns their number. */
static uint32_t owed_now(const struct columns *k, int64_t owed[KINDS_MAX]) {
    uint32_t n = 0;
    memset(owed, 0, KINDS_MAX * sizeof *owed);
    steps_add(k, table_rows(k, T_BUNDLE));
    for (uint32_t b = 0; b < table_rows(k, T_BUNDLE); b++) {
        if (!is_owed(k, b)) continue;
        int64_t need[KINDS_MAX] = {0};
        job_next_need(k, bundle_head(k, b), need);
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) owed[r] = amount_sum(owed[r], need[r]);
        n++;
    }
    return n;
}

int guarantee_reserve_fell(const struct columns *k) {
    int64_t owed[KINDS_MAX];
    int fell = 0;
    if (meta(k, M_OWED) == 0) return 0;
    (void)owed_now(k, owed); /* only the amounts matter */
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        fell |= (uint64_t)owed[r] < meta(k, M_PASS_OWED + r);
    return fell;
}

int32_t guarantee_reserve_begin(lsched_cycle *cy) {
    struct columns *k = cy->k;
    memset(cy->reserve->owed, 0, sizeof cy->reserve->owed);
    cy->reserve->job = NO_ROW;
    /* a reserve is for a job that can evict later */
    if (meta(k, M_OWED) == 0 || !decision_kinds_allow(cy, KINDS_TO_EVICT)) return LSCHED_OK;
    /* each bundle is read, therefore one work unit per bundle is charged to the budget */
    act_spend(cy, table_live(k, T_BUNDLE));
    uint32_t n = owed_now(k, cy->reserve->owed);
    cy->reserve->owes = n > 0;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    int fewer = n <= meta(k, M_OWED); /* 1 if the reserve can have become smaller */
    if (fewer) evict_news(k); /* a search for victims can have failed because of the reserve */
    set_meta(k, M_OWED, n);
    if (fewer) rc = resize_list_wake_queues(k);
    return fewer && rc == LSCHED_OK ? share_waiters_wake(k) : rc;
}

/* True if n more tasks would bring the job's queue, or a queue above, over its guarantee for a
 * resource kind that has a reserve. */
static int goes_beyond(lsched_cycle *cy, const struct ask *a, int64_t gpu, int64_t n) {
    const struct columns *k = cy->k;
    for (uint32_t q = a->queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
            int64_t req = r == LSCHED_GPU ? gpu : k->c[C_SHAPE_REQ + r].i64[a->shape];
            if (req == 0 || cy->reserve->owed[r] == 0) continue;
            int64_t right = queue_guarantee(cy, q, r);
            if (right == LSCHED_UNLIMITED || queue_is_of_user(k, q)) continue;
            if (req * n > right - k->c[C_QUEUE_USED + r].i64[q]) return 1;
        }
    }
    return 0;
}

static int64_t idle(const lsched_cycle *cy, uint32_t r) {
    const struct columns *k = cy->k;
    int64_t left = (int64_t)meta(k, M_TOTAL_READY + r);
    uint32_t n;
    const uint32_t *roots = share_roots(&cy->c->share, &n);
    steps_add(k, n);
    for (uint32_t i = 0; i < n; i++) left -= k->c[C_QUEUE_USED + r].i64[roots[i]];
    return left;
}

/* Returns the portion of the reserve that is kept for the job itself, because this portion must
 * not delay the job. The portion is computed at the first question about a job. At that time no
 * task of the job is placed in its transaction yet. */
static const int64_t *owed_to_itself(lsched_cycle *cy, uint32_t job) {
    const struct columns *k = cy->k;
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    if (cy->reserve->job == job) return cy->reserve->mine;
    cy->reserve->job = job;
    memset(cy->reserve->mine, 0, sizeof cy->reserve->mine);
    if (b != NO_ROW && k->c[C_BUNDLE_OWED].u8[b]) job_next_need(k, job, cy->reserve->mine);
    return cy->reserve->mine;
}

int guarantee_reserve_allows(lsched_cycle *cy, const struct ask *a, int64_t gpu, int64_t n) {
    const struct columns *k = cy->k;
    if (!cy->reserve->owes) return 1;
    const int64_t *mine = owed_to_itself(cy, a->job);
    if (!goes_beyond(cy, a, gpu, n)) return 1;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t req = r == LSCHED_GPU ? gpu : k->c[C_SHAPE_REQ + r].i64[a->shape], have;
        if (req == 0 || cy->reserve->owed[r] == 0) continue;
        have = idle(cy, r) - (cy->reserve->owed[r] > mine[r] ? cy->reserve->owed[r] - mine[r] : 0);
        if (req <= (have < 0 ? 0 : have) / n) continue;
        cy->turn.why = (struct diagnosis){.code = LSCHED_WAIT_LENDING,
                                          .kind = r,
                                          .group = a->group,
                                          .limiting = a->queue,
                                          .need = req * n,
                                          .have = have < 0 ? 0 : have,
                                          .shape = NO_ROW};
        return 0;
    }
    return 1;
}

int guarantee_reserve_allows_more(lsched_cycle *cy, uint32_t queue, const int64_t more[KINDS_MAX]) {
    const struct columns *k = cy->k;
    int beyond = 0;
    if (!cy->reserve->owes) return 1;
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q])
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
            if (more[r] <= 0 || cy->reserve->owed[r] == 0 || queue_is_of_user(k, q)) continue;
            int64_t right = queue_guarantee(cy, q, r);
            beyond |= right != LSCHED_UNLIMITED && more[r] > right - k->c[C_QUEUE_USED + r].i64[q];
        }
    for (uint32_t r = 1; beyond && r < meta(k, M_N_KINDS); r++) {
        if (more[r] <= 0 || cy->reserve->owed[r] == 0) continue;
        int64_t have = idle(cy, r) - cy->reserve->owed[r];
        if (more[r] <= have) continue;
        cy->turn.why = (struct diagnosis){.code = LSCHED_WAIT_LENDING,
                                          .kind = r,
                                          .limiting = queue,
                                          .need = more[r],
                                          .have = have < 0 ? 0 : have,
                                          .shape = NO_ROW};
        return 0;
    }
    return 1;
}
