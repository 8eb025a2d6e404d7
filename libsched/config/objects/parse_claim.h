/* parse_claim.h -- what a task asks of its devices, as a list of requests: alternatives, the best
 * first. */
#ifndef LIBSCHED_PARSE_CLAIM_H
#define LIBSCHED_PARSE_CLAIM_H

#include "config/read/field_reader.h"

struct claim_form {
    uint32_t given;           /* value node of `claim` or `alternatives`, 0: neither */
    struct scn_list requests; /* lsched_device_request */
};

/* (r, value, struct claim_form *) */
int32_t read_claim(struct field_reader *r, uint32_t value, void *out);
int32_t read_alternatives(struct field_reader *r, uint32_t value, void *out);

/* {driver: 535, vendor: nvidia} into a lsched_device_desc. */
int32_t read_attributes(struct field_reader *r, uint32_t value, void *device_desc);

/* Words of a request; out: uint32_t. */
int32_t claim_isolation(struct field_reader *r, uint32_t value, void *out);
int32_t claim_order(struct field_reader *r, uint32_t value, void *out);
int32_t claim_link(struct field_reader *r, uint32_t value, void *out);
int32_t claim_numa(struct field_reader *r, uint32_t value, void *out);

/* Does it ask for something that a plain amount of GPUs cannot say. */
int claim_is_beside(const lsched_device_request *q);
/* Then what stands beside `gpu:` becomes one request; what it says leaves the group. */
/* Device memory is asked for, and no amount of GPUs. */
int claim_is_memory(const lsched_group_desc *group, const struct scn_list *amounts);
int32_t claim_beside(struct field_reader *r, uint32_t value, const lsched_device_request *beside,
                     lsched_group_desc *group, struct scn_list *amounts, struct scn_list *models,
                     struct claim_form *claim);

#endif
