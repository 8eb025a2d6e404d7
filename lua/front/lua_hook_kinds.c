/* lua_hook_kinds.c -- see lua_hook_kinds.h. */
#include "lua/front/lua_hook_kinds.h"

/* Values for the object names that hooks.def uses. */
enum {
    TAKES_NONE = 0,
    TAKES_JOB = POLICY_JOB,
    TAKES_QUEUE = POLICY_QUEUE,
    TAKES_NODE = POLICY_NODE,
    TAKES_CANDIDATE = POLICY_CANDIDATE,
    TAKES_CLUSTER = POLICY_CLUSTER
};
/* HAS_x: number of second objects if hooks.def names x as the second object */
enum { HAS_NONE = 0, HAS_QUEUE = 1, HAS_NODE = 1, HAS_CANDIDATE = 1 };
enum { PER_ONE = 0, PER_EACH = 1 };

const struct hook_kind hook_kinds[POLICY_HOOKS] = {
#define LSCHED_X_HOOK(NAME, number, name, first, each, second, also, answer) \
    [number] = {#name,                                                       \
                1 + HAS_##second,                                            \
                {TAKES_##first, TAKES_##second},                             \
                {PER_##each, PER_##also},                                    \
                HOOK_GIVES_##answer},
#include <libsched/hooks.def>
};

const char *const object_names[POLICY_OBJECTS] = {"job", "queue", "node", "candidate", "cluster"};
