/*
 * devices.h -- the inner shape of nodes and what a task may ask of their devices: modes of sharing,
 * MIG, links, NUMA nodes, network cards, attributes. Part of libsched.h, which includes it and
 * whose head states the rules for structs, batches and errors.
 *
 * Source of the rules: NVIDIA's MIG and MPS guides (placements as `nvidia-smi mig -lgipp` prints
 * them), `nvidia-smi topo -m` for kinds of links, the kubelet's static cpu policy for NUMA,
 * Kubernetes' dynamic resource allocation for claims.
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
#define LSCHED_ATTRIBUTES_MAX       32 /* of one device */
#define LSCHED_ALTERNATIVES_MAX     8  /* of one group of tasks */

/* How a device is given to several tasks, and what keeps them apart.
 *   WHOLE       to one task at a time
 *   FRACTION    in parts; nothing is promised about what keeps them apart
 *   MIG         in hardware instances: memory, compute and faults apart
 *   MPS         in parts: memory is capped, faults are shared
 *   TIME_SLICE  in parts that take turns: nothing is kept apart */
enum {
    LSCHED_SHARE_WHOLE = 0,
    LSCHED_SHARE_FRACTION = 1,
    LSCHED_SHARE_MIG = 2,
    LSCHED_SHARE_MPS = 3,
    LSCHED_SHARE_TIME_SLICE = 4
};
/* What a task wants of those that share its device: nothing; that they cannot take its memory (MIG,
 * MPS, or the device alone); that they cannot hurt it at all (MIG, or alone). */
enum { LSCHED_ISOLATE_NONE = 0, LSCHED_ISOLATE_MEMORY = 1, LSCHED_ISOLATE_FULL = 2 };

/* A MIG instance that exists on a device: its profile and the first of its memory slices.
 * Frozen. */
typedef struct lsched_mig_instance {
    lsched_text profile; /* "3g.40gb" */
    uint32_t start;
    uint32_t reserved_zero;
} lsched_mig_instance;

/* `count` equal accelerators. */
typedef struct lsched_device_desc {
    uint32_t size;
    uint32_t count; /* 0: one */
    lsched_text model;
    int64_t memory_bytes; /* per device; 0: unknown, then requests for device memory do not fit */
    uint32_t share_mode;  /* LSCHED_SHARE_* */
    uint32_t cores; /* streaming multiprocessors; 0: unknown, then requests for cores do not fit */
    uint32_t
        memory_overcommit_milli; /* the limits of tasks may add up to so much of the memory; 1000 and 0: to all of it */
    uint32_t mig_static;                  /* 1: never recut: only the instances given */
    lsched_text mig_table;                /* MIG; empty: what lsched_mig_table_of(model) says */
    const lsched_mig_instance *instances; /* MIG: that are there already, idle */
    uint32_t n_instances;
    uint32_t n_attributes;
    const lsched_label *
        attributes; /* what selectors read as device.attributes.<key>; a value that is a decimal number is one */
} lsched_device_desc;

/* ---- machines ---- */

/* How two devices, or a device and a network card, reach each other, worst to best; the words of
 * `nvidia-smi topo -m`. */
enum {
    LSCHED_LINK_NONE = 0,   /* unknown */
    LSCHED_LINK_SYS = 1,    /* over the interconnect between sockets */
    LSCHED_LINK_NODE = 2,   /* over host bridges of one NUMA node */
    LSCHED_LINK_PHB = 3,    /* over one host bridge */
    LSCHED_LINK_PXB = 4,    /* over several PCIe switches */
    LSCHED_LINK_PIX = 5,    /* over one PCIe switch */
    LSCHED_LINK_NVLINK = 6, /* direct links, or a switch of them */
    LSCHED_LINK_SELF = 7
};
/* Frozen. */
typedef struct lsched_link {
    uint16_t kind;                    /* LSCHED_LINK_* */
    uint16_t count;                   /* NVLINK: how many links; 0 and 1: one */
    uint32_t bandwidth_mb_per_second; /* one direction; 0: the default of the kind */
} lsched_link;

/* Frozen. */
typedef struct lsched_numa_desc {
    int64_t cpu_milli;
    int64_t memory_bytes;
} lsched_numa_desc;
#define LSCHED_NUMA_NONE 255u

/* What is inside a node. Matrices are row by row; that of devices is symmetric. Devices are
 * numbered as lsched_node_desc.devices gives them, counts unfolded. */
