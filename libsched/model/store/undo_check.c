/* undo_check.c -- see undo_check.h. */
#include "model/store/undo_check.h"

struct undo_shadow {
    uint8_t *copy;
    size_t bytes;
    size_t at[COLUMNS];     /* offset of each column in the copy */
    uint32_t rows[COLUMNS]; /* number of copied rows of each column */
    uint8_t is_taken;       /* 1 if the copy was made for the scope that is open now */
    uint8_t is_found;
    uint32_t column, row; /* column and row of the word that was changed without a record */
};

int32_t undo_check_on(struct columns *k) {
    if (k->shadow) return LSCHED_OK;
    k->shadow = alloc_zero(k->alloc, sizeof *k->shadow);
    return k->shadow ? LSCHED_OK : LSCHED_E_NOMEM;
}

void undo_check_off(struct columns *k) {
    if (!k->shadow) return;
    alloc_free(k->alloc, k->shadow->copy, k->shadow->bytes);
    alloc_free(k->alloc, k->shadow, sizeof *k->shadow);
    k->shadow = NULL;
}

void undo_check_begin(struct columns *k) {
    struct undo_shadow *s = k->shadow;
    size_t bytes = 0;
    s->is_taken = 0;
    for (uint32_t c = 0; c < COLUMNS; c++) {
        s->at[c] = bytes;
        s->rows[c] = k->c[c].u8 ? table_rows(k, column_defs[c].table) : 0;
        bytes += (size_t)s->rows[c] * column_defs[c].stride;
    }
    if (bytes > s->bytes) {
        size_t room = bytes + bytes / 2;
        uint8_t *p = alloc_resize(k->alloc, s->copy, s->bytes, room);
        if (!p) return;
        s->copy = p;
        s->bytes = room;
    }
    for (uint32_t c = 0; c < COLUMNS; c++)
        if (s->rows[c])
            memcpy(s->copy + s->at[c], k->c[c].u8, (size_t)s->rows[c] * column_defs[c].stride);
    s->is_taken = 1;
}

/* Copies the current value of each word that has a record in the log to the copy, because a
 * change with a record is allowed. */
static void explain_log(struct columns *k, struct undo_shadow *s) {
    for (size_t i = 0; i < k->undo_n; i++) {
        const struct undo_record *r = &k->undo[i];
        if (r->column >= UNDO_CHANGES || r->row >= s->rows[r->column]) continue;
        size_t stride = column_defs[r->column].stride, at = r->row * stride;
        memcpy(s->copy + s->at[r->column] + at, k->c[r->column].u8 + at, stride);
    }
}

void undo_check_end(struct columns *k) {
    struct undo_shadow *s = k->shadow;
    if (!s->is_taken || s->is_found) return;
    s->is_taken = 0;
    explain_log(k, s);
    for (uint32_t c = 0; c < COLUMNS; c++) {
        size_t stride = column_defs[c].stride, bytes = s->rows[c] * stride;
        const uint8_t *was = s->copy + s->at[c], *is = k->c[c].u8;
        if (bytes == 0 || memcmp(was, is, bytes) == 0) continue;
        size_t at = 0;
        while (was[at] == is[at]) at++;
        s->is_found = 1;
        s->column = c;
        s->row = (uint32_t)(at / stride);
        return;
    }
}

int undo_check_found(const struct columns *k, uint32_t *column, uint32_t *row) {
    if (!k->shadow || !k->shadow->is_found) return 0;
    *column = k->shadow->column;
    *row = k->shadow->row;
    return 1;
}
