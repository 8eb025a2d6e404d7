/* job_rank.c -- see job_rank.h. */
#include "model/life/job_rank.h"

#include "model/jobs/task_row.h"
#include "model/news/queue_news.h"

void job_rank_set(struct columns *k, uint32_t job, int32_t rank) {
    if (rank == k->c[C_JOB_RANK].i32[job]) return;
    if (meta(k, M_PARKED_JOBS)) {
        evict_news(k);
        set_meta(k, M_EVICT_NEXT, meta(k, M_SCHEDULED));
    }
    set_i32(k, C_JOB_RANK, job, rank);
    task_touch_all(k, job);
}
