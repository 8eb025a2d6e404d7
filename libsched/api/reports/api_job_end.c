/* api_job_end.c -- lsched_job_end_get: how the running work of a job will end. */
#include "api/door/args.h"
#include "engine/explain/job_end.h"

LSCHED_API int32_t lsched_job_end_get(const lsched_cluster *c, lsched_id id, lsched_job_end *out,
                                      lsched_error *err) {
    uint32_t job;
    int32_t rc = arg_query(c, out, err);
    if (rc != LSCHED_OK) return rc;
    const struct columns *k = &c->k;
    rc = arg_id(k, id, LSCHED_KIND_JOB, &job, err);
    if (rc != LSCHED_OK) return rc;
    struct job_end e = job_end_of(c, job);
    lsched_job_end info = {.size = sizeof info,
                           .tasks_running = e.running,
                           .expected_us = e.expected,
                           .limit_us = e.limit,
                           .spent_us = e.spent_at,
                           .spent_stop_us = e.spent_stop,
                           .leaves_us = e.leaves,
                           .back_us = e.back,
                           .soft_us = e.soft};
    if (e.allowance != NO_ROW) {
        uint32_t queue = k->c[C_ALLOWANCE_QUEUE].u32[e.allowance];
        info.allowance_queue = arg_id_of(k, LSCHED_KIND_QUEUE, queue);
        info.spent = k->c[C_ALLOWANCE_SPENT].u8[e.allowance];
    }
    if (e.node != NO_ROW) info.leaving_node = arg_id_of(k, LSCHED_KIND_NODE, e.node);
    return arg_out(out, &info, sizeof info);
}
