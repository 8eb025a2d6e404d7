/* victim_idle.c -- see victim_idle.h. */
#include "engine/victims/victim_idle.h"

#include "base/amounts.h"
#include "model/store/steps.h"

const int64_t *victim_idle(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    struct victim_idle *idle = &cy->victims->idle;
    uint64_t seen = touch_seen(k);
    if (idle->known && idle->seen == seen && !cy->c->searches_cold) return idle->amount;
    memset(idle->amount, 0, sizeof idle->amount);
    steps_add(k, table_rows(k, T_NODE));
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        if (!cy->c->view.node_ready[n]) continue;
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
            int64_t f = k->c[C_NODE_FREE + r].i64[n] + k->c[C_NODE_COMING + r].i64[n];
            if (f > 0) idle->amount[r] = amount_sum(idle->amount[r], f);
        }
    }
    idle->seen = seen;
    idle->known = 1;
    return idle->amount;
}
