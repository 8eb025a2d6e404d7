/* size_advice.c -- see size_advice.h. */
#include "cli/sizing/size_advice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"

#define MIB_PER_GIB 1024.0

const char *size_reason_word(uint32_t reason) {
    static const char *const words[] = {"kinds",   "no-kind", "groups", "alternatives",
                                        "devices", "media",   "unit"};
    return reason >= SIZE_KINDS ? words[reason - SIZE_KINDS] : lsched_forecast_reason_name(reason);
}

/* What is known of a job while its advice is made. */
struct size_case {
    const struct gpu_ask *ask;
    const struct gpu_kind *kind;
    const struct gpu_kinds *kinds;
    const lsched_job_desc *job;
    const struct size_opts *opts;
    const struct usage_series *samples; /* of compute */
    struct gpu_sizes sizes;
    bool profiles, by_memory;
    int64_t now_us;
    lsched_forecast_need memory, compute;
};

static const char *size_kind_word(const struct size_case *c) {
    return c->profiles ? "profile" : c->by_memory ? "memory" : "share";
}

/* True if the sizes of the job are profiles: it has one, or it has a whole device whose kind has a
 * MIG table, and the operator has not said that the site has no MIG. */
static bool size_by_profile(const struct gpu_ask *ask, const struct gpu_kind *kind,
                            const struct size_opts *opts) {
    uint32_t modes = opts->share.modes;
    bool mig = modes == SHARE_MODES_UNKNOWN || (modes >> LSCHED_MODE_MIG & 1) != 0;
    return kind->n_profiles > 0 && (ask->profile.len > 0 || (mig && gpu_ask_whole(ask, kind)));
}

/* True if the sizes of a job are the same on both kinds. */
static bool size_same_kind(const struct gpu_ask *ask, const struct gpu_kind *a,
                           const struct gpu_kind *b, const struct size_opts *opts) {
    bool profiles = size_by_profile(ask, a, opts) && size_by_profile(ask, b, opts);
    if (profiles && gpu_kinds_share_table(a, b)) return true;
    return strcmp(a->model, b->model) == 0 && a->memory_bytes == b->memory_bytes &&
           a->sm_count == b->sm_count && gpu_ask_whole(ask, a) == gpu_ask_whole(ask, b);
}

/* The kind of the GPUs of a job. Sets *reason if there is none, or more than one. */
static const struct gpu_kind *size_kind(const struct gpu_kinds *kinds, const struct gpu_ask *ask,
                                        const struct size_opts *opts, uint64_t possible,
                                        uint32_t *reason) {
    const struct gpu_kind *found = NULL;
    for (size_t i = 0; i < kinds->n; i++) {
        const struct gpu_kind *kind = &kinds->items[i];
        if (!(possible >> i & 1) || kind->memory_bytes == 0) continue;
        *reason = SIZE_KINDS;
        if (found != NULL && !size_same_kind(ask, found, kind, opts)) return NULL;
        if (found == NULL) found = kind;
    }
    *reason = kinds->left_out ? SIZE_KINDS : SIZE_NO_KIND;
    return kinds->left_out ? NULL : found;
}

/* Finds the need for one resource. `has` is the present size, `most` what the job can use at most,
 * both in the unit of `scale` times a sample. */
static int32_t size_need(const struct usage_series *series, double scale, double has, double most,
                         const lsched_forecast_need_opts *base, int64_t now_us,
                         lsched_forecast_need *out, lsched_error *err) {
    lsched_forecast_need_opts opts = *base;
    lsched_forecast_sample *scaled = must_alloc((series->n + 1) * sizeof scaled[0]);
    opts.request = has;
    opts.capacity = most;
    for (size_t i = 0; i < series->n; i++)
        scaled[i] =
            (lsched_forecast_sample){series->samples[i].at_us, series->samples[i].value * scale};
    *out = (lsched_forecast_need){.size = sizeof *out};
    int32_t rc = lsched_forecast_need_get(scaled, series->n, now_us, &opts, out, err);
    free(scaled);
    if (rc >= 0 && out->observed < SIZE_OBSERVED_MIN) { /* it proves nothing */
        out->flags = (out->flags | LSCHED_NEED_FEW) & ~(uint32_t)LSCHED_NEED_AT_CAPACITY;
        out->upper = has;
    }
    return rc;
}

