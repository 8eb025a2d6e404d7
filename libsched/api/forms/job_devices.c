/* job_devices.c -- see job_devices.h. Cost: O(alternatives x names in each). */
#include "api/forms/job_devices.h"

#include <stdio.h>
#include <string.h>

#include "api/door/args.h"
#include "base/suggest.h"
#include "base/text_out.h"
#include "base/units.h"
#include "model/devices/device.h"
#include "model/mig/mig.h"

/* The sorted lists of names of one alternative. */
struct lists {
    lsched_text models[LIMIT_MODELS_PER_GROUP];
    lsched_text match[LIMIT_MATCHES_PER_TASK], distinct[LIMIT_MATCHES_PER_TASK];
};

static int32_t job_devices_read_names(const lsched_text *from, uint32_t n, lsched_text *list,
                                      uint32_t most, const char *what, const char *w, uint32_t *out,
                                      lsched_error *err) {
    *out = 0;
    if (n > most) return fail(err, LSCHED_E_LIMIT, "%s: more than %u of %s", w, most, what);
    if (n && !from) return fail(err, LSCHED_E_NULL, "%s: %s is NULL", w, what);
    for (uint32_t i = 0; i < n; i++) {
        lsched_text t = from[i];
        int32_t rc = arg_name(&t, what, err);
        if (rc != LSCHED_OK) return rc;
        *out += arg_insert_text(list, *out, t);
    }
    return LSCHED_OK;
}

