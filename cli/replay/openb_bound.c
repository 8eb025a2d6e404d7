/*
 * openb_bound.c -- see openb_bound.h.
 *
 * The bound follows from weak duality. Choose any prices that are not negative: one for a GPU of
 * each model, one for the cpu of each model, and one for a device in each count of shares (see
 * `pieces`). No schedule can allocate more GPUs than the following sum. The first part of the sum
 * is the value of all GPUs, cpu and devices of the cluster at these prices. The second part adds,
 * for each task, the task's GPUs minus the cost of its cheapest model at these prices, if this
 * difference is positive. Any prices give a valid bound; the best prices give the lowest sum. The
 * sum is a convex function of about twenty prices. The ellipsoid method minimizes it. The method
 * needs only the value and the slope of the function, never gets stuck, and takes forty lines of
 * code. The obvious other way, a linear program of 450 classes and 7 models, would need a solver.
 * The method stops after a limited number of steps; the result is a valid bound even then.
 */
#include "cli/replay/openb_bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MODELS = OPENB_MODELS_MAX, SIZES = 6, PRICES_MAX = 2 * MODELS + SIZES, WHOLE = 1000 };

/* A class of arriving tasks that are equal for the bound. `gpus` is the GPUs of one task, and
 * counted[i] is the GPUs that count for it with size i. */
struct demand {
    const struct openb_task *task;
    int64_t count;
    uint32_t models; /* mask of the models that the task is allowed to use */
    double gpus, counted[SIZES];
};

struct bound {
    lsched_text model[MODELS];
    double gpus[MODELS], cpu_milli[MODELS], all_gpus;
    uint32_t n_models, n_sizes;
    struct demand *demands; /* owned by this struct */
    size_t n;
    int64_t size_milli[SIZES];
};

/* ---- the cluster and the arrivals ---- */

static int same_text(lsched_text a, lsched_text b) {
    return a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0;
}

static void add_heaps(struct bound *b, const struct openb_nodes *nodes) {
    for (size_t i = 0; i < nodes->n; i++) {
        const struct openb_node *node = &nodes->items[i];
        uint32_t m = 0;
        if (node->gpus == 0) continue;
        while (m < b->n_models && !same_text(b->model[m], node->model)) m++;
        /* the bound has prices for at most MODELS models: further models count as the last one */
        if (m == MODELS) m = MODELS - 1;
        if (m == b->n_models) b->model[b->n_models++] = node->model;
        b->gpus[m] += (double)node->gpus;
        b->cpu_milli[m] += (double)node->cpu_milli;
        b->all_gpus += (double)node->gpus;
    }
}

static uint32_t models_of(const struct bound *b, const struct openb_task *task) {
    uint32_t bits = 0;
    for (uint32_t m = 0; m < b->n_models; m++) {
        int allowed = task->n_models == 0 || b->n_models == MODELS;
        for (size_t i = 0; i < task->n_models; i++)
            allowed |= same_text(task->models[i], b->model[m]);
        bits |= (uint32_t)allowed << m;
    }
    return bits;
}

static int compare_demands(const void *a, const void *b) {
    const struct demand *x = a, *y = b;
    int64_t keys[2][4] = {{x->task->gpus, x->task->milli_per_gpu, x->task->cpu_milli, x->models},
                          {y->task->gpus, y->task->milli_per_gpu, y->task->cpu_milli, y->models}};
    for (int i = 0; i < 4; i++)
        if (keys[0][i] != keys[1][i]) return keys[0][i] < keys[1][i] ? -1 : 1;
    return 0;
}

/* Adds the tasks that arrive until the arrived tasks ask for 100 % of the GPUs. Tasks without GPUs
 * are ignored. */
