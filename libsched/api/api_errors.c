/* api_errors.c -- texts of codes, versions, init functions. */
#include <string.h>

#include "api/args.h"

#define STRING2(x) #x
#define STRING(x)  STRING2(x)

LSCHED_API const char *lsched_version(void) {
    return STRING(LSCHED_VERSION_MAJOR) "." STRING(LSCHED_VERSION_MINOR) "." STRING(
        LSCHED_VERSION_PATCH);
}

LSCHED_API uint32_t lsched_semantics(void) {
    return LSCHED_SEMANTICS;
}

LSCHED_API const char *lsched_error_name(int32_t code) {
    switch (code) {
#define X(name, value, text) \
    case value:              \
        return #name;
#include <libsched/errors.def>
#undef X
    default: return code > 0 ? "OK" : "E_UNKNOWN";
    }
}

LSCHED_API const char *lsched_error_text(int32_t code) {
    switch (code) {
#define X(name, value, text) \
    case value:              \
        return text;
#include <libsched/errors.def>
#undef X
    default: return code > 0 ? "success" : "an error code that this version does not know";
    }
}

LSCHED_API void lsched_error_init(lsched_error *err, uint32_t size) {
    if (!err) return;
    lsched_error fresh = LSCHED_ERROR_INIT;
    fresh.size = size;
    memcpy(err, &fresh, size < sizeof fresh ? size : sizeof fresh);
}

#define DEFINE_INIT(function, type, initial)                             \
    LSCHED_API void function(type *desc, uint32_t size) {                \
        if (!desc) return;                                               \
        type fresh = initial;                                            \
        fresh.size = size;                                               \
        memset(desc, 0, size);                                           \
        memcpy(desc, &fresh, size < sizeof fresh ? size : sizeof fresh); \
    }

DEFINE_INIT(lsched_cluster_opts_init, lsched_cluster_opts, LSCHED_CLUSTER_OPTS_INIT)
DEFINE_INIT(lsched_node_desc_init, lsched_node_desc, LSCHED_NODE_DESC_INIT)
DEFINE_INIT(lsched_device_desc_init, lsched_device_desc, LSCHED_DEVICE_DESC_INIT)
DEFINE_INIT(lsched_device_request_init, lsched_device_request, LSCHED_DEVICE_REQUEST_INIT)
DEFINE_INIT(lsched_machine_desc_init, lsched_machine_desc, LSCHED_MACHINE_DESC_INIT)
DEFINE_INIT(lsched_pool_desc_init, lsched_pool_desc, LSCHED_POOL_DESC_INIT)
DEFINE_INIT(lsched_resource_part_init, lsched_resource_part, LSCHED_RESOURCE_PART_INIT)
DEFINE_INIT(lsched_queue_desc_init, lsched_queue_desc, LSCHED_QUEUE_DESC_INIT)
DEFINE_INIT(lsched_job_desc_init, lsched_job_desc, LSCHED_JOB_DESC_INIT)
DEFINE_INIT(lsched_group_desc_init, lsched_group_desc, LSCHED_GROUP_DESC_INIT)
DEFINE_INIT(lsched_policy_opts_init, lsched_policy_opts, LSCHED_POLICY_OPTS_INIT)
DEFINE_INIT(lsched_schedule_opts_init, lsched_schedule_opts, LSCHED_SCHEDULE_OPTS_INIT)
