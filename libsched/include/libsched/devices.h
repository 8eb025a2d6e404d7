/*
 * devices.h -- the inner shape of nodes, and what a task can require of devices: sharing modes,
 * MIG, links, NUMA nodes, network cards, attributes.
 *
 * Part of libsched.h, which includes this header and states the rules for structs, batches and
 * errors.
 *
 * Source of the rules: NVIDIA's MIG and MPS guides (placements as `nvidia-smi mig -lgipp` prints
 * them), `nvidia-smi topo -m` for kinds of links, the kubelet's static cpu policy for NUMA,
 * Kubernetes' dynamic resource allocation for device claims.
 */
#ifndef LIBSCHED_DEVICES_H
#define LIBSCHED_DEVICES_H

#include <libsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- devices ---- */

#define LSCHED_DEVICES_PER_NODE_MAX 16
#define LSCHED_NUMA_PER_NODE_MAX    8
#define LSCHED_NICS_PER_NODE_MAX    16
#define LSCHED_ATTRIBUTES_MAX       32 /* attributes of one device */
#define LSCHED_ALTERNATIVES_MAX     8  /* alternatives of one group of tasks */

/* Sharing mode of a device: how several tasks get it, and what isolates them.
 *   WHOLE       one task at a time
 *   FRACTION    shares; no promise about isolation
 *   MIG         hardware instances: memory, compute and faults are isolated
 *   MPS         shares: memory is capped, faults are shared
 *   TIME_SLICE  shares that take turns: no isolation */
enum {
    LSCHED_SHARE_WHOLE = 0,
    LSCHED_SHARE_FRACTION = 1,
    LSCHED_SHARE_MIG = 2,
    LSCHED_SHARE_MPS = 3,
    LSCHED_SHARE_TIME_SLICE = 4
};
/* Isolation that a task requires on its device. NONE: nothing. MEMORY: other tasks cannot take its
 * memory (MIG, MPS, or the device alone). FULL: other tasks cannot harm it at all (MIG, or the
 * device alone). */
enum { LSCHED_ISOLATE_NONE = 0, LSCHED_ISOLATE_MEMORY = 1, LSCHED_ISOLATE_FULL = 2 };

/* A MIG instance that exists on a device: its profile and its first memory slice. Frozen layout, no
 * size field. */
typedef struct lsched_mig_instance {
    lsched_text profile; /* such as "3g.40gb" */
    uint32_t start;
    uint32_t reserved_zero;
} lsched_mig_instance;

/* `count` equal devices. */
typedef struct lsched_device_desc {
    uint32_t size;
    uint32_t count; /* number of devices; 0: one */
    lsched_text model;
    int64_t memory_bytes; /* per device; 0: unknown, and requests for device memory do not fit */
    uint32_t share_mode;  /* LSCHED_SHARE_* */
    uint32_t cores; /* streaming multiprocessors; 0: unknown, and requests for cores do not fit */
    /* bound for the sum of the tasks' memory limits, in thousandths of the memory; 0: 1000 */
    uint32_t memory_overcommit_milli;
    uint32_t mig_static;   /* 1: only the given instances exist; the layout is never changed */
    lsched_text mig_table; /* MIG table of the device; empty: found by model and memory */
    const lsched_mig_instance *instances; /* MIG: instances that exist already, all idle */
    uint32_t n_instances;
    uint32_t n_attributes;
    /* read by selectors as device.attributes.<key>; a decimal number is read as a number */
    const lsched_label *attributes;
} lsched_device_desc;

/* ---- machines ---- */

/* How two devices, or a device and a network card, are connected, worst to best; the words of
 * `nvidia-smi topo -m`. */
enum {
    LSCHED_LINK_NONE = 0,   /* connection unknown */
    LSCHED_LINK_SYS = 1,    /* through the interconnect between sockets */
    LSCHED_LINK_NODE = 2,   /* through PCIe host bridges of one NUMA node */
    LSCHED_LINK_PHB = 3,    /* through one PCIe host bridge */
    LSCHED_LINK_PXB = 4,    /* through several PCIe switches */
    LSCHED_LINK_PIX = 5,    /* through one PCIe switch */
    LSCHED_LINK_NVLINK = 6, /* direct NVLink, or a switch of NVLinks */
    LSCHED_LINK_SELF = 7
};
/* How two devices, or a device and a network card, are connected. Frozen layout, no size field. */
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
#define LSCHED_NUMA_NONE 255u

/* The inner shape of a node. Matrices are stored row by row; the matrix of devices is symmetric.
 * Devices are numbered as in lsched_node_desc.devices, each element counted `count` times. */
