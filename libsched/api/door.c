/* door.c -- see door.h. */
#include "api/door.h"

#include "api/args.h"

static call_element_fn function_of(uint32_t op) {
    switch (op) {
    case CALL_RESOURCE_ADD: return element_resource_add;
    case CALL_RESOURCE_ADD_PART: return element_resource_add_part;
    case CALL_POOLS_ADD: return element_pool_add;
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
    case CALL_COLLISIONS_REPORT: return element_collision;
    case CALL_TASK_MIX_SET: return element_mix_add;
    case CALL_CLOCK_SET: return element_clock_set;
    case CALL_INCARNATION_SET: return element_incarnation_set;
    default: return element_settle;
    }
}

void door_watch(struct lsched_cluster *c, door_watch_fn fn, void *user) {
    c->watch = fn;
    c->watch_user = user;
}

/* The name of the object that an element is about, where it has one. */
static lsched_text element_name(const struct lsched_cluster *c, const struct call *call, size_t i,
                                const char **kind) {
    const void *e = (const char *)call->elements + i * call->elem_size;
    lsched_id id = 0;
    lsched_text none = {"", 0};
    union {
        lsched_node_desc node;
        lsched_queue_desc queue;
        lsched_job_desc job;
        lsched_node_update update;
        lsched_task_event event;
        lsched_task_import import;
        lsched_usage_sample usage;
    } d;
    *kind = "node";
    switch (call->op) {
    case CALL_NODES_ADD:
        return arg_struct(&d.node, sizeof d.node, e, call->elem_size, "", NULL)
                   ? none
                   : arg_text(d.node.name);
    case CALL_NODES_UPDATE:
        if (arg_struct(&d.update, sizeof d.update, e, call->elem_size, "", NULL)) return none;
        if (!d.update.node) return arg_text(d.update.name);
        id = d.update.node;
        break;
    case CALL_QUEUES_ADD:
        *kind = "queue";
        return arg_struct(&d.queue, sizeof d.queue, e, call->elem_size, "", NULL)
                   ? none
                   : arg_text(d.queue.name);
    case CALL_QUEUES_UPDATE:
        *kind = "queue";
        id = ((const lsched_id *)call->second)[i];
        break;
    case CALL_JOBS_SUBMIT:
        *kind = "job";
        return arg_struct(&d.job, sizeof d.job, e, call->elem_size, "", NULL)
                   ? none
                   : arg_text(d.job.name);
    case CALL_TASKS_REPORT:
        *kind = "job";
        id = arg_struct(&d.event, sizeof d.event, e, call->elem_size, "", NULL) ? 0 : d.event.job;
        break;
    case CALL_TASKS_IMPORT:
        *kind = "job";
        if (arg_struct(&d.import, sizeof d.import, e, call->elem_size, "", NULL)) return none;
        if (!d.import.job) return arg_text(d.import.job_name);
        id = d.import.job;
        break;
    case CALL_USAGE_REPORT:
        *kind = "job";
        id = arg_struct(&d.usage, sizeof d.usage, e, call->elem_size, "", NULL) ? 0 : d.usage.job;
        break;
    default: return none;
    }
    size_t len = 0;
    const char *name = lsched_name(c, id, &len);
    return name ? (lsched_text){name, len} : none;
}

static int message_names(const char *message, lsched_text name) {
    size_t n = strlen(message), len = (size_t)name.len;
    for (size_t i = 0; len <= n && i <= n - len; i++)
        if (memcmp(message + i, name.ptr, len) == 0) return 1;
    return 0;
}

/* Keep the error of the first bad element, with the element's name in front; later ones only mark their status. */
static void element_failed(const struct lsched_cluster *c, const struct call *call, size_t i,
                           int32_t rc, lsched_error *err, lsched_error *mine, int32_t *first) {
    if (call->status) call->status[i] = rc;
    if (call->ids) call->ids[i] = 0;
    if (*first != LSCHED_OK) return;
    *first = rc;
    if (!err) return;
    fail_plain(mine, rc);
    const char *kind;
    lsched_text name = element_name(c, call, i, &kind);
    if (name.len > 80) name.len = 80;
    if (name.len && !message_names(mine->message, name)) {
        char message[LSCHED_MESSAGE_BYTES];
        uint32_t line = mine->line, column = mine->column;
        memcpy(message, mine->message, sizeof message);
        fail(mine, rc, "%s '%.*s': %s", kind, (int)name.len, name.ptr, message);
        mine->line = line;
        mine->column = column;
    }
    mine->index = (int64_t)i;
    err_copy(err, mine);
}

static int32_t apply_all(struct lsched_cluster *c, const struct call *call, lsched_error *err,
                         int32_t *first, size_t *applied) {
    struct columns *k = &c->k;
    call_element_fn fn = function_of(call->op);
    lsched_error mine = LSCHED_ERROR_INIT;
    for (size_t i = 0; i < call->n; i++) {
        int32_t rc = undo_room(k);
        size_t mark = undo_mark(k);
        if (err) lsched_error_init(&mine, (uint32_t)sizeof mine);
        if (rc == LSCHED_OK)
            rc = fn(c, call, i, (const char *)call->elements + i * call->elem_size,
                    err ? &mine : NULL);
        if (rc >= 0) {
            if (call->status) call->status[i] = LSCHED_OK;
            ++*applied;
            continue;
        }
        if (rc == LSCHED_E_NOMEM) return rc;
        undo_rollback(k, mark);
        element_failed(c, call, i, rc, err, &mine, first);
    }
    return LSCHED_OK;
}

int32_t door_apply(struct lsched_cluster *c, const struct call *call, lsched_error *err) {
    struct columns *k = &c->k;
    if (c->busy) return fail(err, LSCHED_E_BUSY, "a callback called back into its cluster");
    if (call->flags & ~(uint32_t)LSCHED_BATCH_PARTIAL)
        return fail(err, LSCHED_E_INVAL, "unknown flags %#x", call->flags);
    if (call->n && !call->elements)
        return fail(err, LSCHED_E_NULL, "the batch has %zu elements and a NULL pointer", call->n);
    if (call->n > LIMIT_BATCH_MAX)
        return fail(err, LSCHED_E_LIMIT, "a batch of %zu elements; at most %u", call->n,
                    LIMIT_BATCH_MAX);
    int32_t first = LSCHED_OK, rc = undo_begin(k);
    size_t applied = 0;
    if (rc != LSCHED_OK) return fail_plain(err, rc);
    c->busy = 1;
    rc = apply_all(c, call, err, &first, &applied);
    if (rc == LSCHED_OK && first != LSCHED_OK && !(call->flags & LSCHED_BATCH_PARTIAL)) rc = first;
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc == LSCHED_OK && meta(k, M_PASS_AT)) set_meta(k, M_PASS_NEWS, 1);
    if (rc != LSCHED_OK) undo_rollback(k, 0);
    if (rc != LSCHED_OK && call->ids) memset(call->ids, 0, call->n * sizeof *call->ids);
    undo_end(k);
    if (rc == LSCHED_OK && c->watch) c->watch(c->watch_user, call);
    c->busy = 0;
    if (rc != LSCHED_OK) return rc == first ? rc : fail_plain(err, rc);
    return (int32_t)applied;
}
