/*
 * text_table.c -- see text_table.h.
 */
#include "cli/support/text_table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/utf8.h"
#include "cli/support/cli_errors.h"

enum { GAP = 2, WRAP_MIN = 20 };

void table_begin(struct text_table *table, const char *align) {
    memset(table, 0, sizeof *table);
    table->align = align;
    table->columns = strlen(align);
    assert(table->columns > 0 && table->columns <= TABLE_COLUMNS_MAX);
}

void table_cell(struct text_table *table, const char *format, ...) {
    table->cells =
        must_grow(table->cells, table->n_cells, &table->capacity, sizeof table->cells[0]);
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    assert(len >= 0);
    char *cell = must_alloc((size_t)len + 1);
    vsnprintf(cell, (size_t)len + 1, format, again);
    va_end(again);
    va_end(args);
    for (char *c = cell; *c != '\0'; c++) {
        /* a control character in a name must not move the cursor */
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
    }
    table->cells[table->n_cells++] = cell;
}

void table_words(struct text_table *table, const char *const *words) {
    for (; *words != NULL; words++) table_cell(table, "%s", *words);
}

static int columns_of(const char *text) {
    return (int)utf8_columns(text, strlen(text));
}

static void spaces(FILE *out, int n) {
    for (int i = 0; i < n; i++) fputc(' ', out);
}

void print_wrapped(FILE *out, const char *text, int used, int indent, int width) {
    if (width > 0 && width < indent + WRAP_MIN) width = indent + WRAP_MIN;
    bool line_start = true;
    while (*text != '\0') {
        size_t len = strcspn(text, " ");
        int columns = (int)utf8_columns(text, len);
        if (!line_start && width > 0 && used + 1 + columns > width) {
            fputc('\n', out);
            spaces(out, indent);
            used = indent;
            line_start = true;
        }
        if (!line_start) fputc(' ', out);
        fwrite(text, 1, len, out);
        used += columns + !line_start;
        line_start = false;
        text += len;
        if (*text == ' ') text++;
    }
}

static void measure(const struct text_table *table, int widths[TABLE_COLUMNS_MAX]) {
    for (size_t c = 0; c < table->columns; c++) widths[c] = 0;
    for (size_t i = 0; i < table->n_cells; i++) {
        int columns = columns_of(table->cells[i]);
        if (columns > widths[i % table->columns]) widths[i % table->columns] = columns;
    }
}

static void print_row(const struct text_table *table, char *const *cells, const int *widths,
                      FILE *out, int indent, int width) {
    size_t last = table->columns - 1;
    /* empty cells at the end of a row are not printed, so that the line does not end with spaces */
    while (last > 0 && cells[last][0] == '\0') last--;
    int at = indent;
    spaces(out, indent);
    for (size_t c = 0; c <= last; c++) {
        int pad = widths[c] - columns_of(cells[c]);
        if (table->align[c] == 'r') spaces(out, pad);
        if (c == table->columns - 1 && table->align[c] == 'l') {
            print_wrapped(out, cells[c], at, at, width);
        } else {
            fputs(cells[c], out);
        }
        if (c < last) spaces(out, (table->align[c] == 'l' ? pad : 0) + GAP);
        at += widths[c] + GAP;
    }
    fputc('\n', out);
}

void table_print(struct text_table *table, FILE *out, int indent, int width) {
    assert(table->n_cells % table->columns == 0);
    int widths[TABLE_COLUMNS_MAX];
    measure(table, widths);
    for (size_t i = 0; i < table->n_cells; i += table->columns) {
        print_row(table, table->cells + i, widths, out, indent, width);
    }
    for (size_t i = 0; i < table->n_cells; i++) free(table->cells[i]);
    free(table->cells);
    memset(table, 0, sizeof *table);
}
