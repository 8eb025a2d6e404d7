/*
 * case_devices.c -- see case_devices.h. Tasks that name a device share it with all that name it; every other task has
 * devices of its own. Names are settled first, so that nobody is put on a device that a later task names.
 */
#include "case_devices.h"

#include <stdlib.h>
#include <string.h>

int task_is_on_node(const struct task_form *task) {
    return task->given != TASK_PENDING && task->given != TASK_FINISHED && task->node;
}

struct node_form *node_by_name(struct case_form *c, const char *name) {
    for (uint32_t i = 0; i < c->n_nodes; i++)
        if (strcmp(c->nodes[i].name, name) == 0) return &c->nodes[i];
    return NULL;
}

uint32_t task_device_set(const struct job_form *job, const struct task_form *task) {
    if (task->gpu != NOTHING) return (uint32_t)task->gpu;
    if (job->gpu_memory_mib > 0) return 1;
    return (uint32_t)((job->gpu_milli + 999) / 1000);
}

/* The device of that name: "1" is device 1 unless another name has it; any other name gets the first free one. */
static uint32_t device_of_name(struct node_form *node, const char *name) {
    char *end = NULL;
    unsigned long number = strtoul(name, &end, 10);
    for (uint32_t i = 0; i < node->gpus; i++)
        if (node->device_of[i] && strcmp(node->device_of[i], name) == 0) return i;
    if (end != name && *end == '\0' && number < node->gpus && !node->device_of[number])
        return (uint32_t)number;
    for (uint32_t i = 0; i < node->gpus; i++)
        if (!node->device_of[i]) return i;
    return node->gpus;
}

static void settle_names(struct node_form *node, struct task_form *task, uint32_t devices) {
    for (uint32_t i = 0; i < task->gpus.n && i < devices; i++) {
        uint32_t device = device_of_name(node, task->gpus.items[i]);
        if (device == node->gpus) return;
        node->device_of[device] = task->gpus.items[i];
        node->devices_taken |= 1u << device;
        task->device_mask |= 1u << device;
    }
}

static uint32_t count_bits(uint32_t mask) {
    uint32_t n = 0;
    for (; mask; mask &= mask - 1) n++;
    return n;
}

static void give_own(struct node_form *node, struct task_form *task, uint32_t devices) {
    for (uint32_t i = 0; i < node->gpus && count_bits(task->device_mask) < devices; i++) {
        if (node->devices_taken >> i & 1) continue;
        node->devices_taken |= 1u << i;
        task->device_mask |= 1u << i;
    }
    if (count_bits(task->device_mask) < devices) task->device_mask = 0;
}

void case_assign_devices(struct case_form *c) {
    for (int named = 1; named >= 0; named--)
        for (uint32_t j = 0; j < c->n_jobs; j++)
            for (uint32_t i = 0; i < c->jobs[j].n_tasks; i++) {
                struct task_form *task = &c->jobs[j].tasks[i];
                uint32_t devices = task_device_set(&c->jobs[j], task);
                struct node_form *node = task_is_on_node(task) ? node_by_name(c, task->node) : NULL;
                if (!node || devices == 0) continue;
                if (named)
                    settle_names(node, task, devices);
                else
                    give_own(node, task, devices);
            }
}
