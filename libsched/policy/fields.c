/* fields.c -- see fields.h. */
#include "policy/fields.h"

const struct policy_field_info policy_field_infos[POLICY_FIELDS] = {
#define X(number, object, id, name, type, unit, scope, text) \
    [number] = {name, unit, text, POLICY_##object, POLICY_##type, POLICY_SCOPE_##scope},
#include <libsched/fields.def>
#undef X
};

/* Numbers without holes and without repetition have the sum 0 + 1 + ... + (n - 1). A number that is
 * used twice is an error of the initialiser above. */
#define X(number, object, id, name, type, unit, scope, text) +(number)
_Static_assert((0
#include <libsched/fields.def>
                ) == POLICY_FIELDS * (POLICY_FIELDS - 1) / 2,
               "the numbers of fields.def have a hole");
#undef X
_Static_assert(POLICY_FIELDS <= 128, "lsched_policy_hook_info.fields_read has 128 bits");
#define X(number, object, id, name, type, unit, scope, text) +(POLICY_##object == POLICY_JOB)
_Static_assert((0
#include <libsched/fields.def>
                ) <= 64,
               "an object has at most 64 fields");
#undef X
#define X(number, object, id, name, type, unit, scope, text) +(POLICY_##object == POLICY_QUEUE)
_Static_assert((0
#include <libsched/fields.def>
                ) <= 64,
               "an object has at most 64 fields");
#undef X
#define X(number, object, id, name, type, unit, scope, text) +(POLICY_##object == POLICY_NODE)
_Static_assert((0
#include <libsched/fields.def>
                ) <= 64,
               "an object has at most 64 fields");
#undef X
#define X(number, object, id, name, type, unit, scope, text) +(POLICY_##object == POLICY_CANDIDATE)
_Static_assert((0
#include <libsched/fields.def>
                ) <= 64,
               "an object has at most 64 fields");
#undef X
#define X(number, object, id, name, type, unit, scope, text) +(POLICY_##object == POLICY_CLUSTER)
_Static_assert((0
#include <libsched/fields.def>
                ) <= 64,
               "an object has at most 64 fields");
#undef X
