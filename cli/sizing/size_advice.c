/* size_advice.c -- see size_advice.h. */
#include "cli/sizing/size_advice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"

#define MIB_PER_GIB 1024.0

/* What the tasks of a job ask for of each GPU. */
struct size_ask {
    lsched_text name;    /* of the job */
    lsched_text profile; /* empty: a share */
    uint32_t milli, tasks, devices;
    const lsched_text *models;
    uint32_t n_models;
};

/* Reads what a job asks for. Returns false if it has no GPU, or more than one group of tasks. */
static bool size_ask_read(const lsched_job_desc *job, struct size_ask *out) {
    if (job->n_groups != 1) return false;
    const lsched_group_desc *group = &job->groups[0];
    *out = (struct size_ask){.name = job->name,
                             .tasks = group->max_count > 0 ? group->max_count : 1,
                             .devices = group->gpu_devices,
                             .models = group->device_models,
                             .n_models = group->n_device_models};
    if (group->n_device_requests > 0) {
        const lsched_device_request *request = &group->device_requests[0];
        if (request->devices == LSCHED_DEVICES_NONE) return false;
        out->profile = request->mig_profile;
        out->milli = request->share_milli > 0 ? (uint32_t)request->share_milli : 1000;
        out->devices = request->devices > 0 ? request->devices : 1;
        out->models = request->models;
        out->n_models = request->n_models;
        return true;
    }
    int64_t milli = 0;
    for (uint32_t i = 0; i < group->n_request; i++)
        if (group->request[i].kind == LSCHED_GPU) milli = group->request[i].amount;
    if (milli <= 0) return false;
    if (out->devices == 0) out->devices = milli >= 1000 ? (uint32_t)(milli / 1000) : 1;
    out->milli = (uint32_t)(milli / out->devices);
    return true;
}

static bool size_ask_allows(const struct size_ask *ask, const struct gpu_kind *kind) {
    if (ask->profile.len > 0 && (!kind->mig || gpu_kind_profile(kind, ask->profile) == UINT32_MAX))
        return false;
    for (uint32_t i = 0; i < ask->n_models; i++)
        if (ask->models[i].len == strlen(kind->model) &&
            memcmp(ask->models[i].ptr, kind->model, (size_t)ask->models[i].len) == 0)
            return true;
    return ask->n_models == 0;
}

/* The kind of GPU that the job can use, with the least memory; NULL if there is none. */
static const struct gpu_kind *size_kind(const struct gpu_kinds *kinds, const struct size_ask *ask) {
    const struct gpu_kind *best = NULL;
    for (size_t i = 0; i < kinds->n; i++) {
        const struct gpu_kind *kind = &kinds->items[i];
        if (kind->memory_bytes == 0 || !size_ask_allows(ask, kind)) continue;
        if (best == NULL || kind->memory_bytes < best->memory_bytes) best = kind;
    }
    return best;
}

/* The needs of a job, in the units of its sizes. `has` is its present size. */
struct size_needs {
    lsched_forecast_need memory, compute;
};

static int32_t size_need(const struct usage_series *series, double scale, double has,
                         uint32_t flags, uint32_t risk_ppm, int64_t now_us,
                         lsched_forecast_need *out, lsched_error *err) {
    lsched_forecast_need_opts opts = {.size = sizeof opts, .flags = flags, .risk_ppm = risk_ppm};
    lsched_forecast_sample *scaled = must_alloc((series->n + 1) * sizeof scaled[0]);
    opts.request = opts.capacity = has;
    for (size_t i = 0; i < series->n; i++)
        scaled[i] =
            (lsched_forecast_sample){series->samples[i].at_us, series->samples[i].value * scale};
    *out = (lsched_forecast_need){.size = sizeof *out};
    int32_t rc = lsched_forecast_need_get(scaled, series->n, now_us, &opts, out, err);
    free(scaled);
    return rc;
}

/* The present size of a job among its sizes; UINT32_MAX if it is none of them. */
static uint32_t size_present(const struct size_ask *ask, const struct gpu_sizes *sizes) {
    if (ask->profile.len == 0) return (uint32_t)sizes->n - 1; /* the whole device, or its share */
    for (uint32_t i = 0; i < sizes->n; i++)
        if (sizes->items[i].name.len == ask->profile.len &&
            memcmp(sizes->items[i].name.ptr, ask->profile.ptr, (size_t)ask->profile.len) == 0)
            return i;
    return UINT32_MAX;
}

