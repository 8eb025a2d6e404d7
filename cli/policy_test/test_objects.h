/*
 * test_objects.h -- converts plans and the objects of a cluster to Lua tables. Amounts are in the
 * units of policies: cores, GPUs, GiB and seconds.
 */
#ifndef LSCHED_CLI_TEST_OBJECTS_H
#define LSCHED_CLI_TEST_OBJECTS_H

#include "cli/policy_test/test_state.h"

/* These functions set the field `key` of the table that is on top of the Lua stack. */
void test_set_text(struct test_state *state, const char *key, const char *text, size_t len);
/* sets the field to nil if `text` is NULL */
void test_set_string(struct test_state *state, const char *key, const char *text);
void test_set_number(struct test_state *state, const char *key, double number);
void test_set_bool(struct test_state *state, const char *key, bool value);
/* A lua_CFunction. Its argument is a lsched_scenario_cycle as light userdata. Returns the plan of
 * the cycle as a table, which docs/policy-tests.md describes. */
int test_push_plan(lua_State *L);

/* These functions have the type lua_CFunction. Their first argument is the number of a cluster.
 * test_push_job(), test_push_queue(), test_push_node() and test_explain() also get a name. If the
 * cluster has no object with this name, they return nil or nothing. test_objects.c describes
 * test_push_running(), test_explain() and test_ask(). */
int test_push_job(lua_State *L);
int test_push_queue(lua_State *L);
int test_push_node(lua_State *L);
int test_push_policy(lua_State *L);
int test_push_running(lua_State *L);
int test_explain(lua_State *L);
int test_ask(lua_State *L);

#endif
