/*
 * place_world.c -- see place_world.h.
 */
#include "support/place_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void place_world_init(struct place_world *w) {
    memset(w, 0, sizeof *w);
    lsched_view *v = &w->view;
    v->size = sizeof *v;
    v->n_kinds = PLACE_KINDS;
    v->n_models = 1 << 20;
    v->structure_serial = 1;
    v->node_live = w->live;
    v->node_ready = w->ready;
    for (int kind = 1; kind < PLACE_KINDS; kind++) {
        v->node_capacity[kind] = w->capacity[kind];
        v->node_free[kind] = w->free_amount[kind];
    }
    v->node_device_first = w->device_first;
    v->node_device_count = w->device_count;
    v->node_name_rank = w->name_rank;
    v->device_free_milli = w->device_free;
    v->device_memory_bytes = w->device_memory;
    v->device_memory_free_bytes = w->device_memory_free;
    v->device_model = w->device_model;
    v->device_share = w->device_share;
    memset(w->device_share, LSCHED_SHARING_FRACTION, sizeof w->device_share);
    v->mix = w->mix;
    v->mix_count = w->mix_count;
}

uint32_t place_model(uint32_t model) {
    assert_true(model < PLACE_MODELS);
    return 70001 + 977 * (PLACE_MODELS - model);
}

uint32_t place_world_node(struct place_world *w, int64_t cpu_milli, int64_t memory_bytes,
                          uint32_t devices, uint32_t model) {
    uint32_t node = w->view.n_nodes++;
    const int64_t has[PLACE_KINDS] = {0, cpu_milli, memory_bytes, (int64_t)devices * 1000, 0};
    assert_true(node < PLACE_NODES);
    w->live[node] = w->ready[node] = 1;
    w->name_rank[node] = node;
    w->device_first[node] = w->view.n_devices;
    w->device_count[node] = (uint8_t)devices;
    for (int kind = 1; kind < PLACE_KINDS; kind++) {
        w->capacity[kind][node] = w->free_amount[kind][node] = has[kind];
        w->view.total_capacity[kind] += has[kind];
    }
    for (uint32_t i = 0; i < devices; i++) {
        w->device_free[w->view.n_devices] = 1000;
        w->device_model[w->view.n_devices++] = place_model(model);
    }
    return node;
}

void place_world_use(struct place_world *w, uint32_t node, int64_t cpu_milli,
                     int64_t memory_bytes) {
    w->free_amount[LSCHED_CPU][node] -= cpu_milli;
    w->free_amount[LSCHED_MEMORY][node] -= memory_bytes;
}

void place_world_use_device(struct place_world *w, uint32_t node, uint32_t device, uint32_t milli) {
    uint16_t *free_milli = &w->device_free[w->device_first[node] + device];
    assert_true(milli <= *free_milli);
    *free_milli = (uint16_t)(*free_milli - milli);
    w->free_amount[LSCHED_GPU][node] -= milli;
}

lsched_task_shape place_task(int64_t cpu_milli, int64_t memory_bytes, uint32_t devices,
                             uint32_t share_milli) {
    lsched_task_shape task = {.serial = 1, .gpu_devices = devices, .device_milli = share_milli};
    task.request[LSCHED_CPU] = cpu_milli;
    task.request[LSCHED_MEMORY] = memory_bytes;
    task.request[LSCHED_GPU] = (int64_t)devices * share_milli;
    return task;
}

void place_world_mix(struct place_world *w, const lsched_task_shape *task, uint32_t model_bits,
                     int64_t count) {
    uint32_t i = w->view.n_mix++;
    assert_true(i < PLACE_MIX);
    w->mix[i] = *task;
    w->mix[i].serial = i + 1;
    w->mix[i].models = w->mix_models[i];
    w->mix[i].n_models = 0;
    for (uint32_t model = PLACE_MODELS; model-- > 0;) /* ascending rows */
        if (model_bits >> model & 1) w->mix_models[i][w->mix[i].n_models++] = place_model(model);
    w->mix_count[i] = count;
}

static void *counted_alloc(void *engine, size_t bytes) {
    struct place_memory *memory = engine;
    if (++memory->calls == memory->fail_at) return NULL;
    void *block = malloc(bytes);
    if (block) memory->out_bytes += bytes;
    if (block) memset(block, 0xA5, bytes); /* algorithms must not rely on zeroed memory */
    return block;
}

static void counted_free(void *engine, void *old, size_t bytes) {
    struct place_memory *memory = engine;
    memory->out_bytes -= bytes;
    free(old);
}

lsched_algorithm_env place_env(struct place_memory *memory) {
    return (lsched_algorithm_env){.size = sizeof(lsched_algorithm_env),
                                  .engine = memory,
                                  .alloc = counted_alloc,
                                  .free = counted_free};
}

void place_run_begin(struct place_run *run, const lsched_algorithm *algorithm,
                     const struct place_world *w) {
    memset(run, 0, sizeof *run);
    run->algorithm = algorithm;
    run->env = place_env(&run->memory);
    assert_int_equal(algorithm->role, LSCHED_ROLE_PLACE);
    assert_int_equal(algorithm->api, LSCHED_ALGORITHM_API);
    if (algorithm->create)
        assert_int_equal(algorithm->create(&run->env, &run->self, NULL), LSCHED_OK);
    assert_true(algorithm->place->prepare(run->self, &w->view) >= 0);
}

int64_t place_run_score(struct place_run *run, const struct place_world *w,
                        const lsched_task_shape *task, uint32_t node) {
    int64_t score = 0;
    assert_int_equal(run->algorithm->place->score(run->self, &w->view, task, &node, 1, &score),
                     LSCHED_OK);
    return score;
}

uint32_t place_run_devices(struct place_run *run, const struct place_world *w,
                           const lsched_task_shape *task, uint32_t node) {
    uint64_t words[LSCHED_DEVICE_WORDS] = {0};
    if (!run->algorithm->place->devices) return 0;
    assert_int_equal(run->algorithm->place->devices(run->self, &w->view, task, node, words),
                     LSCHED_OK);
    assert_true(words[0] <= UINT32_MAX && words[1] == 0); /* the nodes of this world are small */
    return (uint32_t)words[0];
}

void place_run_end(struct place_run *run) {
    if (run->algorithm->destroy) run->algorithm->destroy(&run->env, run->self);
    assert_int_equal(run->memory.out_bytes, 0);
}
