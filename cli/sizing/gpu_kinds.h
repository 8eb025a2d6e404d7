/*
 * gpu_kinds.h -- the kinds of GPUs that a cluster has: model, memory and MIG table, with the number
 * of devices of each kind, and the sizes that a job can have on a device of a kind.
 *
 * Kinds are in the order of the nodes' names. Two devices are of one kind if their model, memory,
 * number of streaming multiprocessors, mode and isolation are equal.
 */
#ifndef LSCHED_CLI_GPU_KINDS_H
#define LSCHED_CLI_GPU_KINDS_H

#include <stdbool.h>

#include <libsched/libsched.h>
#include <libsched/sizing.h>

enum { GPU_KINDS_MAX = 64, GPU_SHARES = 20, GPU_SIZES_MAX = GPU_SHARES + 1 };
#define GPU_MIB 1048576.0

struct gpu_kind {
    char *model;       /* owned */
    lsched_text table; /* static; empty: the devices have no MIG table */
    int64_t memory_bytes;
    uint32_t sm_count; /* 0: unknown */
    uint32_t mode;     /* LSCHED_SHARING_* */
    uint32_t isolates; /* LSCHED_ISOLATE_*: the most that a share has */
    uint32_t devices;
    lsched_mig_profile profiles[LSCHED_FORECAST_LAYOUT_PROFILES];
    uint32_t n_profiles;
};

/* A node with devices. */
struct gpu_node {
    lsched_id id;
    lsched_description *description; /* owned */
    uint32_t devices;
    uint8_t *kinds; /* owned; the kind of each device; GPU_KINDS_MAX: left out */
};

struct gpu_kinds {
    struct gpu_kind items[GPU_KINDS_MAX];
    size_t n;
    struct gpu_node *nodes; /* owned; by ascending id */
    size_t n_nodes;
    bool left_out; /* there are more kinds */
};

/* Reads the kinds. Further kinds beyond GPU_KINDS_MAX are left out. Returns 0 or a negative error
 * code. The caller calls gpu_kinds_free() in any case. */
int32_t gpu_kinds_read(const lsched_cluster *cluster, struct gpu_kinds *out, lsched_error *err);
void gpu_kinds_free(struct gpu_kinds *kinds);
/* Returns the index of a profile of the kind; UINT32_MAX if it has none of this name. */
uint32_t gpu_kind_profile(const struct gpu_kind *kind, lsched_text profile);

/* True if two kinds have the same MIG table. */
bool gpu_kinds_share_table(const struct gpu_kind *a, const struct gpu_kind *b);

/* Sizes that a job can have. The names of shares point into `names`. */
struct gpu_sizes {
    lsched_forecast_size items[GPU_SIZES_MAX];
    char names[GPU_SIZES_MAX][16];
    size_t n;
};
/* The profiles without media engines. Memory is in MiB, and compute is in compute slices. */
void gpu_sizes_profiles(const struct gpu_kind *kind, struct gpu_sizes *out);
/* Shares of 0.05, 0.1 ... 1, and last `own_milli` with `own_bytes` of memory (0: in proportion).
 * Memory is in MiB, compute in thousandths. by_memory: a size is named by its memory, which is a
 * whole number of MiB; otherwise by its share. */
void gpu_sizes_shares(const struct gpu_kind *kind, uint32_t own_milli, int64_t own_bytes,
                      bool by_memory, struct gpu_sizes *out);

#endif
