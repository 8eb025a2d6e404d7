/* test_running.c -- see test_running.h. */
#include "cli/policy_test/test_running.h"

static struct test_state *running;

struct test_state *test_state_now(void) {
    return running;
}

void test_state_run(struct test_state *state) {
    running = state;
}

lsched_cluster *test_cluster_of(struct test_state *state) {
    double n = state->lua.tonumber(state->L, 1);
    size_t i = n >= 1 && n <= (double)state->n_clusters ? (size_t)n - 1 : TEST_CLUSTERS_MAX;
    if (i < state->n_clusters) return state->clusters[i].cluster;
    static const char says[] = "the cluster belongs to another test";
    state->lua.pushlstring(state->L, says, sizeof says - 1);
    state->lua.error(state->L);
    return NULL;
}
