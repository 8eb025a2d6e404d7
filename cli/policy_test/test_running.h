/*
 * test_running.h -- gives the functions that Lua calls the state of the test file that runs now.
 * test_state.c sets this state.
 */
#ifndef LSCHED_CLI_TEST_RUNNING_H
#define LSCHED_CLI_TEST_RUNNING_H

#include "cli/policy_test/test_state.h"

/* Returns the state of the test file that runs now. A C function that Lua calls cannot get this
 * state as an argument, because LuaJIT passes only a lua_State. The program can read a lua_State
 * only with the functions in test_state.lua. */
struct test_state *test_state_now(void);
/* Sets the state that test_state_now() returns. NULL means that no test file runs. */
void test_state_run(struct test_state *state);
/* Returns the cluster whose number is argument 1 of the Lua function that runs now. Raises a Lua
 * error if the test has no such cluster. */
lsched_cluster *test_cluster_of(struct test_state *state);

#endif