typedef struct lsched_machine_desc {
    uint32_t size;
    uint32_t n_devices;           /* of the matrices; must be that of the node */
    const lsched_link *links;     /* n_devices x n_devices; NULL: nothing is known */
    const uint8_t *device_numa;   /* n_devices, LSCHED_NUMA_NONE; NULL: none is known */
    const lsched_numa_desc *numa; /* sums of cpu and memory are at most the node's capacity */
    const lsched_text *nics;      /* names of network cards */
    const uint8_t *nic_numa;      /* n_nics; NULL: none is known */
    const lsched_link *nic_links; /* n_nics x n_devices; NULL: nothing is known */
    uint32_t n_numa;
    uint32_t n_nics;
} lsched_machine_desc;

/* ---- what a task asks for ---- */

/* Alignment of cpu, memory, devices and network cards to one NUMA node. */
enum { LSCHED_NUMA_ANY = 0, LSCHED_NUMA_PREFERRED = 1, LSCHED_NUMA_REQUIRED = 2 };
/* Which devices of the node that can hold a part take it: those that the placement chooses; of
 * those in use the emptiest, an idle one only where none of them has room; the fullest. */
enum { LSCHED_DEVICES_AS_PLACED = 0, LSCHED_DEVICES_SPREAD = 1, LSCHED_DEVICES_PACK = 2 };
#define LSCHED_DEVICES_NONE UINT32_MAX

/* The devices of one task. A group of tasks has none (then the gpu amount and the fields beside it
 * say all), one, or several: then they are alternatives, the first that can be had is taken, and
 * all tasks of the group that run at one time have the same. Alternatives are numbered as they are
 * given, but a request whose MIG profile has two sizes on the models that it allows (1g.10gb) is
 * two of them, the smaller first. */
typedef struct lsched_device_request {
    uint32_t size;
    uint32_t devices;     /* per task; 0: 1. LSCHED_DEVICES_NONE: none, numa and nics alone */
    int64_t share_milli;  /* of each device, 1..1000; 0: 1000, or what memory and cores come to */
    int64_t memory_bytes; /* of each device; 0: in proportion to the share */
    int64_t memory_limit_bytes; /* it may grow to so much; 0: memory_bytes */
    uint32_t cores;             /* of each device; 0: any number */
    uint32_t isolation;         /* LSCHED_ISOLATE_* */
    uint32_t order;             /* LSCHED_DEVICES_* */
    uint32_t link;              /* LSCHED_LINK_*: no worse between every two of its devices */
    uint32_t numa;              /* LSCHED_NUMA_* */
    uint32_t nics;              /* network cards for it alone, nearest to its devices */
    uint32_t n_models, n_match, n_distinct, reserved_zero;
    const lsched_text *models; /* any of these; none given: any model */
    lsched_text mig_profile;  /* an instance of it on each device; no share, memory or cores then */
    lsched_text selector;     /* Lua expression over `device`, "device.memory >= 40"; empty: any */
    const lsched_text *match; /* attributes that all its devices have alike */
    const lsched_text *distinct; /* attributes that no two of them have alike */
} lsched_device_request;

LSCHED_API void lsched_device_desc_init(lsched_device_desc *desc, uint32_t size);
LSCHED_API void lsched_device_request_init(lsched_device_request *request, uint32_t size);
LSCHED_API void lsched_machine_desc_init(lsched_machine_desc *desc, uint32_t size);

/* Instances that stand on a device of a node, from its lowest slice on: *cursor = 0 first; returns
 * 1, 0 at the end. busy: a task holds it (may be NULL). A placement that must cut counts as
 * done. */
LSCHED_API int32_t lsched_node_mig_next(const lsched_cluster *cluster, lsched_id node,
                                        uint32_t device, uint32_t *cursor, lsched_mig_instance *out,
                                        uint32_t *busy);

/* ---- MIG tables and recuts: no cluster needed ---- */

/* One profile of a table. Texts are static. */
typedef struct lsched_mig_profile {
    uint32_t size;
    uint32_t number; /* in its table, ascending in size */
    lsched_text name;
    int64_t memory_bytes; /* that an instance can use, about: drivers differ by some MiB */
    uint32_t slices;      /* memory slices of 8 (A30: 4) */
    uint32_t compute;     /* compute slices of 7 (A30: 4) */
    uint32_t starts;      /* bit s: an instance may begin at memory slice s */
    uint32_t max;         /* instances per device */
    uint32_t cores;       /* streaming multiprocessors; 0: not known */
    uint32_t share_milli; /* what an instance is charged of its device */
    uint32_t media;       /* 1: has the media engines that a device has once (+me) */
    uint32_t vendor_id;   /* as nvidia-smi numbers profiles */
} lsched_mig_profile;

