/*
 * case_form.h -- a conformance case in memory: what its YAML says, in the units of libsched.h, and what has become of
 * each task so far.
 *
 * Texts point into the YAML document and arrays lie in the pool of the case, so a case is dropped as a whole. This is the
 * program's own picture, kept apart from the library's: a task is where the decisions put it, not where the library says
 * it is, and the two are compared after every cycle.
 */
#ifndef CONFORMANCE_CASE_FORM_H
#define CONFORMANCE_CASE_FORM_H

#include <stddef.h>
#include <stdint.h>

#include <libsched/libsched.h>

enum {
    KINDS = 3, /* cpu, memory, gpu: rows of the amounts of a queue */
    SHARED_DEVICES_MAX = 16,
    NOTHING = -1 /* a number that the case does not give */
};

/* In the words of the cases; the names are in task_state_name(). */
enum task_state {
    TASK_PENDING,
    TASK_RUNNING,
    TASK_RELEASING,
    TASK_STUCK,
    TASK_FAILED,
    TASK_FINISHED,
    TASK_PLACED,
    TASK_NOMINATED,
    TASK_EVICTED,
    TASK_STATES
};

struct labels {
    lsched_label *items;
    uint32_t n;
};

struct names {
    const char **items;
    uint32_t n;
};

struct node_form {
    const char *name;
    int64_t cpu_milli, memory_bytes, gpu_memory_mib;
    uint32_t gpus;
    struct labels labels;
    uint32_t devices_taken;                    /* bit mask: given to running work of the case */
    const char *device_of[SHARED_DEVICES_MAX]; /* name under which tasks share it, or NULL */
};

struct queue_form {
    const char *name, *parent; /* parent: NULL for a root */
    int32_t priority;
    int64_t created;
    lsched_amount quota[KINDS], limit[KINDS], weight_milli[KINDS];
    int64_t reclaim_min_runtime_us, preempt_min_runtime_us, preemption_delay_us;
    int added;
};

/* A group of the gang as the case has it. groups[0] is the root; parents come first. */
struct group_form {
    const char *name;
    uint32_t parent;
    int32_t min, min_groups; /* or NOTHING */
    const char *required, *preferred;
    int has_children;
};

struct task_form {
    enum task_state given, now;
    const char *node;   /* where it is given to be */
    const char *now_at; /* where it is, or will be; NULL: nowhere */
    const char *group;
    int32_t gpu; /* whole devices of this task alone, or NOTHING */
    int32_t priority;
    struct names gpus, only_nodes;
    uint32_t index; /* among the tasks of the library's job */
    uint32_t device_mask;
    lsched_id nomination; /* that is kept, 0: none */
};

struct job_form {
    const char *name, *queue;
    int32_t priority;
    int preemptible, deleted_when_evicted;
    int64_t age_us, stale_for_us, stale_grace_us, preemption_delay_us;
    int64_t cpu_milli, memory_bytes, gpu_milli, gpu_memory_mib; /* per task */
    struct names only_nodes;
    struct group_form *groups;
    uint32_t n_groups; /* 0: all tasks are needed */
    struct task_form *tasks;
    uint32_t n_tasks;
    lsched_id id;
};

struct case_form {
    const char *id, *action;
    int rounds; /* 1: whole pipeline for until + after cycles */
    uint32_t until, after;
    struct names levels;
    struct node_form *nodes;
    struct queue_form *queues;
    struct job_form *jobs;
    uint32_t n_nodes, n_queues, n_jobs;
    /* the outcome */
    uint32_t evictions_max; /* in one cycle, moves included */
    int flapped;
};

const char *task_state_name(enum task_state state);

/* ---- memory of one case ---------------------------------------------------------------------- */

struct pool_block;
struct pool {
    struct pool_block *last;
};

/* Zeroed memory for n elements; ends the program when there is none. */
void *pool_take(struct pool *pool, size_t n, size_t size);
void pool_drop(struct pool *pool);

#endif
