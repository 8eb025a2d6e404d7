/* api_resizes.c -- calls about resizes of running tasks (include/libsched/resizes.h). */
#include "api/door/args.h"
#include "api/door/door.h"
#include "base/text_out.h"
#include "model/jobs/task_row.h"
#include "model/resizes/resize.h"

/* ---- the request ---- */

/* Refuses a task index that the job does not have. */
static int32_t resizes_check_index(const struct columns *k, uint32_t job, uint32_t index,
                                   lsched_error *err) {
    if (job_group_of_task(k, job, index) != NO_ROW) return LSCHED_OK;
    return fail(err, LSCHED_E_NOENT, "task %u does not exist; the job has %s", index,
                counted(jobshape_indexes(k, k->c[C_JOB_SHAPE].u32[job]), "task").text);
}

/* Finds the running task of the element. */
static int32_t find_task(const struct columns *k, const lsched_task_resize *z, uint32_t *task,
                         lsched_error *err) {
    uint32_t job;
    int32_t rc = arg_ref(k, z->job, z->job_name, LSCHED_KIND_JOB, &job, err);
    if (rc == LSCHED_OK) rc = resizes_check_index(k, job, z->task_index, err);
    if (rc != LSCHED_OK) return rc;
    *task = task_find(k, job, z->task_index);
    if (*task != NO_ROW && k->c[C_TASK_STATE].u8[*task] == LSCHED_TASK_RUNNING) return LSCHED_OK;
    if (releasing_find(k, job, z->task_index) != NO_ROW)
        return fail(err, LSCHED_E_STATE,
                    "task %u was told to stop, so that it cannot be resized; if it runs on, resize "
                    "it then",
                    z->task_index);
    return fail(err, LSCHED_E_STATE,
                "task %u does not run, so that it cannot be resized; change the request of its job "
                "with lsched_jobs_update, or wait until the task runs",
                z->task_index);
}

/* Reads the new amounts: those that the element names, and for all other kinds, what the task is to
 * have up to now. */
static int32_t read_wanted(const struct columns *k, const lsched_task_resize *z, uint32_t task,
                           int64_t amount[KINDS_MAX], lsched_error *err) {
    uint32_t row = task_size_row(k, task),
             shape = row == NO_ROW ? task_shape(k, task) : k->c[C_RESIZE_WANT].u32[row];
    int left = k->c[C_SHAPE_DEVICES].u32[shape] > 0;
    if (z->n_request == 0)
        return fail(err, LSCHED_E_INVAL, "no amounts; name the kinds that are to change");
    for (uint32_t i = 0; z->request && i < z->n_request; i++)
        if (z->request[i].kind == LSCHED_GPU)
            return fail(err, LSCHED_E_INVAL,
                        "gpu: a running task keeps its devices; devices need a restart with a new "
                        "request of the job");
    for (uint32_t r = 1; r < (uint32_t)meta(k, M_N_KINDS); r++)
        amount[r] = k->c[C_SHAPE_REQ + r].i64[shape];
    int32_t rc = arg_amounts(k, z->request, z->n_request, AMOUNT_NO_GPU, "resize", amount, err);
    for (uint32_t r = 1; r < (uint32_t)meta(k, M_N_KINDS); r++) left |= amount[r] > 0;
    if (rc != LSCHED_OK || left) return rc;
    return fail(err, LSCHED_E_INVAL,
                "nothing would be left of the request; to stop the task, remove its job or report "
                "its end");
}

static int32_t element_tasks_resize(struct lsched_cluster *c, const struct call *call, size_t i,
                                    const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    lsched_task_resize z;
    int64_t amount[KINDS_MAX] = {0};
    const char *why;
    uint32_t task = NO_ROW;
    int32_t rc = arg_struct(&z, sizeof z, element, call->elem_size, "task resize", err);
    if (rc == LSCHED_OK)
        rc = arg_reserved_at(z.reserved_zero, "reserved_zero", NULL, "task resize", i, err);
    if (rc == LSCHED_OK) rc = find_task(k, &z, &task, err);
    if (rc == LSCHED_OK) rc = read_wanted(k, &z, task, amount, err);
    if (rc != LSCHED_OK) return rc;
    struct hold hold = task_hold(k, task);
    if (!size_shape_can_change(k, task_shape(k, task), &hold, &why))
        return fail(
            err, LSCHED_E_STATE,
            "task %u %s, so that its amounts cannot change while it runs; restart it with a "
            "new request of the job",
            z.task_index, why);
    rc = resize_want(k, task, amount, (int64_t)meta(k, M_NOW));
    return rc == LSCHED_UNCHANGED && !call_is_idempotent(call) ? LSCHED_OK : rc;
}

static const struct call_kind call_tasks_resize = {
    .op = CALL_TASKS_RESIZE,
    .apply = element_tasks_resize,
    .what = "job",
    .object = LSCHED_KIND_JOB,
    .struct_size = sizeof(lsched_task_resize),
    .name_at = offsetof(lsched_task_resize, job_name),
    .id_at = offsetof(lsched_task_resize, job),
    .task_at = offsetof(lsched_task_resize, task_index)};

LSCHED_API int32_t lsched_tasks_resize(lsched_cluster *c, const lsched_task_resize *resizes,
                                       size_t n, size_t elem_size, const lsched_batch_opts *opts,
                                       int32_t *status, lsched_error *err) {
    struct call call = {.kind = &call_tasks_resize,
                        .n = n,
                        .elem_size = elem_size,
                        .elements = resizes,
                        .status = status};
    return door_batch(c, &call, opts, err);
}

/* ---- queries ---- */

