/*
 * frag_worth.h -- two properties of idle GPUs that F of frag_table.h does not cover.
 *
 * Stranded: F looks only one task ahead, so F notices a shortage of cpu only when cpu has run out.
 * The mix as a whole needs a certain amount of cpu and memory per GPU. The free cpu and memory of a
 * node therefore suffice for a certain number of GPUs, and idle GPUs beyond that number will be
 * stranded: no task will be able to use them. Tasks without GPUs count in that need only with the
 * amount that nodes without GPUs cannot carry by the time all GPUs are in use.
 *
 * Load: F treats a device model that many classes require like any other model. The load of a model
 * is the GPU demand on the model if every class spreads evenly over all devices that it can use,
 * relative to the mean over all models. A load above 1 means that the model is scarce, and a task
 * that can use another model should do so.
 *
 * Computed once per change of the nodes or the mix: O(nodes * devices + classes * models).
 */
#ifndef LIBSCHED_FRAG_WORTH_H
#define LIBSCHED_FRAG_WORTH_H

#include "algorithms/support/frag_mix.h"

#define FRAG_BESIDE 2 /* resource kinds that all tasks use besides GPUs: cpu and memory */

struct frag_worth {
    uint32_t n_models;
    uint32_t shift[FRAG_BESIDE]; /* right shift, in bits, that scales amounts of the kind down */
    /* GPUs that one scaled amount suffices for, in milli-GPU times FRAG_ONE; 0: no bound */
    int64_t carries[FRAG_BESIDE];
    int64_t *load; /* load by model number; FRAG_ONE is the mean load */
};

/* Computes `carries` and `load` from the view and the mix, and drops the former content. A zeroed
 * struct is empty: nothing is stranded, and all loads are 0. On error the struct is empty. */
int32_t frag_worth_read(struct frag_worth *worth, const lsched_algorithm_env *env,
                        const lsched_view *view, const struct frag_mix *mix);
void frag_worth_free(struct frag_worth *worth, const lsched_algorithm_env *env);

/* Returns the stranded GPUs of a node with these idle GPUs and free amounts, in milli-GPU times
 * FRAG_ONE. */
int64_t frag_stranded(const struct frag_worth *worth, int64_t idle_milli, int64_t cpu_milli,
                      int64_t memory_bytes);

#endif
