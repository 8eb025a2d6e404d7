/*
 * test_running.h -- the state of tests that runs now, and the clusters that its tests name.
 * test_state.c sets it; the functions that Lua calls ask for it.
 */
#ifndef LSCHED_CLI_TEST_RUNNING_H
#define LSCHED_CLI_TEST_RUNNING_H

#include "cli/policy_test/test_state.h"

/* The one that runs. LuaJIT hands a C function nothing but its state, from which nothing can be
 * read without the door. */
struct test_state *test_state_now(void);
/* From now on that one runs; NULL: none. */
void test_state_run(struct test_state *state);
/* The cluster that argument 1 names. */
lsched_cluster *test_cluster_of(struct test_state *state);

#endif