static void size_row_fill(struct size_row *row, const struct size_ask *ask,
                          const struct gpu_sizes *sizes, const struct size_needs *needs,
                          uint32_t from, uint32_t to, bool profiles) {
    const lsched_forecast_size *before = &sizes->items[from], *after = &sizes->items[to];
    row->job = must_copy(ask->name.ptr, (size_t)ask->name.len);
    row->kind = profiles ? "profile" : "share";
    if (profiles && ask->profile.len == 0)
        snprintf(row->from, sizeof row->from, "whole");
    else
        snprintf(row->from, sizeof row->from, "%.*s", (int)before->name.len, before->name.ptr);
    snprintf(row->to, sizeof row->to, "%.*s", (int)after->name.len, after->name.ptr);
    row->risk_ppm = needs->memory.risk_ppm;
    row->saved_milli =
        ((int64_t)before->milli - (int64_t)after->milli) * (int64_t)ask->tasks * ask->devices;
    lsched_forecast_need_text(&needs->memory, lsched_cstr("GiB"), MIB_PER_GIB, row->memory,
                              sizeof row->memory, NULL);
    lsched_forecast_need_text(&needs->compute, lsched_cstr(profiles ? "slices" : "% of the SMs"),
                              profiles ? 1.0 : 10.0, row->compute, sizeof row->compute, NULL);
}

/* Advises one job. Sets *to to the name of the advised profile, empty if it is a share. Returns 1;
 * 0 if there is nothing to say; or a negative error code. */
static int32_t size_job(struct size_advice *advice, const struct usage_list *usage,
                        const struct size_ask *ask, const struct gpu_kind *kind, uint32_t risk_ppm,
                        lsched_text *to, lsched_error *err) {
    struct gpu_sizes sizes;
    struct size_needs needs;
    uint32_t job = name_table_find(&usage->jobs, ask->name);
    bool profiles = kind->n_profiles > 0 && (ask->profile.len > 0 || ask->milli >= 1000);
    if (job == UINT32_MAX || (ask->milli >= 1000 && ask->profile.len == 0 && ask->devices > 1))
        return 0;
    const struct usage_series *series = usage->series[job];
    if (series[USAGE_MEMORY].n == 0 || series[USAGE_COMPUTE].n == 0) return 0;
    if (profiles)
        gpu_sizes_profiles(kind, &sizes);
    else
        gpu_sizes_shares(kind, ask->milli, &sizes);
    uint32_t from = size_present(ask, &sizes);
    if (from == UINT32_MAX) return 0; /* a profile with media engines */
    const lsched_forecast_size *has = &sizes.items[from];
    /* an instance shows the part of its own multiprocessors, a share that of the whole device */
    double scale = profiles ? has->compute : 1000.0;
    int32_t rc = size_need(&series[USAGE_MEMORY], 1.0, has->memory, LSCHED_NEED_ZERO_IS_GAP,
                           risk_ppm, usage->latest_us, &needs.memory, err);
    if (rc >= 0)
        rc = size_need(&series[USAGE_COMPUTE], scale, has->compute, 0, risk_ppm, usage->latest_us,
                       &needs.compute, err);
    if (rc < 0) return rc;
    lsched_forecast_advice state = {
        from, LSCHED_FORECAST_NO_SIZE, {LSCHED_NEVER_US, LSCHED_NEVER_US}};
    rc = lsched_forecast_advise(&state, usage->latest_us, &needs.memory, &needs.compute,
                                sizes.items, sizes.n, err);
    if (rc < 0) return rc;
    advice->rows =
        must_grow(advice->rows, advice->n_rows, &advice->capacity, sizeof advice->rows[0]);
    struct size_row *row = &advice->rows[advice->n_rows++];
    *row = (struct size_row){.reason = (uint32_t)rc};
    size_row_fill(row, ask, &sizes, &needs, from, state.index, profiles);
    *to = profiles ? sizes.items[state.index].name : (lsched_text){NULL, 0};
    return 1;
}

/* Counts the tasks of a job for the layout of its kind. A whole device is the largest profile. */
static void size_want(struct size_advice *advice, const struct size_ask *ask,
                      const struct gpu_kind *kind, lsched_text profile) {
    uint32_t *wanted = advice->wanted[kind - advice->kinds.items];
    uint64_t n = (uint64_t)ask->tasks * ask->devices;
    uint32_t at = profile.len > 0 ? gpu_kind_profile(kind, profile) : UINT32_MAX;
    if (kind->n_profiles == 0) return;
    if (at == UINT32_MAX && profile.len == 0 && ask->milli >= 1000) at = kind->n_profiles - 1;
    if (at == UINT32_MAX || kind->profiles[at].media) return;
    wanted[at] = n + wanted[at] > UINT32_MAX ? UINT32_MAX : (uint32_t)n + wanted[at];
}

