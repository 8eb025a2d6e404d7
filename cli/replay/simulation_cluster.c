/*
 * simulation_cluster.c -- see simulation_cluster.h.
 */
#include "cli/replay/simulation_cluster.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* one GPU or processor in the library's base unit, which is a thousandth */
#define WHOLE ((int64_t)1000)

void simulation_quotas(const struct job_list *list, int64_t units, int64_t *quota) {
    int64_t nodes = 0, left = units;
    for (size_t i = 0; i < list->n_queues; i++) nodes += list->queues[i].nodes;
    for (size_t i = 0; i < list->n_queues; i++) {
        quota[i] = nodes > 0 ? units * list->queues[i].nodes / nodes : 0;
        left -= quota[i];
    }
    for (size_t i = 0; nodes > 0 && i < list->n_queues && left > 0; i++) {
        if (list->queues[i].nodes == 0) continue;
        quota[i]++;
        left--;
    }
}

bool simulation_drops(const struct simulation_setup *setup, const struct listed_job *job) {
    int64_t most = setup->quota_units != NULL ? setup->quota_units[job->queue] : setup->units;
    return (int64_t)job->units > most;
}

uint32_t simulation_line(const struct simulation_setup *setup, const struct listed_job *job) {
    return setup->one_queue ? 0 : job->queue;
}

uint32_t simulation_tasks(const struct simulation_setup *setup, const struct listed_job *job) {
    return (job->units + setup->node_units - 1) / setup->node_units;
}

uint32_t simulation_task_units(const struct simulation_setup *setup, const struct listed_job *job,
                               uint32_t task) {
    uint32_t left = job->units - task * setup->node_units;
    return left < setup->node_units ? left : setup->node_units;
}

/* ---- the cluster ---- */

static int32_t add_nodes(const struct simulation_setup *setup, lsched_cluster *cluster,
                         lsched_error *err) {
    enum { NAME_BYTES = 24 };
    size_t n = (size_t)setup->units / setup->node_units;
    lsched_device_desc devices = LSCHED_DEVICE_DESC_INIT;
    devices.count = setup->node_units;
    devices.model = LSCHED_TEXT("gpu");
    lsched_amount cores = {LSCHED_CPU, 0, setup->node_units * WHOLE};
    lsched_node_desc *nodes = must_alloc(n * sizeof nodes[0]);
    char *names = must_alloc(n * NAME_BYTES);
    for (size_t i = 0; i < n; i++) {
        char *name = names + i * NAME_BYTES;
        snprintf(name, NAME_BYTES, "node-%05zu", i);
        nodes[i] = (lsched_node_desc)LSCHED_NODE_DESC_INIT;
        nodes[i].name = lsched_cstr(name);
        if (setup->kind == LSCHED_GPU) {
            nodes[i].devices = &devices;
            nodes[i].n_devices = 1;
        } else {
            nodes[i].capacity = &cores;
            nodes[i].n_capacity = 1;
        }
    }
    int32_t rc = lsched_nodes_add(cluster, nodes, n, sizeof nodes[0], NULL, NULL, NULL, err);
    free(names);
    free(nodes);
    return rc < 0 ? rc : LSCHED_OK;
}

static int32_t add_queue(const struct simulation_setup *setup, lsched_cluster *cluster,
                         lsched_text name, int64_t quota_units, lsched_id *id, lsched_error *err) {
    lsched_amount quota = {setup->kind, 0, quota_units * WHOLE};
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    queue.name = name;
    queue.reclaim_min_runtime_us = setup->protect_us;
    queue.preempt_min_runtime_us = setup->protect_us;
    if (setup->quota_units != NULL) {
        queue.quota = &quota;
        queue.n_quota = 1;
    }
    if (setup->static_partition) {
        queue.limit = &quota;
        queue.n_limit = 1;
    }
    int32_t rc = lsched_queues_add(cluster, &queue, 1, sizeof queue, NULL, id, NULL, err);
    return rc < 0 ? rc : LSCHED_OK;
}

int32_t simulation_cluster_fill(const struct simulation_setup *setup, lsched_cluster *cluster,
                                lsched_id *queues, lsched_error *err) {
    const struct job_list *list = setup->list;
    int32_t rc = policy_source_load(setup->policy, cluster, err);
    if (rc >= 0) rc = add_nodes(setup, cluster, err);
    if (rc >= 0 && setup->one_queue) {
        rc = add_queue(setup, cluster, LSCHED_TEXT("all"), 0, &queues[0], err);
        for (size_t i = 1; i < list->n_queues; i++) queues[i] = queues[0];
        return rc;
    }
    for (size_t i = 0; rc >= 0 && i < list->n_queues; i++) {
        queues[i] = 0;
        int64_t quota_units = setup->quota_units != NULL ? setup->quota_units[i] : -1;
        if (quota_units == 0) continue; /* the replay drops all jobs of this queue */
        rc = add_queue(setup, cluster, list->queues[i].name, quota_units, &queues[i], err);
    }
    return rc;
}

/* ---- jobs ---- */

static void describe_leaf(struct simulation_request *out, size_t group, size_t amount,
                          uint32_t units, uint32_t tasks) {
    out->amounts[amount].amount = units * WHOLE;
    out->groups[group] = (lsched_group_desc)LSCHED_GROUP_DESC_INIT;
    out->groups[group].max_count = tasks;
    out->groups[group].request = &out->amounts[amount];
    out->groups[group].n_request = 1;
}

static uint32_t describe_groups(const struct simulation_setup *setup, const struct listed_job *job,
                                struct simulation_request *out) {
    uint32_t node_units = setup->node_units;
    uint32_t whole = job->units / node_units, rest = job->units % node_units;
    for (size_t i = 0; i < 2; i++) out->amounts[i] = (lsched_amount){setup->kind, 0, 0};
    if (whole == 0 || rest == 0) {
        describe_leaf(out, 0, 0, whole == 0 ? rest : node_units, whole == 0 ? 1 : whole);
        return 1;
    }
    out->groups[0] = (lsched_group_desc)LSCHED_GROUP_DESC_INIT;
    describe_leaf(out, 1, 0, node_units, whole);
    describe_leaf(out, 2, 1, rest, 1);
    return 3;
}

void simulation_describe(const struct simulation_setup *setup, uint32_t job, lsched_id queue,
                         int64_t left_us, struct simulation_request *out) {
    const struct listed_job *of = &setup->list->jobs[job];
    /* the names ascend with the index in the list, because the library orders jobs with equal
     * submit times by name */
    snprintf(out->name, sizeof out->name, "job-%08" PRIu32, job);
    out->desc = (lsched_job_desc)LSCHED_JOB_DESC_INIT;
    out->desc.name = lsched_cstr(out->name);
    out->desc.tag = job;
    out->desc.queue = queue;
    out->desc.groups = out->groups;
    out->desc.n_groups = describe_groups(setup, of, out);
    out->desc.submit_us = of->submit_us;
    out->desc.checkpoint_period_us = setup->checkpoint_us;
    if (setup->static_partition) out->desc.flags = LSCHED_JOB_NON_PREEMPTIBLE;
    if (setup->known_durations) out->desc.duration_us = left_us;
    if (setup->estimates && of->estimate_us > 0) out->desc.duration_us = of->estimate_us;
    if (setup->list->n_users > 0) out->desc.user = setup->list->users[of->user];
}
