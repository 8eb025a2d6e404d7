/*
 * layout.c -- the best static MIG layout for a mix of profiles on equal devices.
 *
 * What is served are wanted instances, measured by their charges. A job could also run in a larger
 * instance than it needs, but then cutting the larger one serves as much: a set of jobs that fits
 * with such substitutions also fits when each job gets its own profile at the same slice.
 *
 * If the combinations of wanted instances fit into the table, the answer is exact. A larger pool
 * is filled in rounds. Each round looks at a mix in the same proportions that is small enough,
 * picks the devices on which the least stays unused, and repeats them as often as possible. What
 * is left becomes small within a few rounds, and its layout is exact again.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/call_args.h"
#include "base/sort.h"
#include "forecast/sizing/layout_table.h"

enum { LAYOUT_ROUNDS = 24 };

struct layout_work {
    struct alloc alloc;
    struct device_fills fills;
    struct layout_table table;
    uint64_t *spare; /* of device_fills_find(); later the different devices, and how many */
    uint64_t *kinds;
    uint32_t *kind_devices;
    uint32_t n_kinds;
    uint32_t left[FILL_PROFILES]; /* wanted and not yet served */
    uint32_t devices;             /* not yet cut */
    lsched_forecast_layout out;
};

#define SPARE_WORDS ((size_t)(FILL_SLICES + 1) * FILLS_MAX)
#define WORK_BYTES                                                   \
    (SPARE_WORDS * sizeof(uint64_t) + FILLS_MAX * sizeof(uint64_t) + \
     FILLS_MAX * sizeof(uint32_t) + LAYOUT_STATES * (sizeof(uint32_t) + 1))

static int32_t layout_profile_read(const lsched_mig_profile *from, struct fill_profile *to,
                                   lsched_error *err) {
    lsched_mig_profile p = LSCHED_INIT(lsched_mig_profile);
    int32_t rc = arg_struct(&p, sizeof p, from, 0, "a profile", err);
    if (rc != LSCHED_OK) return rc;
    int valid = p.slices >= 1 && p.slices <= FILL_SLICES && p.compute >= 1 &&
                p.compute <= FILL_SLICES && p.starts != 0 && p.starts >> FILL_SLICES == 0 &&
                p.max >= 1 && p.max <= FILL_SLICES && p.share_milli >= 1 && p.share_milli <= 1000 &&
                p.media <= 1;
    if (!valid)
        return fail(err, LSCHED_E_RANGE,
                    "a profile has %u slices, starts %#x, at most %u instances, charge %u; "
                    "expected what lsched_mig_profiles_at() writes",
                    p.slices, p.starts, p.max, p.share_milli);
    *to = (struct fill_profile){p.slices, p.compute, p.starts, p.max, p.share_milli, p.media};
    return LSCHED_OK;
}

/* The distance between two profiles of the caller is the size of the first one. */
static int32_t layout_read_profiles(const lsched_forecast_layout_query *q, struct layout_work *w,
                                    lsched_error *err) {
    size_t stride = 0;
    int32_t rc = arg_stride(q->profiles, q->n_profiles, 0, "profiles", &stride, err);
    w->fills.n_profiles = (uint32_t)q->n_profiles;
    for (size_t i = 0; rc == LSCHED_OK && i < q->n_profiles; i++) {
        const char *at = (const char *)q->profiles + i * stride;
        struct fill_profile *p = &w->fills.profiles[i];
        rc = layout_profile_read((const lsched_mig_profile *)(const void *)at, p, err);
        if (rc == LSCHED_OK && p->media && q->wanted[i] != 0)
            rc = fail(err, LSCHED_E_INVAL,
                      "%u instances with media engines are wanted; a layout has none: choose the "
                      "profile without them",
                      q->wanted[i]);
        if (rc != LSCHED_OK) {
            if (err != NULL && LSCHED_HAS(err, index)) err->index = (int64_t)i;
            return rc;
        }
        if (p->slices > w->fills.slices) w->fills.slices = p->slices;
        if (p->compute > w->fills.compute) w->fills.compute = p->compute;
        w->left[i] = q->wanted[i];
        w->out.wanted_milli += (uint64_t)q->wanted[i] * p->milli;
    }
    return rc;
}

