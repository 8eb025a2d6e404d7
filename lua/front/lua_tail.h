/*
 * lua_tail.h -- finds the tail calls of a hook, such as `return calendar.hour(now)`. Lua drops the
 * caller of a tail call from the stack, so an error in the called function does not show the line
 * in the hook. Therefore the places of tail calls are recorded while the tree exists.
 */
#ifndef LSCHED_LUA_TAIL_H
#define LSCHED_LUA_TAIL_H

#include "lua/front/lua_parse.h"

enum { TAILS_MAX = 8 };

struct tails {
    uint32_t n; /* may be larger than TAILS_MAX */
    struct {
        uint32_t line, column;
        uint32_t at, len; /* position and length in bytes of the called expression in the text */
    } calls[TAILS_MAX];
};

/* Finds the tail calls of a function, and of functions of the text that it tail-calls. If
 * `function` is PARSE_NONE, it finds none. */
void tails_find(const struct parse_tree *tree, uint32_t function, struct tails *out);
/* Finds the place of the tail call that failed with this message: the only one, or the one with
 * whose name the message begins. Returns 0 if that is unknown. */
int tails_place(const struct tails *tails, const char *text, const char *message, uint32_t *line,
                uint32_t *column);

#endif
