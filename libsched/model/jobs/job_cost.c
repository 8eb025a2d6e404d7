/* job_cost.c -- see job_cost.h. */
#include "model/jobs/job_cost.h"

#include "base/times.h"
#include "model/news/queue_news.h"
#include "model/told/change_feed.h"

uint32_t job_cost(struct columns *k, uint32_t job) {
    uint32_t cost = k->c[C_JOB_COST].u32[job];
    if (cost != NO_ROW) return cost;
    cost = row_new(k, T_COST);
    if (cost == NO_ROW) return NO_ROW;
    set_u32(k, C_COST_JOB, cost, job);
    set_i64(k, C_COST_STALE_SINCE, cost, LSCHED_NEVER_US);
    set_i64(k, C_COST_WINDOW_TAKEN, cost, LSCHED_NEVER_US);
    set_u32(k, C_JOB_COST, job, cost);
    return cost;
}

void job_set_stale(struct columns *k, uint32_t job, int64_t since) {
    uint32_t cost = k->c[C_JOB_COST].u32[job];
    if (cost == NO_ROW) return;
    int was = k->c[C_COST_STALE_SINCE].i64[cost] != LSCHED_NEVER_US, is = since != LSCHED_NEVER_US;
    if (was != is)
        change_feed_note_job(k, is ? LSCHED_CHANGE_STALE : LSCHED_CHANGE_REPAIRED, job, NO_ROW, 0,
                             0);
    set_i64(k, C_COST_STALE_SINCE, cost, since);
    if (is && !was) evict_news_at(k, since); /* a cycle adds the grace period of the policy */
}

int job_cost_disruptions_left(const struct columns *k, uint32_t job, int64_t now) {
    uint32_t c = k->c[C_JOB_COST].u32[job];
    if (c == NO_ROW || k->c[C_COST_DISRUPTIONS_MAX].u32[c] == 0) return 1;
    int64_t window = k->c[C_COST_WINDOW].i64[c];
    return (window && now - k->c[C_COST_WINDOW_START].i64[c] >= window) ||
           k->c[C_COST_DISRUPTIONS].u32[c] < k->c[C_COST_DISRUPTIONS_MAX].u32[c];
}

int64_t job_cost_window_end(const struct columns *k, uint32_t job) {
    uint32_t c = k->c[C_JOB_COST].u32[job];
    int64_t window = c == NO_ROW ? 0 : k->c[C_COST_WINDOW].i64[c];
    return window ? time_after(k->c[C_COST_WINDOW_START].i64[c], window) : LSCHED_NEVER_US;
}

int64_t job_cost_refused_until(const struct columns *k, uint32_t job, int64_t now, int64_t grace) {
    uint32_t c = k->c[C_JOB_COST].u32[job];
    int64_t at = c == NO_ROW ? 0 : k->c[C_COST_REFUSED_AT].i64[c];
    int64_t until = at ? time_after_at_most(at, grace) : 0;
    return until > now ? until : 0;
}
