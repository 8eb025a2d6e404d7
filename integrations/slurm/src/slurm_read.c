/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_read.c -- reads records of Slurm: nodes with their generic resources, what a job asks for,
 * and what it holds.
 *
 * A request becomes a number of equal tasks. An option without an image is named in `unmapped`.
 */
#include "slurm_read.h"

#include <string.h>
#include <time.h>

#include "src/common/job_resources.h"
#include "src/common/slurm_protocol_defs.h"

#include "slurm_release.h"

#define MANY_NODES 500000u /* Slurm's own word for "as many as there are" begins here */
#define TASKS_MAX  4096u   /* a job with more tasks is described by its nodes */

static bool is_gpu(const char *name) {
    return name && strcmp(name, "gpu") == 0;
}

/* "a,b" becomes a list of texts. */
static uint32_t split_names(struct snapshot_arena *arena, const char *text, const char ***out) {
    if (!text || !*text) return 0;
    uint32_t n = 1;
    for (const char *p = text; *p; p++) n += *p == ',';
    char *copy = snapshot_text(arena, text), *rest = NULL;
    const char **names = snapshot_alloc(arena, n, sizeof *names);
    if (!copy || !names) return 0;
    n = 0;
    for (char *one = strtok_r(copy, ",", &rest); one; one = strtok_r(NULL, ",", &rest))
        names[n++] = one;
    *out = names;
    return n;
}

/* ---- nodes ---- */

/* The model of the device with this index. */
static const char *model_at(const gres_node_state_t *gres, uint64_t index) {
    uint64_t from = 0;
    for (uint32_t t = 0; t < gres->topo_cnt; t++) {
        bitstr_t *devices = gres->topo_gres_bitmap ? gres->topo_gres_bitmap[t] : NULL;
        if (devices && (bitoff_t)index < bit_size(devices) && bit_test(devices, (bitoff_t)index))
            return gres->topo_type_name ? gres->topo_type_name[t] : NULL;
    }
    for (uint32_t t = 0; !gres->topo_cnt && t < gres->type_cnt; t++) {
        if (index < from + gres->type_cnt_avail[t]) return gres->type_name[t];
        from += gres->type_cnt_avail[t];
    }
    return NULL;
}

static bool same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* One element for each run of equal models; a resource that is no device is one element. */
static void read_node_gres(struct snapshot_arena *arena, gres_state_t *state,
                           struct snapshot_node *node, struct snapshot_gres *list, uint32_t max) {
    gres_node_state_t *gres = state->gres_data;
    if (!gres || gres->no_consume) return;
    bool gpu = is_gpu(state->gres_name);
    for (uint64_t i = 0; i < gres->gres_cnt_avail && node->n_gres < max; i++) {
        const char *model = gpu ? model_at(gres, i) : NULL;
        struct snapshot_gres *last = i ? &list[node->n_gres - 1] : NULL;
        if (last && same_text(last->type, model)) {
            last->count++;
            continue;
        }
        list[node->n_gres++] = (struct snapshot_gres){snapshot_text(arena, state->gres_name),
                                                      snapshot_text(arena, model), 1};
        if (!gpu) {
            list[node->n_gres - 1].count = gres->gres_cnt_avail;
            return;
        }
    }
}

static bool node_is_ready(node_record_t *record) {
    uint32_t bad = NODE_STATE_DRAIN | NODE_STATE_FAIL | NODE_STATE_NO_RESPOND |
                   NODE_STATE_POWERING_DOWN | NODE_STATE_REBOOT_REQUESTED |
                   NODE_STATE_REBOOT_ISSUED | NODE_STATE_INVALID_REG;
    uint32_t base = record->node_state & NODE_STATE_BASE;
    return !(record->node_state & bad) && base != NODE_STATE_DOWN && base != NODE_STATE_UNKNOWN &&
           base != NODE_STATE_FUTURE;
}

