/*
 * pack_services.c -- see pack_services.h. A sample belongs to the slot that contains the time of
 * the sample. A slot in which no sample lies uses the last sample before the slot.
 */
#include "cli/packing/pack_services.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/input/row_scan.h"
#include "cli/support/time_text.h"
#include "cli/support/cli_errors.h"

/* The capacity of a soft resource has this number of units. The demands are whole numbers of units,
 * and the library compares integers without rounding errors. Therefore exact methods can prove that
 * a plan is optimal. */
enum { SOFT_UNITS = 1000000 };

int32_t service_set_make(struct service_set *set, int64_t step_us, int64_t min_samples,
                         lsched_error *err) {
    int32_t rc = sample_grid_make(&set->samples, set->n_resources, step_us, &set->grid, err);
    if (rc < 0) return rc;
    set->kept = must_alloc(set->grid.n_names * sizeof set->kept[0]);
    for (uint32_t i = 0; i < set->grid.n_names; i++) {
        bool enough = true;
        for (uint32_t r = 0; r < set->n_resources; r++)
            enough &= set->grid.samples[(size_t)i * set->n_resources + r] >= min_samples;
        if (enough) set->kept[set->n_kept++] = i;
    }
    if (set->n_kept > 0) return LSCHED_OK;
    return error_at(err, LSCHED_E_RANGE, 0, 0,
                    "no service has %" PRId64 " samples of each resource", min_samples);
}

/* ---- slots ---- */

/* Reads a duration with an optional number of repetitions, such as "12x5m", and moves *text behind
 * it. A comma behind the duration is skipped. Returns false if no duration follows the comma. */
static bool take_width(const char **text, int64_t *times, int64_t *width_us) {
    char word[TIME_TEXT_BYTES];
    size_t len = strcspn(*text, ",");
    if (len == 0 || len >= sizeof word || strcmp(*text + len, ",") == 0) return false;
    memcpy(word, *text, len);
    word[len] = '\0';
    *text += len + ((*text)[len] == ',');
    const char *width = word;
    char *after = NULL;
    long count = strtol(word, &after, 10);
    *times = 1;
    if (*after == 'x') {
        *times = count;
        width = after + 1;
    }
    return *times > 0 && *times <= LSCHED_PACK_SLOTS_MAX && time_parse(width, 0, width_us) &&
           *width_us > 0 && width[0] != '\0' && strchr(width, '-') == NULL;
}

enum slots service_set_slots(struct service_set *set, const char *widths) {
    int64_t end_us = (int64_t)set->grid.n_steps * set->grid.step_us, at_us = 0;
    int64_t times = 1, width_us = set->grid.step_us;
    set->bounds = must_alloc((LSCHED_PACK_SLOTS_MAX + 1) * sizeof set->bounds[0]);
    set->bounds[0] = 0;
    while (at_us < end_us) {
        bool named = widths != NULL && *widths != '\0';
        if (named && !take_width(&widths, &times, &width_us)) return SLOTS_BAD;
        /* the last duration of the text is repeated until the end of the horizon */
        if (widths == NULL || *widths == '\0') times = INT64_MAX;
        for (; times > 0 && at_us < end_us; times--) {
            if (set->n_slots == LSCHED_PACK_SLOTS_MAX) return SLOTS_TOO_MANY;
            at_us = width_us < end_us - at_us ? at_us + width_us : end_us;
            set->bounds[++set->n_slots] = at_us;
        }
    }
    /* durations for slots after the end of the horizon have no effect, but must be valid */
    while (widths != NULL && *widths != '\0')
        if (!take_width(&widths, &times, &width_us)) return SLOTS_BAD;
    return SLOTS_OK;
}

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Returns the number of grid steps that begin in a slot, and writes the index of the first step. If
 * no step begins in the slot, the function returns 1, and *first is the step in which the slot
 * begins. */
static uint32_t steps_of(const struct service_set *set, uint32_t slot, uint32_t *first) {
    int64_t step_us = set->grid.step_us, from = set->bounds[slot], to = set->bounds[slot + 1];
    int64_t begin = (from + step_us - 1) / step_us, end = (to + step_us - 1) / step_us;
    if (end > set->grid.n_steps) end = set->grid.n_steps;
    if (begin >= end) begin = from / step_us, end = begin + 1;
    *first = (uint32_t)begin;
    return (uint32_t)(end - begin);
}

