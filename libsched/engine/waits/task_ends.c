/* task_ends.c -- see task_ends.h. */
#include "engine/waits/task_ends.h"

#include "base/bisect.h"
#include "base/sort.h"
#include "base/times.h"
#include "base/vec.h"
#include "model/jobs/bundle.h"
#include "model/jobs/job_limits.h"

#define OVERDUE_US INT64_C(60000000)

void task_ends_close(struct task_ends *e, struct alloc *alloc) {
    alloc_free(alloc, e->list, e->cap * sizeof *e->list);
    e->list = NULL;
    e->changes = 0;
    e->cap = 0;
}

/* Returns the expected end; if it is past, sets *moves to 1 and returns one after now. */
static int64_t after_now(int64_t at, int64_t since, int64_t now, uint64_t *moves) {
    if (at > now) return at;
    *moves = 1;
    int64_t more = now > since ? (now - since) / 10 : 0;
    return time_after(now, more > OVERDUE_US ? more : OVERDUE_US);
}

int64_t task_ends_until(const struct lsched_cycle *cy, uint32_t task, uint64_t *moves) {
    const struct columns *k = cy->k;
    uint32_t job = k->c[C_TASK_JOB].u32[task];
    uint8_t state = k->c[C_TASK_STATE].u8[task];
    if (state == LSCHED_TASK_RELEASING) {
        if (k->c[C_TASK_STUCK].u8[task]) return LSCHED_NEVER_US;
        return after_now(k->c[C_TASK_RELEASE_AT].i64[task], cy->now, cy->now, moves);
    }
    int64_t start = state == LSCHED_TASK_RUNNING ? k->c[C_TASK_START].i64[task] : cy->now,
            length = job_length(k, job);
    uint32_t d = k->c[C_TASK_DECISION].u32[task];
    if (state == LSCHED_TASK_NOMINATED && d != NO_ROW && k->c[C_DECISION_AT].i64[d] > start)
        start = k->c[C_DECISION_AT].i64[d];
    if (start > cy->now && state == LSCHED_TASK_RUNNING) start = cy->now;
    if (length == LSCHED_NEVER_US) return LSCHED_NEVER_US;
    if (start == cy->now) *moves = 1;
    return after_now(time_after(start, length), start, cy->now, moves);
}

static int task_end_before(const struct columns *k, const struct task_end *a,
                           const struct task_end *b) {
    return a->at != b->at ? a->at < b->at : a->job != b->job && job_before(k, a->job, b->job);
}
#define TASK_END_BEFORE(of, a, b) task_end_before((of), &(a), &(b))
SORT_IN_PLACE(sort_task_ends, struct task_end, const struct columns *, TASK_END_BEFORE)

/* Lists the ends of all tasks on the node in order. */
static int32_t ends_list(struct task_ends *e, const struct lsched_cycle *cy, uint32_t node) {
    const struct columns *k = cy->k;
    e->n = 0;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        uint64_t moves = 0;
        if (!VEC_ROOM(k->alloc, e->list, e->cap, e->n + 1ull)) return LSCHED_E_NOMEM;
        e->list[e->n++] =
            (struct task_end){task_ends_until(cy, t, &moves), k->c[C_TASK_JOB].u32[t]};
    }
    if (e->n > 1) sort_task_ends(k, e->list, e->n);
    e->is_listed = 1;
    return LSCHED_OK;
}

/* The same as task_ends_first, without a list. */
static void look_through(const struct lsched_cycle *cy, uint32_t node, int64_t at, uint32_t *job) {
    const struct columns *k = cy->k;
    struct task_end best = {at, NO_ROW};
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        uint64_t moves = 0;
        struct task_end end = {task_ends_until(cy, t, &moves), k->c[C_TASK_JOB].u32[t]};
        if (end.at == at && (best.job == NO_ROW || task_end_before(k, &end, &best))) best = end;
    }
    if (best.job != NO_ROW) *job = best.job;
}

int32_t task_ends_first(struct task_ends *e, const struct lsched_cycle *cy, uint32_t node,
                        int64_t at, uint32_t *job) {
    if (e->changes != cy->k->touch.next + 1 || e->node != node) {
        e->changes = cy->k->touch.next + 1;
        e->node = node;
        e->is_listed = 0;
        look_through(cy, node, at, job);
        return LSCHED_OK;
    }
    int32_t rc = e->is_listed ? LSCHED_OK : ends_list(e, cy, node);
    if (rc != LSCHED_OK) return rc;
    uint32_t low = 0, high = e->n;
    BISECT_FIRST(low, high, middle, e->list[middle].at >= at);
    if (low < e->n && e->list[low].at == at) *job = e->list[low].job;
    return LSCHED_OK;
}