typedef struct lsched_machine_desc {
    uint32_t size;
    uint32_t n_devices;         /* of the matrices; must equal the node's number of devices */
    const lsched_link *links;   /* n_devices x n_devices; NULL: unknown */
    const uint8_t *device_numa; /* n_devices numbers, or LSCHED_NUMA_NONE; NULL: unknown */
    /* the sums of cpu and memory must not exceed the node's capacity */
    const lsched_numa_desc *numa;
    const lsched_text *nics;      /* names of network cards */
    const uint8_t *nic_numa;      /* n_nics numbers; NULL: unknown */
    const lsched_link *nic_links; /* n_nics x n_devices; NULL: unknown */
    uint32_t n_numa;
    uint32_t n_nics;
} lsched_machine_desc;

/* ---- what a task asks for ---- */

/* Whether cpu, memory, devices and network cards of a task must come from one NUMA node. */
enum { LSCHED_NUMA_ANY = 0, LSCHED_NUMA_PREFERRED = 1, LSCHED_NUMA_REQUIRED = 2 };
/* Which of the devices with enough room take a share. AS_PLACED: the placement chooses. SPREAD: the
 * device with the most room among those in use; an idle device only if none of these has room.
 * PACK: the device with the least room. */
enum { LSCHED_DEVICES_AS_PLACED = 0, LSCHED_DEVICES_SPREAD = 1, LSCHED_DEVICES_PACK = 2 };
#define LSCHED_DEVICES_NONE UINT32_MAX

/* The devices of one task. A group of tasks has no such request (then the gpu amount and the fields
 * beside it describe the devices), one request, or several. Several requests are alternatives: the
 * first one that fits is taken, and all tasks of the group that run at one time have the same
 * alternative. Alternatives are numbered in the given order, with one exception: if the MIG profile
 * of a request has two sizes on the allowed models (1g.10gb), the request counts as two
 * alternatives, the smaller size first. */
typedef struct lsched_device_request {
    uint32_t size;
    uint32_t devices;     /* per task; 0: 1. LSCHED_DEVICES_NONE: no device, only numa and nics */
    int64_t share_milli;  /* of each device, 1..1000; 0: 1000, or as memory and cores require */
    int64_t memory_bytes; /* device memory of each device; 0: in proportion to the share */
    int64_t memory_limit_bytes; /* the memory can grow to this size; 0: memory_bytes */
    uint32_t cores;             /* streaming multiprocessors of each device; 0: any number */
    uint32_t isolation;         /* LSCHED_ISOLATE_* */
    uint32_t order;             /* LSCHED_DEVICES_* */
    uint32_t link; /* LSCHED_LINK_*: worst allowed link between any two of its devices */
    uint32_t numa; /* LSCHED_NUMA_* */
    uint32_t nics; /* network cards for this task alone, nearest to its devices */
    uint32_t n_models, n_match, n_distinct, reserved_zero;
    const lsched_text *models; /* any of these models is allowed; empty: any model */
    lsched_text mig_profile;  /* one instance of it per device; share, memory and cores must be 0 */
    lsched_text selector;     /* Lua expression over `device`: "device.memory >= 40"; empty: any */
    const lsched_text *match; /* attributes that must be equal on all devices of the task */
    const lsched_text *distinct; /* attributes that must differ between all devices of the task */
} lsched_device_request;

LSCHED_API void lsched_device_desc_init(lsched_device_desc *desc, uint32_t size);
LSCHED_API void lsched_device_request_init(lsched_device_request *request, uint32_t size);
LSCHED_API void lsched_machine_desc_init(lsched_machine_desc *desc, uint32_t size);

/* Gives the MIG instances on a device of a node, from the lowest slice on: returns 1, 0 at the end.
 * Set *cursor to 0 before the first call. *busy: 1 if a task holds the instance (busy can be NULL).
 * Changes of the MIG layout by open placements count as done. */
LSCHED_API int32_t lsched_node_mig_next(const lsched_cluster *cluster, lsched_id node,
                                        uint32_t device, uint32_t *cursor, lsched_mig_instance *out,
                                        uint32_t *busy);

/* ---- MIG tables and changes of the MIG layout: no cluster needed ---- */

/* One MIG profile of a table. Texts are static. */
typedef struct lsched_mig_profile {
    uint32_t size;
    uint32_t number; /* number in the table; sizes ascend */
    lsched_text name;
    int64_t memory_bytes; /* usable memory of an instance; drivers differ by some MiB */
    uint32_t slices;      /* memory slices, of 8 per device (A30: 4) */
    uint32_t compute;     /* compute slices, of 7 per device (A30: 4) */
    uint32_t starts;      /* bit s: an instance can begin at memory slice s */
    uint32_t max;         /* largest number of instances per device */
    uint32_t cores;       /* streaming multiprocessors; 0: unknown */
    uint32_t share_milli; /* thousandths of the device that an instance is charged */
    uint32_t media;       /* 1: has the media engines, which exist once per device (+me) */
    uint32_t vendor_id;   /* profile number of nvidia-smi */
} lsched_mig_profile;

