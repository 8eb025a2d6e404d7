/* frag_models.c -- see frag_models.h. */
#include "algorithms/support/frag_models.h"

#include <string.h>

static int32_t frag_models_add(struct frag_models *models, const lsched_algorithm_env *env,
                               uint32_t row) {
    uint32_t at = frag_models_at(models, row);
    if (at < models->n && models->rows[at] == row) return LSCHED_OK;
    if (!ENV_ROOM(env, models->rows, models->room, models->n + 1)) return LSCHED_E_NOMEM;
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
            /* the usual case: the devices of a node have the same model */
            if (model[i] == latest) continue;
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
    env_free(env, models->rows, models->room * sizeof *models->rows);
    memset(models, 0, sizeof *models);
}
