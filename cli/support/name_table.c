/*
 * name_table.c -- see name_table.h.
 */
#include "cli/support/name_table.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"
#include "cli/support/text_hash.h"

enum { SLOTS_FIRST = 64 };

static uint64_t hash_of(lsched_text name) {
    uint64_t hash = text_hash(name.ptr, (size_t)name.len);
    return hash ^ hash >> 32;
}

/* Returns the index of the slot that has the name. If the table does not have the name, returns the
 * index of the free slot where the name must be added. */
static size_t slot_of(const struct name_table *table, lsched_text name) {
    size_t mask = table->n_slots - 1;
    for (size_t at = (size_t)hash_of(name) & mask;; at = (at + 1) & mask) {
        if (table->slots[at] == 0) return at;
        lsched_text other = table->names[table->slots[at] - 1];
        if (other.len == name.len && memcmp(other.ptr, name.ptr, name.len) == 0) return at;
    }
}

static void make_room(struct name_table *table) {
    table->names = must_grow(table->names, table->n, &table->capacity, sizeof table->names[0]);
    if (2 * (table->n + 1) <= table->n_slots) return;
    table->n_slots = table->n_slots > 0 ? 2 * table->n_slots : SLOTS_FIRST;
    table->slots = must_resize(table->slots, table->n_slots * sizeof table->slots[0]);
    memset(table->slots, 0, table->n_slots * sizeof table->slots[0]);
    for (size_t i = 0; i < table->n; i++)
        table->slots[slot_of(table, table->names[i])] = (uint32_t)i + 1;
}

uint32_t name_table_add(struct name_table *table, lsched_text name) {
    make_room(table);
    size_t at = slot_of(table, name);
    if (table->slots[at] == 0) {
        table->names[table->n] = (lsched_text){must_copy(name.ptr, (size_t)name.len), name.len};
        table->slots[at] = (uint32_t)++table->n;
    }
    return table->slots[at] - 1;
}

uint32_t name_table_find(const struct name_table *table, lsched_text name) {
    if (table->n == 0) return UINT32_MAX;
    uint32_t slot = table->slots[slot_of(table, name)];
    return slot > 0 ? slot - 1 : UINT32_MAX;
}

void name_table_free(struct name_table *table) {
    for (size_t i = 0; i < table->n; i++) free((char *)(uintptr_t)table->names[i].ptr);
    free(table->names);
    free(table->slots);
    memset(table, 0, sizeof *table);
}
