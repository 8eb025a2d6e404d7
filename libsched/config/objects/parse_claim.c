/*
 * parse_claim.c -- reads what a task requires of its devices: `claim:` (one device request),
 * `alternatives:` (several device requests, the most wanted one first), and the keys of a device
 * request that a group of tasks can have beside `gpu:`.
 *
 *   claim: {gpus: 2, select: "device.memory >= 40", links: NVLINK, match: [numa]}
 *   alternatives: [{gpus: 8, models: H100-80GB}, {gpus: 16, models: A100-80GB}]
 */
#include <string.h>

#include "config/objects/parse_claim.h"

#include "config/read/quantity_reader.h"

const char *const claim_isolations[3] = {"none", "memory", "full"};
const char *const claim_orders[3] = {"placement", "spread", "pack"};
const char *const claim_links[7] = {"any", "SYS", "NODE", "PHB", "PXB", "PIX", "NVLINK"};
const char *const claim_numas[3] = {"any", "preferred", "required"};

/* Reads a share of a device. The library takes the share 0 for a whole device, but the writer of a
 * 0 in a scenario cannot have meant a whole device. Therefore 0 is an error. */
static int32_t read_share(struct field_reader *r, uint32_t value, void *out) {
    int32_t code = read_units(r, value, out, UNITS_GPU_MILLI);
    if (!code && *(const int64_t *)out == 0)
        code = read_expected(r, LSCHED_E_RANGE, value, "a share of each device above 0, at most 1");
    return code;
}

static int32_t parse_claim_read_request(struct field_reader *r, uint32_t value, void *list) {
    static const struct field fields[] = {
        FIELD(lsched_device_request, "gpus", read_count, devices),
        FIELD(lsched_device_request, "share", read_share, share_milli),
        FIELD(lsched_device_request, "memory", read_memory, memory_bytes),
        FIELD(lsched_device_request, "memory_limit", read_memory, memory_limit_bytes),
        FIELD(lsched_device_request, "sm_count", read_count, sm_count),
        FIELD_WORD(lsched_device_request, "isolation", claim_isolations, isolation),
        FIELD_WORD(lsched_device_request, "order", claim_orders, order),
        FIELD_WORD(lsched_device_request, "links", claim_links, link),
        FIELD_WORD(lsched_device_request, "numa", claim_numas, numa),
        FIELD(lsched_device_request, "nics", read_u32, nics),
        FIELD_LIST(lsched_device_request, "models", read_names, models, n_models),
        FIELD(lsched_device_request, "mig", read_text, mig_profile),
        FIELD(lsched_device_request, "select", read_text, selector),
        FIELD_LIST(lsched_device_request, "match", read_names, match, n_match),
        FIELD_LIST(lsched_device_request, "distinct", read_names, distinct, n_distinct),
    };
    lsched_device_request *request = read_add(r, list, NULL, sizeof *request, value);
    if (!request) return LSCHED_E_NOMEM;
    *request = (lsched_device_request)LSCHED_DEVICE_REQUEST_INIT;
    return READ_MAP(r, value, "a device request", fields, request, NULL);
}

int32_t read_claim(struct field_reader *r, uint32_t value, void *claim_form, uint32_t several) {
    struct claim_form *form = claim_form;
    form->given = value;
    if (form->requests.n)
        return read_expected(r, LSCHED_E_KEY, value, "either \"claim\" or \"alternatives\"");
    if (!several) return parse_claim_read_request(r, value, &form->requests);
    int32_t code =
        read_items(r, value, "device requests", parse_claim_read_request, &form->requests);
    if (!code && form->requests.n == 0)
        code = read_expected(r, LSCHED_E_TYPE, value, "at least one device request");
    return code;
}

int32_t read_attributes(struct field_reader *r, uint32_t value, void *list) {
    return read_map(r, value, "attributes", NULL, 0, list, read_label);
}

/* ---- keys of a request beside `gpu:` ---- */

int claim_is_beside(const lsched_device_request *q) {
    return q->isolation || q->order || q->link || q->numa || q->nics || q->sm_count ||
           q->memory_limit_bytes || q->mig_profile.ptr;
}

/* Removes the amount of GPUs from the list and returns it. Returns 0 if the list has no amount of
 * GPUs. */
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

/* 1 if the device request needs GPUs. A request that asks only for a NUMA node or for network cards
 * needs no GPU. */
static int is_of_gpus(const lsched_device_request *q) {
    return q->isolation || q->order || q->link || q->sm_count || q->memory_limit_bytes ||
           q->devices || q->memory_bytes || q->n_models;
}

/* Converts the value of the key `gpu`, in milli-GPUs, to the number of devices and the share of
 * each device in the request q. */
static int32_t count_devices(const struct field_reader *r, uint32_t value, int64_t gpu,
                             lsched_device_request *q) {
    uint32_t devices = q->devices;
    if (gpu <= 0 && !is_of_gpus(q)) {
        q->devices = LSCHED_DEVICES_NONE;
        return 0;
    }
    /* without `gpu:`, the device memory or the SMs say how much of each device is needed */
    if (gpu == 0 && (q->memory_bytes || q->sm_count)) return 0;
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
                     lsched_group_desc *group, struct scn_list *amounts, struct claim_form *claim) {
    if (claim->given)
        return read_expected(r, LSCHED_E_KEY, claim->given,
                             "what is asked of GPUs either in a claim or beside \"gpu\"");
    lsched_device_request *q = read_add(r, &claim->requests, NULL, sizeof *q, value);
    if (!q) return LSCHED_E_NOMEM;
    *q = *beside;
    q->size = sizeof *q;
    q->devices = group->gpu_devices;
    q->memory_bytes = group->gpu_memory_bytes;
    q->models = group->device_models;
    q->n_models = group->n_device_models;
    group->n_device_models = 0;
    group->gpu_devices = 0;
    group->gpu_memory_bytes = 0;
    int64_t gpu = take_gpu(amounts);
    if (!q->mig_profile.ptr) return count_devices(r, value, gpu, q);
    return gpu ? read_expected(r, LSCHED_E_KEY, value,
                               "\"devices\" instead of \"gpu\" beside \"mig\"")
               : 0;
}
