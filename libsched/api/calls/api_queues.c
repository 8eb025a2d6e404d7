/* api_queues.c -- calls about queues: each element of a batch is checked and then passed to one
 * call of the model. */
#include "api/door/args.h"
#include "api/door/door.h"
#include "api/forms/queue_form.h"
#include "api/reservations/reserved_use.h"
#include "base/text_out.h"
#include "model/store/intern.h"
#include "model/queues/user_queue.h"
#include "model/jobs/queue_end.h"

static int32_t read_queue(const struct columns *k, const struct call *call, size_t i,
                          const void *element, lsched_queue_desc *d, struct queue_spec *spec,
                          lsched_error *err) {
    int32_t rc = arg_struct(d, sizeof *d, element, call->elem_size, "queue", err);
    if (rc == LSCHED_OK)
        rc = arg_reserved_at(d->reserved_zero, "reserved_zero", NULL, "queue", i, err);
    return rc == LSCHED_OK ? queue_form_read(k, d, spec, err) : rc;
}

/* Checks the depth of a queue. A queue with user queues needs room for one or two more levels
 * below it. */
static int32_t check_depth(lsched_text name, uint32_t depth, uint32_t flags, lsched_error *err) {
    if (depth + queue_levels_below(flags) < LSCHED_QUEUE_DEPTH_MAX) return LSCHED_OK;
    return fail(err, LSCHED_E_LIMIT, "queue '%.*s': the tree would be deeper than %d%s",
                (int)name.len, name.ptr, LSCHED_QUEUE_DEPTH_MAX,
                flags ? " with the queues of its users and groups" : "");
}

/* True if the parents that the elements of the batch name form a cycle: following the parent
 * names from element i upwards leads back to `name`, the name of element i. */
static int parents_form_cycle(const struct call *call, size_t i, lsched_text name) {
    lsched_queue_desc d;
    lsched_text want = {NULL, 0};
    if (arg_struct(&d, sizeof d, (const char *)call->elements + i * call->elem_size,
                   call->elem_size, "queue", NULL) != LSCHED_OK)
        return 0;
    want = arg_text(d.parent_name);
    for (size_t steps = 0; steps < call->n && steps < 2 * LSCHED_QUEUE_DEPTH_MAX && want.len;
         steps++) {
        if (text_order(want, name) == 0) return 1;
        size_t j = 0;
        for (; j < call->n; j++) {
            if (arg_struct(&d, sizeof d, (const char *)call->elements + j * call->elem_size,
                           call->elem_size, "queue", NULL) != LSCHED_OK)
                continue;
            lsched_text other = arg_text(d.name);
            if (text_order(other, want) == 0) break;
        }
        if (j == call->n) return 0;
        want = arg_text(d.parent_name);
    }
    return 0;
}

#define CYCLE_CHECKS_MAX 64

static int32_t find_parent(const struct columns *k, const struct call *call, size_t i,
                           const lsched_queue_desc *d, uint32_t *parent, lsched_error *err) {
    lsched_text name = arg_text(d->parent_name);
    *parent = NO_ROW;
    if (d->parent == 0 && name.len == 0) return LSCHED_OK;
    int32_t rc = arg_ref(k, d->parent, name, LSCHED_KIND_QUEUE, parent, err);
    /* the walk costs O(batch), so only the first CYCLE_CHECKS_MAX bad elements are checked for a
     * cycle */
    size_t *looked = call->more;
    if (rc == LSCHED_E_NOENT && looked && (*looked)++ < CYCLE_CHECKS_MAX &&
        parents_form_cycle(call, i, d->name))
        return fail(err, LSCHED_E_CYCLE,
                    "queue '%.*s' would be its own ancestor: its parent '%.*s' is below it",
                    (int)d->name.len, d->name.ptr, (int)name.len, name.ptr);
    if (rc == LSCHED_E_NOENT)
        return fail(
            err, rc,
            "queue '%.*s': its parent '%.*s' does not exist (parents come first in a batch)",
            (int)d->name.len, d->name.ptr, (int)name.len, name.ptr);
    return rc;
}

