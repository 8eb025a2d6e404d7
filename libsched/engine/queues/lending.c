/* lending.c -- see lending.h. */
#include "engine/queues/lending.h"

#include "engine/queues/queue_guarantee.h"
#include "model/queues/lend_limits.h"
#include "model/queues/queue.h"

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

/* If `parent` is a queue, q is one of its children or NO_ROW, and the function returns q. If
 * `parent` is NO_ROW, the function returns the first root queue in row q or in a later row, NO_ROW
 * if there is none. The later rows are scanned because root queues are in no list. */
static uint32_t child_from(const struct columns *k, uint32_t parent, uint32_t q) {
    while (parent == NO_ROW && q < table_rows(k, T_QUEUE) &&
           (!row_is_live(k, T_QUEUE, q) || k->c[C_QUEUE_PARENT].u32[q] != NO_ROW))
        q++;
    return q < table_rows(k, T_QUEUE) ? q : NO_ROW;
}
static uint32_t first_child(const struct columns *k, uint32_t parent) {
    return child_from(k, parent, parent == NO_ROW ? 0 : k->c[C_QUEUE_CHILD].u32[parent]);
}
static uint32_t next_child(const struct columns *k, uint32_t parent, uint32_t q) {
    return child_from(k, parent, parent == NO_ROW ? q + 1 : k->c[C_QUEUE_NEXT].u32[q]);
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
        for (uint32_t q = first_child(k, parent); q != NO_ROW; q = next_child(k, parent, q))
            sum += (uint64_t)guaranteed(cy, q, r);
        /* number of bits by which the sum is shifted right to fit one word; each guarantee is
         * shifted by the same number of bits */
        uint32_t shift = 0;
        while (sum >> shift >> 63) shift++;
        for (uint32_t q = first_child(k, parent); q != NO_ROW; q = next_child(k, parent, q)) {
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
    uint32_t rows = table_rows(k, T_QUEUE);
    if (!lend_limits_any(k)) return LSCHED_OK;
    int32_t rc = rights_below(cy, NO_ROW);
    for (uint32_t depth = 0; depth < LSCHED_QUEUE_DEPTH_MAX && rc == LSCHED_OK; depth++)
        for (uint32_t q = 0; q < rows && rc == LSCHED_OK; q++)
            if (row_is_live(k, T_QUEUE, q) && k->c[C_QUEUE_DEPTH].u32[q] == depth &&
                !queue_is_leaf(k, q))
                rc = rights_below(cy, q);
    for (uint32_t q = 0; q < rows && rc == LSCHED_OK; q++) {
        rc = undo_room(k);
        if (rc == LSCHED_OK && row_is_live(k, T_QUEUE, q)) lend_limits_update(k, q);
    }
    return rc;
}

int lending_allows(lsched_cycle *cy, const struct ask *a, int64_t gpu, int64_t n) {
    const struct columns *k = cy->k;
    if (!lend_limits_any(k)) return 1;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t each = r == LSCHED_GPU ? gpu : k->c[C_SHAPE_REQ + r].i64[a->shape];
        if (each == 0 || each > LSCHED_AMOUNT_MAX / n) continue; /* more than any node has */
        struct withheld w = withheld_from(k, a->queue, r);
        if (w.amount == 0) continue;
        wide_i128 left = (wide_i128)(int64_t)meta(k, M_TOTAL_READY + r) -
                         (int64_t)meta(k, M_ROOTS_USED + r) - (wide_i128)w.amount;
        if (left >= each * n) continue;
        cy->turn.why = (struct diagnosis){.code = LSCHED_WAIT_LENDING,
                                          .kind = r,
                                          .group = a->group,
                                          .limiting = lend_limits_owner(k, w.level, r),
                                          .need = each * n,
                                          .have = left < 0 ? 0 : (int64_t)left,
                                          .shape = NO_ROW};
        return 0;
    }
    return 1;
}
