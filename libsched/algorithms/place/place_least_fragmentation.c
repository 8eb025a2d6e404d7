/*
 * place_least_fragmentation.c -- the place algorithm "least-fragmentation": keeps free the
 * resources that the expected mix of tasks can use.
 *
 *   score = gain - 3/16 * growth of stranded - load of the models taken - left over
 *
 * gain: the reduction of the expected fragmentation, computed exactly over all classes of the mix
 * and all kinds (frag_table.h). stranded and load: see frag_worth.h. left over: the measure of
 * best-fit, scaled so that the cpu of a whole node counts 8 milli-GPU, and the GPUs of a whole node
 * count 8 milli-GPU, too. This small term orders nodes that are equal in the other terms. Without a
 * mix, it is the only term, and the algorithm equals best-fit. All terms are integers in milli-GPU
 * times 2^24.
 *
 * For a task that asks for MIG instances, the gain is computed from memory slices
 * (lsched_task_shape.mig_loss). It is the number of memory slices that instances can still fill
 * after the placement, minus the number before, as the mean over the MIG profiles. The load does
 * not count for such a task.
 *
 * Unlike fgd, this algorithm does not depend on the names or the order of nodes. docs/placement.md
 * says what each term contributes on the openb trace. The weight of stranded was chosen by
 * experiment: values between 1/8 and 1/4 make little difference; above 1/3, whole nodes are broken
 * up for the sake of balance. The load has weight 1, because it has the same unit as the gain. The
 * cost per node is that of frag_table.h.
 */
#include <string.h>

#include "algorithms/builtin.h"
#include "algorithms/support/frag_case.h"
#include "algorithms/support/frag_worth.h"
#include "algorithms/support/place_room.h"
#include "algorithms/support/place_twins.h"

#define STRANDED_NUMERATOR   3
#define STRANDED_DENOMINATOR 16
/* milli-GPU that the cpu of a whole node counts, and that the GPUs of a whole node count */
#define LEFT_OVER_MILLI 8
/* value of a node on which no choice of devices fits the task, although the engine offered the
 * node */
#define NO_CHOICE (INT64_MIN / 4)

struct least {
    lsched_algorithm_env env;
    struct frag_table table;
    struct frag_worth worth;
    struct place_scale scale;
};

static const struct frag_rule least_rule = {.cover_percent = 100, .cpu_alone = 0};

static int32_t least_create(const lsched_algorithm_env *env, void **self, lsched_error *err) {
    (void)err; /* the engine fills err for LSCHED_E_NOMEM */
    struct least *least = *self = env_new(env, sizeof *least);
    if (!least) return LSCHED_E_NOMEM;
    least->env = *env;
    return LSCHED_OK;
}

static void least_destroy(const lsched_algorithm_env *env, void *self) {
    struct least *least = self;
    if (!least) return;
    frag_table_free(&least->table, env);
    frag_worth_free(&least->worth, env);
    env->free(env->engine, least, sizeof *least);
}

static int32_t least_prepare(void *self, const lsched_view *view) {
    struct least *least = self;
    int same_scale = place_scale_read(&least->scale, view);
    int32_t table = frag_table_read(&least->table, &least->env, view, &least_rule);
    if (table < 0) return table;
    int32_t worth = frag_worth_read(&least->worth, &least->env, view, &least->table.mix);
    if (worth < 0) return worth;
    return same_scale && table == LSCHED_PREPARED_SAME && worth == LSCHED_PREPARED_SAME
               ? LSCHED_PREPARED_SAME
               : LSCHED_OK;
}

/* Returns the load of the chosen devices, in milli-GPU times FRAG_ONE. */
static int64_t load_taken(const struct least *least, const struct frag_case *c,
                          const struct piece_set *chosen) {
    int64_t load = 0;
    for (uint32_t j = 0; j < c->pieces.n; j++)
        if (piece_set_has(chosen, j) && c->pieces.model[j] < least->worth.n_models)
            load += least->worth.load[c->pieces.model[j]];
    return load * c->task->device_milli;
}

