/*
 * philly_cluster.c -- see philly_cluster.h.
 */
#include "philly_cluster.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "command.h"

#define WHOLE_GPU ((int64_t)1000)

void philly_quotas(const struct philly_list *list, int64_t gpus, int64_t *quota) {
    int64_t nodes = 0, left = gpus;
    for (size_t i = 0; i < list->n_vcs; i++) nodes += list->vcs[i].nodes;
    for (size_t i = 0; i < list->n_vcs; i++) {
        quota[i] = nodes > 0 ? gpus * list->vcs[i].nodes / nodes : 0;
        left -= quota[i];
    }
    for (size_t i = 0; nodes > 0 && i < list->n_vcs && left > 0; i++) {
        if (list->vcs[i].nodes == 0) continue;
        quota[i]++;
        left--;
    }
}

bool philly_is_dropped(const struct philly_setup *setup, const struct philly_job *job) {
    int64_t most = setup->quota_gpus != NULL ? setup->quota_gpus[job->vc] : setup->gpus;
    return (int64_t)job->gpus > most;
}

uint32_t philly_tasks(const struct philly_setup *setup, const struct philly_job *job) {
    return (job->gpus + setup->node_gpus - 1) / setup->node_gpus;
}

uint32_t philly_task_gpus(const struct philly_setup *setup, const struct philly_job *job,
                          uint32_t task) {
    uint32_t left = job->gpus - task * setup->node_gpus;
    return left < setup->node_gpus ? left : setup->node_gpus;
}

/* ---- the cluster ----------------------------------------------------------------------------- */

static int32_t add_nodes(const struct philly_setup *setup, lsched_cluster *cluster,
                         lsched_error *err) {
    enum { NAME_BYTES = 24 };
    size_t n = (size_t)setup->gpus / setup->node_gpus;
    lsched_device_desc devices = LSCHED_DEVICE_DESC_INIT;
    devices.count = setup->node_gpus;
    devices.model = (lsched_text)LSCHED_TEXT("gpu");
    lsched_node_desc *nodes = must_alloc(n * sizeof nodes[0]);
    char *names = must_alloc(n * NAME_BYTES);
    for (size_t i = 0; i < n; i++) {
        char *name = names + i * NAME_BYTES;
        snprintf(name, NAME_BYTES, "node-%05zu", i);
        nodes[i] = (lsched_node_desc)LSCHED_NODE_DESC_INIT;
        nodes[i].name = (lsched_text){name, 0};
        nodes[i].devices = &devices;
        nodes[i].n_devices = 1;
    }
    int32_t rc = lsched_nodes_add(cluster, nodes, n, sizeof nodes[0], NULL, NULL, err);
    free(names);
    free(nodes);
    return rc < 0 ? rc : LSCHED_OK;
}

static int32_t add_queue(const struct philly_setup *setup, lsched_cluster *cluster,
                         lsched_text name, int64_t quota_gpus, lsched_id *id, lsched_error *err) {
    lsched_amount quota = {LSCHED_GPU, 0, quota_gpus * WHOLE_GPU};
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    queue.name = name;
    queue.reclaim_min_runtime_us = setup->protect_us;
    queue.preempt_min_runtime_us = setup->protect_us;
    if (setup->quota_gpus != NULL) {
        queue.quota = &quota;
        queue.n_quota = 1;
    }
    if (setup->static_partition) {
        queue.limit = &quota;
        queue.n_limit = 1;
    }
    int32_t rc = lsched_queues_add(cluster, &queue, 1, sizeof queue, id, NULL, err);
    return rc < 0 ? rc : LSCHED_OK;
}

int32_t philly_cluster_fill(const struct philly_setup *setup, lsched_cluster *cluster,
                            lsched_id *queues, lsched_error *err) {
    const struct philly_list *list = setup->list;
    int32_t rc = policy_source_load(setup->policy, cluster, err);
    if (rc >= 0) rc = add_nodes(setup, cluster, err);
    if (rc >= 0 && setup->quota_gpus == NULL) {
        rc = add_queue(setup, cluster, (lsched_text)LSCHED_TEXT("all"), 0, &queues[0], err);
        for (size_t i = 1; i < list->n_vcs; i++) queues[i] = queues[0];
        return rc;
    }
    for (size_t i = 0; rc >= 0 && i < list->n_vcs; i++) {
        queues[i] = 0;
        if (setup->quota_gpus[i] == 0) continue; /* all of its jobs are dropped */
        rc = add_queue(setup, cluster, list->vcs[i].name, setup->quota_gpus[i], &queues[i], err);
    }
    return rc;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static void describe_leaf(struct philly_request *out, size_t group, size_t amount, uint32_t gpus,
                          uint32_t tasks) {
    out->amounts[amount] = (lsched_amount){LSCHED_GPU, 0, gpus * WHOLE_GPU};
    out->groups[group] = (lsched_group_desc)LSCHED_GROUP_DESC_INIT;
    out->groups[group].max_count = tasks;
    out->groups[group].request = &out->amounts[amount];
    out->groups[group].n_request = 1;
}

static uint32_t describe_groups(const struct philly_job *job, uint32_t node_gpus,
                                struct philly_request *out) {
    uint32_t whole = job->gpus / node_gpus, rest = job->gpus % node_gpus;
    if (whole == 0 || rest == 0) {
        describe_leaf(out, 0, 0, whole == 0 ? rest : node_gpus, whole == 0 ? 1 : whole);
        return 1;
    }
    out->groups[0] = (lsched_group_desc)LSCHED_GROUP_DESC_INIT;
    describe_leaf(out, 1, 0, node_gpus, whole);
    describe_leaf(out, 2, 1, rest, 1);
    return 3;
}

void philly_describe(const struct philly_setup *setup, uint32_t job, lsched_id queue,
                     int64_t left_us, struct philly_request *out) {
    const struct philly_job *of = &setup->list->jobs[job];
    snprintf(out->name, sizeof out->name, "job-%08" PRIu32, job); /* names order equal times */
    out->desc = (lsched_job_desc)LSCHED_JOB_DESC_INIT;
    out->desc.name = (lsched_text){out->name, 0};
    out->desc.tag = job;
    out->desc.queue = queue;
    out->desc.groups = out->groups;
    out->desc.n_groups = describe_groups(of, setup->node_gpus, out);
    out->desc.submit_us = of->submit_us;
    out->desc.checkpoint_period_us = setup->checkpoint_us;
    if (setup->static_partition) out->desc.flags = LSCHED_JOB_NON_PREEMPTIBLE;
    if (setup->known_durations) out->desc.duration_us = left_us;
}
