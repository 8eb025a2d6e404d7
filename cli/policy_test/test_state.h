/*
 * test_state.h -- the Lua state in which one file of policy tests runs, and the clusters that its
 * tests create.
 *
 * Most of the work is done in Lua (policy_tests.lua): it turns tables into scenarios and checks
 * assertions. C does what Lua cannot do: run a scenario in a cluster, read the objects of the
 * cluster, read a policy's file, find the line of a call, and stop a test that runs too long. A
 * Lua error must not jump across the library's functions, therefore every call of Lua from within
 * a scenario is a protected call.
 */
#ifndef LSCHED_CLI_TEST_STATE_H
#define LSCHED_CLI_TEST_STATE_H

#include <stdbool.h>

#include <libsched/scenario.h>

#include "cli/support/host_allocator.h"
#include "cli/input/input_file.h"
#include "cli/policy/lua_door.h"

enum { TEST_CLUSTERS_MAX = 64, TEST_PLACES_MAX = 4 };

struct test_cluster {
    lsched_cluster *cluster;
    struct host_allocator memory;
};

struct test_outcome {
    const char *name;
    uint32_t line;       /* line of the test */
    uint32_t fails_at;   /* line of the failure; 0: line of the test */
    const char *message; /* NULL: the test passed. The message may have several lines. */
    const char *plan;    /* latest plan as text; NULL: none */
};

struct test_state {
    struct lua_door lua;
    lua_State *L;
    const char *file; /* name of the test file, borrowed */
    char *directory;  /* directory of the file with its slash, "" if there is none; owned */
    uint64_t bytes, bytes_max;
    uint64_t steps_left; /* instructions that the test may still use, in thousands */
    bool expired;
    struct test_cluster clusters[TEST_CLUSTERS_MAX];
    size_t n_clusters;
    struct input_file named; /* the policy that a scenario requested last */
    /* called for each test in order */
    void (*on_test)(void *user, const struct test_outcome *outcome);
    void *user;
};

struct test_options {
    const char *filter; /* text that occurs in the names of the tests; NULL: all tests */
    bool list;          /* true: the tests are listed and not run */
    uint64_t instructions_max;
};

/* Runs the tests of a file. Returns an exit code: EXIT_INPUT after it reported an error of the
 * file itself. Failed tests are no error here. */
int test_file_run(const char *path, const struct test_options *options,
                  void (*on_test)(void *user, const struct test_outcome *outcome), void *user);

/* ---- functions that the files of this room share ---- */

/* Set a field of the table on top of the stack. */
void test_set_text(struct test_state *state, const char *key, const char *text, size_t len);
/* a NULL text sets nil */
void test_set_string(struct test_state *state, const char *key, const char *text);
void test_set_number(struct test_state *state, const char *key, double number);
void test_set_bool(struct test_state *state, const char *key, bool value);
/* Sets an amount in the units of policies: whole CPUs and GPUs, memory in GiB. LSCHED_UNLIMITED
 * and LSCHED_NEVER_US become math.huge. */
void test_set_amount(struct test_state *state, const char *key, uint32_t kind, int64_t amount);
void test_set_seconds(struct test_state *state, const char *key, int64_t us);

/* A lua_CFunction that takes the cycle as light userdata and pushes the table of its plan
 * (docs/policy-tests.md). */
int test_push_plan(lua_State *L);

/* Functions of type lua_CFunction with the arguments (cluster) or (cluster, name). Each returns a
 * table, or nil if there is no such object. */
int test_push_job(lua_State *L);
int test_push_queue(lua_State *L);
int test_push_node(lua_State *L);
int test_push_policy(lua_State *L);
int test_push_running(lua_State *L);
int test_explain(lua_State *L);
int test_ask(lua_State *L);

#endif