/* Returns the demand of a row of the grid in a slot: the quantile of the values in the slot, by the
 * nearest-rank method. The quantile 1 is the largest value. */
static int64_t demand_in(const struct service_set *set, const int64_t *row, uint32_t slot,
                         int64_t *sorted) {
    uint32_t first = 0, n = steps_of(set, slot, &first);
    int64_t most = 0;
    for (uint32_t s = 0; s < n; s++)
        if (row[first + s] > most) most = row[first + s];
    if (set->quantile_micro >= MILLION || n == 1) return most;
    memcpy(sorted, row + first, n * sizeof sorted[0]);
    qsort(sorted, n, sizeof sorted[0], by_value);
    int64_t rank = ((int64_t)n * set->quantile_micro + MILLION - 1) / MILLION;
    return sorted[rank > 0 ? rank - 1 : 0];
}

/* Rounds up to a whole number. A value that is at most one millionth above a whole number is
 * rounded down, because a difference of this size is a rounding error. */
static int64_t whole_above(double units) {
    return (int64_t)ceil(units - 1e-6);
}

/* Estimates the mean and the standard deviation of the values of a row in a slot. Both are counted
 * in units of capacity / SOFT_UNITS, rounded up. The standard deviation is reduced if the mean plus
 * z standard deviations would exceed the largest value. */
static void estimate(const struct service_set *set, const int64_t *row, uint32_t resource,
                     uint32_t slot, int64_t *mean, int64_t *sigma) {
    uint32_t first = 0, n = steps_of(set, slot, &first);
    double sum = 0, squares = 0, most = 0;
    for (uint32_t s = 0; s < n; s++) {
        double value = (double)row[first + s];
        sum += value;
        if (value > most) most = value;
    }
    double middle = sum / n;
    for (uint32_t s = 0; s < n; s++) {
        double off = (double)row[first + s] - middle;
        squares += off * off;
    }
    double units = SOFT_UNITS / (double)set->capacity[resource];
    *mean = whole_above(middle * units);
    *sigma = whole_above(sqrt(squares / n) * units);
    int64_t room = whole_above(most * units) - *mean;
    if (*sigma * set->sigmas_milli > room * 1000) *sigma = room * 1000 / set->sigmas_milli;
}

/* ---- problems ---- */

static struct pack_origin origin_of(const struct service_set *set, uint32_t name,
                                    uint32_t resource) {
    struct pack_origin origin = {0, 0};
    int64_t most = -1;
    for (size_t i = 0; i < set->samples.n; i++) {
        const struct sample *sample = &set->samples.items[i];
        if (sample->name != name || sample->resource != resource || sample->micro <= most) continue;
        most = sample->micro;
        origin = sample->origin;
    }
    return origin;
}

static int32_t check_peak(const struct service_set *set, uint32_t name, uint32_t resource,
                          int64_t peak, lsched_error *err) {
    if (peak <= set->capacity[resource]) return LSCHED_OK;
    struct pack_origin origin = origin_of(set, name, resource);
    const lsched_text *text = &set->samples.names.names[name];
    return error_at(err, LSCHED_E_RANGE, origin.line, origin.column,
                    "'%.*s': expected at most the capacity of a bin, %g, got %g",
                    (int)(text->len < 80 ? text->len : 80), text->ptr,
                    (double)set->capacity[resource] / (double)MILLION,
                    (double)peak / (double)MILLION);
}

/* Writes the amounts of one item by [resource][slot]. If by_peaks is true, there is one slot, and
 * the amounts are by [resource]. */
