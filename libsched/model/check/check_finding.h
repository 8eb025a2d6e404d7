/*
 * check_finding.h -- the record that all checks carry, and the functions with which a check
 * reports an error.
 *
 * A check of check.h fills the error record through check_fail() and returns what check_fail()
 * returns. Messages name rows as they are, even rows that are not valid: row_name() uses only
 * words that it has checked. This file is the lowest of the folder and calls no other file of it.
 */
#ifndef LIBSCHED_CHECK_FINDING_H
#define LIBSCHED_CHECK_FINDING_H

#include "model/store/columns.h"

struct check {
    const struct columns *k;
    lsched_error *err; /* can be NULL */
    int32_t code;      /* what a failed check returns: LSCHED_E_VERIFY or LSCHED_E_CORRUPT */
};

#if defined(__GNUC__)
#define CHECK_PRINTF __attribute__((format(printf, 2, 3)))
#else
#define CHECK_PRINTF
#endif
/* Fill the error record and return the code. */
CHECK_PRINTF int32_t check_fail(struct check *c, const char *format, ...);
int32_t check_nomem(struct check *c);

/* The name of a row in a message: `node "n1"`, `task 3 of job "train"`, `DOMAIN row 7`. The row
 * need not be valid. */
struct row_name {
    char text[96];
};
struct row_name row_name(const struct columns *k, uint32_t table, uint32_t row);

/* The name as a text, for messages; the text is valid until the end of the full expression. */
#define NAME(table, row) (row_name(c->k, (table), (row)).text)

#endif
