/* check_tables.h -- one step of columns_check(): the rows of all tables and their free lists. */
#ifndef LIBSCHED_CHECK_TABLES_H
#define LIBSCHED_CHECK_TABLES_H

#include "model/check/check_finding.h"

/* Checks that rows, free lists and generations are valid, and that unused rows are zero. */
int32_t check_tables(struct check *c);

#endif
