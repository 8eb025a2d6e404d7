/*
 * openb_request.c -- see openb_request.h.
 *
 * As in the FGD paper, two tasks that differ only in memory are in one class of the mix. Therefore
 * the number of tasks in a class, and the fragmentation that fgd computes from it, are as in the
 * paper.
 */
#include "cli/replay/openb_request.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"

static void add_amount(struct openb_request *request, uint32_t kind, int64_t amount) {
    if (amount > 0) request->amounts[request->group.n_request++] = (lsched_amount){kind, 0, amount};
}

void openb_request_of(const struct openb_task *task, bool with_memory, struct openb_request *out) {
    out->group = (lsched_group_desc)LSCHED_GROUP_DESC_INIT;
    out->group.request = out->amounts;
    add_amount(out, LSCHED_CPU, task->cpu_milli);
    if (with_memory) add_amount(out, LSCHED_MEMORY, task->memory_mib << 20);
    add_amount(out, LSCHED_GPU, openb_task_gpu_milli(task));
    out->group.gpu_devices = (uint32_t)task->gpus;
    /* a task without GPUs can run on any node, therefore its models are ignored */
    if (task->gpus > 0) {
        out->group.device_models = task->models;
        out->group.n_device_models = (uint32_t)task->n_models;
    }
}

static bool same_class(const struct openb_task *a, const struct openb_task *b) {
    return a->cpu_milli == b->cpu_milli && a->gpus == b->gpus &&
           a->milli_per_gpu == b->milli_per_gpu && a->spec.len == b->spec.len &&
           (a->spec.len == 0 || memcmp(a->spec.ptr, b->spec.ptr, a->spec.len) == 0);
}

void openb_mix_make(const struct openb_tasks *tasks, struct openb_mix *out) {
    /* index of the first task of each class */
    size_t *firsts = must_alloc(tasks->n * sizeof firsts[0]);
    int64_t *counts = must_alloc(tasks->n * sizeof counts[0]);
    size_t n = 0;
    for (size_t i = 0; i < tasks->n; i++) {
        size_t c = 0;
        while (c < n && !same_class(&tasks->items[firsts[c]], &tasks->items[i])) c++;
        if (c == n) {
            firsts[n] = i;
            counts[n++] = 0;
        }
        counts[c]++;
    }
    out->n = n;
    out->entries = must_alloc(n * sizeof out->entries[0]);
    out->requests = must_alloc(n * sizeof out->requests[0]);
    memset(out->entries, 0, n * sizeof out->entries[0]);
    for (size_t c = 0; c < n; c++) {
        openb_request_of(&tasks->items[firsts[c]], false, &out->requests[c]);
        out->entries[c].size = sizeof out->entries[c];
        out->entries[c].task = &out->requests[c].group;
        out->entries[c].count = counts[c];
    }
    free(firsts);
    free(counts);
}

void openb_mix_free(struct openb_mix *mix) {
    free(mix->entries);
    free(mix->requests);
    memset(mix, 0, sizeof *mix);
}
