/* pack_inside.h -- a host's packing problem in the internal form, in one block of its own. */
#ifndef TESTS_PACK_INSIDE_H
#define TESTS_PACK_INSIDE_H

#include "pack/problem/problem.h"

struct pack_inside {
    struct pack_problem problem;
    void *block;
};

/* 0, or what pack_problem_check or _make says. Aborts without memory. */
int32_t pack_inside_make(struct pack_inside *inside, const lsched_pack_problem *in,
                         const lsched_pack_opts *opts, lsched_error *err);
void pack_inside_free(struct pack_inside *inside);

/* Memory of any `_new` of a solver: call it with *arena, then pack_inside_block and call again.
 * What pack_inside_block returns is freed by free(). */
void *pack_inside_block(struct pack_arena *arena);

#endif
