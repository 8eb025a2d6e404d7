/* tsdpbp_slices.c -- see tsdpbp_slices.h. */
#include "algorithms/planning/tsdpbp_slices.h"

#include <string.h>

#define SLICES FREE_TIMELINE_KINDS

static struct free_timeline_amount tsdpbp_slices_run_of(uint32_t from, uint32_t slices) {
    struct free_timeline_amount a;
    memset(&a, 0, sizeof a);
    for (uint32_t s = from; s < from + slices && s < SLICES; s++) a.of[s] = 1;
    return a;
}

/* Fills the bin of one MIG device. A slice's column is 1 if the slice is free. Each holder of the
 * slice makes the column lower by 1 until the holder's end. */
static int32_t fill_device(struct ts *t, uint32_t device, uint32_t index, uint32_t used,
                           const lsched_holder *list, uint32_t n) {
    struct free_timeline_amount free;
    uint32_t held = 0;
    for (uint32_t s = 0; s < SLICES; s++) free.of[s] = 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = (uint32_t)(list[i].starts >> 4 * index & 15);
        if (!ts_holds_device(&list[i], index) || !list[i].slices) continue;
        for (uint32_t s = from; s < from + list[i].slices && s < SLICES; s++) {
            free.of[s]--;
            held |= 1u << s;
        }
    }
    for (uint32_t s = 0; s < SLICES; s++)
        if (used >> s & 1 && !(held >> s & 1)) free.of[s] = 0;
    int32_t rc = free_timeline_draft(&t->slices, &free);
    for (uint32_t i = 0; i < n && rc == LSCHED_OK; i++) {
        uint32_t from = (uint32_t)(list[i].starts >> 4 * index & 15);
        if (!ts_holds_device(&list[i], index) || !list[i].slices ||
            list[i].until_us == LSCHED_NEVER_US)
            continue;
        struct free_timeline_amount run = tsdpbp_slices_run_of(from, list[i].slices);
        rc =
            free_timeline_draft_take(&t->slices, list[i].until_us, FREE_TIMELINE_FOREVER, &run, -1);
    }
    if (rc != LSCHED_OK) return rc;
    return free_timeline_reset(&t->slices, device);
}

/* Gives a device of a node whose MIG devices were not read before its number in ts.devices. */
static int32_t device_add(struct ts *t, uint32_t node, uint32_t index) {
    uint32_t at = t->slices.n_bins;
    if (!ENV_ROOM(&t->env, t->devices, t->cap_devices, at + 1ull)) return LSCHED_E_NOMEM;
    if (t->nodes[node].n_devices++ == 0) t->nodes[node].first_device = at;
    t->devices[at] = (struct ts_device){node, index};
    return free_timeline_bins(&t->slices, at + 1);
}

int32_t ts_slices_fill(struct ts *t, uint32_t node, const lsched_holder *list, uint32_t n,
                       int is_new) {
    const struct ts_node *k = &t->nodes[node];
    uint32_t devices = t->view->node_device_count[node], known = 0, slices, starts, used;
    for (uint32_t i = 0; i < devices; i++) {
        int32_t rc = t->act->mig_device(t->cycle, LSCHED_NO_ROW, node, i, &slices, &starts, &used);
        if (rc < 0) return rc;
        if (rc == 0) continue;
        rc = is_new ? device_add(t, node, i) : LSCHED_OK;
        if (rc != LSCHED_OK) return rc;
        if (known == k->n_devices || t->devices[k->first_device + known].index != i) return 0;
        rc = fill_device(t, k->first_device + known++, i, used, list, n);
        if (rc != LSCHED_OK) return rc;
    }
    return known == k->n_devices;
}

int32_t ts_slices_take(struct ts *t, const struct ts_item *item, int64_t times) {
    struct free_timeline_amount run = tsdpbp_slices_run_of(item->slice_from, item->slices);
    int64_t to = free_timeline_end(item->start, item->length);
    return free_timeline_take(&t->slices, item->device, item->start, to, &run, times);
}

int ts_slices_sound(const struct ts *t, uint32_t node) {
    const struct ts_node *k = &t->nodes[node];
    for (uint32_t d = k->first_device; d < k->first_device + k->n_devices; d++)
        if (!free_timeline_is_sound(&t->slices, d)) return 0;
    return 1;
}

