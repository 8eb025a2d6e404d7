/*
 * api_sync.c -- compares the orchestrator's lists of names with the cluster: what is missing, what
 * is extra, what is named twice.
 *
 * One byte for each row says whether an element named the row. Names that the cluster does not have
 * are in a hash table of the call, because an orchestrator can name an unknown object twice, too.
 * The memory of both is taken by a copy of the allocator, so that reading does not change the
 * statistics of the cluster. Cost: linear in the list and in the rows.
 */
#include "api/door/args.h"
#include "base/hash.h"
#include "model/jobs/task_row.h"
#include "model/queues/user_queue.h"

/* A text that was missing, and the index of the task if it is one of a job. */
struct absent {
    lsched_text name;
    uint64_t id; /* job of the task by id */
    uint32_t index;
};

struct list_sync {
    struct alloc alloc;
    const struct columns *k;
    lsched_sync_report r;
    uint8_t *seen; /* by row: 1 if an element named it */
    size_t rows, n;
    struct absent *absent;
    uint32_t *bucket; /* hash table: index in absent[] plus 1; 0: empty */
    size_t buckets, n_absent;
};

static int32_t sync_open(struct list_sync *s, const struct lsched_cluster *c, uint32_t table,
                         size_t n, const lsched_sync_report *report, lsched_error *err) {
    memset(s, 0, sizeof *s);
    s->alloc = c->alloc;
    s->k = &c->k;
    s->rows = table_rows(s->k, table);
    s->n = n;
    int32_t rc = arg_struct(&s->r, sizeof s->r, report, 0, "sync report", err);
    if (rc == LSCHED_OK) rc = arg_reserved(s->r.reserved_zero, "reserved_zero", "sync report", err);
    if (rc != LSCHED_OK) return rc;
    s->r.n_missing = s->r.n_duplicates = s->r.n_extra = 0;
    if (s->r.extra_capacity && !s->r.extra)
        return fail(err, LSCHED_E_NULL, "the sync report has a capacity, but no array `extra`");
    if (n > LIMIT_BATCH_MAX)
        return fail(err, LSCHED_E_LIMIT, "a list of %zu elements; at most %u", n, LIMIT_BATCH_MAX);
    for (s->buckets = 16; s->buckets < 2 * n;) s->buckets *= 2;
    s->seen = alloc_zero(&s->alloc, s->rows + 1);
    s->absent = alloc_new(&s->alloc, (n + 1) * sizeof *s->absent);
    s->bucket = alloc_zero(&s->alloc, s->buckets * sizeof *s->bucket);
    return s->seen && s->absent && s->bucket ? LSCHED_OK : fail_plain(err, LSCHED_E_NOMEM);
}

static void sync_close(struct list_sync *s) {
    alloc_free(&s->alloc, s->seen, s->rows + 1);
    alloc_free(&s->alloc, s->absent, (s->n + 1) * sizeof *s->absent);
    alloc_free(&s->alloc, s->bucket, s->buckets * sizeof *s->bucket);
}

static int absent_equal(const struct absent *a, const struct absent *b) {
    return a->index == b->index && a->id == b->id && a->name.len == b->name.len &&
           (a->name.len == 0 || memcmp(a->name.ptr, b->name.ptr, (size_t)a->name.len) == 0);
}

/* Returns 1 if an earlier element that is missing is equal; otherwise keeps this one. */
static int absent_again(struct list_sync *s, const struct absent *a) {
    uint64_t h = hash_mix(hash_bytes(a->name.ptr, (size_t)a->name.len, a->index), a->id);
    for (size_t i = h & (s->buckets - 1);; i = (i + 1) & (s->buckets - 1)) {
        uint32_t at = s->bucket[i];
        if (at && !absent_equal(&s->absent[at - 1], a)) continue;
        if (at) return 1;
        s->absent[s->n_absent++] = *a;
        s->bucket[i] = (uint32_t)s->n_absent;
        return 0;
    }
}

static void told(struct list_sync *s, size_t i, int32_t status, lsched_id id) {
    if (s->r.status) s->r.status[i] = status;
    if (s->r.ids) s->r.ids[i] = id;
    s->r.n_duplicates += status == LSCHED_E_EXISTS;
    s->r.n_missing += status == LSCHED_E_NOENT || status == LSCHED_E_STATE;
}

static void told_extra(struct list_sync *s, lsched_id id, uint32_t task) {
    uint64_t i = s->r.n_extra++;
    if (i >= s->r.extra_capacity) return;
    s->r.extra[i] = id;
    if (s->r.extra_tasks) s->r.extra_tasks[i] = task;
}

static int32_t sync_end(struct list_sync *s, lsched_sync_report *report) {
    sync_close(s);
    return arg_out(report, &s->r, (uint32_t)sizeof s->r);
}

/* ---- objects with names ---- */

static void name_told(struct list_sync *s, uint32_t kind, size_t i, lsched_text name) {
    struct absent a = {.name = name};
    if (arg_name(&a.name, "", NULL) != LSCHED_OK) {
        told(s, i, LSCHED_E_INVAL, 0);
        return;
    }
    uint32_t row = name_find(s->k, index_table_of(kind), a.name.ptr, (size_t)a.name.len);
    if (row == NO_ROW) {
        told(s, i, absent_again(s, &a) ? LSCHED_E_EXISTS : LSCHED_E_NOENT, 0);
        return;
    }
    told(s, i, s->seen[row] ? LSCHED_E_EXISTS : LSCHED_OK, arg_id_of(s->k, kind, row));
    s->seen[row] = 1;
}

