/* description.c -- see description.h. This file has the memory, and the description of queues. */
#include "api/forms/description.h"

#include "model/devices/resource_part.h"
#include "model/queues/user_queue.h"
#include "model/shapes/resource_kind.h"

struct description_block {
    struct description_block *next;
    size_t bytes;
};

void *description_take(struct lsched_description *d, size_t n, size_t size) {
    size_t bytes = sizeof(struct description_block) + n * size;
    if (n == 0) return NULL;
    struct description_block *b = alloc_zero(&d->alloc, bytes);
    if (!b) {
        d->failed = 1;
        return NULL;
    }
    b->next = d->blocks;
    b->bytes = bytes;
    d->blocks = b;
    return b + 1;
}

lsched_text description_text(struct lsched_description *d, lsched_text t) {
    char *copy = t.len ? description_take(d, (size_t)t.len, 1) : NULL;
    if (!copy) return (lsched_text){"", 0};
    memcpy(copy, t.ptr, (size_t)t.len);
    return (lsched_text){copy, t.len};
}

const lsched_text *description_texts(struct lsched_description *d, struct reader *r, uint32_t n) {
    lsched_text *list = description_take(d, n, sizeof *list);
    for (uint32_t i = 0; i < n && !r->bad; i++) {
        lsched_text t = description_text(d, reader_text(r));
        if (list) list[i] = t;
    }
    return list;
}

const lsched_label *description_labels(struct lsched_description *d, const struct columns *k,
                                       uint32_t row, uint32_t *n) {
    *n = 0;
    if (row == NO_ROW) return NULL;
    struct reader r = reader_of(k, intern_text(k, T_LABELS, row));
    *n = reader_u32(&r);
    lsched_label *list = description_take(d, *n, sizeof *list);
    if (!list) *n = 0;
    for (uint32_t i = 0; i < *n; i++) {
        list[i].key = description_text(d, reader_text(&r));
        list[i].value = description_text(d, reader_text(&r));
    }
    return list;
}

LSCHED_API void lsched_description_destroy(lsched_description *d) {
    if (!d) return;
    struct alloc a = d->alloc;
    while (d->blocks) {
        struct description_block *b = d->blocks;
        d->blocks = b->next;
        alloc_free(&a, b, b->bytes);
    }
    alloc_free(&a, d, sizeof *d);
}

/* ---- queues ---- */

struct amounts {
    lsched_amount *list;
    uint32_t n;
};

static struct amounts amounts_new(struct lsched_description *d) {
    return (struct amounts){
        description_take(d, KINDS_MAX + LIMIT_RESOURCE_PARTS, sizeof(lsched_amount)), 0};
}

static void amounts_add(struct amounts *to, uint32_t kind, int64_t amount) {
    if (to->list) to->list[to->n++] = (lsched_amount){.kind = kind, .amount = amount};
}

/* Adds the amounts of one family of columns that differ from the default. */
static struct amounts amounts_of(struct lsched_description *d, const struct columns *k,
                                 uint32_t column, uint32_t queue, int64_t otherwise) {
    struct amounts a = amounts_new(d);
    for (uint32_t r = 1; r < kind_count(k); r++)
        if (k->c[column + r].i64[queue] != otherwise)
            amounts_add(&a, r, k->c[column + r].i64[queue]);
    return a;
}

/* Limits of user queues are stored plus one; 0 means no limit. */
static struct amounts limits_below(struct lsched_description *d, const struct columns *k,
                                   uint32_t column, uint32_t queue) {
    struct amounts a = amounts_of(d, k, column, queue, 0);
    for (uint32_t i = 0; i < a.n; i++) a.list[i].amount--;
    return a;
}

static void describe_parts(const struct columns *k, uint32_t queue, struct amounts *quota,
                           struct amounts *limit) {
    for (uint32_t a = k->c[C_QUEUE_AMOUNTS].u32[queue]; a != NO_ROW;
         a = k->c[C_QAMOUNT_NEXT].u32[a]) {
        uint32_t kind = KINDS_MAX + k->c[C_QAMOUNT_DERIVED].u32[a];
        if (k->c[C_QAMOUNT_QUOTA].i64[a]) amounts_add(quota, kind, k->c[C_QAMOUNT_QUOTA].i64[a]);
        if (k->c[C_QAMOUNT_LIMIT].i64[a] != LSCHED_UNLIMITED)
            amounts_add(limit, kind, k->c[C_QAMOUNT_LIMIT].i64[a]);
    }
}

void describe_queue(struct lsched_description *d, const struct columns *k, uint32_t q) {
    lsched_queue_desc *to = &d->of.queue;
    uint32_t parent = k->c[C_QUEUE_PARENT].u32[q];
    struct amounts quota = amounts_of(d, k, C_QUEUE_QUOTA, q, 0),
                   limit = amounts_of(d, k, C_QUEUE_LIMIT, q, LSCHED_UNLIMITED),
                   weight = amounts_of(d, k, C_QUEUE_WEIGHT, q, 1000),
                   lend = amounts_of(d, k, C_QUEUE_LEND, q, LSCHED_UNLIMITED),
                   user = limits_below(d, k, C_QUEUE_USER_LIMIT, q),
                   group = limits_below(d, k, C_QUEUE_GROUP_LIMIT, q);
    describe_parts(k, q, &quota, &limit);
    *to = (lsched_queue_desc)LSCHED_QUEUE_DESC_INIT;
    to->name = description_text(d, text_of(k, k->c[C_QUEUE_NAME].u32[q]));
    if (parent != NO_ROW)
        to->parent_name = description_text(d, text_of(k, k->c[C_QUEUE_NAME].u32[parent]));
    to->tag = k->c[C_QUEUE_TAG].u64[q];
    to->priority = k->c[C_QUEUE_PRIORITY].i32[q];
    to->quota = quota.list, to->n_quota = quota.n;
    to->limit = limit.list, to->n_limit = limit.n;
    to->weight_milli = weight.list, to->n_weight = weight.n;
    to->lend_limit = lend.list, to->n_lend_limit = lend.n;
    to->user_limit = user.list, to->n_user_limit = user.n;
    to->group_limit = group.list, to->n_group_limit = group.n;
    to->flags = k->c[C_QUEUE_FLAGS].u8[q] & QUEUE_DIVIDES;
    to->reclaim_min_runtime_us = k->c[C_QUEUE_RECLAIM_MIN].i64[q];
    to->preempt_min_runtime_us = k->c[C_QUEUE_PREEMPT_MIN].i64[q];
    to->preemption_delay_us = k->c[C_QUEUE_PREEMPT_DELAY].i64[q];
    to->created_us = k->c[C_QUEUE_CREATED].i64[q];
    to->jobs_max = k->c[C_QUEUE_JOBS_MAX].u32[q];
    to->submitted_max = k->c[C_QUEUE_SUBMITTED_MAX].u32[q];
    to->user_jobs_max = k->c[C_QUEUE_USER_JOBS_MAX].u32[q];
    to->user_submitted_max = k->c[C_QUEUE_USER_SUBMITTED_MAX].u32[q];
    to->group_jobs_max = k->c[C_QUEUE_GROUP_JOBS_MAX].u32[q];
    to->group_submitted_max = k->c[C_QUEUE_GROUP_SUBMITTED_MAX].u32[q];
}
