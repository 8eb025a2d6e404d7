/* change_apply.c -- see change_apply.h. A change for which there is a public call is made by that
 * call; the others are an operation of their own. */
#include "api/what_if/change_apply.h"

#include <stdio.h>

#include "api/door/args.h"
#include "api/door/door.h"
#include "model/jobs/job_limits.h"
#include "model/nodes/node_copy.h"
#include "model/queues/queue.h"
#include "model/shapes/node_label.h"
#include "model/told/change_feed.h"

/* ---- changes without a public call ---- */

/* Finds a name for the copy of a node: the name of the node, "+" and the first free number. */
static int32_t copy_name(const struct columns *k, uint32_t node, char *name, size_t cap,
                         lsched_text *out, lsched_error *err) {
    lsched_text t = text_of(k, k->c[C_NODE_NAME].u32[node]);
    for (uint32_t n = 1; n < UINT32_MAX; n++) {
        int len = snprintf(name, cap, "%.*s+%u", (int)t.len, t.ptr, n);
        if (len < 0 || (size_t)len >= cap)
            return fail(
                err, LSCHED_E_LIMIT,
                "node '%.*s': the name of a copy would be too long; expected at most %d bytes",
                (int)t.len, t.ptr, LSCHED_NAME_BYTES_MAX);
        if (name_find(k, T_IX_NODE, name, (size_t)len) != NO_ROW) continue;
        *out = (lsched_text){name, (uint64_t)len};
        return LSCHED_OK;
    }
    return LSCHED_E_LIMIT;
}

static int32_t element_change(struct lsched_cluster *c, const struct call *call, size_t i,
                              const void *element, lsched_error *err) {
    static const enum queue_value values[] = {[LSCHED_OFFER_JOBS_MAX] = QUEUE_VALUE_JOBS_MAX,
                                              [LSCHED_OFFER_LIMIT] = QUEUE_VALUE_LIMIT,
                                              [LSCHED_OFFER_QUOTA] = QUEUE_VALUE_QUOTA};
    const lsched_offer *o = element;
    char name[LSCHED_NAME_BYTES_MAX + 1];
    lsched_text copy = {NULL, 0};
    uint32_t row;
    (void)call, (void)i;
    int adds = o->change == LSCHED_OFFER_ADD_NODE;
    int32_t rc = arg_id(&c->k, o->object, adds ? LSCHED_KIND_NODE : LSCHED_KIND_QUEUE, &row, err);
    if (rc != LSCHED_OK) return rc;
    if (adds) {
        rc = copy_name(&c->k, row, name, sizeof name, &copy, err);
        return rc == LSCHED_OK ? node_copy(&c->k, row, copy, &row) : rc;
    }
    if (o->change != LSCHED_OFFER_JOBS_MAX && !kind_is_part(&c->k, o->kind))
        rc = arg_kind(&c->k, o->kind, "offer", err);
    if (rc != LSCHED_OK) return rc;
    int64_t most = o->change == LSCHED_OFFER_JOBS_MAX ? UINT32_MAX : LSCHED_AMOUNT_MAX;
    int lifts = o->change == LSCHED_OFFER_LIMIT && o->amount == LSCHED_UNLIMITED;
    if (!lifts && (o->amount < 0 || o->amount > most))
        return fail(err, LSCHED_E_RANGE, "offer: the amount is %lld; expected 0 to %lld",
                    (long long)o->amount, (long long)most);
    return queue_amend(&c->k, row, values[o->change], o->kind, o->amount);
}

static const struct call_kind call_change_apply = {.op = CALL_OFFER_APPLY, .apply = element_change};

/* ---- changes with a public call ---- */

static int32_t label_node(struct lsched_cluster *c, const lsched_offer *o, lsched_error *err) {
    const struct columns *k = &c->k;
    lsched_label labels[LIMIT_LABELS_PER_NODE];
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    uint32_t node, n = 0;
    int32_t rc = arg_id(k, o->object, LSCHED_KIND_NODE, &node, err);
    if (rc != LSCHED_OK) return rc;
    lsched_text key = {o->key, strlen(o->key)}, value = {o->value, strlen(o->value)};
    struct reader r = reader_of(k, intern_text(k, T_LABELS, k->c[C_NODE_LABELS].u32[node]));
    for (uint32_t left = reader_u32(&r); left > 0; left--) {
        labels[n].key = reader_text(&r);
        labels[n].value = reader_text(&r);
        if (labels[n].value.len == 0) labels[n].value.ptr = "";
        if (text_order(labels[n].key, key) != 0) n++;
    }
    if (n == LIMIT_LABELS_PER_NODE)
        return fail(err, LSCHED_E_LIMIT, "offer: the node has %u labels, the most", n);
    labels[n++] = (lsched_label){key, value};
    u.node = o->object;
    u.set = LSCHED_NODE_SET_LABELS;
    u.labels = labels;
    u.n_labels = n;
    return lsched_nodes_update(c, &u, 1, sizeof u, NULL, NULL, err);
}