#define NODE_GRES_MAX 32u
bool read_node(struct snapshot_arena *arena, node_record_t *record, struct snapshot_node *node) {
    node->name = snapshot_text(arena, record->name);
    node->ready = node_is_ready(record);
    node->cpus = record->cpus_efctv ? record->cpus_efctv : record->cpus;
    uint64_t memory = record->real_memory;
    node->memory_mb = memory > record->mem_spec_limit ? memory - record->mem_spec_limit : memory;
    node->n_features = split_names(
        arena, record->features_act ? record->features_act : record->features, &node->features);
    node->partitions =
        snapshot_alloc(arena, record->part_cnt ? record->part_cnt : 1, sizeof(char *));
    node->gres = snapshot_alloc(arena, NODE_GRES_MAX, sizeof *node->gres);
    if (!node->name || !node->partitions || !node->gres) return false;
    for (uint32_t i = 0; i < record->part_cnt; i++) {
        part_record_t *part = record->part_pptr[i];
        node->partitions[node->n_partitions++] = snapshot_text(arena, part->name);
    }
    if (!record->gres_list) return true;
    list_itr_t *each = list_iterator_create(record->gres_list);
    gres_state_t *state;
    while ((state = list_next(each))) read_node_gres(arena, state, node, node->gres, NODE_GRES_MAX);
    list_iterator_destroy(each);
    return true;
}

/* ---- what a job holds ---- */

static void read_share_gpus(list_t *allocated, uint32_t at, struct snapshot_share *share) {
    if (!allocated) return;
    list_itr_t *each = list_iterator_create(allocated);
    gres_state_t *state;
    while ((state = list_next(each))) {
        gres_job_state_t *gres = state->gres_data;
        bool part = snapshot_is_part(state->gres_name);
        if ((!is_gpu(state->gres_name) && !part) || !gres || at >= gres->node_cnt) continue;
        uint64_t count = gres->gres_cnt_node_alloc ? gres->gres_cnt_node_alloc[at] : 0;
        if (part && count)
            share->part += count,
                share->part_name = strcmp(state->gres_name, "mps") == 0 ? "mps" : "shard";
        else
            share->n_gpus += (uint32_t)count;
        bitstr_t *devices = gres->gres_bit_alloc ? gres->gres_bit_alloc[at] : NULL;
        for (bitoff_t i = 0; devices && i < bit_size(devices) && i < 128; i++)
            if (bit_test(devices, i)) share->gpus[i / 64] |= UINT64_C(1) << (i % 64);
    }
    list_iterator_destroy(each);
}

/* The nodes that a completing job has left already hold nothing of it. */
static bool still_there(const job_record_t *record, bitoff_t node) {
    return !IS_JOB_COMPLETING(record) || !record->node_bitmap_cg ||
           bit_test(record->node_bitmap_cg, node);
}

uint32_t read_shares(struct snapshot_arena *arena, job_record_t *record, const uint32_t *nodes,
                     struct snapshot_share **out) {
    job_resources_t *resources = record->job_resrcs;
    if (!resources || !resources->node_bitmap) return 0;
    struct snapshot_share *shares =
        snapshot_alloc(arena, resources->nhosts ? resources->nhosts : 1, sizeof *shares);
    if (!shares) return 0;
    uint32_t at = 0, n = 0;
    for (bitoff_t i = 0; i < bit_size(resources->node_bitmap) && at < resources->nhosts; i++) {
        if (!bit_test(resources->node_bitmap, i)) continue;
        if (still_there(record, i)) {
            struct snapshot_share *share = &shares[n++];
            share->node = nodes ? nodes[i] : (uint32_t)i;
            if (resources->cpus) share->cpus = resources->cpus[at];
            if (resources->memory_allocated) share->memory_mb = resources->memory_allocated[at];
            read_share_gpus(record->gres_list_alloc, at, share);
        }
        at++;
    }
    *out = shares;
    return n;
}

/* ---- what a job asks for ---- */

static uint64_t divided_up(uint64_t a, uint64_t b) {
    return b ? (a + b - 1) / b : a;
}

static bool given(uint32_t number) {
    return number != 0 && number < MANY_NODES;
}

/* The number of tasks of Slurm; 0: the user gave none. */
static uint32_t slurm_tasks(const job_details_t *details) {
    return details->num_tasks && details->num_tasks != NO_VAL ? details->num_tasks : 0;
}

