/* model_world.h -- a registry with one of everything, made by the functions of the model alone,
 * for tests of what is below the public calls. Every call runs in an undo scope of its own and
 * is rolled back when it fails, as the door does. */
#ifndef LSCHED_TESTS_MODEL_WORLD_H
#define LSCHED_TESTS_MODEL_WORLD_H

#include "model/jobs/releasing.h"

#define DAWN_US ((int64_t)6 * 3600 * 1000000)

struct model_world {
    struct alloc alloc;
    struct columns k;
    int watch;       /* 1: compare the image before each call with that after a failed one */
    uint32_t broken; /* how often they differed */
    uint64_t before;
};

/* One group of a job. Zero: a leaf of one task of one core in any place. */
struct group_form {
    uint32_t parent, children, min, max;
    const char *required, *preferred; /* levels of topology "site" */
    int64_t cpu, memory;
    uint32_t devices, milli;
    const char *model, *key, *value;       /* device model; selector */
    const char *spread;                    /* level of "site" */
    uint32_t mode, zone_slice, rack_slice; /* slices of so many tasks */
    uint32_t spread_max;
    uint32_t node_max, absent, fixed;
    const char *profile; /* MIG, and its slices */
    uint32_t mig_slices;
    uint32_t numa, nics, link; /* LSCHED_NUMA_*, network cards, LSCHED_LINK_* */
    int64_t daily;             /* cpu from DAWN_US on, 500 before; and all day 5 of memory */
    uint32_t no_cpu;           /* 1: no cpu; else cpu 0 stands for 1000 */
};
struct job_form {
    const char *name;
    uint32_t queue, n_groups, flags;
    struct group_form groups[4];
    int64_t submit, restart;
    int32_t priority;
    int64_t backoff;
    uint32_t retries_max;
};

/* hooks may be NULL. Kinds any, cpu, memory, gpu exist afterwards. */
int32_t world_open(struct model_world *w, const lsched_allocator *hooks);
void world_close(struct model_world *w);
int32_t world_topology(struct model_world *w);
/* gpus devices of model "A100" or, when shared, "T4". rack NULL: no labels but "disk". */
int32_t world_node(struct model_world *w, const char *name, int64_t cpu, uint32_t gpus, int shared,
                   const char *rack, uint32_t *row);
int32_t world_queue(struct model_world *w, const char *name, uint32_t parent, uint32_t *row);
int32_t world_job(struct model_world *w, const struct job_form *form, uint32_t *row);
int32_t world_admit(struct model_world *w, uint32_t job);
int32_t world_refuse(struct model_world *w, uint32_t job, const char *reason);
/* Place the next task of a group and requeue the job; world_place_all takes a simple job to max
 * or as many as fit, in one group of decisions. index NO_ROW: the next. */
int32_t world_propose(struct model_world *w, uint32_t job, uint32_t group, uint32_t node,
                      uint32_t n);
int32_t world_import(struct model_world *w, uint32_t job, uint32_t index, uint32_t node);
int32_t world_confirm(struct model_world *w, uint32_t job, uint32_t index);
int32_t world_start(struct model_world *w, uint32_t job, uint32_t index);
/* to: LSCHED_TASK_DONE or _NONE; the gang rule follows. */
int32_t world_release(struct model_world *w, uint32_t job, uint32_t index, uint8_t to);
/* Evictions and claims. serial: of the group of decisions, a new one or the latest; 0: no
 * decision. A task that is evicted has one minute to stop; one that is nominated while it leaves
 * moves. */
int32_t world_evict(struct model_world *w, uint32_t job, uint32_t index, uint64_t serial,
                    uint8_t reason, uint32_t for_job);
int32_t world_nominate(struct model_world *w, uint32_t job, uint32_t group, uint32_t node,
                       uint32_t index, uint64_t serial);
int32_t world_seat(struct model_world *w, uint32_t job, uint32_t index);
int32_t world_left(struct model_world *w, uint32_t job, uint32_t index); /* as asked */
int32_t world_stuck(struct model_world *w, uint32_t job, uint32_t index);
/* The decision on a task, or on what it left behind; NO_ROW. Reject it; told, if not NULL, counts
 * what went with it. */
uint32_t world_decision(const struct model_world *w, uint32_t job, uint32_t index, int releasing);
int32_t world_reject(struct model_world *w, uint32_t decision, uint32_t *told);
int32_t world_remove_job(struct model_world *w, uint32_t job);
int32_t world_remove_node(struct model_world *w, uint32_t node); /* with its tasks */
int32_t world_park(struct model_world *w, uint32_t job, uint32_t list, uint32_t list_of,
                   uint32_t code);
uint32_t world_job_named(const struct model_world *w, const char *name);
uint32_t world_node_named(const struct model_world *w, const char *name);
uint32_t world_queue_named(const struct model_world *w, const char *name);

/* Everything: two topologies, nodes of all kinds (one cordoned, one overfull, free rows), a
 * queue tree, jobs in every phase, tasks in every state, parked and active bundles, usage, mix,
 * costs, quota kinds, timers. reversed: in another order. */
int32_t world_fill(struct model_world *w, int reversed);
/* refusals_world.c: the nodes of what is proposed have rejected such tasks before. Part of it. */
int32_t refusals_fill(struct model_world *w);
int32_t holds_fill(struct model_world *w);
int32_t allowances_fill(struct model_world *w);
int32_t reservations_fill(struct model_world *w);
int32_t contention_fill(struct model_world *w);
int32_t warnings_fill(struct model_world *w);

#endif
