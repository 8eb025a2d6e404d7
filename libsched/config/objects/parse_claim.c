/*
 * parse_claim.c -- reads what a task requires of its devices: `claim:` (one request),
 * `alternatives:` (several requests, the best first), and the keys of a request that a group of
 * tasks can have beside `gpu:`.
 *
 *   claim: {gpus: 2, select: "device.memory >= 40", links: NVLINK, match: [numa]}
 *   alternatives: [{gpus: 8, models: H100-80GB}, {gpus: 16, models: A100-80GB}]
 */
#include <string.h>

#include "config/objects/parse_claim.h"

/* A request while its lists are being read. */
struct request_form {
    lsched_device_request request;
    struct scn_list models, match, distinct; /* elements are lsched_text */
};

int32_t claim_isolation(struct field_reader *r, uint32_t value, void *out) {
    static const char *const words[] = {"none", "memory", "full"};
    return read_word(r, value, words, 3, out);
}

int32_t claim_order(struct field_reader *r, uint32_t value, void *out) {
    static const char *const words[] = {"placement", "spread", "pack"};
    return read_word(r, value, words, 3, out);
}

int32_t claim_link(struct field_reader *r, uint32_t value, void *out) {
    static const char *const words[] = {"any", "SYS", "NODE", "PHB", "PXB", "PIX", "NVLINK"};
    return read_word(r, value, words, 7, out);
}

int32_t claim_numa(struct field_reader *r, uint32_t value, void *out) {
    static const char *const words[] = {"any", "preferred", "required"};
    return read_word(r, value, words, 3, out);
}

/* In a request the share 0 means a whole device. A scenario that says 0 cannot mean that,
 * therefore 0 is an error. */
static int32_t read_share(struct field_reader *r, uint32_t value, void *out) {
    int32_t code = read_milli(r, value, out);
    if (!code && *(const int64_t *)out == 0)
        code = read_expected(r, LSCHED_E_RANGE, value, "a share of each device above 0, at most 1");
    return code;
}

static int32_t parse_claim_read_request(struct field_reader *r, uint32_t value, void *list) {
    static const struct field fields[] = {
        FIELD(struct request_form, "gpus", read_count, request.devices),
        FIELD(struct request_form, "share", read_share, request.share_milli),
        FIELD(struct request_form, "memory", read_memory, request.memory_bytes),
        FIELD(struct request_form, "memory_limit", read_memory, request.memory_limit_bytes),
        FIELD(struct request_form, "cores", read_count, request.cores),
        FIELD(struct request_form, "isolation", claim_isolation, request.isolation),
        FIELD(struct request_form, "order", claim_order, request.order),
        FIELD(struct request_form, "links", claim_link, request.link),
        FIELD(struct request_form, "numa", claim_numa, request.numa),
        FIELD(struct request_form, "nics", read_u32, request.nics),
        FIELD(struct request_form, "models", read_names, models),
        FIELD(struct request_form, "mig", read_text, request.mig_profile),
        FIELD(struct request_form, "select", read_text, request.selector),
        FIELD(struct request_form, "match", read_names, match),
        FIELD(struct request_form, "distinct", read_names, distinct),
    };
    struct request_form form;
    memset(&form, 0, sizeof form);
    form.request = (lsched_device_request)LSCHED_DEVICE_REQUEST_INIT;
    int32_t code =
        read_map(r, value, "a device request", fields, sizeof fields / sizeof *fields, &form, NULL);
    lsched_device_request *request = code ? NULL : read_add(r, list, NULL, sizeof *request, value);
    if (!request) return code ? code : LSCHED_E_NOMEM;
    *request = form.request;
    request->models = form.models.items;
    request->n_models = form.models.n;
    request->match = form.match.items;
    request->n_match = form.match.n;
    request->distinct = form.distinct.items;
    request->n_distinct = form.distinct.n;
    return 0;
}

int32_t read_claim(struct field_reader *r, uint32_t value, void *out) {
    struct claim_form *form = out;
    form->given = value;
    if (form->requests.n)
        return read_expected(r, LSCHED_E_KEY, value, "either \"claim\" or \"alternatives\"");
    return parse_claim_read_request(r, value, &form->requests);
}

int32_t read_alternatives(struct field_reader *r, uint32_t value, void *out) {
    struct claim_form *form = out;
    form->given = value;
    if (form->requests.n)
        return read_expected(r, LSCHED_E_KEY, value, "either \"claim\" or \"alternatives\"");
    int32_t code =
        read_items(r, value, "device requests", parse_claim_read_request, &form->requests);
    if (!code && form->requests.n == 0)
        code = read_expected(r, LSCHED_E_TYPE, value, "at least one device request");
    return code;
}