/* The generic resource that is asked for as one of: for the job, for each node, for each task. */
static void read_one_gres(struct snapshot_arena *arena, const gres_state_t *state, uint32_t tasks,
                          uint32_t tasks_on_node, struct snapshot_job *job) {
    const gres_job_state_t *gres = state->gres_data;
    bool each_task = job->layout == SNAPSHOT_EACH_TASK;
    uint64_t count = gres->gres_per_node;
    if (gres->gres_per_socket) job->unmapped = "--gpus-per-socket";
    if (gres->gres_per_task) count = gres->gres_per_task * (each_task ? 1 : tasks_on_node);
    if (gres->gres_per_job && !gres->gres_per_node && !gres->gres_per_task) {
        uint32_t places = each_task ? tasks : job->count_min;
        if (gres->gres_per_job % places != 0) {
            job->unmapped = snapshot_format(arena, "--gpus=%llu for %u %s",
                                            (unsigned long long)gres->gres_per_job, places,
                                            each_task ? "tasks" : "nodes");
        }
        count = gres->gres_per_job / places;
    }
    struct snapshot_gres *out = &job->gres[job->n_gres++];
    *out = (struct snapshot_gres){snapshot_text(arena, state->gres_name),
                                  snapshot_text(arena, gres->type_name), count};
}

static int read_one_licence(void *record, void *list) {
    const licenses_t *from = record;
    struct snapshot *snapshot = list;
    struct snapshot_licence *out = &snapshot->licences[snapshot->n_licences];
    const char *name = snapshot_text(&snapshot->arena, from->name);
    if (!name || snapshot->n_licences == snapshot->licences_capacity) return 0;
    *out = (struct snapshot_licence){name, from->total, from->used + release_licences_missing(from),
                                     from->reserved};
    snapshot->n_licences++;
    return 0;
}

/* The walk holds the list's own lock, since remote licences change under none of slurmctld's. */
bool read_licences(struct snapshot *snapshot) {
    int n = cluster_license_list ? list_count(cluster_license_list) : 0;
    if (n <= 0) return true;
    snapshot->licences_capacity = (uint32_t)n;
    snapshot->licences = snapshot_alloc(&snapshot->arena, (size_t)n, sizeof *snapshot->licences);
    if (!snapshot->licences) return false;
    (void)list_for_each(cluster_license_list, read_one_licence, snapshot);
    return true;
}

/* What the job needs of licences: their records have the number in `total`. */
static void read_job_licences(struct snapshot_arena *arena, job_record_t *record,
                              struct snapshot_job *job) {
    int n = record->license_list ? list_count(record->license_list) : 0;
    if (n <= 0) return;
    job->licences = snapshot_alloc(arena, (size_t)n, sizeof *job->licences);
    if (!job->licences) return;
    list_itr_t *each = list_iterator_create(record->license_list);
    licenses_t *one;
    while ((one = list_next(each)) && job->n_licences < (uint32_t)n)
        job->licences[job->n_licences++] =
            (struct snapshot_gres){snapshot_text(arena, one->name), NULL, one->total};
    list_iterator_destroy(each);
}

/* Looks at how the resources are asked for: `per_node` if something is per node. */
static uint64_t gres_of_job(job_record_t *record, bool *per_node, uint32_t *n) {
    uint64_t most = 0;
    *n = 0;
    if (!record->gres_list_req) return 0;
    list_itr_t *each = list_iterator_create(record->gres_list_req);
    gres_state_t *state;
    while ((state = list_next(each))) {
        gres_job_state_t *gres = state->gres_data;
        ++*n;
        if (gres->gres_per_node || gres->gres_per_socket) *per_node = true;
        if (gres->gres_per_job > most) most = gres->gres_per_job;
    }
    list_iterator_destroy(each);
    return most;
}

/* The tasks of libsched: one for each node, unless the user left the number of nodes open and
 * nothing is asked for by node. */
static void read_layout(job_record_t *record, struct snapshot_job *job) {
    job_details_t *details = record->details;
    uint32_t tasks = slurm_tasks(details), n;
    bool by_memory = details->pn_min_memory && !(details->pn_min_memory & MEM_PER_CPU);
    bool per_node = by_memory || details->ntasks_per_node || details->min_nodes > 1 ||
                    details->req_node_bitmap || given(details->max_nodes);
    uint64_t of_job = gres_of_job(record, &per_node, &n);
    job->layout = SNAPSHOT_EACH_NODE;
    job->count_min = details->min_nodes ? details->min_nodes : 1;
    job->count_max = given(details->max_nodes) ? details->max_nodes : job->count_min;
    if (job->count_max < job->count_min) job->count_max = job->count_min;
    if (per_node || job->exclusive) return;
    uint32_t pieces = of_job > 1 ? (uint32_t)of_job : tasks;
    if (pieces < 2 || pieces > TASKS_MAX) return;
    job->layout = SNAPSHOT_EACH_TASK;
    job->count_min = job->count_max = pieces;
}

