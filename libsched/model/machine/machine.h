/*
 * machine.h -- what is inside a node: links between devices, NUMA nodes, network cards.
 *
 * The inner shape is interned in MACHINE (canonical bytes: machine_shape.h) and held by the node's
 * class, so equal nodes share it. Decoded, with its table of links, it stands in a cache beside the
 * columns: what is not there, or finds no memory, is decoded again and answers the same.
 *
 * Invariant: CPU_FREE and MEM_FREE of a NUMA node = what it has - what the tasks that are pinned to
 * it ask for (a task pinned to several counts in equal parts); COMING as on the node. Tasks that
 * float count on the node alone. NICS = the network cards that
 * its tasks hold; which of them come back or are claimed is seen from the tasks, of which there are
 * few: a mask cannot count.
 */
#ifndef LIBSCHED_MACHINE_H
#define LIBSCHED_MACHINE_H

#include "model/machine/machine_shape.h"
#include "model/shapes/placement.h"

/* Row of MACHINE, NO_ROW if nothing is known of the node's inside. */
static inline uint32_t node_machine(const struct columns *k, uint32_t node) {
    return k->c[C_CLASS_MACHINE].u32[k->c[C_NODE_CLASS].u32[node]];
}
/* Rows of its block in NUMA: its NUMA nodes, or one for its network cards alone. */
static inline uint32_t machine_numa_rows(const struct columns *k, uint32_t node) {
    uint32_t m = node_machine(k, node);
    if (m == NO_ROW) return 0;
    uint32_t n = k->c[C_MACHINE_N_NUMA].u8[m];
    return n ? n : k->c[C_MACHINE_N_NICS].u8[m] != 0;
}

struct machine {
    uint64_t serial;
    struct machine_shape s; /* without names */
    uint32_t numa_devices[MACHINE_NUMA], numa_nics[MACHINE_NUMA];
    struct link_table table;
    struct alloc *alloc; /* NULL: not cached, its table has no rows */
};

struct machine_cache;
int32_t machine_cache_open(struct columns *k);
void machine_cache_close(struct columns *k);
/* Forget everything: the columns are another state now. */
void machine_cache_clear(const struct columns *k);
/* A row whose machine in the cache is not what its bytes say; NO_ROW if there is none. */
uint32_t machine_cache_wrong(const struct columns *k);
/* True if what tables in the cache hold is what is counted, which bounds it. */
int machine_cache_is_counted(const struct columns *k);

/* The machine of a row, in the cache or in *spare. */
struct machine *machine_get(const struct columns *k, uint32_t row, struct machine *spare);
/* As link_pick(); makes the row of the table. */
uint32_t machine_pick(const struct columns *k, struct machine *m, uint32_t n, uint8_t least,
                      uint32_t free);

/* What of a node is free inside: as far as tasks that are pinned or have cards of their own say. */
struct inside {
    uint32_t nics; /* free network cards */
    int64_t cpu_milli[MACHINE_NUMA], memory_bytes[MACHINE_NUMA];
};
void inside_of(const struct columns *k, uint32_t node, const struct machine *m,
               enum device_when when, struct inside *in);
/* What a task with this hold gives back (sign 1) or takes (-1). */
void inside_add(const struct columns *k, uint32_t shape, const struct hold *h, int sign,
                struct inside *in);

/* Of a new row of MACHINE: how many NUMA nodes and cards it has; of a new node: that all is
 * free. */
void machine_counts(struct columns *k, uint32_t row);
void machine_fill(struct columns *k, uint32_t node);
/* Give back what the hold is pinned to (sign 1), or take it (-1); expect it back (1), or claim
 * it. */
void machine_give(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h, int sign);
void machine_coming(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h,
                    int sign);
/* Does a nominated task claim more than will be there: of its NUMA nodes, or a card that stays
 * taken. */
int machine_short(const struct columns *k, uint32_t task);

#endif
