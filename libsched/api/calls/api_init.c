/*
 * api_init.c -- functions that fill a struct of the public headers with its defaults, for languages
 * that cannot use the *_INIT macros.
 */
#include <libsched/libsched.h>

#include <string.h>

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
DEFINE_INIT(lsched_foreign_use_init, lsched_foreign_use, LSCHED_FOREIGN_USE_INIT)
DEFINE_INIT(lsched_refusal_init, lsched_refusal, LSCHED_REFUSAL_INIT)
DEFINE_INIT(lsched_device_update_init, lsched_device_update, LSCHED_DEVICE_UPDATE_INIT)
DEFINE_INIT(lsched_device_request_init, lsched_device_request, LSCHED_DEVICE_REQUEST_INIT)
DEFINE_INIT(lsched_machine_desc_init, lsched_machine_desc, LSCHED_MACHINE_DESC_INIT)
DEFINE_INIT(lsched_pool_desc_init, lsched_pool_desc, LSCHED_POOL_DESC_INIT)
DEFINE_INIT(lsched_resource_part_init, lsched_resource_part, LSCHED_RESOURCE_PART_INIT)
DEFINE_INIT(lsched_queue_desc_init, lsched_queue_desc, LSCHED_QUEUE_DESC_INIT)
DEFINE_INIT(lsched_job_desc_init, lsched_job_desc, LSCHED_JOB_DESC_INIT)
DEFINE_INIT(lsched_group_desc_init, lsched_group_desc, LSCHED_GROUP_DESC_INIT)
DEFINE_INIT(lsched_policy_opts_init, lsched_policy_opts, LSCHED_POLICY_OPTS_INIT)
DEFINE_INIT(lsched_schedule_opts_init, lsched_schedule_opts, LSCHED_SCHEDULE_OPTS_INIT)
DEFINE_INIT(lsched_would_start_opts_init, lsched_would_start_opts, LSCHED_WOULD_START_OPTS_INIT)
DEFINE_INIT(lsched_would_start_answer_init, lsched_would_start_answer,
            LSCHED_WOULD_START_ANSWER_INIT)
DEFINE_INIT(lsched_offer_init, lsched_offer, LSCHED_OFFER_INIT)
