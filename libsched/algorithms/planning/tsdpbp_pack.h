/*
 * tsdpbp_pack.h -- looks with the packer (pack.h) for earlier starts of the jobs of a window.
 *
 * The packer begins with the serial schedule, which gives each job its latest start. Therefore the
 * packer's plan contains every job, and no job starts later than in the serial schedule. Every
 * change reduces the sum of the jobs' flow times (the times from now to their ends). Before the
 * plan is taken over, it is checked against the timeline; if a check fails, the serial schedule
 * stays in force. If there are more than BINS_ALL nodes, the packer sees only the nodes that the
 * serial schedule uses. Other nodes would seldom help, because no job of the window found an
 * earlier start there.
 */
#ifndef LIBSCHED_TSDPBP_PACK_H
#define LIBSCHED_TSDPBP_PACK_H

#include "algorithms/planning/tsdpbp.h"

/* Looks for earlier starts of the current window's jobs. Returns LSCHED_OK if the window has a new
 * plan or keeps the serial schedule, else an error code. */
int32_t ts_improve(struct ts *t);

#endif