static int32_t fill_item(const struct service_set *set, uint32_t name, bool by_peaks,
                         int64_t *amounts, int64_t *sigmas, int64_t *sorted, uint32_t *resource,
                         lsched_error *err) {
    for (uint32_t r = 0; r < set->n_resources; r++) {
        const int64_t *row = sample_row(&set->grid, name, r);
        int64_t peak = 0;
        for (uint32_t s = 0; s < set->n_slots; s++) {
            int64_t demand = demand_in(set, row, s, sorted);
            if (demand > peak) peak = demand;
            if (by_peaks) continue;
            size_t at = (size_t)r * set->n_slots + s;
            amounts[at] = demand;
            if (sigmas != NULL) estimate(set, row, r, s, &amounts[at], &sigmas[at]);
        }
        if (by_peaks) amounts[r] = peak;
        *resource = r;
        int32_t rc = check_peak(set, name, r, peak, err);
        if (rc < 0) return rc;
    }
    return LSCHED_OK;
}

int32_t service_set_problem(const struct service_set *set, uint32_t bins, bool by_peaks,
                            struct pack_input *out, uint32_t *resource, lsched_error *err) {
    size_t per_item = (size_t)set->n_resources * (by_peaks ? 1 : set->n_slots);
    int64_t horizon_us = set->bounds[set->n_slots];
    int64_t *sorted = must_alloc(set->grid.n_steps * sizeof sorted[0]);
    bool soft = set->sigmas_milli != NOT_SOFT && !by_peaks;
    int32_t rc = LSCHED_OK;
    pack_input_begin(out, set->n_kept, set->n_resources, per_item, bins);
    for (uint32_t r = 0; r < set->n_resources; r++) {
        out->resources[r].name = set->resources[r];
        out->capacity[r] = soft ? SOFT_UNITS : set->capacity[r];
    }
    if (soft) pack_input_soften(out, per_item, (uint32_t)set->sigmas_milli);
    for (uint32_t i = 0; rc == 0 && i < set->n_kept; i++) {
        out->items[i].name = set->samples.names.names[set->kept[i]];
        out->configs[i].duration_us = horizon_us;
        out->configs[i].n_slots = by_peaks ? 0 : set->n_slots;
        rc = fill_item(set, set->kept[i], by_peaks, out->amounts + i * per_item,
                       out->sigmas != NULL ? out->sigmas + i * per_item : NULL, sorted, resource,
                       err);
    }
    free(sorted);
    if (by_peaks) return rc;
    size_t bytes = ((size_t)set->n_slots + 1) * sizeof out->slot_bounds[0];
    out->slot_bounds = must_alloc(bytes);
    memcpy(out->slot_bounds, set->bounds, bytes);
    out->problem.slot_bounds = out->slot_bounds;
    out->problem.n_slots = set->n_slots;
    return rc;
}

/* ---- comparing a plan with the samples ---- */

static void judge_bin(const struct service_set *set, const int64_t *load, struct overload *out) {
    for (uint32_t s = 0; s < set->grid.n_steps; s++) {
        bool over = false;
        for (uint32_t r = 0; r < set->n_resources; r++) {
            int64_t beyond = load[(size_t)r * set->grid.n_steps + s] - set->capacity[r];
            if (beyond <= 0) continue;
            over = true;
            int64_t part = (int64_t)((double)beyond / (double)set->capacity[r] * (double)MILLION);
            if (part > out->worst_micro) out->worst_micro = part;
        }
        if (over) out->bins_us += set->grid.step_us;
    }
    out->of_us += (int64_t)set->grid.n_steps * set->grid.step_us;
}

void service_set_overload(const struct service_set *set, const lsched_pack_place *places,
                          uint32_t n_bins, struct overload *out) {
    size_t cells = (size_t)set->n_resources * set->grid.n_steps;
    int64_t *load = must_alloc(cells * sizeof load[0]);
    memset(out, 0, sizeof *out);
    for (uint32_t bin = 0; bin < n_bins; bin++) {
        bool used = false;
        memset(load, 0, cells * sizeof load[0]);
        for (uint32_t i = 0; i < set->n_kept; i++) {
            if (places[i].bin != bin) continue;
            used = true;
            const int64_t *row = sample_row(&set->grid, set->kept[i], 0);
            for (size_t c = 0; c < cells; c++) load[c] += row[c];
        }
        if (used) judge_bin(set, load, out);
    }
    free(load);
}

void service_set_free(struct service_set *set) {
    pack_samples_free(&set->samples);
    sample_grid_free(&set->grid);
    free(set->kept);
    free(set->bounds);
    memset(set, 0, sizeof *set);
}