static int32_t element_queue_add(struct lsched_cluster *c, const struct call *call, size_t i,
                                 const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    lsched_queue_desc d;
    struct queue_spec spec;
    int32_t rc = read_queue(k, call, i, element, &d, &spec, err);
    if (rc == LSCHED_OK) rc = arg_new_name(k, &d.name, LSCHED_KIND_QUEUE, err);
    if (rc != LSCHED_OK) return rc;
    const char *name = d.name.ptr;
    int len = (int)d.name.len;
    rc = find_parent(k, call, i, &d, &spec.parent, err);
    if (rc != LSCHED_OK) return rc;
    uint32_t p = spec.parent;
    if (p != NO_ROW && queue_is_leaf(k, p) && k->c[C_QUEUE_JOBS].u64[p])
        return fail(err, LSCHED_E_BUSY,
                    "queue '%.*s': its parent has jobs; jobs are in leaf queues only", len, name);
    if (p != NO_ROW && queue_divides(k, p))
        return fail(err, LSCHED_E_STATE,
                    "queue '%.*s': its parent is divided by users or groups, and can have no "
                    "other queues below it than theirs",
                    len, name);
    rc = check_depth(d.name, p == NO_ROW ? 0 : k->c[C_QUEUE_DEPTH].u32[p] + 1, spec.flags, err);
    if (rc != LSCHED_OK) return rc;
    spec.name = d.name;
    uint32_t row;
    rc = queue_add(k, &spec, &row);
    if (rc == LSCHED_OK && call->ids) call->ids[i] = arg_id_of(k, LSCHED_KIND_QUEUE, row);
    return rc;
}

static const struct call_kind call_queues_add = {.op = CALL_QUEUES_ADD,
                                                 .apply = element_queue_add,
                                                 .what = "queue",
                                                 .struct_size = sizeof(lsched_queue_desc),
                                                 .name_at = offsetof(lsched_queue_desc, name)};

LSCHED_API int32_t lsched_queues_add(lsched_cluster *c, const lsched_queue_desc *queues, size_t n,
                                     size_t elem_size, const lsched_batch_opts *opts,
                                     lsched_id *ids, int32_t *status, lsched_error *err) {
    size_t looked = 0;
    struct call call = {.kind = &call_queues_add,
                        .more = &looked,
                        .n = n,
                        .elem_size = elem_size,
                        .elements = queues,
                        .ids = ids,
                        .status = status};
    return door_batch(c, &call, opts, err);
}

/* Checks that the queue can get user queues: it must have no jobs of its own, and all its
 * children must be user queues. */
static int32_t check_divide(const struct columns *k, uint32_t q, uint32_t flags,
                            lsched_error *err) {
    lsched_text name = text_of(k, k->c[C_QUEUE_NAME].u32[q]);
    if (flags == 0 || queue_is_of_user(k, q)) return LSCHED_OK;
    uint32_t child = k->c[C_QUEUE_CHILD].u32[q], other = child;
    while (other != NO_ROW && queue_is_of_user(k, other)) other = k->c[C_QUEUE_NEXT].u32[other];
    if (other != NO_ROW)
        return fail(err, LSCHED_E_STATE,
                    "queue '%.*s' has queues below it; only a leaf is divided by users or groups",
                    (int)name.len, name.ptr);
    if (child == NO_ROW && k->c[C_QUEUE_JOBS].u64[q])
        return fail(err, LSCHED_E_BUSY,
                    "queue '%.*s' has %s of its own; divide it when it has none", (int)name.len,
                    name.ptr, counted(k->c[C_QUEUE_JOBS].u64[q], "job").text);
    return check_depth(name, k->c[C_QUEUE_DEPTH].u32[q], flags, err);
}

static int32_t element_queue_update(struct lsched_cluster *c, const struct call *call, size_t i,
                                    const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    lsched_queue_update u;
    struct queue_spec spec;
    uint32_t q = NO_ROW;
    (void)i;
    int32_t rc = arg_struct(&u, sizeof u, element, call->elem_size, "queue update", err);
    if (rc == LSCHED_OK) rc = arg_ref(k, u.queue, u.name, LSCHED_KIND_QUEUE, &q, err);
    if (rc == LSCHED_OK) rc = queue_form_update(k, q, &u, &spec, err);
    if (rc == LSCHED_OK) rc = check_divide(k, q, spec.flags, err);
    /* without a field, nothing changes, so that no job needs to be tried again */
    return rc == LSCHED_OK && u.set ? queue_set(k, q, &spec) : rc;
}

static const struct call_kind call_queues_update = {.op = CALL_QUEUES_UPDATE,
                                                    .apply = element_queue_update,
                                                    .what = "queue",
                                                    .struct_size = sizeof(lsched_queue_update),
                                                    .name_at = offsetof(lsched_queue_update, name),
                                                    .id_at = offsetof(lsched_queue_update, queue),
                                                    .object = LSCHED_KIND_QUEUE};

