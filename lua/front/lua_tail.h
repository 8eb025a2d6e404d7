/*
 * lua_tail.h -- where a hook ends in a call: `return calendar.hour(now)` leaves no trace of its
 * line on the stack, because Lua drops the caller of a tail call. So an error in there could only
 * be said to be somewhere in the hook. These places are noted while the tree is there.
 */
#ifndef LSCHED_LUA_TAIL_H
#define LSCHED_LUA_TAIL_H

#include "lua/front/lua_parse.h"

enum { TAILS_MAX = 8 };

struct tails {
    uint32_t n; /* may be more than fit */
    struct {
        uint32_t line, column;
        uint32_t at, len; /* bytes of the text: what is called, as it is written */
    } calls[TAILS_MAX];
};

/* The tail calls of a function, and of functions of the text that it ends in. PARSE_NONE: none. */
void tails_find(const struct parse_tree *tree, uint32_t function, struct tails *out);
/* The place of the call that failed with this message: the only one, or the one whose name the
 * message begins with. 0: it cannot be told. */
int tails_place(const struct tails *tails, const char *text, const char *message, uint32_t *line,
                uint32_t *column);

#endif
