/*
 * device_part.h -- what one device of a kind gives to one task, and what that counts as.
 *
 * A task asks for a share, for memory, for cores, or for several of these, of each of its devices.
 * What it is charged is the largest of the three as a part of that device, each rounded up to a
 * thousandth: so the charge depends on the device. Memory that is not asked for is in proportion to
 * the share. A limit is what its memory may grow to: never more than there is.
 *
 * What keeps tasks apart follows from the mode: MPS caps memory, but not where limits may add up to
 * more than there is, as then a neighbour may take what a task counts on; nothing else keeps parts
 * apart. A part that asks for more than the mode gives has the device alone, and is charged all of
 * it: so it is never beside strangers. So has a part that comes to all of the device; others do not
 * go to devices in mode WHOLE.
 *
 * Pure functions of their arguments, O(1), no columns: the model, which keeps the sums, and tests
 * call them. Instances of MIG are another matter (mig.h).
 */
#ifndef LIBSCHED_DEVICE_PART_H
#define LIBSCHED_DEVICE_PART_H

#include <libsched/libsched.h>

#define DEVICE_WHOLE 1000u /* milli of one device */

struct device_kind {
    int64_t memory;            /* 0: unknown */
    uint32_t cores;            /* 0: unknown */
    uint32_t overcommit_milli; /* limits add up to so much of the memory; 1000: all of it */
    uint8_t mode;              /* LSCHED_SHARE_* */
};

/* Of each device. */
struct device_ask {
    uint32_t milli; /* 0: what memory and cores come to */
    uint32_t cores;
    int64_t memory, limit; /* 0: in proportion to the share; as the memory */
    uint8_t isolation;     /* LSCHED_ISOLATE_* */
};

/* What a task takes of one device, and: what is free of it. */
struct device_part {
    int64_t milli, cores, memory, limit;
};

/* 1, or 0 if no device of the kind may hold it: it is too small, or its mode is another. *part is
 * set either way: an import is where it is. What is not known of the device, or is more than it
 * has, counts as all of it. */
int device_part_of(const struct device_kind *kind, const struct device_ask *ask,
                   struct device_part *part);
/* What there is of an empty device. */
struct device_part device_part_all(const struct device_kind *kind);
/* Is so much free. */
static inline int device_part_fits(const struct device_part *part, const struct device_part *room) {
    return part->milli <= room->milli && part->cores <= room->cores &&
           part->memory <= room->memory && part->limit <= room->limit;
}
/* LSCHED_ISOLATE_*: what devices of the kind give to parts. */
uint8_t device_isolation(const struct device_kind *kind);

#endif
