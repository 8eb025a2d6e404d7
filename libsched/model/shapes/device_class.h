/*
 * device_class.h -- device classes: the properties that equal devices have in common, namely
 * model, memory, cores, sharing mode, over-commit, MIG table and attributes. Classes are interned
 * in DEVCLASS and referred to by DEVICE.CLASS, so that a question about a device (such as a
 * selector) is answered once per class. There are at most 65,535 classes, because the reference
 * has 16 bits: eight such references per node matter for the memory of millions of nodes.
 */
#ifndef LIBSCHED_DEVICE_CLASS_H
#define LIBSCHED_DEVICE_CLASS_H

#include "model/store/intern.h"

/* The properties that equal devices have in common. The caller owns texts and lists. */
struct device_spec {
    lsched_text model;
    int64_t memory_bytes;
    uint8_t share, mig_table, mig_static; /* mig_table: number in mig.h + 1; 0: none */
    uint32_t cores, overcommit_milli;
    const lsched_label *attributes; /* sorted by key */
    uint32_t n_attributes;
    uint32_t geometry; /* MIG: instances that exist already (mig.h) */
};

#define DEVICE_CLASSES_MAX 65535u

/* Appends the canonical bytes. The existing instances of a MIG device are not included. */
void device_class_encode(struct bytes *b, const struct device_spec *spec);
/* Sets *row to the row of the class and adds one holder. Can return LSCHED_E_NOMEM or
 * LSCHED_E_LIMIT. */
int32_t device_class_get(struct columns *k, const struct device_spec *spec, uint32_t *row);
void device_class_drop(struct columns *k, uint32_t row);
/* Sets *spec to the class as it was given. Texts point into the columns and are valid until the
 * columns change. attributes: room for LSCHED_ATTRIBUTES_MAX labels. */
void device_class_spec(const struct columns *k, uint32_t row, struct device_spec *spec,
                       lsched_label *attributes);

#endif
