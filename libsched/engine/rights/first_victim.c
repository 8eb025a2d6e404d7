/* first_victim.c -- see first_victim.h. */
#include "engine/rights/first_victim.h"

#include "model/allowances/allowance.h"
#include "model/jobs/soft_limit.h"

int first_victim_is(const struct lsched_cycle *cy, uint32_t job) {
    return soft_limit_end(cy->k, job) <= cy->now ||
           allowance_goes_first(cy->k, cy->k->c[C_JOB_QUEUE].u32[job]);
}

int first_victim_may_be(const struct lsched_cycle *cy, const struct running_class *class) {
    return class->sort == RUNNING_SOFT || allowance_goes_first(cy->k, class->queue);
}
