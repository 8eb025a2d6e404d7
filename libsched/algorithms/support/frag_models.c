/*
 * frag_models.c -- see frag_models.h. The list doubles when it is full.
 */
#include "algorithms/support/frag_models.h"

#include <string.h>

static int32_t frag_models_add(struct frag_models *models, const lsched_algorithm_env *env,
                               uint32_t row) {
    uint32_t at = frag_models_at(models, row);
    if (at < models->n && models->rows[at] == row) return LSCHED_OK;
    if (models->n == models->room) {
        uint32_t room = models->room ? 2 * models->room : 16;
        uint32_t *rows = env->alloc(env->engine, room * sizeof *rows);
        if (!rows) return LSCHED_E_NOMEM;
        if (models->rows) {
            memcpy(rows, models->rows, models->n * sizeof *rows);
            env->free(env->engine, models->rows, models->room * sizeof *rows);
        }
        models->rows = rows;
        models->room = room;
    }
    memmove(models->rows + at + 1, models->rows + at, (models->n - at) * sizeof *models->rows);
    models->rows[at] = row;
    models->n++;
    return LSCHED_OK;
}

int32_t frag_models_read(struct frag_models *models, const lsched_algorithm_env *env,
                         const lsched_view *view) {
    frag_models_free(models, env);
    uint32_t latest = LSCHED_NO_ROW;
    for (uint32_t node = 0; node < view->n_nodes; node++) {
        uint32_t n = view->node_device_count[node];
        if (!view->node_live[node] || n == 0) continue;
        const uint32_t *model = view->device_model + view->node_device_first[node];
        for (uint32_t i = 0; i < n; i++) {
            if (model[i] == latest) continue; /* the usual case: devices of a node are equal */
            latest = model[i];
            int32_t status = frag_models_add(models, env, latest);
            if (status == LSCHED_OK) continue;
            frag_models_free(models, env);
            return status;
        }
    }
    return LSCHED_OK;
}

void frag_models_free(struct frag_models *models, const lsched_algorithm_env *env) {
    if (models->rows) env->free(env->engine, models->rows, models->room * sizeof *models->rows);
    memset(models, 0, sizeof *models);
}
