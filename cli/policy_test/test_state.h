/*
 * test_state.h -- the Lua state in which one file of policy tests runs, with the clusters that its
 * tests make.
 *
 * Most of the work is Lua (policy_tests.lua): it turns tables into scenarios, and asserts. C gives
 * it what Lua cannot do: play a scenario in a cluster, read what is in the cluster, read a policy's
 * file, say where a call stands, and end what runs too long. Errors of Lua must not jump over the
 * library, so what is called from inside a scenario is a protected call of its own.
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
    uint32_t line;       /* of the test */
    uint32_t fails_at;   /* of what failed in it; 0: its line */
    const char *message; /* NULL: it passed. May have lines after the first */
    const char *plan;    /* the latest plan as text, NULL: none */
};

struct test_state {
    struct lua_door lua;
    lua_State *L;
    const char *file; /* its name, borrowed */
    char *directory;  /* of the file with the slash, "" if there is none; owned */
    uint64_t bytes, bytes_max;
    uint64_t steps_left; /* of the instructions that a test may spend, in thousands */
    bool expired;
    struct test_cluster clusters[TEST_CLUSTERS_MAX];
    size_t n_clusters;
    struct input_file named; /* the policy that a scenario asked for last */
    void (*on_test)(void *user, const struct test_outcome *outcome); /* each test in order */
    void *user;
};

struct test_options {
    const char *filter; /* part of the name; NULL: all */
    bool list;          /* do not run them */
    uint64_t instructions_max;
};

/* Runs a file's tests. Returns an exit code: EXIT_INPUT, after a complaint, if the file itself is
 * wrong; failed tests are no error here. */
int test_file_run(const char *path, const struct test_options *options,
                  void (*on_test)(void *user, const struct test_outcome *outcome), void *user);

/* ---- between the files of this part ---- */

/* Fields of the table on top of the stack. */
void test_set_text(struct test_state *state, const char *key, const char *text, size_t len);
void test_set_string(struct test_state *state, const char *key, const char *text); /* NULL: nil */
void test_set_number(struct test_state *state, const char *key, double number);
void test_set_bool(struct test_state *state, const char *key, bool value);
/* LSCHED_UNLIMITED and LSCHED_NEVER_US are math.huge; cpu and gpu in whole ones, memory in GiB. */
void test_set_amount(struct test_state *state, const char *key, uint32_t kind, int64_t amount);
void test_set_seconds(struct test_state *state, const char *key, int64_t us);

/* Pushes the table of a plan (docs/policy-tests.md). A lua_CFunction that takes the cycle as light
 * userdata. */
int test_push_plan(lua_State *L);

/* lua_CFunctions: (cluster) or (cluster, name); a table, or nil where there is no such object. */
int test_push_job(lua_State *L);
int test_push_queue(lua_State *L);
int test_push_node(lua_State *L);
int test_push_policy(lua_State *L);
int test_push_running(lua_State *L);
int test_explain(lua_State *L);
int test_ask(lua_State *L);

#endif
