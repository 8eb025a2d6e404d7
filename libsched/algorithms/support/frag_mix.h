/*
 * frag_mix.h -- reads the expected mix of tasks and divides it into classes; each class has a
 * popularity.
 *
 * Tasks with equal requests form one class. The popularity of a class is the number of its tasks
 * divided by the number of all tasks, in multiples of 2^-24, rounded to nearest. Therefore scores
 * do not depend on how large the counts are. Classes with devices come first, ordered by cpu
 * request. Classes without devices come last. The classes ignore the node labels that a task
 * selects, because a place algorithm sees no labels. The classes also ignore memory that is
 * requested per device.
 *
 * The classes are computed again each time that the mix changes, in O(classes * log classes). The
 * view's list of tasks cannot be used directly, because the list can contain the same class many
 * times and is valid only during a call.
 */
#ifndef LIBSCHED_FRAG_MIX_H
#define LIBSCHED_FRAG_MIX_H

#include "algorithms/support/frag_models.h"

#define FRAG_ONE_BITS 24
#define FRAG_ONE      ((int64_t)1 << FRAG_ONE_BITS)

struct frag_class {
    /* fraction of all tasks, in multiples of 2^-24; FRAG_ONE means all tasks */
    uint32_t popularity;
    uint16_t devices;
    uint16_t share_milli; /* share of each device that a task of the class needs, in milli-GPU */
};

/* A rule that says which classes the mix keeps, and which requests distinguish them. */
struct frag_rule {
    /* percentage of all tasks that the kept classes cover; the most frequent classes are kept */
    uint32_t cover_percent;
    /* 1: besides GPUs, only the cpu requests count; 0: the requests for all kinds count */
    uint32_t cpu_alone;
};

struct frag_mix {
    struct frag_models models;
    uint32_t n;
    uint32_t n_gpu; /* number of classes with devices; these classes are the first ones */
    /* number of resource kinds other than cpu and gpu that some class with devices asks for */
    uint32_t n_others;
    uint32_t other[LSCHED_RESOURCE_KINDS_MAX];
    uint32_t n_kinds;
    uint32_t model_words;
    /* sum of the popularities of all classes: FRAG_ONE except for rounding, or 0 if there is no
     * mix */
    int64_t popularity;
    struct frag_class *classes;
    /* at [kind * n + class]: request of the class for the kind; 0 if the rule ignores the kind */
    int64_t *requests;
    /* n * model_words words. The words of a class hold one bit for each model number; a bit is 1 if
     * the class can use the model. */
    uint64_t *allowed;
    void *block;
    size_t block_bytes;
};

/* Reads the mix of the view; what the struct held before is dropped. A zeroed struct is an empty
 * mix. Returns LSCHED_OK or an error code; on an error the mix is empty. */
int32_t frag_mix_read(struct frag_mix *mix, const lsched_algorithm_env *env,
                      const lsched_view *view, const struct frag_rule *rule);
void frag_mix_free(struct frag_mix *mix, const lsched_algorithm_env *env);
/* True if both have the same models, and classes with the same popularities and requests. */
int frag_mix_equals(const struct frag_mix *a, const struct frag_mix *b);

/* True if the class can use devices of the model with this number. */
static inline int frag_allows(const struct frag_mix *mix, uint32_t class_index, uint32_t model) {
    const uint64_t *bits = mix->allowed + (size_t)class_index * mix->model_words;
    return (int)(bits[model / 64] >> model % 64 & 1);
}

/* Returns an array with the requests of all classes for one resource kind, indexed by class. */
static inline const int64_t *frag_requests(const struct frag_mix *mix, uint32_t kind) {
    return mix->requests + (size_t)kind * mix->n;
}

#endif
