/*
 * act_speed_up.c -- the action "speed-up": moves running jobs to devices on which their kind of
 * work runs faster, if they save more time than the move costs.
 *
 * Parameters, in seconds:
 *   speed_up_price   added to the price of each move (default 0)
 *   speed_up_stay    for how long a task stays in a place before it moves (default 3600)
 *
 * The engine knows the speeds, the estimates and who waits; it chooses the jobs and their places.
 */
#include "algorithms/builtin.h"
#include "algorithms/support/algorithm_env.h"

struct speed_up_action {
    int64_t price_us, stay_us;
};

/* the greatest price and the longest stay, in seconds: a year */
#define SPEED_UP_MOST 31536000.0

static int32_t speed_up_run(void *self, const lsched_act *act, lsched_cycle *cycle) {
    const struct speed_up_action *s = self;
    return act->speed_up ? act->speed_up(cycle, s->price_us, s->stay_us) : LSCHED_OK;
}

static int32_t speed_up_create(const lsched_algorithm_env *env, void **self, lsched_error *err) {
    struct speed_up_action *s = *self = env_new(env, sizeof *s);
    (void)err;
    if (!s) return LSCHED_E_NOMEM;
    s->price_us = (int64_t)(env_number(env, "speed_up_price", 0, SPEED_UP_MOST) * 1e6);
    s->stay_us = (int64_t)(env_number(env, "speed_up_stay", 3600, SPEED_UP_MOST) * 1e6);
    return LSCHED_OK;
}

static void speed_up_destroy(const lsched_algorithm_env *env, void *self) {
    env->free(env->engine, self, sizeof(struct speed_up_action));
}

static const lsched_act_ops speed_up_ops = {sizeof(lsched_act_ops), 0, speed_up_run};

const lsched_algorithm act_speed_up = {BUILTIN(ACT), .name = "speed-up", .create = speed_up_create,
                                       .destroy = speed_up_destroy, .act = &speed_up_ops};
