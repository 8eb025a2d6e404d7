/*
 * pack_solve.h -- solves a problem with lsched_packer. The work is done in steps, so that progress
 * can be shown and a time limit is kept.
 *
 * lsched_pack_check(), which shares no code with the packer, checks every result. An invalid plan
 * never reaches the output.
 */
#ifndef LSCHED_CLI_PACK_SOLVE_H
#define LSCHED_CLI_PACK_SOLVE_H

#include <stdbool.h>

#include <libsched/libsched.h>
#include <libsched/pack.h>

struct pack_wish {
    uint32_t method;
    int64_t work;    /* work units */
    int64_t most_ns; /* limit on CPU time in nanoseconds; 0: no limit, the work alone decides */
    uint64_t seed;
    uint32_t beam;
    const lsched_pack_place *start; /* plan to start from; NULL: none */
    size_t n_start;
    /* called after each step of the work; may be NULL */
    void (*step)(void *user, uint64_t done, uint64_t of);
    void *user;
};

struct pack_result {
    lsched_pack_info info;
    lsched_pack_place *places; /* owned by this struct */
    size_t n_places;
    int64_t core_ns; /* CPU time that the packer took on its thread, in nanoseconds */
    bool cut_off;    /* true if more work could find a better plan or prove this one */
};

int32_t pack_solve(const lsched_pack_problem *problem, const struct pack_wish *wish,
                   struct pack_result *out, lsched_error *err);
void pack_result_free(struct pack_result *result);

/* Return the words for LSCHED_PACK_* methods, such as "ruin" for LSCHED_PACK_RUIN, and for
 * LSCHED_PACK_BY_*. */
const char *pack_method_word(uint32_t method);
const char *pack_bound_word(uint32_t bound);
/* Returns the word of method i, for messages; NULL after the last. */
const char *pack_method_at(const void *list, size_t i);

#endif
