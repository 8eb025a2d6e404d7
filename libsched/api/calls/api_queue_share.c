/* api_queue_share.c -- the present use, demand and entitlement of queues; see
 * engine/queues/share_ask.h, engine/queues/unusable_guarantee.h and engine/queues/lost_quota.h. */
#include "api/door/args.h"
#include "engine/queues/lost_quota.h"
#include "engine/queues/share_ask.h"
#include "engine/queues/unusable_guarantee.h"
#include "model/queues/usage_decay.h"

/* Fills *out with the values that are in the queue's columns. The demand does not include jobs
 * that no cycle has admitted yet. */
static void read_columns(const struct columns *k, uint32_t q, uint32_t kind,
                         lsched_queue_share *out) {
    int64_t now = (int64_t)meta(k, M_NOW);
    out->used = k->c[C_QUEUE_USED + kind].i64[q];
    out->used_core = k->c[C_QUEUE_CORE + kind].i64[q];
    out->demand = k->c[C_QUEUE_DEMAND + kind].i64[q];
    out->quota = k->c[C_QUEUE_QUOTA_NOW + kind].i64[q];
    out->limit = k->c[C_QUEUE_LIMIT_NOW + kind].i64[q];
    out->hold = k->c[C_QUEUE_HOLD + kind].i64[q];
    out->decayed_ppm =
        usage_decay_ppm(usage_decay_spent(k, q, kind, now), usage_decay_capacity(k, kind, now));
    out->guarantee = 0; /* the share algorithm sets the guarantee later in this call */
    out->fair_share = LSCHED_UNLIMITED;
}

static int32_t no_share(const struct lsched_cluster *c, lsched_error *err) {
    return fail(err, LSCHED_E_NOENT, "the policy names an unknown share '%s'",
                cluster_share_name(c));
}

static int32_t ask_share(struct lsched_cluster *c, uint32_t q, uint32_t kind,
                         lsched_queue_share *out, lsched_error *err) {
    int32_t rc = share_ask(c, q, kind, &out->guarantee, &out->fair_share, err);
    if (rc == LSCHED_E_NOENT) return no_share(c, err);
    return rc < 0 ? rc : LSCHED_OK;
}

LSCHED_API int32_t lsched_queue_share_get(const lsched_cluster *cluster, lsched_id queue,
                                          uint32_t kind, lsched_queue_share *out,
                                          lsched_error *err) {
    lsched_cluster *c = arg_caches_of(cluster);
    int32_t rc = arg_query(c, out, err);
    if (rc != LSCHED_OK) return rc;
    if (c->busy) return arg_busy(err);
    uint32_t q;
    rc = arg_id(&c->k, queue, LSCHED_KIND_QUEUE, &q, err);
    if (rc == LSCHED_OK) rc = arg_kind(&c->k, kind, "queue share", err);
    if (rc != LSCHED_OK) return rc;
    lsched_queue_share share = {.size = sizeof share};
    read_columns(&c->k, q, kind, &share);
    c->busy = 1;
    rc = ask_share(c, q, kind, &share, err);
    c->busy = 0;
    if (rc != LSCHED_OK) return fail_plain(err, rc);
    rc = arg_out(out, &share, (uint32_t)sizeof share);
    return rc == LSCHED_OK ? rc : fail(err, rc, "queue share: its size is %u", out->size);
}

LSCHED_API int64_t lsched_queue_warnings(const lsched_cluster *cluster, char *buf, size_t cap,
                                         lsched_error *err) {
    lsched_cluster *c = arg_caches_of(cluster);
    struct text_out o;
    int32_t rc = arg_report(c, buf, cap, &o, err);
    if (rc != LSCHED_OK) return rc;
    c->busy = 1;
    rc = unusable_guarantee_report(c, &o, err);
    if (rc == LSCHED_OK) rc = lost_quota_report(c, &o, err);
    c->busy = 0;
    if (rc == LSCHED_E_NOENT) return no_share(c, err);
    return rc == LSCHED_OK ? (int64_t)o.n : fail_plain(err, rc);
}
