/*
 * gpu_ask.h -- what the tasks of a job ask for of each GPU, on which kinds of GPUs they run or can
 * run, and what a GPU of a kind charges them.
 *
 * A job whose tasks run has the kinds of the devices that its tasks hold. For a job that waits,
 * each node counts whose labels satisfy `select` and the required affinities, and whose device has
 * the mode, the model, the profile, the memory and the multiprocessors. What always holds: the
 * kinds of a waiting job are all that it can run on, and perhaps more. A Lua expression, a taint,
 * and a comparison of labels by greater or less exclude nothing here, because only the library
 * evaluates them; then a job can seem to have several kinds, and gets no advice. Cost: tasks of the
 * job x log nodes; for a waiting job, nodes x selectors until all kinds are found.
 */
#ifndef LSCHED_CLI_GPU_ASK_H
#define LSCHED_CLI_GPU_ASK_H

#include "cli/sizing/gpu_kinds.h"

struct gpu_ask {
    lsched_text name;    /* of the job */
    lsched_text profile; /* empty: a share, or whole devices */
    uint32_t milli;      /* the share that was asked for; 0: none */
    uint32_t sm_count, isolation;
    int64_t memory_bytes, limit_bytes; /* 0: none was asked for */
    uint32_t tasks, devices;
    const lsched_text *models;
    uint32_t n_models;
    const lsched_group_desc *group;
};

enum gpu_ask_result { GPU_ASK_NONE, GPU_ASK_ONE, GPU_ASK_GROUPS, GPU_ASK_ALTERNATIVES };

/* Reads what a job asks for. The texts are those of the description. Fills *out only for
 * GPU_ASK_ONE; NONE: the job has no GPU; GROUPS, ALTERNATIVES: it has several. */
enum gpu_ask_result gpu_ask_read(const lsched_job_desc *job, struct gpu_ask *out);
/* Sets *out to the kinds on which a job runs, or can run: bit i for kind i. */
int32_t gpu_ask_kinds(const lsched_cluster *cluster, const struct gpu_kinds *kinds, lsched_id job,
                      const struct gpu_ask *ask, uint64_t *out, lsched_error *err);
/* True if the tasks ask for whole devices, or get them because of their isolation. */
bool gpu_ask_whole(const struct gpu_ask *ask, const struct gpu_kind *kind);
/* What a device of the kind charges a task, in thousandths, as docs/shares.md says; not for
 * profiles. */
uint32_t gpu_ask_charge(const struct gpu_ask *ask, const struct gpu_kind *kind);

#endif
