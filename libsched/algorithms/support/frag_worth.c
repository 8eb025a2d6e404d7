/*
 * frag_worth.c -- see frag_worth.h. All numbers are integers, and quotients are rounded down.
 */
#include "algorithms/support/frag_worth.h"

#include <string.h>

__extension__ typedef unsigned __int128 worth_wide;

#define AMOUNT_BITS 24 /* number of bits of the largest capacity of a node after the shift */
/* so that a product with a shifted amount, which is below 2^24, does not overflow */
#define CARRIES_MOST ((int64_t)1 << 36)
#define LOAD_MOST    (FRAG_ONE << 20)
/* number of binary digits to which the supply is rounded */
#define SUPPLY_BITS 5

static const uint32_t beside[FRAG_BESIDE] = {LSCHED_CPU, LSCHED_MEMORY};

/* Devices of all ready nodes, and capacity of the ready nodes without devices. */
struct frag_supply {
    int64_t devices;
    int64_t *by_model;
    /* shifted capacity of the nodes without devices, for cpu and memory */
    int64_t without_gpu[FRAG_BESIDE];
};

static int64_t mul_div(int64_t a, int64_t b, int64_t c, int64_t most) {
    if (c <= 0) return most;
    worth_wide quotient = (worth_wide)(uint64_t)a * (uint64_t)b / (uint64_t)c;
    return quotient < (worth_wide)most ? (int64_t)quotient : most;
}

static int is_ready(const lsched_view *view, uint32_t node) {
    return view->node_live[node] && view->node_ready[node];
}

static void find_shifts(struct frag_worth *worth, const lsched_view *view) {
    for (int i = 0; i < FRAG_BESIDE; i++) {
        const int64_t *capacity = view->node_capacity[beside[i]];
        int64_t largest = 0;
        for (uint32_t node = 0; node < view->n_nodes; node++)
            if (view->node_live[node] && capacity[node] > largest) largest = capacity[node];
        while (largest >> (worth->shift[i] + AMOUNT_BITS)) worth->shift[i]++;
    }
}

/* Rounds an amount to SUPPLY_BITS binary digits, so that the loads of a large cluster stay the same
 * when one of its nodes comes or goes. Otherwise all scores would change with each node. */
static int64_t rounded(int64_t amount) {
    int64_t unit = 1;
    while (amount / unit >> SUPPLY_BITS) unit *= 2;
    return (amount + unit / 2) / unit * unit;
}

static void read_supply(struct frag_supply *supply, const struct frag_worth *worth,
                        const struct frag_models *models, const lsched_view *view) {
    uint32_t nodes_without_gpu = 0;
    for (uint32_t node = 0; node < view->n_nodes; node++) {
        if (!is_ready(view, node)) continue;
        uint32_t first = view->node_device_first[node];
        uint32_t n = view->node_device_count[node];
        for (uint32_t i = 0; i < n; i++) {
            supply->by_model[frag_model_number(models, view->device_model[first + i])]++;
        }
        nodes_without_gpu += n == 0;
        for (int i = 0; n == 0 && i < FRAG_BESIDE; i++)
            supply->without_gpu[i] += view->node_capacity[beside[i]][node] >> worth->shift[i];
    }
    for (uint32_t model = 0; model <= models->n; model++) {
        supply->by_model[model] = rounded(supply->by_model[model]);
        supply->devices += supply->by_model[model];
    }
    for (int i = 0; i < FRAG_BESIDE && nodes_without_gpu >> SUPPLY_BITS; i++)
        supply->without_gpu[i] = rounded(supply->without_gpu[i]);
}

static int64_t gpu_milli_of(const struct frag_mix *mix, uint32_t class_index) {
    const struct frag_class *c = &mix->classes[class_index];
    if (c->devices > LSCHED_DEVICES_PER_NODE_MAX) return 0; /* no node has so many devices */
    return (int64_t)c->devices * c->share_milli;
}

/* Returns the mean GPU demand of a task of the mix, in milli-GPU times FRAG_ONE. */
static int64_t mean_gpu(const struct frag_mix *mix) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < mix->n_gpu; i++)
        sum += mix->classes[i].popularity * gpu_milli_of(mix, i);
    return sum;
}

