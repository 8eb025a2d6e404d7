/*
 * reassign_read.h -- reads the files of the ROADEF/EURO challenge 2012: a model, and an assignment,
 * which has the machine of each process.
 *
 * Both are lists of whole numbers with blanks and ends of lines between them. Where lines end has
 * no meaning. The reader refuses numbers out of their range, files that end early, and numbers
 * behind the last one. Before it allocates an array, it looks whether the rest of the file is long
 * enough for the numbers, so that a wrong count cannot take memory.
 */
#ifndef LSCHED_CLI_REASSIGN_READ_H
#define LSCHED_CLI_REASSIGN_READ_H

#include <libsched/libsched.h>

#include "cli/reassign/reassign.h"

/* Returns 0, or an error code and fills *err with line, column and message. After an error, *out
 * must be freed too. */
int32_t reassign_read_model(const char *text, size_t len, struct reassign *out, lsched_error *err);
/* Writes the machine of each process to *at, an array that the caller frees, also after an
 * error. */
int32_t reassign_read_assignment(const char *text, size_t len, const struct reassign *p,
                                 uint32_t **at, lsched_error *err);

#endif
