/*
 * check_finding.h -- the record that is passed to all checks, and the functions with which a
 * check reports an error.
 *
 * A check that fails calls check_fail(), which fills the error record, and returns its result.
 * Messages name rows, even rows that are not valid, because row_name() reads only words that it
 * has checked. This file calls no other file of its folder; the other files call it.
 */
#ifndef LIBSCHED_CHECK_FINDING_H
#define LIBSCHED_CHECK_FINDING_H

#include "model/store/columns.h"

struct check {
    const struct columns *k;
    lsched_error *err; /* can be NULL */
    /* error code that a failed check returns: LSCHED_E_VERIFY or LSCHED_E_CORRUPT */
    int32_t code;
};

#if defined(__GNUC__)
#define CHECK_PRINTF __attribute__((format(printf, 2, 3)))
#else
#define CHECK_PRINTF
#endif
/* check_fail() fills the error record and returns c->code. check_nomem() fills the error record
 * and returns LSCHED_E_NOMEM. */
CHECK_PRINTF int32_t check_fail(struct check *c, const char *format, ...);
int32_t check_nomem(struct check *c);

/* The name of a row in a message: `node "n1"`, `task 3 of job "train"`, `DOMAIN row 7`. The row
 * is allowed to be invalid. */
struct row_name {
    char text[96];
};
struct row_name row_name(const struct columns *k, uint32_t table, uint32_t row);

/* The name of a row as a string for messages. The string is valid until the end of the full
 * expression. */
#define NAME(table, row) (row_name(c->k, (table), (row)).text)

#endif