static int32_t ready_node(struct lsched_cluster *c, const lsched_offer *o, lsched_error *err) {
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.node = o->object;
    u.set = LSCHED_NODE_SET_STATE;
    u.state = LSCHED_NODE_READY;
    return lsched_nodes_update(c, &u, 1, sizeof u, NULL, NULL, err);
}

static int32_t update_job(struct lsched_cluster *c, const lsched_offer *o, lsched_error *err) {
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    u.job = o->object;
    u.set = o->change == LSCHED_OFFER_RELEASE ? LSCHED_JOB_SET_AGAIN : LSCHED_JOB_SET_PRIORITY;
    u.priority = (int32_t)o->amount;
    if (o->amount != u.priority)
        return fail(err, LSCHED_E_RANGE, "offer: priority %lld; expected %d to %d",
                    (long long)o->amount, INT32_MIN, INT32_MAX);
    return lsched_jobs_update(c, &u, 1, sizeof u, NULL, NULL, err);
}

static int32_t release_job(struct lsched_cluster *c, const lsched_offer *o, lsched_error *err) {
    uint32_t job;
    int32_t rc = arg_id(&c->k, o->object, LSCHED_KIND_JOB, &job, err);
    if (rc != LSCHED_OK) return rc;
    return job_host_hold(&c->k, job) ? lsched_jobs_release(c, &o->object, 1, NULL, NULL, err)
                                     : update_job(c, o, err);
}

int32_t change_apply(struct lsched_cluster *c, const lsched_offer *o, lsched_error *err) {
    struct call call = {.kind = &call_change_apply, .n = 1, .elem_size = sizeof *o, .elements = o};
    int32_t rc;
    switch (o->change) {
    case LSCHED_OFFER_RELEASE: rc = release_job(c, o, err); break;
    case LSCHED_OFFER_PRIORITY: rc = update_job(c, o, err); break;
    case LSCHED_OFFER_UNCORDON: rc = ready_node(c, o, err); break;
    case LSCHED_OFFER_LABEL: rc = label_node(c, o, err); break;
    case LSCHED_OFFER_WITHDRAW: rc = lsched_jobs_remove(c, &o->object, 1, NULL, NULL, err); break;
    case LSCHED_OFFER_JOBS_MAX:
    case LSCHED_OFFER_LIMIT:
    case LSCHED_OFFER_QUOTA:
    case LSCHED_OFFER_ADD_NODE: rc = door_apply(c, &call, err); break;
    default:
        return fail(err, LSCHED_E_INVAL,
                    "offer: change %u; expected LSCHED_OFFER_*, as in an offer that was found",
                    o->change);
    }
    if (rc < 0 && err && LSCHED_HAS(err, index)) err->index = -1; /* an offer is no list */
    return rc < 0 ? rc : LSCHED_OK;
}

LSCHED_API int32_t lsched_offer_apply(lsched_cluster *c, const lsched_offer *offer,
                                      lsched_error *err) {
    lsched_offer o;
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c) return fail(err, LSCHED_E_NULL, "cluster is NULL");
    rc = arg_struct(&o, sizeof o, offer, 0, "offer", err);
    if (rc == LSCHED_OK && (o.key[sizeof o.key - 1] || o.value[sizeof o.value - 1]))
        return fail(err, LSCHED_E_INVAL, "offer: its label is not NUL-terminated");
    if (rc != LSCHED_OK) return rc;
    if (c->busy) return arg_busy(err);
    change_feed_whole_call(&c->k, CALL_OFFER_APPLY);
    rc = change_apply(c, &o, err);
    change_feed_whole_call(&c->k, 0);
    return rc;
}

LSCHED_API const char *lsched_offer_name(uint32_t change) {
    static const char *const names[] = {"none",  "release", "uncordon", "label",    "jobs-max",
                                        "limit", "quota",   "priority", "withdraw", "add-node"};
    return change < sizeof names / sizeof *names ? names[change] : "unknown";
}