LSCHED_API int32_t lsched_sync(const lsched_cluster *c, uint32_t kind, const lsched_text *names,
                               size_t n, lsched_sync_report *report, lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c || !report || (n && !names))
        return fail(err, LSCHED_E_NULL, "cluster, names or report is NULL");
    if (index_table_of(kind) == TABLES)
        return fail(err, LSCHED_E_INVAL,
                    "kind %u; expected LSCHED_KIND_NODE, _QUEUE, _JOB or _TOPOLOGY", kind);
    struct list_sync s;
    rc = sync_open(&s, c, table_of(kind), n, report, err);
    if (rc != LSCHED_OK) {
        sync_close(&s);
        return rc;
    }
    for (size_t i = 0; i < n; i++) name_told(&s, kind, i, names[i]);
    for (uint32_t row = 0; row < s.rows; row++) {
        if (s.seen[row] || !row_is_live(s.k, table_of(kind), row)) continue;
        if (kind == LSCHED_KIND_QUEUE && queue_is_of_user(s.k, row)) continue;
        told_extra(&s, arg_id_of(s.k, kind, row), 0);
    }
    return sync_end(&s, report);
}

/* ---- tasks that run ---- */

static int task_runs(const struct columns *k, uint32_t task) {
    uint8_t state = k->c[C_TASK_STATE].u8[task];
    return state == LSCHED_TASK_RUNNING || state == LSCHED_TASK_RELEASING;
}

/* True if the row, which runs or is to stop, can be the run that the list names; 0: any. */
static int runs_this(const struct columns *k, uint32_t task, lsched_id run) {
    uint64_t is = k->c[C_TASK_RUN].u64[task];
    return run == 0 || is == 0 || is == id_outside(k, run);
}

/* Returns the row of the named job, NO_ROW if there is none. */
static uint32_t ref_job(const struct columns *k, const lsched_task_ref *t) {
    uint32_t job = NO_ROW;
    if (arg_ref(k, t->job, t->job_name, LSCHED_KIND_JOB, &job, NULL) != LSCHED_OK) return NO_ROW;
    return job;
}

static void task_told(struct list_sync *s, size_t i, const lsched_task_ref *t) {
    struct absent a = {.name = arg_text(t->job_name), .id = t->job, .index = t->task_index};
    uint32_t job = ref_job(s->k, t), row = NO_ROW, runs = NO_ROW;
    lsched_id id = job == NO_ROW ? 0 : arg_id_of(s->k, LSCHED_KIND_JOB, job);
    if (!t->job && arg_name(&a.name, "", NULL) != LSCHED_OK) {
        told(s, i, LSCHED_E_INVAL, 0);
        return;
    }
    if (job != NO_ROW) {
        a.name = (lsched_text){"", 0};
        a.id = id;
        row = task_find(s->k, job, t->task_index);
        runs = releasing_find(s->k, job, t->task_index);
    }
    if (runs != NO_ROW && !runs_this(s->k, runs, t->run)) runs = NO_ROW;
    if (row != NO_ROW && task_runs(s->k, row) && runs_this(s->k, row, t->run)) runs = row;
    if (runs == NO_ROW) {
        int32_t status = row == NO_ROW ? LSCHED_E_NOENT : LSCHED_E_STATE;
        told(s, i, absent_again(s, &a) ? LSCHED_E_EXISTS : status, id);
        return;
    }
    told(s, i, s->seen[runs] ? LSCHED_E_EXISTS : LSCHED_OK, id);
    s->seen[runs] = 1;
}

LSCHED_API int32_t lsched_sync_tasks(const lsched_cluster *c, const lsched_task_ref *tasks,
                                     size_t n, size_t elem_size, lsched_sync_report *report,
                                     lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c || !report || (n && !tasks))
        return fail(err, LSCHED_E_NULL, "cluster, tasks or report is NULL");
    struct list_sync s;
    rc = sync_open(&s, c, T_TASK, n, report, err);
    size_t stride = 0;
    if (rc == LSCHED_OK) rc = arg_stride(tasks, n, elem_size, "the list", &stride, err);
    for (size_t i = 0; i < n && rc == LSCHED_OK; i++) {
        lsched_task_ref t;
        rc = arg_struct(&t, sizeof t, (const char *)tasks + i * stride, stride, "task", err);
        if (rc == LSCHED_OK) task_told(&s, i, &t);
        if (rc != LSCHED_OK && err) err->index = (int64_t)i;
    }
    if (rc != LSCHED_OK) {
        sync_close(&s);
        return rc;
    }
    for (uint32_t row = 0; row < s.rows; row++)
        if (!s.seen[row] && row_is_live(s.k, T_TASK, row) && task_runs(s.k, row))
            told_extra(&s, arg_id_of(s.k, LSCHED_KIND_JOB, s.k->c[C_TASK_JOB].u32[row]),
                       s.k->c[C_TASK_INDEX].u32[row]);
    return sync_end(&s, report);
}
