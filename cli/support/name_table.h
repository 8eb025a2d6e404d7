/*
 * name_table.h -- maps each name to an index, and each index to its name. The indexes are 0, 1, 2
 * ... in the order in which the names were added.
 *
 * An id of the library is valid only in one cluster, but a name denotes the same object in two
 * clusters. Therefore comparisons of two clusters use these indexes. The hash table uses open
 * addressing and is at most half full. The hash function never affects the output, because only the
 * indexes are used.
 */
#ifndef LSCHED_CLI_NAME_TABLE_H
#define LSCHED_CLI_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include <libsched/libsched.h>

struct name_table {
    /* owned by this struct, with the bytes of the names; the bytes keep their address when the
     * table grows */
    lsched_text *names;
    size_t n, capacity;
    uint32_t *slots; /* owned by this struct; index of a name + 1; 0 if the slot is free */
    size_t n_slots;  /* a power of two, or 0 */
};

/* Returns the index of a name. If the name is new, adds a copy of the name. */
uint32_t name_table_add(struct name_table *table, lsched_text name);
/* Returns the index of a name, or UINT32_MAX if the table does not have it. */
uint32_t name_table_find(const struct name_table *table, lsched_text name);
void name_table_free(struct name_table *table);

#endif