static void read_amounts(job_record_t *record, struct snapshot_job *job, uint32_t tasks_on_node) {
    job_details_t *details = record->details;
    uint64_t each =
        details->cpus_per_task && details->cpus_per_task != NO_VAL16 ? details->cpus_per_task : 1;
    uint64_t cpus = each;
    if (job->layout == SNAPSHOT_EACH_NODE) {
        cpus = each * tasks_on_node;
        uint64_t least = divided_up(details->min_cpus, job->count_min);
        if (details->min_cpus != NO_VAL && least > cpus) cpus = least;
        if (details->pn_min_cpus != NO_VAL && details->pn_min_cpus > cpus)
            cpus = details->pn_min_cpus;
        if (details->min_gres_cpu > 0 && (uint64_t)details->min_gres_cpu > cpus)
            cpus = (uint64_t)details->min_gres_cpu;
    } else if (details->min_cpus != NO_VAL &&
               divided_up(details->min_cpus, job->count_min) > cpus) {
        cpus = divided_up(details->min_cpus, job->count_min);
    }
    job->cpus = (uint32_t)cpus;
    uint64_t memory = details->pn_min_memory;
    job->memory_mb = memory & MEM_PER_CPU ? (memory & ~MEM_PER_CPU) * cpus : memory;
}

/* A list of features becomes "a&b|c"; what says more than that has no image. */
static void read_features(struct snapshot_arena *arena, job_record_t *record,
                          struct snapshot_job *job) {
    const char *text = record->details->features;
    if (!text || !*text) return;
    if (strpbrk(text, "[]*(){}")) {
        job->unmapped = snapshot_format(arena, "--constraint=%s", text);
        return;
    }
    char *copy = snapshot_text(arena, text);
    for (char *p = copy; p && *p; p++)
        if (*p == ',') *p = '&';
    job->features = copy;
}

static uint32_t names_of(struct snapshot_arena *arena, bitstr_t *nodes, const char ***out) {
    int32_t n = nodes ? bit_set_count(nodes) : 0;
    if (n <= 0) return 0;
    const char **names = snapshot_alloc(arena, (size_t)n, sizeof *names);
    if (!names) return 0;
    uint32_t at = 0;
    for (bitoff_t i = 0; i < bit_size(nodes) && at < (uint32_t)n; i++)
        if (bit_test(nodes, i) && i < node_record_count && node_record_table_ptr[i])
            names[at++] = snapshot_text(arena, node_record_table_ptr[i]->name);
    *out = names;
    return at;
}

static void read_refused_options(job_record_t *record, struct snapshot_job *job) {
    job_details_t *details = record->details;
    if (record->het_job_id) job->unmapped = "hetjob (components after \":\")";
    if (details->contiguous) job->unmapped = "--contiguous";
    if (details->whole_node == WHOLE_NODE_USER) job->unmapped = "--exclusive=user";
    if (details->whole_node == WHOLE_NODE_MCS) job->unmapped = "--exclusive=mcs";
    if (record->burst_buffer) job->unmapped = "--bb";
    if (details->expanding_jobid) job->unmapped = "--dependency=expand";
    if (job->n_nodes_in && job->n_nodes_in < job->count_min)
        job->unmapped = "--nodelist with fewer nodes than --nodes";
    if (job->n_nodes_in > job->count_max) job->count_max = job->count_min = job->n_nodes_in;
}

