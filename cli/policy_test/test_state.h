/*
 * test_state.h -- the Lua state in which one file of policy tests runs, and the clusters that the
 * tests in this file create.
 *
 * Most of the work is done in Lua: policy_tests.lua turns tables into scenarios and checks
 * assertions. The C code does what Lua cannot do: it runs scenarios in a cluster, reads the objects
 * of the cluster, reads policy files, finds the line of a call, and stops a test that runs too
 * long. A Lua error must not jump over functions of the library. Therefore every call of Lua during
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
    uint32_t line;       /* line at which the test begins */
    uint32_t fails_at;   /* line of the failure; 0 if it is not known */
    const char *message; /* why the test failed, in one or more lines; NULL if the test passed */
    const char *plan;    /* text of the last plan before the failure; NULL if there is none */
};

struct test_state {
    struct lua_door lua;
    lua_State *L;
    const char *file; /* name of the test file; not owned by this struct */
    /* owned by this struct; directory of the test file with a slash at its end, or "" if the path
     * has no slash */
    char *directory;
    uint64_t bytes, bytes_max;
    uint64_t steps_left; /* Lua instructions that the test can still use, in thousands */
    bool expired;
    struct test_cluster clusters[TEST_CLUSTERS_MAX];
    size_t n_clusters;
    struct input_file named; /* the last policy file that a scenario named and that was read */
    /* called after each test, in the order of the file */
    void (*on_test)(void *user, const struct test_outcome *outcome);
    void *user;
};

struct test_options {
    const char *filter; /* only tests whose names contain this text are run; NULL means all tests */
    bool list;          /* true if the tests are only listed and not run */
    uint64_t instructions_max;
};

/* Runs the tests of a file and calls on_test for each. If the file itself has an error, reports it
 * and returns EXIT_INPUT. A failed test is not such an error. */
int test_file_run(const char *path, const struct test_options *options,
                  void (*on_test)(void *user, const struct test_outcome *outcome), void *user);

#endif
