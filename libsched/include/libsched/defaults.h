/*
 * defaults.h -- *_INIT macros with the default values of the structs of libsched.h, for C.
 *
 * libsched.h includes this header. Bindings call the lsched_*_init() functions instead.
 */
#ifndef LIBSCHED_DEFAULTS_H
#define LIBSCHED_DEFAULTS_H

/* clang-format off */
#define LSCHED_BATCH_OPTS_INIT {sizeof(lsched_batch_opts), 0}
#define LSCHED_CLUSTER_OPTS_INIT {sizeof(lsched_cluster_opts), 0, NULL, 0, 0, 0, 0, 0, 0}
#define LSCHED_TOPOLOGY_DESC_INIT {sizeof(lsched_topology_desc), 0, {NULL, 0}, NULL, 0}
#define LSCHED_DEVICE_DESC_INIT {sizeof(lsched_device_desc), 0, {NULL, 0}, 0, 0, 0, 0, 0, {NULL, 0}, NULL, 0, 0, NULL}
#define LSCHED_MACHINE_DESC_INIT {sizeof(lsched_machine_desc), 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0}
#define LSCHED_DEVICE_REQUEST_INIT {sizeof(lsched_device_request), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
    NULL, {NULL, 0}, {NULL, 0}, NULL, NULL}
#define LSCHED_POOL_DESC_INIT {sizeof(lsched_pool_desc), 0, {NULL, 0}, NULL, 0}
#define LSCHED_RESOURCE_PART_INIT {sizeof(lsched_resource_part), 0, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}}
#define LSCHED_NODE_DESC_INIT {sizeof(lsched_node_desc), 0, 0, {NULL, 0}, NULL, 0, 0, NULL, \
    NULL, 0, sizeof(lsched_device_desc), 0, 0, NULL, NULL, 0, 0}
#define LSCHED_NODE_UPDATE_INIT {sizeof(lsched_node_update), 0, 0, {NULL, 0}, 0, 0, NULL, 0, 0, NULL, NULL, 0, 0, 0, 0, NULL, 0, 0}
#define LSCHED_QUEUE_DESC_INIT {sizeof(lsched_queue_desc), 0, 0, {NULL, 0}, 0, {NULL, 0}, NULL, \
    NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, 0, 0, 0, 0}
#define LSCHED_QUEUE_UPDATE_INIT {sizeof(lsched_queue_update), 0, 0, {NULL, 0}, 0, NULL, NULL, NULL, NULL, \
    NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
#define LSCHED_SELECTOR_INIT {sizeof(lsched_selector), 0, {NULL, 0}, NULL}
#define LSCHED_DEMAND_STEP_INIT {sizeof(lsched_demand_step), 0, 0, 0}
#define LSCHED_GROUP_DESC_INIT {sizeof(lsched_group_desc), 0, {NULL, 0}, 0, 0, 0, 0, NULL, 0, 0, \
    NULL, NULL, 0, sizeof(lsched_selector), 0, {NULL, 0}, {NULL, 0}, {NULL, 0}, NULL, 0, \
    sizeof(lsched_demand_step), {NULL, 0}, 0, 0, NULL, NULL, 0, 0, sizeof(lsched_device_request), 0, 0, 0, \
    NULL, NULL, NULL, 0}
#define LSCHED_JOB_DESC_INIT {sizeof(lsched_job_desc), 0, 0, {NULL, 0}, 0, {NULL, 0}, NULL, 0, \
    sizeof(lsched_group_desc), 0, 0, 0, 0, 0, 0, 0, {NULL, 0}, {NULL, 0}, 0, 0, 0, 0, 0, 0, 0, NULL, 0, 0}
#define LSCHED_FOREIGN_USE_INIT {sizeof(lsched_foreign_use), 0, 0, {NULL, 0}, NULL, 0, 0}
#define LSCHED_REFUSAL_INIT {sizeof(lsched_refusal), 0, 0, {NULL, 0}, {NULL, 0}, {NULL, 0}}
#define LSCHED_DEVICE_UPDATE_INIT {sizeof(lsched_device_update), 0, 0, {NULL, 0}, 0, 0, NULL, 0, 0}
#define LSCHED_TASK_EVENT_INIT {sizeof(lsched_task_event), 0, 0, 0, 0, 0, 0, {NULL, 0}, 0, 0, 0, 0, 0}
#define LSCHED_TASK_IMPORT_INIT {sizeof(lsched_task_import), 0, 0, {NULL, 0}, 0, {NULL, 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0}
#define LSCHED_USAGE_SAMPLE_INIT {sizeof(lsched_usage_sample), 0, 0, 0, 0, 0, 0}
#define LSCHED_COLLISION_INIT {sizeof(lsched_collision), 0, 0, {NULL, 0}, 0, 0, 0, 0, 0}
#define LSCHED_MIX_ENTRY_INIT {sizeof(lsched_mix_entry), 0, NULL, 0}
#define LSCHED_POLICY_OPTS_INIT {sizeof(lsched_policy_opts), 0, NULL, 0, 0, 0, 0, 0}
#define LSCHED_SCHEDULE_OPTS_INIT {sizeof(lsched_schedule_opts), 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL}
#define LSCHED_QUEUE_SHARE_INIT {sizeof(lsched_queue_share), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
#define LSCHED_SETTLEMENT_INIT {sizeof(lsched_settlement), 0, 0, {NULL, 0}, NULL}
#define LSCHED_SETTLE_REPORT_INIT {sizeof(lsched_settle_report), 0, NULL, 0, 0}
#define LSCHED_PACK_OPTS_INIT {sizeof(lsched_pack_opts), 0, 0, 0, 0, 0, 0, 0, 0, NULL}
#define LSCHED_PACK_RESOURCE_INIT {sizeof(lsched_pack_resource), 0, {NULL, 0}, 0, 0, 0}
#define LSCHED_PACK_CLASS_INIT {sizeof(lsched_pack_class), 1, {NULL, 0}, NULL, {NULL, 0}, 0, 0, 0, 0, 0, 0}
#define LSCHED_PACK_CONFIG_INIT {sizeof(lsched_pack_config), 0, 0, 0, 0, NULL, NULL, {NULL, 0}, 0}
#define LSCHED_PACK_ITEM_INIT {sizeof(lsched_pack_item), 0, {NULL, 0}, 0, INT64_MAX, INT64_MAX, 0, 0, 0, \
    NULL, 0, 0, 0, 0, NULL, NULL, 0, 0, INT64_MIN, 0}
#define LSCHED_PACK_RESERVATION_INIT {sizeof(lsched_pack_reservation), 0, 0, INT64_MAX, NULL, 0, 0}
#define LSCHED_PACK_PROBLEM_INIT {sizeof(lsched_pack_problem), 0, NULL, NULL, NULL, NULL, 0, 0, 0, 0, NULL, 0, 0, \
    sizeof(lsched_pack_resource), sizeof(lsched_pack_class), sizeof(lsched_pack_item), sizeof(lsched_pack_config), \
    sizeof(lsched_pack_reservation), 0}
#define LSCHED_PACK_INFO_INIT {sizeof(lsched_pack_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
/* clang-format on */

#endif
