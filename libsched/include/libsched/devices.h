/*
 * devices.h -- the inner shape of nodes, and what a task can require of devices: sharing modes,
 * MIG, links, NUMA nodes, network cards, attributes.
 *
 * This header is a part of libsched.h, which includes it and states the rules for structs, batches
 * and errors.
 *
 * Sources of the rules: for MIG and MPS, NVIDIA's guides, with the placements that `nvidia-smi mig
 * -lgipp` prints; for kinds of links, `nvidia-smi topo -m`; for NUMA nodes, the kubelet's static
 * cpu policy; for device requests, Kubernetes' dynamic resource allocation.
 */
#ifndef LIBSCHED_DEVICES_H
#define LIBSCHED_DEVICES_H

#include <libsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- devices ---- */

#define LSCHED_DEVICES_PER_NODE_MAX 128
/* A node with more devices has no machine description (lsched_machine_desc): the best set of linked
 * devices comes from a table with a word for each set. Devices in share mode MIG must be among the
 * first LSCHED_MIG_INDEXES_MAX devices of their node. */
#define LSCHED_MACHINE_DEVICES_MAX 16
#define LSCHED_MIG_INDEXES_MAX     16
#define LSCHED_NUMA_PER_NODE_MAX   8
#define LSCHED_NICS_PER_NODE_MAX   16
#define LSCHED_ATTRIBUTES_MAX      32 /* greatest number of attributes of one device */
#define LSCHED_ALTERNATIVES_MAX    8  /* greatest number of alternatives of one leaf group */

/* A set of devices of one node is an array of LSCHED_DEVICE_WORDS words: device i is bit i % 64 of
 * word i / 64. `device_mask` in a struct is the short form of `device_words`: bit i is device i.
 * Where the library writes a set, the short form is 0 if the set has a device above 31; it is never a
 * part of the set. Then only device_words has the set, and device_milli, the share of each device,
 * is above 0. Where the orchestrator gives a set, it gives either of the two, or both if they are
 * equal. A struct of an older header has no device_words: a call that reads such a set into it
 * fails with LSCHED_E_RANGE. */
#define LSCHED_DEVICE_WORDS 2
/* Sets *mask to the short form of the set. Returns the number of devices. LSCHED_E_RANGE: the set has
 * a device above 31, which does not fit; *mask is 0. Both functions need no cluster; any thread can
 * call them. */
LSCHED_API int32_t lsched_device_mask(const uint64_t *device_words, uint32_t *mask,
                                      lsched_error *err);
/* Writes the indexes of the devices, the lowest first, and at most `capacity` of them. Returns the
 * number of devices, also if it is greater. LSCHED_E_NULL is the only error. */
LSCHED_API int32_t lsched_device_list(const uint64_t *device_words, uint32_t *indexes,
                                      size_t capacity, lsched_error *err);

/* Sharing mode of a device: how several tasks can use it, and what isolates them.
 *   WHOLE       one task at a time has the whole device
 *   FRACTION    tasks get shares; isolation is not guaranteed
 *   MIG         tasks get hardware instances: memory, compute and faults are isolated
 *   MPS         tasks get shares: their memory is limited; a fault can stop all of them
 *   TIME_SLICE  tasks get shares and take turns: no isolation */
enum lsched_sharing_mode {
    LSCHED_SHARING_WHOLE = 0,
    LSCHED_SHARING_FRACTION = 1,
    LSCHED_SHARING_MIG = 2,
    LSCHED_SHARING_MPS = 3,
    LSCHED_SHARING_TIME_SLICE = 4
};
/* Isolation that a task requires on its device:
 *   NONE    none
 *   MEMORY  other tasks cannot take the task's memory: MIG, MPS, or no other task on the device
 *   FULL    other tasks cannot harm the task in any way: MIG, or no other task on the device */
enum lsched_isolation {
    LSCHED_ISOLATE_NONE = 0,
    LSCHED_ISOLATE_MEMORY = 1,
    LSCHED_ISOLATE_FULL = 2
};

/* A MIG instance that exists on a device: its profile and its first memory slice. Frozen layout, no
 * size field. */
typedef struct lsched_mig_instance {
    lsched_text profile; /* such as "3g.40gb" */
    uint32_t start;
    uint32_t reserved_zero;
} lsched_mig_instance;

