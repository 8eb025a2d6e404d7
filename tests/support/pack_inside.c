/* pack_inside.c -- see pack_inside.h. */
#include "support/pack_inside.h"

#include <stdlib.h>
#include <string.h>

#include "pack/problem/problem_check.h"

void *pack_inside_block(struct pack_arena *arena) {
    size_t bytes = (size_t)(arena->used / PACK_ARENA_ALIGN + 1) * PACK_ARENA_ALIGN;
    void *block = aligned_alloc(PACK_ARENA_ALIGN, bytes);
    if (!block) abort();
    memset(block, 0, bytes);
    *arena = (struct pack_arena){.base = block, .room = bytes};
    return block;
}

int32_t pack_inside_make(struct pack_inside *inside, const lsched_pack_problem *in,
                         const lsched_pack_opts *opts, lsched_error *err) {
    struct pack_arena arena = {0};
    struct pack_totals totals;
    memset(inside, 0, sizeof *inside);
    memset(&totals, 0, sizeof totals);
    int32_t rc = pack_problem_check(in, opts, &totals, err);
    if (rc == 0) rc = pack_problem_make(in, opts, &totals, &arena, &inside->problem, err);
    if (rc != 0) return rc;
    inside->block = pack_inside_block(&arena);
    memset(&inside->problem, 0, sizeof inside->problem);
    rc = pack_problem_make(in, opts, &totals, &arena, &inside->problem, err);
    if (rc != 0) pack_inside_free(inside);
    return rc;
}

void pack_inside_free(struct pack_inside *inside) {
    free(inside->block);
    memset(inside, 0, sizeof *inside);
}
