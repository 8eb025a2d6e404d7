/*
 * fields.c -- the table of the fields that a policy can read, made from fields.def, so that names,
 * units and scopes are in one place for C, Lua and the docs.
 */
#include "policy/policy.h"

const struct policy_field_info policy_field_infos[POLICY_FIELDS] = {
#define X(object, id, name, type, unit, scope, text) \
    {name, unit, text, POLICY_##object, POLICY_##type, POLICY_SCOPE_##scope},
#include <libsched/fields.def>
#undef X
};
