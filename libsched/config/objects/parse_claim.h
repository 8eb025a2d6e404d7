/* parse_claim.h -- reads what a task asks of its devices: number, share or MIG profile of GPUs,
 * and the device claim, which is a list of alternative device requests, the most wanted one
 * first. */
#ifndef LIBSCHED_PARSE_CLAIM_H
#define LIBSCHED_PARSE_CLAIM_H

#include "config/read/field_reader.h"

struct claim_form {
    /* index in the YAML tree of the value of `claim:` or `alternatives:`; 0: the task has neither
     * key */
    uint32_t given;
    struct scn_list requests; /* elements are lsched_device_request */
};

/* Reads one device request if `several` is 0, and a list of device requests if `several` is 1. */
int32_t read_claim(struct field_reader *r, uint32_t value, void *claim_form, uint32_t several);

/* Reads a map such as {driver: 535, vendor: nvidia} into a struct scn_list of lsched_label. */
int32_t read_attributes(struct field_reader *r, uint32_t value, void *list);

/* Words that the keys `isolation`, `order`, `links` and `numa` of a device request can have. */
extern const char *const claim_isolations[3], *const claim_orders[3], *const claim_links[7],
                                                                          *const claim_numas[3];

/* 1 if the device request asks for something that a plain amount of GPUs cannot express. */
int claim_is_beside(const lsched_device_request *q);
/* 1 if the group asks for device memory, but not for an amount of GPUs. */
int claim_is_memory(const lsched_group_desc *group, const struct scn_list *amounts);
/* Adds one device request to `claim`, made from `beside` (the keys that a group of tasks has beside
 * `gpu:`). The amount of GPUs, the models and the device memory are removed from the group and put
 * into that request. A group that also has a claim is an error. */
int32_t claim_beside(struct field_reader *r, uint32_t value, const lsched_device_request *beside,
                     lsched_group_desc *group, struct scn_list *amounts, struct claim_form *claim);

#endif
