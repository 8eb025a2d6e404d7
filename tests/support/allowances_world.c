/* allowances_world.c -- part of world_fill(): see model_world.h. */
#include "model/allowances/allowance.h"
#include "support/model_world.h"

/* Allowances of a queue and of the queue above it, so that tasks have two rows each. Nobody
 * knows how long most tasks run, so the ends of the periods count in the sums. */
int32_t allowances_fill(struct model_world *w) {
    static const char *const queues[] = {"org", "research"};
    const int64_t second = 1000000;
    for (uint32_t i = 0; i < sizeof queues / sizeof queues[0]; i++) {
        struct allowance_spec s = {.amount = 500 * second, .carry = 7 * second};
        s.period = (500 + i) * second;
        s.start = 300 * second;
        s.price[LSCHED_CPU] = 3000 + i;
        s.spent = LSCHED_SPENT_END;
        s.grace = 60 * second;
        s.price[LSCHED_GPU] = second;
        int32_t rc = undo_begin(&w->k);
        if (rc != LSCHED_OK) return rc;
        rc = allowance_set(&w->k, world_queue_named(w, queues[i]), &s);
        if (rc != LSCHED_OK) undo_rollback(&w->k, 0);
        undo_end(&w->k);
        if (rc != LSCHED_OK) return rc;
    }
    int32_t rc = reservations_fill(w);
    /* which tells tasks the ends that allowances bring */
    return rc == LSCHED_OK ? warnings_fill(w) : rc;
}
