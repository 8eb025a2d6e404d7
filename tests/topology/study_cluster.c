#define _POSIX_C_SOURCE 200809L /* clock_gettime */

/* study_cluster.c -- see study_cluster.h. */
#include "topology/study_cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "support/settle.h"

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int complain(const char *call, const lsched_error *err) {
    fprintf(stderr, "%s: %s: %s\n", call, lsched_error_name(err->code), err->message);
    return -1;
}

static int add_host(struct study_cluster *s, uint32_t i) {
    const struct study_host *h = &s->tree->hosts[i];
    char name[64], sw[2 * STUDY_TEXT];
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_device_desc gpus = LSCHED_DEVICE_DESC_INIT;
    snprintf(name, sizeof name, "host-%04u", i);
    snprintf(sw, sizeof sw, "%s/%s", h->group_name, h->switch_name);
    const lsched_label labels[3] = {{LSCHED_TEXT("group"), lsched_cstr(h->group_name)},
                                    {LSCHED_TEXT("switch"), lsched_cstr(sw)},
                                    {LSCHED_TEXT("host"), lsched_cstr(name)}};
    gpus.count = h->gpus;
    gpus.model = LSCHED_TEXT("H100-80GB");
    node.name = lsched_cstr(name);
    node.labels = labels;
    node.n_labels = 3;
    node.devices = &gpus;
    node.n_devices = 1;
    node.tag = i;
    if (lsched_nodes_add(s->cluster, &node, 1, sizeof node, NULL, NULL, NULL, &err) < 0)
        return complain("nodes_add", &err);
    return 0;
}

/* Everything but the hosts. */
static int furnish(struct study_cluster *s, const char *placement) {
    static const lsched_text levels[3] = {LSCHED_TEXT_INIT("group"), LSCHED_TEXT_INIT("switch"),
                                          LSCHED_TEXT_INIT("host")};
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_topology_desc topology = LSCHED_TOPOLOGY_DESC_INIT;
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    char text[128];
    topology.name = LSCHED_TEXT("network");
    topology.levels = levels;
    topology.n_levels = 3;
    queue.name = LSCHED_TEXT("q");
    int len = snprintf(text, sizeof text, "return { api = 1, name = 'study', placement = '%s' }",
                       placement);
    if (lsched_topologies_add(s->cluster, &topology, 1, sizeof topology, NULL, NULL, NULL, &err) <
        0)
        return complain("topologies_add", &err);
    if (lsched_queues_add(s->cluster, &queue, 1, sizeof queue, NULL, NULL, NULL, &err) < 0)
        return complain("queues_add", &err);
    if (lsched_policy_load(s->cluster, LSCHED_TEXT("study"), (lsched_text){text, (size_t)len}, NULL,
                           &err) < 0)
        return complain("policy_load", &err);
    return 0;
}

int study_cluster_open(struct study_cluster *s, const struct study_tree *tree, uint32_t gangs,
                       const char *placement, int wishes, int verify) {
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    memset(s, 0, sizeof *s);
    s->tree = tree;
    s->wishes = wishes;
    s->jobs = calloc(gangs, sizeof s->jobs[0]);
    if (!s->jobs) abort();
    opts.verify_every_plan = (uint32_t)verify;
    if (lsched_cluster_create(&opts, &s->cluster, &err) < 0) return complain("create", &err);
    int rc = furnish(s, placement);
    for (uint32_t i = 0; rc == 0 && i < tree->n_hosts; i++) rc = add_host(s, i);
    return rc;
}

void study_cluster_close(struct study_cluster *s) {
    lsched_cluster_destroy(s->cluster);
    free(s->jobs);
    s->cluster = NULL;
    s->jobs = NULL;
}

static int submit(struct study_cluster *s, uint32_t gang, uint32_t gpus) {
    char name[32];
    const lsched_amount request = {LSCHED_GPU, 0, 1000};
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    snprintf(name, sizeof name, "gang-%u", gang);
    group.request = &request;
    group.n_request = 1;
    group.max_count = gpus;
    if (s->wishes) group.preferred_level = LSCHED_TEXT("host");
    job.name = lsched_cstr(name);
    job.queue_name = LSCHED_TEXT("q");
    job.groups = &group;
    job.n_groups = 1;
    job.submit_us = s->now_us;
    if (lsched_jobs_submit(s->cluster, &job, 1, sizeof job, NULL, &s->jobs[gang], NULL, &err) < 0)
        return complain("jobs_submit", &err);
    return 0;
}

/* Agree to all that is proposed, and count it by host. */
static int agree(struct study_cluster *s, const lsched_plan *plan, uint8_t *taken) {
    lsched_error err = LSCHED_ERROR_INIT;
    size_t n = lsched_plan_size(plan);
    lsched_id *ids = calloc(n + 1, sizeof ids[0]);
    lsched_outcome *outcomes = calloc(n + 1, sizeof outcomes[0]);
    if (!ids || !outcomes) abort();
    for (size_t i = 0; i < n; i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        taken[d->node_tag]++;
        ids[i] = d->id;
        outcomes[i] = LSCHED_OUTCOME_CONFIRMED;
    }
    int32_t rc = n ? settle_each(s->cluster, ids, outcomes, n, NULL, &err) : 0;
    free(ids);
    free(outcomes);
    return rc < 0 ? complain("settle", &err) : 0;
}

int study_cluster_leave(void *self, uint32_t gang) {
    struct study_cluster *s = self;
    lsched_error err = LSCHED_ERROR_INIT;
    if (lsched_jobs_remove(s->cluster, &s->jobs[gang], 1, NULL, NULL, &err) < 0)
        return complain("jobs_remove", &err);
    return 0;
}

int study_cluster_place(void *self, uint32_t gang, uint32_t gpus, const uint8_t *free_gpus,
                        uint8_t *taken) {
    struct study_cluster *s = self;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    (void)free_gpus; /* the library keeps its own books */
    memset(taken, 0, s->tree->n_hosts);
    if (submit(s, gang, gpus) < 0) return -1;
    opts.now_us = s->now_us += 1000000;
    double t0 = seconds();
    if (lsched_schedule(s->cluster, &opts, &plan, &err) < 0) return complain("schedule", &err);
    s->spent_s += seconds() - t0;
    int placed = lsched_plan_size(plan) > 0;
    int rc = agree(s, plan, taken);
    lsched_plan_destroy(plan);
    if (rc == 0 && !placed) rc = study_cluster_leave(s, gang);
    return rc < 0 ? rc : placed;
}
