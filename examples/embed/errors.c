/* errors.c -- what a refused batch says: which elements, why, and that nothing was changed. */
#include <inttypes.h>
#include <libsched/libsched.h>
#include <stdio.h>

enum { NODES = 3 };

static int32_t add_nodes(lsched_cluster *cluster, uint32_t flags, lsched_error *err) {
    static const char *const names[NODES] = {"a", "b", "a"}; /* one name twice */
    lsched_amount cpu[NODES] = {
        {LSCHED_CPU, 0, 64000}, {LSCHED_CPU, 0, -1}, {LSCHED_CPU, 0, 64000}};
    lsched_node_desc nodes[NODES];
    for (int i = 0; i < NODES; i++) {
        lsched_init(&nodes[i], sizeof nodes[i]);
        nodes[i].name = lsched_cstr(names[i]);
        nodes[i].capacity = &cpu[i], nodes[i].n_capacity = 1;
    }
    lsched_id ids[NODES];
    int32_t status[NODES];
    lsched_batch_opts opts = {.size = sizeof opts, .flags = flags};
    int32_t done =
        lsched_nodes_add(cluster, nodes, NODES, sizeof nodes[0], &opts, ids, status, err);
    for (int i = 0; i < NODES; i++) {
        if (status[i] < 0) printf("  node %d: %s\n", i, lsched_error_name(status[i]));
    }
    return done;
}

int main(void) {
    lsched_cluster *cluster = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    if (lsched_cluster_create(NULL, &cluster, &err) < 0) return 1;

    uint64_t before = 0, after = 0;
    lsched_cluster_hash(cluster, LSCHED_HASH_IMAGE, &before, NULL);
    int32_t code = add_nodes(cluster, 0, &err);
    lsched_cluster_hash(cluster, LSCHED_HASH_IMAGE, &after, NULL);
    printf("%s, element %" PRId64 ": %s\n", lsched_error_name(code), err.index, err.message);
    printf("the cluster is %s\n", before == after ? "as before" : "another");

    int32_t added = add_nodes(cluster, LSCHED_BATCH_PARTIAL, &err);
    printf("%" PRId32 " of %d nodes added\n", added, NODES);

    lsched_id node = lsched_find(cluster, LSCHED_KIND_NODE, LSCHED_TEXT("a"));
    code = lsched_nodes_remove(cluster, &node, 1, NULL, NULL, &err);
    int32_t again = lsched_nodes_remove(cluster, &node, 1, NULL, NULL, &err);
    printf("removed again: %s (%s)\n", lsched_error_name(again), err.message);
    lsched_batch_opts sure = {.size = sizeof sure, .flags = LSCHED_BATCH_IDEMPOTENT};
    int32_t status = 0, fine = lsched_nodes_remove(cluster, &node, 1, &sure, &status, &err);
    printf("the same, idempotent: %s\n", status == LSCHED_UNCHANGED ? "unchanged" : "?");
    lsched_cluster_destroy(cluster);
    return code == 1 && added == 1 && again == LSCHED_E_STALE && fine == 1 && before == after ? 0
                                                                                              : 1;
}
