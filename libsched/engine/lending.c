/* lending.c -- see lending.h. */
#include "engine/lending.h"

#include "engine/queue_rules.h"
#include "model/holds.h"

struct withheld {
    wide_u128 amount;
    uint32_t level; /* the lowest queue of the path whose siblings hold something */
};

static struct withheld withheld_from(const struct columns *k, uint32_t queue, uint32_t kind) {
    struct withheld w = {0, NO_ROW};
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        wide_u128 beside = holds_beside(k, q, kind);
        w.amount += beside;
        if (beside && w.level == NO_ROW) w.level = q;
    }
    return w;
}

int32_t lending_begin(lsched_cycle *y) {
    struct columns *k = y->k;
    if (!holds_any(k)) return LSCHED_OK;
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++) {
        if (!row_is_live(k, T_QUEUE, q)) continue;
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
            int64_t right = queue_guarantee(y, q, r);
            if (right == LSCHED_UNLIMITED) right = 0; /* nobody keeps account of the kind */
            set_i64(k, C_QUEUE_RIGHT + r, q, right);
        }
        holds_update(k, q);
    }
    return LSCHED_OK;
}

int lending_allows(lsched_cycle *y, uint32_t job, uint32_t group, int64_t n) {
    const struct columns *k = y->k;
    if (!holds_any(k)) return 1;
    uint32_t queue = k->c[C_JOB_QUEUE].u32[job],
             shape = group_shape(k, k->c[C_JOB_SHAPE].u32[job], group);
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t each = k->c[C_SHAPE_REQ + r].i64[shape];
        if (each == 0 || each > LSCHED_AMOUNT_MAX / n) continue; /* too much for any node */
        struct withheld w = withheld_from(k, queue, r);
        if (w.amount == 0) continue;
        wide_i128 left = (wide_i128)(int64_t)meta(k, M_TOTAL_READY + r) -
                         (int64_t)meta(k, M_ROOTS_USED + r) - (wide_i128)w.amount;
        if (left >= each * n) continue;
        y->why = (struct diagnosis){.code = LSCHED_WAIT_LENDING,
                                    .kind = r,
                                    .group = group,
                                    .limiting = holds_owner(k, w.level, r),
                                    .need = each * n,
                                    .have = left < 0 ? 0 : (int64_t)left,
                                    .shape = NO_ROW};
        return 0;
    }
    return 1;
}