static int32_t size_one(struct size_advice *advice, const lsched_job_desc *job,
                        const struct usage_list *usage, uint32_t risk_ppm, lsched_error *err) {
    struct size_ask ask;
    if (!size_ask_read(job, &ask)) return LSCHED_OK;
    const struct gpu_kind *kind = size_kind(&advice->kinds, &ask);
    lsched_text profile = ask.profile;
    int32_t rc = 0;
    if (kind != NULL) rc = size_job(advice, usage, &ask, kind, risk_ppm, &profile, err);
    if (rc < 0) return rc;
    advice->unknown += rc == 0;
    if (kind != NULL) size_want(advice, &ask, kind, profile);
    return LSCHED_OK;
}

static int32_t size_jobs(struct size_advice *advice, const lsched_cluster *cluster,
                         const struct usage_list *usage, uint32_t risk_ppm, lsched_error *err) {
    uint64_t cursor = 0;
    int32_t rc = LSCHED_OK;
    for (lsched_id id; rc >= 0 && (id = lsched_next(cluster, LSCHED_KIND_JOB, &cursor)) != 0;) {
        lsched_description *description = NULL;
        rc = lsched_describe(cluster, id, &description, err);
        if (rc >= 0)
            rc = size_one(advice, lsched_description_job(description), usage, risk_ppm, err);
        lsched_description_destroy(description);
    }
    return rc;
}

static bool size_same_table(const struct gpu_kind *a, const struct gpu_kind *b) {
    return a->table.len == b->table.len && memcmp(a->table.ptr, b->table.ptr, a->table.len) == 0;
}

/* The layout of all devices that have the table of a kind; only the first kind of a table, and only
 * if one of its kinds is in mode MIG. */
static int32_t size_layout_of(struct size_advice *advice, size_t first, lsched_error *err) {
    const struct gpu_kind *kind = &advice->kinds.items[first];
    uint32_t wanted[LSCHED_FORECAST_LAYOUT_PROFILES] = {0}, devices = 0;
    bool mig = false;
    for (size_t i = 0; kind->n_profiles > 0 && i < advice->kinds.n; i++) {
        const struct gpu_kind *other = &advice->kinds.items[i];
        if (other->n_profiles == 0 || !size_same_table(kind, other)) continue;
        if (i < first) return LSCHED_OK;
        mig = mig || other->mig;
        devices += other->devices;
        for (uint32_t p = 0; p < kind->n_profiles; p++) wanted[p] += advice->wanted[i][p];
    }
    if (!mig) return LSCHED_OK;
    struct size_layout *out = &advice->layouts[advice->n_layouts++];
    lsched_forecast_layout_query query = {.size = sizeof query,
                                          .n_devices = devices,
                                          .profiles = kind->profiles,
                                          .n_profiles = kind->n_profiles,
                                          .wanted = wanted};
    *out = (struct size_layout){.kind = kind, .devices = devices};
    out->found.size = sizeof out->found;
    out->rows = must_alloc(LAYOUT_ROWS_MAX * sizeof out->rows[0]);
    return lsched_forecast_layout_get(&query, out->rows, LAYOUT_ROWS_MAX, &out->found, err);
}

static int compare_rows(const void *a, const void *b) {
    return strcmp(((const struct size_row *)a)->job, ((const struct size_row *)b)->job);
}

int32_t size_advice_make(const lsched_cluster *cluster, const struct usage_list *usage,
                         uint32_t risk_ppm, struct size_advice *out, lsched_error *err) {
    memset(out, 0, sizeof *out);
    int32_t rc = gpu_kinds_read(cluster, &out->kinds, err);
    if (rc >= 0) rc = size_jobs(out, cluster, usage, risk_ppm, err);
    for (size_t i = 0; rc >= 0 && i < out->kinds.n; i++) rc = size_layout_of(out, i, err);
    if (out->n_rows > 0) qsort(out->rows, out->n_rows, sizeof out->rows[0], compare_rows);
    return rc < 0 ? rc : LSCHED_OK;
}

void size_advice_free(struct size_advice *advice) {
    for (size_t i = 0; i < advice->n_rows; i++) free(advice->rows[i].job);
    for (size_t i = 0; i < advice->n_layouts; i++) free(advice->layouts[i].rows);
    free(advice->rows);
    gpu_kinds_free(&advice->kinds);
    memset(advice, 0, sizeof *advice);
}
