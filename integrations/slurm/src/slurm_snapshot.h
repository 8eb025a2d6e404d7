/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_snapshot.h -- what one cycle knows of Slurm: nodes, jobs and their places, as plain
 * structs.
 *
 * slurm_compat.c fills a snapshot under Slurm's read locks. All other files read snapshots and
 * include no header of Slurm, so that a change of Slurm's structs touches one file. Texts and lists
 * of a snapshot live in its arena until snapshot_clear().
 */
#ifndef SLURM_SNAPSHOT_H
#define SLURM_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory that is freed as a whole. snapshot_alloc returns zeroed memory, NULL without memory. */
struct snapshot_arena {
    struct snapshot_chunk *chunks;
};
void *snapshot_alloc(struct snapshot_arena *arena, size_t n, size_t element);
char *snapshot_text(struct snapshot_arena *arena, const char *text); /* NULL stays NULL */
char *snapshot_format(struct snapshot_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void snapshot_free(struct snapshot_arena *arena);

/* MPS and shards are parts of GPUs. */
bool snapshot_is_part(const char *gres);

#define SNAPSHOT_NO_TASK 0xfffffffeu /* array_task of a job that is no element of an array */

/* A generic resource of a node, or one that a job asks for on each node or for each task. */
struct snapshot_gres {
    const char *name; /* "gpu", "fpga" */
    const char *type; /* model; NULL: any */
    uint64_t count;
};

struct snapshot_node {
    const char *name;
    bool ready;              /* Slurm would start work there */
    uint32_t cpus;           /* what jobs can have */
    uint64_t memory_mb;      /* 0: memory is not counted */
    const char *reservation; /* the reservation that has the node now; NULL: none */
    const char **features, **partitions;
    const char **switches;      /* above it, the leaf switch first */
    struct snapshot_gres *gres; /* gpus: one element for each run of equal models, in index order */
    uint32_t n_features, n_partitions, n_gres, n_switches;
    /* what all jobs of Slurm hold there */
    uint64_t used_cpus, used_memory_mb, used_gpus[2];
    bool mps_closed; /* snapshot_close_mps(): Slurm starts no more work with MPS there for now */
};

/* A licence of the whole cluster. */
struct snapshot_licence {
    const char *name;
    uint32_t total, used, reserved; /* reserved: kept for reservations */
};

/* What a job holds on one node. */
struct snapshot_share {
    uint32_t node; /* index in snapshot.nodes */
    uint32_t cpus;
    uint64_t memory_mb;
    uint64_t gpus[2]; /* indexes of the GPUs; all 0: Slurm does not say */
    uint32_t n_gpus;
    uint64_t part; /* of one GPU: MPS or shards; `gpus` says of which one */
    const char *part_name;
};

enum snapshot_state {
    SNAPSHOT_PENDING,   /* can start as far as Slurm is concerned */
    SNAPSHOT_SLURM,     /* Slurm keeps it back: held, dependency, begin time, reservation */
    SNAPSHOT_RUNNING,   /* also: suspended, and on its way out */
    SNAPSHOT_REQUEUING, /* pending again, and still on its way out of its nodes */
};

/* Which libsched tasks a job becomes. EACH_NODE: one task for each node. EACH_TASK: one for each
 * task of Slurm, any number on a node. */
enum snapshot_layout { SNAPSHOT_EACH_NODE, SNAPSHOT_EACH_TASK };

struct snapshot_job {
    uint32_t job_id;                /* of the record, which an array shares */
    uint32_t array_job, array_task; /* array_task: SNAPSHOT_NO_TASK outside an array */
    enum snapshot_state state;
    const char *account, *user, *qos, *reservation;
    const char **partitions;
    uint32_t n_partitions;
    uint32_t tier; /* the highest priority tier of its partitions */
    uint32_t qos_priority;
    uint32_t priority; /* Slurm's number */
    int64_t submit_us, start_us;
    int64_t time_limit_us; /* after which Slurm ends it; 0: never */
    int64_t warning_us;    /* from the warning to the stop: GraceTime of the partition or QOS */
    int64_t grace_us;      /* from the warning until it is gone */
    bool requeueable;      /* Slurm can stop it and start it again */
    bool begin_is_requeue; /* SLURM: only the begin time that a requeue gave keeps it back */
    bool described;        /* Slurm shows a text of its wait */
    bool depends;          /* SLURM: on other jobs, which compat_depends() looks at */
    const char *unmapped;  /* the option that libsched has no image of; NULL: none */

    /* the request, for each task of libsched */
    enum snapshot_layout layout;
    uint32_t count_min, count_max;
    uint32_t cpus;
    uint64_t memory_mb;
    bool exclusive;
    struct snapshot_gres *gres;
    uint32_t n_gres;
    struct snapshot_gres *licences; /* of the whole job */
    uint32_t n_licences;
    const char *features;    /* "a&b|c"; NULL: none */
    uint32_t leaf_switches;  /* --switches: most leaf switches; 0: any number */
    bool waits_for_switches; /* ... and the time for which the user waits for them is not over */
    const char **nodes_in, **nodes_out; /* -w, -x */
    uint32_t n_nodes_in, n_nodes_out;

    struct snapshot_share *shares; /* RUNNING, REQUEUING */
    uint32_t n_shares;
};

/* An account of the association manager. */
struct snapshot_account {
    const char *name;
    const char *parent;           /* NULL: none but Slurm's root */
    uint32_t shares;              /* beside its siblings */
    uint32_t user_shares;         /* sum of the shares of its own users */
    uint32_t jobs_max;            /* most jobs that run, with those below; 0: any number */
    struct snapshot_gres *limits; /* "cpu", "mem" (MiB), "gpu" or another generic resource */
    uint32_t n_limits;
    bool has_children, has_users;
};

struct snapshot {
    struct snapshot_arena arena;
    struct snapshot_node *nodes;
    struct snapshot_job *jobs;
    uint32_t n_nodes, n_jobs, jobs_capacity;
    uint32_t switch_levels;            /* of topology.conf; 0: none */
    struct snapshot_account *accounts; /* a parent stands before its children */
    uint32_t n_accounts;
    struct snapshot_licence *licences; /* remote ones, too */
    uint32_t n_licences, licences_capacity;
    bool wants_accounts; /* in: compat_read() shall read the accounts, too */
    uint32_t skipped;    /* jobs that could not be read for want of memory */
    int64_t now_us;
};
void snapshot_clear(struct snapshot *snapshot);
/* Finds the nodes that are closed to MPS. When a job with whole GPUs has started on a node where MPS
 * is in use, Slurm refuses further jobs with MPS there until the present ones have ended (seen with
 * Slurm 22.05; shards have no such rule). Start times are whole seconds in Slurm, so two starts in
 * the same second close the node. Returns false without memory. Cost: O(nodes + shares). */
bool snapshot_close_mps(struct snapshot *snapshot);
/* Returns a new zeroed job at the end of the list, NULL without memory. */
struct snapshot_job *snapshot_add_job(struct snapshot *snapshot);
/* Writes the name that the job has in libsched: "12", or "12_0000003" for an element of an array,
 * so that equal elements start in the order of their numbers. */
void snapshot_job_name(const struct snapshot_job *job, char *out, size_t capacity);

#endif