static int32_t size_needs(struct size_case *c, const struct usage_list *usage,
                          const struct usage_series *series, uint32_t from, uint32_t risk_ppm,
                          lsched_error *err) {
    const lsched_forecast_size *has = &c->sizes.items[from];
    lsched_forecast_need_opts opts = {
        .size = sizeof opts, .flags = LSCHED_NEED_ZERO_IS_GAP, .risk_ppm = risk_ppm};
    double limit = (double)c->ask->limit_bytes / GPU_MIB;
    /* an instance shows the part of its own multiprocessors, a share that of the whole device */
    double scale = c->profiles ? has->compute : 1000.0;
    int32_t rc = size_need(&series[USAGE_MEMORY], 1.0, has->memory,
                           limit > has->memory ? limit : has->memory, &opts, usage->latest_us,
                           &c->memory, err);
    opts.flags = 0;
    if (rc >= 0)
        rc = size_need(&series[USAGE_COMPUTE], scale, has->compute, has->compute, &opts,
                       usage->latest_us, &c->compute, err);
    return rc;
}

/* The present size of a job among its sizes; UINT32_MAX if it is none of them. */
static uint32_t size_present(const struct gpu_ask *ask, const struct gpu_sizes *sizes) {
    if (ask->profile.len == 0) return (uint32_t)sizes->n - 1; /* the whole device, or its share */
    for (uint32_t i = 0; i < sizes->n; i++)
        if (sizes->items[i].name.len == ask->profile.len &&
            memcmp(sizes->items[i].name.ptr, ask->profile.ptr, (size_t)ask->profile.len) == 0)
            return i;
    return UINT32_MAX;
}

static double size_part(double need, double has) {
    return has > 0 ? need / has : 0;
}

/* True if compute decided: what the reason is about holds for compute and not for memory, or
 * compute needs more of the size than memory does. */
static bool size_by_compute(const struct size_case *c, uint32_t reason,
                            const lsched_forecast_size *size) {
    uint32_t flag = reason == LSCHED_ADVICE_FEW      ? LSCHED_NEED_FEW
                    : reason == LSCHED_ADVICE_STALE  ? LSCHED_NEED_STALE
                    : reason == LSCHED_ADVICE_SILENT ? LSCHED_NEED_SILENT
                                                     : LSCHED_NEED_AT_CAPACITY;
    bool memory = (c->memory.flags & flag) != 0, compute = (c->compute.flags & flag) != 0;
    if (memory != compute) return compute;
    return size_part(c->compute.upper, size->compute) > size_part(c->memory.upper, size->memory);
}

static void size_row_fill(struct size_row *row, const struct size_case *c, uint32_t from,
                          uint32_t to) {
    const lsched_forecast_size *before = &c->sizes.items[from], *after = &c->sizes.items[to];
    row->kind = size_kind_word(c);
    if (c->profiles && c->ask->profile.len == 0)
        snprintf(row->from, sizeof row->from, "whole");
    else
        snprintf(row->from, sizeof row->from, "%.*s", (int)before->name.len, before->name.ptr);
    snprintf(row->to, sizeof row->to, "%.*s", (int)after->name.len, after->name.ptr);
    row->risk_ppm = c->memory.risk_ppm;
    row->saved_milli =
        ((int64_t)before->milli - (int64_t)after->milli) * (int64_t)c->ask->tasks * c->ask->devices;
    row->by_compute =
        size_by_compute(c, row->reason, row->reason == LSCHED_ADVICE_GROWN ? before : after);
    lsched_forecast_need_text(&c->memory, lsched_cstr("GiB"), MIB_PER_GIB, row->memory,
                              sizeof row->memory, NULL);
    lsched_forecast_need_text(&c->compute, lsched_cstr(c->profiles ? "slices" : "% of the SMs"),
                              c->profiles ? 1.0 : 10.0, row->compute, sizeof row->compute, NULL);
}

