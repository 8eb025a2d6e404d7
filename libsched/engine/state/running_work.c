/* running_work.c -- see running_work.h. */
#include "engine/state/running_work.h"

#include "base/binary_heap.h"
#include "base/vec.h"
#include "model/jobs/soft_limit.h"
#include "model/jobs/task_row.h"
#include "model/store/steps.h"

/* an index is far behind if it has not read this part of the log */
#define RUNNING_WORK_BEHIND 4

/* ---- the order of a class ---- */

static int entry_before(const struct running_work *w, const struct running_task *a,
                        const struct running_task *b) {
    if (a->priority != b->priority) return a->priority < b->priority;
    if (a->started != b->started) return a->started > b->started;
    if (a->submitted != b->submitted) return a->submitted > b->submitted;
    if (a->node != b->node) return w->mark[a->node] < w->mark[b->node];
    return 0;
}

int running_work_before(const struct running_work *w, uint32_t a, uint32_t b) {
    if (entry_before(w, &w->task[a], &w->task[b])) return 1;
    return !entry_before(w, &w->task[b], &w->task[a]) && a < b;
}

static void enter_at(struct running_work *w, uint32_t task, uint32_t at) {
    w->task[task].at = at;
}

HEAP_DEFINE(cheap, uint32_t, struct running_work *, running_work_before, enter_at)

/* ---- tasks and their classes ---- */

int64_t running_work_weight(const struct columns *k, uint32_t task) {
    int64_t gpu = task_amount(k, task, LSCHED_GPU), cpu = task_amount(k, task, LSCHED_CPU) / 32;
    return gpu > 0 ? gpu : cpu > 0 ? cpu : 1;
}

/* Reads from the columns what decides the place of the task. */
static struct running_task running_entry(const struct columns *k, uint32_t t,
                                         struct running_class *class) {
    uint32_t job = k->c[C_TASK_JOB].u32[t], cost = k->c[C_JOB_COST].u32[job];
    int nominated = k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NOMINATED;
    int checkpoints = cost != NO_ROW && k->c[C_COST_CHECKPOINT].i64[cost] > 0;
    *class = (struct running_class){.queue = k->c[C_JOB_QUEUE].u32[job],
                                    .sort = nominated                ? RUNNING_NOMINATED
                                            : soft_limit(k, job) > 0 ? RUNNING_SOFT
                                            : checkpoints            ? RUNNING_CHECKPOINTS
                                                                     : RUNNING_PLAIN,
                                    .weight = nominated ? 0 : running_work_weight(k, t)};
    return (struct running_task){
        .started = nominated ? INT64_MAX : k->c[C_TASK_START].i64[t],
        .submitted = k->c[C_JOB_SUBMIT].i64[job],
        .priority = k->c[C_JOB_RANK].i32[job],
        .node = k->c[C_TASK_NODE].u32[t],
    };
}

/* Sets *index to the class plus 1. If it does not exist, makes it. */
static int32_t find_class(struct running_work *w, struct columns *k,
                          const struct running_class *key, uint32_t *index) {
    for (uint32_t i = w->first[key->queue]; i; i = w->class[i - 1].next) {
        const struct running_class *c = &w->class[i - 1];
        *index = i;
        steps_add(k, 1);
        if (c->sort == key->sort && c->weight == key->weight) return LSCHED_OK;
    }
    if (!VEC_ROOM(k->alloc, w->class, w->cap, w->n + 1)) return LSCHED_E_NOMEM;
    w->class[w->n] = *key;
    w->class[w->n].next = w->first[key->queue];
    *index = w->first[key->queue] = ++w->n;
    return LSCHED_OK;
}

static void drop_entry(struct running_work *w, uint32_t t) {
    if (t >= w->cap_tasks || w->task[t].class == 0) return;
    struct running_class *c = &w->class[w->task[t].class - 1];
    cheap_drop(w, c->heap, &c->n, w->task[t].at);
    w->task[t].class = 0;
}

/* Enters the task in its class. all: 1 if the heaps are made afterwards. */
static int32_t enter(struct running_work *w, struct columns *k, uint32_t t, int all) {
    struct running_class key;
    if (!task_row_is_running_work(k, t) || w->task[t].class) return LSCHED_OK;
    struct running_task entry = running_entry(k, t, &key);
    int32_t rc = find_class(w, k, &key, &entry.class);
    if (rc != LSCHED_OK) return rc;
    struct running_class *c = &w->class[entry.class - 1];
    if (!VEC_ROOM(k->alloc, c->heap, c->cap, c->n + 1)) return LSCHED_E_NOMEM;
    w->task[t] = entry;
    w->task[t].at = c->n;
    if (all)
        c->heap[c->n++] = t;
    else
        cheap_add(w, c->heap, &c->n, t);
    return LSCHED_OK;
}

/* ---- keeping up ---- */

int running_work_any(const struct running_work *w, uint32_t queue) {
    for (uint32_t i = w->first[queue]; i; i = w->class[i - 1].next)
        if (w->class[i - 1].n) return 1;
    return 0;
}

