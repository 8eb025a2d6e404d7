/*
 * pack_tbpp.h -- reads instances of the temporal bin packing problem in the format of the
 * literature. The first line is "n C 0 0", where n is the number of items and C is the capacity of
 * a bin. The reader ignores the text after C. Each of the n other lines is "index start end size";
 * the item is active in [start, end).
 *
 * The reader refuses values that the library would also refuse later, because only the reader knows
 * the line and the column.
 */
#ifndef LSCHED_CLI_PACK_TBPP_H
#define LSCHED_CLI_PACK_TBPP_H

#include "cli/packing/pack_input.h"

/* Reads an instance into a packing problem. One time unit of the instance becomes one second. */
int32_t pack_tbpp_read(const char *text, size_t len, uint32_t bins, struct pack_input *out,
                       lsched_error *err);

#endif
