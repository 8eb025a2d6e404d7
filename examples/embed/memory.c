/* memory.c -- an allocator of the orchestrator's, a limit, and what happens when memory runs
 * out: the call fails and the cluster is as before. The allocator counts; sizes are passed
 * back, so it needs no headers of its own. */
#include <inttypes.h>
#include <libsched/libsched.h>
#include <stdio.h>
#include <stdlib.h>

struct counter {
    uint64_t bytes, calls;
};

static void *counted_alloc(void *user, size_t bytes) {
    struct counter *counter = user;
    void *p = malloc(bytes);
    if (p) counter->bytes += bytes, counter->calls++;
    return p;
}

static void *counted_realloc(void *user, void *old, size_t old_bytes, size_t new_bytes) {
    struct counter *counter = user;
    void *p = realloc(old, new_bytes);
    if (p) counter->bytes += new_bytes - old_bytes, counter->calls++;
    return p;
}

static void counted_free(void *user, void *old, size_t bytes) {
    struct counter *counter = user;
    counter->bytes -= bytes;
    free(old);
}

static int32_t add_node(lsched_cluster *cluster, int i, lsched_error *err) {
    char name[32];
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    node.name = (lsched_text){name, (uint64_t)snprintf(name, sizeof name, "node-%d", i)};
    return lsched_nodes_add(cluster, &node, 1, sizeof node, NULL, NULL, NULL, err);
}

int main(void) {
    struct counter counter = {0, 0};
    lsched_allocator memory = {.size = sizeof memory,
                               .user = &counter, /* outlives clusters, plans and descriptions */
                               .alloc = counted_alloc,
                               .realloc = counted_realloc,
                               .free = counted_free};
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.allocator = &memory;
    opts.memory_limit_bytes = 1 << 20;
    lsched_cluster *cluster = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t code = lsched_cluster_create(&opts, &cluster, &err);

    uint64_t before = 0, after = 0;
    for (int i = 0; code >= 0; i++) {
        lsched_cluster_hash(cluster, LSCHED_HASH_IMAGE, &before, NULL);
        code = add_node(cluster, i, &err);
    }
    lsched_cluster_hash(cluster, LSCHED_HASH_IMAGE, &after, NULL);
    lsched_cluster_stats stats = {.size = sizeof stats};
    lsched_cluster_stats_get(cluster, &stats, NULL);
    printf("%s after %" PRIu64 " nodes: %s\n", lsched_error_name(code), stats.nodes, err.message);
    int agree = stats.memory_bytes == counter.bytes && before == after;
    lsched_cluster_destroy(cluster);
    printf("%" PRIu64 " allocations, %" PRIu64 " bytes left\n", counter.calls, counter.bytes);
    return code == LSCHED_E_NOMEM && agree && counter.bytes == 0 ? 0 : 1;
}
