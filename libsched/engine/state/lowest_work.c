/* lowest_work.c -- see lowest_work.h. */
#include "engine/state/lowest_work.h"

#include "base/hash.h"
#include "base/vec.h"
#include "model/jobs/soft_limit.h"
#include "model/jobs/task_row.h"
#include "model/queues/user_queue.h"
#include "model/store/steps.h"

/* ---- classes ---- */

static int is_same_class(const struct lowest_class *a, const struct lowest_class *b) {
    return a->queue == b->queue && a->real == b->real && a->priority == b->priority &&
           a->yields == b->yields && a->shape == b->shape && a->serial == b->serial;
}

static uint32_t class_slot(const struct lowest_work *s, const struct lowest_class *c) {
    uint64_t h = hash_mix(hash_mix(hash_mix(0, c->queue), (uint32_t)c->priority),
                          c->serial << 1 | c->yields);
    uint32_t at = (uint32_t)h & (s->n_slots - 1);
    while (s->slot[at] && !is_same_class(&s->class[s->slot[at] - 1], c))
        at = (at + 1) & (s->n_slots - 1);
    return at;
}

/* Makes room for one more class. At most half of the slots are used. */
static int32_t reserve_class(struct lowest_work *s, struct alloc *a) {
    if (!VEC_ROOM(a, s->class, s->cap, s->n + 1)) return LSCHED_E_NOMEM;
    if (s->n_slots >= 2ul * s->cap) return LSCHED_OK;
    uint32_t n = 64;
    while (n < 2ul * s->cap) n *= 2;
    uint32_t *fresh = alloc_zero(a, n * sizeof *fresh);
    if (!fresh) return LSCHED_E_NOMEM;
    alloc_free(a, s->slot, s->n_slots * sizeof *s->slot);
    s->slot = fresh;
    s->n_slots = n;
    for (uint32_t i = 0; i < s->n; i++) s->slot[class_slot(s, &s->class[i])] = i + 1;
    return LSCHED_OK;
}

/* Sets *index to the class plus 1. If it does not exist, makes it. */
static int32_t get_class(struct lowest_work *s, struct alloc *a, const struct lowest_class *key,
                         uint32_t *index) {
    int32_t rc = reserve_class(s, a);
    if (rc != LSCHED_OK) return rc;
    uint32_t at = class_slot(s, key);
    if (!s->slot[at]) {
        s->class[s->n] = *key;
        s->class[s->n].next = s->queue[key->queue].first;
        s->class[s->n].next_real = s->queue[key->real].first_real;
        s->queue[key->queue].first = s->queue[key->real].first_real = s->slot[at] = ++s->n;
    }
    *index = s->slot[at];
    return LSCHED_OK;
}

static void count_in_class(struct lowest_work *s, uint32_t index, int sign) {
    struct lowest_class *c = &s->class[index - 1];
    int was = c->tasks > 0;
    c->tasks += (uint32_t)sign;
    int is = c->tasks > 0;
    if (was == is) return;
    s->used += (uint32_t)(is - was);
    s->queue[c->queue].knows_least = s->queue[c->real].knows_lowest = 0;
}

/* ---- tasks ---- */

/* True if a job of equal priority can ever evict work of the leaf group: the job has a soft limit,
 * or it can have surplus, because the leaf group can hold more tasks than its minimum, or because
 * the job has several groups and could spare one. */
static int may_yield(const struct columns *k, uint32_t job, uint32_t group) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job], row = group_row(k, shape, group);
    return soft_limit(k, job) > 0 || k->c[C_JOBSHAPE_N_GROUPS].u32[shape] > 1 ||
           k->c[C_GROUP_MAX].u32[row] > k->c[C_GROUP_MIN].u32[row];
}

/* Counts the task in the class in which it is now. */
static int32_t classify(struct lowest_work *s, struct columns *k, uint32_t t) {
    uint32_t now = 0;
    if (task_row_is_running_work(k, t)) {
        uint32_t job = k->c[C_TASK_JOB].u32[t], leaf = k->c[C_TASK_LEAF].u32[t],
                 shape = task_shape(k, t);
        struct lowest_class key = {.queue = k->c[C_JOB_QUEUE].u32[job],
                                   .real = queue_real(k, k->c[C_JOB_QUEUE].u32[job]),
                                   .priority = k->c[C_JOB_RANK].i32[job],
                                   .shape = shape,
                                   .serial = k->c[C_SHAPE_SERIAL].u64[shape],
                                   .yields =
                                       (uint32_t)may_yield(k, job, k->c[C_LEAF_GROUP].u32[leaf])};
        int32_t rc = get_class(s, k->alloc, &key, &now);
        if (rc != LSCHED_OK) return rc;
    }
    if (t >= s->cap_tasks || s->of[t] == now) return LSCHED_OK;
    if (s->of[t]) count_in_class(s, s->of[t], -1);
    if (now) count_in_class(s, now, 1);
    s->of[t] = now;
    return LSCHED_OK;
}

