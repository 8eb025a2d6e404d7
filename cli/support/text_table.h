/*
 * text_table.h -- rows of cells, printed with aligned columns; the last column wraps at the width
 * of the terminal.
 *
 * Every cell is kept until the table is printed, because widths are known only then.
 */
#ifndef LSCHED_CLI_TEXT_TABLE_H
#define LSCHED_CLI_TEXT_TABLE_H

#include <stddef.h>
#include <stdio.h>

enum { TABLE_COLUMNS_MAX = 14 };

struct text_table {
    const char *align; /* one letter per column: 'l' or 'r' */
    size_t columns;
    char **cells; /* owned, row by row */
    size_t n_cells, capacity;
};

void table_begin(struct text_table *table, const char *align);
/* Adds the next cell; the row is full after as many as there are columns. Control characters
 * become '?'. */
void table_cell(struct text_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* indent: spaces before every line. width 0: do not wrap. Frees the table. */
void table_print(struct text_table *table, FILE *out, int indent, int width);

/* Text with line breaks between words so that no line passes width (0: no breaks); every line but
 * the first is indented. Ends without a newline. used: columns already taken on the first line. */
void print_wrapped(FILE *out, const char *text, int used, int indent, int width);

#endif
