/*
 * bench_memory.c -- bytes per node and per pending job, by the library's own count of what it holds: 6 resource kinds, 8 devices, 5 labels,
 * names of 24 bytes, 1,000 shapes; indexes and the slack of growing arrays included. The numbers of rows lie just above
 * where arrays that double would be half empty. Beside it: what the data alone needs, the baseline that no layout can beat.
 */
#define _POSIX_C_SOURCE 200809L /* bench_support.h */

#include "bench_support.h"

enum { NODES = 130000, JOBS = 1100000, QUEUES = 8, SHAPES = 1000 };

static uint64_t held(const lsched_cluster *c) {
    lsched_cluster_stats s = {.size = sizeof s};
    bench_check(lsched_cluster_stats_get(c, &s, NULL), NULL, "stats");
    return s.memory_bytes;
}

int main(int argc, char **argv) {
    rows_open("memory", argc, argv);
    lsched_cluster *c = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    bench_check(lsched_cluster_create(NULL, &c, &err), &err, "create");
    bench_add_queues(c, QUEUES);
    uint64_t empty = held(c);
    bench_add_nodes(c, NODES, 3);
    uint64_t nodes = held(c);
    bench_add_jobs(c, JOBS, 0, QUEUES, SHAPES);
    uint64_t jobs = held(c);
    /* name, six capacities and six free amounts, 8 x (share, memory), tag; name, tag, priority, three times, shape, queue */
    double node_least = 24 + 12 * 8 + 8 * (2 + 8) + 8, job_least = 24 + 8 + 4 + 3 * 8 + 4 + 4;
    rows_note("%d nodes (6 kinds, 8 devices, 5 labels), %d pending jobs, %d shapes; bounds 768 and "
              "256 bytes",
              NODES, JOBS, SHAPES);
    rows_put("node", "bytes", (double)(nodes - empty) / NODES, "bare data", node_least);
    rows_put("pending_job", "bytes", (double)(jobs - nodes) / JOBS, "bare data", job_least);
    lsched_cluster_destroy(c);
    return 0;
}
