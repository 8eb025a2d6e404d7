/*
 * test_running.h -- the state of the test file that is running, and the clusters that its tests
 * use. test_state.c sets the state; the functions that Lua calls read it.
 */
#ifndef LSCHED_CLI_TEST_RUNNING_H
#define LSCHED_CLI_TEST_RUNNING_H

#include "cli/policy_test/test_state.h"

/* Returns the running state. LuaJIT passes a C function only its lua_State, and the program can
 * read a lua_State only through the function table in struct test_state. */
struct test_state *test_state_now(void);
/* Sets the running state; NULL: none. */
void test_state_run(struct test_state *state);
/* Returns the cluster whose number is argument 1. */
lsched_cluster *test_cluster_of(struct test_state *state);

#endif
