/* soft_limit.c -- see soft_limit.h. */
#include "model/jobs/soft_limit.h"

#include "base/times.h"
#include "model/jobs/job_cost.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/task_row.h"
#include "model/news/queue_news.h"

int64_t soft_limit_end(const struct columns *k, uint32_t job) {
    int64_t limit = soft_limit(k, job), since = limit > 0 ? job_since(k, job) : 0;
    return since ? time_after_at_most(since, limit) : LSCHED_NEVER_US;
}

int32_t soft_limit_set(struct columns *k, uint32_t job, int64_t limit) {
    if (limit == soft_limit(k, job)) return LSCHED_OK;
    uint32_t cost = job_cost(k, job);
    if (cost == NO_ROW || undo_room(k) != LSCHED_OK) return LSCHED_E_NOMEM;
    set_i64(k, C_COST_SOFT_LIMIT, cost, limit);
    task_touch_all(k, job); /* indexes of running work have its tasks by what can evict them */
    evict_news(k);
    return undo_room(k);
}