static int32_t copy_marks(struct running_work *w, struct columns *k,
                          const struct name_order *nodes) {
    uint32_t n = nodes->cap_mark;
    if (w->marked == nodes->changes + 1 && w->node_set == k->node_set) return LSCHED_OK;
    if (!VEC_ROOM_ZERO(k->alloc, w->mark, w->cap_marks, n)) return LSCHED_E_NOMEM;
    if (n) memcpy(w->mark, nodes->mark, n * sizeof *w->mark);
    steps_add(k, n / 8);
    w->marked = nodes->changes + 1;
    w->node_set = k->node_set;
    return LSCHED_OK;
}

static int32_t running_reserve(struct running_work *w, struct columns *k) {
    int has_room =
        VEC_ROOM_ZERO(k->alloc, w->task, w->cap_tasks, table_memory_rows(k, T_TASK) + 1ul) &&
        VEC_ROOM_ZERO(k->alloc, w->first, w->cap_queues, table_memory_rows(k, T_QUEUE) + 1ul);
    return has_room ? LSCHED_OK : LSCHED_E_NOMEM;
}

static int32_t enter_all(struct running_work *w, struct columns *k,
                         const struct name_order *nodes) {
    uint32_t n = table_rows(k, T_TASK);
    running_work_drop(w, k);
    int32_t rc = running_reserve(w, k);
    if (rc == LSCHED_OK) rc = copy_marks(w, k, nodes);
    steps_add(k, n);
    for (uint32_t t = 0; t < n && rc == LSCHED_OK; t++) rc = enter(w, k, t, 1);
    for (uint32_t i = 0; i < w->n && rc == LSCHED_OK; i++)
        cheap_make(w, w->class[i].heap, w->class[i].n);
    return rc;
}

static int32_t enter_changes(struct running_work *w, struct columns *k,
                             const struct name_order *nodes) {
    const struct touch_log *log = &k->task_touch;
    int32_t rc = running_reserve(w, k);
    if (rc != LSCHED_OK) return rc;
    steps_add(k, 2 * (log->next - w->synced));
    for (uint64_t i = w->synced; i < log->next; i++) drop_entry(w, log->rows[i & (log->cap - 1)]);
    rc = copy_marks(w, k, nodes);
    for (uint64_t i = w->synced; i < log->next && rc == LSCHED_OK; i++)
        rc = enter(w, k, log->rows[i & (log->cap - 1)], 0);
    return rc;
}

int running_work_is_near(const struct running_work *w, const struct columns *k) {
    const struct touch_log *log = &k->task_touch;
    return w->known && log->next - w->synced <= log->cap / RUNNING_WORK_BEHIND;
}

int32_t running_work_sync(struct running_work *w, struct columns *k,
                          const struct name_order *nodes) {
    int32_t rc = touch_log_reserve(k->alloc, &k->task_touch, table_rows(k, T_TASK));
    if (rc != LSCHED_OK) return rc;
    /* classes of weights that no task has any more would become more and more */
    uint32_t tasks = table_live(k, T_TASK);
    int all =
        !w->known || w->n > 2ul * tasks + 1024 || !touch_log_reaches(&k->task_touch, w->synced);
    w->known = 0; /* if memory runs out in between */
    rc = all ? enter_all(w, k, nodes) : enter_changes(w, k, nodes);
    if (rc != LSCHED_OK) {
        running_work_drop(w, k);
        return rc;
    }
    w->known = 1;
    w->synced = touch_log_seen(&k->task_touch);
    return LSCHED_OK;
}

void running_work_drop(struct running_work *w, struct columns *k) {
    for (uint32_t i = 0; i < w->n; i++)
        alloc_free(k->alloc, w->class[i].heap, w->class[i].cap * sizeof *w->class[i].heap);
    alloc_free(k->alloc, w->task, w->cap_tasks * sizeof *w->task);
    alloc_free(k->alloc, w->class, w->cap * sizeof *w->class);
    alloc_free(k->alloc, w->mark, w->cap_marks * sizeof *w->mark);
    alloc_free(k->alloc, w->first, w->cap_queues * sizeof *w->first);
    memset(w, 0, sizeof *w);
}

/* ---- check ---- */

static int is_right(const struct running_work *w, const struct columns *k, uint32_t t) {
    const struct running_task *have = &w->task[t];
    struct running_class key;
    if (!task_row_is_running_work(k, t)) return t >= w->cap_tasks || have->class == 0;
    if (have->class == 0) return 0;
    struct running_task must = running_entry(k, t, &key);
    const struct running_class *c = &w->class[have->class - 1];
    return have->started == must.started && have->submitted == must.submitted &&
           have->priority == must.priority && have->node == must.node && c->queue == key.queue &&
           c->sort == key.sort && c->weight == key.weight && have->at < c->n &&
           c->heap[have->at] == t &&
           (have->at == 0 || running_work_before(w, c->heap[(have->at - 1) / 2], t));
}

int running_work_is_sound(struct running_work *w, struct columns *k,
                          const struct name_order *nodes) {
    uint64_t entered = 0, counted = 0;
    int sound = 1;
    if (!w->known || running_work_sync(w, k, nodes) != LSCHED_OK) return 1;
    for (uint32_t t = 0; t < table_rows(k, T_TASK); t++) {
        sound = sound && is_right(w, k, t);
        entered += (uint64_t)task_row_is_running_work(k, t);
    }
    for (uint32_t i = 0; i < w->n; i++) counted += w->class[i].n;
    return sound && entered == counted;
}
