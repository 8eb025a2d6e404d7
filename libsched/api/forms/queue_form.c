/* queue_form.c -- see queue_form.h. A list of amounts is read over the amounts that *spec already
 * has: the defaults of a new queue, or the present amounts of a queue that is updated. */
#include "api/forms/queue_form.h"

#include "model/queues/user_queue.h"

/* Fields that a sub-queue of a user or group has from the queue above it. */
#define SET_ABOVE                                                                          \
    (LSCHED_QUEUE_SET_FLAGS | LSCHED_QUEUE_SET_USER_LIMIT | LSCHED_QUEUE_SET_GROUP_LIMIT | \
     LSCHED_QUEUE_SET_USER_JOBS_MAX | LSCHED_QUEUE_SET_USER_SUBMITTED_MAX |                \
     LSCHED_QUEUE_SET_GROUP_JOBS_MAX | LSCHED_QUEUE_SET_GROUP_SUBMITTED_MAX)
#define SET_ALL (2 * (uint32_t)LSCHED_QUEUE_SET_GROUP_SUBMITTED_MAX - 1)

static void queue_form_defaults(const struct columns *k, struct queue_spec *spec) {
    memset(spec, 0, sizeof *spec);
    for (uint32_t r = 1; r < KINDS_MAX; r++) {
        spec->limit[r] = LSCHED_UNLIMITED;
        spec->lend[r] = LSCHED_UNLIMITED;
        spec->weight[r] = 1000;
    }
    spec->n_part_quotas = resource_part_count(k);
    for (uint32_t r = 0; r < spec->n_part_quotas; r++) spec->part_limits[r] = LSCHED_UNLIMITED;
}

/* Reads limits of sub-queues over to[kind], which is in the encoding of the model: the limit plus
 * one, or 0 for no limit. */
static int32_t queue_form_limits_below(const struct columns *k, const lsched_amount *list,
                                       uint32_t n, const char *what, int64_t *to,
                                       lsched_error *err) {
    for (uint32_t r = 0; r < KINDS_MAX; r++) to[r] = to[r] == 0 ? LSCHED_UNLIMITED : to[r] - 1;
    int32_t rc = arg_amounts(k, list, n, AMOUNT_UNLIMITED, what, to, err);
    for (uint32_t r = 0; r < KINDS_MAX; r++) to[r] = to[r] == LSCHED_UNLIMITED ? 0 : to[r] + 1;
    return rc;
}

/* Reads the lists of amounts of a description over those of *spec. */
static int32_t queue_form_amounts(const struct columns *k, const lsched_queue_desc *d,
                                  struct queue_spec *spec, lsched_error *err) {
    int32_t rc = arg_quotas(k, d->quota, d->n_quota, "quota", spec->quota, spec->part_quotas, err);
    if (rc == LSCHED_OK)
        rc = arg_quotas(k, d->limit, d->n_limit, "limit", spec->limit, spec->part_limits, err);
    if (rc == LSCHED_OK)
        rc = arg_amounts(k, d->weight_milli, d->n_weight, AMOUNT_ANY, "weight", spec->weight, err);
    if (rc == LSCHED_OK)
        rc = arg_amounts(k, d->lend_limit, d->n_lend_limit, AMOUNT_UNLIMITED, "lend limit",
                         spec->lend, err);
    if (rc == LSCHED_OK)
        rc = queue_form_limits_below(k, d->user_limit, d->n_user_limit, "user limit",
                                     spec->user_limit, err);
    return rc == LSCHED_OK ? queue_form_limits_below(k, d->group_limit, d->n_group_limit,
                                                     "group limit", spec->group_limit, err)
                           : rc;
}

/* Checks the numbers of a description. */
static int32_t queue_form_numbers(const lsched_queue_desc *d, lsched_error *err) {
    if (d->flags & ~QUEUE_DIVIDES)
        return fail(err, LSCHED_E_INVAL, "unknown flags %#x; expected LSCHED_QUEUE_PER_*",
                    d->flags & ~QUEUE_DIVIDES);
    int32_t rc = arg_time(d->reclaim_min_runtime_us, "reclaim_min_runtime_us", err);
    if (rc == LSCHED_OK) rc = arg_time(d->preempt_min_runtime_us, "preempt_min_runtime_us", err);
    if (rc == LSCHED_OK) rc = arg_time(d->preemption_delay_us, "preemption_delay_us", err);
    return rc == LSCHED_OK ? arg_instant(d->created_us, "created_us", err) : rc;
}

int32_t queue_form_read(const struct columns *k, const lsched_queue_desc *d,
                        struct queue_spec *spec, lsched_error *err) {
    queue_form_defaults(k, spec);
    int32_t rc = queue_form_amounts(k, d, spec, err);
    if (rc == LSCHED_OK) rc = queue_form_numbers(d, err);
    if (rc != LSCHED_OK) return rc;
    spec->tag = d->tag;
    spec->priority = d->priority;
    spec->created = d->created_us;
    spec->reclaim_min = d->reclaim_min_runtime_us;
    spec->preempt_min = d->preempt_min_runtime_us;
    spec->preempt_delay = d->preemption_delay_us;
    spec->jobs_max = d->jobs_max;
    spec->submitted_max = d->submitted_max;
    spec->flags = d->flags;
    spec->user_jobs_max = d->user_jobs_max;
    spec->user_submitted_max = d->user_submitted_max;
    spec->group_jobs_max = d->group_jobs_max;
    spec->group_submitted_max = d->group_submitted_max;
    return LSCHED_OK;
}

