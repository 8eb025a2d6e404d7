/* site_request.c -- see site_request.h. */
#include "cli/slurm/site_request.h"

#include <string.h>

#include "cli/slurm/site_licences.h"
#include "cli/slurm_records/host_list.h"

enum { AMOUNT_MAX = 1 << 24 };
#define MEMORY_MB_MAX ((int64_t)1 << 36)

static const char too_large[] = "for sizes that large";

static int64_t divide_up(int64_t a, int64_t b) {
    return b > 0 ? (a + b - 1) / b : a;
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int count_host(void *user, const char *name) {
    (void)name;
    ++*(int64_t *)user;
    return 0;
}

int64_t site_request_hosts(const char *list) {
    int64_t n = 0;
    if (list != NULL) (void)host_list_expand(list, count_host, &n);
    return n;
}

/* ---- gres ---- */

/* Adds the gres of a list to the request, each count times `num`/`den`, rounded up; if `exact`, the
 * division must have no remainder. Returns false if it has one, or an element cannot be read. */
static bool add_gres(struct site_request *out, const char *list, int64_t num, int64_t den,
                     bool exact) {
    struct slurm_part name, type;
    int64_t count = 0;
    int rc = 0;
    for (const char *at = list; (rc = slurm_next_tres(&at, &name, &type, &count)) > 0;) {
        if (count > INT32_MAX || num > INT32_MAX) return false;
        if (exact && count * num % den != 0) return false;
        int64_t each = divide_up(count * num, den);
        if (slurm_part_is(name, "gpu")) {
            /* a task has devices of one model; the plug-in has the same rule */
            if (out->gpus > 0 &&
                !(out->model.len == type.len && memcmp(out->model.text, type.text, type.len) == 0))
                return false;
            out->gpus += each;
            out->model = type;
        } else if (out->n_gres < REQUEST_GRES_MAX) {
            out->gres[out->n_gres++] = (struct request_gres){name, each};
        } else {
            return false;
        }
    }
    return rc == 0;
}

/* ---- the two forms ---- */

static int64_t memory_of(const struct site *site, const struct site_job *job, int64_t cpus,
                         int64_t part) {
    if (!site->memory_counts) return 0;
    if (job->memory_node_mb > 0) return divide_up(job->memory_node_mb, part);
    if (cpus > 0 && job->memory_cpu_mb > SLURM_AMOUNT_MAX / cpus) return job->memory_cpu_mb;
    return job->memory_cpu_mb * cpus;
}

/* One task for each node: a number of nodes is named, or the job runs and its nodes are known. */
static const char *by_nodes(const struct site *site, const struct site_job *job, int64_t nodes,
                            struct site_request *out) {
    int64_t each = divide_up(larger(job->tasks, 1), nodes);
    out->tasks_min = out->tasks_max = nodes;
    if (job->fate != SITE_RUNS && job->nodes_max > nodes) {
        out->tasks_max = job->nodes_max;
        out->about |= ABOUT_SIZE;
    }
    if (job->tasks_node > 0) each = job->tasks_node;
    out->one_per_node = true;
    out->cpus = larger(divide_up(job->cpus, nodes), 1);
    if (job->fate != SITE_RUNS) {
        out->cpus = larger(out->cpus, job->cpus_node);
        out->cpus = larger(out->cpus, each * larger(job->cpus_task, 1));
    }
    if (larger(job->tasks, 1) % nodes != 0 && job->fate != SITE_RUNS) out->about |= ABOUT_SHARE;
    out->memory_mb = memory_of(site, job, out->cpus, 1);
    if (job->tres_node != NULL && !add_gres(out, job->tres_node, 1, 1, true)) return "--gres";
    if (job->tres_task != NULL && !add_gres(out, job->tres_task, each, 1, true))
        return "--gpus-per-task";
    if (job->tres_job == NULL) return NULL;
    if (nodes > 1) out->about |= ABOUT_GPUS;
    return add_gres(out, job->tres_job, 1, nodes, job->fate != SITE_RUNS)
               ? NULL
               : "--gpus that cannot be divided over the nodes";
}

/* Single tasks on any nodes: only a number of tasks, or of GPUs, is named. */
static const char *by_tasks(const struct site *site, const struct site_job *job,
                            struct site_request *out) {
    int64_t n = larger(job->tasks, 1), gpus = slurm_gres_count(job->tres_job, "gpu");
    if (job->tres_job != NULL && gpus > 0) {
        if (n > 1 && gpus % n != 0 && n % gpus != 0) return "--gpus with another number of tasks";
        if (gpus > n || n % gpus == 0) n = gpus;
        if (n > 1) out->about |= ABOUT_GPUS;
    } else if (n > 1) {
        out->about |= ABOUT_TASKS;
    }
    out->tasks_min = out->tasks_max = n;
    out->cpus = larger(divide_up(job->cpus, n), 1);
    if (n == larger(job->tasks, 1)) out->cpus = larger(out->cpus, job->cpus_task);
    out->memory_mb = memory_of(site, job, out->cpus, n);
    if (job->tres_task != NULL && !add_gres(out, job->tres_task, 1, 1, true))
        return "--gpus-per-task";
    if (job->tres_job != NULL && !add_gres(out, job->tres_job, 1, n, true))
        return "--gpus that cannot be divided over the tasks";
    return NULL;
}

static bool needs_whole_nodes(const struct site *site, const struct site_job *job) {
    if (job->exclusive != NULL || site->whole_nodes) return true;
    for (const char *at = job->partitions != NULL ? job->partitions : ""; *at != '\0';) {
        size_t len = strcspn(at, ","), i = site_find_partition(site, at, len);
        if (i < site->n_partitions && site->partitions[i].exclusive) return true;
        at += len + (at[len] == ',');
    }
    return false;
}

/* Computes on how many nodes the job has its tasks; 0: on any number. Returns an option that has no
 * image, or NULL. */
static const char *count_nodes(const struct site_job *job, int64_t *nodes) {
    *nodes = job->nodes_min;
    if (job->fate == SITE_RUNS) {
        *nodes = larger(site_request_hosts(job->nodes), 1);
        return NULL;
    }
    int64_t listed = site_request_hosts(job->only_nodes);
    if (listed > 0 && *nodes == 0) *nodes = listed;
    if (listed > 0 && listed < *nodes) return "--nodelist with fewer nodes than --nodes";
    if (*nodes == 0 && job->tasks_node > 0)
        *nodes = divide_up(larger(job->tasks, 1), job->tasks_node);
    /* gres of nodes need nodes */
    if (*nodes == 0 && (job->tres_node != NULL || job->exclusive != NULL)) *nodes = 1;
    return NULL;
}

static bool has_sane_sizes(const struct site_job *job, int64_t nodes) {
    return nodes <= SITE_NODES_MAX && job->nodes_max <= SITE_NODES_MAX &&
           job->tasks <= SITE_NODES_MAX && job->tasks_node <= SITE_NODES_MAX &&
           job->cpus <= AMOUNT_MAX && job->cpus_node <= AMOUNT_MAX && job->cpus_task <= AMOUNT_MAX;
}

static uint32_t checked_by_slurm(const struct site_job *job) {
    uint32_t about = 0;
    if (job->switches != NULL && strcmp(job->switches, "0") != 0) about |= ABOUT_SWITCHES;
    if (job->reservation != NULL) about |= ABOUT_RESERVATION;
    return about;
}

/* Makes a share of one GPU of MPS and shards. Returns an option that has no image, or NULL. */
static const char *put_parts(const struct site *site, struct site_request *out) {
    for (size_t i = 0; i < out->n_gres; i++) {
        if (!site_is_part(out->gres[i].name)) continue;
        bool mps = slurm_part_is(out->gres[i].name, "mps");
        int64_t all = mps ? site->mps_of_gpu : site->shards_of_gpu, count = out->gres[i].count;
        if (all == 0)
            return mps ? "--gres=mps without an equal amount on each GPU"
                       : "--gres=shard without an equal amount on each GPU";
        if (count > all)
            return mps ? "--gres=mps above that of one GPU" : "--gres=shard above that of one GPU";
        out->part_milli += divide_up(count * 1000, all);
    }
    if (out->part_milli > 0) out->about |= ABOUT_PARTS;
    return out->part_milli > 1000 || (out->part_milli > 0 && out->gpus > 0)
               ? "--gres with MPS or shards beside other parts or whole GPUs"
               : NULL;
}

static uint32_t about_licences(const struct site *site, const struct site_job *job,
                               const struct site_request *request) {
    if (job->licenses == NULL) return 0;
    if (!site_licences_count(site, job)) return ABOUT_LICENSES;
    return request->tasks_max > request->tasks_min ? ABOUT_LICENSES_SIZE : 0;
}

const char *site_request_of(const struct site *site, const struct site_job *job,
                            struct site_request *out) {
    memset(out, 0, sizeof *out);
    int64_t nodes = 0;
    const char *option = count_nodes(job, &nodes);
    if (option == NULL && !has_sane_sizes(job, nodes)) option = too_large;
    if (option != NULL) return option;
    out->exclusive = needs_whole_nodes(site, job);
    out->about = checked_by_slurm(job);
    option = nodes > 0 ? by_nodes(site, job, nodes, out) : by_tasks(site, job, out);
    if (option == NULL) option = put_parts(site, out);
    if (option == NULL) option = site_licences_option(site, job, out->tasks_min);
    if (option != NULL) return option;
    out->about |= about_licences(site, job, out);
    bool fits = out->gpus <= LSCHED_DEVICES_PER_NODE_MAX && out->cpus <= AMOUNT_MAX &&
                out->memory_mb <= MEMORY_MB_MAX && out->tasks_max <= SITE_NODES_MAX;
    return fits ? NULL : too_large;
}

static const char *const notes[ABOUT_BITS][2] = {
    {"--nodes=A-B", "starts with A to B nodes, as room allows, and keeps that size"},
    {"--ntasks alone", "a gang of single tasks on any nodes; all chosen nodes are used"},
    {"--ntasks with --nodes", "each node is charged the largest share"},
    {"--gpus=N", "N tasks of one GPU, or N/nodes on each node"},
    {"--licenses", "left to Slurm: their number is unknown, or a reservation may have them"},
    {"--switches", "checked by Slurm at the start"},
    {"--reservation", "only nodes of the reservation, while it is active"},
    {"--licenses with --nodes=A-B", "a start with more than A nodes needs more licences"},
    {"--gres=mps:N, shard:N", "a share of one GPU; a node has as much MPS as one GPU"},
};

const char *site_request_option(unsigned bit) {
    return notes[bit][0];
}

const char *site_request_note(unsigned bit) {
    return notes[bit][1];
}
