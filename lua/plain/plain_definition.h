/*
 * plain_definition.h -- reads the table that a policy text returns, from the syntax tree.
 *
 * The checks and their order are those of lua/host/lua_definition.c, and the messages that do not
 * depend on LuaJIT are equal. See plain_policy.h for what can be read.
 */
#ifndef LSCHED_PLAIN_DEFINITION_H
#define LSCHED_PLAIN_DEFINITION_H

#include "lua/front/lua_fault.h"
#include "lua/plain/plain_value.h"
#include "policy/policy.h"

struct plain_definition {
    const struct parse_tree *tree;
    const lsched_policy_opts *opts; /* can be NULL */
    struct policy_desc *desc;
    struct plain_params *params;
    struct fault *fault;
    uint32_t table; /* the constructor that the text returns */
};

/* Fills desc and params. Returns LSCHED_OK or the code of *fault. */
int32_t plain_definition_read(struct plain_definition *d);

#endif
