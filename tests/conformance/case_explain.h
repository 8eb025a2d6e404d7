/*
 * case_explain.h -- what a cycle decided and why the rest waits, for people, on stderr.
 */
#ifndef CONFORMANCE_CASE_EXPLAIN_H
#define CONFORMANCE_CASE_EXPLAIN_H

#include <libsched/libsched.h>

void explain_plan(lsched_cluster *cluster, const lsched_plan *plan);

#endif
