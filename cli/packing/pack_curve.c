/*
 * pack_curve.c -- see pack_curve.h.
 */
#include "cli/packing/pack_curve.h"

#include <stdlib.h>

#include "cli/packing/pack_chart.h"
#include "cli/support/cli_errors.h"

struct bin_time {
    uint32_t bin;
    int64_t start_us, end_us;
};

static int by_bin(const void *a, const void *b) {
    const struct bin_time *x = a, *y = b;
    if (x->bin != y->bin) return x->bin < y->bin ? -1 : 1;
    if (x->start_us != y->start_us) return x->start_us < y->start_us ? -1 : 1;
    return 0;
}

/* Adds to the columns the time during which each bin is on. A bin is on while at least one of its
 * items is active. */
static void add_on(struct bin_time *times, size_t n, int64_t from_us, int64_t to_us,
                   double *columns, int n_columns) {
    qsort(times, n, sizeof times[0], by_bin);
    for (size_t i = 0; i < n;) {
        struct bin_time span = times[i];
        for (i++; i < n && times[i].bin == span.bin && times[i].start_us <= span.end_us; i++)
            if (times[i].end_us > span.end_us) span.end_us = times[i].end_us;
        chart_add(columns, n_columns, from_us, to_us, span.start_us, span.end_us, 1);
    }
}

static void add_load(const lsched_pack_problem *problem, const lsched_pack_place *place,
                     uint32_t resource, int64_t from_us, int64_t to_us, double *columns,
                     int n_columns) {
    const lsched_pack_config *config = &problem->items[place->item].configs[place->config];
    double capacity = (double)problem->classes[0].capacity[resource];
    if (config->n_slots == 0) {
        chart_add(columns, n_columns, from_us, to_us, place->start_us, place->end_us,
                  (double)config->demand[resource] / capacity);
        return;
    }
    const int64_t *demand = config->demand + (size_t)resource * config->n_slots;
    const int64_t *bounds = problem->slot_bounds + config->first_slot;
    for (uint32_t s = 0; s < config->n_slots; s++)
        chart_add(columns, n_columns, from_us, to_us, bounds[s], bounds[s + 1],
                  (double)demand[s] / capacity);
}

static void time_range(const struct pack_result *result, int64_t *from_us, int64_t *to_us) {
    *from_us = INT64_MAX;
    *to_us = INT64_MIN;
    for (size_t i = 0; i < result->n_places; i++) {
        const lsched_pack_place *place = &result->places[i];
        if (place->bin == LSCHED_PACK_NONE) continue;
        if (place->start_us < *from_us) *from_us = place->start_us;
        if (place->end_us > *to_us) *to_us = place->end_us;
    }
}

bool pack_curve_make(const lsched_pack_problem *problem, const struct pack_result *result,
                     int n_columns, struct pack_curve *out) {
    *out = (struct pack_curve){.n = n_columns};
    time_range(result, &out->from_us, &out->to_us);
    if (out->from_us >= out->to_us) return false;
    struct bin_time *times = must_alloc(result->n_places * sizeof times[0]);
    size_t n = 0;
    for (uint32_t r = 0; r < problem->n_resources; r++) {
        double load[CURVE_COLUMNS_MAX] = {0};
        for (size_t i = 0; i < result->n_places; i++)
            if (result->places[i].bin != LSCHED_PACK_NONE)
                add_load(problem, &result->places[i], r, out->from_us, out->to_us, load, n_columns);
        for (int c = 0; c < n_columns; c++)
            if (load[c] > out->load[c]) out->load[c] = load[c];
    }
    for (size_t i = 0; i < result->n_places; i++) {
        const lsched_pack_place *place = &result->places[i];
        if (place->bin != LSCHED_PACK_NONE)
            times[n++] = (struct bin_time){place->bin, place->start_us, place->end_us};
    }
    add_on(times, n, out->from_us, out->to_us, out->on, n_columns);
    free(times);
    return true;
}
