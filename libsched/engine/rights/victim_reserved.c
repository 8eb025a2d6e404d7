/* victim_reserved.c -- see victim_reserved.h. */
#include "engine/rights/victim_reserved.h"

#include "engine/rights/victim_unit.h"
#include "model/nodes/absence.h"
#include "model/reservations/reservation.h"
#include "model/store/steps.h"

static int is_in_window(const struct lsched_cycle *cy, uint32_t job, uint32_t task) {
    const struct columns *k = cy->k;
    uint32_t node = k->c[C_TASK_NODE].u32[task];
    struct absence window;
    steps_add(k, 1);
    return node != NO_ROW && reservation_admits(k, node, k->c[C_JOB_QUEUE].u32[job]) &&
           !reservation_admits(k, node, k->c[C_JOB_QUEUE].u32[cy->victims->job]) &&
           absence_next(k, node, cy->now, &window) && window.leaves <= cy->now;
}

int victim_reserved(const struct lsched_cycle *cy, const struct victim_unit *u) {
    const struct columns *k = cy->k;
    if (!table_live(k, T_RESERVATION) || cy->victims->job == NO_ROW) return 0;
    if (u->group == NO_ROW) return is_in_window(cy, u->job, u->task);
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[u->job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        if (!victim_unit_has_leaf(k, u->group, l)) continue;
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t])
            if (is_in_window(cy, u->job, t)) return 1;
    }
    return 0;
}