/* The name of the sizes: the MIG table, or the model of the device. */
static void size_device(const struct size_case *c, char *out, size_t capacity) {
    lsched_text name = c->profiles ? c->kind->table : lsched_cstr(c->kind->model);
    snprintf(out, capacity, "%.*s", (int)name.len, name.ptr);
}

/* True if two sizes have one name: a step can be as large as what the job asks for. */
static bool size_same(const struct gpu_sizes *sizes, uint32_t a, uint32_t b) {
    char one[SIZE_NAME_BYTES], other[SIZE_NAME_BYTES];
    lsched_text x = sizes->items[a].name, y = sizes->items[b].name;
    snprintf(one, sizeof one, "%.*s", (int)x.len, x.ptr);
    snprintf(other, sizeof other, "%.*s", (int)y.len, y.ptr);
    return strcmp(one, other) == 0;
}

/* Brings the advice for the size up to date. Returns the reason, or a negative error code. */
static int32_t size_advise(struct size_case *c, uint32_t from, const struct kept_advice *kept,
                           lsched_forecast_advice *advice, struct kept_advice *now,
                           lsched_error *err) {
    char device[LSCHED_NAME_BYTES_MAX + 1];
    const char *kind = size_kind_word(c);
    size_device(c, device, sizeof device);
    *advice = kept_sizes_begin(kept, device, kind, &c->sizes, from);
    if (kept_sizes_pending(advice, &c->sizes, from)) {
        c->memory.flags &= ~(uint32_t)LSCHED_NEED_AT_CAPACITY;
        c->compute.flags &= ~(uint32_t)LSCHED_NEED_AT_CAPACITY;
    }
    int32_t rc = lsched_forecast_advise(advice, c->now_us, &c->memory, &c->compute, c->sizes.items,
                                        c->sizes.n, err);
    kept_sizes_end(advice, device, kind, &c->sizes, from, now);
    if (rc < 0) return rc;
    if (size_same(&c->sizes, advice->index, from)) /* back to the size that the job still has */
        return rc == LSCHED_ADVICE_GROWN || rc == LSCHED_ADVICE_SHRUNK ? LSCHED_ADVICE_LATELY : rc;
    return c->sizes.items[advice->index].milli < c->sizes.items[from].milli ? LSCHED_ADVICE_SHRUNK
                                                                            : LSCHED_ADVICE_GROWN;
}

/* Chooses how the device should be shared. */
static int32_t size_mode(struct size_row *row, const struct size_case *c, uint32_t from,
                         const struct kept_advice *kept, struct kept_advice *now,
                         lsched_error *err) {
    const struct share_case job = {.ask = c->ask,
                                   .kind = c->kind,
                                   .job = c->job,
                                   .compute = c->samples,
                                   .memory_need = &c->memory,
                                   .compute_need = &c->compute,
                                   .has_compute = c->sizes.items[from].compute,
                                   .profiles = c->profiles,
                                   .now_us = c->now_us};
    lsched_forecast_mode_query query;
    lsched_forecast_mode_answer answer = {.size = sizeof answer};
    int32_t rc = share_mode_query(c->kinds, &job, &c->opts->share, &query, err);
    if (rc >= 0) rc = lsched_forecast_mode_get(&query, &answer, err);
    if (rc < 0) return rc;
    kept_mode(kept, &query, c->now_us, &answer, now);
    row->mode = answer.mode;
    row->rule = answer.rule;
    row->rule_text = answer.text;
    return LSCHED_OK;
}

