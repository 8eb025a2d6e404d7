/* lending.c -- see lending.h. */
#include "engine/queues/lending.h"

#include "engine/queues/queue_guarantee.h"
#include "model/queues/lend_limits.h"
#include "model/queues/queue.h"
#include "model/store/steps.h"

struct withheld {
    wide_u128 amount;
    /* lowest queue, from the job's queue upwards, with a sibling that withholds an amount; NO_ROW
     * if there is none */
    uint32_t level;
};

static struct withheld withheld_from(const struct columns *k, uint32_t queue, uint32_t kind) {
    struct withheld w = {0, NO_ROW};
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        wide_u128 beside = lend_limits_beside(k, q, kind);
        w.amount += beside;
        if (beside && w.level == NO_ROW) w.level = q;
    }
    return w;
}

/* The children of a queue, or the root queues. */
struct lending_children {
    const uint32_t *roots; /* NULL for the children of a queue */
    uint32_t n, at, next;  /* next: next child of a queue */
};

static struct lending_children children_of(const lsched_cycle *cy, uint32_t parent) {
    struct lending_children c = {NULL, 0, 0, NO_ROW};
    if (parent == NO_ROW)
        c.roots = share_roots(&cy->c->share, &c.n);
    else
        c.next = cy->k->c[C_QUEUE_CHILD].u32[parent];
    return c;
}

static uint32_t next_child(const struct columns *k, struct lending_children *c) {
    if (c->roots) return c->at < c->n ? c->roots[c->at++] : NO_ROW;
    uint32_t q = c->next;
    if (q != NO_ROW) c->next = k->c[C_QUEUE_NEXT].u32[q];
    return q;
}

/* Returns the guarantee of a queue. An unlimited guarantee counts as 0, because nothing of it can
 * be withheld. */
static int64_t guaranteed(const lsched_cycle *cy, uint32_t q, uint32_t kind) {
    int64_t right = queue_guarantee(cy, q, kind);
    return right == LSCHED_UNLIMITED ? 0 : right;
}

/* Computes the guarantees of the children of a queue for lending. If their sum exceeds `whole`
 * (the parent's guarantee, or the capacity of ready nodes), each guarantee is scaled in proportion
 * and rounded down. */
static int32_t rights_below(lsched_cycle *cy, uint32_t parent) {
    struct columns *k = cy->k;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int bounded = parent != NO_ROW && queue_guarantee(cy, parent, r) != LSCHED_UNLIMITED;
        uint64_t whole = bounded ? k->c[C_QUEUE_RIGHT + r].u64[parent] : meta(k, M_TOTAL_READY + r);
        wide_u128 sum = 0;
        struct lending_children all = children_of(cy, parent), again = all;
        for (uint32_t q = next_child(k, &all); q != NO_ROW; q = next_child(k, &all))
            sum += (uint64_t)guaranteed(cy, q, r);
        /* number of bits by which the sum is shifted right to fit one word; each guarantee is
         * shifted by the same number of bits */
        uint32_t shift = 0;
        while (sum >> shift >> 63) shift++;
        for (uint32_t q = next_child(k, &again); q != NO_ROW; q = next_child(k, &again)) {
            uint64_t right = (uint64_t)guaranteed(cy, q, r);
            if (sum > whole)
                right = wide_mul_div(right >> shift, whole, (uint64_t)(sum >> shift), right);
            int32_t rc = undo_room(k);
            if (rc != LSCHED_OK) return rc;
            set_i64(k, C_QUEUE_RIGHT + r, q, (int64_t)right);
        }
    }
    return LSCHED_OK;
}

