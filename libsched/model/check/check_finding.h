/*
 * check_finding.h -- the question that all parts of the structure check carry, and how a part says
 * what it found.
 *
 * A part of check.h fills the error record through check_fail() and returns what that returns. The
 * names in messages are of rows as they are, also of rows that are not sound: row_name() believes
 * nothing that it has not looked at. The file is the lowest of the folder and calls no other of it.
 */
#ifndef LIBSCHED_CHECK_FINDING_H
#define LIBSCHED_CHECK_FINDING_H

#include "model/store/columns.h"

struct check {
    const struct columns *k;
    lsched_error *err; /* may be NULL */
    int32_t code;      /* what a finding returns: LSCHED_E_VERIFY, LSCHED_E_CORRUPT */
};

#if defined(__GNUC__)
#define CHECK_PRINTF __attribute__((format(printf, 2, 3)))
#else
#define CHECK_PRINTF
#endif
/* Fill the error record and return the code. */
CHECK_PRINTF int32_t check_fail(struct check *c, const char *format, ...);
int32_t check_nomem(struct check *c);

/* A row as people know it: `node "n1"`, `task 3 of job "train"`, `DOMAIN row 7`. Also of rows
 * that are not sound. */
struct row_name {
    char text[96];
};
struct row_name row_name(const struct columns *k, uint32_t table, uint32_t row);

/* For messages; the text lives as long as the full expression that it stands in. */
#define NAME(table, row) (row_name(c->k, (table), (row)).text)

#endif
