/*
 * text_table.h -- prints tables with aligned columns. The text in the last column is wrapped at the
 * width of the terminal.
 *
 * The table keeps all cells until it is printed, because the width of a column depends on all cells
 * of the column.
 */
#ifndef LSCHED_CLI_TEXT_TABLE_H
#define LSCHED_CLI_TEXT_TABLE_H

#include <stddef.h>
#include <stdio.h>

enum { TABLE_COLUMNS_MAX = 14 };

struct text_table {
    const char *align; /* one letter for each column: 'l' for left-aligned, 'r' for right-aligned */
    size_t columns;
    char **cells; /* owned by this struct; texts of all cells, row by row */
    size_t n_cells, capacity;
};

void table_begin(struct text_table *table, const char *align);
/* Adds a cell to the table. The cells are added row by row, and a row is complete when it has one
 * cell for each column. Control characters in the text become '?'. */
void table_cell(struct text_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds a cell for each word of a list that ends with NULL. */
void table_words(struct text_table *table, const char *const *words);
#define TABLE_WORDS(table, ...) table_words(table, (const char *const[]){__VA_ARGS__, NULL})
/* Prints the table and frees its memory. `indent` is the number of spaces before each line. If
 * `width` is 0, no text is wrapped. */
void table_print(struct text_table *table, FILE *out, int indent, int width);

/* Prints a text with line breaks between words, so that no line is longer than `width` columns. If
 * `width` is 0, there are no line breaks. `indent` is the number of spaces before each line except
 * the first. There is no newline after the last line. `used` is the number of columns that the
 * caller has already printed on the first line. */
void print_wrapped(FILE *out, const char *text, int used, int indent, int width);

#endif
