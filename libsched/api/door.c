/* door.c -- see door.h. */
#include "api/door.h"

#include "api/args.h"

static call_element_fn function_of(uint32_t op) {
    switch (op) {
    case CALL_RESOURCE_ADD: return element_resource_add;
    case CALL_TOPOLOGIES_ADD: return element_topology_add;
    case CALL_NODES_ADD: return element_node_add;
    case CALL_NODES_UPDATE: return element_node_update;
    case CALL_NODES_REMOVE: return element_node_remove;
    case CALL_QUEUES_ADD: return element_queue_add;
    case CALL_QUEUES_UPDATE: return element_queue_update;
    case CALL_QUEUES_REMOVE: return element_queue_remove;
    case CALL_JOBS_SUBMIT: return element_job_submit;
    case CALL_JOBS_REMOVE: return element_job_remove;
    case CALL_JOBS_SET_PRIORITY: return element_job_priority;
    case CALL_TASKS_REPORT: return element_task_report;
    case CALL_TASKS_IMPORT: return element_task_import;
    case CALL_USAGE_REPORT: return element_usage_report;
    case CALL_TASK_MIX_SET: return element_mix_add;
    default: return element_settle;
    }
}

void door_watch(struct lsched_cluster *c, door_watch_fn fn, void *user) {
    c->watch = fn;
    c->watch_user = user;
}

/* Keep the error of the first bad element; later ones only mark their status. */
static int32_t element_failed(const struct call *call, size_t i, int32_t rc, lsched_error *err, lsched_error *mine, int32_t *first) {
    if (call->status) call->status[i] = rc;
    if (call->ids) call->ids[i] = 0;
    if (*first != LSCHED_OK) return LSCHED_OK;
    *first = rc;
    if (!err) return LSCHED_OK;
    fail_plain(mine, rc);
    uint32_t size = err->size;
    *err = *mine;
    err->size = size;
    err->index = (int64_t)i;
    return LSCHED_OK;
}

static int32_t apply_all(struct lsched_cluster *c, const struct call *call, lsched_error *err, int32_t *first, size_t *applied) {
    struct columns *k = &c->k;
    call_element_fn fn = function_of(call->op);
    lsched_error mine = LSCHED_ERROR_INIT;
    for (size_t i = 0; i < call->n; i++) {
        int32_t rc = undo_room(k);
        size_t mark = undo_mark(k);
        if (err) lsched_error_init(&mine, (uint32_t)sizeof mine);
        if (rc == LSCHED_OK) rc = fn(c, call, i, (const char *)call->elements + i * call->elem_size, err ? &mine : NULL);
        if (rc >= 0) {
            if (call->status) call->status[i] = LSCHED_OK;
            ++*applied;
            continue;
        }
        if (rc == LSCHED_E_NOMEM) return rc;
        undo_rollback(k, mark);
        element_failed(call, i, rc, err, &mine, first);
    }
    return LSCHED_OK;
}

int32_t door_apply(struct lsched_cluster *c, const struct call *call, lsched_error *err) {
    struct columns *k = &c->k;
    if (c->busy) return fail(err, LSCHED_E_BUSY, "a callback called back into its cluster");
    if (call->n && !call->elements) return fail(err, LSCHED_E_NULL, "the batch has %zu elements and a NULL pointer", call->n);
    if (call->n > LIMIT_BATCH_MAX) return fail(err, LSCHED_E_LIMIT, "a batch of %zu elements; at most %u", call->n, LIMIT_BATCH_MAX);
    int32_t first = LSCHED_OK, rc = undo_begin(k);
    size_t applied = 0;
    if (rc != LSCHED_OK) return fail_plain(err, rc);
    c->busy = 1;
    rc = apply_all(c, call, err, &first, &applied);
    if (rc == LSCHED_OK && first != LSCHED_OK && !(call->flags & LSCHED_BATCH_PARTIAL)) rc = first;
    if (rc != LSCHED_OK) undo_rollback(k, 0);
    if (rc != LSCHED_OK && call->ids) memset(call->ids, 0, call->n * sizeof *call->ids);
    undo_end(k);
    c->busy = 0;
    if (rc != LSCHED_OK) return rc == first ? rc : fail_plain(err, rc);
    if (c->watch) c->watch(c->watch_user, call);
    return (int32_t)applied;
}
