/*
 * machine.h -- the *machine* of a node: the links between its devices, its NUMA nodes and its
 * network cards.
 *
 * Machines are interned in MACHINE (machine_shape.h has the canonical bytes). The node's class is
 * the holder of the row, so that equal nodes share it. The decoded machine, with its table of
 * links, is in a cache outside the columns. A machine that is not in the cache is decoded again
 * and gives the same results.
 *
 * Invariant: CPU_FREE and MEM_FREE of a NUMA node = its capacity - the requests of the tasks that
 * are pinned to it. A task that is pinned to several NUMA nodes counts on each of them with an
 * equal portion. The COMING columns of a NUMA node have the same meaning as COMING of a node
 * (node.h). A task that is pinned to no NUMA node counts only on the node. NICS = mask of the
 * network cards that the node's tasks hold. The cards that come free or that nominated tasks need
 * are computed from the node's tasks each time, because several tasks can hold one card and a
 * mask cannot count them.
 */
#ifndef LIBSCHED_MACHINE_H
#define LIBSCHED_MACHINE_H

#include "model/machine/machine_shape.h"
#include "model/shapes/placement.h"

/* Returns the node's row of MACHINE, NO_ROW if the orchestrator did not describe the machine. */
static inline uint32_t node_machine(const struct columns *k, uint32_t node) {
    return k->c[C_CLASS_MACHINE].u32[k->c[C_NODE_CLASS].u32[node]];
}
/* Returns the number of rows of the node's block in NUMA: one for each NUMA node, or one row for
 * the network cards if the node has cards but no NUMA nodes. */
static inline uint32_t machine_numa_rows(const struct columns *k, uint32_t node) {
    uint32_t m = node_machine(k, node);
    if (m == NO_ROW) return 0;
    uint32_t n = k->c[C_MACHINE_N_NUMA].u8[m];
    return n ? n : k->c[C_MACHINE_N_NICS].u8[m] != 0;
}

struct machine {
    uint64_t serial;
    struct machine_shape s; /* the names of the cards are not set */
    uint32_t numa_devices[MACHINE_NUMA], numa_nics[MACHINE_NUMA];
    struct link_table table;
    struct alloc *alloc; /* NULL: the machine is not in the cache, and its table has no rows */
};

struct machine_cache;
int32_t machine_cache_open(struct columns *k);
void machine_cache_close(struct columns *k);
/* Empties the cache. Must be called when the columns get another state (load, clone). */
void machine_cache_clear(const struct columns *k);
/* Returns a row of MACHINE whose cached machine differs from its canonical bytes; NO_ROW if there
 * is none. */
uint32_t machine_cache_wrong(const struct columns *k);
/* Returns 1 if the memory of the cached tables is equal to the number of bytes that the cache
 * counts to bound its size. */
int machine_cache_is_counted(const struct columns *k);

/* Returns the machine of a row: from the cache, or, if it cannot be cached, decoded into *spare. */
struct machine *machine_get(const struct columns *k, uint32_t row, struct machine *spare);
/* Does what link_pick() does, but first makes the row of the table that link_pick() needs. */
uint32_t machine_pick(const struct columns *k, struct machine *m, uint32_t n, uint8_t least,
                      uint32_t free);

/* The free network cards of a node, and the free cpu and memory of each of its NUMA nodes. Only
 * tasks that are pinned to NUMA nodes or that hold network cards reduce these amounts. */
struct inside {
    uint32_t nics; /* mask of free network cards */
    int64_t cpu_milli[MACHINE_NUMA], memory_bytes[MACHINE_NUMA];
};
void inside_of(const struct columns *k, uint32_t node, const struct machine *m,
               enum device_when when, struct inside *in);
/* Changes *in as if a task with this hold gave its amounts back (sign 1) or took them (sign -1). */
void inside_add(const struct columns *k, uint32_t shape, const struct hold *h, int sign,
                struct inside *in);

/* machine_counts() sets N_NUMA and N_NICS of a new row of MACHINE. machine_fill() makes all NUMA
 * nodes and cards of a new node free. */
void machine_counts(struct columns *k, uint32_t row);
void machine_fill(struct columns *k, uint32_t node);
/* machine_give() gives back the cards of the hold, and the cpu and memory of the NUMA nodes to
 * which the hold is pinned (sign 1), or takes them (sign -1). machine_coming() adds the same cpu
 * and memory to the amounts that are expected to come free (sign 1), or subtracts them (sign
 * -1). */
void machine_give(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h, int sign);
void machine_coming(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h,
                    int sign);
/* Returns 1 if there will be no room for a nominated task: one of its NUMA nodes will have too
 * little free, or one of its network cards stays in use by another task. */
int machine_short(const struct columns *k, uint32_t task);

#endif
