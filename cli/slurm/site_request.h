/*
 * site_request.h -- what a job of Slurm asks for, as tasks of libsched.
 */
#ifndef LSCHED_CLI_SITE_REQUEST_H
#define LSCHED_CLI_SITE_REQUEST_H

#include "cli/slurm/site.h"

enum { REQUEST_GRES_MAX = 8 };

/* Where the image differs from Slurm's meaning; docs and site_request_note() have the words. */
enum request_about {
    ABOUT_SIZE = 1,      /* --nodes=A-B */
    ABOUT_TASKS = 2,     /* --ntasks alone */
    ABOUT_SHARE = 4,     /* --ntasks with --nodes: each node is charged the largest share */
    ABOUT_GPUS = 8,      /* --gpus=N as tasks of one GPU, or divided over the nodes */
    ABOUT_LICENSES = 16, /* not counted, because no input says how many there are */
    ABOUT_SWITCHES = 32,
    ABOUT_RESERVATION = 64,
    ABOUT_LICENSES_SIZE = 128, /* --licenses with --nodes=A-B */
    ABOUT_PARTS = 256,         /* MPS and shards */
    ABOUT_BITS = 9
};

struct request_gres {
    struct slurm_part name;
    int64_t count;
};

struct site_request {
    int64_t tasks_min, tasks_max;
    /* amounts of each task */
    int64_t cpus, memory_mb, gpus;
    int64_t part_milli;      /* of one GPU: MPS or shards, in thousandths, rounded up */
    struct slurm_part model; /* len 0: any */
    struct request_gres gres[REQUEST_GRES_MAX];
    size_t n_gres;
    bool one_per_node, exclusive;
    uint32_t about; /* set of enum request_about */
};

/* Computes the request of a job that waits or runs. Returns NULL, or the option that has no
 * image. */
const char *site_request_of(const struct site *site, const struct site_job *job,
                            struct site_request *out);
/* Returns the number of hosts of a list; NULL has none. */
int64_t site_request_hosts(const char *list);
/* The option and the words for a bit of enum request_about. */
const char *site_request_option(unsigned bit);
const char *site_request_note(unsigned bit);

#endif
