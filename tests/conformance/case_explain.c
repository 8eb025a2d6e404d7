/*
 * case_explain.c -- see case_explain.h. Numbers are in base units; what queues hold is as after the cycle.
 */
#include "case_explain.h"

#include <inttypes.h>
#include <stdio.h>

static void print_name(const lsched_cluster *cluster, const char *before, lsched_id id) {
    size_t len = 0;
    const char *name = id ? lsched_name(cluster, id, &len) : NULL;
    if (name) fprintf(stderr, "%s%.*s", before, (int)len, name);
}

static void print_decision(const lsched_cluster *cluster, const lsched_decision *d) {
    static const char *const kinds[] = {"?", "place", "nominate", "evict", "migrate"};
    static const char *const reasons[] = {"", "reclaim", "preempt", "consolidate", "stale gang"};
    fprintf(stderr, "    %s", d->kind <= LSCHED_DECIDE_MIGRATE ? kinds[d->kind] : "?");
    print_name(cluster, " ", d->job);
    fprintf(stderr, "-%u", d->task_index);
    print_name(cluster, " on ", d->node);
    if (d->device_mask) fprintf(stderr, " devices %#x x %u", d->device_mask, d->device_milli);
    print_name(cluster, " to ", d->to_node);
    print_name(cluster, " for ", d->for_job);
    fprintf(stderr, " %s, group %" PRIu64 ", cost %" PRId64 "\n",
            d->reason <= LSCHED_FOR_STALE_GANG ? reasons[d->reason] : "?", d->group, d->cost);
}

static void print_waiting(const lsched_cluster *cluster, const lsched_waiting *w) {
    char text[400];
    if (lsched_waiting_text(cluster, w, text, sizeof text, NULL) < 0) return;
    print_name(cluster, "    waits ", w->job);
    fprintf(stderr, ": %s", text);
    if (w->evict_code) {
        fprintf(stderr, " [evicting: code %u, need %" PRId64 ", have %" PRId64, w->evict_code,
                w->evict_need, w->evict_have);
        print_name(cluster, ", queue ", w->evict_queue);
        fprintf(stderr, "]");
    }
    fprintf(stderr, "\n");
}

static void print_queue(lsched_cluster *cluster, lsched_id queue) {
    static const char *const kinds[] = {"cpu", "memory", "gpu"};
    print_name(cluster, "    queue ", queue);
    for (uint32_t i = 0; i < 3; i++) {
        lsched_queue_share share = LSCHED_QUEUE_SHARE_INIT;
        if (lsched_queue_share_get(cluster, queue, LSCHED_CPU + i, &share, NULL) < 0) continue;
        fprintf(stderr, "%s %s %" PRId64 " of guarantee %" PRId64 ", fair share ", i ? "," : "",
                kinds[i], share.used, share.guarantee);
        if (share.fair_share == LSCHED_UNLIMITED)
            fprintf(stderr, "unlimited");
        else
            fprintf(stderr, "%" PRId64, share.fair_share);
    }
    fprintf(stderr, "\n");
}

void explain_plan(lsched_cluster *cluster, const lsched_plan *plan) {
    uint64_t cursor = 0;
    for (lsched_id queue; (queue = lsched_next(cluster, LSCHED_KIND_QUEUE, &cursor));)
        print_queue(cluster, queue);
    for (size_t i = 0; i < lsched_plan_size(plan); i++)
        print_decision(cluster, lsched_plan_at(plan, i));
    for (size_t i = 0; i < lsched_plan_waiting_size(plan); i++)
        print_waiting(cluster, lsched_plan_waiting_at(plan, i));
}
