/*
 * machine.h -- the inside of a node: links between devices, NUMA nodes, network cards.
 *
 * The inside is interned in MACHINE (canonical bytes: machine_shape.h) and held by the node's
 * class, so equal nodes share it. The decoded form, with its table of links, is in a cache beside
 * the columns. A machine that is not in the cache, or for which there is no memory, is decoded
 * again and gives the same answers.
 *
 * Invariant: CPU_FREE and MEM_FREE of a NUMA node = its capacity - what the tasks that are pinned
 * to it ask for (a task that is pinned to several NUMA nodes counts on each in equal portions);
 * COMING as on the node. A task that is pinned to no NUMA node counts on the node alone. NICS =
 * the network cards that the node's tasks hold. Which cards come free or are needed by nominated
 * tasks is computed from the tasks, which are few: a mask cannot count.
 */
#ifndef LIBSCHED_MACHINE_H
#define LIBSCHED_MACHINE_H

#include "model/machine/machine_shape.h"
#include "model/shapes/placement.h"

/* Returns the row of MACHINE, NO_ROW if the node's inside is unknown. */
static inline uint32_t node_machine(const struct columns *k, uint32_t node) {
    return k->c[C_CLASS_MACHINE].u32[k->c[C_NODE_CLASS].u32[node]];
}
/* Returns the number of rows of the node's block in NUMA: one for each NUMA node, or one for its
 * network cards alone. */
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
    struct alloc *alloc; /* NULL: not cached, and the table has no rows */
};

struct machine_cache;
int32_t machine_cache_open(struct columns *k);
void machine_cache_close(struct columns *k);
/* Drops the whole cache, because the columns hold another state now. */
void machine_cache_clear(const struct columns *k);
/* Returns a row whose cached machine differs from its bytes; NO_ROW if there is none. */
uint32_t machine_cache_wrong(const struct columns *k);
/* Returns 1 if the memory that cached tables hold is the counted amount, which bounds the
 * cache. */
int machine_cache_is_counted(const struct columns *k);

/* Returns the machine of a row, from the cache or decoded into *spare. */
struct machine *machine_get(const struct columns *k, uint32_t row, struct machine *spare);
/* Does what link_pick() does, and makes the row of the table first. */
uint32_t machine_pick(const struct columns *k, struct machine *m, uint32_t n, uint8_t least,
                      uint32_t free);

/* What is free inside a node. Only pinned tasks and tasks with network cards of their own reduce
 * these amounts. */
struct inside {
    uint32_t nics; /* mask of free network cards */
    int64_t cpu_milli[MACHINE_NUMA], memory_bytes[MACHINE_NUMA];
};
void inside_of(const struct columns *k, uint32_t node, const struct machine *m,
               enum device_when when, struct inside *in);
/* Adds to *in the amounts that a task with this hold gives back (sign 1), or subtracts the amounts
 * that it takes (sign -1). */
void inside_add(const struct columns *k, uint32_t shape, const struct hold *h, int sign,
                struct inside *in);

/* machine_counts() sets the numbers of NUMA nodes and cards of a new row of MACHINE.
 * machine_fill() makes everything inside a new node free. */
void machine_counts(struct columns *k, uint32_t row);
void machine_fill(struct columns *k, uint32_t node);
/* machine_give() gives back the cards, cpu and memory to which the hold is pinned (sign 1), or
 * takes them (sign -1). machine_coming() adds this cpu and memory to the amounts that are expected
 * to come free (sign 1), or subtracts it (sign -1). */
void machine_give(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h, int sign);
void machine_coming(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h,
                    int sign);
/* Returns 1 if a nominated task needs more than will be free: of its NUMA nodes, or a card that
 * stays in use. */
int machine_short(const struct columns *k, uint32_t task);

#endif
