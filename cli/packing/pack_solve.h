/*
 * pack_solve.h -- a problem handed to lsched_packer, with the work in steps, so that a person sees
 * it go on and a limit of time is kept.
 *
 * What comes back was judged by lsched_pack_check, which shares no code with the packer: a plan
 * that is none never reaches the output.
 */
#ifndef LSCHED_CLI_PACK_SOLVE_H
#define LSCHED_CLI_PACK_SOLVE_H

#include <stdbool.h>

#include <libsched/libsched.h>
#include <libsched/pack.h>

struct pack_wish {
    uint32_t method;
    int64_t work;    /* units */
    int64_t most_ns; /* of a core; 0: as long as the work takes */
    uint64_t seed;
    uint32_t beam;
    const lsched_pack_place *start; /* a plan to start from; NULL: none */
    size_t n_start;
    void (*step)(void *user, uint64_t done, uint64_t of); /* may be NULL */
    void *user;
};

struct pack_result {
    lsched_pack_info info;
    lsched_pack_place *places; /* owned */
    size_t n_places;
    int64_t core_ns; /* that the packer had a core */
    bool cut_off;    /* more work may find or prove more */
};

int32_t pack_solve(const lsched_pack_problem *problem, const struct pack_wish *wish,
                   struct pack_result *out, lsched_error *err);
void pack_result_free(struct pack_result *result);

/* "ruin" for LSCHED_PACK_RUIN and so on; words of LSCHED_PACK_BY_*. */
const char *pack_method_word(uint32_t method);
const char *pack_bound_word(uint32_t bound);
/* Word i of the methods, for messages; NULL after the last. */
const char *pack_method_at(const void *list, size_t i);

#endif
