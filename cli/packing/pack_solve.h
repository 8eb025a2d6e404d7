/*
 * pack_solve.h -- solves a packing problem with an lsched_packer. The work is done in steps. After
 * each step the progress can be shown and the time limit is checked.
 *
 * lsched_pack_check(), which shares no code with the packer, checks every plan. An invalid plan is
 * therefore never printed.
 */
#ifndef LSCHED_CLI_PACK_SOLVE_H
#define LSCHED_CLI_PACK_SOLVE_H

#include <stdbool.h>

#include <libsched/libsched.h>
#include <libsched/pack.h>

struct pack_wish {
    uint32_t method;
    int64_t work;    /* budget of the search in work units */
    int64_t most_ns; /* limit on CPU time in nanoseconds; 0 if only `work` limits the search */
    uint64_t seed;
    uint32_t beam;
    const lsched_pack_place *start; /* plan from which the search starts; NULL if there is none */
    size_t n_start;
    /* called after each step to show progress; `done` and `of` are in nanoseconds if most_ns > 0,
     * otherwise in work units; can be NULL */
    void (*step)(void *user, uint64_t done, uint64_t of);
    void *user;
};

struct pack_result {
    lsched_pack_info info;
    lsched_pack_place *places; /* owned by this struct */
    size_t n_places;
    int64_t core_ns; /* CPU time that the packer took on its thread, in nanoseconds */
    /* true if the budget ended before the search did; with more work, the packer could find a
     * better plan or prove that this plan is optimal */
    bool cut_off;
};

int32_t pack_solve(const lsched_pack_problem *problem, const struct pack_wish *wish,
                   struct pack_result *out, lsched_error *err);
void pack_result_free(struct pack_result *result);

/* Return the word for a method LSCHED_PACK_METHOD_*, such as "ruin" for LSCHED_PACK_METHOD_RUIN,
 * and the word for a kind of lower bound LSCHED_PACK_BY_*. */
const char *pack_method_word(uint32_t method);
const char *pack_bound_word(uint32_t bound);
extern const char *const pack_method_words[]; /* words of all methods; the list ends with NULL */

#endif
