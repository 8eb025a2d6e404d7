/*
 * name_table.h -- maps names to numbers 0, 1, 2 ... in the order in which they were added, and
 * numbers to names.
 *
 * An id of the library is valid in one cluster only, but a name means the same object in two
 * clusters. Comparisons between clusters therefore use these numbers. The table uses open
 * addressing and is at most half full. Its order never affects the output, because only the
 * numbers are used.
 */
#ifndef LSCHED_CLI_NAME_TABLE_H
#define LSCHED_CLI_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include <libsched/libsched.h>

struct name_table {
    lsched_text *names; /* owned, together with their bytes, which never move */
    size_t n, capacity;
    uint32_t *slots; /* owned; number + 1; 0: free */
    size_t n_slots;  /* a power of two, or 0 */
};

/* Returns the index of a name, and adds the name if it is new. The bytes are copied. */
uint32_t name_table_add(struct name_table *table, lsched_text name);
void name_table_free(struct name_table *table);

#endif
