/*
 * site.h -- what the files and outputs of a Slurm site say: nodes, partitions, jobs, and remarks
 * about what could not be understood. site_read.h fills it; site_scenario.h makes a scenario of it.
 *
 * All texts live as long as the site. A text that says nothing is NULL.
 */
#ifndef LSCHED_CLI_SITE_H
#define LSCHED_CLI_SITE_H

#include <stdbool.h>

#include "cli/slurm_records/record.h"
#include "cli/slurm_records/slurm_values.h"
#include "cli/support/name_table.h"

enum {
    SITE_NODES_MAX = 200000,
    SITE_JOBS_MAX = 400000,
    SITE_PARTITIONS_MAX = 128,
    SITE_GRES_MAX = 8, /* most kinds of other gres, such as licences of a node */
    SITE_LICENCES_MAX = 1000,
    SITE_REMARKS_MAX = 1000 /* later remarks are only counted */
};

struct site_node {
    const char *name, *gres, *features, *state, *switch_name, *reservation;
    int64_t cpus, memory_mb;
    uint64_t partitions[SITE_PARTITIONS_MAX / 64]; /* set of indexes in site.partitions */
    uint32_t line;
    bool down;   /* takes no work: down, drained, failed, not responding */
    bool dumped; /* an output of Slurm has the node, not only slurm.conf */
};

struct site_partition {
    const char *name, *nodes, *state;
    const char *file;
    int64_t priority_tier, max_seconds;
    uint32_t line;
    bool is_default, exclusive, up;
    uint64_t n_nodes;
};

/* Licences of the whole cluster. */
struct site_licence {
    const char *name; /* "tool", "tool@server" */
    int64_t total;    /* how many there are */
    int64_t taken;    /* used or kept by reservations, as Slurm says; -1: no output says it */
    int64_t held;     /* parts that running jobs of the scenario hold; site_licences.h */
};

/* What becomes of a job: libsched decides about it, it runs, it has ended or is no job yet, an
 * option has no image, or Slurm holds it. */
enum site_fate { SITE_WAITS, SITE_RUNS, SITE_ENDED, SITE_NO_IMAGE, SITE_SLURM_HOLDS };

struct site_job {
    const char *id, *name, *user, *account, *partitions, *state, *reason;
    const char *array;       /* number of the job's array, or NULL */
    int64_t throttle;        /* most elements of the array that run at a time; 0: all */
    const char *array_tasks; /* "4-20%3" for the elements of an array that are not split off yet */
    const char *tres_node, *tres_job, *tres_task, *tres_socket, *tres_asked;
    const char *features, *only_nodes, *not_nodes, *licenses, *switches, *reservation, *nodes;
    const char *exclusive; /* "node" if the job shares no node; otherwise the word of Slurm */
    const char *depends, *burst_buffer;
    int64_t submit_s, start_s, eligible_s, limit_s;        /* start_s: 0 if Slurm says none */
    int64_t nodes_min, nodes_max;                          /* 0: the job names no number of nodes */
    int64_t cpus, tasks, cpus_task, tasks_node, cpus_node; /* 0: not said */
    int64_t memory_cpu_mb, memory_node_mb;
    int64_t priority;
    const char *file;
    uint32_t line;
    bool contiguous, requeue, batch, het;
    enum site_fate fate;
    const char *why; /* why the job is not planned: option without image, or reason of Slurm */
};

struct site {
    struct site_node *nodes;
    size_t n_nodes, nodes_capacity;
    struct name_table node_names; /* index of a name is the index of the node */
    struct site_partition *partitions;
    size_t n_partitions, partitions_capacity;
    struct site_job *jobs;
    size_t n_jobs, jobs_capacity;
    struct site_licence *licences;
    size_t n_licences, licences_capacity;
    char **remarks; /* owned by this struct; "file:line: ..." */
    size_t n_remarks, remarks_capacity;
    uint64_t remarks_dropped;
    char **texts; /* owned by this struct */
    size_t n_texts, texts_capacity;
    bool memory_counts; /* false if SelectTypeParameters has no memory */
    bool whole_nodes;   /* select/linear */
    /* MPS and shards that each GPU has; 0: none, or the GPUs differ */
    int64_t mps_of_gpu, shards_of_gpu;
    int64_t now_s;    /* latest time that the outputs name */
    uint64_t records; /* objects that the outputs had, of all kinds */
};

void site_begin(struct site *site);
void site_free(struct site *site);
/* Returns a copy that lives as long as the site; NULL for NULL. */
const char *site_text(struct site *site, const char *text);
const char *site_format(struct site *site, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds "file:line: message" to the remarks. */
void site_remark(struct site *site, const char *file, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Returns the node with this name, or NULL. */
struct site_node *site_find_node(struct site *site, const char *name);
/* Returns the node with this name, which is added if it is new; NULL if there are too many. */
struct site_node *site_add_node(struct site *site, const char *name);
size_t site_find_partition(const struct site *site, const char *name, size_t len);
/* Adds a partition, or returns the one with this name; NULL if there are too many. */
struct site_partition *site_add_partition(struct site *site, const char *name);
/* MPS and shards are parts of GPUs. */
bool site_is_part(struct slurm_part gres);
/* Finds how many MPS and shards each GPU has, when all nodes are known. */
void site_find_parts(struct site *site);
struct site_job *site_add_job(struct site *site);
/* Says that the job has no image because of an option. */
void site_job_no_image(struct site *site, struct site_job *job, const char *option);

#endif