/* Finds the row of a task that runs or was told to stop. */
static int32_t find_running(const lsched_cluster *c, lsched_id id, uint32_t index, uint32_t *task,
                            lsched_error *err) {
    uint32_t job;
    if (!c) return fail(err, LSCHED_E_NULL, "cluster is NULL");
    int32_t rc = arg_id(&c->k, id, LSCHED_KIND_JOB, &job, err);
    if (rc == LSCHED_OK) rc = resizes_check_index(&c->k, job, index, err);
    if (rc != LSCHED_OK) return rc;
    *task = task_find(&c->k, job, index);
    if (*task != NO_ROW && c->k.c[C_TASK_STATE].u8[*task] == LSCHED_TASK_RUNNING) return LSCHED_OK;
    *task = releasing_find(&c->k, job, index);
    if (*task != NO_ROW) return LSCHED_OK;
    return fail(err, LSCHED_E_STATE, "task %u does not run, so that it holds no amounts", index);
}

static uint32_t resize_state(const struct columns *k, uint32_t task, uint32_t row) {
    if (row == NO_ROW) return LSCHED_RESIZE_STATE_NONE;
    if (k->c[C_TASK_STATE].u8[task] != LSCHED_TASK_RUNNING) return LSCHED_RESIZE_STATE_STOPPING;
    if (!task_size_wants(k, row)) return LSCHED_RESIZE_STATE_DONE;
    return resize_is_open(k, task) ? LSCHED_RESIZE_STATE_PROPOSED : LSCHED_RESIZE_STATE_WAITING;
}

static int32_t put_info(const struct columns *k, uint32_t task, lsched_resize_info *out,
                        lsched_error *err) {
    uint32_t row = task_size_row(k, task), q;
    lsched_resize_info info = LSCHED_RESIZE_INFO_INIT;
    info.state = resize_state(k, task, row);
    info.job = arg_id_of(k, LSCHED_KIND_JOB, k->c[C_TASK_JOB].u32[task]);
    info.task_index = k->c[C_TASK_INDEX].u32[task];
    info.node = arg_id_of(k, LSCHED_KIND_NODE, k->c[C_TASK_NODE].u32[task]);
    if (info.state == LSCHED_RESIZE_STATE_PROPOSED)
        info.decision = arg_id_of(k, LSCHED_KIND_DECISION, k->c[C_TASK_DECISION].u32[task]);
    if (row != NO_ROW) info.since_us = k->c[C_RESIZE_SINCE].i64[row];
    if (info.state == LSCHED_RESIZE_STATE_WAITING) {
        q = k->c[C_RESIZE_LIMITING].u32[row];
        info.code = k->c[C_RESIZE_CODE].u8[row];
        info.kind = k->c[C_RESIZE_RES].u8[row];
        info.need = k->c[C_RESIZE_NEED].i64[row];
        info.have = k->c[C_RESIZE_HAVE].i64[row];
        info.limiting_queue = q == NO_ROW ? 0 : arg_id_of(k, LSCHED_KIND_QUEUE, q);
    }
    int32_t rc = arg_out(out, &info, (uint32_t)sizeof info);
    return rc == LSCHED_OK
               ? rc
               : fail(err, LSCHED_E_SIZE, "resize info: the size of the record is not set");
}

/* The cursor of the walk is the row of RESIZE that is looked at next. */
LSCHED_API int32_t lsched_resizes_next(const lsched_cluster *c, uint64_t *cursor,
                                       lsched_resize_info *out, lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c || !cursor || !out) return fail(err, LSCHED_E_NULL, "cluster, cursor or out is NULL");
    const struct columns *k = &c->k;
    for (uint64_t row = *cursor; row < table_rows(k, T_RESIZE); row++) {
        if (!row_is_live(k, T_RESIZE, (uint32_t)row)) continue;
        rc = put_info(k, k->c[C_RESIZE_TASK].u32[row], out, err);
        if (rc != LSCHED_OK) return rc;
        *cursor = row + 1;
        return 1;
    }
    *cursor = UINT64_MAX;
    return 0;
}

LSCHED_API int32_t lsched_resize_get(const lsched_cluster *c, lsched_id job, uint32_t task_index,
                                     lsched_resize_info *out, lsched_error *err) {
    uint32_t task = NO_ROW;
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!out) return fail(err, LSCHED_E_NULL, "out is NULL");
    rc = find_running(c, job, task_index, &task, err);
    return rc == LSCHED_OK ? put_info(&c->k, task, out, err) : rc;
}

LSCHED_API int64_t lsched_resize_amount(const lsched_cluster *c, lsched_id job, uint32_t task_index,
                                        uint32_t kind, uint32_t which, lsched_error *err) {
    static const uint16_t columns[] = {C_RESIZE_REAL, C_RESIZE_WANT, C_RESIZE_SHAPE};
    uint32_t task = NO_ROW;
    int32_t rc = err_begin(err);
    if (rc == LSCHED_OK) rc = find_running(c, job, task_index, &task, err);
    if (rc == LSCHED_OK) rc = arg_kind(&c->k, kind, "resize", err);
    if (rc != LSCHED_OK) return rc;
    if (kind == LSCHED_GPU)
        return fail(err, LSCHED_E_INVAL,
                    "gpu: a running task keeps its devices; see "
                    "lsched_tasks_next for them");
    if (which >= sizeof columns / sizeof columns[0])
        return fail(err, LSCHED_E_INVAL,
                    "which is %u; expected LSCHED_RESIZE_AMOUNT_HAS, _WANTS or "
                    "_CHARGED",
                    which);
    uint32_t row = task_size_row(&c->k, task),
             shape = row == NO_ROW ? task_shape(&c->k, task) : c->k.c[columns[which]].u32[row];
    return c->k.c[C_SHAPE_REQ + kind].i64[shape];
}
