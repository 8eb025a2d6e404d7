/* eviction.c -- see eviction.h. */
#include "policy/eviction.h"

#define SECONDS_US INT64_C(1000000)

struct policy_eviction policy_eviction_default(void) {
    return (struct policy_eviction){
        .release_us = 30 * SECONDS_US,
        .grace_us = 120 * SECONDS_US,
        .preemption_delay_us = 0,
        .stale_grace_us = 60 * SECONDS_US,
        .per_hour = 0,
        .moves_max = 16,
        .protection = POLICY_PROTECT_PATH,
        .victims = POLICY_VICTIMS_CHEAPEST,
        .collision = POLICY_COLLISION_WAIT,
        .saturation_milli = 1000,
    };
}

struct policy_eviction policy_eviction_of(const struct policy *p) {
    return p->ops ? p->desc.eviction : policy_eviction_default();
}

void policy_desc_default(struct policy_desc *desc) {
    desc->eviction = policy_eviction_default();
    desc->usage_half_life_us = 0;
    desc->usage_window_us = 0;
    desc->usage_weight_milli = 1000;
}
