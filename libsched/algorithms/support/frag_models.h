/*
 * frag_models.h -- numbers the device models that nodes have, from 0 without gaps.
 *
 * The view identifies a device model by the row of its name, and those rows are shared with the
 * names of all other objects. Tables per model need small numbers instead: a model's number is its
 * position in the ascending list of the rows that occur on devices. The number `n`, one after the
 * last, stands for every other model. Look-ups are binary searches, because clusters have only a
 * handful of models.
 */
#ifndef LIBSCHED_FRAG_MODELS_H
#define LIBSCHED_FRAG_MODELS_H

#include <libsched/algorithm.h>

struct frag_models {
    /* number of models that occur; model numbers are 0 to n - 1, and n for any other model */
    uint32_t n;
    uint32_t room;
    uint32_t *rows; /* rows of the models' names, ascending */
};

/* Fills the list from the devices of the nodes and drops its former content. A zeroed struct is an
 * empty list. On error the list is empty. Costs O(devices * log models). */
int32_t frag_models_read(struct frag_models *models, const lsched_algorithm_env *env,
                         const lsched_view *view);
void frag_models_free(struct frag_models *models, const lsched_algorithm_env *env);

/* Returns the index of the first model whose row is not less than `row`. The caller must check
 * whether that model's row equals `row`. */
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
