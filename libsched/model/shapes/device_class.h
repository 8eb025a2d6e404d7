/*
 * device_class.h -- device classes: the properties that equal devices have in common, namely
 * model, memory, SMs, sharing mode, over-commit, MIG table and attributes. Classes are interned
 * in DEVCLASS, and DEVICE.CLASS is the class of a device. Therefore a question about devices
 * (such as a selector) is answered once for each class. There are at most 65,535 classes, because
 * DEVICE.CLASS has 16 bits. It is small because a cluster can have millions of nodes with eight
 * devices each.
 */
#ifndef LIBSCHED_DEVICE_CLASS_H
#define LIBSCHED_DEVICE_CLASS_H

#include "model/store/intern.h"

/* The properties that equal devices have in common. The caller owns texts and lists. */
struct device_spec {
    lsched_text model;
    int64_t memory_bytes;
    /* mig_table: index of the table in mig.h, plus 1; 0: no MIG */
    uint8_t share, mig_table, mig_static;
    uint32_t sm_count, overcommit_milli;
    const lsched_label *attributes; /* sorted by key */
    uint32_t n_attributes;
    uint32_t geometry; /* existing MIG instances (mig.h), if the mode is MIG */
};

/* memory for the attributes of one device */
typedef lsched_label node_attributes[LSCHED_ATTRIBUTES_MAX];

#define DEVICE_CLASSES_MAX 65535u

/* Appends the canonical bytes of the class to *b. The existing instances of a MIG device are no
 * part of the class. */
void device_class_encode(struct bytes *b, const struct device_spec *spec);
/* Sets *row to the row of the class, which is made if it is new, and adds one holder. Can return
 * LSCHED_E_NOMEM or LSCHED_E_LIMIT. */
int32_t device_class_get(struct columns *k, const struct device_spec *spec, uint32_t *row);
void device_class_drop(struct columns *k, uint32_t row);
/* Sets *spec to the properties with which the class was made. Its texts point into the columns
 * and are valid until the columns change. attributes: memory of the caller for
 * LSCHED_ATTRIBUTES_MAX labels. */
void device_class_spec(const struct columns *k, uint32_t row, struct device_spec *spec,
                       lsched_label *attributes);

#endif
