/*
 * frag_models.h -- the device models that nodes have, numbered from 0 without gaps.
 *
 * The view names a model by the row of its name, and rows of names are as many as there are names
 * of anything. Tables per model need small numbers: the place in the ascending list of rows that
 * occur on devices. The number after the last stands for every other model. Binary search: clusters
 * have a handful.
 */
#ifndef LIBSCHED_FRAG_MODELS_H
#define LIBSCHED_FRAG_MODELS_H

#include <libsched/algorithm.h>

struct frag_models {
    uint32_t n; /* models that occur; numbers run from 0 to n */
    uint32_t room;
    uint32_t *rows; /* ascending */
};

/* A zeroed struct is an empty list. On error it is empty. O(devices * log models). */
int32_t frag_models_read(struct frag_models *models, const lsched_algorithm_env *env,
                         const lsched_view *view);
void frag_models_free(struct frag_models *models, const lsched_algorithm_env *env);

/* The number of the first model whose row is not less; whether it is that row is for the caller. */
static inline uint32_t frag_models_at(const struct frag_models *models, uint32_t row) {
    uint32_t low = 0;
    for (uint32_t n = models->n; n > 0;) {
        uint32_t half = n / 2;
        if (models->rows[low + half] < row) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low;
}

static inline uint32_t frag_model_number(const struct frag_models *models, uint32_t row) {
    uint32_t at = frag_models_at(models, row);
    return at < models->n && models->rows[at] == row ? at : models->n;
}

#endif
