/*
 * idle_amounts.h -- the amounts that are free or come free on all ready nodes together.
 *
 * The proofs of victim_bounds.h compare these amounts with what a waiting job needs, in each action
 * that evicts. Therefore the sum is kept from cycle to cycle. Nodes are in blocks of
 * IDLE_BLOCK_NODES rows; each block has its own sum, and the log of changed nodes says which blocks
 * must be added up again. Invariant: after idle_amounts_get(), the sums are those of the columns,
 * also after a rollback, because the log names the nodes that it restored. Sums have 128 bits, so
 * that a block can be subtracted again; the result is limited to LSCHED_AMOUNT_MAX at the end.
 *
 * Cost: O(nodes) the first time and when the log does not reach back, otherwise O(changed nodes).
 * Why not one amount for each node, from which the old value could be subtracted: it would need 64
 * times the memory, and a block is one run of memory in each column.
 */
#ifndef LIBSCHED_IDLE_AMOUNTS_H
#define LIBSCHED_IDLE_AMOUNTS_H

#include "base/wide.h"
#include "model/store/columns.h"

#define IDLE_BLOCK_NODES 32u

struct idle_amounts {
    wide_i128 *block; /* [block x kinds]: the sums of the block */
    uint32_t cap;     /* number of blocks that have memory */
    uint32_t kinds;   /* number of resource kinds at the latest rebuild; 0: nothing is known */
    uint64_t synced;  /* position in the log of changed nodes */
    wide_i128 total[KINDS_MAX];
    int64_t amount[KINDS_MAX]; /* the totals, each at most LSCHED_AMOUNT_MAX */
};

/* Brings the sums up to date and stores them in *amount, by resource kind. They are valid until the
 * next call. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t idle_amounts_get(struct idle_amounts *s, struct columns *k, const int64_t **amount);
/* Frees the memory. The next call of idle_amounts_get() adds up all nodes. */
void idle_amounts_drop(struct idle_amounts *s, struct columns *k);
/* True if the kept sums are those of the columns, or if nothing is known. The sums are brought up
 * to date first. */
int idle_amounts_are_sound(struct idle_amounts *s, struct columns *k);

#endif
