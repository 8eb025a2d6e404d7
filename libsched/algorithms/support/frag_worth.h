/*
 * frag_worth.h -- two things about idle GPUs that F of frag_table.h cannot see.
 *
 * Stranded: F looks one task ahead, so it notices that cpu runs out only when it has. The mix as a
 * whole needs so much cpu and memory per GPU; what a node has free of them carries that many GPUs,
 * and idle GPUs beyond are stranded by and by. Tasks without GPUs count in that need with what the
 * nodes without GPUs cannot carry by the time all GPUs are taken.
 *
 * Load: F treats a model that many classes are bound to like any other. The load of a model is the
 * demand that falls on it if every class spreads evenly over all devices it may use, relative to
 * the mean: above 1 it is scarce, and who can go elsewhere should.
 *
 * Read once per change of the nodes or the mix: O(nodes * devices + classes * models).
 */
#ifndef LIBSCHED_FRAG_WORTH_H
#define LIBSCHED_FRAG_WORTH_H

#include "algorithms/support/frag_mix.h"

#define FRAG_BESIDE 2 /* kinds that all tasks use beside GPUs: cpu and memory */

struct frag_worth {
    uint32_t n_models;
    uint32_t shift[FRAG_BESIDE];  /* amounts are scaled down so far */
    int64_t carries[FRAG_BESIDE]; /* milli-GPU times FRAG_ONE per scaled unit; 0: any number */
    int64_t *load;                /* per number of a model, of FRAG_ONE */
};

/* A zeroed struct is empty: nothing stranded, all loads 0. On error it is empty. */
int32_t frag_worth_read(struct frag_worth *worth, const lsched_algorithm_env *env,
                        const lsched_view *view, const struct frag_mix *mix);
void frag_worth_free(struct frag_worth *worth, const lsched_algorithm_env *env);

/* Stranded GPUs, in milli-GPU times FRAG_ONE, with so much idle and so much cpu and memory free. */
int64_t frag_stranded(const struct frag_worth *worth, int64_t idle_milli, int64_t cpu_milli,
                      int64_t memory_bytes);

#endif
