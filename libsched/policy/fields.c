/* fields.c -- see fields.h. */
#include "policy/fields.h"

const struct policy_field_info policy_field_infos[POLICY_FIELDS] = {
#define X(object, id, name, type, unit, scope, text) \
    {name, unit, text, POLICY_##object, POLICY_##type, POLICY_SCOPE_##scope},
#include <libsched/fields.def>
#undef X
};