/* A number (`count`) of equal devices of a node. */
typedef struct lsched_device_desc {
    uint32_t size;
    uint32_t count;    /* number of devices; 0: one */
    lsched_text model; /* a name of 1 to 255 bytes; required */
    /* memory of each device; 0: unknown, and requests for device memory do not fit */
    int64_t memory_bytes;
    uint32_t share_mode; /* LSCHED_SHARING_* */
    uint32_t sm_count; /* streaming multiprocessors; 0: unknown, and requests for SMs do not fit */
    /* greatest sum of the memory limits of the device's tasks, in thousandths of its memory; 0:
     * 1000 */
    uint32_t memory_overcommit_milli;
    /* 1: only the instances in `instances` exist; the MIG layout never changes */
    uint32_t mig_static;
    /* MIG table of the device; empty: the library finds it by model and memory */
    lsched_text mig_table;
    const lsched_mig_instance *instances; /* MIG: instances that exist already, all idle */
    uint32_t n_instances;
    uint32_t n_attributes;
    /* attributes, which selectors read as device.attributes.<key>; a decimal number is read as a
     * number */
    const lsched_label *attributes;
} lsched_device_desc;

/* ---- machines ---- */

/* Kinds of connections between two devices, or a device and a network card, from the worst to the
 * best. The names are those of `nvidia-smi topo -m`. */
enum lsched_link_kind {
    LSCHED_LINK_NONE = 0,   /* connection unknown */
    LSCHED_LINK_SYS = 1,    /* through the interconnect between sockets */
    LSCHED_LINK_NODE = 2,   /* through PCIe host bridges of one NUMA node */
    LSCHED_LINK_PHB = 3,    /* through one PCIe host bridge */
    LSCHED_LINK_PXB = 4,    /* through several PCIe switches */
    LSCHED_LINK_PIX = 5,    /* through one PCIe switch */
    LSCHED_LINK_NVLINK = 6, /* direct NVLink, or a switch of NVLinks */
    LSCHED_LINK_SELF = 7
};
/* The connection between two devices, or a device and a network card. Frozen layout, no size
 * field. */
typedef struct lsched_link {
    uint16_t kind;                    /* LSCHED_LINK_* */
    uint16_t count;                   /* NVLINK: number of links; 0 and 1: one */
    uint32_t bandwidth_mb_per_second; /* bandwidth of one direction; 0: the default of the kind */
} lsched_link;

/* The cpu and memory of one NUMA node. Frozen layout, no size field. */
typedef struct lsched_numa_desc {
    int64_t cpu_milli;
    int64_t memory_bytes;
} lsched_numa_desc;
#define LSCHED_NO_NUMA 255u

/* The inner shape of a node. Matrices are stored row by row; `links` is symmetric. Devices are
 * numbered in the order of lsched_node_desc.devices; each element of that array stands for `count`
 * devices. */
typedef struct lsched_machine_desc {
    uint32_t size;
    uint32_t n_devices; /* size of the matrices; must be equal to the node's number of devices */
    const lsched_link *links; /* n_devices x n_devices; NULL: unknown */
    /* [n_devices] index of each device's NUMA node, or LSCHED_NO_NUMA; NULL: unknown */
    const uint8_t *device_numa;
    /* NUMA nodes; the sums of their cpu and memory must not exceed the node's capacity */
    const lsched_numa_desc *numa;
    const lsched_text *nics; /* names of network cards */
    const uint8_t *nic_numa; /* [n_nics] index of each network card's NUMA node; NULL: unknown */
    const lsched_link *nic_links; /* n_nics x n_devices; NULL: unknown */
    uint32_t n_numa;
    uint32_t n_nics;
} lsched_machine_desc;

/* ---- what a task asks for ---- */

/* Says whether cpu, memory, devices and network cards of a task must come from one NUMA node. */
enum lsched_numa_rule { LSCHED_NUMA_ANY = 0, LSCHED_NUMA_PREFERRED = 1, LSCHED_NUMA_REQUIRED = 2 };
/* Says which of the devices with enough room gets a task's share:
 *   AS_PLACED  the one that the placement strategy chooses
 *   SPREAD     of the devices in use, the one with the most room; an idle device if no device in
 *              use has room
 *   PACK       the one with the least room */
enum lsched_device_order {
    LSCHED_DEVICE_ORDER_AS_PLACED = 0,
    LSCHED_DEVICE_ORDER_SPREAD = 1,
    LSCHED_DEVICE_ORDER_PACK = 2
};
#define LSCHED_DEVICES_NONE 0xffffffffu

/* A request for the devices of one task. A leaf group has any number of device requests. If it has
 * none, the gpu amount and the device fields of lsched_group_desc describe the devices. Several
 * requests are alternatives: the library uses the first one that fits, and all tasks of the group
 * that run at one time have the same alternative. Alternatives are numbered in the order of the
 * requests, with one exception. If the MIG profile of a request has two sizes on the allowed models
 * (1g.10gb), the request counts as two alternatives, the smaller size first. */