static int32_t layout_read(const lsched_forecast_layout_query *query, struct layout_work *w,
                           lsched_error *err) {
    lsched_forecast_layout_query q = LSCHED_INIT(lsched_forecast_layout_query);
    const char *what = "the query for a layout";
    int32_t rc = arg_struct(&q, sizeof q, query, 0, what, err);
    if (rc == LSCHED_OK) rc = arg_allocator(q.allocator, what, err);
    if (rc != LSCHED_OK) return rc;
    if (q.n_devices > LSCHED_FORECAST_LAYOUT_DEVICES)
        return fail(err, LSCHED_E_RANGE, "n_devices is %u; expected at most %d", q.n_devices,
                    LSCHED_FORECAST_LAYOUT_DEVICES);
    if (q.n_profiles < 1 || q.n_profiles > FILL_PROFILES)
        return fail(err, LSCHED_E_RANGE, "n_profiles is %zu; expected 1 to %d", q.n_profiles,
                    FILL_PROFILES);
    if (q.profiles == NULL || q.wanted == NULL)
        return fail(err, LSCHED_E_NULL, "%s: %s is NULL", what,
                    q.profiles == NULL ? "profiles" : "wanted");
    w->devices = q.n_devices;
    rc = alloc_init(&w->alloc, q.allocator, 0);
    return rc == LSCHED_OK ? layout_read_profiles(&q, w, err) : fail_plain(err, rc);
}

/* The greatest sum of charges that one device can serve. */
static uint32_t layout_device_milli(const struct layout_work *w) {
    uint32_t best = 0;
    for (uint32_t i = 0; i < w->fills.n_greatest; i++) {
        uint32_t sum = 0;
        for (uint32_t p = 0; p < w->fills.n_profiles; p++) {
            uint32_t n = fill_of(w->fills.greatest[i], p);
            sum += (n < w->left[p] ? n : w->left[p]) * w->fills.profiles[p].milli;
        }
        if (sum > best) best = sum;
    }
    return best;
}

static void layout_note(struct layout_work *w, uint64_t kind, uint32_t devices) {
    uint32_t i = 0;
    while (i < w->n_kinds && w->kinds[i] != kind) i++;
    if (i == w->n_kinds) {
        w->kinds[w->n_kinds] = kind;
        w->kind_devices[w->n_kinds++] = 0;
    }
    w->kind_devices[i] += devices;
}

/* Cuts the devices of a pick `times` times. */
static void layout_apply(struct layout_work *w, const struct layout_pick *pick, uint32_t times) {
    size_t state = pick->state;
    for (uint64_t kind; (kind = layout_take(&w->table, &state)) != 0;) layout_note(w, kind, times);
    for (uint32_t p = 0; p < w->fills.n_profiles; p++) {
        w->left[p] -= pick->served[p] * times;
        w->out.served[p] += pick->served[p] * times;
    }
    w->devices -= pick->devices * times;
    w->out.served_milli += pick->milli * times;
}

/* Sets mix[] to what a round looks at. Returns 1 if this is all that is left. */
static int layout_mix(const struct layout_work *w, uint32_t *mix) {
    for (uint32_t parts = 1;; parts *= 2) {
        for (uint32_t p = 0; p < w->fills.n_profiles; p++) {
            uint64_t most = (uint64_t)w->devices * w->fills.profiles[p].max;
            uint64_t all = w->left[p] < most ? w->left[p] : most;
            mix[p] = (uint32_t)((all + parts - 1) / parts);
        }
        if (layout_states(mix, w->fills.n_profiles) <= LAYOUT_STATES) return parts == 1;
    }
}

/* How often a pick can be repeated. */
static uint32_t layout_times(const struct layout_work *w, const struct layout_pick *pick) {
    uint32_t times = w->devices / pick->devices;
    for (uint32_t p = 0; p < w->fills.n_profiles; p++)
        if (pick->served[p] > 0 && w->left[p] / pick->served[p] < times)
            times = w->left[p] / pick->served[p];
    return times;
}