/* Names of all tables; *cursor = 0 first; returns 1, 0 at the end. */
LSCHED_API int32_t lsched_mig_table_next(uint32_t *cursor, lsched_text *table);
/* The table of a device by its model ("NVIDIA H100 80GB HBM3") and memory (0: unknown).
 * LSCHED_E_NOENT: none, or several. */
LSCHED_API int32_t lsched_mig_table_find(const char *model, size_t model_len, int64_t memory_bytes,
                                         lsched_text *table, lsched_error *err);
/* Profile `number` of a table: 1, or 0 past the last. */
LSCHED_API int32_t lsched_mig_profile_get(const char *table, size_t table_len, uint32_t number,
                                          lsched_mig_profile *out, lsched_error *err);

/* A device that may be recut: what stands on it, and which of that is in use and stays. Frozen. */
typedef struct lsched_mig_device {
    const lsched_mig_instance *instances;
    uint32_t n_instances;
    uint32_t busy; /* bit i: instances[i] */
} lsched_mig_device;
/* So many instances of a profile, on whatever device. Frozen. */
typedef struct lsched_mig_wish {
    lsched_text profile;
    uint32_t count;
    uint32_t reserved_zero;
} lsched_mig_wish;
/* Of creating and of destroying one instance, at most 10^9. Frozen. */
typedef struct lsched_mig_costs {
    uint32_t create, destroy;
} lsched_mig_costs;
enum { LSCHED_MIG_DESTROY = 0, LSCHED_MIG_CREATE = 1, LSCHED_MIG_TAKE = 2 };
/* One step: destroy an idle instance, create one, or take an idle one as it is. Frozen. */
typedef struct lsched_mig_step {
    uint32_t kind; /* LSCHED_MIG_* */
    uint32_t device;
    uint32_t start;
    uint32_t reserved_zero;
    lsched_text profile; /* static */
} lsched_mig_step;
typedef struct lsched_mig_info {
    uint32_t size;
    uint32_t exact; /* 1: no plan costs less; 0: there were too many ways to try all */
    uint64_t cost;
} lsched_mig_info;
#define LSCHED_MIG_DEVICES_MAX 65536u

/* How to have all wishes at a time beside what is busy, at least cost (costs NULL: 1 and 1): steps
 * by device, each device's in an order in which they can be done. Returns their number, which may
 * pass `room`: then the rest is not written. LSCHED_E_STATE: it cannot be had. allocator NULL:
 * malloc; info may be NULL. */
LSCHED_API int32_t lsched_mig_plan(const char *table, size_t table_len,
                                   const lsched_mig_device *devices, uint32_t n,
                                   const lsched_mig_wish *wishes, uint32_t n_wishes,
                                   const lsched_mig_costs *costs, const lsched_allocator *allocator,
                                   lsched_mig_step *steps, uint32_t room, lsched_mig_info *info,
                                   lsched_error *err);

/* ---- memory that runs out ---- */

/* A device whose memory ran out: some task on it asked for more than was free. The next cycle
 * decides who gives way, and how, by the policy's eviction.collision: LSCHED_PAUSE, LSCHED_SUSPEND
 * or LSCHED_EVICT, later LSCHED_RESUME. */
typedef struct lsched_collision {
    uint32_t size;
    uint32_t device; /* of the node, from 0 */
    lsched_id node;  /* or by name */
    lsched_text node_name;
    lsched_id job; /* whose task asked; 0: not known */
    uint32_t task_index;
    uint32_t reserved_zero;
    int64_t need_bytes; /* so much is missing; 0: not known */
    int64_t at_us;      /* 0: the latest time seen */
} lsched_collision;
LSCHED_API int32_t lsched_collisions_report(lsched_cluster *cluster,
                                            const lsched_collision *collisions, size_t n,
                                            size_t elem_size, int32_t *status, lsched_error *err);

/* lsched_task_info.out */
enum {
    LSCHED_OUT_NOT = 0,
    LSCHED_OUT_PAUSED = 1,  /* it waits where it is, or is asked to */
    LSCHED_OUT_SWAPPED = 2, /* its memory is with the host, or is to go there */
    LSCHED_OUT_BACK = 4     /* added: it is asked to go on */
};

#ifdef __cplusplus
}
#endif
#endif
