/*
 * bench_what_if.c -- what lsched_would_start() costs in a full cluster of 5,000 nodes: for a job that waits, for a described one, and with
 * the cheapest change that would start it. `bench_what_if 50000` takes 50,000 nodes.
 *
 * The baseline makes the same prediction without the call: it clones the cluster into a clone that exists already, submits the job there
 * if it is described, and runs a cycle. All numbers are medians.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <string.h>

#include "bench_support.h"
#include "support/event_world.h"

enum { NODES = 5000, ROUNDS = 15 };

static lsched_cluster *spare; /* the clone of the baseline */

static lsched_job_desc described(lsched_group_desc *g, lsched_amount *gpus) {
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    *g = (lsched_group_desc)LSCHED_GROUP_DESC_INIT;
    *gpus = (lsched_amount){LSCHED_GPU, 0, 2000};
    g->request = gpus;
    g->n_request = 1;
    d.name = LSCHED_TEXT("described");
    d.groups = g;
    d.n_groups = 1;
    return d;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *t) {
    qsort(t, ROUNDS, sizeof *t, by_size);
    return t[ROUNDS / 2];
}

static int64_t now_of(const lsched_cluster *c) {
    lsched_cluster_stats s = {.size = sizeof s};
    lsched_cluster_stats_get(c, &s, NULL);
    return s.now_us;
}

/* Returns the seconds of one prediction by a clone. desc: NULL: of a job that exists. */
static double by_clone(lsched_cluster *c, const lsched_job_desc *desc) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    o.now_us = now_of(c);
    double begin = bench_seconds();
    bench_check(lsched_cluster_clone(c, &spare, &err), &err, "clone");
    if (desc)
        bench_check(lsched_jobs_submit(spare, desc, 1, sizeof *desc, NULL, NULL, NULL, &err), &err,
                    "submit");
    bench_check(lsched_schedule(spare, &o, &plan, &err), &err, "schedule");
    double t = bench_seconds() - begin;
    lsched_plan_destroy(plan);
    return t;
}

static double by_call(lsched_cluster *c, lsched_id job, const lsched_job_desc *desc,
                      lsched_offer *offer, lsched_would_start_answer *a) {
    lsched_error err = LSCHED_ERROR_INIT;
    *a = (lsched_would_start_answer)LSCHED_WOULD_START_ANSWER_INIT;
    a->offer = offer;
    double begin = bench_seconds();
    bench_check(lsched_would_start(c, job, desc, NULL, a, &err), &err, "would_start");
    return bench_seconds() - begin;
}

static void measure(lsched_cluster *c, const char *what, lsched_id job, const lsched_job_desc *desc,
                    int offers) {
    double call[ROUNDS], clone[ROUNDS];
    lsched_offer offer = LSCHED_OFFER_INIT;
    lsched_would_start_answer a;
    for (int i = 0; i < ROUNDS; i++) {
        call[i] = by_call(c, job, desc, offers ? &offer : NULL, &a);
        clone[i] = by_clone(c, desc);
    }
    rows_put(what, "ms", 1e3 * median(call), "clone and schedule", 1e3 * median(clone));
    rows_note("%s: answer %u, offer %s, %u changes tried", what, a.start,
              lsched_offer_name(offer.change), offer.tried);
}

int main(int argc, char **argv) {
    argc = rows_open("what_if", argc, argv);
    uint32_t nodes = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : NODES;
    const struct event_size size = {
        .nodes = nodes, .queues = 8, .waiting = 8, .shapes = 4, .jobs = 10, .seed = 1};
    struct event_world *w = event_world_open(&size);
    lsched_cluster *c = event_world_cluster(w);
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_group_desc group;
    lsched_amount gpus;
    lsched_job_desc d = described(&group, &gpus);
    lsched_job_info info = {.size = sizeof info};
    uint64_t cursor = 0;
    lsched_id job = 0, next;
    while ((next = lsched_next(c, LSCHED_KIND_JOB, &cursor)) != 0)
        if (lsched_job_get(c, next, &info, NULL) >= 0 && info.tasks_placed == 0) job = next;
    bench_check(lsched_job_get(c, job, &info, NULL), &err, "job");
    d.queue = info.queue;
    bench_check(lsched_cluster_clone(c, &spare, &err), &err, "clone");
    rows_note("%u nodes with 8 GPUs, all of them in use; medians of %d", nodes, ROUNDS);
    measure(c, "waiting", job, NULL, 0);
    measure(c, "described", 0, &d, 0);
    measure(c, "waiting_offer", job, NULL, 1);
    lsched_cluster_destroy(spare);
    event_world_close(w);
    return 0;
}
