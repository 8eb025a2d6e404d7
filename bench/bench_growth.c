#define _POSIX_C_SOURCE 200809L /* clock_gettime */

/*
 * bench_growth.c -- what tenants can make many, at n, 2n and 4n: steps (what was looked at), how they grow, and seconds. tests/unit/
 * test_growth.c holds what is near n log n: a factor of 4 to 5 from n to 4n, where the square would be 16.
 */
#include "bench_support.h"

#include "../tests/support/growth_world.h"

static void show(const char *what, uint64_t (*world)(uint32_t n), uint32_t n) {
    uint64_t steps[3];
    double seconds[3];
    for (int i = 0; i < 3; i++) {
        double t0 = bench_seconds();
        steps[i] = world(n << i);
        seconds[i] = bench_seconds() - t0;
    }
    printf("  %-28s n %6u  steps %10llu %10llu %10llu  4n/n %5.2f   whole run %.2f %.2f %.2f s\n",
           what, n, (unsigned long long)steps[0], (unsigned long long)steps[1],
           (unsigned long long)steps[2], (double)steps[2] / (double)steps[0], seconds[0],
           seconds[1], seconds[2]);
}

int main(void) {
    printf("growth: steps at n, 2n, 4n\n");
    show("units of gangs, 4 nodes", growth_gangs, 1024);
    show("reports of an evicted gang", growth_reports, 4096);
    show("distinct terms about jobs", growth_terms, 512);
    show("terms, a common label", growth_term_pairs, 256);
    show("victims below a limit", growth_victims, 1024);
    show("unsettled evictions", growth_needless, 1024);
    show("waiting queues, drf", growth_waiting_drf, 1024);
    show("waiting queues, quota", growth_waiting_quota, 1024);
    show("waiting users", growth_users, 1024);
    show("places on a draining node", growth_drained, 1024);
    show("jobs that leave a node", growth_drain_turns, 1024);
    show("tasks of one job that grows", growth_elastic, 1024);
    show("stale gangs", growth_stale, 1024);
    show("users beside what is owed", growth_owed, 1024);
    return 0;
}
