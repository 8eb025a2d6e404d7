/*
 * text_table.h -- prints rows of cells with aligned columns. The last column wraps at the width of
 * the terminal.
 *
 * Every cell is kept until the table is printed, because the widths are known only then.
 */
#ifndef LSCHED_CLI_TEXT_TABLE_H
#define LSCHED_CLI_TEXT_TABLE_H

#include <stddef.h>
#include <stdio.h>

enum { TABLE_COLUMNS_MAX = 14 };

struct text_table {
    const char *align; /* one letter per column: 'l' for left or 'r' for right */
    size_t columns;
    char **cells; /* owned, row by row */
    size_t n_cells, capacity;
};

void table_begin(struct text_table *table, const char *align);
/* Adds the next cell. A row is complete when it has as many cells as the table has columns.
 * Control characters become '?'. */
void table_cell(struct text_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Prints and frees the table. `indent` is the number of spaces before every line; width 0 means no
 * wrapping. */
void table_print(struct text_table *table, FILE *out, int indent, int width);

/* Prints text with line breaks between words so that no line exceeds `width` (0: no breaks). Every
 * line except the first is indented, and the last one has no newline. `used` is the number of
 * columns already used on the first line. */
void print_wrapped(FILE *out, const char *text, int used, int indent, int width);

#endif
