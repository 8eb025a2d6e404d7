/*
 * place_cheapest.c -- a place algorithm of an orchestrator's own: the node whose use costs least.
 *
 * A node that already runs something is paid for, so it costs its price per hour; an idle one costs
 * that for some hours more, since it has to be started and will run a while after its last task.
 * The policy sets how many by the parameter idle_hours (default 1). Among open nodes the cheaper
 * wins, so the dear ones run empty first and can be handed back. A node without a price counts as
 * free: own hardware.
 *
 * It uses nothing but the two public headers; libsched's own algorithms are written the same way.
 */
#include "place_cheapest.h"

#include <string.h>

struct cheapest {
    int64_t idle_hours;
};

static int is_idle_hours(const lsched_param *param) {
    static const char key[] = "idle_hours";
    return param->key.len == sizeof key - 1 && memcmp(param->key.ptr, key, sizeof key - 1) == 0;
}

/* The one place where a double is read: turned into a whole number before anything is decided by
 * it. */
static int32_t cheapest_create(const lsched_algorithm_env *env, void **self, lsched_error *err) {
    double hours = 1;
    for (uint32_t i = 0; i < env->n_params; i++)
        if (is_idle_hours(&env->params[i]))
            hours = env->params[i].text.ptr ? -1 : env->params[i].number;
    if (!(hours >= 0 && hours <= 1000)) {
        if (err) strcpy(err->message, "idle_hours: expected a number from 0 to 1000");
        return LSCHED_E_RANGE;
    }
    struct cheapest *cheapest = env->alloc(env->engine, sizeof *cheapest);
    if (!cheapest) return LSCHED_E_NOMEM;
    cheapest->idle_hours = (int64_t)hours;
    *self = cheapest;
    return LSCHED_OK;
}

static void cheapest_destroy(const lsched_algorithm_env *env, void *self) {
    if (self) env->free(env->engine, self, sizeof(struct cheapest));
}

static int32_t cheapest_prepare(void *self, const lsched_view *view) {
    (void)self;
    (void)view; /* nothing is looked up that a node's own columns do not say */
    return LSCHED_OK;
}

static int is_idle(const lsched_view *view, uint32_t node) {
    for (uint32_t kind = 1; kind < view->n_kinds; kind++)
        if (view->node_free[kind][node] != view->node_capacity[kind][node]) return 0;
    return 1;
}

static int32_t cheapest_score(void *self, const lsched_view *view, const lsched_task_shape *task,
                              const uint32_t *nodes, size_t n, int64_t *scores) {
    const struct cheapest *cheapest = self;
    const int64_t price_max = INT64_MAX / 1001; /* so that no product overflows */
    (void)task;
    for (size_t i = 0; i < n; i++) {
        int64_t price = view->node_price_micro_per_hour[nodes[i]];
        if (price > price_max) price = price_max;
        scores[i] = -price * (is_idle(view, nodes[i]) ? 1 + cheapest->idle_hours : 1);
    }
    return LSCHED_OK;
}

static const lsched_place_ops cheapest_ops = {
    .size = sizeof(lsched_place_ops),
    .prepare = cheapest_prepare,
    .score = cheapest_score,
};

const lsched_algorithm place_cheapest = {
    .size = sizeof(lsched_algorithm),
    .api = LSCHED_ALGORITHM_API,
    .role = LSCHED_ROLE_PLACE,
    .name = "cheapest",
    .create = cheapest_create,
    .destroy = cheapest_destroy,
    .place = &cheapest_ops,
};