void read_request(struct snapshot_arena *arena, job_record_t *record, struct snapshot_job *job) {
    job_details_t *details = record->details;
    bool unused = false;
    uint32_t n = 0;
    job->exclusive = details->whole_node == WHOLE_NODE_REQUIRED || details->share_res == 0 ||
                     (record->part_ptr && record->part_ptr->max_share == 0);
    read_layout(record, job);
    uint32_t tasks = slurm_tasks(details), on_node = details->ntasks_per_node;
    if (!on_node || on_node == NO_VAL16)
        on_node = tasks ? (uint32_t)divided_up(tasks, job->count_min) : 1;
    read_amounts(record, job, on_node);
    gres_of_job(record, &unused, &n);
    job->gres = snapshot_alloc(arena, n ? n : 1, sizeof *job->gres);
    if (record->gres_list_req && job->gres) {
        list_itr_t *each = list_iterator_create(record->gres_list_req);
        gres_state_t *state;
        while ((state = list_next(each)) && job->n_gres < n)
            read_one_gres(arena, state, job->count_min, on_node, job);
        list_iterator_destroy(each);
    }
    read_features(arena, record, job);
    read_job_licences(arena, record, job);
    job->leaf_switches = record->req_switch;
    job->waits_for_switches = record->wait4switch == INFINITE || record->wait4switch == NO_VAL ||
                              details->submit_time + record->wait4switch > time(NULL);
    job->n_nodes_in = names_of(arena, details->req_node_bitmap, &job->nodes_in);
    job->n_nodes_out = names_of(arena, details->exc_node_bitmap, &job->nodes_out);
    read_refused_options(record, job);
}

static void read_partitions(struct snapshot_arena *arena, job_record_t *record,
                            struct snapshot_job *job) {
    int n = record->part_ptr_list ? list_count(record->part_ptr_list) : 1;
    job->partitions = snapshot_alloc(arena, n > 0 ? (size_t)n : 1, sizeof *job->partitions);
    if (!job->partitions) return;
    if (!record->part_ptr_list) {
        if (!record->part_ptr) return;
        job->tier = record->part_ptr->priority_tier;
        job->partitions[job->n_partitions++] = snapshot_text(arena, record->part_ptr->name);
        return;
    }
    list_itr_t *each = list_iterator_create(record->part_ptr_list);
    part_record_t *part;
    while ((part = list_next(each)) && job->n_partitions < (uint32_t)n) {
        if (part->priority_tier > job->tier) job->tier = part->priority_tier;
        job->partitions[job->n_partitions++] = snapshot_text(arena, part->name);
    }
    list_iterator_destroy(each);
}

/* The time limit with the time by which the site lets jobs exceed it. 0: Slurm ends no such job. */
static int64_t longest_run_us(const job_record_t *record) {
    const part_record_t *part = record->part_ptr;
    uint32_t minutes = record->time_limit;
    uint16_t over = slurm_conf.over_time_limit;
    if (part && part->over_time_limit != NO_VAL16) over = part->over_time_limit;
    if (minutes == NO_VAL || minutes == INFINITE) minutes = part ? part->max_time : INFINITE;
    if (minutes == NO_VAL || minutes == INFINITE || over == INFINITE16) return 0;
    return ((int64_t)minutes + over) * 60000000;
}

void read_owner(struct snapshot_arena *arena, job_record_t *record, struct snapshot_job *job) {
    job->job_id = record->job_id;
    job->array_job = record->array_job_id;
    if (record->array_job_id && record->array_task_id != NO_VAL)
        job->array_task = record->array_task_id;
    job->account = snapshot_text(arena, record->account);
    job->user = snapshot_text(arena, record->user_name);
    job->reservation = record->resv_ptr ? snapshot_text(arena, record->resv_ptr->name) : NULL;
    if (!job->user) job->user = snapshot_format(arena, "%u", record->user_id);
    if (record->qos_ptr) {
        job->qos = snapshot_text(arena, record->qos_ptr->name);
        job->qos_priority = record->qos_ptr->priority;
    }
    job->priority = record->priority;
    job->submit_us = (int64_t)record->details->submit_time * 1000000;
    job->start_us = (int64_t)record->start_time * 1000000;
    job->time_limit_us = longest_run_us(record);
    read_partitions(arena, record, job);
    bool off = slurm_preemption_enabled() && slurm_job_preempt_mode(record) == PREEMPT_MODE_OFF;
    job->requeueable = record->details->requeue && record->batch_flag && !off;
    job->warning_us = (int64_t)slurm_job_get_grace_time(record) * 1000000;
    job->grace_us = job->warning_us + (int64_t)slurm_conf.kill_wait * 1000000;
}
