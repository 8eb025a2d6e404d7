/*
 * row_list.h -- doubly linked lists of rows.
 *
 * Two columns of the members have the links. The first member of a list is stored in a column of
 * the list's owner (`column`, `owner`), or in a word of META (then `column` is C_META_WORD and
 * `owner` is the word). A list with an end also stores its last member, in a second word of META.
 * A row is in at most one list that uses the same two columns. Each function costs O(1) and
 * writes up to four words through the undo log. Why not an array for each list: members are
 * removed from the middle.
 */
#ifndef LIBSCHED_ROW_LIST_H
#define LIBSCHED_ROW_LIST_H

#include "model/store/columns.h"

/* The columns with the next and the previous member. */
struct row_list {
    uint32_t next, prev;
};

static inline uint32_t row_list_first(const struct columns *k, uint32_t column, uint32_t owner) {
    return column == C_META_WORD ? (uint32_t)meta(k, owner) : k->c[column].u32[owner];
}
static inline void row_list_begin(struct columns *k, uint32_t column, uint32_t owner,
                                  uint32_t row) {
    if (column == C_META_WORD)
        set_meta(k, owner, row);
    else
        set_u32(k, column, owner, row);
}
/* Makes the row the first member. */
static inline void row_list_push(struct columns *k, struct row_list l, uint32_t column,
                                 uint32_t owner, uint32_t row) {
    uint32_t first = row_list_first(k, column, owner);
    set_u32(k, l.next, row, first);
    set_u32(k, l.prev, row, NO_ROW);
    if (first != NO_ROW) set_u32(k, l.prev, first, row);
    row_list_begin(k, column, owner, row);
}
/* Does what row_list_push() does with a row whose own links are filled (fill_u32()). */
static inline void row_list_push_new(struct columns *k, struct row_list l, uint32_t column,
                                     uint32_t owner, uint32_t row, int fresh) {
    uint32_t first = row_list_first(k, column, owner);
    fill_u32(k, fresh, l.next, row, first);
    fill_u32(k, fresh, l.prev, row, NO_ROW);
    if (first != NO_ROW) set_u32(k, l.prev, first, row);
    row_list_begin(k, column, owner, row);
}
/* Removes a member from the list. The removed row's own links are not changed. */
static inline void row_list_remove(struct columns *k, struct row_list l, uint32_t column,
                                   uint32_t owner, uint32_t row) {
    uint32_t next = k->c[l.next].u32[row], prev = k->c[l.prev].u32[row];
    if (next != NO_ROW) set_u32(k, l.prev, next, prev);
    if (prev != NO_ROW)
        set_u32(k, l.next, prev, next);
    else
        row_list_begin(k, column, owner, next);
}

/* Makes the row the last member of a list with an end. head, tail: words of META. */
static inline void row_list_append(struct columns *k, struct row_list l, uint32_t head,
                                   uint32_t tail, uint32_t row) {
    uint32_t last = (uint32_t)meta(k, tail);
    set_u32(k, l.next, row, NO_ROW);
    set_u32(k, l.prev, row, last);
    if (last != NO_ROW)
        set_u32(k, l.next, last, row);
    else
        set_meta(k, head, row);
    set_meta(k, tail, row);
}
/* Does what row_list_append() does with a row whose own links are filled (fill_u32()). */
static inline void row_list_append_new(struct columns *k, struct row_list l, uint32_t head,
                                       uint32_t tail, uint32_t row, int fresh) {
    uint32_t last = (uint32_t)meta(k, tail);
    fill_u32(k, fresh, l.next, row, NO_ROW);
    fill_u32(k, fresh, l.prev, row, last);
    if (last != NO_ROW)
        set_u32(k, l.next, last, row);
    else
        set_meta(k, head, row);
    set_meta(k, tail, row);
}
/* Makes the row the member behind `before` of a list with an end. */
static inline void row_list_insert_behind(struct columns *k, struct row_list l, uint32_t tail,
                                          uint32_t before, uint32_t row) {
    uint32_t next = k->c[l.next].u32[before];
    set_u32(k, l.next, row, next);
    set_u32(k, l.prev, row, before);
    set_u32(k, l.next, before, row);
    if (next != NO_ROW)
        set_u32(k, l.prev, next, row);
    else
        set_meta(k, tail, row);
}
/* Removes a member from a list with an end. */
static inline void row_list_take(struct columns *k, struct row_list l, uint32_t head, uint32_t tail,
                                 uint32_t row) {
    if (k->c[l.next].u32[row] == NO_ROW) set_meta(k, tail, k->c[l.prev].u32[row]);
    row_list_remove(k, l, C_META_WORD, head, row);
}

#endif
