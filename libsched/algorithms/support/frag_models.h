/*
 * frag_models.h -- gives each device model that occurs on nodes a number, from 0 without gaps.
 *
 * The view identifies a device model by the row of its name. These rows are large numbers, because
 * the names of all objects are in one table. A table with one entry per model needs small numbers.
 * Therefore the rows that occur on devices are sorted, and a model's number is its position in the
 * sorted list. The number `n` stands for every model that occurs on no device. A look-up is a
 * binary search, which is fast because clusters have only a handful of models.
 */
#ifndef LIBSCHED_FRAG_MODELS_H
#define LIBSCHED_FRAG_MODELS_H

#include "algorithms/support/algorithm_env.h"

struct frag_models {
    /* number of models that occur on devices. Their numbers are 0 to n - 1; n is the number of any
     * other model. */
    uint32_t n;
    uint32_t room;
    uint32_t *rows; /* rows of the names of the models, ascending */
};

/* Fills the list from the devices of the nodes; what the list held before is dropped. A zeroed
 * struct is an empty list. Returns LSCHED_OK or LSCHED_E_NOMEM; on an error the list is empty.
 * Costs O(devices * log models). */
int32_t frag_models_read(struct frag_models *models, const lsched_algorithm_env *env,
                         const lsched_view *view);
void frag_models_free(struct frag_models *models, const lsched_algorithm_env *env);

/* Returns the index of the first entry of `rows` that is not less than `row`. The caller must check
 * whether the entry equals `row`. */
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
