/* check_blocks.h -- one step of columns_check(): texts and other blocks. */
#ifndef LIBSCHED_CHECK_BLOCKS_H
#define LIBSCHED_CHECK_BLOCKS_H

#include "model/check/check_finding.h"

/* Checks that all blocks (texts, devices, groups and others) are in range and do not overlap, and
 * that each row is in a block. */
int32_t check_blocks(struct check *c);

#endif
