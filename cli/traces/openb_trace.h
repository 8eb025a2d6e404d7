/*
 * openb_trace.h -- reads the node list and a task list of the openb cluster (Alibaba
 * cluster-trace-gpu-v2023).
 *
 *   nodes: sn, cpu_milli, memory_mib, gpu (count), model
 *   tasks: name, cpu_milli, memory_mib, num_gpu, gpu_milli (share of each GPU), gpu_spec (models
 *          that the task can use, such as "A|B"; an empty field means any model)
 *
 * Other columns are ignored, because the replay of this trace uses neither the service class nor
 * the times of a task.
 */
#ifndef LSCHED_CLI_OPENB_TRACE_H
#define LSCHED_CLI_OPENB_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libsched/libsched.h>

enum { OPENB_MODELS_MAX = 16 };

/* The texts of nodes and tasks point into the text of the input file, which must live as long as
 * they. */
struct openb_node {
    lsched_text name, model;
    int64_t cpu_milli, memory_mib, gpus;
    uint32_t line;
};

struct openb_task {
    lsched_text name;
    lsched_text models[OPENB_MODELS_MAX];
    size_t n_models;  /* number of models that the task can use; 0 means any model */
    lsched_text spec; /* text of the column gpu_spec */
    int64_t cpu_milli, memory_mib, gpus, milli_per_gpu;
};

struct openb_nodes {
    struct openb_node *items; /* owned by this struct */
    size_t n, capacity;
    int64_t gpus;
};

struct openb_tasks {
    struct openb_task *items; /* owned by this struct */
    size_t n, capacity;
    int64_t gpu_milli; /* sum of the milli-GPUs for which the tasks ask */
};

/* Read a node list and a task list. Return 0 or a negative error code; after an error, *err has the
 * line, the column and a message. A list is an error if no node has a GPU, or if no task asks for a
 * GPU. */
int32_t openb_nodes_read(const char *text, size_t len, struct openb_nodes *out, lsched_error *err);
int32_t openb_tasks_read(const char *text, size_t len, struct openb_tasks *out, lsched_error *err);
/* Returns true if err->index is the index of a node in the list. In this case, writes the line of
 * the node in the file to *err. */
bool openb_error_of_node(const struct openb_nodes *nodes, lsched_error *err);
void openb_nodes_free(struct openb_nodes *nodes);
void openb_tasks_free(struct openb_tasks *tasks);

static inline int64_t openb_task_gpu_milli(const struct openb_task *task) {
    return task->gpus * task->milli_per_gpu;
}

#endif