typedef struct lsched_device_request {
    uint32_t size;
    /* number of devices per task; 0: 1; LSCHED_DEVICES_NONE: no device, only numa and nics */
    uint32_t devices;
    /* share of each device, 1 to 1000; 0: 1000, or what memory_bytes and SMs need */
    int64_t share_milli;
    int64_t memory_bytes;       /* device memory of each device; 0: in proportion to the share */
    int64_t memory_limit_bytes; /* greatest device memory that the task can use; 0: memory_bytes */
    uint32_t sm_count;          /* streaming multiprocessors of each device; 0: any number */
    uint32_t isolation;         /* LSCHED_ISOLATE_* */
    uint32_t order;             /* LSCHED_DEVICE_ORDER_* */
    uint32_t link; /* LSCHED_LINK_*: worst link that is allowed between two of the task's devices */
    uint32_t numa; /* LSCHED_NUMA_* */
    uint32_t nics; /* network cards that no other task uses, nearest to the task's devices */
    uint32_t n_models, n_match, n_distinct, reserved_zero;
    const lsched_text *models; /* any of these models is allowed; empty: any model */
    /* one instance of this profile per device; share, memory and SMs must be 0 */
    lsched_text mig_profile;
    /* Lua expression that must be true: "device.memory >= 40"; empty: any device */
    lsched_text selector;
    /* names of attributes that must be equal on all devices of the task */
    const lsched_text *match;
    /* names of attributes that must differ between all devices of the task */
    const lsched_text *distinct;
} lsched_device_request;

/* A MIG instance of a device of a node. */
typedef struct lsched_mig_instance_info {
    uint32_t size;
    uint32_t start;      /* its first memory slice */
    lsched_text profile; /* static text */
    uint32_t busy;       /* 1: a task holds the instance */
    uint32_t reserved_zero;
} lsched_mig_instance_info;
/* Writes the next MIG instance of a device of a node to *out, from the lowest slice on, and returns
 * 1; 0 after the last one. Before the first call, set *cursor to 0. Changes of the MIG layout that
 * open decisions request count as done. LSCHED_E_RANGE: the node has no such device. */
LSCHED_API int32_t lsched_mig_instances_next(const lsched_cluster *cluster, lsched_id node,
                                             uint32_t device, uint64_t *cursor,
                                             lsched_mig_instance_info *out, lsched_error *err);

/* ---- MIG tables and changes of the MIG layout: no cluster needed ---- */

/* One MIG profile of a table. Texts are static. */
typedef struct lsched_mig_profile {
    uint32_t size;
    uint32_t number; /* index in the table; profiles are sorted by ascending size */
    lsched_text name;
    /* usable memory of an instance; the real value depends on the driver by some MiB */
    int64_t memory_bytes;
    uint32_t slices;      /* number of memory slices, of 8 that a device has (A30: 4) */
    uint32_t compute;     /* number of compute slices, of 7 that a device has (A30: 4) */
    uint32_t starts;      /* mask: bit s is set if an instance can begin at memory slice s */
    uint32_t max;         /* greatest number of instances per device */
    uint32_t sm_count;    /* streaming multiprocessors; 0: unknown */
    uint32_t share_milli; /* share of the device that an instance counts for, in thousandths */
    uint32_t media; /* 1: the instance has the media engines, which exist once per device (+me) */
    uint32_t vendor_id; /* number of the profile in nvidia-smi */
} lsched_mig_profile;

/* The number of MIG tables, and the name of table i, NULL past the end. The text is static and
 * NUL-terminated. */
LSCHED_API size_t lsched_mig_tables_size(void);
LSCHED_API const char *lsched_mig_tables_at(size_t i);
/* Finds the MIG table of a device by its model ("NVIDIA H100 80GB HBM3") and memory (0: unknown).
 * LSCHED_E_NOENT: no table fits, or several do. */
LSCHED_API int32_t lsched_mig_table_find(lsched_text model, int64_t memory_bytes,
                                         lsched_text *table, lsched_error *err);
/* Returns the number of profiles of a table, 0 if there is no such table. */
LSCHED_API size_t lsched_mig_profiles_size(lsched_text table);
/* Writes profile i of a table to *out. LSCHED_E_NOENT: there is no such table or profile. */
LSCHED_API int32_t lsched_mig_profiles_at(lsched_text table, size_t i, lsched_mig_profile *out,
                                          lsched_error *err);

