/* task_holder.c -- see task_holder.h. */
#include "engine/waits/task_holder.h"

#include <string.h>

#include "base/times.h"
#include "engine/waits/task_ends.h"
#include "model/jobs/job_limits.h"
#include "model/shapes/daily_demand.h"

uint64_t task_holder_end_of(const struct columns *k, uint32_t job) {
    int64_t length = job_length(k, job);
    if (length == LSCHED_NEVER_US) return LSCHED_END_UNSURE;
    return job_limit(k, job) == length ? LSCHED_END_LIMIT : LSCHED_END_ESTIMATE;
}

/* Says what ends the use of the task at its expected end. */
static void say_end(const struct lsched_cycle *cy, uint32_t task, lsched_holder *h) {
    const struct columns *k = cy->k;
    uint32_t job = k->c[C_TASK_JOB].u32[task], state = k->c[C_TASK_STATE].u8[task];
    int64_t start = k->c[C_TASK_START].i64[task];
    int runs = state == LSCHED_TASK_RUNNING && start <= cy->now;
    int placed = state == LSCHED_TASK_PROPOSED || state == LSCHED_TASK_CONFIRMED ||
                 (state == LSCHED_TASK_RUNNING && start > cy->now);
    if (runs && time_after(start, job_length(k, job)) > cy->now)
        h->end = task_holder_end_of(k, job);
    h->end_if_started = placed ? task_holder_end_of(k, job) : h->end;
}

void task_holder_get(const struct lsched_cycle *cy, uint32_t task, lsched_holder *h) {
    const struct columns *k = cy->k;
    uint32_t shape = task_shape(k, task), d = k->c[C_TASK_DECISION].u32[task];
    memset(h, 0, sizeof *h);
    h->size = sizeof *h;
    h->job = k->c[C_TASK_JOB].u32[task];
    struct hold hold = task_hold(k, task);
    device_set_to_array(hold.mask, h->device_words);
    h->starts = hold.starts;
    h->slices = k->c[C_SHAPE_MIG_SLICES].u8[shape];
    h->is_claim = k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_NOMINATED;
    h->from_us = cy->now;
    if (h->is_claim && d != NO_ROW && k->c[C_DECISION_AT].i64[d] > cy->now)
        h->from_us = k->c[C_DECISION_AT].i64[d];
    h->until_us = task_ends_until(cy, task, &h->moves);
    say_end(cy, task, h);
    /* tasks with a daily demand share room, therefore the end of one task frees no known amount */
    if (k->c[C_SHAPE_DAY].u32[shape]) h->until_us = LSCHED_NEVER_US;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        h->amount[r] = k->c[C_SHAPE_REQ + r].i64[shape];
}
