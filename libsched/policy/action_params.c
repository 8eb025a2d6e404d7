/* action_params.c -- see action_params.h. */
#include "policy/action_params.h"

#include <stddef.h>

const struct action_param *action_params_at(uint32_t i) {
    static const struct action_param list[] = {
        {"ts-dpbp", "ts_window", 1, 16384},
        {"ts-dpbp", "ts_work", 0, 1e15},
        {"backfill", "backfill_reservations", 0, 65536},
        {"backfill", "backfill_order", 0, 2},
        {"backfill", "backfill_firm", 0, 2},
        {"consolidate", "consolidate_work", 0, 1e15},
        {"speed-up", "speed_up_price", 0, 31536000},
        {"speed-up", "speed_up_stay", 0, 31536000},
    };
    return i < sizeof list / sizeof list[0] ? &list[i] : NULL;
}

int action_params_accept(const struct action_param *p, double value, int text) {
    return !text && value >= p->least && value <= p->most && value == (double)(int64_t)value;
}
