/*
 * place_best_fit.c -- the place algorithm "best-fit": chooses the node on which the least cpu and
 * gpu stay free after the task is placed. Both amounts are divided by the capacity of the largest
 * node and count equally.
 *
 * The algorithm is "BestFit" of the FGD paper (Weng et al., ATC'23) without its rounding to 100
 * steps, which only causes ties. The algorithm ignores whether later tasks can use the amounts that
 * stay free; least-fragmentation considers this. A score takes O(1) per node, and `prepare` takes
 * O(nodes).
 */
#include "algorithms/builtin.h"
#include "algorithms/support/algorithm_env.h"
#include "algorithms/support/place_room.h"

static int32_t best_fit_create(const lsched_algorithm_env *env, void **self, lsched_error *err) {
    (void)err; /* the engine fills err for LSCHED_E_NOMEM */
    *self = env_new(env, sizeof(struct place_scale));
    return *self ? LSCHED_OK : LSCHED_E_NOMEM;
}

static void best_fit_destroy(const lsched_algorithm_env *env, void *self) {
    env_free(env, self, sizeof(struct place_scale));
}

static int32_t best_fit_prepare(void *self, const lsched_view *view) {
    return place_scale_read(self, view) ? LSCHED_PREPARED_SAME : LSCHED_OK;
}

static int32_t best_fit_score(void *self, const lsched_view *view, const lsched_task_shape *task,
                              const uint32_t *nodes, size_t n, int64_t *scores) {
    for (size_t i = 0; i < n; i++) scores[i] = -place_left_over(self, view, task, nodes[i]);
    return LSCHED_OK;
}

static const lsched_place_ops best_fit_ops = {
    .size = sizeof(lsched_place_ops),
    .prepare = best_fit_prepare,
    .score = best_fit_score,
};

const lsched_algorithm place_best_fit = {
    BUILTIN(PLACE),
    .name = "best-fit",
    .create = best_fit_create,
    .destroy = best_fit_destroy,
    .place = &best_fit_ops,
};
