/*
 * device_class.h -- what equal devices have in common: model, memory, cores, mode of sharing,
 * over-commit, MIG table, attributes. Interned in DEVCLASS, referred to by DEVICE.CLASS, so that
 * what is asked of a device (a selector, say) is asked once per class.
 * There are at most 65,535 classes, as the reference has 16 bits: eight of them per node count in
 * millions of nodes.
 */
#ifndef LIBSCHED_DEVICE_CLASS_H
#define LIBSCHED_DEVICE_CLASS_H

#include "model/store/intern.h"

/* What equal devices have in common; texts and lists are the caller's. */
struct device_spec {
    lsched_text model;
    int64_t memory_bytes;
    uint8_t share, mig_table, mig_static; /* mig_table: number in mig.h + 1; 0: none */
    uint32_t cores, overcommit_milli;
    const lsched_label *attributes; /* sorted by key */
    uint32_t n_attributes;
    uint32_t geometry; /* MIG: instances that stand already (mig.h) */
};

#define DEVCLASSES_MAX 65535u

/* Append the canonical bytes. The instances of a MIG device are no part of it. */
void devclass_encode(struct bytes *b, const struct device_spec *spec);
/* Row with one holder more. LSCHED_E_NOMEM, LSCHED_E_LIMIT. */
int32_t devclass_get(struct columns *k, const struct device_spec *spec, uint32_t *row);
void devclass_drop(struct columns *k, uint32_t row);
/* The class as it was given; texts point into the columns, valid until they change. attributes:
 * room for LSCHED_ATTRIBUTES_MAX. */
void devclass_spec(const struct columns *k, uint32_t row, struct device_spec *spec,
                   lsched_label *attributes);

#endif