int32_t lending_begin(lsched_cycle *cy) {
    struct columns *k = cy->k;
    const uint32_t *order = cy->c->share.order; /* children before parents */
    uint32_t n = cy->c->share.n_order;
    if (!share_take_news(&cy->c->share) || !lend_limits_any(k)) return LSCHED_OK;
    steps_add(k, n);
    int32_t rc = rights_below(cy, NO_ROW);
    for (uint32_t i = n; i-- > 0 && rc == LSCHED_OK;)
        if (!queue_is_leaf(k, order[i])) rc = rights_below(cy, order[i]);
    for (uint32_t i = 0; i < n && rc == LSCHED_OK; i++) {
        rc = undo_room(k);
        if (rc == LSCHED_OK) lend_limits_update(k, order[i]);
    }
    if (rc != LSCHED_OK) share_forget(&cy->c->share);
    return rc;
}

/* Returns how much more of the kind work of the queue may take. job: the job whose transaction can
 * have set room free, NO_ROW if there is none. */
static wide_i128 left_for(const lsched_cycle *cy, uint32_t job, const struct withheld *w,
                          uint32_t r) {
    const struct columns *k = cy->k;
    int64_t used = (int64_t)meta(k, M_ROOTS_USED + r);
    wide_i128 left = (wide_i128)(int64_t)meta(k, M_TOTAL_READY + r) - used - (wide_i128)w->amount;
    if (job == NO_ROW || job != cy->turn.job) return left;
    wide_i128 given = (wide_i128)cy->turn.used_before[r] - used;
    return given > left ? given : left;
}

static int kind_allows(lsched_cycle *cy, uint32_t queue, const struct ask *a, uint32_t r,
                       int64_t need) {
    const struct columns *k = cy->k;
    struct withheld w = withheld_from(k, queue, r);
    if (w.amount == 0) return 1;
    wide_i128 left = left_for(cy, a ? a->job : NO_ROW, &w, r);
    if (left >= need) return 1;
    cy->turn.why = (struct diagnosis){.code = LSCHED_WAIT_LENDING,
                                      .kind = r,
                                      .group = a ? a->group : 0,
                                      .limiting = lend_limits_owner(k, w.level, r),
                                      .need = need,
                                      .have = left < 0 ? 0 : (int64_t)left,
                                      .shape = NO_ROW};
    return 0;
}

int lending_allows(lsched_cycle *cy, const struct ask *a, int64_t gpu, int64_t n) {
    const struct columns *k = cy->k;
    if (!lend_limits_any(k)) return 1;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t each = r == LSCHED_GPU ? gpu : k->c[C_SHAPE_REQ + r].i64[a->shape];
        if (each == 0 || each > LSCHED_AMOUNT_MAX / n) continue; /* more than any node has */
        if (!kind_allows(cy, a->queue, a, r, each * n)) return 0;
    }
    return 1;
}

int lending_allows_more(lsched_cycle *cy, uint32_t queue, const int64_t more[KINDS_MAX]) {
    if (!lend_limits_any(cy->k)) return 1;
    for (uint32_t r = 1; r < meta(cy->k, M_N_KINDS); r++)
        if (more[r] > 0 && !kind_allows(cy, queue, NULL, r, more[r])) return 0;
    return 1;
}

int lending_holds(const lsched_cycle *cy) {
    const struct columns *k = cy->k;
    if (!lend_limits_any(k)) return 1;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        struct withheld w = withheld_from(k, k->c[C_JOB_QUEUE].u32[cy->turn.job], r);
        if (w.amount && left_for(cy, cy->turn.job, &w, r) < 0) return 0;
    }
    return 1;
}

int lending_lack(const lsched_cycle *cy, uint32_t queue, uint32_t shape, int64_t gpu,
                 int64_t lack[KINDS_MAX]) {
    const struct columns *k = cy->k;
    int any = 0;
    if (!lend_limits_any(k)) return 0;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t need = r == LSCHED_GPU ? gpu : k->c[C_SHAPE_REQ + r].i64[shape];
        struct withheld w = {0, NO_ROW};
        lack[r] = 0;
        if (need > 0) w = withheld_from(k, queue, r);
        if (w.amount == 0) continue;
        wide_i128 left = left_for(cy, cy->turn.job, &w, r);
        if (left >= need) continue;
        lack[r] = left < 0 ? need : need - (int64_t)left;
        any = 1;
    }
    return any;
}
