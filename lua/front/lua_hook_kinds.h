/*
 * lua_hook_kinds.h -- the names, arguments and results of hooks, and the names of the objects that
 * hooks get. Both tables are constant. They are generated from hooks.def and the enums of policy.h.
 */
#ifndef LSCHED_LUA_HOOK_KINDS_H
#define LSCHED_LUA_HOOK_KINDS_H

#include "policy/policy.h"

enum { HOST_HOOK_OBJECTS = 2 };

/* The sort of result that a hook returns: the last column of hooks.def. */
enum hook_answer {
    HOOK_GIVES_NUMBER,
    HOOK_GIVES_NUMBER_OR_NIL,
    HOOK_GIVES_TRUTH,
    HOOK_GIVES_TRUTH_OR_NIL,
    HOOK_GIVES_AMOUNTS,
    HOOK_GIVES_ADMISSION,
    HOOK_GIVES_WORD,
    HOOK_GIVES_WORDS
};

/* The name, arguments and result of one hook. The index in hook_kinds[] is the bit number of the
 * hook's LSCHED_HOOK_* constant. */
struct hook_kind {
    const char *name;
    uint32_t n_objects;
    uint8_t objects[HOST_HOOK_OBJECTS];
    uint8_t per_row[HOST_HOOK_OBJECTS];
    enum hook_answer answer;
};
extern const struct hook_kind hook_kinds[POLICY_HOOKS];

extern const char *const object_names[POLICY_OBJECTS];

#endif
