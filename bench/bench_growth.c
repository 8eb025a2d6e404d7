#define _POSIX_C_SOURCE 200809L /* clock_gettime */

/*
 * bench_growth.c -- what tenants can make many, at n, 2n and 4n: steps (what was looked at), how they grow, and seconds. tests/unit/
 * test_growth.c holds what is near n log n: a factor of 4 to 5 from n to 4n, where the square would be 16.
 */
#include "bench_support.h"

#include "../tests/support/growth_world.h"

static void show(const char *name, const char *what, uint64_t (*world)(uint32_t n), uint32_t n) {
    uint64_t steps[3];
    double seconds[3];
    for (int i = 0; i < 3; i++) {
        double t0 = bench_seconds();
        steps[i] = world(n << i);
        seconds[i] = bench_seconds() - t0;
    }
    char row[64];
    snprintf(row, sizeof row, "%s.steps", name);
    rows_note("%s: n = %u", what, n);
    rows_put(row, "steps at 4n", (double)steps[2], "steps at n", (double)steps[0]);
    snprintf(row, sizeof row, "%s.seconds", name);
    rows_put(row, "s at 4n", seconds[2], "s at n", seconds[0]);
}

int main(int argc, char **argv) {
    rows_open("growth", argc, argv);
    show("gangs", "units of gangs, 4 nodes", growth_gangs, 1024);
    show("reports", "reports of an evicted gang", growth_reports, 4096);
    show("terms", "distinct terms about jobs", growth_terms, 512);
    show("term_pairs", "terms, a common label", growth_term_pairs, 256);
    show("exclusive", "racks that belong to other jobs", growth_exclusive, 1024);
    show("exclusive_victims", "tasks that leave a rack", growth_exclusive_victims, 512);
    show("victims", "victims below a limit", growth_victims, 1024);
    show("needless", "unsettled evictions", growth_needless, 1024);
    show("waiting_drf", "waiting queues, drf", growth_waiting_drf, 1024);
    show("waiting_quota", "waiting queues, quota", growth_waiting_quota, 1024);
    show("users", "waiting users", growth_users, 1024);
    show("drained", "places on a draining node", growth_drained, 1024);
    show("drain_turns", "jobs that leave a node", growth_drain_turns, 1024);
    show("elastic", "tasks of one job that grows", growth_elastic, 1024);
    show("stale", "stale gangs", growth_stale, 1024);
    show("owed", "users beside what is owed", growth_owed, 1024);
    return 0;
}
