/* lost_quota.c -- see lost_quota.h. */
#include "engine/queues/lost_quota.h"

#include <string.h>

#include "base/amounts.h"
#include "engine/queues/share_ask.h"

/* The quotas of a kind that the queues directly below a queue have, as far as their limits allow
 * them. */
struct lost_quotas {
    uint32_t n, first; /* number of these queues, and the row of the first one */
    int some_hold;     /* 1 if the share algorithm guarantees one of these queues something */
    int64_t sum;       /* LSCHED_UNLIMITED if a quota is */
};

static int64_t lost_quota_limit_of(const struct columns *k, uint32_t q, uint32_t kind) {
    return k->c[C_QUEUE_LIMIT_NOW + kind].i64[q];
}

static int64_t lost_quota_of(const struct columns *k, uint32_t q, uint32_t kind) {
    int64_t quota = k->c[C_QUEUE_QUOTA_NOW + kind].i64[q], limit = lost_quota_limit_of(k, q, kind);
    return quota < limit ? quota : limit;
}

/* Reads the quotas of a kind into below[row of the queue above]. Returns 1, or an error of the
 * share algorithm. */
static int32_t lost_quotas_read(struct lsched_cluster *c, uint32_t kind,
                                struct lost_quotas *below) {
    const struct columns *k = &c->k;
    int32_t rc = 1;
    memset(below, 0, table_rows(k, T_QUEUE) * sizeof *below);
    for (uint32_t q = 0; rc > 0 && q < table_rows(k, T_QUEUE); q++) {
        int64_t guarantee = 0, fair_share = 0, quota;
        if (!row_is_live(k, T_QUEUE, q) || k->c[C_QUEUE_PARENT].u32[q] == NO_ROW) continue;
        quota = lost_quota_of(k, q, kind);
        struct lost_quotas *lost = &below[k->c[C_QUEUE_PARENT].u32[q]];
        if (quota == 0) continue;
        rc = share_ask_next(c, q, kind, &guarantee, &fair_share);
        lost->some_hold |= guarantee > 0;
        if (lost->n++ == 0) lost->first = q;
        lost->sum = quota == LSCHED_UNLIMITED || lost->sum == LSCHED_UNLIMITED
                        ? LSCHED_UNLIMITED
                        : amount_sum(lost->sum, quota);
    }
    return rc;
}

static void put_finding(const struct columns *k, struct text_out *o, uint32_t queue, uint32_t kind,
                        const struct lost_quotas *lost) {
    int64_t limit = lost_quota_limit_of(k, queue, kind);
    int64_t give = lost->sum < limit ? lost->sum : limit;
    uint32_t bare = 0; /* number of queues above that have no quota either */
    for (uint32_t q = k->c[C_QUEUE_PARENT].u32[queue]; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q])
        bare += lost_quota_of(k, q, kind) == 0;
    text_put(o, "queue ");
    put_queue(k, o, queue);
    text_put(o, " has no quota of ");
    put_name(k, o, k->c[C_KIND_NAME].u32[kind]);
    if (lost->n == 1) {
        text_put(o, ", so that the quota of queue ");
        put_queue(k, o, lost->first);
        text_put(o, " below it guarantees nothing; give it a quota");
    } else {
        text_put(
            o, ", so that the quotas of the %u queues below it guarantee nothing; give it a quota",
            lost->n);
    }
    if (give != LSCHED_UNLIMITED) {
        text_put(o, " of ");
        put_amount(k, o, kind, give);
    }
    if (bare)
        text_put(o, ", and also the queue%s above it that ha%s none", plural(bare),
                 bare == 1 ? "s" : "ve");
    text_put(o, "\n");
}

/* True if a limit of the queue, or of a queue above it, leaves nothing that a quota could
 * guarantee. */
static int is_shut(const struct columns *k, uint32_t queue, uint32_t kind) {
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q])
        if (lost_quota_limit_of(k, q, kind) == 0) return 1;
    return 0;
}

static int32_t lost_quota_report_all(struct lsched_cluster *c, struct text_out *o,
                                     struct lost_quotas *below) {
    const struct columns *k = &c->k;
    int32_t rc = 1;
    for (uint32_t kind = 1; rc > 0 && kind < meta(k, M_N_KINDS); kind++) {
        rc = lost_quotas_read(c, kind, below);
        for (uint32_t q = 0; rc > 0 && q < table_rows(k, T_QUEUE); q++)
            if (below[q].n && !below[q].some_hold && k->c[C_QUEUE_QUOTA_NOW + kind].i64[q] == 0 &&
                !is_shut(k, q, kind))
                put_finding(k, o, q, kind, &below[q]);
    }
    return rc;
}

int32_t lost_quota_report(struct lsched_cluster *c, struct text_out *o, lsched_error *err) {
    const struct columns *k = &c->k;
    size_t bytes = (table_rows(k, T_QUEUE) + 1ull) * sizeof(struct lost_quotas);
    struct lost_quotas *below = alloc_new(k->alloc, bytes);
    int32_t rc = below ? share_ask_begin(c, err) : LSCHED_E_NOMEM;
    if (rc > 0) rc = lost_quota_report_all(c, o, below);
    alloc_free(k->alloc, below, bytes);
    return rc < 0 ? rc : LSCHED_OK;
}
