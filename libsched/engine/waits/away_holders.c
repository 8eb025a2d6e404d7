/* away_holders.c -- see away_holders.h. */
#include "engine/waits/away_holders.h"

#include <string.h>

#include "base/limits.h"
#include "model/nodes/absence.h"

uint32_t away_holders_put(const struct columns *k, uint32_t node, int64_t now,
                          lsched_holder *list) {
    struct absence next;
    uint32_t n = 0;
    if (!meta(k, M_ABSENCES)) return 0;
    for (int64_t from = now; n < LIMIT_PLAN_ABSENCES && absence_next(k, node, from, &next);
         from = next.back) {
        lsched_holder *h = &list[n++];
        memset(h, 0, sizeof *h);
        h->size = sizeof *h;
        h->job = NO_ROW;
        h->from_us = next.leaves;
        h->until_us = next.back;
        h->is_away = 1;
        if (next.back > LIMIT_TIME_US) {
            h->until_us = LSCHED_NEVER_US;
            return n;
        }
    }
    if (n == LIMIT_PLAN_ABSENCES && k->c[C_NODE_LEAVES_EVERY].i64[node])
        list[n - 1].until_us = LSCHED_NEVER_US;
    return n;
}
