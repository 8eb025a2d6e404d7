/* api_describe.c -- lsched_describe: an object as the orchestrator can submit it again. */
#include "api/door/args.h"
#include "api/forms/description.h"
#include "model/queues/user_queue.h"

static int32_t describable(const struct columns *k, lsched_id id, uint32_t *row,
                           lsched_error *err) {
    uint32_t kind = LSCHED_ID_KIND(id);
    if (kind != LSCHED_KIND_NODE && kind != LSCHED_KIND_QUEUE && kind != LSCHED_KIND_JOB)
        return fail(err, LSCHED_E_KIND, "expected the id of a node, a queue or a job, got %#llx",
                    (unsigned long long)id);
    int32_t rc = arg_id(k, id, kind, row, err);
    if (rc != LSCHED_OK || kind != LSCHED_KIND_QUEUE || !queue_is_of_user(k, *row)) return rc;
    lsched_text name = text_of(k, k->c[C_QUEUE_NAME].u32[*row]);
    return fail(
        err, LSCHED_E_STATE,
        "queue '%.*s' is the sub-queue of a user or group: the library makes it for a job or "
        "for an allowance; describe the queue above it",
        (int)name.len, name.ptr);
}

LSCHED_API int32_t lsched_describe(const lsched_cluster *c, lsched_id id, lsched_description **out,
                                   lsched_error *err) {
    uint32_t row;
    struct alloc a;
    int32_t rc = arg_query(c, out, err);
    if (rc != LSCHED_OK) return rc;
    rc = describable(&c->k, id, &row, err);
    if (rc != LSCHED_OK) return rc;
    alloc_init(&a, &c->alloc.hooks, 0);
    struct lsched_description *d = alloc_zero(&a, sizeof *d);
    if (!d) return fail_plain(err, LSCHED_E_NOMEM);
    d->alloc = a;
    d->kind = LSCHED_ID_KIND(id);
    if (d->kind == LSCHED_KIND_NODE) describe_node(d, &c->k, row);
    if (d->kind == LSCHED_KIND_QUEUE) describe_queue(d, &c->k, row);
    if (d->kind == LSCHED_KIND_JOB) describe_job(d, &c->k, row);
    if (d->failed) {
        lsched_description_destroy(d);
        return fail_plain(err, LSCHED_E_NOMEM);
    }
    *out = d;
    return LSCHED_OK;
}

LSCHED_API const lsched_node_desc *lsched_description_node(const lsched_description *d) {
    return d && d->kind == LSCHED_KIND_NODE ? &d->of.node : NULL;
}

LSCHED_API const lsched_queue_desc *lsched_description_queue(const lsched_description *d) {
    return d && d->kind == LSCHED_KIND_QUEUE ? &d->of.queue : NULL;
}

LSCHED_API const lsched_job_desc *lsched_description_job(const lsched_description *d) {
    return d && d->kind == LSCHED_KIND_JOB ? &d->of.job : NULL;
}
