/*
 * fields.h -- the table of the fields that a policy can read. The table is made from fields.def, so
 * that C, Lua and the docs get names, units and scopes from one place.
 */
#ifndef LIBSCHED_POLICY_FIELDS_H
#define LIBSCHED_POLICY_FIELDS_H

#include <stdint.h>

enum policy_object {
    POLICY_JOB,
    POLICY_QUEUE,
    POLICY_NODE,
    POLICY_CANDIDATE,
    POLICY_CLUSTER, /* there is only one cluster; its row is 0 */
    POLICY_OBJECTS
};
enum policy_type { POLICY_NUMBER, POLICY_TEXT, POLICY_BOOL, POLICY_LABELS };
enum policy_scope {
    POLICY_SCOPE_SHAPE,
    POLICY_SCOPE_CLASS,
    POLICY_SCOPE_EACH,
    POLICY_SCOPE_STATE,
    POLICY_SCOPE_NOW
};

/* The fields of all objects are numbered together, as fields.def says: from 0 on, without holes. An
 * object has at most 64 fields. The fields of an object need not have numbers in succession. */
enum policy_field {
#define X(number, object, id, name, type, unit, scope, text) POLICY_F_##object##_##id = number,
#include <libsched/fields.def>
#undef X
    /* the number of rows */
    POLICY_FIELDS = 0
#define X(number, object, id, name, type, unit, scope, text) +1
#include <libsched/fields.def>
#undef X
};

struct policy_field_info {
    const char *name;
    const char *unit;
    const char *text;
    uint8_t object, type, scope;
};
extern const struct policy_field_info policy_field_infos[POLICY_FIELDS];

#endif