/* Finds the sizes that the job can have, and the index of its present one. Returns the reason why
 * there are none, or LSCHED_ADVICE_FITS. */
static uint32_t size_sizes(struct size_case *c, uint32_t *from) {
    const struct gpu_ask *ask = c->ask;
    bool whole = gpu_ask_whole(ask, c->kind);
    c->profiles = size_by_profile(ask, c->kind, c->opts);
    c->by_memory = !whole && ask->milli == 0 && ask->sm_count == 0;
    if (whole && ask->devices > 1) return SIZE_DEVICES;
    if (c->profiles)
        gpu_sizes_profiles(c->kind, &c->sizes);
    else
        gpu_sizes_shares(c->kind, gpu_ask_charge(ask, c->kind), whole ? 0 : ask->memory_bytes,
                         c->by_memory, &c->sizes);
    *from = size_present(ask, &c->sizes);
    return *from == UINT32_MAX ? SIZE_MEDIA : LSCHED_ADVICE_FITS;
}

/* True if a sample has more than twice the memory of the device: it is in another unit. A scenario
 * can round the memory of a device, so a sample that is a little greater proves nothing. */
static bool size_wrong_unit(const struct gpu_kind *kind, const struct usage_series *memory) {
    double most = 2.0 * (double)kind->memory_bytes / GPU_MIB;
    for (size_t i = 0; i < memory->n; i++)
        if (memory->samples[i].value > most) return true;
    return false;
}

/* Fills the row of a job whose kind is known. Sets *to to the name of the profile that it then
 * has; empty if it has none. Returns 0 or a negative error code. */
static int32_t size_job(struct size_row *row, struct size_case *c, const struct usage_list *usage,
                        uint32_t job, lsched_text *to, lsched_error *err) {
    struct advice_state *state = c->opts->state;
    const struct kept_advice *kept = state != NULL ? advice_state_find(state, c->ask->name) : NULL;
    struct kept_advice now;
    lsched_forecast_advice advice;
    uint32_t from = 0;
    row->reason = size_sizes(c, &from);
    if (row->reason == LSCHED_ADVICE_FITS &&
        size_wrong_unit(c->kind, &usage->series[job][USAGE_MEMORY]))
        row->reason = SIZE_UNIT;
    if (row->reason != LSCHED_ADVICE_FITS) return LSCHED_OK;
    c->samples = &usage->series[job][USAGE_COMPUTE];
    c->now_us = usage->latest_us;
    int32_t rc = size_needs(c, usage, usage->series[job], from, c->opts->risk_ppm, err);
    if (rc >= 0) rc = size_mode(row, c, from, kept, &now, err);
    if (rc >= 0) rc = size_advise(c, from, kept, &advice, &now, err);
    if (rc < 0) return rc;
    bool few = ((c->memory.flags | c->compute.flags) & LSCHED_NEED_FEW) != 0;
    row->reason = few && rc == LSCHED_ADVICE_FITS ? LSCHED_ADVICE_FEW : (uint32_t)rc;
    row->since_us = advice.changed_us[0];
    size_row_fill(row, c, from, advice.index);
    if (c->profiles && advice.index != from) *to = c->sizes.items[advice.index].name;
    if (state != NULL) advice_state_put(state, c->ask->name, &now);
    return LSCHED_OK;
}

/* Counts the tasks of a job for the layout of its kind. */
static void size_want(struct size_advice *advice, const struct gpu_ask *ask,
                      const struct gpu_kind *kind, lsched_text profile) {
    uint32_t *wanted = advice->wanted[kind - advice->kinds.items];
    uint64_t n = (uint64_t)ask->tasks * ask->devices;
    uint32_t at = profile.len > 0 ? gpu_kind_profile(kind, profile) : UINT32_MAX;
    if (at == UINT32_MAX || kind->profiles[at].media) return;
    wanted[at] = n + wanted[at] > UINT32_MAX ? UINT32_MAX : (uint32_t)n + wanted[at];
}