static void add_demands(struct bound *b, const struct replay *replay, uint64_t seed) {
    size_t arrivals, n = 0;
    uint32_t *order = openb_arrivals(replay, seed, &arrivals);
    int64_t asked_milli = 0, all_milli = replay->nodes->gpus * WHOLE;
    struct demand *demands = must_alloc(arrivals * sizeof demands[0]);
    for (size_t i = 0; i < arrivals && asked_milli < all_milli; i++) {
        const struct openb_task *task = &replay->tasks->items[order[i]];
        asked_milli += openb_task_gpu_milli(task);
        if (task->gpus == 0) continue;
        demands[n++] = (struct demand){.task = task,
                                       .count = 1,
                                       .models = models_of(b, task),
                                       .gpus = (double)openb_task_gpu_milli(task) / WHOLE};
    }
    qsort(demands, n, sizeof demands[0], compare_demands);
    for (size_t i = 0; i < n; i++) {
        if (b->n > 0 && compare_demands(&demands[b->n - 1], &demands[i]) == 0)
            demands[b->n - 1].count++;
        else
            demands[b->n++] = demands[i];
    }
    b->demands = demands;
    free(order);
}

/* Chooses the sizes e of the bound `pieces`, and computes demand.counted. A share above 1000 - e is
 * rounded up to a whole device. The function chooses the sizes for which this rounding adds the
 * most GPUs. Only shares above half a device can be rounded up. */
static void choose_sizes(struct bound *b) {
    int64_t lost[WHOLE + 1] = {0};
    for (size_t i = 0; i < b->n; i++) {
        int64_t share = b->demands[i].task->milli_per_gpu;
        if (share > WHOLE / 2) lost[share] += b->demands[i].count * (WHOLE - share);
    }
    while (b->n_sizes < SIZES) {
        int64_t most = WHOLE;
        for (int64_t share = WHOLE / 2 + 1; share < WHOLE; share++)
            if (lost[share] > lost[most]) most = share;
        if (lost[most] == 0) break;
        lost[most] = 0;
        b->size_milli[b->n_sizes++] = WHOLE - most + 1;
    }
    for (size_t i = 0; i < b->n; i++) {
        struct demand *d = &b->demands[i];
        int64_t share = d->task->milli_per_gpu;
        for (uint32_t s = 0; s < b->n_sizes; s++)
            d->counted[s] = share > WHOLE - b->size_milli[s] ? (double)d->task->gpus
                            : share < b->size_milli[s]       ? 0
                                                             : d->gpus;
    }
}

/* ---- the bound at given prices ---- */

/* Returns an upper bound on the allocated GPUs, which is the sum described at the top of this file,
 * and writes its derivative by each price to `slope`. `price` has first the price of a GPU of each
 * model, then the price of the cpu of each model, and then the price of a device for each size. The
 * unit of cpu is the mean cpu per GPU on the nodes of the model. */
static double most_allocated(const struct bound *b, const double *price, double *slope) {
    uint32_t n = b->n_models;
    double value = 0;
    for (uint32_t m = 0; m < n; m++) {
        slope[m] = slope[n + m] = b->gpus[m];
        value += (price[m] + price[n + m]) * b->gpus[m];
    }
    for (uint32_t s = 0; s < b->n_sizes; s++) {
        slope[2 * n + s] = b->all_gpus;
        value += price[2 * n + s] * b->all_gpus;
    }
    for (size_t i = 0; i < b->n; i++) {
        const struct demand *d = &b->demands[i];
        double least = INFINITY, cpu = 0, beside = 0, count = (double)d->count;
        uint32_t at = 0;
        for (uint32_t m = 0; m < n; m++) {
            double part = (double)d->task->cpu_milli * b->gpus[m] / fmax(b->cpu_milli[m], 1);
            if (!(d->models >> m & 1)) continue;
            double cost = price[m] * d->gpus + price[n + m] * part;
            if (cost < least) least = cost, at = m, cpu = part;
        }
        for (uint32_t s = 0; s < b->n_sizes; s++) beside += price[2 * n + s] * d->counted[s];
        if (least + beside >= d->gpus) continue;
        value += count * (d->gpus - least - beside);
        slope[at] -= count * d->gpus;
        slope[n + at] -= count * cpu;
        for (uint32_t s = 0; s < b->n_sizes; s++) slope[2 * n + s] -= count * d->counted[s];
    }
    return value;
}

