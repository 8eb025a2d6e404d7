/*
 * place_world.h -- a hand-made lsched_view of a few nodes, for tests of place algorithms.
 *
 * Nothing of the engine is involved: columns are plain arrays, the test writes them, and
 * place_world_view() says where they are. Kinds: cpu, memory, gpu and one more, PLACE_OTHER.
 */
#ifndef TESTS_PLACE_WORLD_H
#define TESTS_PLACE_WORLD_H

#include <libsched/algorithm.h>

enum {
    PLACE_NODES = 24,
    PLACE_DEVICES = PLACE_NODES * LSCHED_DEVICES_PER_NODE_MAX,
    PLACE_MIX = 512,
    PLACE_MODELS = 4,
    PLACE_OTHER = 4,
    PLACE_KINDS = 5
};

struct place_world {
    lsched_view view;
    uint8_t live[PLACE_NODES], ready[PLACE_NODES], device_count[PLACE_NODES];
    int64_t capacity[PLACE_KINDS][PLACE_NODES];
    int64_t free_amount[PLACE_KINDS][PLACE_NODES];
    uint32_t device_first[PLACE_NODES], name_rank[PLACE_NODES];
    uint16_t device_free[PLACE_DEVICES];
    int64_t device_memory[PLACE_DEVICES], device_memory_free[PLACE_DEVICES];
    uint32_t device_model[PLACE_DEVICES];
    uint8_t device_share[PLACE_DEVICES]; /* all may be shared */
    lsched_task_shape mix[PLACE_MIX];
    int64_t mix_count[PLACE_MIX];
    uint32_t mix_models[PLACE_MIX][PLACE_MODELS];
};

/* An empty world. The view points into the world, which must not move. */
void place_world_init(struct place_world *w);
/* The row of the name of model 0, 1 ..: large and far apart, as rows of names are. */
uint32_t place_model(uint32_t model);
/* A ready node with `devices` idle devices of one model; returns its row. */
uint32_t place_world_node(struct place_world *w, int64_t cpu_milli, int64_t memory_bytes,
                          uint32_t devices, uint32_t model);
/* Take from a node as if a task ran there. */
void place_world_use(struct place_world *w, uint32_t node, int64_t cpu_milli, int64_t memory_bytes);
void place_world_use_device(struct place_world *w, uint32_t node, uint32_t device, uint32_t milli);
lsched_task_shape place_task(int64_t cpu_milli, int64_t memory_bytes, uint32_t devices,
                             uint32_t share_milli);
/* Add a task to the mix; model_bits: allowed models, 0 for any. */
void place_world_mix(struct place_world *w, const lsched_task_shape *task, uint32_t model_bits,
                     int64_t count);

/* An allocator that counts what is out and fails at the fail_at-th call from now; 0: never. */
struct place_memory {
    size_t out_bytes;
    uint32_t calls;
    uint32_t fail_at;
};
lsched_algorithm_env place_env(struct place_memory *memory);

/* Create, prepare and ask: one node's score, and its devices (0 if the algorithm leaves the choice
 * to the engine). Aborts on errors. */
struct place_run {
    const lsched_algorithm *algorithm;
    struct place_memory memory;
    lsched_algorithm_env env;
    void *self;
};
void place_run_begin(struct place_run *run, const lsched_algorithm *algorithm,
                     const struct place_world *w);
int64_t place_run_score(struct place_run *run, const struct place_world *w,
                        const lsched_task_shape *task, uint32_t node);
uint32_t place_run_devices(struct place_run *run, const struct place_world *w,
                           const lsched_task_shape *task, uint32_t node);
void place_run_end(struct place_run *run); /* fails if memory is still out */

#endif
