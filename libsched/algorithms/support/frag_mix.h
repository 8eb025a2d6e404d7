/*
 * frag_mix.h -- the expected mix of tasks as classes with a popularity.
 *
 * Tasks that ask for the same are one class. Popularity is the class's part of the counts, in units
 * of 2^-24, rounded to nearest, so scores do not depend on how large the counts are. Classes with
 * devices come first, ordered by cpu; those without come last. Node labels that a task selects do
 * not take part: a placement sees no labels. Nor does memory that is asked for per device.
 *
 * Built once per change of the mix: O(classes * log classes). The view's own list is not used in
 * place because it may name one class many times and lives only during a call.
 */
#ifndef LIBSCHED_FRAG_MIX_H
#define LIBSCHED_FRAG_MIX_H

#include "algorithms/support/frag_models.h"

#define FRAG_ONE_BITS 24
#define FRAG_ONE      ((int64_t)1 << FRAG_ONE_BITS)

struct frag_class {
    uint32_t popularity; /* of FRAG_ONE */
    uint16_t devices;
    uint16_t share_milli; /* of each device */
};

/* Which classes count and what they ask for. */
struct frag_rule {
    uint32_t cover_percent; /* the most frequent classes that make up this much of the mix */
    uint32_t cpu_alone;     /* 1: of what nodes offer besides GPUs only cpu counts */
};

struct frag_mix {
    struct frag_models models;
    uint32_t n;
    uint32_t n_gpu;    /* classes with devices: the first ones */
    uint32_t n_others; /* kinds besides cpu that some class with devices asks for */
    uint32_t other[LSCHED_RESOURCE_KINDS_MAX];
    uint32_t n_kinds;
    uint32_t model_words;
    int64_t popularity; /* sum over the classes: FRAG_ONE but for rounding; 0: no mix */
    struct frag_class *classes;
    int64_t *requests; /* per kind, then per class; what the rule leaves out is 0 */
    uint64_t *allowed; /* n * model_words: bit per number of a model */
    void *block;
    size_t block_bytes;
};

/* A zeroed struct is an empty mix. On error the mix is empty. */
int32_t frag_mix_read(struct frag_mix *mix, const lsched_algorithm_env *env,
                      const lsched_view *view, const struct frag_rule *rule);
void frag_mix_free(struct frag_mix *mix, const lsched_algorithm_env *env);

/* May the class use devices of the model with this number? */
static inline int frag_allows(const struct frag_mix *mix, uint32_t class_index, uint32_t model) {
    const uint64_t *bits = mix->allowed + (size_t)class_index * mix->model_words;
    return (int)(bits[model / 64] >> model % 64 & 1);
}

/* What each class asks for of one kind. */
static inline const int64_t *frag_requests(const struct frag_mix *mix, uint32_t kind) {
    return mix->requests + (size_t)kind * mix->n;
}

#endif
