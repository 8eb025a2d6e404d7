/*
 * place_fgd.c -- the place algorithm "fgd": fragmentation gradient descent (Weng et al., ATC'23),
 * as published.
 *
 * The algorithm chooses the node, and the device in it, where placing the task reduces the expected
 * fragmentation most. The details follow the paper's simulator. Only the most frequent task classes
 * that cover 95 % of the mix count, and classes differ only by cpu, GPUs and models. The score is
 * 100 times a sigmoid of the reduction in GPUs, rounded down to a whole number from 0 to 99. The
 * rounding causes many ties; the node with the smallest name wins a tie. The rounding matters:
 * exact scores leave 5.8 % of the GPUs of the openb trace unused, rounded scores 4.9 %.
 * least-fragmentation needs neither the rounding nor the names.
 *
 * Without a mix, all nodes have the same score. A table has the reduction at which the sigmoid
 * reaches each hundredth, so no floating point is needed. The cost per node is that of
 * frag_table.h.
 */
#include <string.h>

#include "algorithms/builtin.h"
#include "algorithms/support/frag_case.h"
#include "algorithms/support/place_twins.h"

struct fgd {
    lsched_algorithm_env env;
    struct frag_table table;
};

static const struct frag_rule fgd_rule = {.cover_percent = 95, .cpu_alone = 1};

static int32_t fgd_create(const lsched_algorithm_env *env, void **self, lsched_error *err) {
    (void)err; /* the engine fills err for LSCHED_E_NOMEM */
    struct fgd *fgd = *self = env_new(env, sizeof *fgd);
    if (!fgd) return LSCHED_E_NOMEM;
    fgd->env = *env;
    return LSCHED_OK;
}

static void fgd_destroy(const lsched_algorithm_env *env, void *self) {
    struct fgd *fgd = self;
    if (!fgd) return;
    frag_table_free(&fgd->table, env);
    env->free(env->engine, fgd, sizeof *fgd);
}

static int32_t fgd_prepare(void *self, const lsched_view *view) {
    struct fgd *fgd = self;
    return frag_table_read(&fgd->table, &fgd->env, view, &fgd_rule);
}

/* Table entry q - 51, for q from 51 to 99: the x, in micro-GPU, at which 100 * sigmoid(x) reaches
 * q. The entry is ceil(10^6 * ln(q / (100 - q))). */
static const int32_t step_micro_gpu[49] = {
    40006,   80043,   120145,  160343,  200671,  241163,  281852,  322774,  363966,  405466,
    447313,  489549,  532217,  575365,  619040,  663295,  708186,  753772,  800120,  847298,
    895385,  944462,  994623,  1045969, 1098613, 1152680, 1208312, 1265667, 1324926, 1386295,
    1450011, 1516348, 1585628, 1658229, 1734602, 1815290, 1900959, 1992431, 2090742, 2197225,
    2313635, 2442348, 2586690, 2751536, 2944439, 3178054, 3476099, 3891821, 4595120,
};

/* Returns floor(100 / (1 + exp(-g))), where g is the gain in GPUs; `gain` is in milli-GPU times
 * FRAG_ONE. sigmoid(-x) = 1 - sigmoid(x), and no step is at a rational number except the one at 0.
 * Therefore the table of the steps above 50 also serves for the steps below 50. */
static int64_t hundredths(int64_t gain) {
    int negative = gain < 0;
    int64_t size = negative ? -gain : gain;
    int64_t micro = size / FRAG_ONE * 1000 + size % FRAG_ONE * 1000 / FRAG_ONE;
    int64_t step = 50;
    while (step < 99 && micro >= step_micro_gpu[step - 50]) step++;
    return negative && size > 0 ? 99 - step : step;
}

static struct piece_set place_fgd_best_choice(const struct fgd *fgd, const lsched_view *view,
                                              const lsched_task_shape *task, uint32_t node,
                                              struct frag_case *c, int64_t *score) {
    struct piece_set best = {{0}}, chosen;
    *score = INT64_MIN;
    frag_case_open(c, &fgd->table, view, task, node);
    for (uint32_t walk = 0; frag_case_next(c, &walk, &chosen);) {
        int64_t value = hundredths(frag_case_gain(c, &chosen));
        if (value <= *score) continue;
        *score = value;
        best = chosen;
    }
    return best;
}

static int32_t fgd_score(void *self, const lsched_view *view, const lsched_task_shape *task,
                         const uint32_t *nodes, size_t n, int64_t *scores) {
    struct frag_case c;
    struct place_twins twins;
    place_twins_open(&twins, view, nodes, n);
    for (size_t i = 0; i < n; i++) {
        size_t twin = place_twins_find(&twins, (uint32_t)i);
        if (twin < i)
            scores[i] = scores[twin];
        else
            place_fgd_best_choice(self, view, task, nodes[i], &c, &scores[i]);
    }
    return LSCHED_OK;
}

static int32_t fgd_devices(void *self, const lsched_view *view, const lsched_task_shape *task,
                           uint32_t node, uint64_t *device_words) {
    struct frag_case c;
    int64_t score;
    struct piece_set best = place_fgd_best_choice(self, view, task, node, &c, &score);
    place_pieces_devices(&c.pieces, &best, device_words);
    return LSCHED_OK;
}

static const lsched_place_ops fgd_ops = {
    .size = sizeof(lsched_place_ops),
    .prepare = fgd_prepare,
    .score = fgd_score,
    .devices = fgd_devices,
};

const lsched_algorithm place_fgd = {
    BUILTIN(PLACE), .name = "fgd", .create = fgd_create, .destroy = fgd_destroy, .place = &fgd_ops,
};
