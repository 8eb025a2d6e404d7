/*
 * csv_reader.h -- reads rows of comma-separated fields below a header line. The fields point into
 * the input text, and every error has a line and a column.
 *
 * Traces are written by programs. Therefore the reader can be strict, and reports a damaged file as
 * an error instead of reading other data. Each row must have as many fields as the header. The last
 * line must end with a newline (last_line.h). A field that begins with a quote is an error. Empty
 * lines are allowed only at the end of the file. The reader finds columns by name, therefore
 * columns can be in any order, and other columns are allowed. The reader copies no row and reads
 * the text once.
 */
#ifndef LSCHED_CLI_CSV_READER_H
#define LSCHED_CLI_CSV_READER_H

#include <stddef.h>
#include <stdint.h>

#include <libsched/libsched.h>

enum { CSV_COLUMNS_MAX = 64 };

struct csv_field {
    const char *text; /* points into the input text */
    size_t len;
    uint32_t column; /* position of the first byte of the field in the line, counted from 1 */
};

struct csv {
    const char *text;
    size_t len, at;
    uint32_t line; /* line number of the last row that was read */
    size_t n_fields;
    struct csv_field header[CSV_COLUMNS_MAX];
    struct csv_field fields[CSV_COLUMNS_MAX];
};

/* Reads the header. Writes the index of the column with the name wanted[i] to place[i]. Returns 0
 * or LSCHED_E_SYNTAX; fills *err after an error. */
int32_t csv_begin(struct csv *csv, const char *text, size_t len, const char *const *wanted,
                  size_t n_wanted, size_t *place, lsched_error *err);
/* Reads the next row into csv->fields. Returns 1, or 0 if there are no more rows, or
 * LSCHED_E_SYNTAX; fills *err after an error. */
int32_t csv_next(struct csv *csv, lsched_error *err);

/* Reads a whole text and calls add_row for each row. The argument `place` of add_row has the index
 * of each wanted column. If add_row returns a negative error code, the reading ends. Returns 0 or a
 * negative error code; fills *err after an error. */
int32_t csv_read(struct csv *csv, const char *text, size_t len, const char *const *wanted,
                 size_t n_wanted,
                 int32_t (*add_row)(void *user, const struct csv *csv, const size_t *place,
                                    lsched_error *err),
                 void *user, lsched_error *err);

/* Reads a field as a whole number from min to max. Returns 0, LSCHED_E_SYNTAX if the field is not a
 * number, or LSCHED_E_RANGE if the number is outside these limits. */
int32_t csv_number(const struct csv *csv, size_t field, int64_t min, int64_t max, int64_t *out,
                   lsched_error *err);

/* Reads a field as a name. Returns 0, or LSCHED_E_RANGE if the library would not accept the
 * name. */
int32_t csv_name(const struct csv *csv, size_t field, lsched_text *out, lsched_error *err);

/* Fills *err with the line and the column of a field and with a message such as "name: expected
 * ..., got ...", where `name` is the name of the column. Returns `code`. */
int32_t csv_error(const struct csv *csv, size_t field, int32_t code, lsched_error *err,
                  const char *expected, ...) __attribute__((format(printf, 5, 6)));

#endif