/* ---- the earliest place ---- */

struct place {
    int64_t start;
    /* spare: number of free slices of the device at `start` */
    uint32_t device, from, slices, spare;
    uint32_t was_told;
};

static int tsdpbp_slices_is_before(const struct place *a, const struct place *b) {
    if (a->start != b->start) return a->start < b->start;
    if (a->was_told != b->was_told) return a->was_told > b->was_told;
    if (a->spare != b->spare) return a->spare < b->spare;
    return a->device == b->device && a->from > b->from;
}

static uint32_t slices_free(const struct ts *t, uint32_t device, int64_t at) {
    uint32_t n = 0;
    for (uint32_t s = 0; s < SLICES; s++) {
        struct free_timeline_amount one = tsdpbp_slices_run_of(s, 1);
        n += free_timeline_count(&t->slices, device, at, 1, &one, 1);
    }
    return n;
}

static int tsdpbp_slices_fits(const struct ts *t, const struct ts_item *item, uint32_t device,
                              int64_t at, const struct free_timeline_amount *run) {
    return free_timeline_count(&t->slices, device, at, item->length, run, 1) &&
           free_timeline_count(&t->timeline, t->devices[device].node, at, item->length, &item->need,
                               1);
}

/* Returns the earliest time, not later than `best`, at which this run of slices and the node's
 * other amounts are free. Only times at which the free amounts of the device or the node change are
 * tried. Returns FREE_TIMELINE_FOREVER if there is no such time. */
static int64_t earliest(const struct ts *t, const struct ts_item *item, uint32_t device,
                        const struct free_timeline_amount *run, int64_t best) {
    const struct free_timeline *of[] = {&t->slices, &t->timeline};
    const uint32_t bin[] = {device, t->devices[device].node};
    int64_t start = FREE_TIMELINE_FOREVER;
    for (uint32_t h = 0; h < 2; h++) {
        uint32_t n;
        const struct free_timeline_step *s = free_timeline_steps(of[h], bin[h], &n);
        for (uint32_t i = 0; i < n; i++) {
            int64_t at = free_timeline_at(of[h], &s[i]);
            if (at > best || at >= start) break; /* later steps have later times */
            if (tsdpbp_slices_fits(t, item, device, at, run)) start = at;
        }
    }
    return start;
}

int32_t ts_slices_find(struct ts *t, struct ts_item *item) {
    struct place best = {.start = FREE_TIMELINE_FOREVER};
    for (uint32_t d = 0; d < t->slices.n_bins; d++) {
        const struct ts_device *device = &t->devices[d];
        uint32_t slices, starts, used;
        if (free_timeline_is_empty(&t->timeline, device->node) ||
            !free_timeline_allows(&t->timeline, item->able, device->node))
            continue;
        int32_t rc = t->act->mig_device(t->cycle, item->job, device->node, device->index, &slices,
                                        &starts, &used);
        if (rc < 0) return rc;
        for (uint32_t s = SLICES; rc == 1 && s-- > 0;) {
            if (!(starts >> s & 1)) continue;
            struct free_timeline_amount run = tsdpbp_slices_run_of(s, slices);
            struct place p = {.device = d, .from = s, .slices = slices};
            p.start = earliest(t, item, d, &run, best.start);
            if (p.start == FREE_TIMELINE_FOREVER) continue;
            p.spare = slices_free(t, d, p.start);
            p.was_told = device->node == item->node_before;
            if (best.start == FREE_TIMELINE_FOREVER || tsdpbp_slices_is_before(&p, &best)) best = p;
        }
    }
    if (best.start == FREE_TIMELINE_FOREVER) return 0;
    if (!ENV_ROOM(&t->env, t->parts, t->cap_parts, t->n_parts + 1ull)) return LSCHED_E_NOMEM;
    item->first_part = t->n_parts;
    item->n_parts = 1;
    t->parts[t->n_parts++] = (struct free_timeline_part){t->devices[best.device].node, 1};
    item->start = best.start;
    item->slices = best.slices;
    item->device = best.device;
    item->slice_from = best.from;
    int32_t rc = ts_parts_take(t, item, 1);
    if (rc == LSCHED_OK) rc = ts_slices_take(t, item, 1);
    return rc == LSCHED_OK ? 1 : rc;
}