/* The row for a job that has samples; a job without them is only counted. */
static struct size_row *size_row_new(struct size_advice *advice, const struct usage_list *usage,
                                     lsched_text name, uint32_t *job) {
    *job = name_table_find(&usage->jobs, name);
    if (*job == UINT32_MAX) {
        advice->silent++;
        if (advice->silent_first == NULL)
            advice->silent_first = must_copy(name.ptr, (size_t)name.len);
        return NULL;
    }
    advice->rows =
        must_grow(advice->rows, advice->n_rows, &advice->capacity, sizeof advice->rows[0]);
    struct size_row *row = &advice->rows[advice->n_rows++];
    *row = (struct size_row){.job = must_copy(name.ptr, (size_t)name.len),
                             .since_us = LSCHED_NEVER_US};
    return row;
}

static int32_t size_one(struct size_advice *advice, const lsched_cluster *cluster, lsched_id id,
                        const lsched_job_desc *desc, const struct usage_list *usage,
                        const struct size_opts *opts, lsched_error *err) {
    struct gpu_ask ask;
    uint64_t kinds = 0;
    uint32_t job, reason = SIZE_GROUPS;
    enum gpu_ask_result result = gpu_ask_read(desc, &ask);
    if (result == GPU_ASK_NONE) return LSCHED_OK;
    struct size_row *row = size_row_new(advice, usage, desc->name, &job);
    const struct gpu_kind *kind = NULL;
    if (result == GPU_ASK_ALTERNATIVES) reason = SIZE_ALTERNATIVES;
    if (result == GPU_ASK_ONE) {
        int32_t rc = gpu_ask_kinds(cluster, &advice->kinds, id, &ask, &kinds, err);
        if (rc < 0) return rc;
        kind = size_kind(&advice->kinds, &ask, opts, kinds, &reason);
    }
    if (row != NULL) row->reason = reason;
    if (kind == NULL) return LSCHED_OK;
    lsched_text profile = ask.profile;
    struct size_case c = {
        .ask = &ask, .kind = kind, .kinds = &advice->kinds, .job = desc, .opts = opts};
    int32_t rc = row != NULL ? size_job(row, &c, usage, job, &profile, err) : LSCHED_OK;
    if (rc >= 0) size_want(advice, &ask, kind, profile);
    return rc;
}

static int32_t size_jobs(struct size_advice *advice, const lsched_cluster *cluster,
                         const struct usage_list *usage, const struct size_opts *opts,
                         lsched_error *err) {
    uint64_t cursor = 0;
    int32_t rc = LSCHED_OK;
    for (lsched_id id; rc >= 0 && (id = lsched_next(cluster, LSCHED_KIND_JOB, &cursor)) != 0;) {
        lsched_description *description = NULL;
        rc = lsched_describe(cluster, id, &description, err);
        if (rc >= 0)
            rc = size_one(advice, cluster, id, lsched_description_job(description), usage, opts,
                          err);
        lsched_description_destroy(description);
    }
    return rc;
}

/* Counts the samples that name no job of the cluster. */
static void size_unknown(struct size_advice *advice, const lsched_cluster *cluster,
                         const struct usage_list *usage) {
    for (size_t i = 0; i < usage->jobs.n; i++) {
        lsched_text name = usage->jobs.names[i];
        if (lsched_find(cluster, LSCHED_KIND_JOB, name) != 0) continue;
        if (advice->unknown_names++ == 0)
            advice->unknown_first = must_copy(name.ptr, (size_t)name.len);
        for (int kind = 0; kind < USAGE_KINDS; kind++)
            advice->unknown_samples += usage->series[i][kind].n;
    }
    memcpy(advice->skipped, usage->skipped, sizeof advice->skipped);
}