/* Gives the names of all MIG tables: returns 1, 0 at the end. Set *cursor to 0 before the first
 * call. */
LSCHED_API int32_t lsched_mig_table_next(uint32_t *cursor, lsched_text *table);
/* Finds the MIG table of a device by its model ("NVIDIA H100 80GB HBM3") and memory (0: unknown).
 * LSCHED_E_NOENT: no table, or several. */
LSCHED_API int32_t lsched_mig_table_find(const char *model, size_t model_len, int64_t memory_bytes,
                                         lsched_text *table, lsched_error *err);
/* Gives profile `number` of a table: returns 1, or 0 past the last. */
LSCHED_API int32_t lsched_mig_profile_get(const char *table, size_t table_len, uint32_t number,
                                          lsched_mig_profile *out, lsched_error *err);

/* A device whose MIG layout can change: its instances, and which of these are in use and stay.
 * Frozen layout, no size field. */
typedef struct lsched_mig_device {
    const lsched_mig_instance *instances;
    uint32_t n_instances;
    uint32_t busy; /* bit i: instances[i] is in use */
} lsched_mig_device;
/* A wanted number of instances of one profile, on any devices. Frozen layout, no size field. */
typedef struct lsched_mig_wish {
    lsched_text profile;
    uint32_t count;
    uint32_t reserved_zero;
} lsched_mig_wish;
/* Costs of creating and of destroying one instance, at most 10^9 each. Frozen layout, no size
 * field. */
typedef struct lsched_mig_costs {
    uint32_t create, destroy;
} lsched_mig_costs;
enum { LSCHED_MIG_DESTROY = 0, LSCHED_MIG_CREATE = 1, LSCHED_MIG_TAKE = 2 };
/* One step: destroy an idle instance, create an instance, or take an idle instance unchanged.
 * Frozen layout, no size field. */
typedef struct lsched_mig_step {
    uint32_t kind; /* LSCHED_MIG_* */
    uint32_t device;
    uint32_t start;
    uint32_t reserved_zero;
    lsched_text profile; /* static text */
} lsched_mig_step;
typedef struct lsched_mig_info {
    uint32_t size;
    uint32_t exact; /* 1: no plan costs less; 0: there were too many ways to try all of them */
    uint64_t cost;
} lsched_mig_info;
#define LSCHED_MIG_DEVICES_MAX 65536u

/* Computes the cheapest steps after which all wanted instances exist at one time beside the busy
 * instances (costs NULL: 1 per step). Steps are grouped by device, in an order in which they can be
 * done. Returns the number of steps; steps beyond `room` are not written. LSCHED_E_STATE: no steps
 * reach this. allocator NULL: malloc; info can be NULL. */
LSCHED_API int32_t lsched_mig_plan(const char *table, size_t table_len,
                                   const lsched_mig_device *devices, uint32_t n,
                                   const lsched_mig_wish *wishes, uint32_t n_wishes,
                                   const lsched_mig_costs *costs, const lsched_allocator *allocator,
                                   lsched_mig_step *steps, uint32_t room, lsched_mig_info *info,
                                   lsched_error *err);

/* ---- memory pressure ---- */

/* A report that the memory of a device ran out: a task asked for more than was free. The next cycle
 * chooses the tasks that must yield, by the policy's eviction.collision. It decides LSCHED_PAUSE,
 * LSCHED_SUSPEND or LSCHED_EVICT, and later LSCHED_RESUME. */
typedef struct lsched_collision {
    uint32_t size;
    uint32_t device; /* index on the node, from 0 */
    lsched_id node;  /* id, or 0 and node_name */
    lsched_text node_name;
    lsched_id job; /* job of the task that asked; 0: unknown */
    uint32_t task_index;
    uint32_t reserved_zero;
    int64_t need_bytes; /* missing bytes; 0: unknown */
    int64_t at_us;      /* 0: the latest time seen */
} lsched_collision;
LSCHED_API int32_t lsched_collisions_report(lsched_cluster *cluster,
                                            const lsched_collision *collisions, size_t n,
                                            size_t elem_size, int32_t *status, lsched_error *err);

/* Values of lsched_task_info.out */
enum {
    LSCHED_OUT_NOT = 0,
    LSCHED_OUT_PAUSED = 1,  /* the task is stopped in place, or is asked to stop there */
    LSCHED_OUT_SWAPPED = 2, /* its device memory is swapped out, or is to be */
    LSCHED_OUT_BACK = 4     /* added to one of these: the task is asked to continue */
};

#ifdef __cplusplus
}
#endif
#endif