/* Returns the update as a description that has only the fields that `set` names. */
static lsched_queue_desc queue_form_of_update(const lsched_queue_update *u) {
    lsched_queue_desc d = LSCHED_QUEUE_DESC_INIT;
#define TAKE_LIST(BIT, list, n) \
    if (u->set & LSCHED_QUEUE_SET_##BIT) d.list = u->list, d.n = u->n
    TAKE_LIST(QUOTA, quota, n_quota);
    TAKE_LIST(LIMIT, limit, n_limit);
    TAKE_LIST(WEIGHT, weight_milli, n_weight);
    TAKE_LIST(LEND_LIMIT, lend_limit, n_lend_limit);
    TAKE_LIST(USER_LIMIT, user_limit, n_user_limit);
    TAKE_LIST(GROUP_LIMIT, group_limit, n_group_limit);
#undef TAKE_LIST
#define TAKE(BIT, field) \
    if (u->set & LSCHED_QUEUE_SET_##BIT) d.field = u->field
    TAKE(FLAGS, flags);
    TAKE(RECLAIM_MIN_RUNTIME, reclaim_min_runtime_us);
    TAKE(PREEMPT_MIN_RUNTIME, preempt_min_runtime_us);
    TAKE(PREEMPTION_DELAY, preemption_delay_us);
    TAKE(CREATED, created_us);
#undef TAKE
    return d;
}

static int32_t queue_form_settable(const struct columns *k, uint32_t queue,
                                   const lsched_queue_update *u, lsched_error *err) {
    if (u->set & ~SET_ALL)
        return fail(err, LSCHED_E_INVAL,
                    "queue update: set has unknown bits %#x; expected LSCHED_QUEUE_SET_*",
                    u->set & ~SET_ALL);
    if (!(u->set & SET_ABOVE) || !queue_is_of_user(k, queue)) return LSCHED_OK;
    lsched_text above = text_of(k, k->c[C_QUEUE_NAME].u32[k->c[C_QUEUE_PARENT].u32[queue]]);
    return fail(err, LSCHED_E_STATE,
                "a sub-queue of a user or group has its flags and its user and group limits from "
                "the queue above it; set them on queue '%.*s'",
                (int)above.len, above.ptr);
}

/* Checks that no sub-queue of the queue has an allowance or holds a reservation if the queue is
 * divided in another way from now on: jobs would go to other sub-queues, and it would bind
 * nobody. */
static int32_t queue_form_redivide(const struct columns *k, uint32_t queue, uint32_t flags,
                                   lsched_error *err) {
    lsched_text below = {"", 0}, name = text_of(k, k->c[C_QUEUE_NAME].u32[queue]);
    uint32_t first = queue;
    if (queue_is_of_user(k, queue) || k->c[C_QUEUE_FLAGS].u8[queue] == flags) return LSCHED_OK;
    EACH_LIVE(k, T_QUEUE, q) {
        lsched_text of = text_of(k, k->c[C_QUEUE_NAME].u32[q]);
        if (q == queue || queue_real(k, q) != queue ||
            (!k->c[C_QUEUE_ALLOWANCE].u32[q] && !k->c[C_QUEUE_RESERVATIONS].u32[q]))
            continue;
        /* the first one by name; no queue has an empty name */
        if (below.len == 0 || text_order(of, below) < 0) below = of, first = q;
    }
    if (below.len == 0) return LSCHED_OK;
    return fail(err, LSCHED_E_STATE,
                k->c[C_QUEUE_ALLOWANCE].u32[first]
                    ? "queue '%.*s': its flags cannot change while its sub-queue '%.*s' has an "
                      "allowance; take the allowance away with lsched_allowances_remove first"
                    : "queue '%.*s': its flags cannot change while its sub-queue '%.*s' holds a "
                      "reservation; end the reservation first",
                (int)name.len, name.ptr, (int)below.len, below.ptr);
}

int32_t queue_form_update(const struct columns *k, uint32_t queue, const lsched_queue_update *u,
                          struct queue_spec *spec, lsched_error *err) {
    lsched_queue_desc d = queue_form_of_update(u);
    int32_t rc = queue_form_settable(k, queue, u, err);
    if (rc != LSCHED_OK) return rc;
    queue_spec_of(k, queue, spec);
    rc = queue_form_amounts(k, &d, spec, err);
    if (rc == LSCHED_OK) rc = queue_form_numbers(&d, err);
    if (rc != LSCHED_OK) return rc;
#define TAKE(BIT, member, field) \
    if (u->set & LSCHED_QUEUE_SET_##BIT) spec->member = u->field
    TAKE(PRIORITY, priority, priority);
    TAKE(TAG, tag, tag);
    TAKE(FLAGS, flags, flags);
    TAKE(RECLAIM_MIN_RUNTIME, reclaim_min, reclaim_min_runtime_us);
    TAKE(PREEMPT_MIN_RUNTIME, preempt_min, preempt_min_runtime_us);
    TAKE(PREEMPTION_DELAY, preempt_delay, preemption_delay_us);
    TAKE(CREATED, created, created_us);
    TAKE(JOBS_MAX, jobs_max, jobs_max);
    TAKE(SUBMITTED_MAX, submitted_max, submitted_max);
    TAKE(USER_JOBS_MAX, user_jobs_max, user_jobs_max);
    TAKE(USER_SUBMITTED_MAX, user_submitted_max, user_submitted_max);
    TAKE(GROUP_JOBS_MAX, group_jobs_max, group_jobs_max);
    TAKE(GROUP_SUBMITTED_MAX, group_submitted_max, group_submitted_max);
#undef TAKE
    return queue_form_redivide(k, queue, spec->flags, err);
}
