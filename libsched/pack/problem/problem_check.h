/*
 * problem_check.h -- checks the orchestrator's packing problem and options once, before memory is
 * allocated. Each message names the element, the expected value and the value found. Only overlaps
 * of reservations are checked elsewhere: in problem.c, because it has sorted the reservations.
 *
 * Cost: proportional to the size of the input. An item that can use any class is compared with all
 * classes, because it must fit an empty bin of at least one class.
 */
#ifndef LIBSCHED_PACK_PROBLEM_CHECK_H
#define LIBSCHED_PACK_PROBLEM_CHECK_H

#include "pack/problem/problem.h"

/* Checks the orchestrator's problem and options, and counts their elements in *totals. Returns 0,
 * or an error whose message names the element. */
int32_t pack_problem_check(const lsched_pack_problem *in, const lsched_pack_opts *opts,
                           struct pack_totals *totals, lsched_error *err);

#endif
