/*
 * lua_tail.h -- finds the tail calls of a hook, such as `return calendar.hour(now)`. Lua drops the
 * caller of a tail call from the stack, so an error in the called function does not show the line
 * in the hook. Therefore the positions of tail calls are recorded while the tree exists, and an
 * error in the called function is reported at the tail call.
 */
#ifndef LSCHED_LUA_TAIL_H
#define LSCHED_LUA_TAIL_H

#include "lua/front/lua_tree.h"

enum { TAILS_MAX = 8 };

struct tails {
    /* number of tail calls found; can be larger than TAILS_MAX, the number of recorded tail
     * calls */
    uint32_t n;
    struct {
        uint32_t line, column;
        uint32_t at, len; /* position and length in bytes of the called expression */
    } calls[TAILS_MAX];
};

/* Finds the tail calls of a function, and those of functions of the policy text that it tail-calls.
 * If `function` is PARSE_NONE, out->n becomes 0. */
void tails_find(const struct parse_tree *tree, uint32_t function, struct tails *out);
/* Finds the position of the tail call that failed with this error message. If there is only one
 * tail call, it is that one. If there are several, it is the one whose function's name begins the
 * message. Returns 0 if the tail call cannot be determined. */
int tails_place(const struct tails *tails, const char *text, const char *message, uint32_t *line,
                uint32_t *column);

#endif