static int32_t job_devices_check_words(const lsched_device_request *q, const char *w,
                                       lsched_error *err) {
    const struct {
        uint32_t value, most;
        const char *name;
    } words[] = {{q->isolation, LSCHED_ISOLATE_FULL, "isolation"},
                 {q->order, LSCHED_DEVICE_ORDER_PACK, "order"},
                 {q->link, LSCHED_LINK_NVLINK, "link"},
                 {q->numa, LSCHED_NUMA_REQUIRED, "numa"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (words[i].value > words[i].most)
            return fail(err, LSCHED_E_INVAL, "%s: %s %u; expected 0 to %u", w, words[i].name,
                        words[i].value, words[i].most);
    if (q->nics > LSCHED_NICS_PER_NODE_MAX)
        return fail(err, LSCHED_E_RANGE, "%s: it asks for %s; a node has at most %d", w,
                    counted(q->nics, "network card").text, LSCHED_NICS_PER_NODE_MAX);
    return LSCHED_OK;
}

static int32_t job_devices_check_amounts(const lsched_device_request *q, const char *w,
                                         lsched_error *err) {
    if (q->devices > LSCHED_DEVICES_PER_NODE_MAX && q->devices != LSCHED_DEVICES_NONE)
        return fail(err, LSCHED_E_RANGE, "%s: a task asks for %s; a node has at most %d", w,
                    counted(q->devices, "device").text, LSCHED_DEVICES_PER_NODE_MAX);
    if (q->share_milli < 0 || q->share_milli > 1000)
        return fail(err, LSCHED_E_RANGE,
                    "%s: the share of a device is %lld milli-GPU; expected 1 to 1000 (1000: the "
                    "whole device)",
                    w, (long long)q->share_milli);
    if (q->memory_bytes < 0 || q->memory_bytes > LSCHED_AMOUNT_MAX || q->memory_limit_bytes < 0 ||
        q->memory_limit_bytes > LSCHED_AMOUNT_MAX)
        return fail(err, LSCHED_E_RANGE, "%s: device memory %lld, limit %lld; expected 0 to 2^62",
                    w, (long long)q->memory_bytes, (long long)q->memory_limit_bytes);
    if (q->memory_limit_bytes && q->memory_limit_bytes < q->memory_bytes) {
        char limit[32], asked[32];
        units_format(UNITS_MEMORY_BYTES, q->memory_limit_bytes, limit, sizeof limit);
        units_format(UNITS_MEMORY_BYTES, q->memory_bytes, asked, sizeof asked);
        return fail(err, LSCHED_E_RANGE,
                    "%s: the limit of device memory is %s, which is below the request of %s", w,
                    limit, asked);
    }
    if (q->memory_limit_bytes && !q->memory_bytes && !q->share_milli)
        return fail(err, LSCHED_E_INVAL,
                    "%s: it has a limit of device memory, but asks neither for device memory nor "
                    "for a share of a device",
                    w);
    return LSCHED_OK;
}

/* Checks a request that asks for no devices, but for NUMA alignment or network cards. */
static int32_t check_none(const lsched_device_request *q, const struct task_spec *t, const char *w,
                          lsched_error *err) {
    if (q->share_milli || q->memory_bytes || q->memory_limit_bytes || q->sm_count || q->isolation ||
        q->order || q->link || t->n_models || t->n_match || t->n_distinct || t->profile.len ||
        t->selector.len)
        return fail(err, LSCHED_E_INVAL,
                    "%s: it asks for no device, but sets a member about devices; with "
                    "LSCHED_DEVICES_NONE, only numa and nics are allowed",
                    w);
    return LSCHED_OK;
}

static int32_t check_profile(const lsched_device_request *q, lsched_text profile, const char *w,
                             lsched_error *err) {
    if (!(q->share_milli || q->memory_bytes || q->memory_limit_bytes || q->sm_count))
        return LSCHED_OK;
    return fail(err, LSCHED_E_INVAL,
                "%s: the MIG profile '%.*s' defines share, memory and SMs; they must not "
                "be given, too",
                w, (int)profile.len, profile.ptr);
}

/* Returns the share of a device that the request asks for, in milli-GPUs; 0 if the share follows
 * from memory and SMs. */
static uint32_t asked_milli(const lsched_device_request *q) {
    if (q->share_milli) return (uint32_t)q->share_milli;
    return q->memory_bytes || q->sm_count ? 0 : 1000;
}

static void job_devices_add_gpu(const struct columns *k, struct task_spec *t, int64_t amount) {
    struct amount_spec s = {text_of(k, k->c[C_KIND_NAME].u32[LSCHED_GPU]), amount};
    uint32_t j = t->n_request++;
    for (; j > 0 && text_order(s.kind, t->request[j - 1].kind) < 0; j--)
        t->request[j] = t->request[j - 1];
    t->request[j] = s;
}

static int32_t job_devices_read_claim(const lsched_device_request *q, struct task_spec *t,
                                      struct lists *l, const char *w, lsched_error *err) {
    int32_t rc = job_devices_read_names(q->models, q->n_models, l->models, LIMIT_MODELS_PER_GROUP,
                                        "models", w, &t->n_models, err);
    if (rc == LSCHED_OK)
        rc = job_devices_read_names(q->match, q->n_match, l->match, LIMIT_MATCHES_PER_TASK, "match",
                                    w, &t->n_match, err);
    if (rc == LSCHED_OK)
        rc = job_devices_read_names(q->distinct, q->n_distinct, l->distinct, LIMIT_MATCHES_PER_TASK,
                                    "distinct", w, &t->n_distinct, err);
    if (rc != LSCHED_OK) return rc;
    for (uint32_t i = 0; i < t->n_match; i++)
        for (uint32_t j = 0; j < t->n_distinct; j++)
            if (text_order(l->match[i], l->distinct[j]) == 0)
                return fail(
                    err, LSCHED_E_INVAL,
                    "%s: its devices must have equal values of '%.*s', and also different values "
                    "of it",
                    w, (int)l->match[i].len, l->match[i].ptr);
    t->models = l->models;
    t->match = l->match;
    t->distinct = l->distinct;
    t->selector = arg_text(q->selector);
    return LSCHED_OK;
}

/* ---- alternatives ---- */

/* One alternative: a request, and the number of memory slices of its MIG profile. */
struct device_choice {
    lsched_device_request request;
    uint32_t number, slices;
};
struct choices {
    struct device_choice at[LSCHED_ALTERNATIVES_MAX];
    uint32_t n;
};

/* Reads one alternative into the task *t. The lists of *t point into *l. */
static int32_t job_devices_read_request(const struct columns *k, const struct device_choice *c,
                                        struct task_spec *t, struct lists *l, const char *w,
                                        lsched_error *err) {
    const lsched_device_request *q = &c->request;
    int32_t rc = arg_reserved(q->reserved_zero, "reserved_zero", w, err);
    if (rc == LSCHED_OK) rc = job_devices_check_words(q, w, err);
    if (rc == LSCHED_OK) rc = job_devices_check_amounts(q, w, err);
    if (rc == LSCHED_OK) rc = job_devices_read_claim(q, t, l, w, err);
    t->profile = arg_text(q->mig_profile);
    t->mig_slices = c->slices;
    if (rc == LSCHED_OK && t->profile.len) rc = check_profile(q, t->profile, w, err);
    if (rc == LSCHED_OK && q->devices == LSCHED_DEVICES_NONE) rc = check_none(q, t, w, err);
    if (rc != LSCHED_OK) return rc;
    t->numa = q->numa;
    t->nics = q->nics;
    if (q->devices == LSCHED_DEVICES_NONE) return LSCHED_OK;
    uint32_t milli = c->slices ? mig_nominal_milli(t->profile, c->slices) : asked_milli(q);
    t->devices = q->devices ? q->devices : 1;
    t->device_milli = milli;
    t->device_memory = q->memory_bytes;
    t->device_limit = q->memory_limit_bytes == q->memory_bytes ? 0 : q->memory_limit_bytes;
    t->sm_count = q->sm_count;
    t->isolation = q->isolation;
    t->order = q->order;
    t->link = t->devices > 1 ? q->link : 0; /* the required link between every two devices */
    job_devices_add_gpu(k, t, (int64_t)t->devices * request_nominal_milli(k, t));
    return LSCHED_OK;
}

/* The text that names a device request in messages. */
struct devices_where {
    char text[96];
};

static struct devices_where job_devices_where_of(const char *group, uint32_t i, uint32_t n) {
    struct devices_where w;
    if (n > 1)
        snprintf(w.text, sizeof w.text, "%s, alternative %u", group, i);
    else
        snprintf(w.text, sizeof w.text, "%s", group);
    return w;
}

static int32_t unknown_profile(lsched_text profile, const lsched_text *models, uint32_t n_models,
                               const char *w, lsched_error *err) {
    char known[120];
    struct suggest near;
    const struct mig_table *t;
    if (n_models) {
        mig_profile_list(models, n_models, known, sizeof known);
        return fail(err, LSCHED_E_KEY, "%s: the model has no MIG profile '%.*s'; it has %s", w,
                    (int)profile.len, profile.ptr, known);
    }
    suggest_begin(&near, profile.ptr, (size_t)profile.len);
    for (uint32_t i = 0; (t = mig_table_at(i)); i++)
        for (uint32_t p = 0; p < t->n_profiles; p++)
            suggest_offer(&near, t->profiles[p].name, strlen(t->profiles[p].name));
    if (near.best)
        return fail(err, LSCHED_E_KEY,
                    "%s: no known model has a MIG profile '%.*s'; did you mean '%.*s'?", w,
                    (int)profile.len, profile.ptr, (int)near.best_len, near.best);
    return fail(err, LSCHED_E_KEY,
                "%s: no known model has a MIG profile '%.*s'; expected one such as '3g.40gb'", w,
                (int)profile.len, profile.ptr);
}

/* Sets slices[] to the different numbers of memory slices that the profile has on the requested
 * models, and *n to their number. The names of models are not checked here; they are checked when
 * the request is read. */
static int32_t job_devices_slices_of(const lsched_device_request *q, lsched_text profile,
                                     uint8_t *slices, uint32_t *n, const char *w,
                                     lsched_error *err) {
    lsched_text models[LIMIT_MODELS_PER_GROUP];
    uint32_t n_models = q->models ? q->n_models : 0;
    if (n_models > LIMIT_MODELS_PER_GROUP) n_models = LIMIT_MODELS_PER_GROUP;
    for (uint32_t i = 0; i < n_models; i++) models[i] = arg_text(q->models[i]);
    *n = mig_profile_slices(profile, models, n_models, slices);
    return *n ? LSCHED_OK : unknown_profile(profile, models, n_models, w, err);
}

static int32_t add_choices(struct choices *c, const lsched_device_request *q, uint32_t number,
                           const char *w, lsched_error *err) {
    lsched_text profile = arg_text(q->mig_profile);
    uint8_t slices[MIG_VARIANTS_MAX] = {0};
    uint32_t n = 1;
    int32_t rc = profile.len ? job_devices_slices_of(q, profile, slices, &n, w, err) : LSCHED_OK;
    if (rc == LSCHED_OK && n > LSCHED_ALTERNATIVES_MAX - c->n)
        return fail(err, LSCHED_E_LIMIT,
                    "%s: it has more than %d alternatives; a MIG profile with different sizes on "
                    "different models makes one alternative for each size",
                    w, LSCHED_ALTERNATIVES_MAX);
    for (uint32_t i = 0; i < n && rc == LSCHED_OK; i++)
        c->at[c->n++] = (struct device_choice){*q, number, slices[i]};
    return rc;
}

static int32_t read_choices(const lsched_group_desc *g, const struct task_spec *t,
                            struct choices *c, const char *w, lsched_error *err) {
    c->n = 0;
    if (g->n_device_requests > LSCHED_ALTERNATIVES_MAX)
        return fail(err, LSCHED_E_LIMIT,
                    "%s: it has %u device requests, which is more than the %d alternatives that "
                    "are allowed",
                    w, g->n_device_requests, LSCHED_ALTERNATIVES_MAX);
    if (!g->device_requests) return fail(err, LSCHED_E_NULL, "%s: device_requests is NULL", w);
    if (t->devices || g->gpu_devices || g->gpu_memory_bytes || g->n_device_models)
        return fail(err, LSCHED_E_INVAL,
                    "%s: a group with device requests must not also have a gpu amount, devices, "
                    "device memory or models",
                    w);
    size_t stride;
    int32_t rc = arg_stride(g->device_requests, g->n_device_requests, g->device_request_elem_size,
                            "device_requests", &stride, err);
    for (uint32_t i = 0; i < g->n_device_requests && rc == LSCHED_OK; i++) {
        lsched_device_request q;
        struct devices_where at = job_devices_where_of(w, i, g->n_device_requests);
        rc = arg_struct(&q, sizeof q, (const char *)g->device_requests + i * stride, stride,
                        "device request", err);
        if (rc == LSCHED_OK) rc = add_choices(c, &q, i, at.text, err);
    }
    return rc;
}

static int32_t encode_one(const struct columns *k, const lsched_group_desc *g,
                          const struct device_choice *c, const struct task_spec *base,
                          struct bytes *b, const char *w, lsched_error *err) {
    struct lists lists;
    struct task_spec t = *base;
    struct devices_where at = job_devices_where_of(w, c->number, g->n_device_requests);
    int32_t rc = job_devices_read_request(k, c, &t, &lists, at.text, err);
    if (rc == LSCHED_OK) shape_encode_task(b, &t);
    return rc;
}

int32_t job_devices_encode(const struct columns *k, const lsched_group_desc *g,
                           const struct task_spec *t, struct bytes *b, const char *w,
                           lsched_error *err) {
    struct choices c;
    memset(&c, 0, sizeof c);
    int32_t rc = read_choices(g, t, &c, w, err);
    if (rc != LSCHED_OK) return rc;
    shape_encode_leaf(b, c.n);
    for (uint32_t i = 0; i < c.n && rc == LSCHED_OK; i++) {
        size_t at = shape_begin_task(b);
        rc = encode_one(k, g, &c.at[i], t, b, w, err);
        shape_end_task(b, at);
    }
    return rc;
}

int32_t job_devices_encode_task(const struct columns *k, const lsched_group_desc *g,
                                const struct task_spec *t, struct bytes *b, const char *w,
                                lsched_error *err) {
    struct choices c;
    memset(&c, 0, sizeof c);
    int32_t rc = read_choices(g, t, &c, w, err);
    return rc == LSCHED_OK ? encode_one(k, g, &c.at[0], t, b, w, err) : rc;
}