/* The layout of all devices in mode MIG that have the table of a kind; only the first kind of a
 * table. A profile that is advised for a whole device of another mode counts, too. */
static int32_t size_layout_of(struct size_advice *advice, size_t first, lsched_error *err) {
    const struct gpu_kind *kind = &advice->kinds.items[first];
    uint32_t wanted[LSCHED_FORECAST_LAYOUT_PROFILES] = {0}, devices = 0, others = 0;
    for (size_t i = 0; i < advice->kinds.n; i++) {
        const struct gpu_kind *other = &advice->kinds.items[i];
        if (!gpu_kinds_share_table(kind, other)) continue;
        if (i < first) return LSCHED_OK;
        if (other->mode == LSCHED_SHARING_MIG)
            devices += other->devices;
        else
            others += other->devices;
        for (uint32_t p = 0; p < kind->n_profiles; p++) wanted[p] += advice->wanted[i][p];
    }
    if (devices == 0) return LSCHED_OK;
    struct size_layout *out = &advice->layouts[advice->n_layouts++];
    lsched_forecast_layout_query query = {.size = sizeof query,
                                          .n_devices = devices,
                                          .profiles = kind->profiles,
                                          .n_profiles = kind->n_profiles,
                                          .wanted = wanted};
    *out = (struct size_layout){.kind = kind, .devices = devices, .others = others};
    out->found.size = sizeof out->found;
    out->rows = must_alloc(LAYOUT_ROWS_MAX * sizeof out->rows[0]);
    return lsched_forecast_layout_get(&query, out->rows, LAYOUT_ROWS_MAX, &out->found, err);
}

/* Leaves what later runs need: the advice for jobs that are there, and that which changed within
 * the last day. A job that comes back with its name is then the same. */
static void size_state_end(struct advice_state *state, const lsched_cluster *cluster,
                           int64_t now_us) {
    struct advice_state next;
    advice_state_begin(&next);
    next.at_us = now_us;
    next.nodes = state->nodes;
    state->nodes = (struct kept_nodes){.at_us = LSCHED_NEVER_US};
    for (size_t i = 0; i < state->jobs.n; i++)
        if (lsched_find(cluster, LSCHED_KIND_JOB, state->jobs.names[i]) != 0 ||
            kept_lately(&state->kept[i], now_us))
            advice_state_put(&next, state->jobs.names[i], &state->kept[i]);
    advice_state_free(state);
    *state = next;
}

static int compare_rows(const void *a, const void *b) {
    return strcmp(((const struct size_row *)a)->job, ((const struct size_row *)b)->job);
}

int32_t size_advice_make(const lsched_cluster *cluster, const struct usage_list *usage,
                         const struct size_opts *opts, struct size_advice *out, lsched_error *err) {
    memset(out, 0, sizeof *out);
    int32_t rc = gpu_kinds_read(cluster, &out->kinds, err);
    if (rc >= 0) rc = size_jobs(out, cluster, usage, opts, err);
    for (size_t i = 0; rc >= 0 && i < out->kinds.n; i++) rc = size_layout_of(out, i, err);
    if (rc >= 0) size_unknown(out, cluster, usage);
    if (rc >= 0 && opts->state != NULL) size_state_end(opts->state, cluster, usage->latest_us);
    if (out->n_rows > 0) qsort(out->rows, out->n_rows, sizeof out->rows[0], compare_rows);
    return rc < 0 ? rc : LSCHED_OK;
}

void size_advice_free(struct size_advice *advice) {
    for (size_t i = 0; i < advice->n_rows; i++) free(advice->rows[i].job);
    for (size_t i = 0; i < advice->n_layouts; i++) free(advice->layouts[i].rows);
    free(advice->rows);
    free(advice->silent_first);
    free(advice->unknown_first);
    gpu_kinds_free(&advice->kinds);
    memset(advice, 0, sizeof *advice);
}