static void find_carries(struct frag_worth *worth, const struct frag_mix *mix,
                         const struct frag_supply *supply, int64_t mean) {
    const int64_t most = (int64_t)1 << AMOUNT_BITS;
    for (int i = 0; i < FRAG_BESIDE; i++) {
        const int64_t *requests = frag_requests(mix, beside[i]);
        int64_t with_gpu = 0;
        int64_t without = 0;
        for (uint32_t c = 0; c < mix->n; c++) {
            int64_t amount = requests[c] >> worth->shift[i];
            if (amount > most) amount = most;
            *(c < mix->n_gpu ? &with_gpu : &without) += amount * mix->classes[c].popularity;
        }
        int64_t elsewhere = mul_div(supply->without_gpu[i], mean, supply->devices * 1000, without);
        int64_t needed = with_gpu + without - elsewhere;
        /* `carries` stays 0, because nodes without GPUs have enough of this kind for the whole
         * mix */
        if (needed == 0) continue;
        int64_t carries = mul_div(mean, FRAG_ONE, needed, CARRIES_MOST);
        worth->carries[i] = carries ? carries : 1;
    }
}

static void frag_worth_find_loads(struct frag_worth *worth, const struct frag_mix *mix,
                                  const struct frag_supply *supply, int64_t mean) {
    for (uint32_t c = 0; c < mix->n_gpu; c++) {
        int64_t devices = 0;
        for (uint32_t model = 0; model < worth->n_models; model++)
            if (frag_allows(mix, c, model)) devices += supply->by_model[model];
        if (devices == 0) continue;
        int64_t demand = mix->classes[c].popularity * gpu_milli_of(mix, c);
        int64_t load = mul_div(demand, supply->devices, devices, INT64_MAX >> 4);
        for (uint32_t model = 0; model < worth->n_models; model++)
            if (frag_allows(mix, c, model)) worth->load[model] += load;
    }
    for (uint32_t model = 0; model < worth->n_models; model++)
        worth->load[model] = mul_div(worth->load[model], FRAG_ONE, mean, LOAD_MOST);
}

/* Fills *worth, which is zeroed. On an error it stays zeroed. */
static int32_t compute(struct frag_worth *worth, const lsched_algorithm_env *env,
                       const lsched_view *view, const struct frag_mix *mix, int64_t mean) {
    uint32_t n_models = mix->models.n + 1;
    size_t bytes = n_models * sizeof *worth->load;
    struct frag_supply supply = {.by_model = env_new(env, bytes)};
    worth->load = env_new(env, bytes);
    int32_t status = supply.by_model && worth->load ? LSCHED_OK : LSCHED_E_NOMEM;
    if (status == LSCHED_OK) {
        worth->n_models = n_models;
        find_shifts(worth, view);
        read_supply(&supply, worth, &mix->models, view);
        find_carries(worth, mix, &supply, mean);
        frag_worth_find_loads(worth, mix, &supply, mean);
    } else {
        env_free(env, worth->load, bytes);
        worth->load = NULL;
    }
    env_free(env, supply.by_model, bytes);
    return status;
}

static int frag_worth_equals(const struct frag_worth *a, const struct frag_worth *b) {
    return a->n_models == b->n_models && memcmp(a->shift, b->shift, sizeof a->shift) == 0 &&
           memcmp(a->carries, b->carries, sizeof a->carries) == 0 &&
           (a->n_models == 0 || memcmp(a->load, b->load, a->n_models * sizeof *a->load) == 0);
}

int32_t frag_worth_read(struct frag_worth *worth, const lsched_algorithm_env *env,
                        const lsched_view *view, const struct frag_mix *mix) {
    struct frag_worth fresh = {.n_models = 0};
    int32_t status = LSCHED_OK;
    int64_t mean = mean_gpu(mix);
    if (mean > 0 && mix->models.n > 0) status = compute(&fresh, env, view, mix, mean);
    if (status == LSCHED_OK && frag_worth_equals(&fresh, worth)) {
        frag_worth_free(&fresh, env);
        return LSCHED_PREPARED_SAME;
    }
    frag_worth_free(worth, env);
    *worth = fresh;
    return status;
}

void frag_worth_free(struct frag_worth *worth, const lsched_algorithm_env *env) {
    env_free(env, worth->load, worth->n_models * sizeof *worth->load);
    memset(worth, 0, sizeof *worth);
}

int64_t frag_stranded(const struct frag_worth *worth, int64_t idle_milli, int64_t cpu_milli,
                      int64_t memory_bytes) {
    if (worth->n_models == 0) return 0;
    const int64_t free_amount[FRAG_BESIDE] = {cpu_milli, memory_bytes};
    int64_t stranded = 0;
    for (int i = 0; i < FRAG_BESIDE; i++) {
        if (worth->carries[i] == 0) continue;
        int64_t scaled = free_amount[i] < 0 ? 0 : free_amount[i] >> worth->shift[i];
        int64_t beyond = idle_milli * FRAG_ONE - scaled * worth->carries[i];
        if (beyond > stranded) stranded = beyond;
    }
    return stranded;
}
