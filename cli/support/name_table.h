/*
 * name_table.h -- names to numbers and back: 0, 1, 2 ... in the order in which they first came.
 *
 * Ids of the library belong to one cluster, names mean the same in two of them: what is compared
 * between clusters is told apart by these numbers. Open addressing, at most half full; numbers,
 * never the order of the hash table, reach the output.
 */
#ifndef LSCHED_CLI_NAME_TABLE_H
#define LSCHED_CLI_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include <libsched/libsched.h>

struct name_table {
    lsched_text *names; /* owned, and their bytes, which stay where they are */
    size_t n, capacity;
    uint32_t *slots; /* owned; number + 1, 0: free */
    size_t n_slots;  /* a power of two, or 0 */
};

/* The number of a name; adds it if it is new. The bytes are copied. */
uint32_t name_table_add(struct name_table *table, lsched_text name);
void name_table_free(struct name_table *table);

#endif
