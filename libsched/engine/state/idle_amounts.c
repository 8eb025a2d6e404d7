/* idle_amounts.c -- see idle_amounts.h. */
#include "engine/state/idle_amounts.h"

#include "base/limits.h"
#include "model/store/steps.h"

/* Adds up the nodes of the block. */
static void sum_block(const struct columns *k, uint32_t block, uint32_t kinds, wide_i128 *sum) {
    uint32_t first = block * IDLE_BLOCK_NODES, end = first + IDLE_BLOCK_NODES;
    if (end > table_rows(k, T_NODE)) end = table_rows(k, T_NODE);
    memset(sum, 0, kinds * sizeof *sum);
    steps_add(k, IDLE_BLOCK_NODES);
    for (uint32_t n = first; n < end; n++) {
        if (!row_is_live(k, T_NODE, n) || k->c[C_NODE_STATE].u8[n] != LSCHED_NODE_READY) continue;
        for (uint32_t r = 1; r < kinds; r++) {
            int64_t f = k->c[C_NODE_FREE + r].i64[n] + k->c[C_NODE_COMING + r].i64[n];
            if (f > 0) sum[r] += f;
        }
    }
}

static uint32_t blocks_of(uint32_t nodes) {
    return nodes / IDLE_BLOCK_NODES + 1;
}

static int32_t sum_all_blocks(struct idle_amounts *s, struct columns *k) {
    uint32_t kinds = (uint32_t)meta(k, M_N_KINDS), n = blocks_of(table_rows(k, T_NODE));
    if (n > s->cap || kinds != s->kinds) {
        idle_amounts_drop(s, k);
        uint32_t cap = n + n / 8;
        s->block = alloc_zero(k->alloc, (size_t)cap * kinds * sizeof *s->block);
        if (!s->block) return LSCHED_E_NOMEM;
        s->cap = cap;
        s->kinds = kinds;
    }
    memset(s->total, 0, sizeof s->total);
    memset(s->block, 0, (size_t)s->cap * kinds * sizeof *s->block);
    for (uint32_t b = 0; b < n; b++) {
        wide_i128 *sum = s->block + (size_t)b * kinds;
        sum_block(k, b, kinds, sum);
        for (uint32_t r = 1; r < kinds; r++) s->total[r] += sum[r];
    }
    return LSCHED_OK;
}

static void sum_touched_blocks(struct idle_amounts *s, const struct columns *k) {
    const struct touch_log *log = &k->touch;
    wide_i128 fresh[KINDS_MAX];
    uint32_t latest = NO_ROW;
    for (uint64_t at = s->synced; at < log->next; at++) {
        uint32_t b = log->rows[at & (log->cap - 1)] / IDLE_BLOCK_NODES;
        /* a row beyond the memory is not in use any more */
        if (b == latest || b >= s->cap) continue;
        latest = b;
        wide_i128 *sum = s->block + (size_t)b * s->kinds;
        sum_block(k, b, s->kinds, fresh);
        for (uint32_t r = 1; r < s->kinds; r++) s->total[r] += fresh[r] - sum[r];
        memcpy(sum, fresh, s->kinds * sizeof *sum);
    }
}

int32_t idle_amounts_get(struct idle_amounts *s, struct columns *k, const int64_t **amount) {
    const struct touch_log *log = &k->touch;
    uint32_t rows = table_rows(k, T_NODE);
    int known = s->kinds == meta(k, M_N_KINDS) && blocks_of(rows) <= s->cap &&
                touch_log_reaches(log, s->synced);
    uint64_t behind = known ? log->next - s->synced : 0;
    *amount = s->amount;
    if (known && behind == 0) return LSCHED_OK;
    int32_t rc = LSCHED_OK;
    if (known && behind < blocks_of(rows))
        sum_touched_blocks(s, k);
    else
        rc = sum_all_blocks(s, k);
    if (rc != LSCHED_OK) return rc;
    s->synced = touch_log_seen(&k->touch);
    for (uint32_t r = 1; r < s->kinds; r++)
        s->amount[r] = s->total[r] > LSCHED_AMOUNT_MAX ? LSCHED_AMOUNT_MAX : (int64_t)s->total[r];
    return LSCHED_OK;
}

void idle_amounts_drop(struct idle_amounts *s, struct columns *k) {
    alloc_free(k->alloc, s->block, (size_t)s->cap * s->kinds * sizeof *s->block);
    memset(s, 0, sizeof *s);
}

int idle_amounts_are_sound(struct idle_amounts *s, struct columns *k) {
    struct idle_amounts cold = {0};
    const int64_t *warm, *again;
    if (s->kinds == 0 || idle_amounts_get(s, k, &warm) != LSCHED_OK) return 1;
    int same = idle_amounts_get(&cold, k, &again) != LSCHED_OK ||
               memcmp(warm, again, sizeof s->amount) == 0;
    idle_amounts_drop(&cold, k);
    return same;
}
