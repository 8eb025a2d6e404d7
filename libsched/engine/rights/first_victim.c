/* first_victim.c -- see first_victim.h. */
#include "engine/rights/first_victim.h"

#include "model/allowances/allowance.h"

int first_victim_is(const struct lsched_cycle *cy, uint32_t job) {
    return allowance_goes_first(cy->k, cy->k->c[C_JOB_QUEUE].u32[job]);
}

int first_victim_may_be(const struct lsched_cycle *cy, const struct running_class *class) {
    return allowance_goes_first(cy->k, class->queue);
}