static int32_t read_attribute(struct field_reader *r, uint32_t key, uint32_t value, void *list) {
    lsched_label *label = read_add(r, list, NULL, sizeof *label, value);
    if (!label) return LSCHED_E_NOMEM;
    int32_t code = read_text(r, key, &label->key);
    if (!code) code = read_text(r, value, &label->value);
    return code ? code : 1;
}

int32_t read_attributes(struct field_reader *r, uint32_t value, void *out) {
    lsched_device_desc *desc = out;
    struct scn_list list = {NULL, 0, 0};
    int32_t code = read_map(r, value, "attributes", NULL, 0, &list, read_attribute);
    desc->attributes = list.items;
    desc->n_attributes = list.n;
    return code;
}

/* ---- keys of a request beside `gpu:` ---- */

int claim_is_beside(const lsched_device_request *q) {
    return q->isolation || q->order || q->link || q->numa || q->nics || q->cores ||
           q->memory_limit_bytes || q->mig_profile.ptr;
}

/* Removes the amount of GPUs from the list and returns it; 0 if there is none. */
static int64_t take_gpu(struct scn_list *amounts) {
    lsched_amount *a = amounts->items;
    for (uint32_t i = 0; i < amounts->n; i++) {
        if (a[i].kind != LSCHED_GPU) continue;
        int64_t amount = a[i].amount;
        a[i] = a[--amounts->n];
        return amount;
    }
    return 0;
}

/* 1 if the request asks for GPUs. A request for a NUMA node or for network cards alone needs
 * none. */
static int is_of_gpus(const lsched_device_request *q) {
    return q->isolation || q->order || q->link || q->cores || q->memory_limit_bytes || q->devices ||
           q->memory_bytes || q->n_models;
}

/* Converts the amount of GPUs of the short form, in milli-GPUs, into a number of devices and a
 * share of each device. */
static int32_t count_devices(const struct field_reader *r, uint32_t value, int64_t gpu,
                             lsched_device_request *q) {
    uint32_t devices = q->devices;
    if (gpu <= 0 && !is_of_gpus(q)) {
        q->devices = LSCHED_DEVICES_NONE;
        return 0;
    }
    /* the device memory or the cores already say how much of each device is needed */
    if (gpu == 0 && (q->memory_bytes || q->cores)) return 0;
    if (gpu <= 0)
        return read_expected(r, LSCHED_E_KEY, value,
                             "\"gpu\", because other keys here are about GPUs");
    if (!devices) devices = gpu < 1000 ? 1 : (uint32_t)(gpu / 1000 > 1000 ? 1000 : gpu / 1000);
    if (gpu % devices != 0 || gpu / devices > 1000)
        return read_expected(r, LSCHED_E_RANGE, value,
                             "whole GPUs, a part of one GPU, or with \"devices\" an equal part of "
                             "each device");
    q->devices = devices;
    q->share_milli = gpu / devices;
    return 0;
}

int claim_is_memory(const lsched_group_desc *group, const struct scn_list *amounts) {
    const lsched_amount *a = amounts->items;
    for (uint32_t i = 0; i < amounts->n; i++)
        if (a[i].kind == LSCHED_GPU) return 0;
    return group->gpu_memory_bytes != 0;
}

int32_t claim_beside(struct field_reader *r, uint32_t value, const lsched_device_request *beside,
                     lsched_group_desc *group, struct scn_list *amounts, struct scn_list *models,
                     struct claim_form *claim) {
    if (claim->given)
        return read_expected(r, LSCHED_E_KEY, claim->given,
                             "what is asked of GPUs either in a claim or beside \"gpu\"");
    lsched_device_request *q = read_add(r, &claim->requests, NULL, sizeof *q, value);
    if (!q) return LSCHED_E_NOMEM;
    *q = *beside;
    q->size = sizeof *q;
    q->devices = group->gpu_devices;
    q->memory_bytes = group->gpu_memory_bytes;
    q->models = models->items;
    q->n_models = models->n;
    models->n = 0;
    group->gpu_devices = 0;
    group->gpu_memory_bytes = 0;
    int64_t gpu = take_gpu(amounts);
    if (!q->mig_profile.ptr) return count_devices(r, value, gpu, q);
    return gpu ? read_expected(r, LSCHED_E_KEY, value,
                               "\"devices\" instead of \"gpu\" beside \"mig\"")
               : 0;
}
