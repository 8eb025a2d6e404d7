/*
 * case_form.c -- see case_form.h. The pool is a list of blocks, one per request: a case makes some hundred of them, so
 * nothing cleverer would be felt.
 */
#include "case_form.h"

#include <stdio.h>
#include <stdlib.h>

struct pool_block {
    struct pool_block *before;
    max_align_t bytes[];
};

const char *task_state_name(enum task_state state) {
    static const char *const names[TASK_STATES] = {
        [TASK_PENDING] = "pending",     [TASK_RUNNING] = "running",
        [TASK_RELEASING] = "releasing", [TASK_STUCK] = "stuck_releasing",
        [TASK_FAILED] = "failed",       [TASK_FINISHED] = "finished",
        [TASK_PLACED] = "placed",       [TASK_NOMINATED] = "nominated",
        [TASK_EVICTED] = "evicted"};
    return names[state];
}

void *pool_take(struct pool *pool, size_t n, size_t size) {
    struct pool_block *block = calloc(1, sizeof *block + (n ? n : 1) * size);
    if (!block) {
        fprintf(stderr, "conformance: out of memory\n");
        exit(2);
    }
    block->before = pool->last;
    pool->last = block;
    return block->bytes;
}

void pool_drop(struct pool *pool) {
    while (pool->last) {
        struct pool_block *before = pool->last->before;
        free(pool->last);
        pool->last = before;
    }
}
