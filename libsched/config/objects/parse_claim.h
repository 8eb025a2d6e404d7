/* parse_claim.h -- reads what a task requires of its devices, as a list of alternative requests,
 * the best first. */
#ifndef LIBSCHED_PARSE_CLAIM_H
#define LIBSCHED_PARSE_CLAIM_H

#include "config/read/field_reader.h"

struct claim_form {
    /* index of the value of `claim:` or `alternatives:` in the YAML tree; 0: the task has
     * neither */
    uint32_t given;
    struct scn_list requests; /* elements are lsched_device_request */
};

/* The last parameter is a struct claim_form *. */
int32_t read_claim(struct field_reader *r, uint32_t value, void *out);
int32_t read_alternatives(struct field_reader *r, uint32_t value, void *out);

/* Reads a map such as {driver: 535, vendor: nvidia} into a lsched_device_desc. */
int32_t read_attributes(struct field_reader *r, uint32_t value, void *device_desc);

/* Functions that read one word of a request into a uint32_t. */
int32_t claim_isolation(struct field_reader *r, uint32_t value, void *out);
int32_t claim_order(struct field_reader *r, uint32_t value, void *out);
int32_t claim_link(struct field_reader *r, uint32_t value, void *out);
int32_t claim_numa(struct field_reader *r, uint32_t value, void *out);

/* 1 if the request asks for something that a plain amount of GPUs cannot express. */
int claim_is_beside(const lsched_device_request *q);
/* 1 if the group asks for device memory and for no amount of GPUs. */
int claim_is_memory(const lsched_group_desc *group, const struct scn_list *amounts);
/* Turns the keys beside `gpu:` into one request of `claim`. The amount of GPUs, the models and the
 * device memory move from the group into that request. */
int32_t claim_beside(struct field_reader *r, uint32_t value, const lsched_device_request *beside,
                     lsched_group_desc *group, struct scn_list *amounts, struct scn_list *models,
                     struct claim_form *claim);

#endif
