/*
 * cli_csv_sources.h -- the sources of the program that read CSV and series, for harnesses that
 * compile a reader of the program into themselves. The readers belong to the program, and no
 * library has them.
 */
#ifndef LSCHED_FUZZ_CLI_CSV_SOURCES_H
#define LSCHED_FUZZ_CLI_CSV_SOURCES_H

#include "cli/support/cli_errors.c"
#include "cli/support/did_you_mean.c"
#include "cli/support/name_table.c"
#define SHOWN_MAX CSV_SHOWN_MAX /* both readers have a constant of this name */
#include "cli/input/csv_reader.c"
#include "cli/input/last_line.c"
#undef SHOWN_MAX
#include "cli/input/row_scan.c"

#endif