/* A device whose MIG layout can change: its instances, and the mask of those that are in use.
 * Frozen layout, no size field. */
typedef struct lsched_mig_device {
    const lsched_mig_instance *instances;
    uint32_t n_instances;
    uint32_t busy; /* bit i: instances[i] is in use and must stay */
} lsched_mig_device;
/* A number of wanted instances of one profile, on any of the devices. Frozen layout, no size
 * field. */
typedef struct lsched_mig_request {
    lsched_text profile;
    uint32_t count;
    uint32_t reserved_zero;
} lsched_mig_request;
/* Costs of creating and of destroying one instance; each must be at most 10^9. Frozen layout, no
 * size field. */
typedef struct lsched_mig_costs {
    uint32_t create, destroy;
} lsched_mig_costs;
enum lsched_mig_step_kind { LSCHED_MIG_DESTROY = 0, LSCHED_MIG_CREATE = 1, LSCHED_MIG_TAKE = 2 };
/* One step of a plan: destroy an idle instance, create an instance, or use an idle instance
 * unchanged. Frozen layout, no size field. */
typedef struct lsched_mig_step {
    uint32_t kind; /* LSCHED_MIG_* */
    uint32_t device;
    uint32_t start;
    uint32_t reserved_zero;
    lsched_text profile; /* static text */
} lsched_mig_step;
typedef struct lsched_mig_info {
    uint32_t size;
    uint32_t exact; /* 1: no plan costs less; 0: there were too many plans to try all of them */
    uint64_t cost;
} lsched_mig_info;
#define LSCHED_MIG_DEVICES_MAX 65536u

/* Computes the cheapest steps after which all wanted instances exist at one time in addition to the
 * busy instances. Steps are grouped by device, in an order in which the orchestrator can do them.
 * Writes at most `capacity` steps and returns their number, also if it is greater. LSCHED_E_STATE: no
 * steps lead to the wanted instances. costs NULL: 1 per instance created or destroyed; allocator
 * NULL: malloc; info can be NULL. */
LSCHED_API int32_t lsched_mig_plan(lsched_text table, const lsched_mig_device *devices, uint32_t n,
                                   const lsched_mig_request *requests, uint32_t n_requests,
                                   const lsched_mig_costs *costs, const lsched_allocator *allocator,
                                   lsched_mig_step *steps, uint32_t capacity, lsched_mig_info *info,
                                   lsched_error *err);

/* ---- memory pressure ---- */

/* A report of memory pressure: a task asked for more memory of a device than was free. The next
 * cycle chooses the tasks that must stop, by the policy's eviction.collision. Its decisions are
 * LSCHED_DECIDE_PAUSE, LSCHED_DECIDE_SUSPEND or LSCHED_DECIDE_EVICT; a later cycle decides
 * LSCHED_DECIDE_RESUME. */
typedef struct lsched_collision {
    uint32_t size;
    uint32_t device; /* index of the device on the node, from 0 */
    lsched_id node;  /* node's id, or 0 and node_name */
    lsched_text node_name;
    lsched_id job; /* job of the task that asked for memory; 0: unknown */
    uint32_t task_index;
    uint32_t reserved_zero;
    int64_t need_bytes; /* number of missing bytes; 0: unknown */
    int64_t at_us;      /* 0: the latest time seen */
} lsched_collision;
/* Reports memory pressure. Returns the number of reports that were taken. LSCHED_E_STATE: the job has
 * no task on the device; LSCHED_E_RANGE: the node has no such device; LSCHED_E_TIME. */
LSCHED_API int32_t lsched_collisions_report(lsched_cluster *cluster,
                                            const lsched_collision *collisions, size_t n,
                                            size_t elem_size, const lsched_batch_opts *opts,
                                            int32_t *status, lsched_error *err);

/* Values of lsched_task_info.memory_state: how a task is stopped because of memory pressure. */
enum lsched_memory_state {
    LSCHED_MEMORY_STATE_NORMAL = 0,
    LSCHED_MEMORY_STATE_PAUSED =
        1, /* the task keeps its place and is paused, or is asked to pause */
    LSCHED_MEMORY_STATE_SWAPPED =
        2, /* the task's device memory is swapped out, or is to be swapped out */
    LSCHED_MEMORY_STATE_RETURNING =
        4 /* in addition to PAUSED or SWAPPED: the task is asked to continue */
};

#ifdef __cplusplus
}
#endif

#include <libsched/device_health.h>
#include <libsched/foreign_use.h>

#endif
