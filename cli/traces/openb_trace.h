/*
 * openb_trace.h -- reads the node list and a task list of the openb cluster (Alibaba
 * cluster-trace-gpu-v2023).
 *
 *   nodes: sn, cpu_milli, memory_mib, gpu (count), model
 *   tasks: name, cpu_milli, memory_mib, num_gpu, gpu_milli (per GPU), gpu_spec ("A|B": models that
 *          the task may use; empty: any)
 *
 * Other columns are not read, because the replay of this trace uses neither classes of service nor
 * times.
 */
#ifndef LSCHED_CLI_OPENB_TRACE_H
#define LSCHED_CLI_OPENB_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include <libsched/libsched.h>

enum { OPENB_MODELS_MAX = 16 };

/* The texts point into the file's text, which must stay valid. */
struct openb_node {
    lsched_text name, model;
    int64_t cpu_milli, memory_mib, gpus;
    uint32_t line;
};

struct openb_task {
    lsched_text name;
    lsched_text models[OPENB_MODELS_MAX];
    size_t n_models;  /* 0: any model */
    lsched_text spec; /* the models as written in the file */
    int64_t cpu_milli, memory_mib, gpus, milli_per_gpu;
};

struct openb_nodes {
    struct openb_node *items; /* owned by this struct */
    size_t n;
    int64_t gpus;
};

struct openb_tasks {
    struct openb_task *items; /* owned by this struct */
    size_t n;
    int64_t gpu_milli; /* milli-GPUs that all tasks ask for */
};

/* Return 0 or a negative code with err filled (line, column, message). At least one node must have
 * a GPU, and at least one task must ask for a GPU. */
int32_t openb_nodes_read(const char *text, size_t len, struct openb_nodes *out, lsched_error *err);
int32_t openb_tasks_read(const char *text, size_t len, struct openb_tasks *out, lsched_error *err);
void openb_nodes_free(struct openb_nodes *nodes);
void openb_tasks_free(struct openb_tasks *tasks);

static inline int64_t openb_task_gpu_milli(const struct openb_task *task) {
    return task->gpus * task->milli_per_gpu;
}

#endif
