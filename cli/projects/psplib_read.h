/*
 * psplib_read.h -- reads projects in the single-mode format of the library PSPLIB (Kolisch,
 * Sprecher 1996; files `.sm`). The format has a head with counts, and sections that begin with
 * PRECEDENCE RELATIONS, REQUESTS/DURATIONS and RESOURCEAVAILABILITIES. Lines of '*' and '-' are
 * decoration. The section PROJECT INFORMATION, the horizon and dates in it are read over.
 *
 * The reader refuses files that it would have to guess about: several modes, nonrenewable
 * resources, rows that are missing, demands that no schedule can meet, cycles.
 */
#ifndef LSCHED_CLI_PSPLIB_READ_H
#define LSCHED_CLI_PSPLIB_READ_H

#include <stdbool.h>

#include <libsched/libsched.h>

#include "cli/projects/project.h"

/* True if the text has the heading of a section of PSPLIB in its first lines. */
bool psplib_read_is(const char *text, size_t len);
/* Returns 0, or an error code and fills *err with line, column and message. After an error, *out
 * must be freed too. */
int32_t psplib_read(const char *text, size_t len, struct project *out, lsched_error *err);

#endif