LSCHED_API int32_t lsched_queues_update(lsched_cluster *c, const lsched_queue_update *updates,
                                        size_t n, size_t elem_size, const lsched_batch_opts *opts,
                                        int32_t *status, lsched_error *err) {
    struct call call = {.kind = &call_queues_update,
                        .n = n,
                        .elem_size = elem_size,
                        .elements = updates,
                        .status = status};
    return door_batch(c, &call, opts, err);
}

static int32_t element_queue_remove(struct lsched_cluster *c, const struct call *call, size_t i,
                                    const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    uint32_t q;
    (void)i;
    int32_t rc = arg_id(k, *(const lsched_id *)element, LSCHED_KIND_QUEUE, &q, err);
    if (rc == LSCHED_E_STALE && call_is_idempotent(call)) return LSCHED_UNCHANGED;
    if (rc == LSCHED_OK) rc = reserved_use_queue(k, q, err);
    if (rc == LSCHED_OK && k->c[C_QUEUE_JOBS].u64[q] == 0) rc = user_queues_drop(k, q);
    if (rc != LSCHED_OK) return rc;
    lsched_text name = text_of(k, k->c[C_QUEUE_NAME].u32[q]);
    uint32_t child = k->c[C_QUEUE_CHILD].u32[q];
    if (child != NO_ROW && (k->c[C_QUEUE_JOBS].u64[q] == 0 || !queue_is_of_user(k, child)))
        return fail(err, LSCHED_E_BUSY,
                    "queue '%.*s' has children that the batch does not remove; remove them, too",
                    (int)name.len, name.ptr);
    if (k->c[C_QUEUE_JOBS].u64[q])
        return fail(err, LSCHED_E_BUSY, "queue '%.*s' has %s; move or remove them first",
                    (int)name.len, name.ptr, counted(k->c[C_QUEUE_JOBS].u64[q], "job").text);
    rc = queue_forget(k, q);
    if (rc == LSCHED_OK) queue_end(k, q);
    return rc;
}

static const struct call_kind call_queues_remove = {.op = CALL_QUEUES_REMOVE,
                                                    .apply = element_queue_remove,
                                                    .object = LSCHED_KIND_QUEUE,
                                                    .is_id = 1};

static uint32_t depth_of(const struct columns *k, lsched_id id) {
    uint32_t q;
    return arg_id(k, id, LSCHED_KIND_QUEUE, &q, NULL) == LSCHED_OK ? k->c[C_QUEUE_DEPTH].u32[q] : 0;
}

/* Sorts the queues of a batch by depth, the deepest first, because a queue must be removed before
 * its parent. The order in the batch does not matter. It is a stable counting sort. */
static void deepest_first(const struct columns *k, const lsched_id *queues, size_t n,
                          lsched_id *sorted, size_t *from) {
    size_t o = 0;
    for (uint32_t d = LSCHED_QUEUE_DEPTH_MAX; d-- > 0;)
        for (size_t i = 0; i < n; i++)
            if (depth_of(k, queues[i]) == d) {
                sorted[o] = queues[i];
                from[o++] = i;
            }
}

LSCHED_API int32_t lsched_queues_remove(lsched_cluster *c, const lsched_id *queues, size_t n,
                                        const lsched_batch_opts *opts, int32_t *status,
                                        lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c || (n && !queues)) return fail(err, LSCHED_E_NULL, "cluster or queues is NULL");
    if (n > LIMIT_BATCH_MAX)
        return fail(err, LSCHED_E_LIMIT, "a batch of %zu elements; at most %u", n, LIMIT_BATCH_MAX);
    if (n == 0) return 0;
    size_t bytes = n * (sizeof(lsched_id) + sizeof(size_t) + sizeof(int32_t));
    lsched_id *sorted = alloc_new(&c->alloc, bytes);
    if (!sorted) return fail_plain(err, LSCHED_E_NOMEM);
    size_t *from = (size_t *)(void *)(sorted + n);
    int32_t *codes = (int32_t *)(void *)(from + n);
    deepest_first(&c->k, queues, n, sorted, from);
    for (size_t i = 0; i < n; i++) codes[i] = LSCHED_OK;
    struct call call = {.kind = &call_queues_remove,
                        .n = n,
                        .elem_size = sizeof *queues,
                        .elements = sorted,
                        .status = codes};
    rc = door_batch(c, &call, opts, err);
    for (size_t i = 0; i < n && status; i++) status[from[i]] = codes[i];
    if (err && err->size > offsetof(lsched_error, index) + sizeof err->index && err->index >= 0)
        err->index = (int64_t)from[err->index];
    alloc_free(&c->alloc, sorted, bytes);
    return rc;
}
