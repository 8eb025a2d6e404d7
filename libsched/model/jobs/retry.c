/* retry.c -- see retry.h. */
#include "model/jobs/retry.h"

#include "base/times.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/job_cost.h"
#include "model/jobs/bundle.h"
#include "model/told/change_feed.h"

/* Returns the word by which COST.AVOID names a node: its generation and its row. A row that is
 * used again has another generation. No generation is 0. */
static uint64_t retry_node_word(const struct columns *k, uint32_t node) {
    return (uint64_t)k->c[C_NODE_GEN].u32[node] << 32 | node;
}

uint32_t retry_avoids(const struct columns *k, uint32_t job) {
    uint32_t cost = k->c[C_JOB_COST].u32[job];
    uint64_t word = cost == NO_ROW ? 0 : k->c[C_COST_AVOID].u64[cost];
    uint32_t node = (uint32_t)word;
    return word && row_is_live(k, T_NODE, node) && retry_node_word(k, node) == word ? node : NO_ROW;
}

int32_t retry_failed(struct columns *k, uint32_t job, uint32_t node, int64_t since, int64_t at) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t cost = job_cost(k, job);
    if (cost == NO_ROW) return LSCHED_E_NOMEM;
    set_u64(k, C_COST_AVOID, cost, retry_node_word(k, node));
    touch_job(k, job);
    uint32_t n = k->c[C_COST_RETRIES].u32[cost];
    /* The task was placed before the last counted failure. Therefore its failure is part of that
     * one. */
    if (n > 0 && since < k->c[C_COST_FAILED_AT].i64[cost]) return LSCHED_OK;
    if (n < UINT32_MAX) set_u32(k, C_COST_RETRIES, cost, n + 1);
    set_i64(k, C_COST_FAILED_AT, cost, at);
    int64_t until = retry_until(k, job, at);
    if (until) change_feed_note_job(k, LSCHED_CHANGE_BACKOFF, job, node, 0, until);
    return LSCHED_OK;
}

void retry_reset(struct columns *k, uint32_t job) {
    uint32_t cost = k->c[C_JOB_COST].u32[job], b = k->c[C_JOB_BUNDLE].u32[job];
    if (cost == NO_ROW) return;
    set_u32(k, C_COST_RETRIES, cost, 0);
    touch_job(k, job);
    set_i64(k, C_COST_FAILED_AT, cost, 0);
    if (b == NO_ROW) return;
    uint32_t code = k->c[C_BUNDLE_CODE].u8[b];
    if (code == LSCHED_WAIT_BACKOFF || code == LSCHED_WAIT_RETRIES) bundle_wake(k, b);
}

int64_t retry_until(const struct columns *k, uint32_t job, int64_t now) {
    uint32_t cost = k->c[C_JOB_COST].u32[job],
             n = cost == NO_ROW ? 0 : k->c[C_COST_RETRIES].u32[cost];
    if (n == 0) return 0;
    uint32_t max = k->c[C_COST_RETRIES_MAX].u32[cost];
    int64_t backoff = k->c[C_COST_BACKOFF].i64[cost], at = k->c[C_COST_FAILED_AT].i64[cost];
    if (max && n > max) return LSCHED_NEVER_US;
    if (backoff == 0) return 0;
    /* backoff * 2^(n - 1), limited to the largest time */
    uint32_t doublings = n - 1 < 62 ? n - 1 : 62;
    int64_t wait =
        backoff > LSCHED_AMOUNT_MAX >> doublings ? LSCHED_AMOUNT_MAX : backoff << doublings;
    int64_t until = time_after_at_most(at, wait);
    return until > now ? until : 0;
}

int32_t retry_park(struct columns *k, uint32_t job, int64_t now) {
    int64_t until = retry_until(k, job, now);
    if (until == 0) return 0;
    uint32_t cost = k->c[C_JOB_COST].u32[job];
    struct park_reason why = {.limiting_queue = NO_ROW};
    why.code = until == LSCHED_NEVER_US ? LSCHED_WAIT_RETRIES : LSCHED_WAIT_BACKOFF;
    why.need = k->c[C_COST_RETRIES_MAX].u32[cost];
    why.have = k->c[C_COST_RETRIES].u32[cost];
    int32_t rc = job_park_alone(k, job, until, &why);
    return rc == LSCHED_OK ? 1 : rc;
}
