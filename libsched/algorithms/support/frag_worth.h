/*
 * frag_worth.h -- computes two properties of idle GPUs that the fragmentation F of frag_table.h
 * does not cover: stranded GPUs, and the load of device models.
 *
 * Stranded GPUs: F looks only one task ahead. Therefore F notices a shortage of cpu only when no
 * cpu is left. The tasks of the mix together need a certain amount of cpu and memory per GPU.
 * Therefore the free cpu and memory of a node suffice for a certain number of GPUs. Idle GPUs
 * beyond this number are stranded: in the end no task will be able to use them. Tasks without GPUs
 * also need cpu and memory, but nodes without GPUs can carry a portion of them. Only the remaining
 * need of these tasks counts, for the time when all GPUs are in use.
 *
 * Load: F does not distinguish scarce device models from other models. The load of a model is the
 * GPU demand on the model, relative to the mean over all models. To compute the load, each class of
 * the mix is spread evenly over all devices that it can use. A load above 1 means that the model is
 * scarce. A task that can use another model should then do so.
 *
 * The number of devices of each model is rounded to five binary digits, and so is the capacity of
 * the nodes without GPUs if these are more than 31. Otherwise each node that comes or goes would
 * change the loads a little, and with them the scores of all nodes. The rounding leaves the number
 * of placed tasks of the openb trace as it is.
 *
 * Both are computed again each time that the nodes or the mix change, in O(nodes * devices +
 * classes * models).
 */
#ifndef LIBSCHED_FRAG_WORTH_H
#define LIBSCHED_FRAG_WORTH_H

#include "algorithms/support/frag_mix.h"

#define FRAG_BESIDE 2 /* number of resource kinds that all tasks use besides GPUs: cpu and memory */

struct frag_worth {
    uint32_t n_models;
    /* number of bits by which amounts of the kind are shifted right, so that they fit in 24 bits */
    uint32_t shift[FRAG_BESIDE];
    /* GPU amount for which one shifted unit of cpu or memory suffices, in milli-GPU times FRAG_ONE;
     * 0 if the kind strands no GPUs */
    int64_t carries[FRAG_BESIDE];
    int64_t *load; /* load of each model, by model number; FRAG_ONE is the mean load */
};

/* Computes `carries` and `load` from the view and the mix. With a zeroed struct, nothing is
 * stranded, and all loads are 0. Returns LSCHED_OK, LSCHED_PREPARED_SAME if the struct already held
 * the same, or LSCHED_E_NOMEM; on an error the struct is zeroed. */
int32_t frag_worth_read(struct frag_worth *worth, const lsched_algorithm_env *env,
                        const lsched_view *view, const struct frag_mix *mix);
void frag_worth_free(struct frag_worth *worth, const lsched_algorithm_env *env);

/* Returns the stranded GPU amount of a node, in milli-GPU times FRAG_ONE. The arguments are the
 * node's idle GPUs and its free cpu and memory. */
int64_t frag_stranded(const struct frag_worth *worth, int64_t idle_milli, int64_t cpu_milli,
                      int64_t memory_bytes);

#endif
