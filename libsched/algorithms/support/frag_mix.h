/*
 * frag_mix.h -- the expected mix of tasks as classes with a popularity.
 *
 * Tasks with equal requests form one class. The popularity of a class is its fraction of all task
 * counts, in multiples of 2^-24, rounded to nearest. Therefore scores do not depend on how large
 * the counts are. Classes with devices come first, ordered by cpu request. Classes without devices
 * come last. The classes ignore the node labels that a task selects, because a place algorithm sees
 * no labels. The classes also ignore memory that is requested per device.
 *
 * Built once per change of the mix: O(classes * log classes). The view's own list cannot be used
 * directly, because it can contain one class many times and is valid only during a call.
 */
#ifndef LIBSCHED_FRAG_MIX_H
#define LIBSCHED_FRAG_MIX_H

#include "algorithms/support/frag_models.h"

#define FRAG_ONE_BITS 24
#define FRAG_ONE      ((int64_t)1 << FRAG_ONE_BITS)

struct frag_class {
    uint32_t popularity; /* fraction of all tasks; FRAG_ONE is all */
    uint16_t devices;
    uint16_t share_milli; /* share of each device that a task needs */
};

/* Rule that says which classes are kept and which of their requests count. */
struct frag_rule {
    /* only the most frequent classes are kept that together make up this percentage of the mix */
    uint32_t cover_percent;
    uint32_t cpu_alone; /* 1: besides GPUs, only requests for cpu count */
};

struct frag_mix {
    struct frag_models models;
    uint32_t n;
    uint32_t n_gpu; /* number of classes with devices; they come first */
    /* number of kinds besides cpu (and gpu) that some class with devices asks for */
    uint32_t n_others;
    uint32_t other[LSCHED_RESOURCE_KINDS_MAX];
    uint32_t n_kinds;
    uint32_t model_words;
    int64_t popularity; /* sum over the classes: FRAG_ONE except for rounding; 0: there is no mix */
    struct frag_class *classes;
    int64_t *requests; /* requests by kind, then by class; 0 where the rule ignores the kind */
    /* n * model_words words: per class one bit per model number, 1 if the class can use the model
     */
    uint64_t *allowed;
    void *block;
    size_t block_bytes;
};

/* Reads the mix of the view and drops the former content. A zeroed struct is an empty mix. On error
 * the mix is empty. */
int32_t frag_mix_read(struct frag_mix *mix, const lsched_algorithm_env *env,
                      const lsched_view *view, const struct frag_rule *rule);
void frag_mix_free(struct frag_mix *mix, const lsched_algorithm_env *env);

/* True if the class can use devices of the model with this number. */
static inline int frag_allows(const struct frag_mix *mix, uint32_t class_index, uint32_t model) {
    const uint64_t *bits = mix->allowed + (size_t)class_index * mix->model_words;
    return (int)(bits[model / 64] >> model % 64 & 1);
}

/* Returns the requests of all classes for one resource kind, as an array by class. */
static inline const int64_t *frag_requests(const struct frag_mix *mix, uint32_t kind) {
    return mix->requests + (size_t)kind * mix->n;
}

#endif