/* Returns the choice of devices with the largest gain minus load. Of equal choices it returns the
 * one whose devices have the least free share. */
static struct piece_set place_least_fragmentation_best_choice(const struct least *least,
                                                              const lsched_view *view,
                                                              const lsched_task_shape *task,
                                                              uint32_t node, struct frag_case *c,
                                                              int64_t *value) {
    struct piece_set best = {{0}}, chosen;
    *value = NO_CHOICE;
    frag_case_open(c, &least->table, view, task, node);
    for (uint32_t walk = 0; frag_case_next(c, &walk, &chosen);) {
        int64_t gain = frag_case_gain(c, &chosen) - load_taken(least, c, &chosen);
        if (gain <= *value) continue;
        *value = gain;
        best = chosen;
    }
    return best;
}

static int64_t stranded_growth(const struct least *least, const lsched_view *view,
                               const lsched_task_shape *task, uint32_t node,
                               const struct place_pieces *pieces) {
    int64_t idle = pieces->idle_milli;
    int64_t taken = (int64_t)task->gpu_devices * task->device_milli;
    int64_t before = frag_stranded(&least->worth, idle, view->node_free[LSCHED_CPU][node],
                                   view->node_free[LSCHED_MEMORY][node]);
    return frag_stranded(&least->worth, idle - taken, place_left(view, task, node, LSCHED_CPU),
                         place_left(view, task, node, LSCHED_MEMORY)) -
           before;
}

/* Returns the value of a node for a task that asks for MIG instances. The value is negative: the
 * number of memory slices that instances can no longer fill after the placement, as the mean over
 * the MIG profiles. One slice counts 125 milli-GPU. */
static int64_t instance_value(const lsched_task_shape *task, size_t i) {
    enum { SLICE_MILLI = 125 };
    return -task->mig_loss[i] * SLICE_MILLI * FRAG_ONE / task->mig_profiles;
}

static int32_t least_score(void *self, const lsched_view *view, const lsched_task_shape *task,
                           const uint32_t *nodes, size_t n, int64_t *scores) {
    const struct least *least = self;
    struct frag_case c;
    struct place_twins twins;
    /* mig_loss is a number of the node that the view does not have */
    place_twins_open(&twins, view, nodes, task->mig_loss ? 0 : n);
    for (size_t i = 0; i < n; i++) {
        uint32_t node = nodes[i];
        size_t twin = place_twins_find(&twins, (uint32_t)i);
        if (twin < i) {
            scores[i] = scores[twin];
            continue;
        }
        int64_t value;
        place_least_fragmentation_best_choice(least, view, task, node, &c, &value);
        if (task->mig_loss) value = instance_value(task, i);
        int64_t growth = stranded_growth(least, view, task, node, &c.pieces);
        int64_t left_over = place_left_over(&least->scale, view, task, node);
        scores[i] = value - growth * STRANDED_NUMERATOR / STRANDED_DENOMINATOR -
                    left_over * LEFT_OVER_MILLI / (PLACE_WHOLE / FRAG_ONE);
    }
    return LSCHED_OK;
}

static int32_t least_devices(void *self, const lsched_view *view, const lsched_task_shape *task,
                             uint32_t node, uint64_t *device_words) {
    struct frag_case c;
    int64_t value;
    struct piece_set best =
        place_least_fragmentation_best_choice(self, view, task, node, &c, &value);
    place_pieces_devices(&c.pieces, &best, device_words);
    return LSCHED_OK;
}

static const lsched_place_ops least_ops = {
    .size = sizeof(lsched_place_ops),
    .prepare = least_prepare,
    .score = least_score,
    .devices = least_devices,
};

const lsched_algorithm place_least_fragmentation = {
    BUILTIN(PLACE),           .name = "least-fragmentation", .create = least_create,
    .destroy = least_destroy, .place = &least_ops,
};