static void layout_fill(struct layout_work *w) {
    uint32_t mix[FILL_PROFILES] = {0};
    uint64_t most = (uint64_t)w->devices * layout_device_milli(w);
    w->out.bound_milli = most < w->out.wanted_milli ? most : w->out.wanted_milli;
    for (int round = 0; round < LAYOUT_ROUNDS && w->devices > 0; round++) {
        int all = layout_mix(w, mix), last = all || round == LAYOUT_ROUNDS - 1;
        layout_table_make(&w->table, mix);
        struct layout_pick pick =
            last ? layout_pick_most(&w->table, w->devices)
                 : layout_pick_dense(&w->table, w->devices, layout_device_milli(w));
        if (pick.devices == 0) break;
        layout_apply(w, &pick, layout_times(w, &pick));
        if (all && round == 0) w->out.bound_milli = w->out.served_milli;
        if (all) break;
    }
    if (w->out.served_milli == 0) w->out.bound_milli = 0;
    w->out.exact = w->out.bound_milli == w->out.served_milli;
    w->out.free_devices = w->devices;
}

#define KIND_BEFORE(of, a, b) ((a) > (b))
SORT_IN_PLACE(layout_sort_kinds, uint64_t, const struct layout_work *, KIND_BEFORE)

/* Writes the different devices, those with the largest instances first. */
static void layout_write_rows(struct layout_work *w, lsched_forecast_layout_row *rows,
                              size_t capacity) {
    uint64_t *sorted = w->spare;
    memcpy(sorted, w->kinds, w->n_kinds * sizeof sorted[0]);
    layout_sort_kinds(w, sorted, w->n_kinds);
    for (uint32_t i = 0; i < w->n_kinds && i < capacity; i++) {
        uint32_t at = 0;
        while (w->kinds[at] != sorted[i]) at++;
        rows[i] = (lsched_forecast_layout_row){.devices = w->kind_devices[at]};
        for (uint32_t p = 0; p < w->fills.n_profiles; p++)
            rows[i].instances[p] = fill_of(sorted[i], p);
    }
    w->out.n_rows = w->n_kinds;
}

static int32_t layout_run(struct layout_work *w, lsched_forecast_layout_row *rows, size_t capacity,
                          lsched_error *err) {
    char *block = alloc_new(&w->alloc, WORK_BYTES);
    int32_t rc = LSCHED_OK;
    if (block == NULL) return fail(err, LSCHED_E_NOMEM, "no memory for the search for a layout");
    w->spare = (uint64_t *)(void *)block;
    w->kinds = w->spare + SPARE_WORDS;
    w->kind_devices = (uint32_t *)(void *)(w->kinds + FILLS_MAX);
    w->table.devices = w->kind_devices + FILLS_MAX;
    w->table.choice = (uint8_t *)(w->table.devices + LAYOUT_STATES);
    w->table.fills = &w->fills;
    if (device_fills_find(&w->fills, w->spare)) {
        layout_fill(w);
        layout_write_rows(w, rows, capacity);
    } else {
        rc = fail(err, LSCHED_E_RANGE,
                  "the profiles allow too many sets of instances; expected those of a MIG table");
    }
    alloc_free(&w->alloc, block, WORK_BYTES);
    return rc;
}

LSCHED_API int32_t lsched_forecast_layout_get(const lsched_forecast_layout_query *query,
                                              lsched_forecast_layout_row *rows, size_t capacity,
                                              lsched_forecast_layout *out, lsched_error *err) {
    struct layout_work w = {.n_kinds = 0};
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (query == NULL || out == NULL || (rows == NULL && capacity > 0))
        return fail(err, LSCHED_E_NULL, "%s is NULL",
                    query == NULL ? "query"
                    : out == NULL ? "out"
                                  : "rows");
    w.out.size = sizeof w.out;
    rc = layout_read(query, &w, err);
    if (rc == LSCHED_OK && out->size < sizeof out->size)
        rc = fail(err, LSCHED_E_SIZE, "lsched_forecast_layout: size is not set");
    if (rc == LSCHED_OK) rc = layout_run(&w, rows, capacity, err);
    if (rc != LSCHED_OK) return rc;
    rc = arg_out(out, &w.out, sizeof w.out);
    return rc == LSCHED_OK ? rc : fail(err, rc, "lsched_forecast_layout: size is not set");
}
