/*
 * defaults.h -- short names of LSCHED_INIT (types.h) for the structs that programs fill in most often.
 *
 * libsched.h includes this header. LSCHED_INIT(type) makes the initializer of any other struct that
 * begins with `size`. Bindings call lsched_init() instead.
 */
#ifndef LIBSCHED_DEFAULTS_H
#define LIBSCHED_DEFAULTS_H

/* clang-format off */
#define LSCHED_BATCH_OPTS_INIT LSCHED_INIT(lsched_batch_opts)
#define LSCHED_CLUSTER_OPTS_INIT LSCHED_INIT(lsched_cluster_opts)
#define LSCHED_TOPOLOGY_DESC_INIT LSCHED_INIT(lsched_topology_desc)
#define LSCHED_DEVICE_DESC_INIT LSCHED_INIT(lsched_device_desc)
#define LSCHED_MACHINE_DESC_INIT LSCHED_INIT(lsched_machine_desc)
#define LSCHED_DEVICE_REQUEST_INIT LSCHED_INIT(lsched_device_request)
#define LSCHED_POOL_DESC_INIT LSCHED_INIT(lsched_pool_desc)
#define LSCHED_RESOURCE_PART_INIT LSCHED_INIT(lsched_resource_part)
#define LSCHED_NODE_DESC_INIT LSCHED_INIT(lsched_node_desc)
#define LSCHED_NODE_UPDATE_INIT LSCHED_INIT(lsched_node_update)
#define LSCHED_QUEUE_DESC_INIT LSCHED_INIT(lsched_queue_desc)
#define LSCHED_QUEUE_UPDATE_INIT LSCHED_INIT(lsched_queue_update)
#define LSCHED_SELECTOR_INIT LSCHED_INIT(lsched_selector)
#define LSCHED_DEMAND_STEP_INIT LSCHED_INIT(lsched_demand_step)
#define LSCHED_GROUP_DESC_INIT LSCHED_INIT(lsched_group_desc)
#define LSCHED_JOB_DESC_INIT LSCHED_INIT(lsched_job_desc)
#define LSCHED_FOREIGN_USE_INIT LSCHED_INIT(lsched_foreign_use)
#define LSCHED_REFUSAL_INIT LSCHED_INIT(lsched_refusal)
#define LSCHED_DEVICE_UPDATE_INIT LSCHED_INIT(lsched_device_update)
#define LSCHED_TASK_EVENT_INIT LSCHED_INIT(lsched_task_event)
#define LSCHED_TASK_IMPORT_INIT LSCHED_INIT(lsched_task_import)
#define LSCHED_USAGE_SAMPLE_INIT LSCHED_INIT(lsched_usage_sample)
#define LSCHED_COLLISION_INIT LSCHED_INIT(lsched_collision)
#define LSCHED_MIX_ENTRY_INIT LSCHED_INIT(lsched_mix_entry)
#define LSCHED_POLICY_OPTS_INIT LSCHED_INIT(lsched_policy_opts)
#define LSCHED_SCHEDULE_OPTS_INIT LSCHED_INIT(lsched_schedule_opts)
#define LSCHED_QUEUE_SHARE_INIT LSCHED_INIT(lsched_queue_share)
#define LSCHED_SETTLEMENT_INIT LSCHED_INIT(lsched_settlement)
#define LSCHED_SETTLE_REPORT_INIT LSCHED_INIT(lsched_settle_report)
/* clang-format on */

#endif
