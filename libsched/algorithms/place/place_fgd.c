/*
 * place_fgd.c -- place "fgd": fragmentation gradient descent (Weng et al., ATC'23), as published.
 *
 * The node, and the device in it, on which the task makes expected fragmentation fall most. As in
 * the paper's simulator: popularity over the most frequent classes that make up 95 % of the mix,
 * told apart by cpu, GPUs and models alone; the fall in GPUs goes through a sigmoid and is cut to a
 * whole number of 0 .. 99, and the many ties that this makes go to the smallest name. That rounding
 * is not a detail: exact scores leave 5.8 % of the GPUs of openb unused, these 4.9 %.
 * least-fragmentation needs neither the rounding nor the names.
 *
 * Without a mix all nodes are equal. The sigmoid is a table of where its hundredths begin, so no
 * floating point. Cost per node as in frag_table.h.
 */
#include <string.h>

#include "algorithms/support/frag_case.h"
#include "algorithms/support/place_tables.h"

struct fgd {
    lsched_algorithm_env env;
    struct frag_table table;
};

static const struct frag_rule fgd_rule = {.cover_percent = 95, .cpu_alone = 1};

static int32_t fgd_create(const lsched_algorithm_env *env, void **self, lsched_error *err) {
    (void)err; /* the engine words E_NOMEM */
    struct fgd *fgd = env->alloc(env->engine, sizeof *fgd);
    if (!fgd) return LSCHED_E_NOMEM;
    memset(fgd, 0, sizeof *fgd);
    fgd->env = *env;
    *self = fgd;
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

/* Where 100 * sigmoid(x) reaches 51, 52 .. 99, x in micro-GPU: ceil(10^6 * ln(q / (100 - q))). */
static const int32_t step_micro_gpu[49] = {
    40006,   80043,   120145,  160343,  200671,  241163,  281852,  322774,  363966,  405466,
    447313,  489549,  532217,  575365,  619040,  663295,  708186,  753772,  800120,  847298,
    895385,  944462,  994623,  1045969, 1098613, 1152680, 1208312, 1265667, 1324926, 1386295,
    1450011, 1516348, 1585628, 1658229, 1734602, 1815290, 1900959, 1992431, 2090742, 2197225,
    2313635, 2442348, 2586690, 2751536, 2944439, 3178054, 3476099, 3891821, 4595120,
};

/* floor(100 / (1 + exp(-gain))), gain in GPUs. sigmoid(-x) = 1 - sigmoid(x), and no step but the
 * one at 0 is a rational number, so the steps below 50 are those above, mirrored. */
static int64_t hundredths(int64_t gain) {
    int negative = gain < 0;
    int64_t size = negative ? -gain : gain;
    int64_t micro = size / FRAG_ONE * 1000 + size % FRAG_ONE * 1000 / FRAG_ONE;
    int64_t step = 50;
    while (step < 99 && micro >= step_micro_gpu[step - 50]) step++;
    return negative && size > 0 ? 99 - step : step;
}

static uint32_t place_fgd_best_choice(const struct fgd *fgd, const lsched_view *view,
                                      const lsched_task_shape *task, uint32_t node,
                                      struct frag_case *c, int64_t *score) {
    uint32_t best = 0;
    uint32_t chosen;
    *score = INT64_MIN;
    frag_case_open(c, &fgd->table, view, task, node);
    for (uint32_t walk = 0; frag_case_next(c, &walk, &chosen);) {
        int64_t value = hundredths(frag_case_gain(c, chosen));
        if (value <= *score) continue;
        *score = value;
        best = chosen;
    }
    return best;
}

static int32_t fgd_score(void *self, const lsched_view *view, const lsched_task_shape *task,
                         const uint32_t *nodes, size_t n, int64_t *scores) {
    struct frag_case c;
    for (size_t i = 0; i < n; i++)
        place_fgd_best_choice(self, view, task, nodes[i], &c, &scores[i]);
    return LSCHED_OK;
}

static int32_t fgd_devices(void *self, const lsched_view *view, const lsched_task_shape *task,
                           uint32_t node, uint32_t *mask) {
    struct frag_case c;
    int64_t score;
    uint32_t best = place_fgd_best_choice(self, view, task, node, &c, &score);
    *mask = place_pieces_mask(&c.pieces, best);
    return LSCHED_OK;
}

static const lsched_place_ops fgd_ops = {
    .size = sizeof(lsched_place_ops),
    .prepare = fgd_prepare,
    .score = fgd_score,
    .devices = fgd_devices,
};

const lsched_algorithm place_fgd = {
    .size = sizeof(lsched_algorithm),
    .api = LSCHED_ALGORITHM_API,
    .role = LSCHED_ROLE_PLACE,
    .name = "fgd",
    .create = fgd_create,
    .destroy = fgd_destroy,
    .place = &fgd_ops,
};
