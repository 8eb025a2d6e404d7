/* stops.c -- see stops.h. */
#include "model/jobs/stops.h"

#include "model/jobs/job_cost.h"
#include "model/queues/queue.h"

/* Returns the id of a job: its generation and its row. A row that is used again has another
 * generation. No generation is 0. */
static uint64_t job_word(const struct columns *k, uint32_t job) {
    return (uint64_t)k->c[C_JOB_GEN].u32[job] << 32 | job;
}

/* Returns the highest queue that is above `job` and not above `other`. */
static uint32_t branch_of(const struct columns *k, uint32_t job, uint32_t other) {
    uint32_t top = k->c[C_JOB_QUEUE].u32[job], with = k->c[C_JOB_QUEUE].u32[other];
    for (uint32_t up = k->c[C_QUEUE_PARENT].u32[top]; up != NO_ROW && !queue_is_below(k, with, up);
         up = k->c[C_QUEUE_PARENT].u32[top])
        top = up;
    return top;
}

uint32_t stops_for(const struct columns *k, uint32_t job) {
    uint32_t cost = k->c[C_JOB_COST].u32[job];
    uint64_t word = cost == NO_ROW ? 0 : k->c[C_COST_STOPPED_FOR].u64[cost];
    uint32_t other = (uint32_t)word;
    if (!word || !row_is_live(k, T_JOB, other) || job_word(k, other) != word) return NO_ROW;
    uint32_t branch = branch_of(k, job, other);
    return k->c[C_COST_STOPPED_NEWS].u32[cost] == k->c[C_QUEUE_NEWS].u32[branch] ? other : NO_ROW;
}

int stops_stand(const struct columns *k, uint32_t job) {
    return stops_for(k, job) != NO_ROW;
}

int32_t stops_mark(struct columns *k, uint32_t job, uint32_t for_job) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK || stops_stand(k, job)) return rc;
    uint32_t cost = job_cost(k, job);
    if (cost == NO_ROW) return LSCHED_E_NOMEM;
    set_u64(k, C_COST_STOPPED_FOR, cost, job_word(k, for_job));
    set_u32(k, C_COST_STOPPED_NEWS, cost, k->c[C_QUEUE_NEWS].u32[branch_of(k, job, for_job)]);
    return LSCHED_OK;
}

int32_t stops_pass_on(struct columns *k, uint32_t job, uint32_t from) {
    uint32_t other = stops_for(k, from);
    return other == NO_ROW || other == job ? LSCHED_OK : stops_mark(k, job, other);
}

void stops_forget(struct columns *k, uint32_t job) {
    uint32_t cost = k->c[C_JOB_COST].u32[job];
    if (cost == NO_ROW || k->c[C_COST_STOPPED_FOR].u64[cost] == 0) return;
    set_u64(k, C_COST_STOPPED_FOR, cost, 0);
    evict_news(k);
}
