/* lives_world.c -- see lives_world.h. */
#include "support/lives_world.h"

#include "model/jobs/job_cost.h"
#include "model/jobs/task_row.h"
#include "model/resizes/resize.h"
#include "model/resizes/resize_list.h"
#include "model/told/decision_life.h"

enum { LIVES_SPAN_US = 60000000 };

/* A task is asked to write a checkpoint, for which it has a minute. */
static int32_t lives_checkpoint(struct model_world *w) {
    struct columns *k = &w->k;
    uint32_t job = world_job_named(w, "evicted"), claims = world_job_named(w, "claims");
    int32_t rc = world_evict(w, job, 3, meta(k, M_GROUP_SERIAL) + 1, LSCHED_FOR_RECLAIM, claims);
    if (rc == LSCHED_OK) rc = undo_begin(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t d = k->c[C_TASK_DECISION].u32[releasing_find(k, job, 3)], cost = job_cost(k, job);
    if (cost != NO_ROW) set_i64(k, C_COST_CHECKPOINT_WAIT, cost, LIVES_SPAN_US);
    set_u8(k, C_DECISION_KIND, d, LSCHED_DECIDE_CHECKPOINT);
    decision_life_begin(k, d, (int64_t)meta(k, M_NOW) + LIVES_SPAN_US);
    undo_end(k);
    return cost == NO_ROW ? LSCHED_E_NOMEM : LSCHED_OK;
}

static int32_t lives_want(struct model_world *w, uint32_t task, int64_t cpu) {
    int64_t amount[KINDS_MAX] = {0};
    for (uint32_t r = 1; r < (uint32_t)meta(&w->k, M_N_KINDS); r++)
        amount[r] = w->k.c[C_SHAPE_REQ + r].i64[task_shape(&w->k, task)];
    amount[LSCHED_CPU] = cpu;
    return resize_want(&w->k, task, amount, (int64_t)meta(&w->k, M_NOW));
}

static int32_t lives_propose(struct columns *k, uint32_t task) {
    uint32_t decision;
    set_meta(k, M_GROUP_SERIAL, meta(k, M_GROUP_SERIAL) + 1);
    return resize_propose(k, task_size_row(k, task), meta(k, M_GROUP_SERIAL),
                          (int64_t)meta(k, M_NOW), &decision);
}

/* Of the running tasks of a job, one has other amounts than its group, one is being resized, two
 * wait for the next cycle, two for their queue, and two for more than their node has. */
static int32_t lives_resizes(struct model_world *w) {
    struct columns *k = &w->k;
    uint32_t job = world_job_named(w, "parts"), task[8];
    int32_t rc = undo_begin(k);
    if (rc != LSCHED_OK) return rc;
    static const uint32_t tasks[8] = {1, 2, 3, 6, 7, 8, 9, 0};
    for (uint32_t i = 0; i < 8; i++) task[i] = task_find(k, job, tasks[i]);
    static const int64_t cpu[8] = {500, 250, 50000000, 40000000, 100, 200, 300, 400};
    for (uint32_t i = 0; i < 8 && rc == LSCHED_OK; i++) {
        rc = undo_room(k);
        if (rc != LSCHED_OK || task[i] == NO_ROW || task_size_row(k, task[i]) != NO_ROW) continue;
        if (k->c[C_TASK_STATE].u8[task[i]] != LSCHED_TASK_RUNNING) continue;
        rc = lives_want(w, task[i], cpu[i]);
        uint32_t row = task_size_row(k, task[i]);
        if (rc == LSCHED_OK && i < 2) rc = lives_propose(k, task[i]);
        if (rc == LSCHED_OK && i == 0) rc = resize_confirm(k, task[i]);
        if (rc != LSCHED_OK || i < 2 || i > 5) continue;
        set_u8(k, C_RESIZE_CODE, row, i < 4 ? LSCHED_WAIT_NEVER_FITS : LSCHED_WAIT_LIMIT);
        set_u8(k, C_RESIZE_RES, row, LSCHED_CPU);
        set_i64(k, C_RESIZE_NEED, row, cpu[i]);
        if (i >= 4) set_u32(k, C_RESIZE_LIMITING, row, k->c[C_JOB_QUEUE].u32[job]);
        resize_list_enter(k, row, i < 4 ? RESIZE_AT_NODE : RESIZE_AT_QUEUES);
    }
    if (rc < 0) undo_rollback(k, 0);
    undo_end(k);
    return rc < 0 ? rc : LSCHED_OK;
}

int32_t lives_fill(struct model_world *w) {
    uint32_t moves = world_job_named(w, "moves");
    int32_t rc = undo_begin(&w->k);
    if (rc != LSCHED_OK) return rc;
    for (uint32_t i = 0; i < 2; i++)
        decision_life_begin(&w->k, world_decision(w, moves, i, 1),
                            (int64_t)meta(&w->k, M_NOW) + LIVES_SPAN_US);
    undo_end(&w->k);
    rc = lives_checkpoint(w);
    return rc == LSCHED_OK ? lives_resizes(w) : rc;
}
