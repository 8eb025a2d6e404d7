/* job_sizes.c -- see job_sizes.h. */
#include "model/jobs/job_sizes.h"

#include "model/demand/job_counts.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/task_row.h"
#include "model/news/queue_news.h"
#include "model/queues/nonpreemptible_use.h"

int32_t job_sizes_take_shape(struct columns *k, uint32_t job, uint32_t shape) {
    uint32_t old = k->c[C_JOB_SHAPE].u32[job];
    int32_t rc = undo_room_for(k, jobshape_drop_records(k, old));
    if (rc != LSCHED_OK) return rc;
    set_u32(k, C_JOB_SHAPE, job, shape);
    jobshape_drop(k, old);
    rc = demand_ask(k, job);
    return rc == LSCHED_OK ? undo_room(k) : rc;
}

int32_t job_sizes_reshape(struct columns *k, uint32_t job, uint32_t shape) {
    int queued = k->c[C_JOB_PHASE].u8[job] == JOB_QUEUED;
    uint32_t leaf = k->c[C_JOB_LEAVES].u32[job];
    struct nonpreemptible_use_note use = {0};
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    int64_t seen[KINDS_MAX];
    demand_see(k, job, seen);
    if (leaf != NO_ROW) nonpreemptible_use_begin(k, job, leaf, &use);
    demand_begin(k, job, NO_ROW, &use.demand); /* each group can have another number of tasks */
    if (queued) bundle_leave(k, job);
    rc = job_sizes_take_shape(k, job, shape);
    if (rc != LSCHED_OK) return rc;
    if (leaf != NO_ROW)
        nonpreemptible_use_end(k, job, &use);
    else
        demand_end(k, job, &use.demand);
    /* a task beyond the minimum can be a victim alone */
    if (demand_fell(k, job, seen) || job_count(k, job).placed) evict_news(k);
    rc = undo_room(k);
    if (rc == LSCHED_OK && queued) rc = job_rejoin(k, job);
    task_touch_all(k, job);
    return rc;
}

/* Returns the size that the group has with the job's present tasks; 0: none is chosen. */
static uint32_t chosen_size(const struct columns *k, uint32_t job, uint32_t g,
                            const struct group_sizes *n) {
    uint32_t row = group_row(k, k->c[C_JOB_SHAPE].u32[job], g), leaf = job_leaf(k, job, g);
    if (k->c[C_JOB_LEAVES].u32[job] == NO_ROW) return 0;
    if (leaf == NO_ROW) return n->size;
    uint32_t held = k->c[C_LEAF_PLACED].u32[leaf] + k->c[C_LEAF_DONE].u32[leaf];
    uint32_t size = n->size ? n->size : n->min, block = k->c[C_GROUP_SLICE_TASKS0].u32[row];
    if (held > size) size = held;
    /* imported tasks can be a part of a task block */
    return block ? (size + block - 1) / block * block : size;
}

int32_t job_sizes_choose(struct columns *k, uint32_t job) {
    uint32_t old = k->c[C_JOB_SHAPE].u32[job], shape;
    struct group_sizes n[LSCHED_GROUPS_PER_JOB_MAX];
    int changes = 0;
    jobshape_counts(k, old, n);
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[old]; g++) {
        if (!k->c[C_GROUP_FIXED].u8[group_row(k, old, g)]) continue;
        uint32_t size = chosen_size(k, job, g, &n[g]);
        changes |= size != n[g].size;
        n[g].size = size;
    }
    if (!changes) return LSCHED_OK;
    int32_t rc = jobshape_with_counts(k, old, n, &shape);
    return rc == LSCHED_OK ? job_sizes_reshape(k, job, shape) : rc;
}