/* ---- the ellipsoid method ---- */

struct ellipsoid {
    uint32_t n;
    double center[PRICES_MAX], shape[PRICES_MAX][PRICES_MAX];
};

/* Replaces the ellipsoid by a smaller one that contains the part of the ellipsoid in which the
 * minimum can be. The part where the function rises along `slope` is cut off. The cut goes through
 * the center if `deeper` is 0, and leaves less than a half if `deeper` is positive. Returns 0 if
 * nothing would remain, otherwise 1. */
static int cut(struct ellipsoid *e, const double *slope, double deeper) {
    double along[PRICES_MAX], width = 0, n = e->n;
    for (uint32_t i = 0; i < e->n; i++) {
        along[i] = 0;
        for (uint32_t j = 0; j < e->n; j++) along[i] += e->shape[i][j] * slope[j];
        width += along[i] * slope[i];
    }
    if (!(width > 0)) return 0;
    width = sqrt(width);
    double depth = deeper / width;
    if (depth >= 1) return 0;
    double step = (1 + n * depth) / (n + 1);
    double narrow = 2 * step / (1 + depth), grow = n * n * (1 - depth * depth) / (n * n - 1);
    for (uint32_t i = 0; i < e->n; i++) along[i] /= width;
    for (uint32_t i = 0; i < e->n; i++) {
        e->center[i] -= step * along[i];
        for (uint32_t j = 0; j < e->n; j++)
            e->shape[i][j] = grow * (e->shape[i][j] - narrow * along[i] * along[j]);
    }
    return 1;
}

static void begin(struct ellipsoid *e, uint32_t n) {
    memset(e, 0, sizeof *e);
    e->n = n;
    for (uint32_t i = 0; i < n; i++) {
        e->center[i] = 0.5;
        e->shape[i][i] = n;
    }
}

/* Returns the index of the first negative price at the center, or the number of prices if no price
 * is negative. Prices must not be negative; therefore a negative price decides the direction of the
 * next cut. */
static uint32_t first_negative(const struct ellipsoid *e) {
    uint32_t i = 0;
    while (i < e->n && e->center[i] >= 0) i++;
    return i;
}

static double least_bound(const struct bound *b, uint32_t n) {
    /* the search stops when it can improve the bound by at most this number of GPUs */
    static const double precision = 1e-4;
    struct ellipsoid e;
    double best = b->all_gpus, slope[PRICES_MAX];
    begin(&e, n);
    for (uint32_t left = 60 * n * n; left > 0; left--) {
        uint32_t negative = first_negative(&e);
        if (negative < n) {
            memset(slope, 0, sizeof slope);
            slope[negative] = -1;
            if (!cut(&e, slope, -e.center[negative])) break;
            continue;
        }
        double value = most_allocated(b, e.center, slope);
        if (value < best) best = value;
        if (!cut(&e, slope, value - best + precision)) break;
    }
    return best;
}

void openb_bound_of(const struct replay *replay, uint64_t seed, struct openb_bound *out) {
    struct bound *b = must_alloc_zero(sizeof *b);
    add_heaps(b, replay->nodes);
    add_demands(b, replay, seed);
    double totals = least_bound(b, 2 * b->n_models);
    choose_sizes(b);
    double pieces = least_bound(b, 2 * b->n_models + b->n_sizes);
    if (pieces > totals) pieces = totals;
    out->totals_percent = 100 * (1 - totals / b->all_gpus);
    out->pieces_percent = 100 * (1 - pieces / b->all_gpus);
    free(b->demands);
    free(b);
}