static int32_t reserve_rows(struct lowest_work *s, struct columns *k) {
    int has_room =
        VEC_ROOM_ZERO(k->alloc, s->of, s->cap_tasks, table_memory_rows(k, T_TASK) + 1ul) &&
        VEC_ROOM_ZERO(k->alloc, s->queue, s->cap_queues, table_memory_rows(k, T_QUEUE) + 1ul);
    return has_room ? LSCHED_OK : LSCHED_E_NOMEM;
}

static int32_t classify_changes(struct lowest_work *s, struct columns *k, int all) {
    const struct touch_log *log = &k->task_touch;
    uint64_t i = all ? 0 : s->synced, end = all ? table_rows(k, T_TASK) : log->next;
    int32_t rc = LSCHED_OK;
    steps_add(k, end - i);
    for (; i < end && rc == LSCHED_OK; i++)
        rc = classify(s, k, all ? (uint32_t)i : log->rows[i & (log->cap - 1)]);
    return rc;
}

int32_t lowest_work_sync(struct lowest_work *s, struct columns *k) {
    int32_t rc = touch_log_reserve(k->alloc, &k->task_touch, table_rows(k, T_TASK));
    if (rc != LSCHED_OK) return rc;
    /* classes of priorities that no job has any more would become more and more */
    int all =
        !s->known || s->n > 2 * s->used + 1024 || !touch_log_reaches(&k->task_touch, s->synced);
    if (all) lowest_work_drop(s, k);
    rc = reserve_rows(s, k);
    if (rc != LSCHED_OK) return rc;
    if (!all && s->synced == k->task_touch.next) return LSCHED_OK;
    s->known = 0; /* if memory runs out in between */
    rc = classify_changes(s, k, all);
    if (rc != LSCHED_OK) return rc;
    s->known = 1;
    s->synced = touch_log_seen(&k->task_touch);
    return LSCHED_OK;
}

int32_t lowest_work_of(struct lowest_work *s, const struct columns *k, uint32_t queue, int yields) {
    struct lowest_queue *q = &s->queue[queue];
    if (q->knows_lowest) return q->lowest[yields];
    q->lowest[0] = q->lowest[1] = INT32_MAX;
    for (uint32_t i = q->first_real; i; i = s->class[i - 1].next_real) {
        const struct lowest_class *c = &s->class[i - 1];
        steps_add(k, 1);
        if (c->tasks == 0) continue;
        if (c->priority < q->lowest[0]) q->lowest[0] = c->priority;
        if (c->yields && c->priority < q->lowest[1]) q->lowest[1] = c->priority;
    }
    q->knows_lowest = 1;
    return q->lowest[yields];
}

const int64_t *lowest_work_least(struct lowest_work *s, const struct columns *k, uint32_t queue) {
    struct lowest_queue *q = &s->queue[queue];
    if (q->knows_least) return q->least;
    memset(q->least, 0, sizeof q->least);
    for (uint32_t i = q->first; i; i = s->class[i - 1].next) {
        const struct lowest_class *c = &s->class[i - 1];
        steps_add(k, 1);
        if (c->tasks == 0) continue;
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
            int varies = r == LSCHED_GPU && shape_charge_varies(k, c->shape);
            int64_t one = varies ? 0 : k->c[C_SHAPE_REQ + r].i64[c->shape];
            if (q->least[0] == 0 || one < q->least[r]) q->least[r] = one;
        }
        q->least[0] = 1;
    }
    q->knows_least = 1;
    return q->least;
}

void lowest_work_drop(struct lowest_work *s, struct columns *k) {
    alloc_free(k->alloc, s->of, s->cap_tasks * sizeof *s->of);
    alloc_free(k->alloc, s->class, s->cap * sizeof *s->class);
    alloc_free(k->alloc, s->queue, s->cap_queues * sizeof *s->queue);
    alloc_free(k->alloc, s->slot, s->n_slots * sizeof *s->slot);
    memset(s, 0, sizeof *s);
}

int lowest_work_is_sound(struct lowest_work *s, struct columns *k) {
    struct lowest_work cold = {0};
    if (!s->known || lowest_work_sync(s, k) != LSCHED_OK) return 1;
    int same = 1, made = lowest_work_sync(&cold, k) == LSCHED_OK;
    for (uint32_t q = 0; made && q < table_rows(k, T_QUEUE); q++)
        same &= lowest_work_of(s, k, q, 0) == lowest_work_of(&cold, k, q, 0) &&
                lowest_work_of(s, k, q, 1) == lowest_work_of(&cold, k, q, 1) &&
                memcmp(lowest_work_least(s, k, q), lowest_work_least(&cold, k, q),
                       sizeof s->queue->least) == 0;
    lowest_work_drop(&cold, k);
    return same;
}
